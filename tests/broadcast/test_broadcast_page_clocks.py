"""Clocks of the page: read, shown and moved, with breaks of 120 seconds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.broadcast import format_clock, parse_clock, shift_clock

LENGTH = {"basketball": 720, "hockey": 1200}
PERIODS = {"basketball": 4, "hockey": 3}


@pytest.mark.parametrize(
    ("clock", "sport", "elapsed"),
    [
        ("12:00", "basketball", 0),
        ("11:59", "basketball", 1),
        ("7:03", "basketball", 297),
        ("1:40", "basketball", 620),
        ("1:00", "basketball", 660),
        ("59.9", "basketball", 660.1),
        ("43.5", "basketball", 676.5),
        ("37.0", "basketball", 683),
        ("0:37", "basketball", 683),
        ("0.4", "basketball", 719.6),
        ("0.0", "basketball", 720),
        ("  7:03  ", "basketball", 297),
        ('"7:03"', "basketball", 297),
        (' "43.5"\t', "basketball", 676.5),
        ('" 43.5 "', "basketball", 676.5),
        ("0:00", "hockey", 0),
        ("0:37", "hockey", 37),
        ("3:20", "hockey", 200),
        ("19:59", "hockey", 1199),
        ("20:00", "hockey", 1200),
        ('\n"20:00" ', "hockey", 1200),
    ],
)
def test_a_clock_says_how_much_of_the_period_is_over(clock: str, sport: str, elapsed: float) -> None:
    assert parse_clock(clock, sport) == pytest.approx(elapsed, abs=1e-9)


@pytest.mark.parametrize(
    ("clock", "sport"),
    [
        ("12:01", "basketball"),
        ("13:00", "basketball"),
        ("20:01", "hockey"),
        ("21:00", "hockey"),
        ("-1:00", "basketball"),
        ("-0.5", "basketball"),
        ("-1:00", "hockey"),
        ("7:60", "basketball"),
        ("3:75", "hockey"),
        ("", "basketball"),
        ('""', "hockey"),
        ("noon", "basketball"),
        ("7:03 pm", "basketball"),
        ("1:2:3", "hockey"),
        ("7:03", "football"),
    ],
)
def test_what_is_no_clock_of_the_period_is_a_usage_error(clock: str, sport: str) -> None:
    with pytest.raises(UsageError):
        parse_clock(clock, sport)


@pytest.mark.parametrize(
    ("elapsed", "sport", "clock"),
    [
        (0, "basketball", "12:00"),
        (0.5, "basketball", "11:59"),
        (297, "basketball", "7:03"),
        (620, "basketball", "1:40"),
        (651, "basketball", "1:09"),
        (659.1, "basketball", "1:00"),
        (659.9, "basketball", "1:00"),
        (660, "basketball", "1:00"),
        (660.04, "basketball", "59.9"),
        (660.1, "basketball", "59.9"),
        (660.13, "basketball", "59.9"),
        (660.17, "basketball", "59.8"),
        (676.5, "basketball", "43.5"),
        (683, "basketball", "37.0"),
        (715, "basketball", "5.0"),
        (719.9, "basketball", "0.1"),
        (719.96, "basketball", "0.0"),
        (720, "basketball", "0.0"),
        (0, "hockey", "0:00"),
        (9, "hockey", "0:09"),
        (59.9, "hockey", "0:59"),
        (200, "hockey", "3:20"),
        (200.9, "hockey", "3:20"),
        (1199.9, "hockey", "19:59"),
        (1200, "hockey", "20:00"),
    ],
)
def test_the_display(elapsed: float, sport: str, clock: str) -> None:
    assert format_clock(elapsed, sport) == clock


@pytest.mark.parametrize(
    ("elapsed", "sport"), [(-1, "basketball"), (721, "basketball"), (-0.5, "hockey"), (1201, "hockey"), (5, "chess")]
)
def test_no_display_outside_the_period(elapsed: float, sport: str) -> None:
    with pytest.raises(UsageError):
        format_clock(elapsed, sport)


@given(st.integers(0, 720))
def test_whole_seconds_of_a_quarter_come_back(elapsed: int) -> None:
    assert parse_clock(format_clock(elapsed, "basketball"), "basketball") == pytest.approx(elapsed)


@given(st.integers(0, 600))
def test_tenths_of_the_last_minute_come_back(tenths: int) -> None:
    assert parse_clock(format_clock(660 + tenths / 10, "basketball"), "basketball") == pytest.approx(660 + tenths / 10)


@given(st.integers(0, 1200))
def test_seconds_of_a_hockey_period_come_back(elapsed: int) -> None:
    shown = format_clock(elapsed, "hockey")
    assert shown == f"{elapsed // 60}:{elapsed % 60:02}"
    assert parse_clock(shown, "hockey") == elapsed


@pytest.mark.parametrize(
    ("period", "clock", "delta", "sport", "moved"),
    [
        (3, "1:40", 255, "basketball", (4, "11:25")),
        (1, "7:03", 0, "basketball", (1, "7:03")),
        (1, "12:00", 720, "basketball", (1, "0.0")),
        (1, "12:00", 840, "basketball", (2, "12:00")),
        (1, "0.0", 0, "basketball", (1, "0.0")),
        (1, "0.0", 120, "basketball", (2, "12:00")),
        (1, "0.0", 60, "basketball", None),
        (1, "0.0", 0.1, "basketball", None),
        (1, "0.0", 119.9, "basketball", None),
        (1, "30.0", 150, "basketball", (2, "12:00")),
        (1, "30.0", 150.1, "basketball", (2, "11:59")),
        (2, "12:00", -120, "basketball", (1, "0.0")),
        (2, "12:00", -121, "basketball", (1, "1.0")),
        (2, "12:00", -1, "basketball", None),
        (1, "12:00", -1, "basketball", None),
        (4, "0.0", 1, "basketball", None),
        (4, "0.0", 120, "basketball", None),
        (1, "12:00", 3240, "basketball", (4, "0.0")),
        (4, "0.0", -3240, "basketball", (1, "12:00")),
        (1, "12:00", 3241, "basketball", None),
        (2, "43.5", 0.5, "basketball", (2, "43.0")),
        (2, "1:00", 0.5, "basketball", (2, "59.5")),
        (2, "1:10", 9.5, "basketball", (2, "1:00")),
        (1, "19:00", 240, "hockey", (2, "1:00")),
        (1, "20:00", 120, "hockey", (2, "0:00")),
        (1, "20:00", 119, "hockey", None),
        (2, "0:00", -120, "hockey", (1, "20:00")),
        (2, "0:30", -200, "hockey", (1, "19:10")),
        (1, "1:00", 0.5, "hockey", (1, "1:00")),
        (1, "0:00", 2640, "hockey", (3, "0:00")),
        (3, "20:00", 1, "hockey", None),
        (1, "0:00", -1, "hockey", None),
    ],
)
def test_a_moved_moment_lies_in_the_period_in_which_it_falls(
    period: int, clock: str, delta: float, sport: str, moved: tuple[int, str] | None
) -> None:
    found = shift_clock(period, clock, delta, sport)
    assert found == (None if moved is None else {"period": moved[0], "clock": moved[1]})


@pytest.mark.parametrize(
    ("period", "clock", "delta", "break_seconds", "moved"),
    [
        (1, "11:00", 660, 0, (1, "0.0")),
        (1, "11:00", 661, 0, (2, "11:59")),
        (2, "12:00", -1, 0, (1, "1.0")),
        (1, "0.0", 15, 30, None),
        (1, "0.0", 30, 30, (2, "12:00")),
        (1, "0.0", 31, 30, (2, "11:59")),
        (3, "1:40", 255, 900, None),
    ],
)
def test_the_break_may_be_given(
    period: int, clock: str, delta: float, break_seconds: float, moved: tuple[int, str] | None
) -> None:
    found = shift_clock(period, clock, delta, "basketball", break_seconds)
    assert found == (None if moved is None else {"period": moved[0], "clock": moved[1]})


@pytest.mark.parametrize(
    ("period", "clock", "sport"),
    [(0, "7:03", "basketball"), (5, "7:03", "basketball"), (4, "7:03", "hockey"), (1, "12:30", "basketball")],
)
def test_a_moment_of_no_period_is_a_usage_error(period: int, clock: str, sport: str) -> None:
    with pytest.raises(UsageError):
        shift_clock(period, clock, 10, sport)


@given(st.sampled_from(sorted(LENGTH)), st.data())
def test_moving_keeps_broadcast_time(sport: str, data: st.DataObject) -> None:
    length, periods = LENGTH[sport], PERIODS[sport]
    period = data.draw(st.integers(1, periods))
    elapsed = data.draw(st.integers(0, length))
    delta = data.draw(st.integers(-4000, 4000))
    at = (period - 1) * (length + 120) + elapsed + delta
    fits = [
        (number, at - (number - 1) * (length + 120))
        for number in range(1, periods + 1)
        if 0 <= at - (number - 1) * (length + 120) <= length
    ]
    found = shift_clock(period, format_clock(elapsed, sport), delta, sport)
    if not fits:
        assert found is None
    else:
        assert found is not None
        assert (found["period"], parse_clock(found["clock"], sport)) == fits[0]


@given(st.sampled_from(sorted(LENGTH)), st.integers(1, 3), st.integers(0, 720), st.integers(-3000, 3000))
def test_moving_there_and_back(sport: str, period: int, elapsed: int, delta: int) -> None:
    clock = format_clock(elapsed, sport)
    there = shift_clock(period, clock, delta, sport)
    if there is not None:
        assert shift_clock(there["period"], there["clock"], -delta, sport) == {"period": period, "clock": clock}
