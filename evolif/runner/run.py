"""Runs: `Run` reads one from disk, `RunExecutor` plays, resumes and forks one."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from evolif.errors import OutsideError, UsageError
from evolif.instructions import Benchmark, SynthesisRecord, TurnSource, turn_hash
from evolif.judging import CACHE_FILE, Judge, SqliteJudgeCache, open_judge
from evolif.models import ChatModel, excerpt
from evolif.runner.clients import Clients
from evolif.runner.events import Observer, RunStarted, SessionKey, TurnWorded
from evolif.runner.records import CostEntry, EarlyEnd, TurnRecord
from evolif.runner.scenario import EvolifScenario, FullHistory
from evolif.runner.scheduler import Recall, SessionScheduler, calm_collector, play_here
from evolif.runner.session import RunContext, step
from evolif.runner.settings import RunSettings, differences, different_fields, growth, moved_models, sessions_of
from evolif.runner.shutdown import Shutdown, run_interruptibly, with_heartbeat
from evolif.runner.store import RunStore, WriteBatcher
from evolif.turns import Turn
from evolif.types import Ending, Prompt, Session, Spent, Usage


class Run:
    """An evaluation on disk, opened for reading; all data is read from the file."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self._store.root

    @property
    def store(self) -> RunStore:
        """The run's file."""
        return self._store

    @property
    def settings(self) -> RunSettings:
        """The settings of the run."""
        return self._store.settings

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order they were named."""
        return self.settings.models

    def sessions(self, model: str | None = None) -> list[Session]:
        """All sessions, or those of one model; without those that never began, see `unbegun`.

        Verdicts are bare outcomes; `transcripts` includes details.
        """
        return [session for _, session in self._store.sessions(model, unbegun=False)]

    def transcripts(self, model: str) -> Iterator[tuple[Session, list[TurnRecord]]]:
        """Each session of a model with its turns; without those that never began."""
        for number, session in self._store.sessions(model, unbegun=False):
            yield session, self._store.turns(number)

    def prompts(self) -> Iterator[Prompt]:
        """Every turn played by any model, by dialogue and turn; for breakdowns."""
        return self._store.prompts()

    def costs(self) -> list[Spent]:
        """Calls and tokens per role and model: targets, judges, synthesizers and their checkers."""
        return self._store.costs()

    def faults(self) -> list[tuple[str, int, int, str, str]]:
        """(model, dialogue, turn, kind, message) of every fault, oldest first."""
        return self._store.faults()

    def suspended(self) -> int:
        """How many sessions did not end and can be resumed."""
        endings = self._store.endings()
        return sum(
            number
            for (_, ending, cause), number in endings.items()
            if ending == "suspended" or (ending is None and not cause)
        )

    def unbegun(self) -> dict[str, int]:
        """How many sessions never began because of a budget or stop rule, by cause; they enter no figure."""
        counts: Counter[str] = Counter()
        for (_, ending, cause), number in self._store.endings().items():
            if ending is None and cause:
                counts[cause] += number
        return dict(counts)

    def early_end(self) -> EarlyEnd | None:
        """The stop rule that ended the run early; its figures then cover only the rule's dialogues."""
        return self._store.early_end()

    def reasons(self) -> list[tuple[str, str, int]]:
        """(model, reason, sessions) of suspended sessions, the most frequent first."""
        return self._store.reasons()

    def close(self) -> None:
        """Close the file."""
        self._store.close()


def load_run(path: Path | str, *, read_only: bool = False) -> Run:
    """Open a run directory for reading; with `read_only`, nothing is written, not even a lock.

    Raises:
        UsageError: not a run, or one of another version.
    """
    return Run(RunStore.open(Path(path), read_only=read_only))


Notify = Callable[[str], None]
Engine = Callable[[RunContext, Mapping[str, ChatModel], SessionScheduler, Recall], Awaitable[None]]
"""Plays the sessions."""


