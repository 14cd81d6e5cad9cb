"""What the generator of broadcasts promises, over many matches and dialogues.

Tables: how matches compare with the public ones that the simulator is modelled on; dialogues a second of processor
time; tokens of a dialogue; what every question must satisfy, recomputed from the events of its match; how often results
are level; distances; planted defects and what they cost; problems.

.venv/bin/python benchmarks/broadcast.py [matches [dialogues]]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median, pstdev
from typing import Any

from scipy.stats import chisquare

from evolif.contexts.tokens import count_tokens
from evolif.scenarios.broadcast import events_at, events_between, lead_changes, parse_clock
from evolif.scenarios.broadcast.checklist import needs_judge
from evolif.scenarios.broadcast.clock import SPORTS, sport_of
from evolif.scenarios.broadcast.dialogue import dialogue, match_of
from evolif.scenarios.broadcast.events import faceoffs_at, faceoffs_between
from evolif.scenarios.broadcast.layout import TASKS
from evolif.scenarios.broadcast.match import simulate
from evolif.scenarios.broadcast.planted_errors import planted
from evolif.scenarios.broadcast.problems import LETTERS, place_of_problem, problem
from evolif.scenarios.broadcast.scoring import score_reply

SEED = 7
Match = Mapping[str, Any]
Turn = Mapping[str, Any]

BASKETBALL: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "two-pointers made": (58, ("two_made",)),
    "two-pointers missed": (41, ("two_missed",)),
    "three-pointers made": (25, ("three_made",)),
    "three-pointers missed": (48, ("three_missed",)),
    "free throws made": (32, ("free_made",)),
    "free throws missed": (10, ("free_missed",)),
    "blocks": (8, ("two_blocked", "three_blocked")),
    "defensive rebounds": (71, ("rebound_defensive",)),
    "offensive rebounds": (35, ("rebound_offensive", "team_rebound")),
    "turnovers": (30, ("bad_pass", "lost_ball", "traveling", "shot_clock")),
    "steals": (17, ("bad_pass", "lost_ball")),
    "fouls": (37, ("foul_shooting", "foul_personal", "foul_offensive")),
    "substitutions": (57, ("substitution",)),
    "timeouts": (12, ("timeout",)),
}
HOCKEY: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "goals": (5.8, ("goal",)),
    "faceoffs": (57, ("faceoff",)),
    "hits": (45, ("hit",)),
    "saved shots": (47, ("shot_saved",)),
    "blocked shots": (30, ("shot_blocked",)),
    "wide shots": (31, ("shot_wide",)),
    "giveaways": (27, ("giveaway",)),
    "takeaways": (9, ("takeaway",)),
    "penalties": (6, ("penalty",)),
}
"""Means of public matches, both teams together, and the kinds of events that are counted."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table in Markdown."""
    print(f"\n| {' | '.join(head)} |", "|---" * len(head) + "|", sep="\n")
    for row in rows:
        told = (f"{value:,.1f}" if isinstance(value, float) else str(value) for value in row)
        print(f"| {' | '.join(told)} |", flush=True)


def realism(count: int) -> None:
    """Means of simulated matches beside those of public ones."""
    for sport, kinds, rows in (("basketball", BASKETBALL, 474), ("hockey", HOCKEY, 311)):
        made = [simulate(sport, number, seed=SEED) for number in range(count)]
        counts = Counter(event["kind"] for match in made for event in match["events"])
        told: list[tuple[str, float, float]] = [("rows", rows, sum(counts.values()) / count)]
        told += [(name, wanted, sum(counts[kind] for kind in own) / count) for name, (wanted, own) in kinds.items()]
        if sport == "basketball":
            points = [team_points(match, team) for match in made for team in match["teams"]]
            told += [("points a team", 111.6, fmean(points)), ("their standard deviation", 15, pstdev(points))]
        head = (f"{sport}, means of {count} matches", "public", "simulated", "difference %")
        table(head, [(name, wanted, found, 100 * (found / wanted - 1)) for name, wanted, found in told])
        level = sum(len({team_points(match, team) for team in match["teams"]}) == 1 for match in made)
        changes = [sum(changes_of(match, period) for period in range(1, sport_of(sport).periods + 1)) for match in made]
        often = sum(number > 1 for number in changes)
        print(f"\nLevel in the end: {level}. Two changes of the lead or more: {often} of {count}.")


def team_points(match: Match, team: str) -> int:
    """What a team has scored in the end."""
    return sum(event["pts"] for event in match["events"] if event["pts"] and event["team"] == team)


def changes_of(match: Match, period: int) -> int:
    """How often the lead changes in a period."""
    return len(lead_changes(match["events"], match["teams"], period))


