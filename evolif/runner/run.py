"""A run as its reader sees it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from evolif.errors import OutsideError, UsageError
from evolif.instructions import Benchmark, SynthesisRecord, TurnSource, turn_hash
from evolif.judging import CACHE_FILE, Judge, SqliteJudgeCache, open_judge
from evolif.models import ChatModel
from evolif.runner.clients import Clients
from evolif.runner.events import Observer, RunStarted, SessionKey, Spent, TurnWorded
from evolif.runner.fork import fork
from evolif.runner.journal import WriteBatcher
from evolif.runner.records import CostEntry, EarlyEnd, TurnRecord
from evolif.runner.scenario import EvolifScenario, FullHistory
from evolif.runner.scheduler import Recall, SessionScheduler, calm_collector, play_here
from evolif.runner.session import RunContext
from evolif.runner.settings import RunSettings, differences, growth, sessions_of
from evolif.runner.shutdown import Shutdown, run_interruptibly, with_heartbeat
from evolif.runner.store import RunStore
from evolif.types import Instruction, Session, Turn, TurnFacts, Usage


class Run:
    """An evaluation on disk, opened for reading; nothing is held in memory but what is asked for."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self._store.root

    @property
    def store(self) -> RunStore:
        """The run's file, for whoever adds to it."""
        return self._store

    @property
    def settings(self) -> RunSettings:
        """What the run was made with."""
        return self._store.settings

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order they were named."""
        return self.settings.models

    def sessions(self, model: str | None = None) -> list[Session]:
        """All sessions, or those of one model; without those that were kept from beginning, see `unbegun`.

        Verdicts are bare outcomes; what was expected and found stands in `transcripts`.
        """
        return [session for _, session in self._store.sessions(model, unbegun=False)]

    def transcripts(self, model: str) -> Iterator[tuple[Session, list[TurnRecord]]]:
        """Each session of a model with everything said in it; without those that were kept from beginning."""
        for number, session in self._store.sessions(model, unbegun=False):
            yield session, self._store.turns(number)

    def facts(self) -> Iterator[TurnFacts]:
        """Every turn that was asked, whoever answered it, by dialogue and turn: what figures are broken down by."""
        return self._store.facts()

    def costs(self) -> list[Spent]:
        """Calls and tokens per role and model: targets, judges, synthesizers and their checkers."""
        return self._store.costs()

    def faults(self) -> list[tuple[str, int, int, str, str]]:
        """(model, dialogue, turn, kind, message) of every fault, oldest first."""
        return self._store.faults()

    def suspended(self) -> int:
        """How many sessions did not come to an end and can be resumed."""
        endings = self._store.endings()
        return sum(
            number
            for (_, ending, cause), number in endings.items()
            if ending == "suspended" or (ending is None and not cause)
        )

    def unbegun(self) -> dict[str, int]:
        """How many sessions a budget or a stop rule kept from beginning, by cause; they enter no figure."""
        told: dict[str, int] = {}
        for (_, ending, cause), number in self._store.endings().items():
            if ending is None and cause:
                told[cause] = told.get(cause, 0) + number
        return told

    def early_end(self) -> EarlyEnd | None:
        """The stop rule that ended the run early; its figures are then those of the rule's dialogues alone."""
        return self._store.early_end()

    def reasons(self) -> list[tuple[str, str, int]]:
        """(model, reason, sessions) of suspended sessions, the most frequent first."""
        return self._store.reasons()

    def close(self) -> None:
        """Close the file."""
        self._store.close()


def load_run(path: Path | str, *, read_only: bool = False) -> Run:
    """Open a run directory for reading; where `read_only`, nothing at all is written there, not even a lock.

    Raises:
        UsageError: not a run, or one of another version.
    """
    return Run(RunStore.open(Path(path), read_only=read_only))


# Whether a run may be gone on with: the same settings, the same turns, one writer.

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


# A run played: the store opened, what is left of its sessions brought on context, everything closed again.

Notify = Callable[[str], None]
Engine = Callable[[RunContext, Mapping[str, ChatModel], SessionScheduler, Recall], Awaitable[None]]
"""Plays the sessions."""


