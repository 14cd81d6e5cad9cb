"""Take over the sessions of another run of the same benchmark and settings, as its file has them.

Rows keep their seals, which depend on names and contents and not on the numbers of rows. A session that the run has
already in the same or a longer state stays as it is, so that taking over a file twice changes nothing.

What was paid is counted once. Where both files have the same play of a session (the answers agree, and the time that
each took, too), one is a copy of the other, and calls in both are the same calls. Two plays of a session with the same
answers were both paid: the longer one is the session, and the calls of the other belong to no session; their column
`state` says `elsewhere` and the seal of the turn that they answered.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evolif.errors import UsageError
from evolif.runner.hash_chain import LINK, digest_of
from evolif.runner.settings import differences_between
from evolif.runner.shard_file import Shard, open_shard
from evolif.runner.store import RunStore
from evolif.types import Ending

_Row = tuple[Any, ...]


@dataclass(slots=True)
class Absorbed:
    """What a run took over of another one's file."""

    sessions: int = 0
    """Sessions that the run did not have, or had in a shorter state."""
    turns: int = 0
    """What these have more than the run had before."""
    known: int = 0
    """Sessions that the run had already in the same or a longer state."""


def absorb(store: RunStore, shard: Path) -> Absorbed:
    """Take over the sessions of another run, all of them or none.

    Args:
        store: The run, opened for writing, that nobody else writes; its settings include those of the other.
        shard: The folder of the other run, which is only read. Nobody may be playing it: calls that were under way
            count as lost.

    Raises:
        UsageError: the other run has other settings, other answers or other prompts, was edited, or is none.
        OutsideError: the disk.
    """
    with open_shard(shard) as source:
        return absorb_opened(store, source)


def absorb_opened(store: RunStore, source: Shard) -> Absorbed:
    """`absorb` of an opened file."""
    names = str(store.root), str(source.root)
    different = differences_between(store.settings, source.settings, names)
    if different:
        raise UsageError(f"{names[0]} and {names[1]} are no parts of one run: {'; '.join(different)}")
    source.check()
    with store.copying() as connection:
        return _Copy(store, connection, source).copy()


@dataclass(frozen=True, slots=True)
class _Kept:
    """A session as one of the files has it, without its number."""

    end: tuple[Ending | None, str, str, str | None]
    """Ending, cause, reason and seal."""
    turns: list[_Row]
    """Rows of `_TURNS`."""
    calls: list[_Row]
    """Rows of `_CALLS`."""

    @property
    def is_begun(self) -> bool:
        """Whether anything is known of the session."""
        return bool(self.end[0] or self.end[1] or self.turns or self.calls)

    @property
    def state(self) -> tuple[int, int, bool, bool]:
        """How far it is; of two the one that is further counts."""
        ending, cause, _, _ = self.end
        for_good = ending in ("finished", "censored", "withheld") and cause not in ("budget", "stop rule")
        judged = sum(row[_VERDICTS] is not None for row in self.turns)
        return len(self.turns), judged, for_good, bool(ending or cause)


