"""Which object of an answer counts, by the page; and values for what was never agreed."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_answers import block, dialogue, goal, number, text

from evolif.scenarios.shifts import check_answer

GOOD = '{"destination": "Lisbon"}'
BAD = '{"destination": "Porto"}'


def fenced(body: str, info: str = "json") -> str:
    return f"```{info}\n{body}\n```\n"


def reason(answer: str) -> str | None:
    """`wrong` is the reason of `BAD`."""
    [result] = check_answer(dialogue(text()), answer)
    return result["reason"]


MET = [
    GOOD,
    fenced(GOOD),
    "Sure!\n\n" + fenced(GOOD) + "\nEnjoy.",
    f"The result is {GOOD}.",
    fenced(BAD) + "\n" + fenced(GOOD),  # the last block
    fenced(GOOD) + "\n" + fenced("{broken"),  # ... that parses
    fenced(GOOD) + "\n" + fenced('{"destination": Porto}'),
    fenced(GOOD) + "\n" + fenced('["Porto"]'),  # ... to an object
    fenced(GOOD) + "\n" + fenced('"Porto"'),
    fenced(GOOD) + "\n" + fenced('{"destination": "Porto", "budget_eur": NaN}'),
    fenced(GOOD) + "\n" + fenced('{"destination": "Porto", "budget_eur": -Infinity}'),
    fenced(GOOD) + "\n" + fenced('{"destination": "Porto",}'),
    fenced(GOOD) + "\n" + fenced("{'destination': 'Porto'}"),
    fenced(GOOD) + "\n" + fenced(""),
    fenced(GOOD) + f"\nAn object outside of a block: {BAD}",
    f"An object outside of a block: {BAD}\n" + fenced(GOOD),
    f"First {BAD}, then {GOOD}",
    f"{BAD}{GOOD}",
    f"{GOOD} and {{broken",
    f"{GOOD} and [1, 2]",
    f"{{broken {GOOD}",
    fenced(GOOD, ""),
    fenced(GOOD, "python"),
    '{"destination": "Lisbon", "more": {"destination": "Porto"}}',
    '{"more": {"destination": "Porto"}, "destination": "Lisbon"}',
    fenced('{"destination": "Lisbon", "more": [{"destination": "Porto"}]}'),
    '{"note": "braces } in { texts", "destination": "Lisbon"}',
    '{"note": "a quote \\" and } here", "destination": "Lisbon"}',
    fenced('{\n  "destination":\n    "Lisbon"\n}'),
    fenced('{"destination": "Lisb\\u006fn"}'),
    fenced(GOOD).replace("\n", "\r\n"),
]


@pytest.mark.parametrize("answer", MET)
def test_the_object_that_counts(answer: str) -> None:
    assert reason(answer) is None


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Lisbon",
        "[]",
        '["Lisbon"]',
        '"Lisbon"',
        "null",
        "{broken",
        '{"destination": "Lisbon"',
        "{'destination': 'Lisbon'}",
        '{"destination": NaN}',
        fenced('{"destination": Infinity}'),
        fenced("{destination: Lisbon}"),
        "destination = Lisbon",
        "| destination |\n|---|\n| Lisbon |",
        "| destination | Lisbon |",  # no delimiter row: no table
        "| key | value | note |\n|---|---|---|\n| destination | Lisbon | yes |",
    ],
)
def test_what_is_no_object(answer: str) -> None:
    assert reason(answer) == "unreadable"


def nested(depth: int) -> str:
    """An object so many levels deep."""
    inner = depth - 1
    return '{"destination": "Lisbon", "more": ' + "[" * inner + "]" * inner + "}"


@pytest.mark.parametrize(("depth", "why"), [(2, None), (200, None), (202, "unreadable"), (50_000, "unreadable")])
def test_how_deep_an_object_may_be(depth: int, why: str | None) -> None:
    assert reason(nested(depth)) == why
    assert reason(fenced(nested(depth))) == why


@pytest.mark.parametrize(
    ("length", "why"), [(999, None), (64_000, None), (66_000, "unreadable"), (10**6, "unreadable")]
)
def test_how_long_an_object_may_be(length: int, why: str | None) -> None:
    answer = json.dumps({"destination": "Lisbon", "note": "x" * (length - 40)})
    assert reason(answer) == why


JUNK = ["{", '{"a":', "```json\n", "| a | b |\n", "[{", '"', "\\", '{"a": 1} ', "}"]


@pytest.mark.parametrize("junk", JUNK)
def test_hostile_answers_are_only_unreadable(junk: str) -> None:
    assert reason(junk * 100_000) in ("unreadable", "missing")


# Tables


def test_a_table_of_keys_and_values() -> None:
    answer = "Here:\n\n| key | value |\n|---|---|\n| destination | Lisbon |\n| budget_eur | 1,200 |\n"
    results = check_answer(dialogue(text(), number(1200)), answer)
    assert [r["reason"] for r in results] == [None, None]


def test_the_header_row_of_a_table_is_a_pair() -> None:
    answer = "| destination | Lisbon |\n| --- | :--: |\n| budget_eur | 1,200 |\n"
    results = check_answer(dialogue(text(), number(1200)), answer)
    assert [r["reason"] for r in results] == [None, None]


def test_cells_of_a_table_are_read_without_their_marks() -> None:
    answer = "| key | value |\n|---|---|\n| `destination` | **Lisbon** |\n"
    assert reason(answer) is None


@pytest.mark.parametrize("position", [0, 1])
def test_a_table_counts_only_without_an_object(position: int) -> None:
    table = "| key | value |\n|---|---|\n| destination | Lisbon |\n"
    assert reason("\n".join([BAD, "", table] if position else [table, "", BAD])) == "wrong"
    assert reason("\n".join([fenced("[1]"), "", table])) is None


def test_a_value_missing_in_a_table() -> None:
    assert reason("| key | value |\n|---|---|\n| destination |  |\n") == "missing"
    assert reason("| key | value |\n|---|---|\n| Destination | Lisbon |\n") == "missing"


# The reading rules turn some white space into line breaks, which may not stand in a string.
WORDS = st.text(alphabet="aé旅🙂 {}[]\"\\|`,:'/\n", max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS, lambda inner: st.lists(inner, max_size=3), max_leaves=5
)


@given(st.dictionaries(WORDS, VALUES, max_size=4), st.text(alphabet="ab \n{}[]\"'`|,:", max_size=40))
def test_a_last_block_is_found_whatever_stands_before_it(rest: dict[str, Any], prose: str) -> None:
    answer = prose.replace("```", "") + "\n\n" + block({**rest, "destination": "Lisbon"})
    if "`" not in prose and prose.count("|") < 2:
        assert reason(answer) is None


@given(st.dictionaries(WORDS, VALUES, max_size=4), st.text(alphabet="ab \n.,:", max_size=40))
def test_an_object_in_prose_is_found(rest: dict[str, Any], prose: str) -> None:
    assert reason(prose + json.dumps({**rest, "destination": "Lisbon"}) + prose) is None


@given(st.text(max_size=200))
def test_any_text_gets_one_result_a_goal(answer: str) -> None:
    goals = [text(), goal("start_hhmm", "time", "18:30"), number()]
    results = check_answer(SimpleNamespace(checkpoints=goals), answer)
    assert [r["id"] for r in results] == [g["id"] for g in goals]
    assert all((r["reason"] is None) is r["satisfied"] for r in results)
