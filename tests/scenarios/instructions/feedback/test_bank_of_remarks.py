"""The bank of remarks: whole, well formed, and with words for whatever a profile can draw."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from evolif import InputError
from evolif.scenarios.instructions.constraints import DrawContext, get_group
from evolif.scenarios.instructions.constraints.registry import EVERYDAY_GROUPS, EXTENDED_GROUPS, GROUPS, JUDGED_GROUPS
from evolif.scenarios.instructions.feedback import bank
from evolif.scenarios.instructions.feedback.bank import (
    GeneralRemarks,
    GroupRemarks,
    family_of,
    load_general,
    load_remarks,
)
from evolif.scenarios.instructions.feedback.wording import asked_of
from evolif.scenarios.instructions.synthesis.style import OWN_REGISTERS
from evolif.scenarios.instructions.tracker import load_profile
from evolif.scenarios.instructions.tracker.profile import BUILT_IN
from evolif.scenarios.instructions.turns import Constraint
from evolif.util.resources import data_path
from evolif.util.rng import Stream

RULED = sorted(
    name
    for groups in (GROUPS, EXTENDED_GROUPS, EVERYDAY_GROUPS, JUDGED_GROUPS)
    for name, group in groups.items()
    if not group.subjective
)
FAMILIES, TONES = ("relaxed", "plain", "formal"), ("calm", "short", "curt")
WORDS = ("ferry", "ticket", "timetable", "harbour", "island", "bus")
CHOICES = ({"mode": "options", "options": ["yes", "no"]}, {"mode": "scale", "low": 1, "high": 10})


def lines_of(group: str):
    found = load_remarks(group)
    for mode in ("remark", "repair"):
        for family in FAMILIES:
            for tone in TONES:
                yield mode, family, tone, found.lines(mode).of(family).of(tone)


def test_every_group_that_rules_check_has_a_file_and_nothing_else_does() -> None:
    files = {path.stem for path in data_path("seeds", "remarks").glob("*.yaml")}
    assert files == {*RULED, "general"}
    assert all(load_remarks(group) is not None for group in RULED)
    assert load_remarks("emotion") is None and load_remarks("nobody") is None


@pytest.mark.parametrize("group", RULED)
def test_there_are_twelve_remarks_and_half_of_each_list_does_without_what_came(group: str) -> None:
    everything: list[str] = []
    counts: dict[tuple[str, str], int] = {}
    for mode, family, _, lines in lines_of(group):
        assert sum("{found}" not in line.lower() for line in lines) * 2 >= len(lines)
        counts[mode, family] = counts.get((mode, family), 0) + len(lines)
        everything += lines
    assert min(counts.values()) >= 12 and len(counts) == 6
    assert len(set(everything)) == len(everything)


@pytest.mark.parametrize("group", RULED)
def test_lines_name_no_value_of_their_own_and_nobody_is_insulted(group: str) -> None:
    for _, family, _, lines in lines_of(group):
        for line in lines:
            bare = re.sub(r"\{\w+\}", "", line)
            assert not re.search(r"\d|[“”\"…]|\b(?:stupid|useless|idiot|dumb|lazy)\b", bare), line
            assert family != "formal" or not re.search(r"\w'(?:t|d|m|ve|re|ll)\b", bare), line


@pytest.mark.parametrize("profile", BUILT_IN)
def test_whatever_a_profile_draws_has_words_that_name_it(profile: str) -> None:
    drawn = load_profile(profile)
    for group in map(get_group, drawn.groups):
        for number in range(0 if group.subjective else 80):
            context = DrawContext(WORDS, drawn.pools[group.name], choices=CHOICES)
            params = group.draw(Stream(number, 5), context)
            if params is None:
                continue
            asked = asked_of(Constraint(group.name, params))
            assert asked is not None and len(asked) <= 160, (group.name, params)
            counts = [str(params[name]) for name in ("count", "upper", "percent", "low", "high") if name in params]
            assert all(re.search(rf"(?<!\d){count}(?!\d)", asked) for count in counts), (asked, params)


@pytest.mark.parametrize("group", RULED)
def test_every_description_has_its_words(group: str) -> None:
    """Also of kinds that no profile draws, which a person may have asked for."""
    described = yaml.safe_load(Path(data_path("constraints", f"{group}.yaml")).read_text(encoding="utf-8"))["describe"]
    keys = set(load_remarks(group).asked)
    known = {
        "length": {"most", "exact", "about", "least", "between"}, "existence": {"all"}, "forbidden": {"all"},
    }  # fmt: skip
    unnamed = {key for key in described if key not in keys}
    for key in sorted(unnamed):
        assert SHAPES.get((group, key)) in keys or key in known.get(group, ()), (group, key)


SHAPES = {
    ("emoji", "relation"): "some", ("format", "table"): "table.columns", ("hashtags", "relation"): "some",
    ("language", "not"): "not", ("labels", "numbered"): "numbered", ("part_length", "item"): "most",
}  # fmt: skip
"""Kinds that are always found by their section."""


@pytest.mark.parametrize(
    ("constraint", "asked"),
    [
        (("bullets", {"count": 5}), "exactly 5 bullets"),
        (("bullets", {"count": 1, "kind": "numbered"}), "exactly 1 numbered point"),
        (("bullets", {"kind": "either", "relation": "some", "only": True}), "just a list"),
        (("bullets", {"kind": "bullet", "relation": "exactly", "count": 5, "noun": "tips"}), "5 tips"),
        (("length", {"unit": "lines", "relation": "at_most", "count": 1, "noun": "verses"}), "at most 1 verse"),
        (("length", {"unit": "words", "relation": "less_than", "count": 300}), "fewer than 300 words"),
        (("existence", {"counts": {"a": 2, "b": 1}}), "“a” exactly twice and “b” exactly once"),
        (("punctuation", {"mode": "exclude", "mark": "—"}), "no em dashes"),
        (("case", {"mode": "share", "percent": 40}), "about 40% capital letters"),
        (
            ("labels", {"labels": ["Pro", "Con"], "only": True}),
            "the labels “Pro” and “Con” with nothing before the first",
        ),
        (("language", {"not": "en"}), "any language but English"),
        (("sentences", {"mode": "max_words", "count": 20}), "at most 20 words per sentence"),
    ],
)
def test_what_was_asked_stands_behind_i_said(constraint: tuple[str, dict], asked: str) -> None:
    assert asked_of(Constraint(*constraint)).replace("\ue000", "").replace("\ue001", "") == asked


def test_nobody_repeats_an_endless_demand() -> None:
    assert asked_of(Constraint("forbidden", {"keywords": [f"word{n}" for n in range(40)]})) is None
    assert asked_of(Constraint("emotion", {"emotion": "happy"})) is None


def test_every_register_belongs_to_a_family() -> None:
    families = {register: family_of(register) for register in (*OWN_REGISTERS, "pirate")}
    assert families == {"casual": "relaxed", "neutral": "plain", "formal": "formal", "brisk": "plain",
                        "warm": "relaxed", "pirate": "plain"}  # fmt: skip


def test_general_remarks_are_whole() -> None:
    general = load_general()
    for family in FAMILIES:
        thanks = general.thanking(family)
        assert len(set(thanks)) == len(thanks) >= 12
        for trouble in ("empty", "truncated", "withheld"):
            for mode in ("remark", "repair"):
                by_tone = general.troubled(family, trouble, mode)
                assert list(by_tone) == list(TONES) and all(len(lines) >= 1 for lines in by_tone.values())
                whole = [line for lines in by_tone.values() for line in lines]
                assert len(set(whole)) == len(whole) >= 3


LINES = ["I said {asked}.", "{Asked}, I said.", "{Found}. I said {asked}.", "It was {asked}."]


def file_of(**changes: object) -> dict:
    tones = {tone: list(LINES) for tone in TONES}
    families = dict.fromkeys(FAMILIES, tones)
    return {"group": "length", "asked": {"most": "at most {n}"}, "remark": families, "repair": families, **changes}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"remarks": {}}, "Extra inputs"),
        ({"asked": {}}, "at least 1"),
        ({"remark": {"relaxed": {}}}, "Field required"),
        *(
            ({"repair": {f: {t: [line, *LINES[:3]] for t in TONES} for f in FAMILIES}}, complaint)
            for line, complaint in (
                ("I said {value}.", "unknown"),
                ("Not that.", "needs {asked} once"),
                ("{asked} and {asked}.", "needs {asked} once"),
                ("I said {asked}", "final mark"),
            )
        ),
    ],
)
def test_a_broken_file_is_refused(changes: dict, complaint: str) -> None:
    GroupRemarks.model_validate(file_of())
    with pytest.raises(ValidationError, match=re.escape(complaint)):
        GroupRemarks.model_validate(file_of(**changes))


def test_a_file_of_another_group_is_refused_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "case.yaml").write_text(json.dumps(file_of()), encoding="utf-8")
    (tmp_path / "digits.yaml").write_text("group: digits\n", encoding="utf-8")
    (tmp_path / "general.yaml").write_text("group: other\n", encoding="utf-8")
    monkeypatch.setattr(bank, "data_path", lambda *parts: tmp_path.joinpath(*parts[2:]))
    for load in (load_remarks, load_general):
        load.cache_clear()
    try:
        with pytest.raises(InputError, match="needs “group: case”, as its name says"):
            load_remarks("case")
        with pytest.raises(InputError, match=r"digits\.yaml: .*asked"):
            load_remarks("digits")
        with pytest.raises(InputError, match=r"general\.yaml: "):
            load_general()
    finally:
        monkeypatch.undo()
        for load in (load_remarks, load_general):
            load.cache_clear()
    with pytest.raises(ValidationError, match="has no slots"):
        GeneralRemarks.model_validate(
            {**load_general().model_dump(), "thanks": {family: ["Thanks for {asked}."] * 3 for family in FAMILIES}}
        )
