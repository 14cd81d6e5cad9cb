"""Two models' sessions of the same dialogues, and where what was found of their answers differs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from evolif.metrics import MetricTable
from evolif.report.analysis import ModelAnalysis
from evolif.text import plural
from evolif.types import JudgedTurn, Session

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TurnDifference:
    """Where the verdicts and scores on two answers to a turn differ; positions are those of A's and of B's lists."""

    verdicts: tuple[tuple[int, int], ...] = ()
    scores: tuple[tuple[int, int], ...] = ()
    both_verdicts: int = 0
    """How many were reached for both."""
    both_scores: int = 0

    @property
    def number(self) -> int:
        """How many differ."""
        return len(self.verdicts) + len(self.scores)


@dataclass(slots=True)
class Tally:
    """How often a verdict was satisfied for one model alone, or a score was higher for it."""

    a: int = 0
    b: int = 0


Tallies = dict[str, Tally]


class Compared(ABC):
    """How many verdicts and scores were reached for both models, and how many of them differ."""

    @abstractmethod
    def _turns(self) -> Iterable[TurnDifference]:
        """The turns that both were asked."""

    @property
    def verdicts(self) -> tuple[int, int]:
        """(differ, reached for both)."""
        turns = [*self._turns()]
        return sum(len(one.verdicts) for one in turns), sum(one.both_verdicts for one in turns)

    @property
    def scores(self) -> tuple[int, int]:
        """(differ, reached for both)."""
        turns = [*self._turns()]
        return sum(len(one.scores) for one in turns), sum(one.both_scores for one in turns)

    @property
    def told(self) -> str:
        """Both as a clause: “3 differences in 20 verdicts and 1 in 4 scores”."""
        counts = ((self.verdicts, "verdict"), (self.scores, "score"))
        parts = [(differ, plural(both, noun, spec=",")) for (differ, both), noun in counts if both]
        if not parts:
            return "nothing was decided for both"
        (differ, first), *rest = parts
        return " and ".join(
            [f"{plural(differ, 'difference', spec=',')} in {first}", *(f"{more:,} in {what}" for more, what in rest)]
        )


@dataclass(frozen=True)
class PairedSession(Compared):
    """One dialogue, played by both."""

    dialogue: int
    epoch: int
    sessions: tuple[Session, Session]
    numbers: tuple[int, int]
    """Of the sessions in their stores."""
    turns: Mapping[int, TurnDifference]
    """By the number of the turn; those that both were asked."""
    results: tuple[float | None, float | None] = (None, None)
    """The main metric of each session, where the scenario has one of its own."""

    def _turns(self) -> Iterable[TurnDifference]:
        return self.turns.values()

    @property
    def order(self) -> tuple[float, ...]:
        """Smaller is earlier: more verdicts, then a larger difference in the main metric, then more scores."""
        first, second = self.results
        apart = abs(first - second) if first is not None and second is not None else 0.0
        return -self.verdicts[0], -apart, -self.scores[0], self.dialogue, self.epoch


@dataclass
class PairedSessions(Compared):
    """All dialogues that both played, those with the most differences first."""

    pairs: list[PairedSession] = field(default_factory=list)
    alone: tuple[int, int] = (0, 0)
    """Sessions that only A has, and only B."""
    groups: Tallies = field(default_factory=dict)
    """Of verdicts, by their group."""
    names: Tallies = field(default_factory=dict)
    """Of scores, by their name."""

    def _turns(self) -> Iterable[TurnDifference]:
        return (turn for pair in self.pairs for turn in pair.turns.values())


def most_frequent(tallies: Tallies) -> list[tuple[str, Tally]]:
    """Tallies, those of the most differences first."""
    return sorted(tallies.items(), key=lambda one: (-one[1].a - one[1].b, one[0]))


def paired_sessions(a: ModelAnalysis, b: ModelAnalysis, dialogues: Sequence[int] | None = None) -> PairedSessions:
    """The sessions of two models that belong together, by dialogue and epoch.

    Args:
        a: The first.
        b: The second, of the same or another run on the same benchmark.
        dialogues: Only these; all if None.
    """
    one, other = (_by_place(side, dialogues) for side in (a, b))
    own = a.of.scenario.table(a.of.settings.options)
    found = PairedSessions(alone=(len(one.keys() - other.keys()), len(other.keys() - one.keys())))
    for place in sorted(one.keys() & other.keys()):
        (mine, first), (theirs, second) = one[place], other[place]
        turns = _differences(first.turns, second.turns, found)
        results = _result(own, first), _result(own, second)
        found.pairs.append(PairedSession(*place, (first, second), (mine, theirs), turns, results))
    found.pairs.sort(key=lambda pair: pair.order)
    return found


def _by_place(side: ModelAnalysis, dialogues: Sequence[int] | None) -> dict[tuple[int, int], tuple[int, Session]]:
    """A model's sessions with their numbers, by dialogue and epoch; without those that never began."""
    return {
        (session.dialogue, session.epoch): (number, session)
        for number, session in side.of.run.store.sessions(side.name, unbegun=False)
        if dialogues is None or session.dialogue in dialogues
    }


