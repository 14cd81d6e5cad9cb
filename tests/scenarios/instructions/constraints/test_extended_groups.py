"""The groups and modes of the profile `extended`: drawn, read back, described, and what they need installed."""

import random

import pytest

from evolif.errors import InputError
from evolif.scenarios.instructions.constraints import (
    EXTENDED_GROUPS,
    GROUPS,
    DrawContext,
    check,
    describe,
    find_conflict,
    get_group,
    parse_constraint,
)
from evolif.scenarios.instructions.tracker import load_profile
from evolif.text.languages import detect_language, probabilities
from evolif.util.rng import Stream

PROFILE = load_profile("extended")
RULED = [name for name in PROFILE.groups if not get_group(name).subjective]


def draws(name, active=None, count=120):
    stream = Stream(3)
    context = DrawContext(("art", "two words", "tea-pot", "ship"), PROFILE.pools[name], active or {})
    return [get_group(name).draw(stream, context) for _ in range(count)]


def test_the_profile_has_all_groups_and_the_others_have_none_of_them():
    assert PROFILE.groups == (*GROUPS, *EXTENDED_GROUPS)
    for other in ("paper", "objective"):
        profile = load_profile(other)
        assert not set(profile.groups) & set(EXTENDED_GROUPS)
        assert "kinds" not in profile.pools["bullets"]
        assert "between" not in profile.pools["length"]["relations"]
        assert not {"table", "json_keys"} & set(profile.pools["format"]["modes"])


@pytest.mark.parametrize("name", RULED)
def test_what_is_drawn_can_be_read_back_and_described(name):
    for params in draws(name):
        constraint = parse_constraint({"group": name, "params": params})
        assert constraint.params == params
        for fmt in (None, "json", "html", "csv"):
            sentence = describe(constraint, fmt)
            assert sentence.rstrip().endswith((".", ")"))
            assert "None" not in sentence


@pytest.mark.parametrize("name", [*EXTENDED_GROUPS, "length", "bullets", "format"])
def test_every_mode_is_drawn(name):
    drawn = {get_group(name).key(params) for params in draws(name, count=600)}
    assert drawn == set(get_group(name).data["say"])


@pytest.mark.parametrize("name", EXTENDED_GROUPS)
def test_phrases_are_many_enough(name):
    data = get_group(name).data
    for key, say in data["say"].items():
        for register in ("casual", "neutral", "formal", "brisk", "warm"):
            assert len(say["any"]) + len(say.get(register, ())) >= 5, register
        assert len(say["casual"]) >= 2 and len(say["formal"]) >= 2
        assert say["brisk"] and say["warm"]
        assert len(data["drop"][key]) >= 3


@pytest.mark.parametrize("name", [n for n in RULED if n not in ("digits", "existence", "forbidden")])
def test_a_modification_changes_something(name):
    stream = Stream(9)
    context = DrawContext(("art", "two words", "tea-pot", "ship"), PROFILE.pools[name])
    for params in draws(name, count=40):
        changed = get_group(name).modify(params, stream, context)
        assert changed is not None and changed != params


def test_there_is_no_other_way_without_digits():
    assert get_group("digits").modify({"mode": "none"}, Stream(1), DrawContext((), {"modes": ["none"]})) is None


@pytest.mark.parametrize(
    "active", [{"format": {"mode": "xml"}}, {"headings": {"count": 2}}, {"digits": {"mode": "none"}}]
)
@pytest.mark.parametrize("name", ["format", "placement", "bullets"])
def test_nothing_is_drawn_that_a_row_excludes(name, active):
    others = {g: p for g, p in active.items() if g != name}
    if name == "bullets" and "format" in others:
        return  # the whole group is closed there
    for params in draws(name, others):
        assert find_conflict({**others, name: params}) is None


def test_keywords_that_have_a_place_are_not_counted_or_forbidden():
    placed = {"placement": {"mode": "every_paragraph", "value": "art"}}
    assert all("art" not in params["counts"] for params in draws("existence", placed))
    assert all("art" not in params["keywords"] for params in draws("forbidden", placed))
    counted = {"existence": {"counts": {"art": 2}}}
    assert all(params.get("value") != "art" for params in draws("placement", counted))


