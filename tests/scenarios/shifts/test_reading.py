"""The object in an answer, and the values in a text; hostile answers are read in linear time."""

from __future__ import annotations

import json
import time
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.shifts.reading import (
    MAX_DEPTH,
    dates_of,
    entries_of,
    numbers_of,
    read_object,
    texts_of,
    times_of,
    truths_of,
)
from evolif.text import MAX_BODY_BYTES


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"a": "x"}', {"a": "x"}),
        ('Text {"a": 1} more {"b": 2} end', {"b": "2"}),
        ('```json\n{"a": 1}\n```\nor {"b": 2}', {"a": "1"}),
        ('```json\n{"a": 1}\n```\n```json\n{"b": 2}\n```', {"b": "2"}),
        ('```json\n{"a": 1}\n```\n```json\n{"b": 2,}\n```', {"a": "1"}),
        ('~~~JSON title\n{"a": 1}\n~~~\n{"b": 2}', {"a": "1"}),
        ('1. It is\n    ```json\n    {"a": 1}\n    ```\n{"b": 2}', {"a": "1"}),
        ('```json\n{"a": 1}', {"a": "1"}),
        ('````md\n```json\n{"a": 1}\n```\n````\n{"b": 2}', {"b": "2"}),
        ('```json\n{"a": 1} and\n```\n{"b": 2}', {"b": "2"}),
        ('```json\n{"a": 1}\n```\n```json\n```', {"a": "1"}),
        ('```json\n{"a": 1}\n```\n```json\n["b"]\n```', {"a": "1"}),
        ('```json\n{"a": 1}\n```\n```python\n{"b": 2}\n```', {"a": "1"}),
        ('```\n{"a": 1}\n```', {"a": "1"}),
        ('```json\r\n{"a": 1}\r\n```\r\n', {"a": "1"}),
        ('{"a": 1}{"b": 2}', {"b": "2"}),
        ('{"a": "\\u006f"}', {"a": "o"}),
        ('```json {"a": 1}```', {"a": "1"}),
        ('```json\n[1]\n```\n', None),
        ('{ {"a": 1}', {"a": "1"}),
        ('He said "{" and {"a": 1}', {"a": "1"}),
        ('{"note": "see {"a": 1}', {"a": "1"}),
        ('{"a": {"b": 1}} {"c": ', {"a": {"b": "1"}}),
        ('{"a": "}{\\"b\\": 1}"}', {"a": '}{"b": 1}'}),
        ('{"a": 1, "a": 2}', {"a": "2"}),
        ('{"a": NaN}', None),
        ('{"a": -Infinity}', None),
        ('{"a": 01}', None),
        ("{'a': 1}", None),
        ('{"a": 1,}', None),
        ('{"a": "b\nc"}', None),
        ("[1, 2]", None),
        ('"x"', None),
        ("", None),
        ('<think>{"a": 1}</think>Nothing.', None),
        ("| a | b |\n|---|---|\n| `c_d` | **2** € |\n| e | |", {"a": "b", "c_d": "2 €", "e": None}),
        ("| a | null |\n|---|---|\n| | b |", {"a": None}),
        ("| a | b |\n|---|---|\n| c | d |\n\n{}", {}),
        ("| a | b |\n|---|---|\n\n| c | d |\n|---|---|\n", {"c": "d"}),
        ("| a | b | c |\n|---|---|---|\n| d | e | f |", None),
        ("| a | b |", None),
    ],
)  # fmt: skip
def test_the_object_in_an_answer(answer: str, found: dict[str, Any] | None) -> None:
    assert read_object(answer) == found