@dataclass(frozen=True, slots=True)
class RunExecutor:
    """Plays a run: opens or creates its store, and plays the sessions that have not ended."""

    benchmark: Benchmark
    settings: RunSettings
    judges: Sequence[str]
    judge_rule: str
    observe: Observer
    notify: Notify
    on_stop: Callable[[], None]

    def is_complete(self, root: Path) -> bool:
        """Whether a run exists here and all sessions of these settings are complete.

        Raises:
            UsageError: the run has other settings or other turns.
        """
        if not RunStore.begun(root):
            return False
        with closing(RunStore.open(root)) as store:
            _check_settings(store, self.settings)
            _check_turns(store, self.benchmark)
            return not any(self._sessions_left(store, model) for model in self.settings.models)

    def fork(self, source: Path, root: Path) -> None:
        """Start a run from the part of another that fits these settings; does nothing if already started.

        Raises:
            UsageError: there is no run to start from, or the folder holds something else.
        """
        if RunStore.begun(root):
            return
        with closing(RunStore.open(source)) as store, locked(root):
            edited: dict[int, int] = {}
            for turn in _edited_turns(store, self.benchmark):
                edited.setdefault(turn.dialogue, turn.turn)
            shared = _fork(store, root, self.settings, edited)
        judged = "" if shared.judged or not shared.turns else ", to be rejudged"
        self.notify(f"{root} starts with {shared.turns} turns of {shared.sessions} sessions of {source}{judged}.")

    def play(self, root: Path, clients: Clients, shutdown: Shutdown, engine: Engine = play_here) -> None:
        """Play the remaining sessions.

        Raises:
            EvolifError: what no session can survive.
            KeyboardInterrupt: stopped by Ctrl-C or SIGTERM.
        """
        with locked(root), closing(self._open_store(root)) as store:
            queues = self._enrol(store)
            batcher = WriteBatcher(store)
            judge = self._open_judge(root, clients)
            record = partial(self._record_synthesis, batcher)
            source = TurnSource(self.benchmark, clients.wording, notify=self.benchmark.notify, record=record)
            scenario = EvolifScenario(source, judge)
            context = RunContext(self.settings, scenario, FullHistory(), batcher, self.observe, shutdown)
            # Twice a model's requests if a panel judges: its slots are used while answers are being judged. But a model
            # that answers one request at a time gets only one session.
            limits = {
                name: target.connections * (2 if clients.judges and target.connections > 1 else 1)
                for name, target in clients.targets.items()
            }
            scheduler = SessionScheduler(queues, limits)

            async def main() -> None:
                try:
                    await engine(context, clients.targets, scheduler, store.state)
                finally:
                    batcher.close()

            with calm_collector():
                playing = with_heartbeat(clients.closing(main(), judge), shutdown, self.observe)
                run_interruptibly(playing, shutdown, self.on_stop)

    def _open_store(self, root: Path) -> RunStore:
        if not RunStore.begun(root):
            return RunStore.create(root, self.settings)
        store = RunStore.open(root)
        try:
            _check_settings(store, self.settings)
            more = growth(store.settings, self.settings)
            if more:
                self.notify(f"{root} grows by {more}; existing results are kept.")
            store.grow(store.settings.grown(self.settings))
        except BaseException:
            store.close()
            raise
        return store

    def _enrol(self, store: RunStore) -> dict[str, Iterator[SessionKey]]:
        """Store all sessions and report their number; returns the remaining ones per model."""
        models = self.settings.models
        store.enrol(key for model in models for key in sessions_of(self.settings, model))
        total = len(self.settings.dialogues) * self.settings.epochs
        left = {model: self._sessions_left(store, model) for model in models}
        ended = {model: total - len(keys) for model, keys in left.items()}
        if any(ended.values()):
            self.notify(
                f"{store.root}: {sum(ended.values())} of {total * len(models)} sessions have ended already; "
                "the others continue."
            )
        self.observe(RunStarted(dict.fromkeys(models, total), ended))
        return {model: iter(keys) for model, keys in left.items()}

    def _sessions_left(self, store: RunStore, model: str) -> list[SessionKey]:
        ended = store.ended(model)
        return [key for key in sessions_of(self.settings, model) if (key.dialogue, key.epoch) not in ended]

    def _open_judge(self, root: Path, clients: Clients) -> Judge | None:
        cache = SqliteJudgeCache(root / CACHE_FILE) if clients.judges else None
        return open_judge(self.judges, rule=self.judge_rule, opener=clients.judges.__getitem__, cache=cache)

    def _record_synthesis(self, batcher: WriteBatcher, record: SynthesisRecord) -> None:
        """Store and report the cost of writing a turn."""
        names = {"synthesizer": record.synthesizer, "checker": self.benchmark.header.spec.checker or "checker"}
        spent = tuple(
            Spent(role, names[role], Usage(cost.prompt_tokens, cost.completion_tokens), cost.calls)
            for role, cost in record.cost.items()
            if cost.calls
        )
        batcher.post(CostEntry(None, record.dialogue, record.turn, spent))
        self.observe(TurnWorded(record.dialogue, record.turn, spent))


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Lock a run's folder, created if missing, for this process.

    Raises:
        UsageError: another process evaluates into it, or it is not a folder.
        OutsideError: the disk.
    """
    from filelock import FileLock, Timeout

    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is a file; choose a folder")
    lock = FileLock(root / ".lock", timeout=0)
    try:
        root.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"{root} is being evaluated by another process; wait for it to finish or choose another folder"
        ) from None
    except OSError as fault:
        raise OutsideError(f"{root} cannot be used as a run folder ({fault.strerror})") from None
    try:
        yield
    finally:
        lock.release()


def _check_settings(store: RunStore, wanted: RunSettings) -> None:
    """Refuse to resume a run with other settings; a larger extent is allowed."""
    different = differences(store.settings, wanted)
    if different:
        raise UsageError(
            f"{store.root} contains a run with other settings: {'; '.join(different)}. Resume it with "
            "the same settings, start a new run from the shared part with --fork NEW, or choose another folder"
        )


_MOST_SHOWN = 3
"""Maximum number of edited turns listed in an error."""


def _check_turns(store: RunStore, benchmark: Benchmark) -> None:
    """Refuse to resume a run when turns that it has used were edited."""
    edited = list(islice(_edited_turns(store, benchmark), _MOST_SHOWN + 1))
    if edited:
        shown = [f"turn {t.turn} of dialogue {t.dialogue} ({_describe_edit(store, t)})" for t in edited[:_MOST_SHOWN]]
        more = ", and more" if len(edited) > _MOST_SHOWN else ""
        raise UsageError(
            f"{benchmark.path} was edited after {store.root} used it: {'; '.join(shown)}{more}. Restore the turns, "
            "start a new run from the shared part with --fork NEW, or choose another folder"
        )


def _edited_turns(store: RunStore, benchmark: Benchmark) -> Iterator[Turn]:
    """The current turns that differ from those the run used."""
    dialogues = set(benchmark.dialogues())
    for dialogue, number, used in store.used_turns():
        if dialogue not in dialogues:
            raise UsageError(f"{benchmark.path} has no dialogue {dialogue}, which {store.root} used; restore its file")
        turn = benchmark.turn(dialogue, number)
        if turn_hash(turn) != used:
            yield turn


def _describe_edit(store: RunStore, turn: Turn) -> str:
    used = store.asked(turn.dialogue, turn.turn)
    if used.query != turn.query:
        return f"its query was “{excerpt(used.query, turn.query)}” and is now “{excerpt(turn.query, used.query)}”"
    before = [(c["group"], c["params"]) for c in used.payload["constraints"]]
    now = [(c.group, dict(c.params)) for c in turn.constraints]
    groups = {pair[0] for pair in before if pair not in now} | {pair[0] for pair in now if pair not in before}
    if groups:
        return f"its constraints changed: {', '.join(sorted(groups))}"
    before_move, before_topic = used.labels["move"], used.labels["topic"]
    return f"it was {before_move} on topic {before_topic} and is now {turn.move} on topic {turn.topic.id}"


# Forking: a conversation depends on the model, its endpoint, the turns and the sampling; the judge, the patience and
# the cap only determine its length. So answers are copied up to the first edited turn of the benchmark, and verdicts if
# judge and reading rules are the same; answers without verdicts are judged again.

_ANSWER_SETTINGS = frozenset({"system_prompt", "context", "temperature", "max_tokens", "seed"})
_VERDICT_SETTINGS = frozenset({"judge", "judge_endpoints", "reading_rules"})

_End = tuple[Ending | None, str, str]
"""Ending, cause, reason."""
_NOT_ENDED: _End = (None, "", "")


@dataclass(slots=True)
class _Shared:
    turns: int = 0
    sessions: int = 0
    judged: bool = True


def _fork(source: RunStore, root: Path, settings: RunSettings, edited: Mapping[int, int]) -> _Shared:
    """Start a run in `root`; `edited` is, per dialogue, the first turn that differs from the one `source` used."""
    different = set(different_fields(source.settings, settings))
    shared = _Shared(judged=not different & _VERDICT_SETTINGS)
    models = set(settings.models) & set(source.settings.models) - set(moved_models(source.settings, settings))
    if different & _ANSWER_SETTINGS:
        models = set()

    def fill(connection: sqlite3.Connection) -> None:
        for number, session in source.sessions():
            if session.model in models and session.dialogue in settings.dialogues and session.epoch <= settings.epochs:
                answered, cause = connection.execute(_ANSWERED, (number,)).fetchone()
                turns = min(answered, settings.max_turns, edited.get(session.dialogue, answered + 1) - 1)
                end = _NOT_ENDED
                if shared.judged:
                    turns, end = _new_end(session, turns, settings, cause if turns == answered else "")
                _copy_session(connection, (number, session.dialogue), turns, end, judged=shared.judged)
                shared.turns += turns
                shared.sessions += turns > 0

    RunStore.create(root, settings, fill, source.root).close()
    return shared


_ANSWERED = "SELECT (SELECT count(*) FROM source.turn WHERE session = id), cause FROM source.session WHERE id = ?"


def _new_end(session: Session, turns: int, settings: RunSettings, cause: str) -> tuple[int, _End]:
    """How many of its first `turns` a session keeps under the new settings, and its end, if any.

    `cause` says why it ended in the source; it is empty if its last turns are not shared.
    """
    patience = settings.patience
    for number, turn in enumerate(session.turns[:turns], 1):
        patience = step(patience, settings.patience, turn.judged)
        if patience == 0:
            return number, ("finished", "patience", "patience exhausted")
    if len(session.turns) >= turns == settings.max_turns:
        return turns, ("censored", "cap", f"the cap of {turns} turns")
    ended = cause in ("context", "content filter")
    return turns, (session.ending, cause, session.reason) if ended else _NOT_ENDED


def _copy_session(
    connection: sqlite3.Connection, source: tuple[int, int], turns: int, end: _End, *, judged: bool
) -> None:
    """Copy the first turns of a session, given by its number and dialogue."""
    number, dialogue = source
    copy = connection.execute(
        "INSERT INTO session (model, dialogue, epoch, ending, cause, reason)"
        " SELECT model, dialogue, epoch, ?, ?, ? FROM source.session WHERE id = ?",
        (*end, number),
    ).lastrowid
    connection.execute(
        "INSERT OR IGNORE INTO asked SELECT * FROM source.asked WHERE dialogue = ? AND turn <= ?", (dialogue, turns)
    )
    verdicts = "verdicts, heuristic, scores" if judged else "NULL, '[]', ''"
    connection.execute(
        f"INSERT INTO turn SELECT ?, turn, answer, reasoning, truncated, served_by, seconds, {verdicts}"
        " FROM source.turn WHERE session = ? AND turn <= ?",
        (copy, number, turns),
    )
