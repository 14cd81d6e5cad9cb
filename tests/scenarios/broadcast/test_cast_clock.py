"""Clocks of broadcasts: read, shown, moved."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import format_clock, parse_clock, shift_clock

LENGTHS = {"basketball": 720, "hockey": 1200}
PERIODS = {"basketball": 4, "hockey": 3}
SPORTS = st.sampled_from(sorted(LENGTHS))


@pytest.mark.parametrize(
    ("clock", "sport", "elapsed"),
    [
        ("12:00", "basketball", 0),
        ("1:40", "basketball", 620),
        ("06:14", "basketball", 346),
        ("43.5", "basketball", 676.5),
        ("43.4", "basketball", 676.6),  # 720 - 43.4 is not, in floating point
        ("59.9", "basketball", 660.1),
        ("0.4", "basketball", 719.6),
        ("0.0", "basketball", 720),
        ("0:37", "basketball", 683),
        ("37.0", "basketball", 683),
        ("37", "basketball", 683),
        ("0:00", "hockey", 0),
        ("3:20", "hockey", 200),
        ("20:00", "hockey", 1200),
        (' "1:40"\n', "basketball", 620),
        (' "43.5"\t', "basketball", 676.5),
        ('" " 0:07 "', "hockey", 7),
    ],
)
def test_a_clock_is_read(clock: str, sport: str, elapsed: float) -> None:
    assert parse_clock(clock, sport) == elapsed


@pytest.mark.parametrize(
    ("clock", "sport"),
    [
        ("12:01", "basketball"),
        ("12:00.1", "basketball"),
        ("20:01", "hockey"),
        ("43.5", "hockey"),
        ("1:60", "basketball"),
        ("3:75", "hockey"),
        ("1:2:3", "hockey"),
        ("7:03 pm", "basketball"),
        ('""', "hockey"),
        ("-0.5", "basketball"),
        ("75.0", "basketball"),
        ("-1:00", "basketball"),
        ("1:5", "basketball"),
        ("1: 40", "basketball"),
        ("١:٤٠", "basketball"),
        ("", "basketball"),
        ("noon", "hockey"),
        (None, "basketball"),
        (100, "basketball"),
        ("1:40", "chess"),
        ("1:40", None),
    ],
)
def test_what_is_no_clock_of_the_period_is_refused(clock: Any, sport: Any) -> None:
    with pytest.raises(UsageError):
        parse_clock(clock, sport)


@pytest.mark.parametrize(
    ("elapsed", "sport", "clock"),
    [
        (0, "basketball", "12:00"),
        (620, "basketball", "1:40"),
        (0.5, "basketball", "11:59"),
        (620.4, "basketball", "1:39"),  # 99.6 s are left
        (659.1, "basketball", "1:00"),
        (659.9, "basketball", "1:00"),
        (660, "basketball", "1:00"),
        (660.01, "basketball", "59.9"),  # never 60.0
        (660.13, "basketball", "59.9"),
        (660.17, "basketball", "59.8"),
        (676.5, "basketball", "43.5"),
        (676.54, "basketball", "43.5"),
        (676.56, "basketball", "43.4"),
        (676.75, "basketball", "43.2"),  # halves as Python rounds them
        (719.96, "basketball", "0.0"),
        (720, "basketball", "0.0"),
        (0, "hockey", "0:00"),
        (59.9, "hockey", "0:59"),
        (200.99, "hockey", "3:20"),
        (1200, "hockey", "20:00"),
        (600.0000000000001, "basketball", "2:00"),  # what sums of floats leave
        (199.99999999999997, "hockey", "3:20"),
    ],
)
def test_a_clock_is_shown(elapsed: float, sport: str, clock: str) -> None:
    assert format_clock(elapsed, sport) == clock


@pytest.mark.parametrize(
    "elapsed", [-0.1, 720.1, float("nan"), float("inf"), True, "620", None, pytest.param(10**5000, id="large")]
)
def test_no_clock_shows_a_time_outside_the_period(elapsed: Any) -> None:
    with pytest.raises(UsageError):
        format_clock(elapsed, "basketball")


@given(SPORTS, st.data())
def test_what_is_shown_is_read_back(sport: str, data: st.DataObject) -> None:
    tenths = data.draw(st.integers(0, 10 * LENGTHS[sport]))
    whole = sport == "hockey" or tenths <= 10 * (720 - 60)
    elapsed = tenths // 10 if whole else tenths / 10
    assert parse_clock(format_clock(elapsed, sport), sport) == elapsed


def moved(period: int, elapsed: Fraction, delta: Fraction, sport: str, pause: Fraction) -> tuple[int, Fraction] | None:
    """The same rule, in fractions."""
    stride = LENGTHS[sport] + pause
    target = (period - 1) * stride + elapsed + delta
    inside = [(p, target - (p - 1) * stride) for p in range(1, PERIODS[sport] + 1)]
    return next((found for found in inside if 0 <= found[1] <= LENGTHS[sport]), None)


@pytest.mark.parametrize(
    ("period", "clock", "delta", "sport", "pause", "found"),
    [
        (3, "1:40", 255, "basketball", 120, (4, "11:25")),
        (1, "0.0", 0, "basketball", 120, (1, "0.0")),
        (1, "0.0", 0.1, "basketball", 120, None),
        (1, "0.0", 119.9, "basketball", 120, None),
        (1, "0.0", 120, "basketball", 120, (2, "12:00")),
        (1, "0.0", 0, "basketball", 0, (1, "0.0")),  # not the start of Q2
        (2, "12:00", 0, "basketball", 0, (1, "0.0")),
        (1, "12:00", -0.1, "basketball", 120, None),
        (4, "0.0", 0.1, "basketball", 120, None),
        (4, "0:10", 10, "basketball", 120, (4, "0.0")),
        (2, "12:00", -120, "basketball", 120, (1, "0.0")),
        (2, "12:00", -121, "basketball", 120, (1, "1.0")),
        (2, "12:00", -1, "basketball", 120, None),
        (2, "12:00", -1, "basketball", 0, (1, "1.0")),
        (1, "11:00", 661, "basketball", 0, (2, "11:59")),
        (1, "0.0", 31, "basketball", 30, (2, "11:59")),
        (1, "30.0", 150.1, "basketball", 120, (2, "11:59")),  # from tenths over a break
        (2, "43.5", 0.5, "basketball", 120, (2, "43.0")),
        (2, "1:10", 9.5, "basketball", 120, (2, "1:00")),
        (4, "0.0", -3240, "basketball", 120, (1, "12:00")),
        (1, "1:00", 0.1, "basketball", 120, (1, "59.9")),
        (1, "12:00", 27.900000000000006, "basketball", 120, (1, "11:32")),
        (1, "20:00", 120.5, "hockey", 120, (2, "0:00")),
        (1, "20:00", 119, "hockey", 120, None),
        (2, "0:30", -200, "hockey", 120, (1, "19:10")),
        (1, "1:00", 0.5, "hockey", 120, (1, "1:00")),
        (1, "0:00", 2640, "hockey", 120, (3, "0:00")),
        (3, "20:00", 1, "hockey", 120, None),
        pytest.param(1, "12:00", 10**5000, "basketball", 120, None, id="large"),
        (1, "12:00", -1e300, "basketball", 86_400, None),
    ],
)
def test_a_moment_is_moved(
    period: int, clock: str, delta: float, sport: str, pause: float, found: tuple[int, str] | None
) -> None:
    expected = None if found is None else {"period": found[0], "clock": found[1]}
    assert shift_clock(period, clock, delta, sport, break_seconds=pause) == expected


def test_a_break_lasts_two_minutes_unless_told_otherwise() -> None:
    assert shift_clock(1, "0.0", 120, "basketball") == {"period": 2, "clock": "12:00"}


@given(SPORTS, st.integers(0, 300), st.integers(-40_000, 40_000), st.data())
def test_moving_follows_the_rule_in_fractions(sport: str, pause: int, tenths: int, data: st.DataObject) -> None:
    period = data.draw(st.integers(1, PERIODS[sport]))
    elapsed = data.draw(st.integers(0, LENGTHS[sport]))
    found = shift_clock(period, format_clock(elapsed, sport), tenths / 10, sport, pause)
    expected = moved(period, Fraction(elapsed), Fraction(tenths, 10), sport, Fraction(pause))
    if expected is None:
        assert found is None
    else:
        assert found == {"period": expected[0], "clock": format_clock(float(expected[1]), sport)}


@pytest.mark.parametrize(
    "arguments",
    [
        (0, "1:40", 0, "basketball"),
        (5, "1:40", 0, "basketball"),
        (4, "1:40", 0, "hockey"),
        (True, "1:40", 0, "basketball"),
        (1.0, "1:40", 0, "basketball"),
        (1, "13:00", 0, "basketball"),
        (1, "1:40", "5", "basketball"),
        (1, "1:40", float("nan"), "basketball"),
        (1, "1:40", 0, "golf"),
        (1, "1:40", 0, "basketball", -1),
        (1, "1:40", 0, "basketball", 86_401),
    ],
)
def test_a_move_from_or_by_nothing_is_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError):
        shift_clock(*arguments)


@pytest.mark.parametrize(
    "clock",
    ['" ' * 500_000, "1" * 1_000_000, " " * 1_000_000 + "x", "1:40" + ' "' * 500_000 + "x"],
    ids=["quotes", "digits", "spaces", "tail"],
)
def test_a_hostile_clock_is_refused_at_once(clock: str) -> None:
    start = time.process_time()
    with pytest.raises(UsageError) as refused:
        parse_clock(clock, "basketball")
    assert time.process_time() - start < 1
    assert len(str(refused.value)) < 200