@dataclass(slots=True)
class _Copy:
    """One file on its way into a run.

    Attributes:
        store: The run.
        connection: To its file, in a transaction.
        source: The other file.
    """

    store: RunStore
    connection: sqlite3.Connection
    source: Shard
    _absorbed: Absorbed = field(default_factory=Absorbed)
    _is_copy: bool = False
    """Whether some of its turns are in the run, too, so that both files have a common past."""
    _breakdowns: list[str] | None = None
    """Those of which the file keeps cells; None while that is unknown."""
    _plays: set[tuple[int, str]] | None = None
    """Dialogue and state of the calls of other plays that the run has; None until it matters."""

    def copy(self) -> Absorbed:
        """Copy everything."""
        self._prompts()
        settings = self.store.settings
        models, dialogues, epochs = set(settings.models), set(settings.dialogues), settings.epochs
        for number, model, dialogue, epoch, *end in self.source.rows(_SESSIONS):
            if model not in models or dialogue not in dialogues or epoch > epochs:
                raise UsageError(
                    f"{self.source.root} has a session of {_named(model, dialogue, epoch)}, which its settings do not "
                    "name; copy it again from where it was made, or leave it out"
                )
            theirs = _Kept((end[0], end[1], end[2], end[3]), *self._rows_of(self.source.rows, number))
            self._session((model, dialogue, epoch), theirs, number)
        self._faults()
        self._wordings()
        return self._absorbed

    def _prompts(self) -> None:
        for row in self.source.rows(f"SELECT {_PROMPT}, {_USED_SEALED} FROM asked ORDER BY id"):
            *columns, has_seals = row
            dialogue, turn, digest, fixed = columns[:4]
            there = self.connection.execute(_ASKED_THERE, (dialogue, turn)).fetchall()
            same = next((one for one in there if one[2] == digest), None)
            if same is None:
                if fixed and any(one[3] for one in there):
                    raise UsageError(
                        f"{self.source.root} asked turn {turn} of dialogue {dialogue} in other words than the runs "
                        "before it: the benchmark was edited in between, or each machine wrote turns of its own. Leave "
                        "it out, and give all machines a copy of one benchmark"
                    )
                self.connection.execute(_INSERT_ASKED, columns)
            elif has_seals and same != tuple(columns):
                raise UsageError(
                    f"{self.source.root} stored turn {turn} of dialogue {dialogue} in other signs than the runs before "
                    "it: another version of evolif wrote it. Play both with one version"
                )

    def _rows_of(self, rows: Callable[[str, Sequence[Any]], Iterable[_Row]], number: int) -> tuple[list[_Row], ...]:
        """The turns and calls of a session."""
        return list(rows(_TURNS, (number,))), list(rows(_CALLS, (number,)))

    def _session(self, names: tuple[str, int, int], theirs: _Kept, place: int) -> None:
        found = self.connection.execute(_SESSION, names).fetchone()
        if found is None:
            insert = "INSERT INTO session (model, dialogue, epoch) VALUES (?, ?, ?)"
            found = (self.connection.execute(insert, names).lastrowid, None, "", "", None)
        number, *end = found
        turns, calls = self._rows_of(self.connection.execute, number)
        ours = _Kept((end[0], end[1], end[2], end[3]), turns, calls)
        is_further = theirs.state > ours.state
        if is_further:
            self._absorbed.sessions += 1
            self._absorbed.turns += len(theirs.turns) - len(ours.turns)
        else:
            self._absorbed.known += 1
        if not ours.is_begun:
            self._write_turns(names, number, theirs)
            self.connection.executemany(_INSERT_CALL, _of(number, theirs.calls))
            self._terms(place, number)
            return
        common = self._common(names, ours, theirs)
        self._is_copy |= bool(common)
        longer, other = (theirs, ours) if is_further else (ours, theirs)
        if is_further:
            self.connection.execute("DELETE FROM turn WHERE session = ?", (number,))
            self._write_turns(names, number, theirs)
            self.connection.execute("DELETE FROM call WHERE session = ?", (number,))
            self.connection.executemany(_INSERT_CALL, _of(number, theirs.calls))
            self._terms(place, number)
        self._other_calls(number, longer, other, common)

    def _common(self, names: tuple[str, int, int], ours: _Kept, theirs: _Kept) -> int:
        """How many turns, from the first, are one and the same in both.

        Raises:
            UsageError: an answer differs.
        """
        common = 0
        for place, (own, other) in enumerate(zip(ours.turns, theirs.turns, strict=False)):
            if own[:_ANSWERED] != other[:_ANSWERED]:
                raise UsageError(
                    f"{self.source.root} has another answer of {_named(*names)}, turn {own[0]}, than the runs before "
                    "it: the session was played twice, and nothing says which of the two counts. Leave one of the runs "
                    "out; with --dialogues each machine plays its own"
                )
            common += common == place and own[:_VERDICTS] == other[:_VERDICTS]
        return common

    def _write_turns(self, names: tuple[str, int, int], number: int, session: _Kept) -> None:
        dialogue = names[1]
        self.connection.executemany(
            _INSERT_TURN, ((number, row[0], dialogue, row[0], *row[1:]) for row in session.turns)
        )
        update = "UPDATE session SET ending = ?, cause = ?, reason = ?, seal = ? WHERE id = ?"
        self.connection.execute(update, (*session.end, number))

    def _terms(self, place: int, number: int) -> None:
        """Take over what is kept of a session for figures; its seal depends on that of the session alone."""
        if self._breakdowns is None:
            self._breakdowns = [name for (name,) in self.source.rows("SELECT DISTINCT breakdown FROM cells")]
        kept = list(self.source.rows(_TERMS, (place,)))
        self.connection.executemany(_INSERT_TERMS, _of(number, kept))
        for name in self._breakdowns if kept else ():
            rows = self.source.rows(_CELLS, (name, place))
            self.connection.executemany(_INSERT_CELLS, ((name, number, *row) for row in rows))

    def _other_calls(self, number: int, longer: _Kept, other: _Kept, common: int) -> None:
        """Keep what calls of the other state have cost that are not calls of this one."""
        both = min(len(longer.turns), len(other.turns))
        links = {row[0]: _link(row) for row in other.turns}
        known = Counter(longer.calls)
        apart: dict[str, list[_Row]] = {}
        for call in other.calls:
            if common < both and call[1] > common:  # those after its last turn go with that
                link = links.get(call[1]) or _link(other.turns[-1])
                apart.setdefault(f"{_ELSEWHERE}{link}", []).append(call)
            elif known[call] > 0:
                known[call] -= 1
            else:
                self.connection.execute(_INSERT_CALL, (number, *call))
        for state, calls in apart.items():
            self._apart(state, [(*call[:_STATE], state, *call[_STATE + 1 :]) for call in calls])

    def _apart(self, state: str, calls: Sequence[_Row]) -> None:
        """Keep calls of another play of a turn, unless they are there."""
        if self._plays is None:
            self._plays = set(self.connection.execute(_PLAYS, (f"{_ELSEWHERE}*",)))
        play = (calls[0][0], state)
        if play not in self._plays:
            self._plays.add(play)
            self.connection.executemany(_INSERT_CALL, _of(None, calls))

    def _faults(self) -> None:
        known = Counter(self.connection.execute(_FAULTS))
        for row in self.source.rows(_FAULTS):
            if known[row] > 0:
                known[row] -= 1
            else:
                self.connection.execute(_INSERT_FAULT, row)

    def _wordings(self) -> None:
        """Keep what the wording of turns has cost: of two machines both, of a run and its copy once."""
        has_turns = next(self.source.rows("SELECT 1 FROM turn LIMIT 1"), None) is not None
        known: Counter[_Row] = Counter()
        if self._is_copy or not has_turns:
            known.update(self.connection.execute(_WORDINGS))
        apart: dict[tuple[int, str], list[_Row]] = {}
        for call in self.source.rows(_WORDINGS):
            state = call[_STATE] or ""
            if state.startswith(_ELSEWHERE):
                apart.setdefault((call[0], state), []).append(call)
            elif known[call] > 0:
                known[call] -= 1
            else:
                self.connection.execute(_INSERT_CALL, (None, *call))
        of_dialogue: dict[int, list[int]] = {}
        for number, dialogue in self.connection.execute("SELECT id, dialogue FROM session") if apart else ():
            of_dialogue.setdefault(dialogue, []).append(number)
        for (dialogue, state), calls in apart.items():
            link, turn = state.removeprefix(_ELSEWHERE), calls[0][1]
            sessions = of_dialogue.get(dialogue, ())
            if not any(self.connection.execute(_IS_PLAY, (one, turn, LINK, link)).fetchone() for one in sessions):
                self._apart(state, calls)  # else that play is the session here


