"""The lines that say what is counted say what the checkers do: every clause has answers on either side of it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from evolif import check_query, load_benchmark
from evolif.errors import UsageError
from evolif.scenarios.instructions import SYSTEM_PROMPT, Header, InstructionBenchmark, generate
from evolif.scenarios.instructions.constraints import EVERYDAY_GROUPS, EXTENDED_GROUPS, GROUPS, Group, check, get_group
from evolif.scenarios.instructions.constraints.definitions import definition, rules_of, without_rules
from evolif.scenarios.instructions.system import system_text
from evolif.scenarios.instructions.tracker import Profile, load_profile
from evolif.scenarios.instructions.turn_lines import Spec
from evolif.text import READING_RULES_VERSION
from evolif.util.resources import load_data

CASES: dict[str, list[dict[str, Any]]] = load_data(Path(__file__).parent / "definition_cases.yaml")

JUDGED = {
    "emotion": "tests of the judge's rubric",
    "audience": "tests of the judge's rubric",
    "style": "tests of the judge's rubric",
    "language": "langdetect decides",
}
"""Groups whose lines no rule decides, and what does."""


RULED = [name for name in (*GROUPS, *EXTENDED_GROUPS, *EVERYDAY_GROUPS) if name not in JUDGED]
WALK = [pytest.param(group, case, id=f"{group}: {case['clause']}") for group, cases in CASES.items() for case in cases]


def _satisfies(group: str, case: dict[str, Any], answer: str) -> bool:
    asked = [{"group": case.get("of", group), "params": case["params"]}]
    if "format" in case:
        asked.append({"group": "format", "params": {"mode": case["format"]}})
    verdict = check(asked, answer)[0].satisfied
    assert verdict is not None
    return verdict


@pytest.mark.parametrize(("group", "case"), WALK)
def test_a_clause_says_what_the_checker_does(group: str, case: dict[str, Any]) -> None:
    assert case["clause"] in " ".join(rules_of(get_group(group)))
    assert [answer for answer in case["pass"] if not _satisfies(group, case, answer)] == []
    assert [answer for answer in case["fail"] if _satisfies(group, case, answer)] == []


@pytest.mark.parametrize("group", RULED)
def test_every_clause_is_walked(group: str) -> None:
    rest = " ".join(rules_of(get_group(group)))
    for clause in sorted({case["clause"] for case in CASES[group]}, key=len, reverse=True):
        rest = rest.replace(clause, "")
    assert re.findall(r"\w+", rest) == []


PINNED = {2: "5ddcb925dfbd7c4b"}
"""Version of the reading rules, and the digest of all lines in it."""


def test_the_lines_belong_to_the_version_of_the_reading_rules() -> None:
    lines = [f"{name}: {' '.join(rules_of(get_group(name)))}" for name in [*GROUPS, *EXTENDED_GROUPS, *EVERYDAY_GROUPS]]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    assert {READING_RULES_VERSION: digest} == PINNED, "raise the version: runs with and without the change must differ"


@pytest.mark.parametrize("name", ["objective", "paper", "extended", "escalating"])
def test_the_system_prompt_has_a_line_for_each_group(name: str) -> None:
    profile = load_profile(name)
    text = system_text(_header(profile))
    lines = text.partition("What is counted, where it is asked for:\n")[2].splitlines()
    assert len(lines) == len(profile.groups) + 1
    for line, group in zip(lines, profile.groups, strict=False):
        assert line.startswith("- ")
        assert any(rule in line for rule in rules_of(get_group(group)))


def test_a_line_tells_only_what_its_profile_draws() -> None:
    told = system_text(_header(load_profile("objective")))
    all_of_them = system_text(_header(load_profile("extended")))
    for piece in ("Numbered points", "JSON keys that", "table with given columns", "“Between”"):
        assert piece not in told
        assert piece in all_of_them


def test_a_set_without_the_key_keeps_its_prompt() -> None:
    header = _header(load_profile("paper")).model_copy(update={"definitions": None})
    assert system_text(header) == SYSTEM_PROMPT
    assert "definitions" not in header.model_dump(mode="json")
    assert system_text(header.model_copy(update={"definitions": "query"})) == SYSTEM_PROMPT


def test_a_pool_from_elsewhere_may_hold_anything() -> None:
    profile = load_profile("objective")
    for pool in ({"modes": 7}, {"modes": [["json"]]}, {"kinds": 3}, {"relations": None}):
        broken = profile.model_copy(update={"pools": dict.fromkeys(profile.groups, pool)})
        assert "Bullets are list items" in system_text(_header(broken))


class Waves(Group):
    """A group of somebody else's."""

    name = "waves"
    data = MappingProxyType({"counted": "A wave is a ~."})


