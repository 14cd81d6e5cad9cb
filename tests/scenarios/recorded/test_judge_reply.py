"""A judge's reply: JSON, fenced or not, and text that quotes a score; none is never a zero."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import ArgumentError, EvolifError
from evolif.scenarios.recorded import NoScore, judge_score

MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"Score": 8, "Rationale": "good"}', 0.8),
        ('{"score": 8}', 0.8),
        ('  {"score": "8"}\n', 0.8),
        ('{"score": " 7.5 "}', 0.75),
        ('{"score": 2, "Score": 9}', 0.9),
        ('{"Score": 1e1}', 1.0),
        ('```json\n{"Score": 8}\n```', 0.8),
        ('```\n{"Score": 8}\n```', 0.8),
        ('~~~json\r\n{"Score": 8}\r\n~~~', 0.8),
        ('````json\n{"Score": 8}\n````', 0.8),
        ('```json\n{"Score": 8}', 0.8),
        ('```json\n{"Score": 8}```', 0.8),
    ],
)
def test_a_json_object_gives_the_score(reply: str, score: float) -> None:
    assert judge_score(reply, 0, 10) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"Score": 8,}', 0.8),
        ("{'score': '7'}", 0.7),
        ("I say \"SCORE\" :  4 and 'score': 9", 0.4),
        ('"Score": 8 out of 10', 0.8),
        ('"score": 7. That is good', 0.7),
        ('"score": "10" then more', 1.0),
        ('"score": <1-10>, "score": 4', 0.4),
        ('Here it is:\n```json\n{"Score": 6}\n```\nDone.', 0.6),
        ('```{"Score": 5}```', 0.5),
        ('```json\n{"Score": 3}\n```\nI hope that helps.', 0.3),
    ],
)
def test_other_text_gives_the_first_quoted_score(reply: str, score: float) -> None:
    assert judge_score(reply, 0, 10) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "",
        "a good answer",
        "score: 8",
        "8",
        '"score"',
        '[{"score": 8}]',
        "null",
        '{"Score": null, "score": 5}',
        '{"Score": true}',
        '{"Score": NaN}',
        '{"Score": Infinity}',
        '{"Score": 1e999}',
        '{"Score": "8/10"}',
        '{"Score": "1_0"}',
        '{"Score": [8]}',
        '{"Score": ""}',
        '"score": 8/10',
        '"score": 8 / 10',
        '"score": "8/10"',
        '"score": 8-10',
        '"score": "8 points"',
        '"score": 1e999 and no more',
        '"score": Infinity or so',
    ],
)
@pytest.mark.parametrize("as_released", [False, True])
def test_no_score_is_an_error_in_either_way(reply: str | None, as_released: bool) -> None:
    with pytest.raises(NoScore) as caught:
        judge_score(reply, 0, 10, as_released=as_released)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, EvolifError)


def test_the_release_takes_an_object_without_a_score_as_the_lowest() -> None:
    reply = '{"Rationale": "forgot it", "SCORE": 9}'
    with pytest.raises(NoScore):
        judge_score(reply, 1, 10)
    assert judge_score(reply, 1, 10, as_released=True) == 0.0


@pytest.mark.parametrize(("reply", "released"), [('{"Score": 12}', 1.2), ('{"Score": -1}', -0.1)])
def test_the_release_does_not_check_the_scale(reply: str, released: float) -> None:
    with pytest.raises(NoScore, match="outside the scale 0 to 10"):
        judge_score(reply, 0, 10)
    assert judge_score(reply, 0, 10, as_released=True) == pytest.approx(released, abs=1e-12)


def test_the_lowest_score_becomes_zero() -> None:
    assert judge_score('{"Score": 1}', 1, 10) == 0.0
    assert judge_score('{"Score": 1}', 0, 10) == 0.1
    assert judge_score('{"Score": 10}', 1, 10) == 1.0


@pytest.mark.parametrize(("low", "high"), [(5, 5), (10, 0), (0, float("inf")), (float("nan"), 1)])
def test_a_scale_has_two_ends(low: float, high: float) -> None:
    with pytest.raises(ArgumentError, match="scale"):
        judge_score('{"Score": 5}', low, high)


@given(st.integers(0, 1000), st.text(max_size=50), st.booleans())
def test_any_object_with_a_score_is_read(score: int, rationale: str, fenced: bool) -> None:
    reply = json.dumps({"Rationale": rationale, "Score": score}, indent=1)
    reply = f"```json\n{reply}\n```" if fenced else reply
    assert judge_score(reply, 0, 1000) == score / 1000


@given(st.text(alphabet="\"'{}[]:`~ \nscoreSCORE0189.-/eE,\\", max_size=80))
def test_any_text_gives_a_score_in_range_or_none(reply: str) -> None:
    try:
        score = judge_score(reply, 0, 10)
    except NoScore:
        return
    assert 0 <= score <= 1


@pytest.mark.parametrize(
    "piece",
    [
        '"score":',
        '"score"' + " " * 1000,
        '"score": 8' + " " * 1000 + "/1 ",
        '"score": ' + "9" * 1000 + "/1 ",
        "[",
        '{"Score":',
        "`",
        "```\n",
        '"',
    ],
)
def test_a_hostile_megabyte_takes_no_time(piece: str) -> None:
    reply = piece * (MEGABYTE // len(piece))
    began = time.process_time()
    with pytest.raises(NoScore):
        judge_score(reply, 0, 10)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("reply", ['{"Score": ' + "9" * MEGABYTE + "}", "[" * MEGABYTE, '{"a":' * (MEGABYTE // 5)])
def test_endless_numbers_and_nesting_are_no_score(reply: str) -> None:
    began = time.process_time()
    with pytest.raises(NoScore):
        judge_score(reply, 0, 10)
    assert time.process_time() - began < 2
