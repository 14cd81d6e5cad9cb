"""Utterance plans: how a line is read, chosen by its tags and filled."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from evolif import InputError
from evolif.scenarios.instructions.constraints import EXTENDED_GROUPS, GROUPS, Change, get_group
from evolif.scenarios.instructions.synthesis.plans import SEAL, UNSEAL, fill, load_plans, parse_plan, read_plans


def filled(line: str, **slots: str) -> str:
    return fill(parse_plan("k", line).pieces, slots).replace(SEAL, "").replace(UNSEAL, "")


def test_tags_say_who_types_a_plan_and_when() -> None:
    plan = parse_plan("k", "cwSR|Just {count} {count|bullet|bullets}, my boss said.")
    assert plan.registers == {"casual", "warm"} and plan.tags == {"S", "R"} and plan.slots == {"count"}
    assert len(parse_plan("k", "Make it {count}.").registers) == 5
    assert parse_plan("k", "Not {o_count}, {count}.").reference == "value"
    assert parse_plan("k", "Instead of {old}, {count}.").reference == "name"


@pytest.mark.parametrize("line", ["X|Do it.", "Use {count bullets.", "…"])
def test_lines_that_are_no_plans(line: str) -> None:
    with pytest.raises(ValueError, match=r"tag|brace|no words"):
        parse_plan("k", line)


@pytest.mark.parametrize(
    ("line", "slots", "text"),
    [
        ("{count} {count|bullet|bullets}.", {"count": "1"}, "1 bullet."),
        ("{count} {count|bullet|bullets}.", {"count": "7"}, "7 bullets."),
        ("Make a {count}-item list.", {"count": "8"}, "Make an 8-item list."),
        ("Make an {count}-item list.", {"count": "5"}, "Make a 5-item list."),
        ("Begin with a {value}.", {"value": "H"}, "Begin with an H."),
        ("Begin with an {value}.", {"value": "U"}, "Begin with a U."),
        ("Use a {value}.", {"value": "“hour”"}, "Use an “hour”."),
        ("{Old} go. {names} stay.", {"old": "the 5 bullets", "names": "commas"}, "The 5 bullets go. Commas stay."),
        ("ok, {names} are out", {"names": "commas"}, "ok, commas are out"),
    ],
)  # fmt: skip
def test_grammar_that_depends_on_a_value(line: str, slots: dict[str, str], text: str) -> None:
    assert filled(line, **slots) == text


def test_literals_are_sealed_and_words_are_not() -> None:
    text = fill(
        parse_plan("k", "From {o_value} to {value}, {n} {u}.").pieces,
        {"o_value": "A", "value": "B", "n": "5", "u": "words"},
    )
    assert text == f"From {SEAL}A{UNSEAL} to {SEAL}B{UNSEAL}, 5 words."


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"group": "other"}, "needs “group: bullets”"),
        ({"group": "bullets", "ad": {}}, "“ad” is unknown"),
        ({"group": "bullets", "add": {True: ["x"]}}, "put it in quotation marks"),
        ({"group": "bullets", "add": {"count": [True]}}, "needs a list of texts"),
        ({"group": "bullets", "add": {"count": ["Z|x"]}}, "plan 1: the tag “Z” is unknown"),
        ({"group": "bullets", "sizes": {"count": [4]}}, "sizes.count: needs two numbers"),
    ],
)
def test_files_that_are_no_bank(tmp_path: Path, data: object, told: str) -> None:
    file = tmp_path / "bullets.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_plans(file)


def test_small_and_large_values_have_plans_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "bullets.yaml"
    data = {
        "group": "bullets",
        "sizes": {"count": [4, 9]},
        "add": {"count": ["S|Just {count}.", "L|A full {count}.", "{count}, ok"]},
    }
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    plans = read_plans(file)
    fitting = [[plans.fits_size(plan, ("count", number)) for plan in plans.of("add", "count")] for number in (3, 6, 9)]
    assert fitting == [[True, False, True], [False, False, True], [False, True, True]]


def test_changes_that_a_group_tells_the_bank() -> None:
    length = get_group("length")
    less, more = ({"unit": "words", "relation": relation, "count": 200} for relation in ("less_than", "more_than"))
    longer = {**less, "count": 400}
    change = length.change(less, longer)
    assert (change.act, change.shape, change.step) == ("adjust", "less", 1)
    assert {
        "n": "400",
        "u": "words",
        "o_n": "200",
        "on": "200 words",
        "oname": "the word limit",
    }.items() <= change.slots.items()
    assert length.change(less, more).step == 0
    assert length.change(less, {**less, "unit": "sentences"}).act == "replace"
    assert get_group("forbidden").change({"keywords": ["a", "b"]}, {"keywords": ["a"]}) == Change(
        "adjust", "release", {"words": "“b”", "words_and": "“b”"}
    )
    assert get_group("existence").change({"counts": {"a": 1}}, None).shape == "all"
    assert get_group("emotion").change({"emotion": "sad"}, {"emotion": "happy"}).act == "adjust"
    assert get_group("format").change({"mode": "json"}, {"mode": "json", "keys": ["a"]}).act == "add"
    assert get_group("punctuation").change(None, {"mode": "include", "mark": "@"}).slots["a_name"] == "an at sign"


@pytest.mark.parametrize("group", [*GROUPS, *EXTENDED_GROUPS])
def test_every_group_of_ours_has_plans(group: str) -> None:
    assert load_plans(group) is not None