BAD_PARAMS = [
    ("length", {"unit": "words", "relation": "between", "count": 3}, "upper"),
    ("length", {"unit": "words", "relation": "between", "count": 3, "upper": 2}, "below"),
    ("bullets", {"count": 3, "kind": "lettered"}, "kind"),
    ("format", {"mode": "json", "keys": []}, "keys"),
    ("format", {"mode": "json", "keys": ["a", "A"]}, "twice"),
    ("format", {"mode": "table", "columns": ["a|b"]}, "columns"),
    ("language", {"code": "tlh"}, "unknown"),
    ("placement", {"mode": "acrostic", "word": "tea pot"}, "word"),
    ("placement", {"mode": "nth_word", "position": 0, "value": "tea"}, "position"),
    ("placement", {"mode": "nth_word", "position": 2, "value": "tea pot"}, "value"),
    ("placement", {"mode": "every_paragraph"}, "value"),
    ("sentences", {"mode": "max_words", "count": 0}, "count"),
    ("sentences", {"mode": "short"}, "short"),
    ("headings", {"count": "2"}, "count"),
    ("emphasis", {"count": -1}, "count"),
    ("digits", {"mode": "few"}, "mode"),
]


@pytest.mark.parametrize(("group", "params", "where"), BAD_PARAMS, ids=lambda value: str(value)[:40])
def test_bad_parameters_are_named(group, params, where):
    with pytest.raises(InputError) as caught:
        parse_constraint({"group": group, "params": params})
    assert str(caught.value).startswith(f"{group}: ")
    assert where in str(caught.value)


def test_bullets_by_name_are_bullets():
    assert parse_constraint({"group": "bullets", "params": {"count": 3, "kind": "bullet"}}).params == {"count": 3}


def test_detection_is_repeatable_and_leaves_chance_alone():
    from langdetect import DetectorFactory

    probabilities.cache_clear()
    state, shared = random.getstate(), DetectorFactory.seed
    texts = ["Le chat dort sur la chaise.", "Ein kurzer Satz.", "x", "no se", "wat is dat"]
    first = [detect_language(text) for text in texts]
    probabilities.cache_clear()
    assert [detect_language(text) for text in texts] == first
    assert random.getstate() == state
    assert DetectorFactory.seed is shared


EVIDENCE = [
    ("format", {"mode": "json", "keys": ["a"]}, '{"b": 1}', "the keys “b”"),
    ("format", {"mode": "table", "columns": ["a"]}, "Text", "0 Markdown tables"),
    ("bullets", {"count": 1, "kind": "numbered"}, "- a", "0 numbered items"),
    ("language", {"code": "fr"}, "12", "no language can be detected in 1 word"),
    ("placement", {"mode": "every_paragraph", "value": "tea"}, "tea\n\nham", "it is in 1 of 2"),
    ("placement", {"mode": "nth_word", "position": 2, "value": "tea"}, "one ham", "“ham”"),
    ("placement", {"mode": "acrostic", "word": "ab"}, "x\n\n1. y", "they spell “x1.”"),
    ("sentences", {"mode": "max_words", "count": 1}, "one two", "the longest of 1 sentence has 2 words"),
    ("sentences", {"mode": "distinct_starts"}, "A b. C d. A e.", "two begin with “a”"),
    ("sentences", {"mode": "questions", "count": 2}, "Why?", "1 question"),
    ("headings", {"count": 1}, "Text", "0 headings"),
    ("emphasis", {"count": 1}, "Text", "0 bold passages"),
    ("digits", {"mode": "none"}, "a 12", "2 digits: 12"),
]


@pytest.mark.parametrize(("group", "params", "text", "found"), EVIDENCE, ids=lambda value: str(value)[:30])
def test_a_failed_verdict_says_what_was_found(group, params, text, found):
    verdict = check([{"group": group, "params": params}], text)[0]
    assert verdict.satisfied is False
    assert verdict.found == found


def test_evidence_points_at_the_place():
    text = "# One\n\nTwo **three**? Four 5."
    for group, params, body in [
        ("headings", {"count": 0}, "One"),
        ("emphasis", {"count": 0}, "**three**"),
        ("digits", {"mode": "none"}, "5"),
        ("placement", {"mode": "every_paragraph", "value": "two"}, "Two"),
    ]:
        spans = check([{"group": group, "params": params}], text)[0].spans
        assert text[slice(*next((s.start, s.end) for s in spans if s.view == "body"))] == body
