"""Played matches as reports read them: what each turn scored, and what it asked; models side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evolif.metrics import Cluster, clusters_of
from evolif.metrics.terms import credit_of
from evolif.scenario import ModelsView, ModelView
from evolif.text import plural
from evolif.types import DEFAULT_RESAMPLES, JudgedTurn, Label, Prompt, Session

PROBLEM, SCORE = "M", "S"
"""Kinds of turns: a problem that interrupts the match, and the score so far."""
MATCH = "match"
"""The label by which dialogues belong together: its number is that of one match in the whole benchmark, whatever its
task and its sport, and all variants of the match have it."""
PAIR = "pair="
"""In the name of a variant that asks for evidence in one of two ways."""
RIGHT = 0.999999
"""A turn with this score or more is right: all that was asked for is there."""
NEEDS_JUDGE: Mapping[str, float] = {"support": 0.1, "true summary": 0.25}
"""Group of a verdict to what its item is worth, where only a judge can decide."""
_OF_ITEM = frozenset({"kind", "weight", "precise", "asks"})
"""What an item holds besides the event that it is about."""
_NO_PROMPTS: Mapping[tuple[int, int], Prompt] = {}


@dataclass(frozen=True, slots=True)
class TurnScore:
    """A judged turn.

    Attributes:
        turn: From 1.
        kind: Such as `S` or `A`.
        subtask: What is asked, in words; `problem` for one that interrupts the match.
        period: From 1; None if unknown.
        distance: Periods between the evidence and the question; None where the question has none.
        score: From 0 to 1.
        unjudged: What its items are worth that nobody judged; a whole turn is worth 1.
        judged: As the run has it, without words.
        events: What each of its verdicts is about, where variants ask for the same evidence; gates have no event.
    """

    turn: int
    kind: str
    subtask: str
    period: int | None
    distance: int | None
    score: float
    unjudged: float
    judged: JudgedTurn
    events: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        """Whether all that was asked for is there."""
        return self.score >= RIGHT


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that was played to its end.

    Attributes:
        dialogue: Its number in the benchmark.
        epoch: Which repetition it is.
        task: `IF`, `CR`, `IR` or `TS`.
        sport: In one word.
        variant: Its side of a comparison, such as `chunks=10`; empty for a dialogue as usual.
        match: What names its match, as `clusters_of` has it; dialogues of one match differ in their variant only.
        turns: Those that were judged, in order.
    """

    dialogue: int
    epoch: int
    task: str
    sport: str
    variant: str
    match: Cluster
    turns: tuple[TurnScore, ...]

    @property
    def asked(self) -> tuple[TurnScore, ...]:
        """The judged turns about the match: all but problems."""
        return tuple(turn for turn in self.turns if turn.kind != PROBLEM)


def match_of(session: Session, prompts: Mapping[tuple[int, int], Prompt] = _NO_PROMPTS) -> PlayedMatch | None:
    """A session as a played match.

    Args:
        session: As a run stores it, or as `counted_sessions` gives it: turns after exhausted patience count, too.
        prompts: By dialogue and turn, where events of turns are wanted.

    Returns:
        None for a session that did not come to the end of its match.
    """
    if session.ending != "finished" or session.cause == "patience":
        return None
    turns = [turn for turn in (*session.turns, *session.later) if turn.seat == "target"]
    labels: Mapping[str, Label] = turns[0].labels if turns else {}
    return PlayedMatch(
        session.dialogue,
        session.epoch,
        str(labels.get("task", "")),
        str(labels.get("sport", "")),
        str(labels.get("variant", "")),
        clusters_of(MATCH, (session,))[session.dialogue],
        tuple(
            _scored(turn, score, prompts.get((session.dialogue, turn.turn)))
            for turn in turns
            if (score := credit_of(turn)) is not None
        ),
    )


def _scored(turn: JudgedTurn, score: float, prompt: Prompt | None) -> TurnScore:
    labels = turn.labels
    return TurnScore(
        turn.turn,
        str(labels.get("kind", "")),
        str(labels.get("subtask", "")),
        _number(labels, "period"),
        _number(labels, "distance"),
        score,
        sum(NEEDS_JUDGE.get(verdict.group, 0.0) for verdict in turn.verdicts if verdict.satisfied is None),
        turn,
        () if prompt is None else _events(prompt),
    )


def _events(prompt: Prompt) -> tuple[str, ...]:
    """What each item of a checklist is about: all that it holds but its weight and the part that is asked for."""
    items = prompt.payload.get("checklist")
    told = (item for item in (items if isinstance(items, list) else ()) if isinstance(item, Mapping))
    kept = ({key: value for key, value in item.items() if key not in _OF_ITEM} for item in told)
    return tuple(json.dumps(event, sort_keys=True, default=str) for event in kept)


def _number(labels: Mapping[str, Label], name: str) -> int | None:
    value = labels.get(name)
    return value if isinstance(value, int) else None


@dataclass(frozen=True, slots=True)
class BroadcastColumn:
    """What one model played in one run.

    Attributes:
        name: Of the column, unlike any other's.
        matches: Those that were played to their end.
        broken: How many counted sessions were not.
        seed: Of the report's draws.
        resamples: How many draws an interval takes that needs some.
    """

    name: str
    matches: tuple[PlayedMatch, ...]
    broken: int = 0
    seed: int = 0
    resamples: int = DEFAULT_RESAMPLES

    @property
    def draws(self) -> tuple[int, int]:
        """Seed and number of the report's draws."""
        return self.seed, self.resamples

    @property
    def size(self) -> str:
        """How many matches these are, in words, and how many dialogues, where that is another number."""
        matches, dialogues = {one.match for one in self.matches}, {one.dialogue for one in self.matches}
        if len(matches) == len(dialogues):
            return plural(len(dialogues), "dialogue")
        return f"{plural(len(matches), 'match', 'matches')} ({plural(len(dialogues), 'dialogue')})"

    @property
    def tasks(self) -> dict[str, list[PlayedMatch]]:
        """The matches by task, in the order of the page."""
        found: dict[str, list[PlayedMatch]] = {}
        for match in self.matches:
            found.setdefault(match.task, []).append(match)
        return {task: found[task] for task in sorted(found, key=task_order)}


def task_order(task: str) -> tuple[int, str]:
    """Where a task stands: instruction following, retrieval, reasoning, switching, then others."""
    known = ("IF", "CR", "IR", "TS")
    return (known.index(task) if task in known else len(known)), task


def column_of(name: str, model: ModelView) -> BroadcastColumn:
    """What a model of a report played; read once a report."""
    matches, broken = model.cached("broadcast", lambda: _read(model))
    return BroadcastColumn(name, matches, broken, model.of.seed, model.of.resamples)


def _read(model: ModelView) -> tuple[tuple[PlayedMatch, ...], int]:
    sessions = model.counted
    matches = [match for match in map(match_of, sessions) if match is not None]
    if any(PAIR in match.variant for match in matches):
        prompts = model.of.facts  # read only where they are needed
        matches = [match for one in sessions if (match := match_of(one, prompts)) is not None]
    return tuple(matches), len(sessions) - len(matches)


def columns_of(board: ModelsView) -> list[BroadcastColumn]:
    """The models side by side that played a match to its end."""
    found = (column_of(head, model) for head, model in zip(board.heads, board.models, strict=True))
    return [column for column in found if column.matches]


def heads_of(columns: Iterable[BroadcastColumn]) -> tuple[str, ...]:
    """The names of columns."""
    return tuple(column.name for column in columns)
