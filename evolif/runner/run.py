"""Runs: `Run` reads one from disk, `RunExecutor` plays, resumes and forks one."""

from __future__ import annotations

import asyncio
import sys
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from evolif.benchmark.files import folder_digest
from evolif.config import EvalConfig
from evolif.contexts import open_strategy
from evolif.errors import EvolifError, ExhaustedError, OutsideError, UsageError
from evolif.judging import CACHE_FILE, Judge, SqliteJudgeCache, open_judge
from evolif.models import spec_of
from evolif.models.cache import excerpt
from evolif.runner.batcher import WriteBatcher
from evolif.runner.clients import Clients
from evolif.runner.events import Observer, RunStarted, SessionKey, TurnWorded
from evolif.runner.floor_beside import FloorBeside, is_worth_it
from evolif.runner.floor_work import FloorWork
from evolif.runner.fork import fork
from evolif.runner.hash_chain import Integrity
from evolif.runner.ledger import Ledger
from evolif.runner.live import LIVE, Live, LiveObserver, read_live, with_pulse
from evolif.runner.progress_table import progress_of, run_table
from evolif.runner.provenance import Origin, origin_of, read_origin
from evolif.runner.records import AskedAndAnswered, EarlyEnd, TurnRecord, with_digest
from evolif.runner.scheduler import MOST_ALIVE, SessionScheduler, calm_collector, play_here
from evolif.runner.session import RunContext, Seats
from evolif.runner.settings import RunSettings, differences, growth, sessions_of
from evolif.runner.shard_folder import collect_shards
from evolif.runner.sharing import RedactedStore, as_stored
from evolif.runner.shutdown import Shutdown, run_interruptibly, run_to_end, with_heartbeat
from evolif.runner.store import RunStore, StoreWriter
from evolif.scenario import Benchmark, Environment, Meter, Scenario, Services, get_scenario
from evolif.text import EDITIONS, plural
from evolif.text.notebook import one_line, or_else
from evolif.types import DEFAULT_RESAMPLES, End, Prompt, Session, Spent
from evolif.util.resource_limits import connections_that_fit, require_descriptors

if TYPE_CHECKING:
    from pandas import DataFrame


class Run:
    """An evaluation on disk, opened for reading; all data is read from the file."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    def __repr__(self) -> str:
        """Its folder, and how far it is; a closed run says no more than its folder."""
        name = f"Run {_folder(self)}"
        return or_else(lambda: one_line(f"{name}: {progress_of(self.settings, self._store.endings())}"), one_line(name))

    def _repr_html_(self) -> str | None:
        """For notebooks, a row per model: how its sessions ended. Figures are left out, since they may take long."""
        return or_else(lambda: run_table(self.settings, self._store.endings(), f"Run {_folder(self)}"), None)

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

    def sessions(self, model: str | None = None, *, lazily: bool = False) -> list[Session]:
        """All sessions, or those of one model; without those that never began, see `unbegun`.

        Verdicts are bare outcomes; `transcripts` includes details.

        Args:
            model: Only sessions of this model.
            lazily: Read turns only when somebody looks at them; the run must stay open as long. Figures are the same,
                and of a large run they are there much sooner.
        """
        return [session for _, session in self._store.sessions(model, unbegun=False, lazily=lazily)]

    def transcripts(self, model: str) -> Iterator[tuple[Session, list[TurnRecord]]]:
        """Each session of a model with its turns; without those that never began."""
        for number, session in self._store.sessions(model, unbegun=False):
            yield session, self._store.turns(number)

    def prompts(self) -> Iterator[Prompt]:
        """Every turn played by any model, by dialogue and turn; for breakdowns."""
        return self._store.prompts()

    def costs(self) -> list[Spent]:
        """Calls and tokens per role and model: targets, judges, synthesizers and their checkers.

        Calls under way are left out, see `RunStore.under_way`.
        """
        return self._store.costs()

    def empty_answers(self) -> dict[tuple[str, int], int]:
        """How many answers of models under test have no text, per model and dialogue; only where there are any."""
        return self._store.empty_answers()

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

    def outline(self) -> str:
        """What its scenario said of its dialogues before they were played, see `Scenario.outline`."""
        return self._store.outline()

    def origin(self) -> Origin | None:
        """How its benchmark was made; None in runs of earlier versions."""
        return read_origin(self._store.origin())

    def played(self) -> datetime | None:
        """When its answers were last asked for, in UTC; None in runs of earlier versions.

        A run that judges the answers of another keeps the other's date.
        """
        return self._store.played()

    def live(self) -> Live | None:
        """What the process says that plays it at the moment, or said last; None if none does."""
        return read_live(self._store.noted(LIVE))

    def early_end(self) -> EarlyEnd | None:
        """The stop rule that ended the run early; its figures then cover only the rule's dialogues."""
        return self._store.early_end()

    def reasons(self) -> list[tuple[str, str, int]]:
        """(model, reason, sessions) of suspended sessions, the most frequent first."""
        return self._store.reasons()

    def integrity(self, *, afresh: bool = False) -> Integrity:
        """Whether the turns are as they were written: which of them were edited.

        Args:
            afresh: Check all seals even where they were checked before and the file has the same bytes since.
        """
        return self._store.integrity(afresh=afresh)

    def turns_frame(self) -> DataFrame:
        """Deprecated: use `evolif.turns_frame(run)`."""
        return _frame("turns_frame")(self)

    def sessions_frame(self, *, terms: bool = False) -> DataFrame:
        """Deprecated: use `evolif.sessions_frame(run)`."""
        return _frame("sessions_frame")(self, terms=terms)

    def metrics_frame(self, *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES) -> DataFrame:
        """Deprecated: use `evolif.metrics_frame(run)`."""
        return _frame("metrics_frame")(self, seed=seed, resamples=resamples)

    def close(self) -> None:
        """Close the file."""
        self._store.close()


