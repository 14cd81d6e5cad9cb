"""Digests of what a run stores: they find rot and careless edits, not somebody who computes them anew (SECURITY.md).

The seal of a turn has two parts of 11 characters. The link is a digest of the prompt, the answer and the link of the
turn before, or of the session's own names at its first turn; so a turn that was removed, moved or exchanged breaks the
chain. The mark is a digest of the link and the judgement, and is missing until the answer is judged: later links do
not depend on it, since answers that were taken over without judgements are judged afterwards. The seal of a session is
a digest of its last link and its end.

Turns stored by versions without seals have none, and are never called edited.
"""

from __future__ import annotations

import sqlite3
from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

LINK = 11
"""Characters of a digest: 8 bytes in base64."""
_NAMED = 3
"""Maximum number of edited rows listed in a sentence."""


def digest_of(values: Iterable[Any]) -> str:
    """A digest of values as SQLite gives them back."""
    return _digest("\x1f".join(map(str, values)))


def _digest(text: str) -> str:
    return b2a_base64(blake2b(text.encode(), digest_size=8).digest(), newline=False)[:LINK].decode()


# The order of columns here and in `_TURNS` is part of the format. Without loops it takes half the time.


def _link_of(previous: str, prompt: str, turn: int, columns: Sequence[Any]) -> str:
    answer, reasoning, truncated, served_by, seconds, notes, tokens, context = columns
    names = f"{previous}\x1f{prompt}\x1f{turn}\x1f{truncated}\x1f{served_by}\x1f{seconds}\x1f{tokens}"
    if context is not None:  # earlier versions stored none
        names = f"{names}\x1f{context}"
    return _digest(f"{names}\x1f{notes}\x1f{reasoning}\x1f{answer}")


def _mark_of(link: str, columns: Sequence[Any]) -> str:
    verdicts, scores, heuristic, records = columns
    return "" if verdicts is None else _digest(f"{link}\x1f{verdicts}\x1f{scores}\x1f{heuristic}\x1f{records}")


class Sealer:
    """Makes the seals of what is written to a run; writes nothing itself."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._links: dict[int, str] = {}
        """The last link of each session that is being written."""

    def forget(self) -> None:
        """Forget what may not have been committed."""
        self._links.clear()

    def turn(self, session: int, turn: int, prompt: str, answer: Sequence[Any], judgement: Sequence[Any]) -> str:
        """The seal of a new turn.

        Args:
            session: Its number.
            turn: The next one of the session.
            prompt: `digest_of` the prompt's columns.
            answer: The columns answer, reasoning, truncated, served_by, seconds, notes, context_tokens and context.
            judgement: The columns verdicts, scores, heuristic and records.
        """
        link = self._links[session] = _link_of(self._last_link(session), prompt, turn, answer)
        return link + _mark_of(link, judgement)

    def judged(self, session: int, turn: int, judgement: Sequence[Any]) -> str | None:
        """The seal of a stored turn once it is judged; None if it is not sealed."""
        [seal] = self._connection.execute(
            "SELECT seal FROM turn WHERE session = ? AND turn = ?", (session, turn)
        ).fetchone() or (None,)
        if seal is None:
            return None
        link = str(seal)[:LINK]
        return link + _mark_of(link, judgement)

    def ended(self, session: int, ending: str | None, cause: str, reason: str) -> str | None:
        """The seal of a session's end; None if the session continues."""
        seal = digest_of((self._last_link(session), ending, cause, reason)) if ending or cause else None
        self._links.pop(session, None)
        return seal

    def _last_link(self, session: int) -> str:
        known = self._links.get(session)
        if known is not None:
            return known
        *names, seal = self._connection.execute(_LAST, (session,)).fetchone()
        return digest_of(names) if seal is None else str(seal)[:LINK]


_LAST = """
SELECT model, dialogue, epoch, (SELECT seal FROM turn WHERE session = session.id ORDER BY turn DESC LIMIT 1)
FROM session WHERE id = ?
"""


@dataclass(frozen=True, slots=True)
class Edit:
    """A place of a run's file that was edited after it was written."""

    model: str | None
    """None if it belongs to no session."""
    dialogue: int | None
    epoch: int | None
    turn: int | None
    """None for a session as a whole."""
    what: str

    def __str__(self) -> str:
        if self.model is None:
            return self.what
        epoch = f", epoch {self.epoch}" if self.epoch != 1 else ""
        turn = f", turn {self.turn}" if self.turn is not None else ""
        return f"{self.model}, dialogue {self.dialogue}{epoch}{turn} ({self.what})"


