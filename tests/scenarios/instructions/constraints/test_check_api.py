"""`check()`: order, duplicates, what cannot be read, what cannot be judged, evidence."""

import pytest

import evolif
from evolif.errors import InputError, InternalError, UsageError
from evolif.scenarios.instructions.constraints import GROUPS, Group, check, describe, parse_constraint
from evolif.scenarios.instructions.turns import Constraint

LETTER = {"group": "start_with", "params": {"mode": "letter", "value": "k"}}
BULLETS = {"group": "bullets", "params": {"count": 2}}
JSON = {"group": "format", "params": {"mode": "json"}}
WORDS = {"group": "length", "params": {"unit": "words", "relation": "exactly", "count": 1}}


def test_it_is_the_packages_own():
    assert evolif.check is check


def test_verdicts_come_in_the_order_given():
    verdicts = check([WORDS, LETTER, BULLETS], "Kyoto")
    assert [(v.group, v.satisfied) for v in verdicts] == [("length", True), ("start_with", True), ("bullets", False)]


def test_the_same_group_twice_gives_two_verdicts():
    other = {"group": "start_with", "params": {"mode": "letter", "value": "x"}}
    assert [v.satisfied for v in check([LETTER, other, LETTER], "Kyoto")] == [True, False, True]


def test_constraints_and_stored_objects_mix():
    assert [v.satisfied for v in check([Constraint("bullets", {"count": 0}), LETTER], "Kyoto")] == [True, True]


def test_an_iterator_will_do():
    assert len(check(iter([LETTER, WORDS]), "Kyoto")) == 2


def test_without_constraints_there_are_no_verdicts():
    assert check([], "") == []


def test_the_format_counts_wherever_it_stands():
    assert [v.satisfied for v in check([LETTER, JSON], '{"kyoto": 1}')] == [True, True]


def test_other_keys_are_ignored():
    assert check([{**LETTER, "note": 1, "params": {**LETTER["params"], "extra": 2}}], "Kyoto")[0].satisfied


def test_two_formats_are_refused():
    with pytest.raises(InputError, match="one format"):
        check([JSON, {"group": "format", "params": {"mode": "xml"}}], "{}")


def test_the_same_format_twice_is_one():
    assert [v.satisfied for v in check([JSON, JSON], "{}")] == [True, True]


@pytest.mark.parametrize("name", ["emotion", "audience", "style"])
def test_subjective_groups_are_not_judged(name):
    value = GROUPS[name].data["pool"]["values"][0]
    assert check([{"group": name, "params": {name: value}}], "Kyoto")[0].satisfied is None


def test_an_unknown_group_is_named_with_the_known_ones():
    with pytest.raises(UsageError, match="unknown constraint group “colour”; known groups are start_with, end_with"):
        check([{"group": "colour", "params": {}}], "Kyoto")


NO_CONSTRAINT = ["start_with", None, 3, [], {}, {"params": {}}, {"group": 3, "params": {}}]


@pytest.mark.parametrize("data", NO_CONSTRAINT, ids=repr)
def test_what_is_no_constraint_is_refused(data):
    with pytest.raises(InputError, match="a constraint is an object"):
        parse_constraint(data)


