"""Whether a run may be gone on with: the same settings, the same turns, one writer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from evolif._errors import OutsideError, UsageError
from evolif.benchmark import Benchmark, turn_hash
from evolif.domain import Instruction, Turn
from evolif.protocol._difference import differences
from evolif.protocol._settings import RunSettings
from evolif.protocol.store import RunStore

_SHOWN = 3
_CLIP = 60


def refuse_other_settings(store: RunStore, wanted: RunSettings) -> None:
    """Refuse to go on with other settings than the run's; a larger extent is none.

    Raises:
        UsageError: with what differs.
    """
    different = differences(store.settings, wanted)
    if different:
        raise UsageError(
            f"{store.root} holds a run with other settings: {'; '.join(different)}. Repeat its settings to resume it, "
            "start a new run from what both share with --fork NEW, or choose another folder"
        )


def refuse_edited(store: RunStore, benchmark: Benchmark) -> None:
    """See that the turns this run has used are still what they were.

    Raises:
        UsageError: with the turns and what of them was edited.
    """
    edited = list(islice(_edited(store, benchmark), _SHOWN + 1))
    if edited:
        told = [f"turn {turn.turn} of dialogue {turn.dialogue} ({_what(store, turn)})" for turn in edited[:_SHOWN]]
        more = ", and more" if len(edited) > _SHOWN else ""
        raise UsageError(
            f"{benchmark.path} was edited since {store.root} used it: {'; '.join(told)}{more}. Restore the turns, "
            "start a new run from what both share with --fork NEW, or choose another folder"
        )


def first_edits(store: RunStore, benchmark: Benchmark) -> dict[int, int]:
    """Per dialogue that was edited, its first turn that is not the one which the run used."""
    found: dict[int, int] = {}
    for turn in _edited(store, benchmark):
        found.setdefault(turn.dialogue, turn.turn)
    return found


def _edited(store: RunStore, benchmark: Benchmark) -> Iterator[Turn]:
    """The turns as they are now."""
    there = set(benchmark.dialogues())
    for dialogue, number, used in store.used_turns():
        if dialogue not in there:
            raise UsageError(f"{benchmark.path} has no dialogue {dialogue}, which {store.root} used; restore its file")
        turn = benchmark.turn(dialogue, number)
        if turn_hash(turn) != used:
            yield turn


def _what(store: RunStore, turn: Turn) -> str:
    used = store.asked(turn.dialogue, turn.turn)
    query, now = used.query, turn.query
    if query != now:
        return f"its words were “{_around(query, now)}” and are now “{_around(now, query)}”"
    before = used.constraints
    groups = sorted({c.group for c in _not_in(before, turn.constraints) + _not_in(turn.constraints, before)})
    if groups:
        return f"its constraints changed: {', '.join(groups)}"
    return f"it was {used.move} on topic {used.topic} and is now {turn.move} on topic {turn.topic.id}"


def _not_in(some: Instruction, others: Instruction) -> Instruction:
    known = [(c.group, dict(c.params)) for c in others]
    return tuple(c for c in some if (c.group, dict(c.params)) not in known)


def _around(text: str, other: str) -> str:
    """The part of a text where it begins to differ from another."""
    same = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    start = max(0, same - _CLIP // 2)
    part = " ".join(text[start : start + _CLIP].split())
    return f"{'…' if start else ''}{part}{'…' if start + _CLIP < len(text) else ''}"


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the run's folder, made where it is missing, for this process alone.

    Raises:
        UsageError: another process evaluates into it, or it is no folder.
        OutsideError: the disk.
    """
    from filelock import FileLock, Timeout

    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is a file; choose another folder")
    lock = FileLock(root / ".lock", timeout=0)
    try:
        root.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"{root} is being evaluated by another process; wait for it or choose another folder"
        ) from None
    except OSError as fault:
        raise OutsideError(f"{root} cannot be used as a run folder ({fault.strerror})") from None
    try:
        yield
    finally:
        lock.release()