def speed(dialogues: int) -> None:
    """Dialogues a second of processor time."""
    rows: list[list[object]] = []
    times = []
    for task in TASKS:
        row: list[object] = [task]
        for sport in SPORTS:
            dialogue(task, sport, 0, seed=SEED)
            start = time.process_time()
            for number in range(dialogues):
                dialogue(task, sport, number, seed=SEED)
            times.append((time.process_time() - start) / dialogues)
            row.append(f"{1 / times[-1]:.0f}")
        rows.append(row)
    table(("dialogues a second", *SPORTS), rows)
    print(f"\nMean over tasks and sports: {1 / fmean(times):.0f} a second.")


def tokens(dialogues: int) -> None:
    """Turns and tokens of a dialogue's messages, without replies."""
    rows = []
    for task in TASKS:
        for sport in SPORTS:
            made = [dialogue(task, sport, number, seed=SEED) for number in range(dialogues)]
            sizes = [sum(count_tokens(turn["message"]) for turn in one["turns"]) for one in made]
            system = median(count_tokens(one["system"]) for one in made)
            turns, judged = len(made[0]["turns"]), sum(turn["judged"] for turn in made[0]["turns"])
            rows.append((task, sport, turns, judged, int(system), min(sizes), int(median(sizes)), max(sizes)))
    table(("task", "sport", "turns", "judged", "system", "least tokens", "median", "most"), rows)


def asked(task: str, sport: str, dialogues: int) -> Iterator[tuple[Match, dict[str, Any]]]:
    """Each dialogue with its match."""
    for number in range(dialogues):
        yield match_of(task, sport, number, seed=SEED), dialogue(task, sport, number, seed=SEED)


def on_air(moment: Sequence[Any]) -> tuple[int, float]:
    """A moment of a basketball match, so that later ones are larger."""
    period, clock = moment
    return period, parse_clock(clock, "basketball")


def at(match: Match, anchor: Sequence[Any], delta: float = 0) -> list[Any]:
    """What happens at a moment that is told by another one."""
    if match["sport"] == "hockey":
        return faceoffs_at(match["faceoffs"], *anchor, delta)
    return events_at(match["events"], match["sport"], *anchor, delta)


def inside(match: Match, told: Mapping[str, Any]) -> list[Any]:
    """What happens in the span of a question."""
    if match["sport"] == "hockey":
        return faceoffs_between(match["faceoffs"], told["start"], told["end"])
    return events_between(match["events"], match["sport"], told["start"], told["end"])


def anchored(match: Match, turn: Turn) -> Iterator[tuple[str, bool]]:
    """What an anchored question must satisfy."""
    told = turn["question"]
    there, target = at(match, told["anchor"]), at(match, told["anchor"], told["delta"])
    yield "A: the anchor has one event, of the player named", len(there) == 1 and there[0][0] == told["player"]
    yield "A: the target is no break, and the key is all of it", bool(target) and target == turn["key"]
    yield "A: at least 60 s later", told["delta"] >= 60
    yield "A: a delta has one decimal at most", round(told["delta"], 1) == told["delta"]


def interval(match: Match, turn: Turn) -> Iterator[tuple[str, bool]]:
    """What an interval must satisfy."""
    found = inside(match, turn["question"])
    yield "I: 5 to 25 events", 5 <= len(found) <= 25
    yield "I: the key has all of them", found == turn["key"]


def impact(match: Match, turn: Turn) -> Iterator[tuple[str, bool]]:
    """What a question about a player's part must satisfy."""
    told, hockey = turn["question"], match["sport"] == "hockey"
    found = inside(match, told)
    if not hockey:
        yield (
            "T, H: the moment of the score is named, and not before the span ends",
            on_air(told["at"]) >= on_air(told["end"]),
        )
    if turn["kind"] == "T":
        yield "T: at least 5 events in the span", len(found) >= 5
    else:
        yield "H: the player has a part in the span", any(told["player"] in fact[: 1 + hockey] for fact in found)


def leads(match: Match, turn: Turn) -> Iterator[tuple[str, bool]]:
    """What a question for changes of the lead must satisfy."""
    yield "L: at least one change", changes_of(match, turn["period"]) == len(turn["key"]) > 0


CONDITIONS: Mapping[str, Callable[[Match, Turn], Iterator[tuple[str, bool]]]] = {
    "A": anchored,
    "I": interval,
    "T": impact,
    "H": impact,
    "L": leads,
}


def conditions(dialogues: int) -> None:
    """Every condition of every question, and every witness."""
    held: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for task in TASKS:
        for sport in SPORTS:
            for match, made in asked(task, sport, share_of(sport, dialogues)):
                for name, holds in checks(match, made["turns"]):
                    held[name] += holds
                    broken[name] += not holds
    rows = [(name, held[name] + broken[name], broken[name]) for name in sorted(held)]
    table((f"condition, over {dialogues} dialogues a task", "questions", "broken"), rows)


def share_of(sport: str, dialogues: int) -> int:
    """How many of a task's dialogues are of a sport: two thirds are basketball."""
    hockey = dialogues // 3
    return hockey if sport == "hockey" else dialogues - hockey


