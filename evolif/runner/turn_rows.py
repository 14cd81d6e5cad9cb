"""The answered turns of a run in batches of plain columns, for tables: no object per turn, and little in memory."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evolif.runner.records import OWN_TOKENS, PROMPTS, prompt_from_row
from evolif.runner.store import RunStore
from evolif.types import Ending, Prompt, Seat

MOST_TURNS, MOST_TEXT = 2048, 8 << 20
"""A batch ends with the session that brings it to so many turns or characters, whichever is first."""
_PAGE = 512
"""Numbers of prompts that are marked together; they may be far apart in a file that another program wrote."""


class SessionRow(NamedTuple):
    """A session that began, without its turns."""

    number: int
    model: str
    dialogue: int
    epoch: int
    ending: Ending | None
    cause: str
    reason: str


class TurnColumns(NamedTuple):
    """Columns of the answered turns of some sessions, as the store has them; each has a value per turn."""

    turn: Sequence[int]
    asked: Sequence[int]
    """Numbers of prompts in the store."""
    seat: Sequence[Seat]
    answer: Sequence[str]
    reasoning: Sequence[str]
    truncated: Sequence[int]
    served_by: Sequence[str]
    seconds: Sequence[float]
    verdicts: Sequence[str | None]
    """JSON text; None for an answer that is not judged yet."""
    scores: Sequence[str]
    records: Sequence[str]
    prompt_tokens: Sequence[int]
    completion_tokens: Sequence[int]


@dataclass(frozen=True, slots=True)
class TurnBatch:
    """Whole sessions with their answered turns; there is at least one turn."""

    sessions: tuple[SessionRow, ...]
    lengths: tuple[int, ...]
    """How many turns each session has; those without any are left out."""
    turns: TurnColumns

    def __len__(self) -> int:
        return len(self.turns.turn)

    def spread(self) -> Iterator[SessionRow]:
        """The session of each turn."""
        for session, length in zip(self.sessions, self.lengths, strict=True):
            for _ in range(length):
                yield session


def turn_batches(store: RunStore) -> Iterator[TurnBatch]:
    """The answered turns by model, epoch, dialogue and turn, as `Run.transcripts` gives them.

    Raises:
        UsageError: the file was edited so that it cannot be read.
        OutsideError: the disk.
    """
    sessions: list[SessionRow] = []
    lengths: list[int] = []
    rows: list[Sequence[Any]] = []
    text = 0
    with store.reading() as connection:
        for session in _sessions(connection, store.settings.models):
            own = connection.execute(_TURNS, (session.number,)).fetchall()
            if not own:
                continue
            sessions.append(session)
            lengths.append(len(own))
            rows += own
            text += sum(len(value) for row in own for value in row if isinstance(value, str))
            if len(rows) >= MOST_TURNS or text >= MOST_TEXT:
                yield TurnBatch(tuple(sessions), tuple(lengths), TurnColumns(*zip(*rows, strict=True)))
                sessions, lengths, rows, text = [], [], [], 0
        if rows:
            yield TurnBatch(tuple(sessions), tuple(lengths), TurnColumns(*zip(*rows, strict=True)))


def first_uses(store: RunStore) -> Iterator[tuple[Prompt, bool]]:
    """Each prompt where the run first used it, in the order of `turn_batches`, and whether its answer has scores.

    The first answer with scores is there, too, if its prompt was used before. Raises what `turn_batches` does.
    """
    waiting: list[tuple[int, bool]] = []
    seen: dict[int, bytearray] = defaultdict(lambda: bytearray(_PAGE))
    any_scores = False
    with store.reading() as connection:
        for session in _sessions(connection, store.settings.models):
            for number, scored in connection.execute(_USES, (session.number,)):
                page, place = divmod(number, _PAGE)
                if seen[page][place] and (any_scores or not scored):
                    continue
                seen[page][place], any_scores = 1, any_scores or bool(scored)
                waiting.append((number, bool(scored)))
            if len(waiting) >= MOST_TURNS:
                yield from _found(store, waiting)
                waiting = []
        yield from _found(store, waiting)


def _found(store: RunStore, uses: Sequence[tuple[int, bool]]) -> Iterator[tuple[Prompt, bool]]:
    prompts = numbered_prompts(store, (number for number, _ in uses))
    for number, scored in uses:
        yield prompts[number], scored


def numbered_prompts(store: RunStore, numbers: Iterable[int]) -> dict[int, Prompt]:
    """Prompts of the store by their numbers.

    Raises:
        UsageError: the file was edited so that it cannot be read.
        OutsideError: the disk.
    """
    with store.reading() as connection:
        rows = connection.execute(_NUMBERED, (json.dumps(sorted(set(numbers))),))
        return {row[0]: prompt_from_row(row) for row in rows}


def _sessions(connection: sqlite3.Connection, models: Sequence[str]) -> Iterator[SessionRow]:
    for model in models:
        # Read at once: other statements run between two sessions.
        for row in connection.execute(_SESSIONS, (model,)).fetchall():
            yield SessionRow(*row)


_SESSIONS = """
SELECT id, model, dialogue, epoch, ending, cause, reason FROM session
WHERE model = ? AND (ending IS NOT NULL OR cause = '') ORDER BY epoch, dialogue
"""
_TURNS = f"""
SELECT turn.turn, turn.asked, asked.seat, answer, reasoning, truncated, served_by, seconds, verdicts, scores, records,
       {OWN_TOKENS.format("prompt_tokens")}, {OWN_TOKENS.format("completion_tokens")}
FROM turn JOIN asked ON asked.id = turn.asked
WHERE turn.session = ? ORDER BY turn.turn
"""
_USES = "SELECT asked, scores <> '' FROM turn WHERE session = ? ORDER BY turn"
_NUMBERED = f"{PROMPTS} WHERE id IN (SELECT value FROM json_each(?))"
