"""`evolif.generate` makes benchmarks of every scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evolif
from evolif.models import ModelOptions
from evolif.scenario import get_scenario, options_of
from evolif.scenarios import instructions


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("scenario", "options"),
    [("games", {"game": "names", "turns": [2, 4]}), ("broadcast", {}), ("shifts", {"rounds": [10]})],
)
def test_a_scenario_is_made_as_its_own_class_makes_it(scenario: str, options: dict[str, Any], tmp_path: Path) -> None:
    made = evolif.generate(tmp_path / "a", scenario=scenario, options=options, dialogues=2, seed=7)
    kind = get_scenario(scenario)
    spec = options_of(kind.spec, options, scenario)
    kind.generate(tmp_path / "b", spec, dialogues=2, seed=7)
    assert made.scenario == scenario and made.path == tmp_path / "a"
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("keywords", "options"), [({"turns": 3, "profile": "paper"}, None), ({"turns": 3}, {"profile": "paper"})]
)
def test_instruction_following_takes_its_keywords_as_before(
    keywords: dict[str, Any], options: dict[str, Any] | None, tmp_path: Path
) -> None:
    evolif.generate(tmp_path / "a", dialogues=2, seed=7, options=options, **keywords)
    instructions.generate(tmp_path / "b", dialogues=2, turns=3, profile="paper", seed=7)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"scenario": "gmes"}, "the scenario “gmes” is not installed here (did you mean"),
        ({"scenario": "games", "options": {"gme": 1}}, "options: gme: the scenario games has no such option"),
        ({"scenario": "games", "options": {"game": "go"}}, "game"),
        ({"scenario": "games", "turns": 3}, "turns: only instruction following has such keywords"),
        ({"scenario": "games", "options": ModelOptions()}, "takes its options as a mapping"),
        ({"options": {"turnz": 3}}, "instruction following has no option turnz (did you mean turns?)"),
        ({"profle": "everyday"}, "instruction following has no option profle (did you mean profile?)"),
        ({"options": {"seed": 3}}, "instruction following has no option seed"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(wrong: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(evolif.UsageError) as refused:
        evolif.generate(tmp_path / "x", **wrong)
    assert message in str(refused.value)
    assert not (tmp_path / "x").exists()