def _of(session: int | None, rows: Iterable[_Row]) -> Iterator[_Row]:
    return ((session, *row) for row in rows)


def _named(model: str, dialogue: int, epoch: int) -> str:
    return f"{model}, dialogue {dialogue}{f', epoch {epoch}' if epoch != 1 else ''}"


def _link(row: _Row) -> str:
    """Identifies the play of a turn: the link of its seal, or a digest of the same where it has none."""
    return str(row[-1])[:LINK] if row[-1] is not None else digest_of(row[:_VERDICTS])


_PROMPT = "dialogue, turn, digest, fixed, seat, messages, query, payload, labels, max_tokens"
_USED_SEALED = "EXISTS (SELECT 1 FROM turn WHERE seal IS NOT NULL)"
_ASKED_THERE = f"SELECT {_PROMPT} FROM asked WHERE dialogue = ? AND turn = ?"
_INSERT_ASKED = f"INSERT INTO asked ({_PROMPT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_SESSIONS = """
SELECT id, model, dialogue, epoch, ending, cause, reason, seal FROM session
WHERE ending IS NOT NULL OR cause <> '' OR EXISTS (SELECT 1 FROM turn WHERE session = session.id)
   OR EXISTS (SELECT 1 FROM call WHERE session = session.id) OR id IN (SELECT session FROM fault)
