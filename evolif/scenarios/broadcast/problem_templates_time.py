"""Problems about time: arrivals, opening hours, timetables, ages, queues."""

from __future__ import annotations

from typing import Final

from evolif.scenarios.broadcast.problem_template import (
    PEOPLE,
    Solution,
    Template,
    clock,
    duration,
    measured,
    plain,
    template,
    weekday,
)

TIME: Final[list[Template]] = []
"""The templates of this module."""
_DAY: Final = 24 * 60


@template(
    TIME,
    "{who} leaves at {start:clock}, drives for {drive:duration} and takes a break of {pause} minutes on the way. "
    "When does the trip end?",
    clock,
    slip=15,
    start=range(6 * 60, 16 * 60, 5),
    drive=range(75, 300, 5),
    pause=(10, 15, 20, 25, 30, 40),
    who=PEOPLE,
)
def arrival(start: int, drive: int, pause: int) -> Solution:
    end = start + drive + pause
    return Solution(
        end,
        {
            "forgot the break": start + drive,
            "carried an hour too many": end + 60,
            "subtracted the break": start + drive - pause,
            "dropped an hour": end - 60,
        },
    )


@template(
    TIME,
    "A museum is open from {start:clock} to {end:clock} on Sundays. {who} comes {late} minutes after it opens "
    "and stays until it closes. How long is the visit?",
    duration,
    slip=10,
    start=range(8 * 60, 11 * 60, 15),
    length=range(300, 480, 5),
    late=range(20, 100, 5),
    who=PEOPLE,
)
def visit(start: int, length: int, late: int) -> Solution:
    stay = length - late
    return Solution(
        stay,
        {
            "forgot the late start": length,
            "added the late start": length + late,
            "dropped an hour": stay - 60,
            "carried an hour too many": stay + 60,
        },
        {"end": start + length},
    )


@template(
    TIME,
    "Dinner is to be on the table at {ready:clock} sharp. The {dish} takes {prep} minutes of work and then "
    "{bake} minutes in the oven. When must {who} start at the latest?",
    clock,
    slip=10,
    ready=range(17 * 60 + 30, 20 * 60 + 30, 5),
    prep=range(15, 50, 5),
    bake=range(40, 95, 5),
    who=PEOPLE,
    dish=("lasagne", "gratin", "vegetable pie", "roast", "moussaka", "quiche"),
)
def dinner(ready: int, prep: int, bake: int) -> Solution:
    start = ready - prep - bake
    return Solution(
        start,
        {
            "forgot the work": ready - bake,
            "forgot the oven": ready - prep,
            "took an hour too many": start - 60,
            "took an hour too few": start + 60,
            "subtracted the work from the oven": ready - bake + prep,
        },
    )


@template(
    TIME,
    "A train should leave at {start:clock} but is {late} minutes late. The ride to {place} takes "
    "{ride:duration}, of which the driver makes up {gain} minutes. When does it get there?",
    clock,
    slip=10,
    start=range(6 * 60, 19 * 60, 1),
    late=range(9, 40),
    ride=range(45, 225, 5),
    gain=range(2, 8),
    place=("Cologne", "Lyon", "Bristol", "Zurich"),
)
def late_train(start: int, late: int, ride: int, gain: int) -> Solution:
    end = start + late + ride - gain
    return Solution(
        end,
        {
            "forgot the minutes made up": end + gain,
            "forgot the delay": end - late,
            "added the minutes made up": end + 2 * gain,
            "took it to be on time": start + ride,
            "dropped an hour": end - 60,
        },
    )


@template(
    TIME,
    "The first bus to the {place} leaves at {first:clock} every day, and from then on there is one every {every} "
    "minutes. When does the {n:ordinal} bus leave?",
    clock,
    slip=5,
    first=range(5 * 60, 7 * 60),
    every=range(8, 31),
    n=range(5, 17),
    place=("harbour", "market", "castle", "airport", "lake"),
)
def timetable(first: int, every: int, n: int) -> Solution:
    leaves = first + (n - 1) * every
    return Solution(
        leaves,
        {
            "counted one interval too many": leaves + every,
            "counted one interval too few": leaves - every,
            "dropped an hour": leaves - 60,
            "carried an hour too many": leaves + 60,
        },
    )


