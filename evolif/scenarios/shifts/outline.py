"""The outline of a dialogue with shifting topics: its moves, topics and branches, drawn before any word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

from evolif.scenarios.shifts.dialogue import Move, Returns
from evolif.util.rng import Stream


class Counts(NamedTuple):
    """What a dialogue has at least."""

    topics: int
    """With goals, the main one included."""
    alternatives: int
    refinements: int
    returns: int
    implicit: int
    """Of the returns."""
    digressions: int
    dropped: int
    """Items cancelled and values withdrawn."""
    goals: int


COUNTS: Mapping[int, Counts] = {
    10: Counts(2, 1, 2, 1, 0, 2, 1, 4),
    15: Counts(2, 2, 3, 2, 1, 2, 1, 5),
    20: Counts(3, 2, 4, 3, 1, 3, 2, 6),
    25: Counts(3, 3, 5, 4, 2, 3, 2, 7),
}
"""By rounds."""
MOST_ACTS = 3
"""Of a turn."""
EDITION: Literal[2] = 2
"""Of what is generated. Benchmarks without one are of the first."""
_LEAST_PATH = {10: 3, 15: 4, 20: 5, 25: 6}
"""Turns of the chosen branch before the final request, by rounds."""


@dataclass(slots=True)
class Beat:
    """One turn of an outline."""

    move: Move
    topic: int
    branch: str = "b0"
    fork: int | None = None
    """For an alternative, the turn that it branches off from."""
    returns: Returns | None = None
    version: int = 0
    """Which value of the fork slot the branch has: 0 for the first one, 1 for the first alternative …"""
    old: int | None = None
    """For an alternative, the version that it names beside its own."""
    turns_back: bool = False
    """Whether a return or the final request goes to another branch of the topic."""
    leaves: bool = False
    """Whether it goes to another topic than the turn before."""
    room: int = 0
    """How many acts it may have beside that of its fork slot; 0 off the chosen branch."""
    sets_fork: bool = False
    """Whether the fork slot is first set here."""


@dataclass(slots=True)
class Outline:
    """The moves of a dialogue."""

    beats: list[Beat]
    topics: list[int | None]
    """For each topic by number: 0 is the main task, 1 … the other tasks, None a digression."""
    versions: int
    """How many values the fork slot gets."""
    chosen: int
    """The version of the branch that is chosen in the end."""


@dataclass(slots=True)
class _Main:
    """The turns of the main topic by their position in it; `fork` and `parents` are positions."""

    moves: list[str]
    set_at: int
    parents: list[int | None] = field(default_factory=list)
    branches: list[int] = field(default_factory=list)
    forks: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Position of an alternative to the position it branches off from and the version that it names."""
    back: set[int] = field(default_factory=set)


def draw_outline(stream: Stream, rounds: int, edition: int = EDITION) -> Outline | None:
    """Draw the moves of a dialogue.

    Args:
        stream: Chance.
        rounds: A key of `COUNTS`.
        edition: In the first one, alternatives may be about a branch that the user is not on, side questions may follow
            each other, and there may be more returns without a name than needed.

    Returns:
        None if what was drawn does not fit; then draw once more.
    """
    counts = COUNTS[rounds]
    blocks = _blocks(stream, counts, rounds)
    count = stream.between(counts.returns, len(blocks))
    ends_away = count > counts.returns and stream.below(3) == 0
    excursions = _excursions(stream, blocks, count, rounds)
    length = rounds - sum(map(len, excursions))
    inner = count - ends_away
    if inner > length - 2 - counts.alternatives:
        return None
    gaps = sorted(stream.sample(range(1, length - 1), inner)) + [length - 1] * ends_away
    main = _draw_main(stream, counts, length, frozenset(gaps), ends_away, stays=edition > 1)
    if main is None:
        return None
    outline = _assemble(main, dict(zip(gaps, excursions, strict=True)))
    _name_returns(stream, outline, counts, edition)
    if edition > 1 and any(a.move == b.move == "digress" for a, b in pairwise(outline.beats)):
        return None
    return outline if _has_room(outline, counts, rounds) else None


def _blocks(stream: Stream, counts: Counts, rounds: int) -> list[list[tuple[str, int]]]:
    """What happens away from the main topic, in random order: other topics and digressions."""
    long = rounds > 10
    others = counts.topics - 1 + (long and stream.below(4) == 0)
    digressions = counts.digressions + (long and stream.below(3) == 0)
    blocks: list[list[tuple[str, int]]] = [[("digress", 0)] for _ in range(digressions)]
    for other in range(others):
        more = stream.weighted(((0, 2), (1, 3), (2, 2)) if long else ((0, 3), (1, 2)))
        blocks.append([("topic", other)] + [("continue", other)] * more)
    return stream.sample(blocks, len(blocks))


def _excursions(
    stream: Stream, blocks: list[list[tuple[str, int]]], count: int, rounds: int
) -> list[list[tuple[str, int]]]:
    """The blocks in `count` groups; in longer dialogues a later group may come back to an earlier one's topic."""
    cuts = [0, *sorted(stream.sample(range(1, len(blocks)), count - 1)), len(blocks)]
    excursions = [[one for block in blocks[start:end] for one in block] for start, end in pairwise(cuts)]
    if rounds > 10 and count > 1:
        seen = [other for move, other in excursions[0] if move == "topic"]
        if seen and stream.below(2):
            at = stream.between(1, count - 1)
            excursions[at] = [("return", stream.choice(seen)), *excursions[at]]
    return excursions