def _result(table: MetricTable | None, session: Session) -> float | None:
    """The main metric of one session; None where the scenario has none of its own, or the session does not tell."""
    if table is None or table.joint is not None:
        return None
    return table.value(table.row(session), table.main)


def _differences(
    first: Iterable[JudgedTurn], second: Iterable[JudgedTurn], tallies: PairedSessions
) -> dict[int, TurnDifference]:
    theirs = {turn.turn: turn for turn in second}
    found = {}
    for mine in first:
        other = theirs.get(mine.turn)
        if other is not None and mine.seat == other.seat == "target":
            found[mine.turn] = difference(mine, other)
            _count(mine, other, found[mine.turn], tallies)
    return found


def difference(one: JudgedTurn, other: JudgedTurn) -> TurnDifference:
    """Where two answers to a turn were found to differ; what was not decided for both does not count."""
    verdicts = _matched(one.verdicts, other.verdicts, lambda verdict: verdict.group)
    scores = _matched(one.scores, other.scores, lambda score: score.name)
    judged = [(i, j) for i, j in verdicts if _both(one.verdicts[i].satisfied, other.verdicts[j].satisfied)]
    scored = [(i, j) for i, j in scores if _both(one.scores[i].value, other.scores[j].value)]
    return TurnDifference(
        tuple((i, j) for i, j in judged if one.verdicts[i].satisfied != other.verdicts[j].satisfied),
        tuple((i, j) for i, j in scored if one.scores[i].value != other.scores[j].value),
        len(judged),
        len(scored),
    )


def _both(one: object, other: object) -> bool:
    return one is not None and other is not None


def _matched(one: Sequence[T], other: Sequence[T], name: Callable[[T], str]) -> list[tuple[int, int]]:
    """Positions of what has the same name, the first with the first."""
    places = {key: number for number, key in _numbered(other, name)}
    return [(number, places[key]) for number, key in _numbered(one, name) if key in places]


def _numbered(items: Sequence[T], name: Callable[[T], str]) -> list[tuple[int, Hashable]]:
    seen = Counter[str]()
    found: list[tuple[int, Hashable]] = []
    for number, item in enumerate(items):
        own = name(item)
        found.append((number, (own, seen[own])))
        seen[own] += 1
    return found


def _count(one: JudgedTurn, other: JudgedTurn, found: TurnDifference, tallies: PairedSessions) -> None:
    for i, _ in found.verdicts:
        _tally(tallies.groups, one.verdicts[i].group, first=one.verdicts[i].satisfied is True)
    for i, j in found.scores:
        mine, theirs = one.scores[i].value, other.scores[j].value
        _tally(tallies.names, one.scores[i].name, first=mine is not None and theirs is not None and mine > theirs)


def _tally(tallies: Tallies, name: str, *, first: bool) -> None:
    tally = tallies.setdefault(name, Tally())
    tally.a += first
    tally.b += not first