@dataclass(frozen=True, slots=True)
class Integrity:
    """Whether the turns of a run are as they were written."""

    sealed: int
    """Turns with a seal, whole or broken."""
    not_sealed: int
    """Turns that a version without seals stored: edits of them go unseen."""
    edited: tuple[Edit, ...] = ()

    @property
    def named(self) -> str:
        """What was edited, as a clause: the first places, and how many more there are."""
        more = f"; and {len(self.edited) - _NAMED} more" if len(self.edited) > _NAMED else ""
        return "; ".join(map(str, self.edited[:_NAMED])) + more


_COUNTS = """
SELECT count(*), count(seal), (SELECT count(*) FROM session WHERE seal IS NOT NULL),
       max(coalesce(max(session), 0), (SELECT coalesce(max(id), 0) FROM session)), (SELECT count(*) FROM session)
FROM turn
"""
# Texts as bytes: one that is no longer UTF-8 was edited too.
_PROMPTS = """
SELECT id, dialogue, turn, CAST(digest AS BLOB), fixed, CAST(seat AS BLOB), CAST(messages AS BLOB), CAST(query AS BLOB),
       CAST(payload AS BLOB), CAST(labels AS BLOB), max_tokens
FROM asked
"""
_SESSIONS = """
SELECT id, CAST(model AS BLOB), dialogue, epoch, CAST(ending AS BLOB), CAST(cause AS BLOB), CAST(reason AS BLOB),
       CAST(seal AS BLOB)
FROM session ORDER BY id
"""
_TURNS = """
SELECT turn, CAST(seal AS BLOB), asked, CAST(answer AS BLOB), CAST(reasoning AS BLOB), truncated,
       CAST(served_by AS BLOB), seconds, CAST(notes AS BLOB), context_tokens, CAST(context AS BLOB),
       CAST(verdicts AS BLOB), CAST(scores AS BLOB), CAST(heuristic AS BLOB), CAST(records AS BLOB)
FROM turn WHERE session = ? ORDER BY turn
"""


def check_seals(connection: sqlite3.Connection) -> Integrity:
    """Compare all seals of a run with what is stored; writes nothing, and another process may be writing."""
    connection.execute("BEGIN")  # one view of the file, for all of the queries
    try:
        turns, sealed, ends, last, sessions = connection.execute(_COUNTS).fetchone()
        missing = last - sessions  # none is ever removed, so their numbers have no gaps
        edited = tuple(_edits(connection, missing)) if sealed or ends else ()
    finally:
        connection.commit()
    return Integrity(sealed, turns - sealed, edited)


def _edits(connection: sqlite3.Connection, missing: int) -> Iterator[Edit]:
    if missing:
        yield Edit(None, None, None, None, f"{missing} session{'s are' if missing > 1 else ' is'} missing")
    prompts = {row[0]: digest_of(_read(row[1:])) for row in connection.execute(_PROMPTS)}
    for row in connection.execute(_SESSIONS).fetchall():
        number, *names, ending, cause, reason, seal = _read(row)
        chain = _Chain(names, prompts)
        for columns in map(_read, connection.execute(_TURNS, (number,))):
            what = chain.next(columns)
            if what:
                yield chain.edit(columns[0], what)
        over = bool(ending or cause)
        if seal is None:
            whole = not (over and chain.is_sealed)
        else:
            whole = over and seal == digest_of((chain.link, ending, cause, reason))
        if not whole:
            yield chain.edit(None, "how it ended, or its last turns")


def _read(row: Iterable[Any]) -> list[Any]:
    return [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in row]


class _Chain:
    """Follows the links of a session as they are stored, so that one edit is named once."""

    def __init__(self, names: Sequence[Any], prompts: dict[int, str]) -> None:
        self._names = names
        self._prompts = prompts
        self._first = self.link = digest_of(names)
        self._expected = 1
        self.is_sealed = False
        """Whether a turn has a seal."""

    def next(self, row: Sequence[Any]) -> str:
        """What was edited in the next turn, a row of `_TURNS`; empty if nothing was."""
        turn, seal, asked, *columns = row
        before, self._expected = self._expected, turn + 1 if isinstance(turn, int) else 0
        previous, self.link = self.link, self._first
        if seal is None:
            return ""
        self.is_sealed, self.link = True, seal[:LINK]
        answer, judgement = columns[:8], columns[8:]
        if self.link != _link_of(previous, self._prompts.get(asked, ""), turn, answer):
            return "its query, its answer or its place" if turn == before else "the turns before it"
        return "" if seal == self.link + _mark_of(self.link, judgement) else "its verdicts"

    def edit(self, turn: int | None, what: str) -> Edit:
        """An edit of this session."""
        model, dialogue, epoch = self._names
        return Edit(model, dialogue, epoch, turn, what)