BAD_PARAMS = [
    ("start_with", {}, "mode"),
    ("start_with", {"mode": "rune", "value": "k"}, "rune"),
    ("start_with", {"mode": "letter", "value": "é"}, "letter.value"),
    ("start_with", {"mode": "letter", "value": "ab"}, "letter.value"),
    ("start_with", {"mode": "letter", "value": "k\n"}, "letter.value"),
    ("start_with", {"mode": "emoji", "value": ""}, "emoji.value"),
    ("start_with", {"mode": "keyword", "value": " "}, "keyword.value"),
    ("end_with", {"mode": "quotation", "left": "("}, "quotation.right"),
    ("end_with", {"mode": "quotation", "left": "((", "right": "))"}, "quotation.left"),
    ("format", {"mode": "yaml"}, "mode"),
    ("format", {"mode": ["json"]}, "mode"),
    ("bullets", {"count": "3"}, "count"),
    ("bullets", {"count": True}, "count"),
    ("bullets", {"count": 3.0}, "count"),
    ("bullets", {"count": -1}, "count"),
    ("length", {"unit": "pages", "relation": "exactly", "count": 3}, "unit"),
    ("length", {"unit": "words", "relation": "roughly", "count": 3}, "relation"),
    ("length", {"unit": "words", "relation": "exactly"}, "count"),
    ("existence", {"counts": {}}, "counts"),
    ("existence", {"counts": {"": 1}}, "counts"),
    ("existence", {"counts": {"a": "1"}}, "counts.a"),
    ("existence", {"counts": ["a"]}, "counts"),
    ("forbidden", {"keywords": []}, "keywords"),
    ("forbidden", {"keywords": "abc"}, "keywords"),
    ("forbidden", {"keywords": ["a", 3]}, "keywords.1"),
    ("case", {"mode": "share"}, "percent"),
    ("case", {"mode": "share", "percent": 101}, "percent"),
    ("case", {"mode": "title"}, "title"),
    ("punctuation", {"mode": "include", "mark": ""}, "mark"),
    ("punctuation", {"mode": "forbid", "mark": ";"}, "mode"),
    ("emotion", {"emotion": "hangry"}, "emotion"),
    ("audience", {}, "audience"),
    ("style", {"style": 3}, "style"),
]


@pytest.mark.parametrize(("group", "params", "where"), BAD_PARAMS, ids=lambda value: str(value)[:40])
def test_bad_parameters_are_named(group, params, where):
    with pytest.raises(InputError) as caught:
        parse_constraint({"group": group, "params": params})
    assert str(caught.value).startswith(f"{group}: ")
    assert where in str(caught.value)
    assert "\n" not in str(caught.value)


UNREACHABLE = [
    ("start_with", "# Report", "begins with mark-up"),
    ("start_with", "> Hi", "begins with mark-up"),
    ("start_with", "*Note", "begins with mark-up"),
    ("start_with", "- Note", "begins with mark-up"),
    ("start_with", "1. Note", "begins with mark-up"),
    ("start_with", "```python", "begins with mark-up"),
    ("start_with", "...", "no letter, digit or symbol"),
    ("end_with", "Note**", "ends with mark-up"),
    ("end_with", "Title ##", "ends with mark-up"),
    ("end_with", "done ```", "ends with mark-up"),
    ("end_with", "!?", "no letter, digit or symbol"),
]


@pytest.mark.parametrize(("group", "value", "why"), UNREACHABLE)
def test_new_values_that_no_answer_meets_are_refused_with_the_mend(group, value, why):
    constraint = {"group": group, "params": {"mode": "keyword", "value": value}}
    with pytest.raises(InputError, match=f"{why}.*; use mode “phrase”"):
        check([constraint], "An answer.")
    assert parse_constraint(constraint, stored=True).params["value"] == value


@pytest.mark.parametrize(
    ("group", "value"),
    [("start_with", "(KAI)"), ("start_with", "🙂"), ("start_with", "$5"), ("end_with", "C#"), ("end_with", "AI:")],
)
def test_signs_that_are_no_markup_may_stand_at_an_edge(group, value):
    constraint = {"group": group, "params": {"mode": "keyword", "value": value}}
    assert check([constraint], value)[0].satisfied


def test_white_space_round_a_new_value_is_cut():
    constraint = {"group": "start_with", "params": {"mode": "keyword", "value": " Kyoto "}}
    assert parse_constraint(constraint).params["value"] == "Kyoto"
    assert parse_constraint(constraint, stored=True).params["value"] == " Kyoto "


@pytest.mark.parametrize("rules", [0, 3])
def test_an_unknown_edition_of_the_reading_rules_is_refused(rules):
    with pytest.raises(InputError, match=f"rules must be 1 or 2, not {rules}"):
        check([LETTER], "Kyoto", rules=rules)


