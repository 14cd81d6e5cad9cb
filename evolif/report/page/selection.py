"""Which dialogues stand in a page of too many sessions: some that tell most, and others drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from evolif.metrics.terms import outcomes_of
from evolif.report.page.transcript_cache import SessionRenderer, TranscriptCache
from evolif.runner import Run
from evolif.types import Session
from evolif.util.rng import Purpose, Stream

MOST_DIALOGUES = 100
"""Of a page; every model's session of each of them is in it."""

_LINE = 1_000
"""Bytes of a session's line in the list, besides what it says of the session."""

Reason = Literal["differ", "early", "long", "drawn"]
_SHARES: Mapping[Reason, int] = {"differ": 20, "early": 15, "long": 15}
"""Per hundred dialogues; the others are drawn."""

DialogueKey = tuple[str, int, int]
"""(identity of the benchmark, dialogue, epoch)."""


class SessionBrief(NamedTuple):
    """What is known of a session before its transcript is rendered."""

    run: int
    stored: int
    """Its number in the run's file."""
    session: Session
    """Without turns."""
    turns: int
    failed: int


@dataclass(frozen=True, slots=True)
class ChosenDialogue:
    """A dialogue, with the sessions of all models that played it."""

    key: DialogueKey
    reason: Reason
    sessions: tuple[SessionBrief, ...]


def briefs(number: int, run: Run, models: frozenset[str] | None) -> Iterator[SessionBrief]:
    """The sessions of a run, or of these models of it.

    Args:
        number: Of the run, from 0.
        run: Read session by session.
        models: All of them if None.
    """
    for model in (name for name in run.models if models is None or name in models):
        for stored, session in run.store.sessions(model, unbegun=False, lazily=True):
            outcomes = outcomes_of(session)
            failed = sum(not all(own) for own in outcomes)
            yield SessionBrief(number, stored, replace(session, turns=()), len(outcomes), failed)


def choose(
    sessions: Iterable[tuple[DialogueKey, SessionBrief]], seed: int, most: int = MOST_DIALOGUES
) -> tuple[list[ChosenDialogue], int]:
    """Choose dialogues: those where models differ most, the earliest ends, the longest, and others at random.

    Args:
        sessions: All, each with its dialogue.
        seed: Of the draw; it also decides among equals.
        most: How many.

    Returns:
        The chosen ones, in an order of which every beginning has about the same share of each kind; and how many
        dialogues there are.
    """
    groups: dict[DialogueKey, list[SessionBrief]] = {}
    for key, brief in sessions:
        groups.setdefault(key, []).append(brief)
    drawn = Stream(seed, Purpose.PAGE).sample(list(groups), len(groups))
    kinds: dict[DialogueKey, Reason] = {}
    for reason, share in _SHARES.items():
        ranks = {key: rank for key in drawn if key not in kinds and (rank := _RANKS[reason](groups[key])) is not None}
        for key in sorted(ranks, key=ranks.__getitem__)[: most * share // 100]:  # stable: equals stay as drawn
            kinds[key] = reason
    for key in drawn:
        if len(kinds) >= most:
            break
        kinds.setdefault(key, "drawn")
    chosen = [ChosenDialogue(key, reason, tuple(groups[key])) for key, reason in kinds.items()]
    return _mixed(chosen), len(groups)


def _apart(sessions: Sequence[SessionBrief]) -> int | None:
    """Smaller is earlier: the more, the further apart the models are in turns and in failed turns."""
    spans = [max(values) - min(values) for values in zip(*((one.turns, one.failed) for one in sessions), strict=True)]
    return -sum(spans) or None


def _earliest(sessions: Sequence[SessionBrief]) -> int | None:
    return min((one.turns for one in sessions if one.session.ending == "finished"), default=None)


def _longest(sessions: Sequence[SessionBrief]) -> int | None:
    return -max(one.turns for one in sessions)


_RANKS: Mapping[Reason, Callable[[Sequence[SessionBrief]], int | None]] = {
    "differ": _apart,
    "early": _earliest,
    "long": _longest,
}
"""Per reason, what dialogues are sorted by; None for one that cannot be chosen for it."""


def _mixed(chosen: Sequence[ChosenDialogue]) -> list[ChosenDialogue]:
    """The kinds spread evenly, so that a list that is cut keeps some of each."""
    kinds: dict[Reason, list[ChosenDialogue]] = {}
    for one in chosen:
        kinds.setdefault(one.reason, []).append(one)
    places = [((at + 0.5) / len(same), one) for same in kinds.values() for at, one in enumerate(same)]
    return [one for _, one in sorted(places, key=lambda place: place[0])]


@dataclass(frozen=True, slots=True)
class Selected:
    """A chosen dialogue as it was rendered."""

    dialogue: int
    reason: Reason
    numbers: tuple[int, ...]
    """Of its sessions in the page."""
    bytes: int
    """Of their transcripts together, and about those of their lines in the list."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a page of too many sessions has inside.

    Attributes:
        selected: In the order in which they enter the page.
        transcripts: Of these.
        dialogues: How many there are in all.
        sessions: How many there are in all.
    """

    selected: tuple[Selected, ...]
    transcripts: TranscriptCache
    dialogues: int
    sessions: int


def render_selection(
    runs: Sequence[Run], models: Sequence[frozenset[str] | None], seed: int, room: int, folder: Path
) -> Selection:
    """Choose dialogues of runs, and render the transcripts of all their sessions.

    Args:
        runs: In order.
        models: Per run those that are wanted; all of them if None.
        seed: Of the draw.
        room: No more is rendered once the transcripts have as many bytes.
        folder: For the transcripts.
    """
    listed = [
        ((run.settings.benchmark, brief.session.dialogue, brief.session.epoch), brief)
        for number, (run, own) in enumerate(zip(runs, models, strict=True))
        for brief in briefs(number, run, own)
    ]
    chosen, dialogues = choose(listed, seed)
    cache, selected = TranscriptCache(folder), []
    renderers = [SessionRenderer(number, run) for number, run in enumerate(runs)]
    first = _first_numbers(chosen)
    for one in chosen:
        made = [
            renderers[brief.run].render(first[one.key] + place, brief.stored, brief.session)
            for place, brief in enumerate(one.sessions)
        ]
        for piece in filter(None, made):
            cache.keep(*piece)
        numbers = tuple(head.number for head, _ in filter(None, made))
        size = sum(len(data) + 2 * len(head.about) + _LINE for head, data in filter(None, made))
        selected.append(Selected(one.key[1], one.reason, numbers, size))
        room -= size
        if room < 0:
            break
    cache.heads.sort(key=lambda head: head.number)
    return Selection(tuple(selected), cache, dialogues, len(listed))


def _first_numbers(chosen: Iterable[ChosenDialogue]) -> dict[DialogueKey, int]:
    """The number in the page of the first session of each dialogue: by dialogue, with models side by side."""
    first, number = {}, 1
    for one in sorted(chosen, key=lambda one: one.key):
        first[one.key] = number
        number += len(one.sessions)
    return first
