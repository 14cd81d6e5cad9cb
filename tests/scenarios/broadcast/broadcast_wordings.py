"""Replies in six wordings or more: bullets, bold print, prose, tables, last names, spelled numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from broadcast_turns import Turn

VARIANTS = 7
"""Ways to name a player."""
SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
ORDINALS = ("1st", "2nd", "3rd", "4th")
SPELLED = ("first", "second", "third", "fourth")
NOUNS = {"basketball": "quarter", "hockey": "period"}


def said(number: int) -> str:
    """A number in words, as far as people write it so."""
    return SMALL[number] if number < len(SMALL) else str(number)


def last(name: str) -> str:
    return name.rpartition(" ")[2]


def place(team: str) -> str:
    return team.rpartition(" ")[0]


def label(turn: Turn, period: int) -> str:
    return f"{turn['names']['sport'][0].replace('b', 'Q').replace('h', 'P')}{period}"


def noun(turn: Turn) -> str:
    return NOUNS[turn["names"]["sport"]]


def minutes(clock: str) -> str:
    """A clock of the last minute as most people write it."""
    return clock if ":" in clock else f"0:{float(clock):04.1f}"


def points(number: int) -> str:
    return f"{number} point{'' if number == 1 else 's'}"


# The score.


def score_wordings(turn: Turn) -> list[str]:
    (home, a), (away, b) = turn["key"].items()
    return [
        f"**{home}:** {a}  \n**{away}:** {b}",
        f"The {last(home)} have {a} and the {last(away)} have {b}.",
        f"{place(away)} {said(b)}, {place(home)} {said(a)}.",
        f"Let me add it up.\n\n- {home}: {a} points\n- {away}: {b} points\n\nSo: {last(home)} {a}, {last(away)} {b}.",
        f"After the latest rows ({label(turn, 1)} 6:14), {home} vs {away}: {a}–{b}",
        f"| Team | Score |\n|---|---|\n| {home} | {a} |\n| {away} | **{b}** |",
        f"The {last(away)} and the {last(home)} stand at {b}-{a} with 6:14 left in the {SPELLED[1]} {noun(turn)}.",
    ]


def in_three_sentences(turn: Turn, sentence: str) -> str:
    letter = {1: " [Tag A]", 3: " [Tag B]"}.get(turn["number"] % 4, "")
    return (
        f"[Update Score]{letter}\n{sentence} in the end! Is that what you had in mind? I hope the rest of it is grand."
    )


def formatted_score_wordings(turn: Turn) -> list[str]:
    (home, a), (away, b) = turn["key"].items()
    return [
        in_three_sentences(turn, sentence)
        for sentence in (
            f"It is {home} {a}, {away} {b}",
            f"The {last(away)} have {b} points, while the {last(home)} have {a} points",
            f"{home} against {away} stands at {a}-{b}",
            f"**{place(home)}** has {said(a)} and **{place(away)}** has {said(b)}",
            f"The {last(home)} ({a}) play the {last(away)} ({b})",
            f"With 6:14 left in {label(turn, 2)} the {last(home)} are on {a}, the {last(away)} on {b}",
        )
    ]


# Events that score.


def fact_wordings(turn: Turn) -> list[str]:
    key = turn["key"]
    each: Sequence[Callable[[str, int, int, str], str]] = (
        lambda p, n, q, c: f"- **{p}** – {points(n)} – {label(turn, q)} {c}",
        lambda p, n, q, c: f"{last(p)}, {label(turn, q)} {minutes(c)}: {said(n)}.",
        lambda p, n, q, c: f"{p} scored {points(n)} ({ORDINALS[q - 1]} quarter {c})",
        lambda p, n, q, c: f"| {p} | {n} | {label(turn, q)} {c} |",
        lambda p, n, q, c: f"* {p}: {n} pts at {minutes(c)} in the {SPELLED[q - 1]} quarter",
        lambda p, n, q, c: f"{last(p).upper()}: quarter {q}, {c}, {said(n)} points (assisted by nobody)",
    )
    lines = ["\n".join(write(*row) for row in key) for write in each]
    prose = "; ".join(f"{last(p)} with {said(n)} points at {label(turn, q)} {c}" for p, n, q, c in key)
    numbered = "\n".join(f"{i}. {p} — {points(n)}, Q{q} {c}" for i, (p, n, q, c) in enumerate(key, 1))
    return [*lines, f"While he was away: {prose}.", f"Here is the list ({len(key)} in all):\n\n{numbered}"]


# Faceoffs.


def faceoff_wordings(turn: Turn) -> list[str]:
    each: Sequence[Callable[[str, str, int, str], str]] = (
        lambda w, x, q, c: f"- **{w}** won against **{x}** ({label(turn, q)} {c})",
        lambda w, x, q, c: f"{last(w)} beat {last(x)}, {c} in the {SPELLED[q - 1]} period",
        lambda w, x, q, c: f"{label(turn, q)} {c}: {w} over {x}",
        lambda w, x, q, c: f"| {label(turn, q)} {c} | {w} | {x} |",
        lambda w, x, q, c: f"Winner: {w}; loser: {x}; time: period {q}, {c}",
        lambda w, x, q, c: f"At {c} of the {ORDINALS[q - 1]} period {last(w)} won the faceoff against {last(x)}.",
        lambda w, x, q, c: f"{w.upper()} def. {x.upper()} — {c} {label(turn, q)}",
    )
    return ["\n".join(write(*row) for row in turn["key"]) for write in each]


# Changes of the lead.


def change_wordings(turn: Turn) -> list[str]:
    period, key = turn["question"]["period"], turn["key"]
    count = len(key)
    plural = "" if count == 1 else "s"
    heads_and_lines: Sequence[tuple[str, Callable[[str, str], str]]] = (
        (f"**Changes:** {count}", lambda c, t: f"- {c} – **{t}**"),
        (f"The lead changed {said(count)} time{plural}:", lambda c, t: f"* {label(turn, period)} {c}: {last(t)}"),
        (f"There were {count} changes of the lead.", lambda c, t: f"At {minutes(c)} the {last(t)} went ahead."),
        (f"{said(count).capitalize()} lead change{plural}:", lambda c, t: f"{place(t)} took the lead at {minutes(c)}"),
        (f"Changes: {count}\n\n| Clock | Team |\n|---|---|", lambda c, t: f"| {c} | {t} |"),
        (f"Number of changes = {count}", lambda c, t: f"{t} ({ORDINALS[period - 1]} {noun(turn)}, {c})"),
        (f"changes: {said(count)}", lambda c, t: f"{c}, {t.upper()}"),
    )
    return ["\n".join([head, *(write(*change) for change in key)]) for head, write in heads_and_lines]


# What a player changed.


def case_wordings(turn: Turn) -> list[str]:
    key = turn["key"]
    (one, m), (two, n) = key["no_ft"], key["no_goals"]

    def led(write: Callable[[str, int], str], level: str, team: str, by: int) -> str:
        return level if team == "Tie" else write(team, by)

    forms: Sequence[tuple[str, Callable[[str, int], str], str]] = (
        ("- **No free throw:** {}\n- **Nothing:** {}", lambda t, k: f"**{t}** by **{k}**", "tied"),
        ("No free throw: {}\nNothing: {}", lambda t, k: f"{last(t)} by {said(k)}", "tie"),
        (
            "Had he made no free throw, {}. Had he scored nothing, {}.",
            lambda t, k: f"the {last(t)} would lead by {points(k)}",
            "it would be level",
        ),
        (
            "Without his free throws {}.\nWithout any of his points {}.",
            lambda t, k: f"{place(t)} leads by {k}",
            "the score is even",
        ),
        ("NO FREE THROW – {}\nNOTHING – {}", lambda t, k: f"{t.upper()} +{k}", "DRAW"),
        (
            "| Case | Result |\n|---|---|\n| No free throw | {} |\n| Nothing | {} |",
            lambda t, k: f"{t} by {k}",
            "Tie by 0",
        ),
        (
            "1. No free throw: {}\n2. Nothing: {}",
            lambda t, k: f"{last(t)} ahead by {points(k)} at {label(turn, 2)} 0:45",
            "all level at the time",
        ),
    )
    return [
        named(turn, form.format(led(write, level, one, m), led(write, level, two, n)), place_in_list)
        for place_in_list, (form, write, level) in enumerate(forms)
    ]


def named(turn: Turn, lines: str, variant: int) -> str:
    """The same, after the player where the turn asks for one."""
    if turn["kind"] != "T":
        return lines
    player = turn["key"]["player"]
    return (
        f"Player: {player}\n{lines}",
        f"**Player:** {last(player)}\n{lines}",
        f"{player} has the most points in that time. {lines}",
        f"The top player is {last(player)}.\n{lines}",
        f"PLAYER – {player.upper()}\n{lines}",
        f"It was **{player}**.\n\n{lines}",
        f"Most points: {last(player)} ({said(11)} points)\n{lines}",
    )[variant]


def share_wordings(turn: Turn) -> list[str]:
    label_of, value = (
        ("Loss", turn["key"]["decrease_if_all_lost"])
        if turn["kind"] == "T"
        else ("Gain", turn["key"]["increase_if_all_won"])
    )
    forms = (
        f"{label_of}: {value:.2f}",
        f"**{label_of}:** {value:.2f} percentage points",
        f"His team would have a {label_of.lower()} of {value:.2f} points in percent.",
        f"{label_of} = {value:g}%",
        f"{label_of.upper()} – {value:.1f} PP",
        f"- {label_of}: about {value:g} percentage points",
        f"4 of 12 faceoffs, so\n{label_of}: {'-' if label_of == 'Loss' else '+'}{value:g} pp",
        f"{label_of}: 3/12 = {value:.2f}",
        f"{label_of}: from 50.00% to 25.00%, that is {value:.2f} percentage points",
    )
    return [named(turn, form, variant % VARIANTS) for variant, form in enumerate(forms)]


# Statistics.


def shots(line: dict[str, Any], form: str, number: Callable[[int], str] = str, short: bool = False) -> list[str]:
    labels = ("2PT", "3PT", "FT") if short else ("twos", "threes", "free throws")
    return [
        form.format(label, number(line[f"{shot}_made"]), number(line[f"{shot}_attempts"]))
        for label, shot in zip(labels, ("two", "three", "free"), strict=True)
    ]


def shooting(line: dict[str, Any]) -> list[str]:
    name, total = line["player"], line["points"]
    return [
        f"{name}: {', '.join(shots(line, '{} {}/{}'))}, points {total}",
        f"- **{name}**: {', '.join(shots(line, '{} {} of {}'))}, {points(total)}",
        f"{last(name)}: {', '.join(shots(line, '{1}-{2} {0}'))}, {total} points",
        " | ".join([name, *shots(line, "{} {}/{}"), f"points {total}"]),
        f"{name} — points {total}, {', '.join(shots(line, '{}: {}/{}'))}",
        f"{last(name)}: {', '.join(shots(line, '{} {} of {}', said))}, points {said(total)}",
        f"{name.upper()}: {', '.join(shots(line, '{} {}/{}', short=True))}, PTS {total}",
        f"{name} – {points(total)} ({', '.join(shots(line, '{}M-A {}-{}', short=True))})".replace("PTM-A", "PM-A"),
    ]


def faceoffs(line: dict[str, Any]) -> list[str]:
    name, taken, won, lost = line["player"], line["taken"], line["won"], line["lost"]
    return [
        f"{name}: faceoffs {taken}, won {won}, lost {lost}",
        f"- **{name}**: faceoffs: {taken}, won: {won}, lost: {lost}",
        f"{last(name)}: {taken} faceoffs, {won} won, {lost} lost",
        f"{name} | faceoffs {taken} | won {won} | lost {lost}",
        f"{last(name)}: won {won}, lost {lost}, faceoffs {taken}",
        f"{name}: {said(taken)} faceoffs ({said(won)} won, {said(lost)} lost)",
        f"{name.upper()} — FACEOFFS {taken}, WON {won}, LOST {lost}",
    ]


def statistics_wordings(turn: Turn) -> list[str]:
    letter = {1: " [Tag A]", 3: " [Tag B]"}.get(turn["number"] % 4, "")
    body = "Here is what I found. I went by the rows you mailed. It was a pleasure to read."
    summary = "\n<Summary>A close match so far.</Summary>" if "no_summary" in turn["gates"] else ""
    write = faceoffs if turn["names"]["sport"] == "hockey" else shooting
    blocks = zip(*(write(line) for line in turn["key"]), strict=True)
    return [
        f"[Other Question]{letter}\n{body}\n<Stats>\n" + "\n".join(lines) + f"\n</Stats>{summary}" for lines in blocks
    ]


# A sentence, a problem.


def sentence_wordings(turn: Turn) -> list[str]:
    letter = {1: " [Tag A]", 3: " [Tag B]"}.get(turn["number"] % 4, "")
    initials = turn["key"].removesuffix("KING")
    words = " ".join(f"{first}ah" for first in initials)
    return [
        f"[Other Question]{letter}\n{start} {words} {end}"
        for start, end in (
            ("We all cheer when", "keep igniting noisy games."),
            ("It's a night for", "kings in new glory!"),
            ("Come on, let's shout", "kindly, in nice groups."),
            ("Our hearts beat for", "keepers, icons, never-ending greatness."),
            ('"Nobody can ever stop', 'kicking into next gear!"'),
            ("Today, tonight, tomorrow, forever:", "knights, idols, neighbours, giants"),
        )
    ]


def letter_wordings(turn: Turn) -> list[str]:
    letter = turn["key"]
    return [
        f"Answer: {letter}",
        letter,
        f"12 x 3 = 36, and 36 - 4 = 32.\n\n**Answer: {letter}**",
        f"Answer: ({letter}) 32 euros",
        f"I first thought of Answer: A, but the fee counts too.\nanswer: **{letter}**",
        f"({letter})",
        f"The answer is {letter}.",
    ]


def wordings_of(turn: Turn) -> list[str]:
    """A turn's key as chat models tell it."""
    kind, hockey = turn["kind"], turn["names"]["sport"] == "hockey"
    if kind in "AI":
        return faceoff_wordings(turn) if hockey else fact_wordings(turn)
    if kind in "TH":
        return share_wordings(turn) if hockey else case_wordings(turn)
    if kind == "S":
        return formatted_score_wordings(turn) if "intent" in turn else score_wordings(turn)
    others = {"K": sentence_wordings, "Q": statistics_wordings, "L": change_wordings, "M": letter_wordings}
    return others[kind](turn)
