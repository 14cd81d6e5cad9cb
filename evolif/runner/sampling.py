"""Asking a run's models again: calls that fill a store of samples, within a budget, judged as the run was.

The same call continues after a kill, and with a larger K; what is stored is never asked for again.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from evolif.config import EvalConfig
from evolif.contexts import FullHistory
from evolif.errors import UsageError
from evolif.judging import CACHE_FILE, SqliteJudgeCache, open_judge
from evolif.models import RequestCache, spec_of
from evolif.runner.batcher import WriteBatcher
from evolif.runner.clients import (
    ClientFactory,
    Clients,
    describe_judge,
    endpoint_of,
    is_panel,
    model_name,
    weights_by_name,
)
from evolif.runner.events import Observer, RunStarted, SessionKey, nobody
from evolif.runner.histories import Histories
from evolif.runner.ledger import Ledger
from evolif.runner.live import LIVE, LiveObserver, with_pulse
from evolif.runner.metering import AllowAll, CallPolicy
from evolif.runner.run import SAMPLES_OF, locked
from evolif.runner.samples import Need, SampledSession, Task
from evolif.runner.scheduler import SessionScheduler, play_all
from evolif.runner.session import RunContext, Seats, SessionRunner
from evolif.runner.settings import RunSettings, differences
from evolif.runner.sharing import RedactedStore
from evolif.runner.shutdown import Shutdown, run_interruptibly, with_heartbeat
from evolif.runner.store import RunStore
from evolif.scenario import Benchmark, Services, get_scenario, options_of
from evolif.text import EDITIONS, known_editions, plural


@dataclass(frozen=True, slots=True)
class Sampled:
    """What a store of samples has."""

    path: Path
    answers: int
    """Calls that were answered, in this call and earlier ones."""
    missing: int
    """Sessions that did not get all their answers."""
    suspended: int
    """Those among them that an outside fault ended; the same call continues them."""
    reasons: tuple[tuple[str, str, int], ...] = ()
    """(model, reason, sessions) of the suspended ones."""


def sample_answers(
    run: Path,
    out: Path,
    k: int,
    benchmark: Benchmark,
    config: EvalConfig,
    *,
    cache: RequestCache | None = None,
    gate: CallPolicy | None = None,
    observe: Observer | None = None,
    notify: Callable[[str], None] = lambda sentence: None,
    on_stop: Callable[[], None] = lambda: None,
) -> Sampled:
    """Ask for more answers to the turns of a run, until each conversation has K; the same call continues.

    Args:
        run: The run's folder; only read.
        out: The folder of the store of samples.
        k: How many answers to have, those of the run included; at least 2.
        benchmark: What was played.
        config: How models are called; `models` are some of the run's, as `evaluate` was told them.
        cache: Replies of earlier requests.
        gate: Decides on every call.
        observe: Called with every turn, fault and end.
        notify: Called with sentences for the user.
        on_stop: Called when Ctrl-C requests a clean stop.

    Raises:
        UsageError: the run cannot be sampled, was edited, or the folder holds something else.
        OutsideError: the disk.
        KeyboardInterrupt: stopped; every answer so far is stored.
    """
    refuse_few(k)
    shutdown = Shutdown()
    with closing(RedactedStore.open(run, migrate=False)) as source:
        source.refuse_edits()
        settings = sampled_settings(source, config)
        scenario = get_scenario(settings.scenario)
        factory = ClientFactory(config, gate or AllowAll(), shutdown, cache, scenario.name, settings.parameters)
        # Opened before anything is written, so that a missing key leaves no folder behind.
        seats = {
            model_name(model): seat
            for model, seat in zip(config.models, factory.seats(config.models, None), strict=True)
        }
        judges = _judges(settings, config)
        clients = {spec_of(judge): factory.judge(judge) for judge in config.judges if is_panel([spec_of(judge)])}
        with locked(out), closing(_open_target(out, source, settings)) as target:
            scores = SqliteJudgeCache(out / CACHE_FILE, source.root / CACHE_FILE)
            judge = open_judge(judges, rule=config.judge_rule, opener=clients.__getitem__, cache=scores)
            services = Services(
                judge=judge,
                relevance=settings.gate,
                reading_rules=settings.reading_rules,
                feedback=settings.feedback,
                patience=source.settings.patience,
            )
            options = options_of(scenario.play, settings.options, scenario.name)
            environment = scenario.environment(benchmark, options, services)
            histories = Histories(source.settings, environment, knows_systems=True)
            tasks = {task.key: task for task in samples_needed(source, histories, k, tuple(seats))}
            notify(_told(tasks.values(), target, k))
            target.lose_open_calls()
            batcher = WriteBatcher(target)
            live = LiveObserver(shutdown, observe or nobody, None)
            # Neither patience nor a cap ends a session: it ends with the turns that it is to answer.
            playing = settings.model_copy(update={"max_turns": sys.maxsize})
            context = RunContext(playing, environment, FullHistory(), batcher, live, shutdown, Ledger(batcher))

            async def main() -> None:
                try:
                    await _play(context, source, target, histories, tasks, seats)
                finally:
                    batcher.close()

            try:
                closing_all = Clients(seats, clients).closing(main(), judge, environment)
                beating = with_heartbeat(closing_all, shutdown, live)
                run_interruptibly(with_pulse(beating, live, partial(target.note, LIVE)), shutdown, on_stop)
            finally:
                if cache is not None:
                    cache.store.close()
                    notify(cache.summary())
            return _outcome(target, tasks)


def refuse_few(k: int) -> None:
    """Refuse a number of answers that makes no pair.

    Raises:
        UsageError: it is less than 2.
    """
    if k < 2:
        raise UsageError(f"--samples {k} makes no pair; ask for at least 2 answers of each turn")


def sampled_settings(source: RunStore, config: EvalConfig) -> RunSettings:
    """The settings of a store of samples.

    Args:
        source: The run.
        config: Which of its models are asked, where, and who judges.

    Raises:
        UsageError: models or a judge that the run does not have, reading rules that this version does not have, or
            turns whose answers would all be the same or would not compare.
    """
    old = source.settings
    if old.context != "full":
        raise UsageError(
            f"{source.root} was played with --context {old.context}, and what its calls were shown is not stored; "
            "sample runs with --context full"
        )
    if old.temperature == 0:
        raise UsageError(
            f"{source.root} was played at temperature 0, where a turn gets the same answer again; evaluate with "
            "--temperature 1 for answers that differ"
        )
    if old.reading_rules not in EDITIONS:
        raise UsageError(
            f"the answers of {source.root} were read by reading rules {old.reading_rules}, but this version has the "
            f"rules {known_editions()}; sample with that version"
        )
    names = [model_name(model) for model in config.models]
    strange = [name for name in names if name not in old.models]
    if strange:
        raise UsageError(
            f"{strange[0]} is no model of {source.root}, and its answers would be to the conversations of others; the "
            f"run has {', '.join(old.models)}"
        )
    _judges(old, config)
    places = {name: endpoint_of(model, config.base_url) for name, model in zip(names, config.models, strict=True)}
    wanted = old.model_copy(
        update={
            "endpoints": tuple(places.get(name, old.endpoint(name)) for name in old.models),
            "weights": {**old.weights, **weights_by_name(config.models)},
        }
    )
    different = differences(old, wanted)
    if different:
        raise UsageError(f"{source.root} was played with other models: {'; '.join(different)}; sample the same ones")
    return wanted.model_copy(update={"patience": None})


def _judges(settings: RunSettings, config: EvalConfig) -> list[str]:
    """Who judges, as the run has it.

    Raises:
        UsageError: a panel that is not named, or another one.
    """
    given = [spec_of(judge) for judge in config.judges]
    if not is_panel([settings.judge]) and given == ["none"]:
        return [settings.judge]
    if describe_judge(given, config.judge_rule) != (settings.judge, settings.judge_endpoints):
        raise UsageError(
            f"the run was judged by {settings.judge}, and its further answers have to be; name the same with --judge"
        )
    return given


def samples_needed(
    source: RunStore, histories: Histories, k: int, models: Sequence[str], target: Path | None = None
) -> list[Task]:
    """What is to be asked for K answers of each judged turn.

    Args:
        source: The run.
        histories: Of the run, opened with its benchmark.
        k: How many answers to have, those of the run included.
        models: Those that are asked.
        target: A store of samples; its sessions that have ended are left out. None for all.

    Raises:
        UsageError: pictures, which cannot be shown again.
    """
    need, scenario = Need(k), get_scenario(source.settings.scenario)
    for model in models:
        for number, session in source.sessions(model, unbegun=False):
            need.count(number, session, histories, source.turns(number), scenario)
    tasks = list(need.tasks())
    if target is None or not RunStore.begun(target, read_only=True):
        return tasks
    with closing(RedactedStore.open(target, read_only=True)) as store:
        ended = {model: store.ended(model) for model in models}
    return [task for task in tasks if (task.key.dialogue, task.key.epoch) not in ended[task.key.model]]


def _told(tasks: Iterable[Task], target: RunStore, k: int) -> str:
    """How many calls there are to make."""
    turns = sum(len(task.turns) for task in tasks)
    made = sum(spent.calls for spent in target.costs() if spent.role == "target")
    if not turns:
        return f"Each judged turn has {k} answers already."
    known = f"; {made} were made before" if made else ""
    return f"{plural(turns, 'more answer is', 'more answers are')} needed for {k} of each judged turn{known}."


def _open_target(root: Path, source: RunStore, settings: RunSettings) -> RunStore:
    if root.resolve() == source.root.resolve():
        raise UsageError(f"{root} is the run itself; its further answers need another folder")
    if not RunStore.begun(root):
        store = RunStore.create(root, settings)
        store.note(SAMPLES_OF, source.settings.hash())
        return store
    store = RunStore.open(root)
    try:
        if store.noted(SAMPLES_OF) != source.settings.hash():
            raise UsageError(f"{root} does not hold more answers to turns of {source.root}; choose another folder")
        different = differences(store.settings, settings)
        if different:
            raise UsageError(f"{root} was made with other settings: {'; '.join(different)}; choose another folder")
        store.refuse_edits()
        store.grow(store.settings.grown(settings))
    except BaseException:
        store.close()
        raise
    return store


async def _play(
    context: RunContext,
    source: RunStore,
    target: RunStore,
    histories: Histories,
    tasks: Mapping[SessionKey, Task],
    seats: Mapping[str, Seats],
) -> None:
    """Have every turn answered that is not."""
    target.enrol(tasks)
    ended = {model: target.ended(model) for model in seats}
    left = {
        model: [key for key in tasks if key.model == model and (key.dialogue, key.epoch) not in ended[model]]
        for model in seats
    }
    total = Counter(key.model for key in tasks)
    context.observe(RunStarted(total, {model: total[model] - len(keys) for model, keys in left.items()}))
    limits = {name: own["target"].connections for name, own in seats.items()}
    scheduler = SessionScheduler({model: iter(keys) for model, keys in left.items()}, limits)

    async def play(key: SessionKey) -> None:
        task, known = tasks[key], target.state(key)
        session = SampledSession(context.environment, histories, source.turns(task.number), task.turns)
        model = seats[key.model]["target"]
        speaking: Seats = {"target": model, "partner": model}  # a partner's answers are given
        own = replace(context, environment=session, strategy=session)
        await SessionRunner(own, key, speaking, known).play()

    await play_all(context, scheduler, play)


def _outcome(target: RunStore, tasks: Collection[SessionKey]) -> Sampled:
    whole = {model: target.ended(model) for model in target.settings.models}
    missing = [key for key in tasks if (key.dialogue, key.epoch) not in whole[key.model]]
    endings = target.endings()
    suspended = sum(number for (_, ending, _), number in endings.items() if ending == "suspended")
    answers = sum(spent.calls for spent in target.costs() if spent.role == "target")
    return Sampled(target.root, answers, len(missing), suspended, tuple(target.reasons()))
