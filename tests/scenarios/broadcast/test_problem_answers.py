"""Every answer again, in another way: from the numbers that the text states, by stepping or in exact fractions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import count

import pytest

from evolif.scenarios.broadcast.problem_template import Template
from evolif.scenarios.broadcast.problems import TEMPLATES

TIME = re.compile(r"\d+:\d\d [ap]\.m\.")
SPAN = re.compile(r"\d+ hours?(?: \d+ minutes?)?|\d+ minutes?")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
Numbers = Sequence[Fraction]


def numbers(text: str) -> list[Fraction]:
    """All numbers of a text but those of times of day, in order."""
    return [Fraction(found.replace(",", "")) for found in NUMBER.findall(TIME.sub("", text))]


def times(text: str) -> list[datetime]:
    """All times of day of a text, of one day."""
    return [datetime.strptime(found.replace(".", "") + " +0000", "%I:%M %p %z") for found in TIME.findall(text)]


def span(text: str) -> timedelta:
    """A duration as texts and options write it."""
    hours, minutes = re.search(r"(\d+) hour", text), re.search(r"(\d+) minute", text)
    return timedelta(hours=int(hours[1]) if hours else 0, minutes=int(minutes[1]) if minutes else 0)


def spans(text: str) -> list[timedelta]:
    """All durations of a text, in order."""
    return [span(found) for found in SPAN.findall(text)]


def money(amount: Fraction) -> str:
    assert (100 * amount).denominator == 1
    return f"${float(amount):,.2f}"


def clock(moment: datetime) -> str:
    return moment.strftime("%I:%M %p").lstrip("0").replace("AM", "a.m.").replace("PM", "p.m.")


def long(lasting: timedelta) -> str:
    minutes = lasting // timedelta(minutes=1)
    parts = [(minutes // 60, "hour"), (minutes % 60, "minute")]
    return " ".join(f"{number} {noun}{'s' * (number != 1)}" for number, noun in parts if number)


def whole(value: Fraction, unit: str = "") -> str:
    assert value.denominator == 1
    return f"{int(value):,} {unit}".strip()


def first(unit: str, holds: Callable[[int], bool]) -> str:
    """The first whole number for which something holds."""
    return f"{next(number for number in count(1) if holds(number)):,} {unit}".strip()


def saving_weeks(n: Numbers) -> int:
    saved, weeks = n[0], 0
    while saved < n[2]:
        saved, weeks = saved + n[1], weeks + 1
    return weeks


def pages_days(n: Numbers) -> int:
    left, days = n[0] - n[1], 0
    while left > 0:
        left, days = left - n[2], days + 1
    return days


def bus_rides(n: Numbers) -> Fraction:
    there = n[0]
    for change in (n[1], -n[2], n[3], -n[4]):
        there += change
    return there


def parked(text: str, n: Numbers) -> Fraction:
    start, end = times(text)
    cost = Fraction(0)
    while start < end:
        cost += n[1] if cost else n[0]
        start += timedelta(hours=1)
    return cost


def last_of(starts: datetime, number: int, lasts: timedelta, between: timedelta) -> datetime:
    """When the last of several ends that follow each other."""
    for at in range(number):
        starts += lasts + (between if at else timedelta())
    return starts


def hourly(text: str) -> timedelta:
    start, end = times(text)
    n = numbers(text)
    return sum(((end - start) - timedelta(minutes=int(n[0])) for _ in range(int(n[1]))), timedelta())


def minutes(value: Fraction | float) -> timedelta:
    return timedelta(minutes=float(value))


SECOND: dict[str, Callable[[str, Numbers], str]] = {
    "change": lambda t, n: money(n[2] - sum([n[1]] * int(n[0]))),
    "basket": lambda t, n: money(sum([n[1]] * int(n[0])) + sum([n[3]] * int(n[2]))),
    "discount": lambda t, n: money(n[0] * (1 - n[1] / 100)),
    "tip": lambda t, n: money(n[0] * (1 + n[1] / 100)),
    "shared_bill": lambda t, n: money((n[1] - n[2]) / n[0]),
    "coupon": lambda t, n: money(n[0] * (1 - n[1] / 100) - n[2]),
    "savings": lambda t, n: f"{saving_weeks(n)} weeks",
    "wages": lambda t, n: money(sum([n[1]] * int(n[0])) - n[2]),
    "phone_plan": lambda t, n: money(sum([n[1]] * int(n[2]), n[0])),
    "unit_price": lambda t, n: money(n[1] * n[2] / n[0]),
    "rent": lambda t, n: "$" + whole((n[0] + n[1]) / 2),
    "subscription": lambda t, n: money(sum([n[0]] * 12) - n[1]),
    "interest": lambda t, n: "$" + whole(sum([n[0] * n[1] / 100] * int(n[2]), Fraction())),
    "exchange": lambda t, n: money(sum([n[0]] * int(n[2])) + n[1]),
    "parking": lambda t, n: money(parked(t, n)),
    "taxi": lambda t, n: first("miles", lambda miles: n[0] + miles * n[1] == n[2]),
    "price_rise": lambda t, n: money(n[0] * (1 + n[1] / 100)),
    "bake_sale": lambda t, n: money(sum([n[1]] * int(n[0])) - n[2]),
    "arrival": lambda t, n: clock(times(t)[0] + sum(spans(t), timedelta())),
    "visit": lambda t, n: long(times(t)[1] - (times(t)[0] + spans(t)[0])),
    "dinner": lambda t, n: clock(times(t)[0] - spans(t)[1] - spans(t)[0]),
    "late_train": lambda t, n: clock(times(t)[0] + spans(t)[0] - spans(t)[2] + spans(t)[1]),
    "timetable": lambda t, n: clock([times(t)[0] + at * spans(t)[0] for at in range(20)][int(n[1]) - 1]),
    "drive": lambda t, n: long(minutes(60 * n[0] / n[1] + n[2])),
    "day_of_week": lambda t, n: (
        datetime(2024, 1, 1 + DAYS.index(day_in(t)), tzinfo=UTC) + timedelta(int(n[0]))
    ).strftime("%A"),
    "novel": lambda t, n: f"{pages_days(n)} days",
    "tablets": lambda t, n: clock([times(t)[0] + at * spans(t)[0] for at in range(9)][int(n[1]) - 1]),
    "sleep": lambda t, n: long(times(t)[1] + timedelta(days=1) - times(t)[0] - spans(t)[0]),
    "laundry": lambda t, n: whole(sum([n[1] + n[2]] * int(n[0])) - n[2], "minutes"),
    "ages": lambda t, n: whole((n[0] + n[2]) + (n[0] - n[1] + n[2])),
    "working_week": lambda t, n: long(hourly(t)),
    "download": lambda t, n: first("seconds", lambda seconds: n[2] + seconds * n[1] >= n[0]),
    "reading": lambda t, n: clock(last_of(times(t)[0], int(n[0]), minutes(n[1]), minutes(n[2]))),
    "time_zones": lambda t, n: clock(times(t)[0] + spans(t)[1] + spans(t)[0]),
    "queue": lambda t, n: whole(n[0] / n[1] * n[2], "minutes"),
    "painting": lambda t, n: whole(n[2] * n[0] * n[1] - n[2] * n[3] * n[4], "square feet"),
    "fence": lambda t, n: whole(n[0] + n[1] + n[0] + n[1] - n[2], "yards"),
    "tiles": lambda t, n: whole((12 * n[0]) * (12 * n[1]) / (n[2] * n[2]) + n[3], "tiles"),
    "recipe": lambda t, n: whole(n[1] / n[0] * n[2], "grams"),
    "fuel": lambda t, n: money(n[2] / n[0] * n[1]),
    "boxes": lambda t, n: first("boxes", lambda boxes: boxes * n[0] >= n[1]),
    "average": lambda t, n: whole(sum(n) / len(n)),
    "mixture": lambda t, n: whole(n[2] - n[2] * n[0] / (n[0] + n[1]), "millilitres"),
    "pond": lambda t, n: whole(sum([n[1] - n[2]] * int(n[3]), n[0]), "litres"),
    "guests": lambda t, n: whole(n[0] * (1 - n[1] / 100) + n[2], "guests"),
    "biscuits": lambda t, n: first("", lambda each: each * n[2] + n[1] == n[0]),
    "hall": lambda t, n: whole(sum([n[1]] * int(n[0])) - n[2], "seats"),
    "bus": lambda t, n: whole(bus_rides(n), "people"),
    "shelves": lambda t, n: whole(sum([n[1]] * int(n[0])) - n[2] + n[3], "books"),
    "syrup": lambda t, n: first("days", lambda days: n[1] + days * n[2] * n[3] == n[0]),
    "product_last": lambda t, n: whole(sum([n[1]] * int(n[2]), n[0])),
    "bracket": lambda t, n: whole(n[0] * n[2] - n[1] * n[2]),
    "two_products": lambda t, n: whole(sum([n[0]] * int(n[1])) - sum([n[2]] * int(n[3]))),
    "percentage": lambda t, n: whole(n[1] / 100 * n[0] + n[2]),
    "fraction": lambda t, n: whole(n[2] * n[0] / n[1] - n[3]),
    "equal_steps": lambda t, n: whole(list(range(int(n[0]), 10_000, int(n[1] - n[0])))[int(n[3]) - 1] * Fraction(1)),
    "unknown": lambda t, n: first("", lambda x: n[0] * x + n[1] == n[2]),
}


def day_in(text: str) -> str:
    """The day of the week that a text names."""
    [day] = re.findall(r"\w+day\b", text.split(".")[0].removeprefix("Today"))
    return str(day)


def test_there_are_enough_templates_and_each_has_a_second_way() -> None:
    assert len(TEMPLATES) >= 40
    assert [template.name for template in TEMPLATES] == list(SECOND)


@pytest.mark.sampled
@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_the_answer_in_a_second_way(template: Template) -> None:
    for index in range(0, template.size, template.size // 300):
        text, right, _ = template.fill(index)
        assert SECOND[template.name](text, numbers(text)) == right, text