def _draw_main(
    stream: Stream, counts: Counts, length: int, gaps: frozenset[int], ends_away: bool, *, stays: bool
) -> _Main | None:
    """Draw the branches of the main topic.

    Args:
        stream: Chance.
        counts: What there is at least.
        length: Turns of the main topic.
        gaps: The positions before which the conversation is elsewhere.
        ends_away: Whether the final request is one of them.
        stays: Whether alternatives are about the branch that the user is on.
    """
    set_at = stream.weighted(((0, 3), (1, 1), (2, 1)))
    tokens = _tokens(stream, counts.alternatives)
    free = [at for at in range(set_at + 2, length - 1) if at not in gaps]
    if len(tokens) > len(free):
        return None
    moves = ["open", *("return" if at in gaps else "continue" for at in range(1, length - 1)), "final"]
    for at, token in zip(sorted(stream.sample(free, len(tokens))), tokens, strict=True):
        moves[at] = token
    main = _Main(moves, set_at)
    switches = not ends_away and stream.below(5) == 0
    return main if _branch_out(stream, main, switches, stays=stays) else None


def _tokens(stream: Stream, alternatives: int) -> list[str]:
    """The alternatives and the returns to another branch, in order."""
    tokens: list[str] = []
    for _ in range(alternatives):
        tokens.append("alternative")
        if stream.below(5) < 2:
            tokens.append("back")
    return tokens


def _branch_out(stream: Stream, main: _Main, switches: bool, *, stays: bool) -> bool:
    """Fill in branches and parents; False if an alternative has nothing to branch off from."""
    tips: list[int] = [0]
    set_at = [main.set_at]
    now = 0
    for at, move in enumerate(main.moves):
        parent: int | None = tips[now] if at else None
        if move == "alternative":
            # At least one turn lies between, so that the strategy's fork point is not the node where it stands.
            options = [v for v, then in enumerate(set_at) if at - then > 1 and then != parent]
            if not options or (stays and now not in options):
                return False
            old = now if stays or (now in options and stream.below(3)) else stream.choice(options)
            parent = set_at[old]
            main.forks[at] = (parent, old)
            now = len(set_at)
            set_at.append(at)
            tips.append(at)
        elif move == "back" or (move == "final" and switches):
            now = stream.choice([branch for branch in range(len(tips)) if branch != now])
            parent = tips[now]
            main.back.add(at)
        tips[now] = at
        main.parents.append(parent)
        main.branches.append(now)
    return True


def _assemble(main: _Main, excursions: Mapping[int, Sequence[tuple[str, int]]]) -> Outline:
    """Number turns and topics."""
    beats: list[Beat] = []
    topics: list[int | None] = []
    numbers: dict[int, int] = {}
    turns: list[int] = []
    for at, move in enumerate(main.moves):
        for name, other in excursions.get(at, ()):
            if name in ("digress", "topic"):
                numbers[-1 if name == "digress" else other] = len(topics)
                topics.append(None if name == "digress" else other + 1)
            away = name in ("topic", "return", "digress")
            beats.append(Beat(_MOVES[name], numbers[-1 if name == "digress" else other], leaves=away))
        if not at:
            topics.append(0)
        branch = main.branches[at]
        beat = Beat(_MOVES[move], 0, f"b{branch}", version=branch, turns_back=at in main.back, leaves=at in excursions)
        if at in main.forks:
            position, beat.old = main.forks[at]
            beat.fork = turns[position]
        beat.sets_fork = at == main.set_at
        beats.append(beat)
        turns.append(len(beats))
    _give_room(main, [beats[turn - 1] for turn in turns])
    return Outline(beats, topics, 1 + len(main.forks), main.branches[-1])


_MOVES: Mapping[str, Move] = {
    "open": "open",
    "topic": "topic",
    "digress": "digress",
    "continue": "continue",
    "return": "return",
    "back": "return",
    "alternative": "alternative",
    "final": "final",
}


def _give_room(main: _Main, beats: Sequence[Beat]) -> None:
    """Allow acts where the chosen branch passes; on other branches only the fork slot is set."""
    at = main.parents[-1]
    while at is not None:
        beat = beats[at]
        # The opening has words enough, and so has a turn that names what it comes back to.
        most = {"alternative": 1, "open": 2, "return": 2}.get(beat.move, MOST_ACTS)
        beat.room = most - beat.sets_fork
        at = main.parents[at]


def _name_returns(stream: Stream, outline: Outline, counts: Counts, edition: int) -> None:
    """Say which returns are named; branches always are, by their value."""
    returns = [beat for beat in outline.beats if beat.move == "return" and not beat.turns_back]
    for beat in outline.beats:
        if beat.move == "return":
            beat.returns = "named"
    for place, beat in enumerate(stream.sample(returns, len(returns))):
        if place < counts.implicit or (edition == 1 and place > counts.implicit and stream.below(2)):
            beat.returns = "implicit"


def _has_room(outline: Outline, counts: Counts, rounds: int) -> bool:
    rooms = [beat.room for beat in outline.beats if beat.room]
    needed = counts.goals - 1 + counts.refinements + counts.dropped
    return len(rooms) >= _LEAST_PATH[rounds] and sum(rooms) >= needed + 2