def _frame(name: str) -> Callable[..., DataFrame]:
    """A function of the package's own namespace, for the deprecated methods of this name."""
    warnings.warn(f"Run.{name}() is now evolif.{name}(run)", DeprecationWarning, stacklevel=3)
    function: Callable[..., DataFrame] = getattr(sys.modules[__name__.partition(".")[0]], name)
    return function


def _folder(run: Run) -> str:
    """The last part of its path."""
    return run.path.resolve().name or "run"


def load_run(path: Path | str, *, read_only: bool = False) -> Run:
    """Open a run directory for reading; with `read_only`, nothing is written, not even a lock.

    Raises:
        UsageError: not a run, or one of another version.
    """
    store = RedactedStore.open(Path(path), read_only=read_only, migrate=False)
    if store.noted(SAMPLES_OF):
        store.close()
        raise UsageError(
            f"{path} holds more answers to single turns of a run, which do not follow from each other; name the run, "
            "and these answers enter its export with --samples"
        )
    return Run(store)


SAMPLES_OF = "samples of"
"""The note of a store of samples, see `evolif.runner.samples`: the hash of the run that its turns are from."""


Notify = Callable[[str], None]
Engine = Callable[[RunContext, Mapping[str, Seats], SessionScheduler, RunStore], Awaitable[None]]
"""Plays the sessions; gets who speaks in them per model under test, and the run's file."""