@template(
    TIME,
    "{who} drives {miles} miles at a steady {speed} miles an hour and stops once for {pause} minutes. How long "
    "does the whole trip take?",
    duration,
    slip=10,
    speed=(40, 50, 60, 70),
    sixths=range(6, 56),
    pause=range(10, 55, 5),
    who=PEOPLE,
)
def drive(speed: int, sixths: int, pause: int) -> Solution:
    tenths_of_hours, minutes = sixths, 6 * sixths
    hours, tenth = divmod(tenths_of_hours, 10)
    miles = speed * tenths_of_hours // 10
    return Solution(
        minutes + pause,
        {
            "forgot the stop": minutes,
            "read tenths of an hour as tens of minutes": 60 * hours + 10 * tenth + pause,
            "took a mile for a minute": miles + pause,
            "subtracted the stop": minutes - pause,
            "dropped an hour": minutes + pause - 60,
        },
        {"miles": miles},
    )


@template(
    TIME,
    "Today is a {day:weekday}. In {n} days {who} has {event}. On which day of the week is that?",
    weekday,
    day=range(7),
    n=range(16, 120),
    who=PEOPLE,
    event=(
        "a dental check",
        "an exam",
        "guests for dinner",
        "a job interview",
        "a wedding to go to",
        "a flight to catch",
    ),
)
def day_of_week(day: int, n: int) -> Solution:
    there = 700 + day + n
    return Solution(
        there,
        {
            "counted today": there - 1,
            "counted one day too many": there + 1,
            "counted backwards": 700 + day - n,
            "took the rest for the day": 700 + n,
            "forgot the rest": 700 + day,
        },
    )