@pytest.mark.parametrize("params", [None, "x", 3, []], ids=repr)
def test_parameters_are_an_object(params):
    with pytest.raises(InputError, match="needs “params”, an object"):
        parse_constraint({"group": "format", "params": params})


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\ufeff", "```\n```", "<think>k"])
def test_an_empty_answer_fails_everything(text):
    verdicts = check([LETTER, {"group": "bullets", "params": {"count": 0}}], text)
    assert [(v.satisfied, v.found) for v in verdicts] == [(False, "the answer is empty")] * 2


def test_a_very_long_answer_fails_everything():
    verdicts = check([LETTER, WORDS], "k" * (64 * 1024 + 1))
    assert [(v.satisfied, v.found) for v in verdicts] == [(False, "the answer is longer than 64 KiB")] * 2


def test_the_longest_answer_is_read():
    assert [v.satisfied for v in check([LETTER, WORDS], "k" * 64 * 1024)] == [True, True]


def test_an_unreadable_answer_fails_a_subjective_constraint_too():
    assert check([{"group": "emotion", "params": {"emotion": "sad"}}], "")[0].satisfied is False


def test_a_leading_thought_is_not_judged():
    assert [v.satisfied for v in check([LETTER, WORDS], "<think>one two</think>Kyoto")] == [True, True]


def test_a_broken_checker_is_our_fault_and_no_verdict(monkeypatch):
    monkeypatch.setattr(type(GROUPS["bullets"]), "check", lambda *_: 1 // 0)
    with pytest.raises(InternalError, match="checker of bullets failed: ZeroDivisionError"):
        check([BULLETS], "Kyoto")


EVIDENCE = [
    (LETTER, "Tokyo", "starts with T"),
    (BULLETS, "- a", "1 bullet item"),
    (WORDS, "one two", "2 words"),
    (JSON, "{", "not JSON: Expecting property name"),
    ({"group": "existence", "params": {"counts": {"a": 2, "b": 1}}}, "a b", "“a” 1×, “b” 1×"),
    ({"group": "forbidden", "params": {"keywords": ["a", "b"]}}, "a b a", "“a” 2×, “b” 1×"),
    ({"group": "case", "params": {"mode": "all_upper"}}, "Ab c", "2 of 3 letters are not"),
    ({"group": "case", "params": {"mode": "share", "percent": 50}}, "Abcd", "25.0 % (1 of 4)"),
    ({"group": "punctuation", "params": {"mode": "exclude", "mark": "."}}, "a.b.", "it occurs 2×"),
]


@pytest.mark.parametrize(("constraint", "text", "found"), EVIDENCE, ids=lambda value: str(value)[:30])
def test_a_failed_verdict_says_what_was_found(constraint, text, found):
    verdict = check([constraint], text)[0]
    assert verdict.satisfied is False
    assert verdict.found.startswith(found)


def test_evidence_points_at_the_place():
    text = "# One\n\nTwo kyoto."
    verdict = check([{"group": "forbidden", "params": {"keywords": ["kyoto"]}}], text)[0]
    places = {span.view: (span.start, span.end) for span in verdict.spans}
    assert text[slice(*places["body"])] == "kyoto"
    assert "One\nTwo kyoto."[slice(*places["content"])] == "kyoto"


def draws(group):
    from evolif.scenarios.instructions.constraints import DrawContext
    from evolif.util.rng import Stream

    context = DrawContext(("art", "two words"), group.data["pool"])
    stream = Stream(1)
    return [group.draw(stream, context) for _ in range(60)]


@pytest.mark.parametrize("group", GROUPS.values(), ids=lambda group: group.name)
def test_what_is_drawn_can_be_read_back_and_described(group: Group):
    for params in draws(group):
        constraint = parse_constraint({"group": group.name, "params": params})
        assert constraint.params == params
        for fmt in (None, "json", "html", "csv"):
            assert "{" not in describe(constraint, fmt).replace("“{”", "").replace("is {", "").replace("partner {", "")