@dataclass(frozen=True, slots=True)
class RunExecutor:
    """Plays a run: opens or creates its store, and plays the sessions that have not ended.

    Attributes:
        benchmark: What is played.
        play_options: Options of its scenario.
        settings: What the run stores.
        config: How it was requested.
        observe: Receives all events.
        notify: Called with sentences for the user.
        on_stop: Called when Ctrl-C requests a clean stop.
    """

    benchmark: Benchmark
    play_options: BaseModel
    settings: RunSettings
    config: EvalConfig
    observe: Observer
    notify: Notify
    on_stop: Callable[[], None]

    @property
    def _scenario(self) -> Scenario:
        return get_scenario(self.settings.scenario)

    def is_complete(self, root: Path) -> bool:
        """Whether a run exists here and all sessions of these settings are complete.

        Raises:
            UsageError: the run has other settings or other turns, or its file was edited.
        """
        if not RunStore.begun(root):
            return False
        with closing(RunStore.open(root)) as store:
            _check_settings(store, self.settings)
            store.refuse_edits()
            self._check_prompts(store)
            store.keep_terms()
            return not any(self._sessions_left(store, model) for model in self.settings.models)

    def fork(self, source: Path, root: Path) -> None:
        """Start a run from the part of another that fits these settings; does nothing if already started.

        Raises:
            UsageError: there is no run to start from, its file was edited, or the folder holds something else.
        """
        if RunStore.begun(root):
            return
        with closing(RedactedStore.open(source, migrate=False)) as store:
            store.refuse_edits()
            edited: dict[int, int] = {}
            for before, _ in self._edited(store):
                edited.setdefault(before.dialogue, before.turn)
            with locked(root):
                shared = fork(store, root, self.settings, edited)
        judged = "" if shared.judged or not shared.turns else ", to be rejudged"
        self.notify(
            f"{root} starts with {plural(shared.turns, 'turn')} of {plural(shared.sessions, 'session')} of "
            f"{source}{judged}."
        )

    def play(self, root: Path, clients: Clients, meter: Meter, shutdown: Shutdown, engine: Engine = play_here) -> None:
        """Play the remaining sessions.

        Args:
            root: The run's folder.
            clients: Who is called.
            meter: Counts the calls of models that write prompts.
            shutdown: Says when to stop.
            engine: Plays the sessions.

        Raises:
            EvolifError: what no session can survive.
            KeyboardInterrupt: stopped by Ctrl-C or SIGTERM.
        """
        require_descriptors()
        observe = LiveObserver(shutdown, self.observe, self._length())
        with locked(root), closing(self._open_store(root)) as store:
            if gained := collect_shards(store):
                self.notify(f"{root}: {plural(gained, 'turn')} of a Ray cluster that was stopped are taken over.")
            queues = self._enrol(store, observe)
            store.note_outline(self._scenario.outline(self.benchmark, store.settings.dialogues))
            origin = origin_of(self.benchmark)
            store.note_origin("" if origin is None else origin.dump())
            store.note_played(datetime.now(UTC))
            store.lose_open_calls()
            batcher = WriteBatcher(store)
            ledger = Ledger(batcher)
            judge = self._open_judge(root, clients)
            services = Services(
                judge=judge,
                config=self.config,
                max_turns=self.settings.most_turns,
                dialogues=self.settings.dialogues,
                meter=meter,
                book=partial(self._book, ledger),
                relevance=self.settings.gate,
                reading_rules=self.settings.reading_rules,
                patience=self.settings.patience,
                feedback=self.settings.feedback,
            )
            environment = self._scenario.environment(self.benchmark, self.play_options, services)
            strategy = open_strategy(self.settings.context, models=clients.context)
            work = self._floor_work(store)
            write: StoreWriter = batcher
            if work is not None:
                work.asked(store.prompts())
                write = work.writing(batcher)
            context = RunContext(self.settings, environment, strategy, write, observe, shutdown, ledger)
            limits = clients.limits(partner=bool(self.settings.partner))
            scheduler = SessionScheduler(queues, limits, self._most_alive(clients, sum(limits.values())))

            async def main() -> None:
                idle = None if work is None else asyncio.create_task(work.work())
                try:
                    await engine(context, clients.seats, scheduler, store)
                finally:
                    if idle is not None:
                        idle.cancel()
                        await asyncio.gather(idle, return_exceptions=True)
                    batcher.close()
                if work is not None and not shutdown.all_stopped:
                    if self.config.engine == "ray":
                        work.asked(store.prompts())  # those that came in shards
                    await work.finish(store)

            with calm_collector():
                playing = with_heartbeat(clients.closing(main(), judge, environment, work), shutdown, self.observe)
                told = with_pulse(playing, observe, partial(store.note, LIVE))
                run_interruptibly(told, shutdown, self.on_stop)
        with closing(RunStore.open(root)) as store:
            store.keep_terms()
            store.integrity()  # whoever reads the run next need not check it again

    def _most_alive(self, clients: Clients, wanted: int) -> int:
        """How many sessions may be under way at once, over all models.

        Raises:
            ExhaustedError: more connections were asked for than this system lets a process open.
        """
        settings = self.settings
        sessions = len(settings.dialogues) * settings.epochs * len(settings.models)
        most = max(1, min(wanted, MOST_ALIVE))
        if self.config.engine == "ray":  # its processes have the connections
            return most
        needed = clients.connections(min(sessions, most))
        fit = connections_that_fit(needed)
        if fit >= needed:
            return most
        if self.config.max_connections is not None:
            raise ExhaustedError(
                f"{needed:,} connections at once are more than the {fit:,} that this system lets a process open; raise "
                "its limit of open files (ulimit -Hn), or lower --max-connections"
            )
        return min(most, fit)

    def _floor_work(self, store: RunStore) -> FloorWork | FloorBeside | None:
        """Who works out the floor; None for simulated models, which are never waited for."""
        if all(name.startswith("sim/") for name in self.settings.models):
            return None
        return FloorBeside(store.root) if is_worth_it(store.settings) else FloorWork(store.settings)

    def _length(self) -> float | None:
        """Mean turns of a dialogue that patience does not end, for the time left; None if unknown."""
        try:
            return self._scenario.expected(self.benchmark, self.play_options).turns
        except Exception:  # a plug-in's: an estimate is no reason to end a run
            return None

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

    def _enrol(self, store: RunStore, observe: Observer) -> dict[str, Iterator[SessionKey]]:
        """Store all sessions and report their number; returns the remaining ones per model."""
        models = self.settings.models
        store.enrol(key for model in models for key in sessions_of(self.settings, model))
        total = len(self.settings.dialogues) * self.settings.epochs
        left = {model: self._sessions_left(store, model) for model in models}
        ended = {model: total - len(keys) for model, keys in left.items()}
        if any(ended.values()):
            self.notify(
                f"{store.root}: {sum(ended.values())} of {plural(total * len(models), 'session')} have ended already; "
                "the others continue."
            )
        observe(RunStarted(dict.fromkeys(models, total), ended))
        return {model: iter(keys) for model, keys in left.items()}

    def _sessions_left(self, store: RunStore, model: str) -> list[SessionKey]:
        ended = store.ended(model)
        return [key for key in sessions_of(self.settings, model) if (key.dialogue, key.epoch) not in ended]

    def _open_judge(self, root: Path, clients: Clients) -> Judge | None:
        cache = SqliteJudgeCache(root / CACHE_FILE) if clients.judges else None
        judges = [spec_of(judge) for judge in self.config.judges]
        return open_judge(judges, rule=self.config.judge_rule, opener=clients.judges.__getitem__, cache=cache)

    def _book(self, ledger: Ledger, dialogue: int, turn: int, spent: tuple[Spent, ...]) -> None:
        """Store and report the cost of writing a prompt."""
        ledger.book_words(dialogue, turn, spent)
        self.observe(TurnWorded(dialogue, turn, spent))

    def _check_prompts(self, store: RunStore) -> None:
        """Refuse to resume a run when prompts that it has used were edited."""
        key = folder_digest(self.benchmark.path) if store.follows_from_version else ""
        if key and store.findings.noted(_PROMPTS) == key:
            return  # nothing has changed since they were found to be the same
        edited = list(islice(self._edited(store), _MOST_SHOWN + 1))
        if edited:
            shown = [
                f"turn {before.turn} of dialogue {before.dialogue} ({self._describe_edit(before, now)})"
                for before, now in edited[:_MOST_SHOWN]
            ]
            more = ", and more" if len(edited) > _MOST_SHOWN else ""
            raise UsageError(
                f"{self.benchmark.path} was edited after {store.root} used it: {'; '.join(shown)}{more}. Restore the "
                "turns, start a new run from the shared part with --fork NEW, or choose another folder"
            )
        if key:
            store.findings.note({_PROMPTS: key})

    def _edited(self, store: RunStore) -> Iterator[tuple[Prompt, Prompt | End]]:
        """The prompts that the run used and that would differ now, with what they would be."""
        kept = store.settings
        services = Services(reading_rules=kept.reading_rules, feedback=kept.feedback, patience=kept.patience)
        environment = self._scenario.environment(self.benchmark, self.play_options, services)
        return edited_prompts(store, environment, self.benchmark)

    def _describe_edit(self, before: Prompt, now: Prompt | End) -> str:
        if isinstance(now, End):
            return f"the dialogue now ends before it: {now.reason}"
        if before.query != now.query:
            was, is_ = excerpt(before.query, now.query), excerpt(now.query, before.query)
            return f"its query was “{was}” and is now “{is_}”"
        return self._scenario.presentation.describe_edit(before, now)


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