ORDER BY id
"""
"""Those of which anything is known."""
_SESSION = "SELECT id, ending, cause, reason, seal FROM session WHERE model = ? AND dialogue = ? AND epoch = ?"

_COLUMNS = """answer, reasoning, truncated, served_by, seconds, notes, context_tokens, context, verdicts, scores,
       heuristic, records, seal"""
_ANSWERED, _VERDICTS = 3, 10
"""In a row of `_TURNS`, where the turn, its prompt and its answer end, and where its judgement begins."""
_TURNS = f"""
SELECT turn.turn, digest, {_COLUMNS} FROM turn JOIN asked ON asked.id = turn.asked WHERE session = ? ORDER BY turn.turn
"""
_INSERT_TURN = f"""
INSERT INTO turn (session, turn, asked, {_COLUMNS})
VALUES (?, ?, (SELECT id FROM asked WHERE dialogue = ? AND turn = ? AND digest = ?),
        ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

_TERMS = "SELECT edition, data, seal FROM terms WHERE session = ?"
_INSERT_TERMS = "INSERT OR REPLACE INTO terms (session, edition, data, seal) VALUES (?, ?, ?, ?)"
_CELLS = "SELECT data, seal FROM cells WHERE breakdown = ? AND session = ?"
_INSERT_CELLS = "INSERT OR REPLACE INTO cells (breakdown, session, data, seal) VALUES (?, ?, ?, ?)"

_ELSEWHERE = "elsewhere "
_CALL = """dialogue, turn, role, model, calls, prompt_tokens, completion_tokens,
       {}, bound, cached_tokens, reasoning_tokens, image_tokens"""
_STATE = 7
"""Its place in a row of `_CALLS`."""
# The process that had calls under way is dead, so they were lost.
_LOST = "CASE WHEN state = 'open' THEN 'lost' ELSE state END"
_SELECT_CALL = f"SELECT {_CALL.format(_LOST)} FROM call WHERE session"
_CALLS = f"{_SELECT_CALL} = ? ORDER BY id"
_WORDINGS = f"{_SELECT_CALL} IS NULL ORDER BY id"
_INSERT_CALL = f"INSERT INTO call (session, {_CALL.format('state')}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PLAYS = "SELECT DISTINCT dialogue, state FROM call WHERE session IS NULL AND state GLOB ?"
_IS_PLAY = "SELECT 1 FROM turn WHERE session = ? AND turn = ? AND substr(seal, 1, ?) = ?"

_FAULTS = """
SELECT model, dialogue, epoch, turn, role, kind, message FROM fault JOIN session ON session.id = fault.session
ORDER BY fault.id
"""
_INSERT_FAULT = """
INSERT INTO fault (session, turn, role, kind, message)
VALUES ((SELECT id FROM session WHERE model = ? AND dialogue = ? AND epoch = ?), ?, ?, ?, ?)
"""