def test_depth_and_size_are_bounded() -> None:
    assert MAX_DEPTH == 200
    assert read_object(nested(MAX_DEPTH)) is not None
    assert read_object(nested(MAX_DEPTH + 1)) is None
    assert read_object('{"b": 2} ' + nested(5000)) == {"b": "2"}
    assert read_object(f"```json\n{nested(MAX_DEPTH + 1)}\n```") is None
    fits = '{"a": "' + "é" * ((MAX_BODY_BYTES - 9) // 2) + '"}'
    assert len(fits.encode()) in range(MAX_BODY_BYTES - 1, MAX_BODY_BYTES + 1)
    assert read_object(fits) is not None
    assert read_object(fits + "  é") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
LETTERS = st.characters(codec="ascii", exclude_characters="\x01\x1f\r\v\f")
PLAIN = st.text(alphabet=LETTERS, max_size=12).filter(lambda text: not set(text) & set('{}"`~|'))


@given(st.dictionaries(st.text(alphabet=LETTERS), JSON), PLAIN, PLAIN)
def test_any_object_is_found_in_prose(data: dict[str, Any], before: str, after: str) -> None:
    text = json.dumps(data)
    assert read_object(f"Here: {before} {text} {after}") == data
    assert read_object(f"{before}\n```json\n{text}\n```\n{after}") == data


@given(st.text(alphabet='{}[]":, \\1na', max_size=30))
def test_the_last_object_is_the_one_that_a_slow_reader_finds(text: str) -> None:
    decoder = json.JSONDecoder(parse_int=str, parse_float=str)
    last, at = None, text.find("{")
    while at >= 0:
        try:
            last, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        at = text.find("{", end)
    assert read_object(f".{text}") == last


@pytest.mark.sampled
@pytest.mark.parametrize(
    "piece",
    [
        "{",
        '{"a":',
        '{"',
        '{"{":":1,","',
        '{"a":[',
        "[{",
        '{"a":[{},',
        "```json\n",
        "~~~\n",
        '"',
        "{}",
        "|",
        "|a",
        '{"a":"{',
    ],
)
def test_hostile_answers_are_read_in_little_time(piece: str) -> None:
    text = piece * (MAX_BODY_BYTES // len(piece))
    started = time.process_time()
    read_object(text)
    for read in (numbers_of, dates_of, times_of, truths_of, entries_of):
        read(text)
    assert time.process_time() - started < 2


@pytest.mark.sampled
@pytest.mark.parametrize(
    "piece", ["1,234", "1.234", "1 234", "9", "9 ", "1'", "-", "_", "9:30", "9 pm ", "2025-03-14 "]
)
def test_hostile_values_are_read_in_little_time(piece: str) -> None:
    text = piece * (MAX_BODY_BYTES // len(piece))
    started = time.process_time()
    for read in (numbers_of, dates_of, times_of, truths_of, entries_of):
        read(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1.234", ["1.234"]),
        ("1.234.567", ["1234567"]),
        ("1.234,50", ["1234.50"]),
        ("1,234", ["1234"]),
        ("1,234.5", ["1234.5"]),
        ("1,234,567", ["1234567"]),
        ("1,5", ["1.5"]),
        ("1,2345", ["1.2345"]),
        ("0,125", ["0.125"]),
        ("1 234", ["1234"]),
        ("1\u202f234\u202f567", ["1234567"]),
        ("1\u00a0234", ["1234"]),
        ("1'234", ["1234"]),
        ("1’234,5", ["1234.5"]),
        ("10 20", ["10", "20"]),
        ("1, 2", ["1", "2"]),
        ("900 EUR", ["900"]),
        ("€900", ["900"]),
        ("900€ (2.5%)", ["900", "2.5"]),
        ("EUR900", ["900"]),
        ("07", ["7"]),
        ("XEUR900", []),
        ("5km", []),
        ("1,234km", []),
        ("A4 v2 x_3", []),
        ("-5", ["-5"]),
        ("−€7", ["-7"]),
        ("10-12", ["10", "12"]),
        ("covid-19", ["19"]),
        ("3.", ["3"]),
        (".5", ["0.5"]),
        ("٣", []),
    ],
)
def test_numbers(text: str, numbers: list[str]) -> None:
    assert numbers_of(text) == [Decimal(number) for number in numbers]


def test_numbers_of_json_are_read_as_json() -> None:
    data = read_object('{"a": [9e2, 900.0, -1.234, "x 7"], "b": 1e99999999999999999999, "c": true}')
    assert data is not None
    assert numbers_of(data["a"]) == [900, 900, Decimal("-1.234"), 7]
    assert numbers_of(data["b"]) == numbers_of(data["c"]) == []


@given(st.integers(0, 10**12))
def test_grouped_numbers_are_read_back(number: int) -> None:
    for mark in ", ’'\u00a0":
        assert numbers_of(f"about {number:,} €".replace(",", mark)) == [number]
    if number >= 10**6:
        assert numbers_of(f"{number:,}".replace(",", ".")) == [number]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("9:30", ["9:30"]),
        ("09:30:00", ["9:30"]),
        ("09:30:15", []),
        ("0930", ["9:30"]),
        ("9 pm", ["21:00"]),
        ("9:30 p.m.", ["21:30"]),
        ("12 am", ["0:00"]),
        ("12:15pm", ["12:15"]),
        ("13 pm", []),
        ("24:00", []),
        ("9:75", []),
        ("9:30-10:30", ["9:30", "10:30"]),
        ("0930-1030", ["9:30", "10:30"]),
        ("2025-03-14", []),
        ("9:30 in 2025", ["9:30"]),
        ("12345", []),
    ],
)
def test_times(text: str, times: list[str]) -> None:
    expected = [60 * int(hour) + int(minute) for hour, minute in (one.split(":") for one in times)]
    assert times_of(text) == expected


def test_a_json_number_may_be_a_time() -> None:
    data = read_object('{"a": 930, "b": 1745, "c": 9.5}')
    assert data is not None
    assert [times_of(data[key]) for key in "abc"] == [[570], [1065], []]


def test_dates() -> None:
    assert dates_of("from 2025-03-14 to 2024-02-29") == [date(2025, 3, 14), date(2024, 2, 29)]
    assert dates_of("2025-02-29, 2025-3-1, 12025-03-14, 2025-03-145, 14.03.2025") == []


def test_truths() -> None:
    data = read_object('{"a": true, "b": "No.", "c": "YES", "d": "yes and no", "e": [false, true], "f": null}')
    assert data is not None
    assert [truths_of(data[key]) for key in "abcdef"] == [[True], [False], [True], [], [False, True], []]


def test_entries_and_texts() -> None:
    data = read_object('{"a": ["x, y", " ", null, {"k": ["z"]}, 1.50], "b": "x, y;z\\n\\nw", "c": 1.5}')
    assert data is not None
    assert entries_of(data["a"]) == texts_of(data["a"]) == ["x, y", "z", "1.50"]
    assert entries_of(data["b"]) == ["x", "y", "z", "w"]
    assert entries_of(data["c"]) == ["1.5"]
    assert entries_of(None) == []
    assert texts_of("\ud800") == ["\ufffd"]
