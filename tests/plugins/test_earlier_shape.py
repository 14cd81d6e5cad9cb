"""Plug-ins of the shape before `presentation` and `rows` work for one release, and warn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evolif import load_benchmark
from evolif.benchmark import FolderScenario
from evolif.config import EvalConfig
from evolif.metrics import MetricTable
from evolif.runner import plan
from evolif.scenario import Defaults, Presentation, Rows, Scenario, get_scenario
from evolif.types import Message, Prompt

Run = Callable[..., Result]
PROMPT = Prompt(1, 1, (Message("user", "Hi"),), labels={"hue": "red"})
TABLE = MetricTable(("top", "one"), lambda session: (1, 1), {"share": ("top", "one")})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_plugin_of_the_earlier_shape_gives_the_same_as_one_of_today(run: Run) -> None:
    shown = {}
    for name in ("checklist", "earlier"):
        run("generate", name, "--scenario", name, "--dialogues", 6, "--seed", 1, "--set", "turns=3")
        run("evaluate", name, "-m", "sim/hasty", "--out", f"{name}-run")
        report = run("report", f"{name}-run", "--full", "--resamples", 50, "--bench", name, "--html", f"{name}.html")
        data = run("report", f"{name}-run", "--json", "-", "--resamples", 50).stdout
        exported = run("export", f"{name}-run", f"{name}.jsonl").stdout
        lines = Path(f"{name}.jsonl").read_text(encoding="utf-8")
        [model] = json.loads(data)["models"]
        columns = [sorted(json.loads(line)) for line in lines.splitlines()]
        text = " ".join(report.stdout.replace(name, "NAME").split())
        shown[name] = text, model["share"], exported.count("without model notes"), columns
        assert "key" not in json.loads(lines.splitlines()[0])
        run("export", name, f"{name}-bench.jsonl")
        assert '"key"' not in Path(f"{name}-bench.jsonl").read_text(encoding="utf-8")
    assert shown["earlier"][1:] == shown["checklist"][1:] and "Weighted share" in shown["earlier"][0]
    assert len(shown["earlier"][0]) == len(shown["checklist"][0])


def test_members_of_the_scenario_are_found_by_its_parts_with_a_warning() -> None:
    class Old(Scenario):
        name, title = "old", "an old one"
        requirement, key_fields = "rule", ("secret",)

        def facts(self, prompt: Prompt) -> Any:
            return (("old", "yes"), *super().facts(prompt))

        def keys(self, prompt: Prompt) -> tuple[str, ...]:
            return ("secret",)

    old = Old()
    with pytest.warns(DeprecationWarning, match="Old has `requirement`, `facts`; move that to its `presentation`"):
        pages = old.presentation
    assert pages.requirement == "rule" and pages.facts(PROMPT) == (("old", "yes"), ("hue", "red"))
    assert pages.answer_key == "key" and pages.lead(1, 1).endswith("with transcripts: an old one.")
    with pytest.warns(DeprecationWarning, match="Old has `key_fields`, `keys`; move that to its `rows`"):
        rows = old.rows
    assert rows.has_keys and rows.key_row(PROMPT) == {"keys": ["secret"]} and rows.key_fields == ("secret",)


def test_a_table_and_defaults_of_before_are_taken_with_a_warning(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("generate", "games", "--scenario", "guess", "--dialogues", 1)
    monkeypatch.setattr("guess.Guess.defaults", lambda self, bench: Defaults(max_turns=3))
    monkeypatch.setattr("guess.Guess.partner", lambda self, bench: "sim/other", raising=False)
    monkeypatch.setattr("guess.Guess.cut", lambda self, bench, play: "after", raising=False)
    with pytest.warns(DeprecationWarning, match="Guess has"):
        made = plan(load_benchmark("games"), EvalConfig(models=("sim/halver",)))
    assert (made.max_turns, made.partner, made.cut) == (3, "sim/other", "after")

    class Old(FolderScenario):
        name, title, metrics = "old", "an old one", TABLE

    with pytest.warns(DeprecationWarning, match="Old has `metrics`; let `table` return it"):
        assert Old().table({}) is TABLE


def test_a_scenario_of_today_answers_to_the_names_of_before_without_a_warning() -> None:
    games: Any = get_scenario("games")
    assert games.answer_key == "answer" and games.key_fields == ("answer", "proof")
    assert games.metrics is games.table({}) and games.exhibits([]) == ()
    assert type(games.presentation).__mro__[-2] is Presentation and isinstance(games.rows, Rows)


def test_the_contract_is_short() -> None:
    members = [name for name in vars(Scenario) if not name.startswith("_")]
    declared = set(members) | {name for name in Scenario.__annotations__ if not name.startswith("_")}
    assert len(declared) <= 33  # the last ones are what trainers read of scores, and what runs that are merged say
