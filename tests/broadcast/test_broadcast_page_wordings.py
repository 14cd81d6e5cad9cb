"""Every key of generated turns in at least six wordings that the page calls readable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from page_broadcast import lost
from page_referee import SPORTS, Turn, all_turns

from evolif.scenarios.broadcast import score_reply

NUMBER = 8
WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
ORDINALS = ["", "1st", "2nd", "3rd", "4th"]
each_sport = pytest.mark.parametrize("sport", SPORTS)
impacts = pytest.mark.parametrize("task", ["IR", "TS"])


def word(number: int) -> str:
    return WORDS[number] if number <= 20 else str(number)


def last(name: str) -> str:
    return name.split()[-1]


def place(team: str) -> str:
    return " ".join(team.split()[:-1])


def right(turn: Turn, reply: str) -> None:
    found = score_reply(turn, reply)
    assert (found["score"], found["gates"], lost(found)) == (1.0, [], []), (turn["key"], reply)


Score = Callable[[str, int, str, int], str]
SCORES: list[Score] = [
    lambda a, m, b, n: f"{a} {m}, {b} {n}",
    lambda a, m, b, n: f"{last(b)} {n}, {last(a)} {m}.",
    lambda a, m, b, n: f"{place(a)}: {m}, {place(b)}: {n}",
    lambda a, m, b, n: f"{last(a)} and {last(b)} stand at {m}-{n}",
    lambda a, m, b, n: f"**{a.upper()}** {word(m)}, **{b.lower()}** {word(n)}",
    lambda a, m, b, n: f"{a}: {m}\n{b}: {n}",
    lambda a, m, b, n: f"Earlier it was {last(a)} 0, {last(b)} 0.\nNow the {last(a)} have {m} and the {last(b)} {n}.",
]


@each_sport
@pytest.mark.parametrize("say", SCORES)
def test_scores(say: Score, sport: str) -> None:
    for _, turn in all_turns("IR", sport, "S", NUMBER):
        if turn["judged"]:
            (a, m), (b, n) = turn["key"].items()
            right(turn, say(a, m, b, n))


Event = Callable[[str, int, str, str], str]


def points(number: int) -> str:
    return f"{number} point{'s' * (number != 1)}"


FACTS: list[Event] = [
    lambda p, n, label, clock: f"{p}, {points(n)}, Q{label} {clock}",
    lambda p, n, label, clock: f"- {last(p)}: {n} points, Q{label} {clock}",
    lambda p, n, label, clock: f"**{p.upper()}** scored {word(n)} points at Q{label}, {clock}",
    lambda p, n, label, clock: f"{p}, {points(n)}, quarter {label}, {clock}",
    lambda p, n, label, clock: f"{last(p)}, {points(n)}, {clock} Q{label}",
    lambda p, n, label, clock: f"{p} ({ORDINALS[int(label)]} quarter {clock}): {points(n)}",
    lambda p, n, label, clock: f"{p}, Q{label} {clock}, {points(n)}",
]


@pytest.mark.parametrize("say", FACTS)
def test_points(say: Event) -> None:
    for _, turn in all_turns("CR", "basketball", "AI", NUMBER):
        right(turn, "\n".join(say(p, n, str(period), clock) for p, n, period, clock in turn["key"]))


def test_the_last_minute_in_minutes_and_seconds() -> None:
    seen = 0
    for _, turn in all_turns("CR", "basketball", "AI", 40):
        clocks = [clock for *_, clock in turn["key"]]
        if any(":" not in clock and float(clock) == int(float(clock)) for clock in clocks):
            lines = []
            for player, n, period, clock in turn["key"]:
                whole = ":" not in clock and float(clock) == int(float(clock))
                told = f"0:{int(float(clock)):02}" if whole else clock
                lines.append(f"{player}, {n} points, Q{period} {told}")
            right(turn, "\n".join(lines))
            seen += 1
    assert seen


Faced = Callable[[str, str, str, str], str]
FACEOFFS: list[Faced] = [
    lambda w, x, label, clock: f"{w} won against {x}, P{label} {clock}",
    lambda w, x, label, clock: f"- {last(w)} beat {last(x)} (P{label} {clock})",
    lambda w, x, label, clock: f"P{label} {clock}: {w} against {x}",
    lambda w, x, label, clock: f"**{w.lower()}** over **{x.lower()}**, {clock} P{label}",
    lambda w, x, label, clock: f"{w} won against {x}, period {label}, {clock}",
    lambda w, x, label, clock: f"{last(w)} won against {x}, {ORDINALS[int(label)]} period {clock}",
]


@pytest.mark.parametrize("say", FACEOFFS)
def test_faceoffs(say: Faced) -> None:
    for _, turn in all_turns("CR", "hockey", "AI", NUMBER):
        right(turn, "\n".join(say(w, x, str(period), clock) for w, x, period, clock in turn["key"]))


Change = Callable[[str, str, str], str]
CHANGES: list[Change] = [
    lambda at, clock, team: f"{clock}, {team}",
    lambda at, clock, team: f"{at} {clock}, {last(team)}",
    lambda at, clock, team: f"- {clock}: {place(team)}",
    lambda at, clock, team: f"{last(team)} at {clock}",
    lambda at, clock, team: f"**{at} {clock}**, {team.upper()}",
    lambda at, clock, team: f"{clock} {at}, {last(team).lower()}",
]


@impacts
@each_sport
@pytest.mark.parametrize("say", CHANGES)
def test_changes(say: Change, sport: str, task: str) -> None:
    label = "Q" if sport == "basketball" else "P"
    for _, turn in all_turns(task, sport, "L", NUMBER):
        for count in (str(len(turn["key"])), word(len(turn["key"]))):
            lines = [say(f"{label}{turn['period']}", clock, team) for clock, team in turn["key"]]
            right(turn, "\n".join([f"Changes: {count}", *lines]))


Impact = Callable[[str, str, str], str]


def leading(turn: Turn, case: str, name: Callable[[str], str], number: Callable[[int], str], tie: str) -> str:
    team, margin = turn["key"][case]
    return tie if team == "Tie" else f"{name(team)} by {number(margin)}"


IMPACTS: list[tuple[Any, Any, str, str]] = [
    (str, str, "Tie by 0", "Player: {p}\nNo free throw: {a}\nNothing: {b}"),
    (last, str, "tie", "Player: {l}\nNo free throw: {a}\nNothing: {b}"),
    (place, word, "level", "player: {p}\nno free throw: {a}\nnothing: {b}"),
    (str.upper, str, "even", "**Player:** {p}\n**No free throw:** {a}\n**Nothing:** {b}"),
    (last, word, "draw", "- Player: {l}\n- Nothing: {b}\n- No free throw: {a}"),
    (str, str, "tied", "Here it is.\n\nPlayer: {p}\n\nNo free throw: the {a}.\n\nNothing: the {b}."),
]


@impacts
@pytest.mark.parametrize("form", IMPACTS)
def test_impacts(form: tuple[Any, Any, str, str], task: str) -> None:
    name, number, tie, text = form
    for _, turn in all_turns(task, "basketball", "TH", 16):
        a, b = (leading(turn, case, name, number, tie) for case in ("no_ft", "no_goals"))
        player = turn["key"]["player"]
        right(turn, text.format(p=player, l=last(player), a=a, b=b))


SHARES = [
    ("Player: {p}\nLoss: {n}", "Gain: {n}"),
    ("Player: {l}\nLoss: {n} percentage points", "Gain: {n} percentage points"),
    ("player: {p}\nloss: {n}%", "gain: {n}%"),
    ("**Player:** {p}\n**Loss:** {n}", "**Gain:** {n}"),
    ("- Player: {p}\n- Loss: {n} points", "- Gain: {n} points"),
    ("Loss: {n}\nPlayer: {l}", "Let me see.\nGain: {n}."),
]


@impacts
@pytest.mark.parametrize("forms", SHARES)
def test_shares(forms: tuple[str, str], task: str) -> None:
    for _, turn in all_turns(task, "hockey", "TH", 16):
        key = turn["key"]
        best = turn["kind"] == "T"
        number = key["decrease_if_all_lost"] if best else key["increase_if_all_won"]
        player = key["player"]
        right(turn, forms[not best].format(p=player, l=last(player), n=number))


@each_sport
@pytest.mark.parametrize(
    "form", ["Answer: {x}", "answer: {x}", "{x}", " {x}\n", "**Answer: {x}**", "Not A.\nAnswer: E\nNo.\nAnswer: {x}"]
)
def test_letters(form: str, sport: str) -> None:
    for _, turn in all_turns("TS", sport, "M", 2):
        right(turn, form.format(x=turn["key"]))


@each_sport
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace("<Stats>\n", "<Stats>\n\n").replace("\n</Stats>", "\n\n</Stats>"),
        lambda text: text.replace(", ", " , "),
        lambda text: f"{text}\n\nThat is all I have.",
        lambda text: text.replace("points ", "Points: ").replace("faceoffs ", "Faceoffs: "),
        lambda text: text.replace("\n", "\r\n"),
    ],
)
def test_statistics(change: Callable[[str], str], sport: str) -> None:
    for _, turn in all_turns("IF", sport, "Q", 3):
        head, mark, rest = turn["witness"].partition("<Stats>")
        inner, end, tail = rest.partition("</Stats>")
        block = change(f"{mark}{inner}{end}")
        found = score_reply(turn, f"{head}{block}{tail}")
        assert "statistics" not in lost(found), (turn["key"], block)


DRESSED: dict[str, Callable[[str], str]] = {
    "a line before": lambda text: f"Sure, here you go:\n{text}",
    "a line behind": lambda text: f"{text}\n\nEnjoy the rest of the match!",
    "bullets": lambda text: "\n".join(f"- {line}" for line in text.split("\n")),
    "stars": lambda text: "\n".join(f"* {line}" for line in text.split("\n")),
    "numbers": lambda text: "\n".join(f"{i}. {line}" for i, line in enumerate(text.split("\n"), 1)),
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "fenced": lambda text: f"```\n{text}\n```",
    "full stops": lambda text: "\n".join(f"{line}." for line in text.split("\n")),
    "empty lines": lambda text: text.replace("\n", "\n\n"),
    "Windows": lambda text: text.replace("\n", "\r\n"),
    "capitals": str.upper,
    "small letters": str.lower,
    "bold": lambda text: "\n".join(f"**{line}**" for line in text.split("\n")),
    "hard spaces": lambda text: text.replace(" ", "\u00a0"),
    "dashes": lambda text: text.replace(", ", " – "),
    "said twice": lambda text: f"{text}\n{text}",
}


@each_sport
@pytest.mark.parametrize("task", ["CR", "IR", "TS"])
@pytest.mark.parametrize("how", DRESSED)
def test_what_stands_around_an_answer_does_not_count(how: str, task: str, sport: str) -> None:
    for _, turn in all_turns(task, sport, number=3):
        if turn["judged"]:
            right(turn, DRESSED[how](turn["witness"]))
