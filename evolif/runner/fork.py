"""A new run from what an old one shares with it: turns that would be asked, and were answered, just the same.

A conversation is decided by the model, where it is asked, what it is asked and how it samples; the judge, the patience
and the cap only decide how far it goes. So answers are shared up to the first turn of the benchmark that was edited,
verdicts where judge and reading rules are the same; without verdicts the answers are judged again, and none is asked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evolif.runner.session import step
from evolif.runner.settings import RunSettings, different_fields, moved_models
from evolif.runner.store import RunStore
from evolif.types import Ending, Session

_OF_ANSWERS = frozenset({"system_prompt", "context", "temperature", "max_tokens", "seed"})
_OF_VERDICTS = frozenset({"judge", "judge_endpoints", "reading_rules"})


@dataclass(slots=True)
class Shared:
    """What went over into the new run."""

    turns: int = 0
    sessions: int = 0
    judged: bool = True
    """Whether verdicts went along."""


def fork(source: RunStore, root: Path, settings: RunSettings, edited: Mapping[int, int]) -> Shared:
    """Start a run in `root` with what it shares with another.

    Args:
        source: The other run.
        root: The new run's folder, empty or missing.
        settings: The new run's.
        edited: Per dialogue, the first turn that is no longer the one which `source` used.

    Raises:
        UsageError: the folder holds something else.
        OutsideError: the disk.
    """
    different = set(different_fields(source.settings, settings))
    shared = Shared(judged=not different & _OF_VERDICTS)
    models = set(settings.models) & set(source.settings.models) - set(moved_models(source.settings, settings))
    if different & _OF_ANSWERS:
        models = set()

    def fill(connection: sqlite3.Connection) -> None:
        for number, session in source.sessions():
            if session.model in models and session.dialogue in settings.dialogues and session.epoch <= settings.epochs:
                answered, cause = connection.execute(_SESSION, (number,)).fetchone()
                upto = min(answered, settings.max_turns, edited.get(session.dialogue, answered + 1) - 1)
                end = _FURTHER
                if shared.judged:
                    upto, end = _end(session, upto, settings, cause if upto == answered else "")
                _copy(connection, (number, session.dialogue), upto, end, judged=shared.judged)
                shared.turns += upto
                shared.sessions += upto > 0

    RunStore.create(root, settings, fill, source.root).close()
    return shared


_End = tuple[Ending | None, str, str]
_FURTHER: _End = (None, "", "")

_SESSION = "SELECT (SELECT count(*) FROM source.turn WHERE session = id), cause FROM source.session WHERE id = ?"


def _end(session: Session, upto: int, settings: RunSettings, cause: str) -> tuple[int, _End]:
    """How far a session goes under the new settings, and its end there where it has one.

    Args:
        session: As the source has it.
        upto: Its turns that may be shared.
        settings: The new run's.
        cause: Why it ended in the source; empty where its last turns are not shared.
    """
    patience = settings.patience
    for number, turn in enumerate(session.turns[:upto], 1):
        patience = step(patience, settings.patience, turn.judged)
        if patience == 0:
            return number, ("finished", "patience", "patience exhausted")
    if len(session.turns) >= upto == settings.max_turns:
        return upto, ("censored", "cap", f"the cap of {upto} turns")
    return upto, (session.ending, cause, session.reason) if cause in ("context", "content filter") else _FURTHER


def _copy(connection: sqlite3.Connection, source: tuple[int, int], upto: int, end: _End, *, judged: bool) -> None:
    """Copy a session, given by its number and dialogue, up to a turn."""
    number, dialogue = source
    fresh = connection.execute(
        "INSERT INTO session (model, dialogue, epoch, ending, cause, reason)"
        " SELECT model, dialogue, epoch, ?, ?, ? FROM source.session WHERE id = ?",
        (*end, number),
    ).lastrowid
    connection.execute(
        "INSERT OR IGNORE INTO asked SELECT * FROM source.asked WHERE dialogue = ? AND turn <= ?", (dialogue, upto)
    )
    verdicts = "verdicts, heuristic, scores" if judged else "NULL, '[]', ''"
    connection.execute(
        f"INSERT INTO turn SELECT ?, turn, answer, reasoning, truncated, served_by, seconds, {verdicts}"
        " FROM source.turn WHERE session = ? AND turn <= ?",
        (fresh, number, upto),
    )