def checks(match: Match, turns: Sequence[Turn]) -> Iterator[tuple[str, bool]]:
    """All conditions of one dialogue."""
    seen: set[str] = set()
    for turn in turns:
        if turn["kind"] in CONDITIONS:
            yield from CONDITIONS[turn["kind"]](match, turn)
            yield "no question twice in a dialogue", (told := f"{turn['kind']} {turn['question']}") not in seen
            seen.add(told)
        if turn["judged"]:
            items = [item for item in turn["checklist"] if not needs_judge(item)]
            yield "weights add up to 1", abs(sum(item["weight"] for item in turn["checklist"]) - 1) < 1e-9
            yield "the witness scores 1.0", score_reply(turn, turn["witness"])["score"] == 1.0 and bool(items)


def rates(dialogues: int) -> None:
    """How often results are level, how often the two cases differ, and how far back the evidence lies."""
    impacts: list[Mapping[str, Any]] = []
    distances: Counter[tuple[str, int]] = Counter()
    between: dict[int, list[Mapping[str, int]]] = {}
    for task in ("CR", "IR"):
        for sport in SPORTS:
            for number in range(share_of(sport, dialogues)):
                for turn in dialogue(task, sport, number, seed=SEED)["turns"]:
                    if turn["distance"] is not None:
                        distances[f"{sport}, break {turn['period']}", turn["distance"]] += turn["kind"] != "L"
                        between.setdefault(turn["distance"], []).append(turn["evidence"])
                    if sport == "basketball" and turn["kind"] in "TH":
                        impacts.append(turn["key"])
    level = sum(key[case] == ["Tie", 0] for key in impacts for case in ("no_ft", "no_goals"))
    differ = sum(key["no_ft"] != key["no_goals"] for key in impacts)
    print(f"\nOf {2 * len(impacts)} results {level} are level ({50 * level / len(impacts):.1f} %);", end=" ")
    print(f"the two cases differ in {100 * differ / len(impacts):.1f} % of {len(impacts)} questions.")
    breaks = sorted({place for place, _ in distances})
    counts = [(place, *(distances[place, far] for far in range(4))) for place in breaks]
    table(("distance of A, I, T, H", "0", "1", "2", "3"), counts)
    rows = [
        (far, len(told), int(median(one["turns"] for one in told)), int(median(one["tokens"] for one in told)))
        for far, told in sorted(between.items())
    ]
    table(("distance", "questions", "turns between (median)", "words and marks between (median)"), rows)


def defects(dialogues: int) -> None:
    """Planted defects, and whether each costs exactly its items and triggers exactly its gates."""
    tried: Counter[str] = Counter()
    exact: Counter[str] = Counter()
    for task in TASKS:
        for sport in SPORTS:
            for number in range(share_of(sport, dialogues)):
                for turn in dialogue(task, sport, number, seed=SEED)["turns"]:
                    for defect in planted(turn) if turn["judged"] else ():
                        tried[turn["kind"]] += 1
                        exact[turn["kind"]] += costs(turn, defect.reply) == (set(defect.costs), set(defect.gates))
    rows = [(kind, tried[kind], exact[kind]) for kind in sorted(tried)]
    table(("kind", "defects planted", "cost exactly their items"), rows)


def costs(turn: Turn, reply: str) -> tuple[set[int], set[str]]:
    """The items that a reply fails, by their places in the checklist, and the gates that it triggers."""
    result = score_reply(turn, reply)
    places = [place for place, item in enumerate(turn["checklist"]) if not needs_judge(item)]
    failed = {place for place, item in zip(places, result["items"], strict=True) if not item["satisfied"]}
    return failed, set(result["gates"])


def problems(count: int) -> None:
    """Problems a second, whether letters are even, how many wrong options come from a named mistake."""
    start = time.process_time()
    made = [problem(number, seed=SEED) for number in range(count)]
    rate = count / (time.process_time() - start)
    letters = Counter(one["letter"] for one in made)
    names = [name for number in range(0, count, 7) for name in wrong_of(number)]
    named = sum("×" not in name for name in names) / len(names)
    p = chisquare([letters[letter] for letter in LETTERS]).pvalue
    different = len({one["text"] for one in made})
    print(f"\n{count} problems, {rate:,.0f} a second: {different} different; letters: chi-square p = {p:.3f};", end=" ")
    print(f"{100 * named:.1f} % of the wrong options come from a named mistake.")


def wrong_of(number: int) -> Mapping[str, str]:
    """The wrong options of a problem, by what gives each."""
    template, index = place_of_problem(number, SEED)
    return template.fill(index)[2]


def main(matches: int = 200, dialogues: int = 200) -> None:
    """Print all of it."""
    realism(matches)
    speed(max(dialogues // 5, 1))
    tokens(max(dialogues // 10, 1))
    conditions(dialogues)
    rates(dialogues)
    defects(dialogues)
    problems(100 * dialogues)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