def as_begun(wanted: RunSettings, root: Path) -> RunSettings:
    """The settings of a run that may exist already, as far as it keeps rules of the version that it began with.

    One begun when the cap counted every turn keeps doing so, one that names local models by their paths keeps these
    names, and the answers of all are read by the edition of the rules that their first ones were read by.

    Args:
        wanted: As planned now.
        root: The run's folder.

    Raises:
        UsageError: it is a run of another version.
    """
    if not RunStore.begun(root):
        return wanted
    with closing(RunStore.open(root, migrate=False)) as store:
        stored = store.settings
    kept = as_stored(wanted, stored)
    if stored.reading_rules in EDITIONS:
        kept = kept.model_copy(update={"reading_rules": stored.reading_rules})
    return kept if kept.cap_counts == "turns" else kept.model_copy(update={"cap_counts": stored.cap_counts})


def _check_settings(store: RunStore, wanted: RunSettings) -> None:
    """Refuse to resume a run with other settings; a larger extent is allowed."""
    different = differences(store.settings, wanted)
    if different:
        raise UsageError(
            f"{store.root} contains a run with other settings: {'; '.join(different)}. Resume it with "
            "the same settings, start a new run from the shared part with --fork NEW, or choose another folder"
        )


_PROMPTS = "prompts"
"""Under what is kept of which benchmark the prompts of a run are those that it would ask now."""
_AT_ONCE = 64
"""Dialogues that are replayed by one event loop."""
_MOST_SHOWN = 3
"""Maximum number of edited turns listed in an error."""


