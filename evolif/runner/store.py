"""The durable store of a run: one SQLite file; a turn is committed before the next one of its session starts.

The file is in WAL mode with `synchronous=NORMAL`: what is committed survives the death of this process at any point
(SIGKILL included); a loss of power may cost the last commits, never the file. Its tables are in `evolif.runner.schema`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

from evolif.errors import EvolifError, InternalError, OutsideError, UsageError
from evolif.metrics.terms import EDITION, StoredTurns
from evolif.runner.events import SessionKey
from evolif.runner.findings import Bytes, Findings
from evolif.runner.hash_chain import Integrity, Sealer, check_seals
from evolif.runner.kept_terms import TermsReader, TermsWriter, missing
from evolif.runner.lengths import PlayedLengths
from evolif.runner.records import (
    PROMPT_WIDTH,
    PROMPTS,
    STOP_RULE,
    SUM_OF_USAGE,
    TURNS_OF_SESSION,
    WITHHELD,
    AskedAndAnswered,
    AskedKey,
    BareVerdicts,
    EarlyEnd,
    EndEntry,
    SessionState,
    StoredPrompt,
    StoreEntry,
    TurnEntry,
    TurnRecord,
    load_json,
    load_scores,
    prompt_from_row,
    record_from_row,
    store,
)
from evolif.runner.schema import SCHEMA, SCHEMA_VERSION, adapt
from evolif.runner.settings import RunSettings
from evolif.runner.store_file import FILE_NAME, OWN_FILES, connect, disk_faults, stored_settings, write_settings
from evolif.scenario.registry import is_own
from evolif.types import Ending, JudgedTurn, Label, Prompt, Session, Spent, Usage
from evolif.util.suggestions import wrong_folder

_MOST_PROMPTS = 4096
"""Maximum number of prompts kept in memory."""


class RunStore:
    """Reads and writes one run. Not shared between threads."""

    def __init__(self, root: Path, connection: sqlite3.Connection, settings: RunSettings) -> None:
        self.root = root
        self.settings = settings
        self.findings = Findings(root)
        self._connection = connection
        self._prompts: dict[int, Prompt] = {}
        """Prompts read lately, by their number."""
        self._labels: dict[int, Mapping[str, Label]] = {}
        """Labels of prompts by their number; models and epochs share them."""
        self._asked: dict[AskedKey, StoredPrompt] = {}
        """Prompts written lately: other sessions of the dialogue need not encode them again."""
        self._live: dict[int, Prompt] = {}
        """Prompts written lately, by their number."""
        self._sealer = Sealer(connection)
        self._bare = BareVerdicts()
        self._terms = TermsReader(connection)

    @classmethod
    def open(cls, root: Path, *, read_only: bool = False, migrate: bool = True) -> RunStore:
        """Open a run.

        Args:
            root: Its folder.
            read_only: Write nothing, not even a lock; another process may be writing it.
            migrate: Migrate a file of an earlier version; it can be read without.

        Raises:
            UsageError: there is no run, or another version of evolif wrote it.
        """
        if not cls.begun(root, read_only=read_only):
            raise UsageError(wrong_folder(root, "run"))
        with disk_faults(root):
            connection = connect(root, read_only=read_only)
            try:
                adapt(connection, migrate=migrate and not read_only)
                store = cls(root, connection, stored_settings(root, connection))
                store.findings.is_frozen = read_only
                return store
            except BaseException:
                connection.close()
                raise

    @classmethod
    def create(
        cls, root: Path, settings: RunSettings, fill: Callable[[sqlite3.Connection], None] | None = None
    ) -> RunStore:
        """Start a run in an empty or missing folder.

        Args:
            root: The folder.
            settings: Stored with the run.
            fill: Called in the transaction that starts the run.
        """
        with disk_faults(root):
            if root.exists() and (not root.is_dir() or any(p.name not in OWN_FILES for p in root.iterdir())):
                raise UsageError(f"{root} exists and is not a run; choose another folder")
            root.mkdir(parents=True, exist_ok=True)
            connection = connect(root)
            connection.executescript(SCHEMA)
            with connection:  # all at once: a run with settings is complete, see `begun`
                connection.execute("INSERT INTO run VALUES ('schema', ?)", (str(SCHEMA_VERSION),))
                write_settings(connection, settings)
                if fill is not None:
                    fill(connection)
        return cls(root, connection, settings)

    @staticmethod
    def begun(root: Path, *, read_only: bool = False) -> bool:
        """Whether a run was started in the folder; a run killed before it wrote its settings does not count."""
        if not (root / FILE_NAME).is_file():
            return False
        with disk_faults(root), closing(connect(root, read_only=read_only)) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if "run" in tables:
                return connection.execute("SELECT 1 FROM run LIMIT 1").fetchone() is not None
            return bool(tables)  # a foreign database

    def grow(self, settings: RunSettings) -> None:
        """Store settings of a larger extent."""
        if settings == self.settings:
            return
        with disk_faults(self.root), self._connection:
            write_settings(self._connection, settings)
        self.settings = settings

    def enrol(self, sessions: Iterable[SessionKey]) -> None:
        """Add the sessions of the run, so that a report knows about those that never began."""
        with disk_faults(self.root), self._connection:
            self._connection.executemany(
                "INSERT OR IGNORE INTO session (model, dialogue, epoch) VALUES (?, ?, ?)",
                ((key.model, key.dialogue, key.epoch) for key in sessions),
            )

    def ended(self, model: str) -> set[tuple[int, int]]:
        """(dialogue, epoch) of a model's sessions that ended for good.

        A session cut short by a budget or stop rule continues with a larger budget, or without the rule.
        """
        with disk_faults(self.root):
            rows = self._connection.execute(
                "SELECT dialogue, epoch FROM session WHERE model = ?"
                " AND ending IN ('finished', 'censored', 'withheld') AND cause NOT IN ('budget', 'stop rule')",
                (model,),
            )
            return set(rows.fetchall())

    def state(self, key: SessionKey) -> SessionState:
        """An enrolled session with its stored turns."""
        with disk_faults(self.root):
            number, ending, cause = self._connection.execute(
                "SELECT id, ending, cause FROM session WHERE model = ? AND dialogue = ? AND epoch = ?",
                (key.model, key.dialogue, key.epoch),
            ).fetchone()
        return SessionState(number, ending, cause, tuple(self.turns(number)))

    def used_dialogues(self) -> list[int]:
        """The dialogues of which the run has used a prompt, in order."""
        with disk_faults(self.root):
            rows = self._connection.execute("SELECT DISTINCT dialogue FROM asked ORDER BY dialogue")
            return [dialogue for (dialogue,) in rows]

    def longest_session(self, dialogue: int) -> list[AskedAndAnswered]:
        """What was said in the dialogue's session that has the most turns."""
        with self.reading():
            row = self._connection.execute(
                "SELECT session.id FROM session JOIN turn ON turn.session = session.id WHERE dialogue = ?"
                " GROUP BY session.id ORDER BY count(*) DESC, session.id LIMIT 1",
                (dialogue,),
            ).fetchone()
            said = [] if row is None else self._connection.execute(_SAID, row)
            return [
                AskedAndAnswered(self._prompt_of(asked), answer, load_json(notes) if notes else {}, bool(truncated))
                for asked, answer, notes, truncated in said
            ]

    def used_turns(self) -> Iterator[tuple[int, int, str]]:
        """(dialogue, turn, digest) of every fixed prompt that the run has used, in order."""
        with disk_faults(self.root):
            sql = "SELECT dialogue, turn, digest FROM asked WHERE fixed ORDER BY dialogue, turn"
            yield from self._connection.execute(sql)

    def asked(self, dialogue: int) -> list[Prompt]:
        """Every prompt of a dialogue that the run has used, by turn."""
        with self.reading():
            rows = self._connection.execute(f"{PROMPTS} WHERE dialogue = ? ORDER BY turn, id", (dialogue,))
            return [prompt_from_row(row) for row in rows]

    def prompts(self, after: int = 0) -> Iterator[Prompt]:
        """Every prompt that the run has used, by dialogue and turn; without the first ones that were stored."""
        with self.reading():
            for row in self._connection.execute(f"{PROMPTS} WHERE id > ? ORDER BY dialogue, turn, id", (after,)):
                yield prompt_from_row(row)

    def digests(self) -> dict[tuple[int, int], str]:
        """The digest of every prompt that the run has used, by dialogue and turn; of two the later one."""
        with disk_faults(self.root):
            rows = self._connection.execute("SELECT dialogue, turn, digest FROM asked ORDER BY dialogue, turn, id")
            return {(dialogue, turn): digest for dialogue, turn, digest in rows}

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The file, to read; a row that is not as it was written becomes an error that names it.

        Raises:
            UsageError: there is such a row.
        """
        try:
            with disk_faults(self.root):
                yield self._connection
        except (ValueError, LookupError, TypeError, AttributeError) as fault:
            named = self.integrity(afresh=True).named or f"a row cannot be read ({type(fault).__name__})"
            raise UsageError(_edited(self.root, named)) from None

    def _prompt(self, row: Sequence[Any]) -> Prompt:
        """The prompt of a row; models and epochs share it."""
        number = row[0]
        if number not in self._prompts:
            if len(self._prompts) >= _MOST_PROMPTS:
                self._prompts.clear()
            self._prompts[number] = prompt_from_row(row)
        return self._prompts[number]

    def _prompt_of(self, number: int) -> Prompt:
        """A prompt by its number."""
        return self._prompts.get(number) or self._prompt(
            self._connection.execute(f"{PROMPTS} WHERE id = ?", (number,)).fetchone()
        )

    def turns(self, session: int) -> list[TurnRecord]:
        """The answered turns of a session, in order."""
        with self.reading():
            rows = self._connection.execute(TURNS_OF_SESSION, (session,))
            return [record_from_row(self._prompt(row[:PROMPT_WIDTH]), row[PROMPT_WIDTH:]) for row in rows]

    def write(self, entries: Iterable[StoreEntry]) -> None:
        """Make entries durable, all or none.

        Raises:
            OutsideError: the disk.
            EvolifError: an entry that the store refuses.
        """
        if len(self._asked) >= _MOST_PROMPTS:
            self._asked.clear()
            self._live.clear()
        try:
            with disk_faults(self.root), self._connection:
                ended = []
                for entry in entries:
                    store(self._connection, entry, self._asked, self._sealer)
                    if isinstance(entry, TurnEntry):
                        self._live[self._asked[entry.key].number] = entry.prompt
                    elif isinstance(entry, EndEntry) and entry.ending is not None:
                        ended.append(entry.session)
                for session in ended:
                    self._keep_terms(session)
        except (sqlite3.InterfaceError, OverflowError, ValueError, TypeError) as fault:
            self._forget()
            raise InternalError(f"the store of {self.root} cannot store a value ({fault})") from None
        except BaseException:
            self._forget()
            raise

    @contextmanager
    def copying(self) -> Iterator[sqlite3.Connection]:
        """A transaction for rows of another run, which are written as they are."""
        try:
            with disk_faults(self.root), self._connection:
                yield self._connection
        finally:
            self._forget()

    def _forget(self) -> None:
        """Forget what was not committed."""
        self._asked.clear()
        self._live.clear()
        self._sealer.forget()

    def sessions(
        self, model: str | None = None, *, unbegun: bool = True, lazily: bool = False
    ) -> Iterator[tuple[int, Session]]:
        """Every session with its judged turns, in the order of models, epochs and dialogues.

        Verdicts omit their texts, which `turns` includes, to save memory for large runs.

        Args:
            model: Only sessions of this model.
            unbegun: Include sessions that a budget or stop rule prevented.
            lazily: Read turns only when somebody looks at them, as long as this store is open, see
                `evolif.metrics.terms`; figures are the same.
        """
        order = {name: i for i, name in enumerate(self.settings.models)}
        with self.reading():
            rows = self._connection.execute(
                "SELECT id, model, dialogue, epoch, ending, reason, cause, session.seal, data, terms.seal FROM session"
                " LEFT JOIN terms ON terms.session = session.id AND edition = ? AND ending IS NOT NULL AND ?"
                " WHERE ? IN (model, '') AND (? OR ending IS NOT NULL OR cause = '')",
                (EDITION, lazily, model or "", unbegun),
            ).fetchall()
            rows.sort(key=lambda row: (order[row[1]], row[3], row[2]))
            lengths = PlayedLengths(
                self.settings,
                self._connection,
                lambda own: _judged(self.judged_turns(own)),
                [(row[2], row[4], row[6]) for row in rows],
            )
            for number, name, dialogue, epoch, ending, reason, cause, *kept in rows:
                terms = self._terms.read(number, *kept)
                turns: Sequence[JudgedTurn]
                if terms is None:
                    turns = self.judged_turns(number)
                    not_judged = sum(turn.seat == "target" for turn in turns) - _judged(turns)
                else:
                    turns = StoredTurns(terms, partial(self.judged_turns, number))
                    not_judged = len(terms.outcomes) - terms.judged
                cap = lengths.cap(dialogue, not_judged)
                patience = self.settings.patience
                yield number, Session(name, dialogue, epoch, patience, ending, reason, turns, cause, (), cap)

    def judged_turns(self, session: int) -> tuple[JudgedTurn, ...]:
        """The judged turns of a session, by its number, with bare outcomes."""
        with self.reading():
            return tuple(self._judged_turns(session))

    def _judged_turns(self, session: int) -> Iterator[JudgedTurn]:
        for turn, verdicts, scores, number, labels, seat, digest in self._connection.execute(_JUDGED, (session,)):
            if verdicts is None:
                return
            if number not in self._labels:
                self._labels[number] = load_json(labels)
            yield JudgedTurn(turn, self._bare(verdicts), self._labels[number], load_scores(scores), seat, digest)

    def keep_terms(self) -> None:
        """Work out what figures need of each ended session of which it is not kept, see `evolif.metrics.terms`."""
        with disk_faults(self.root), self._connection:
            for number in missing(self._connection):
                self._keep_terms(number)

    def stale_terms(self) -> list[int]:
        """The sessions of which what is kept for figures does not follow from their turns; reads the whole file."""
        with disk_faults(self.root):
            kept = [number for (number,) in self._connection.execute("SELECT session FROM terms ORDER BY session")]
            return [number for number in kept if self._terms_writer is None or not self._has_true_terms(number)]

    def _has_true_terms(self, number: int) -> bool:
        written = self._connection.execute("SELECT data FROM terms WHERE session = ?", (number,)).fetchall()
        try:
            found, own = self._worked_out(number)
        except (EvolifError, ValueError, LookupError, TypeError, AttributeError):
            return False
        cells = "SELECT data FROM cells WHERE breakdown = ? AND session = ?"
        return written == [(found,)] and all(
            self._connection.execute(cells, (by, number)).fetchall() == [(data,)] for by, data in own.items()
        )

    def _keep_terms(self, number: int) -> None:
        """Within a transaction; sessions that cannot be worked out are read turn by turn."""
        if self._terms_writer is None:
            return
        try:
            found = self._worked_out(number)
        except sqlite3.Error:
            raise
        except Exception:  # a plug-in's table, or a row that was edited: whoever reads it says so
            return
        self._terms_writer.write(self._connection, number, *found)

    def _worked_out(self, number: int) -> tuple[str, dict[str, str]]:
        """The terms of a session, and its cells by breakdown."""
        assert self._terms_writer is not None
        sql = "SELECT model, dialogue, epoch, ending, reason, cause FROM session WHERE id = ?"
        model, dialogue, epoch, ending, reason, cause = self._connection.execute(sql, (number,)).fetchone()
        turns = tuple(self._judged_turns(number))
        session = Session(model, dialogue, epoch, self.settings.patience, ending, reason, turns, cause)
        asked = [one for (one,) in self._connection.execute(_ASKED_IN_SESSION, (number,))]
        return self._terms_writer.work_out(session, [self._live.get(one) or self._prompt_of(one) for one in asked])

    @cached_property
    def _terms_writer(self) -> TermsWriter | None:
        try:
            return TermsWriter(self.settings)
        except EvolifError:  # the scenario is not installed here
            return None

    @property
    def follows_from_version(self) -> bool:
        """Whether what is found of the run follows from this version's code alone; code of others may change unseen."""
        return is_own(self.settings.scenario) and not self.settings.own_code

    def integrity(self, *, afresh: bool = False) -> Integrity:
        """Whether the turns are as they were written.

        Args:
            afresh: Check all seals even where they were checked before and the file has the same bytes since.
        """
        known = None if afresh else self.findings.integrity()
        return known or self._checked(self.findings.now())

    def _checked(self, now: Bytes | None) -> Integrity:
        found = self._check_seals()
        self.findings.note_integrity(found, now)
        return found

    def _check_seals(self) -> Integrity:
        with disk_faults(self.root):
            return check_seals(self._connection)

    def refuse_edits(self) -> None:
        """Check the seals before anything is built on what is stored.

        Raises:
            UsageError: a row was edited.
        """
        found = self.integrity()
        if found.edited:
            raise UsageError(_edited(self.root, found.named))

    def withheld(self) -> int:
        """How many answers are not there, see `evolif.runner.records.WITHHELD`."""
        with disk_faults(self.root):
            noted = self._connection.execute("SELECT notes FROM turn WHERE notes LIKE ?", (f'%"{WITHHELD}"%',))
            return sum(bool(load_json(notes).get(WITHHELD)) for (notes,) in noted)

    def endings(self) -> dict[tuple[str, Ending | None, str], int]:
        """How many sessions per model, ending and cause."""
        counts = "SELECT model, ending, cause, count(*) FROM session GROUP BY model, ending, cause"
        with disk_faults(self.root):
            rows = self._connection.execute(counts).fetchall()
        return {(model, ending, cause): number for model, ending, cause, number in rows}

    def reasons(self) -> list[tuple[str, str, int]]:
        """(model, reason, sessions) of suspended sessions, the most frequent first."""
        with disk_faults(self.root):
            return self._connection.execute(
                "SELECT model, reason, count(*) AS n FROM session WHERE ending = 'suspended'"
                " GROUP BY model, reason ORDER BY n DESC, model, reason"
            ).fetchall()

    def empty_answers(self) -> dict[tuple[str, int], int]:
        """How many answers of models under test have no text, per model and dialogue; only where there are any."""
        with disk_faults(self.root):
            rows = self._connection.execute(
                "SELECT model, session.dialogue, count(*) FROM turn JOIN session ON session.id = turn.session"
                " JOIN asked ON asked.id = turn.asked"
                " WHERE trim(answer, char(9, 10, 11, 12, 13, 32)) = '' AND seat = 'target'"
                " GROUP BY model, session.dialogue"
            ).fetchall()
        return {(model, dialogue): number for model, dialogue, number in rows}

    def costs(self) -> list[Spent]:
        """Calls and tokens per role and model, without the calls under way."""
        return self._spent("state IS NOT 'open'")

    def under_way(self) -> list[Spent]:
        """Calls with a reservation that nothing has settled yet."""
        return self._spent("state = 'open'")

    def _spent(self, which: str) -> list[Spent]:
        with disk_faults(self.root):
            rows = self._connection.execute(
                "SELECT role, model, sum(calls),"
                " coalesce(sum(calls) FILTER (WHERE prompt_tokens IS NULL), 0),"
                f" coalesce(sum(bound) FILTER (WHERE prompt_tokens IS NULL), 0), {SUM_OF_USAGE}"
                f" FROM call WHERE {which} GROUP BY role, model ORDER BY role, model"
            ).fetchall()
        return [
            Spent(role, model, Usage(*usage), calls, unknown, bound)
            for role, model, calls, unknown, bound, *usage in rows
        ]

    def lose_open_calls(self) -> None:
        """Note that the calls under way were lost: the process that made them is dead."""
        with disk_faults(self.root), self._connection:
            self._connection.execute("UPDATE call SET state = 'lost' WHERE state = 'open'")

    def faults(self) -> list[tuple[str, int, int, str, str]]:
        """(model, dialogue, turn, kind, message) of every fault, oldest first."""
        with disk_faults(self.root):
            return self._connection.execute(
                "SELECT model, dialogue, turn, kind, message FROM fault JOIN session ON session.id = fault.session"
                " ORDER BY fault.id"
            ).fetchall()

    def note_early_end(self, end: EarlyEnd) -> None:
        """Store that a stop rule was satisfied; replaces an earlier note."""
        self.note("early end", end.dump())

    def note_outline(self, outline: str) -> None:
        """Store what the scenario says of dialogues before they are played; an empty text changes nothing."""
        self.note("outline", outline)

    def outline(self) -> str:
        """What the scenario said of the dialogues; empty if it said nothing."""
        return self.noted("outline")

    def note_origin(self, origin: str) -> None:
        """Store how the benchmark was made (`Origin.dump`); an empty text changes nothing."""
        self.note("origin", origin)

    def origin(self) -> str:
        """How the benchmark was made; empty in runs of earlier versions."""
        return self.noted("origin")

    def note_played(self, moment: datetime | None) -> None:
        """Store when answers were last asked for; None changes nothing."""
        self.note("played", "" if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds"))

    def played(self) -> datetime | None:
        """When answers were last asked for, in UTC; None in runs of earlier versions, and where it was edited."""
        try:
            moment = datetime.fromisoformat(self.noted("played"))
            return None if moment.tzinfo is None else moment.astimezone(UTC)
        except (ValueError, OverflowError):
            return None

    def note(self, key: str, text: str) -> None:
        """Store a text under a key, in place of an earlier one; an empty text changes nothing."""
        if text:
            with disk_faults(self.root), self._connection:
                self._connection.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (key, text))

    def noted(self, key: str) -> str:
        """The text stored under a key; empty for none."""
        with disk_faults(self.root):
            row = self._connection.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
        return "" if row is None else str(row[0])

    def noted_end(self) -> EarlyEnd | None:
        """The end that a stop rule noted last, whether or not it has cut anything short."""
        with disk_faults(self.root):
            row = self._connection.execute("SELECT value FROM run WHERE key = 'early end'").fetchone()
        return None if row is None else EarlyEnd.load(row[0])

    def early_end(self) -> EarlyEnd | None:
        """The stop rule's end; None if there was none, or if every session it cut short has been played since."""
        with disk_faults(self.root):
            query = "SELECT EXISTS (SELECT 1 FROM session WHERE cause = ?)"
            (cut,) = self._connection.execute(query, (STOP_RULE,)).fetchone()
        return self.noted_end() if cut else None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _edited(root: Path, named: str) -> str:
    mend = "Restore the file from a copy, or evaluate into a new folder"
    return f"{root / FILE_NAME} was edited after it was written: {named}. {mend}"


_JUDGED = """
SELECT turn.turn, verdicts, scores, asked.id, labels, seat, CASE WHEN fixed THEN '' ELSE digest END
FROM turn JOIN asked ON asked.id = turn.asked
WHERE turn.session = ? ORDER BY turn.turn
"""


_SAID = "SELECT asked, answer, notes, truncated FROM turn WHERE session = ? ORDER BY turn"
_ASKED_IN_SESSION = "SELECT asked FROM turn WHERE session = ? ORDER BY turn"


def _judged(turns: Iterable[JudgedTurn]) -> int:
    """How many turns of the model under test have a judgement."""
    return sum(turn.seat == "target" and bool(turn.judged) for turn in turns)


class StoreWriter(Protocol):
    """Where sessions write: a `WriteBatcher`, or a proxy for it in another process."""

    async def __call__(self, *entries: StoreEntry) -> None:
        """Return once the entries are durable.

        Raises:
            StoreError: nothing can be stored any more.
            EvolifError: these entries cannot be stored.
        """
        ...


class StoreError(OutsideError):
    """The store itself failed: no session can continue."""