@template(
    TIME,
    "{who} is reading a novel of {pages} pages. {read} of them are done, and from now on it will be {daily} "
    "pages a day, perhaps fewer on the last one. How many days will the rest take?",
    measured("days"),
    read=range(24, 160, 4),
    daily=range(14, 40),
    days=range(8, 22),
    less=range(6),
    who=PEOPLE,
)
def novel(read: int, daily: int, days: int, less: int) -> Solution:
    pages = read + daily * days - less
    return Solution(
        days,
        {
            "forgot the pages that are done": -(-pages // daily),
            "rounded down or miscounted": days - 1,
            "added the pages that are done": -(-(pages + read) // daily),
            "counted one day too many": days + 1,
        },
        {"pages": pages},
    )


@template(
    TIME,
    "{who} has to take a {thing} every {every} hours, the first one at {first:clock} today. At what time of day "
    "is the {n:ordinal} one due?",
    clock,
    slip=30,
    every=(4, 6, 8),
    first=range(5 * 60, 11 * 60, 5),
    n=range(3, 8),
    who=PEOPLE,
    thing=("tablet", "capsule", "spoonful of syrup"),
)
def tablets(every: int, first: int, n: int) -> Solution:
    due = first + 60 * every * (n - 1)
    return Solution(
        due,
        {
            "counted one interval too many": due + 60 * every,
            "swapped morning and evening": due + 12 * 60,
            "counted one interval too few": due - 60 * every,
            "one hour too many": due + 60,
            "one hour too few": due - 60,
        },
    )


@template(
    TIME,
    "{who} goes to bed at {bed:clock} and needs {awake} minutes to fall asleep. The alarm rings at {alarm:clock} "
    "the next day. How long was the sleep?",
    duration,
    slip=10,
    bed=range(21 * 60, 23 * 60 + 55, 5),
    awake=range(5, 45, 5),
    alarm=range(5 * 60 + 30, 8 * 60, 5),
    who=PEOPLE,
)
def sleep(bed: int, awake: int, alarm: int) -> Solution:
    asleep = alarm + _DAY - bed - awake
    return Solution(
        asleep,
        {
            "forgot the time awake": asleep + awake,
            "added the time awake": asleep + 2 * awake,
            "dropped an hour": asleep - 60,
            "carried an hour too many": asleep + 60,
        },
    )


@template(
    TIME,
    "{who} washes {loads} loads of laundry, one after the other. Each runs for {run} minutes, and between two of "
    "them it takes {between} minutes to empty and fill the machine. How long is it from the first start to the "
    "end of the last load?",
    measured("minutes"),
    slip=5,
    loads=range(3, 6),
    run=range(38, 96),
    between=range(4, 16),
    who=PEOPLE,
)
def laundry(loads: int, run: int, between: int) -> Solution:
    total = loads * run + (loads - 1) * between
    return Solution(
        total,
        {
            "one change too many": total + between,
            "forgot the changes": loads * run,
            "counted one change only": loads * run + between,
            "one load too few": total - run,
        },
    )


@template(
    TIME,
    "{who} is {age} years old and has a {sibling} who is {younger} years younger. How old will the two of them "
    "be together in {years} years?",
    plain,
    age=range(22, 70),
    younger=range(2, 18),
    years=range(3, 15),
    who=PEOPLE,
    sibling=("brother", "sister", "cousin"),
)
def ages(age: int, younger: int, years: int) -> Solution:
    together = 2 * age - younger + 2 * years
    return Solution(
        together,
        {
            "let one of them grow older only": together - years,
            "took younger for older": together + 2 * younger,
            "stopped at today": together - 2 * years,
            "took both to be of one age": 2 * (age + years),
            "named one of them only": age - younger + years,
        },
    )


@template(
    TIME,
    "{who} works from {start:clock} to {end:clock} with an unpaid break of {pause} minutes, on {days} days a "
    "week. How long is the working week?",
    duration,
    slip=30,
    start=range(6 * 60, 10 * 60, 15),
    length=range(360, 545, 15),
    pause=(20, 30, 40, 45, 50, 60),
    days=(3, 4, 5),
    who=PEOPLE,
)
def working_week(start: int, length: int, pause: int, days: int) -> Solution:
    week = days * (length - pause)
    return Solution(
        week,
        {
            "forgot the breaks": days * length,
            "subtracted one break only": days * length - pause,
            "added the breaks": days * (length + pause),
            "one day too few": week - length + pause,
            "dropped an hour": week - 60,
        },
        {"end": start + length},
    )


@template(
    TIME,
    "A film of {size} megabytes is being downloaded at {rate} megabytes a second. {done} megabytes are there "
    "already. How many seconds will the rest take?",
    measured("seconds"),
    slip=5,
    rate=range(3, 26),
    seconds=range(35, 200),
    done=range(100, 950, 50),
)
def download(rate: int, seconds: int, done: int) -> Solution:
    size = done + rate * seconds
    return Solution(
        seconds,
        {
            "forgot what is there": -(-size // rate),
            "took what is there for the rest": -(-done // rate),
            "added what is there": -(-(size + done) // rate),
            "carried ten too many": seconds + 10,
            "dropped ten": seconds - 10,
        },
        {"size": size},
    )


@template(
    TIME,
    "At a reading {n} authors read for {reading} minutes each, with a break of {pause} minutes between two of "
    "them. {who} opens the evening at {start:clock} with the first author. When has the last one finished?",
    clock,
    slip=5,
    n=range(3, 6),
    reading=range(15, 36, 5),
    pause=(5, 10, 15, 20),
    start=range(16 * 60, 19 * 60, 5),
    who=PEOPLE,
)
def reading(n: int, reading: int, pause: int, start: int) -> Solution:
    end = start + n * reading + (n - 1) * pause
    return Solution(
        end,
        {
            "one break too many": end + pause,
            "forgot the breaks": start + n * reading,
            "counted one break only": start + n * reading + pause,
            "one author too few": end - reading - pause,
            "carried an hour too many": end + 60,
        },
    )


@template(
    TIME,
    "{who} boards a plane at {now:clock} local time and flies for {flight:duration}. Where it lands, clocks are "
    "{ahead} hours ahead. What time is it there on landing?",
    clock,
    slip=30,
    now=range(6 * 60, 22 * 60, 5),
    flight=range(150, 720, 10),
    ahead=range(2, 10),
    who=PEOPLE,
)
def time_zones(now: int, flight: int, ahead: int) -> Solution:
    there = now + flight + 60 * ahead
    return Solution(
        there,
        {
            "took ahead for behind": now + flight - 60 * ahead + _DAY,
            "forgot the difference": now + flight,
            "forgot the flight": now + 60 * ahead,
            "one hour too few": there - 60,
            "one hour too many": there + 60,
        },
    )


@template(
    TIME,
    "At the {place} {ahead} people are in line before {who}. {counters} counters are open, and each person takes "
    "{each} minutes. How long is the wait?",
    measured("minutes"),
    slip=2,
    counters=(2, 3, 4, 5),
    rounds=range(3, 10),
    each=range(2, 9),
    who=PEOPLE,
    place=(
        *("post office", "passport office", "bank", "pharmacy", "town hall", "ticket office", "customs office"),
        *("vaccination centre", "car hire desk"),
    ),
)
def queue(counters: int, rounds: int, each: int) -> Solution:
    ahead = counters * rounds
    return Solution(
        rounds * each,
        {
            "took one counter to be open": ahead * each,
            "counted a round too many": (rounds + 1) * each,
            "counted a round too few": (rounds - 1) * each,
            "one counter too few": -(-ahead // (counters - 1)) * each,
            "added instead of multiplying": rounds + each,
        },
        {"ahead": ahead},
    )