def test_a_group_of_ones_own_may_bring_its_line() -> None:
    assert rules_of(Waves()) == ("A wave is a ~.",)
    assert definition(Waves(), [{}, {}]) == "A wave is a ~."
    Waves.data = MappingProxyType({})
    assert rules_of(Waves()) == () and definition(Waves(), [{}]) == ""


def _header(profile: Profile) -> Header:
    return Header(definitions="system", spec=Spec(profile=profile, seed=0, dialogues=1, turns=1))


@pytest.fixture(scope="module", params=["objective", "extended"])
def said(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    """A set whose queries say what is counted."""
    path = tmp_path_factory.mktemp("said") / str(request.param)
    return generate(path, dialogues=6, turns=15, seed=4, profile=request.param, definitions="query")


@pytest.mark.slow
def test_queries_say_each_rule_once_at_its_first_mention(said: InstructionBenchmark) -> None:
    plain = generate(
        said.path.with_name(f"{said.path.name}-plain"), dialogues=6, turns=15, seed=4, profile=said.variant
    )
    for dialogue in said.dialogues():
        told: list[str] = []
        for turn, silent in zip(said.turns(dialogue), plain.turns(dialogue), strict=True):
            words, _, line = turn.query.rpartition("\n") if turn.query != silent.query else (turn.query, "", "")
            assert words == silent.query
            after, group = turn.operation.after, get_group(turn.operation.group)
            wanted = [] if after is None else [r for r in rules_of(group, [group.key(after)]) if r not in told]
            assert line == " ".join(wanted)
            told += wanted
        assert told


@pytest.mark.slow
def test_a_definition_in_a_query_is_no_demand(said: InstructionBenchmark) -> None:
    for dialogue in said.dialogues():
        for turn in said.turns(dialogue):
            words = without_rules(turn.query, get_group(turn.operation.group))
            assert len(words) == len(turn.query)
            assert check_query(turn, turn.query) == check_query(turn, words.rstrip())


def test_an_extension_goes_on_where_the_dialogue_left_off(said: InstructionBenchmark, tmp_path: Path) -> None:
    short = generate(tmp_path / "b", dialogues=2, turns=5, seed=4, profile=said.variant, definitions="query")
    whole = [turn.query for turn in said.turns(1)]
    load_benchmark(short.path).turn(1, 15)
    assert [turn.query for turn in load_benchmark(short.path).turns(1)] == whole


def test_an_edited_query_keeps_its_definition(tmp_path: Path) -> None:
    bench = generate(tmp_path / "b", dialogues=1, turns=2, seed=4, definitions="query", profile="objective")
    rule = bench.turns(1)[0].query.rpartition("\n")[2]
    edited = bench.replace(1, 1, query="Do it again.", status="edited", source="person")
    assert edited.query == f"Do it again.\n{rule}"
    again = bench.replace(1, 1, query=f"{rule} So do it.", status="edited", source="person")
    assert again.query == f"{rule} So do it."


def test_other_choices_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown --definitions “both”; use system or query"):
        generate(tmp_path / "b", dialogues=1, turns=1, definitions="both", profile="objective")