def edited_prompts(
    store: RunStore, environment: Environment, benchmark: Benchmark
) -> Iterator[tuple[Prompt, Prompt | End]]:
    """The stored prompts that an environment would not give again, with what it gives instead.

    What was asked follows from what was said, so the longest session of each dialogue is replayed.
    """
    dialogues, used = set(benchmark.dialogues()), store.used_dialogues()
    for dialogue in used:
        if dialogue not in dialogues:
            raise UsageError(f"{benchmark.path} has no dialogue {dialogue}, which {store.root} used; restore its file")
    for start in range(0, len(used), _AT_ONCE):
        said = {dialogue: store.longest_session(dialogue) for dialogue in used[start : start + _AT_ONCE]}
        replays = run_to_end(_replay_all(environment, said))
        for past, now in zip(said.values(), replays, strict=True):
            for before, prompt in zip(past, now, strict=False):
                if isinstance(prompt, End) or with_digest(prompt).digest != before.prompt.digest:
                    yield before.prompt, prompt


async def _replay_all(
    environment: Environment, said: Mapping[int, Sequence[AskedAndAnswered]]
) -> list[list[Prompt | End]]:
    """What would be asked now after what was said, per dialogue; nothing where that cannot be told."""
    found: list[list[Prompt | End]] = []
    for dialogue, turns in said.items():
        try:
            past = [turn.exchange(environment.heard(turn.prompt, turn.answer)) for turn in turns]
            found.append([await environment.prompt(dialogue, past[:position]) for position in range(len(past))])
        except EvolifError:
            raise
        except Exception:  # a plug-in's: it fails again where the dialogue is played, and suspends that session only
            found.append([])
    return found