@dataclass(frozen=True, slots=True)
class RunExecutor:
    """What a run is played with, beside its models."""

    benchmark: Benchmark
    settings: RunSettings
    judges: Sequence[str]
    judge_rule: str
    observe: Observer
    notify: Notify
    on_stop: Callable[[], None]

    def is_complete(self, root: Path) -> bool:
        """Whether a run was begun here and nothing of these settings is left to do.

        Raises:
            UsageError: its settings or its turns are others.
        """
        if not RunStore.begun(root):
            return False
        with closing(RunStore.open(root)) as store:
            refuse_other_settings(store, self.settings)
            refuse_edited(store, self.benchmark)
            return not any(list(self._left(store, model)) for model in self.settings.models)

    def fork(self, source: Path, root: Path) -> None:
        """Start a run from what another shares with these settings; does nothing where it was begun before.

        Raises:
            UsageError: there is no run to start from, or the folder holds something else.
        """
        if RunStore.begun(root):
            return
        with closing(RunStore.open(source)) as store, locked(root):
            shared = fork(store, root, self.settings, first_edits(store, self.benchmark))
        judged = "" if shared.judged or not shared.turns else ", to be judged again"
        self.notify(f"{root} starts with {shared.turns} turns of {shared.sessions} sessions of {source}{judged}.")

    def play(self, root: Path, clients: Clients, shutdown: Shutdown, engine: Engine = play_here) -> None:
        """Play what is left.

        Raises:
            EvolifError: what no session could survive.
            KeyboardInterrupt: stopped by Ctrl-C or SIGTERM.
        """
        with locked(root), closing(self._open_store(root)) as store:
            left = self._enrolled(store)
            batcher = WriteBatcher(store)
            judge = self._judge(root, clients)
            source = TurnSource(
                self.benchmark, clients.wording, notify=self.benchmark.notify, record=self._cost_recorder(batcher)
            )
            scenario = EvolifScenario(source, judge)
            context = RunContext(self.settings, scenario, FullHistory(), batcher, self.observe, shutdown)
            scheduler = SessionScheduler(
                left, {name: _alive(target, clients) for name, target in clients.targets.items()}
            )

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
            refuse_other_settings(store, self.settings)
            more = growth(store.settings, self.settings)
            if more:
                self.notify(f"{root} grows by {more}; what it holds is kept.")
            store.grow(store.settings.grown(self.settings))
        except BaseException:
            store.close()
            raise
        return store

    def _enrolled(self, store: RunStore) -> dict[str, Iterator[SessionKey]]:
        """Write down all sessions and say how many there are; per model, those that are left."""
        models = self.settings.models
        store.enrol(key for model in models for key in sessions_of(self.settings, model))
        whole = len(self.settings.dialogues) * self.settings.epochs
        left = {model: list(self._left(store, model)) for model in models}
        ended = {model: whole - len(keys) for model, keys in left.items()}
        if any(ended.values()):
            self.notify(
                f"{store.root}: {sum(ended.values())} of {whole * len(models)} sessions have ended already; "
                "the others go on."
            )
        self.observe(RunStarted(dict.fromkeys(models, whole), ended))
        return {model: iter(keys) for model, keys in left.items()}

    def _left(self, store: RunStore, model: str) -> Iterator[SessionKey]:
        ended = store.ended(model)
        return (key for key in sessions_of(self.settings, model) if (key.dialogue, key.epoch) not in ended)

    def _judge(self, root: Path, clients: Clients) -> Judge | None:
        cache = SqliteJudgeCache(root / CACHE_FILE) if clients.judges else None
        return open_judge(self.judges, rule=self.judge_rule, opener=clients.judges.__getitem__, cache=cache)

    def _cost_recorder(self, batcher: WriteBatcher) -> Callable[[SynthesisRecord], None]:
        """Writes down what wording a turn cost."""

        def record(told: SynthesisRecord) -> None:
            names = {"synthesizer": told.synthesizer, "checker": self.benchmark.header.spec.checker or "checker"}
            spent = tuple(
                Spent(role, names[role], Usage(cost.prompt_tokens, cost.completion_tokens), cost.calls)
                for role, cost in told.cost.items()
                if cost.calls
            )
            batcher.post(CostEntry(None, told.dialogue, told.turn, spent))
            self.observe(TurnWorded(told.dialogue, told.turn, spent))

        return record


def _alive(target: ChatModel, clients: Clients) -> int:
    """Sessions of a model side by side: twice its requests where a panel is asked too.

    So the model's places are used while answers are being judged; but one that answers one at a time keeps its session.
    """
    return target.connections * (2 if clients.judges and target.connections > 1 else 1)
