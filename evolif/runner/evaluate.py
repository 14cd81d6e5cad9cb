"""Evaluate models on a benchmark: start a run, resume it, let it grow, or fork it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Unpack

from evolif.benchmark import open_benchmark
from evolif.config import EvalConfig, EvalSettings
from evolif.errors import UsageError
from evolif.models import ModelRef, RequestCache, as_list, spec_of
from evolif.runner.addresses import notes_on_addresses
from evolif.runner.chosen import limit_note
from evolif.runner.clients import ClientFactory, Clients, is_panel
from evolif.runner.events import Observer, nobody
from evolif.runner.metering import AllowAll, CallPolicy
from evolif.runner.ray_worker import WorkerConfig
from evolif.runner.run import Engine, Notify, Run, RunExecutor, as_begun, load_run
from evolif.runner.scheduler import MOST_ALIVE, play_here
from evolif.runner.settings import RunSettings, partner_of, plan
from evolif.runner.shutdown import Shutdown
from evolif.runner.warnings import notes_before, refuse_unscored
from evolif.scenario import Benchmark, get_scenario, options_of
from evolif.util.suggestions import did_you_mean

_AT_HAND = 512
"""Dialogues that are worth keeping at hand for a model whose connections adapt to its endpoint."""


def evaluate(
    benchmark: Benchmark | Path | str,
    models: ModelRef | Sequence[ModelRef],
    out: Path | str,
    *,
    judge: ModelRef | Sequence[ModelRef] = "none",
    options: Mapping[str, Any] | None = None,
    cache: RequestCache | None = None,
    gate: CallPolicy | None = None,
    observe: Observer | None = None,
    notify: Notify | None = None,
    on_stop: Callable[[], None] | None = None,
    **settings: Unpack[EvalSettings],
) -> Run:
    """Run models on a benchmark until patience is exhausted.

    The same call resumes an interrupted run; with more models, dialogues or epochs it extends the run. A complete run
    needs neither models nor keys.

    Args:
        benchmark: The benchmark, or its directory; its dialogues are extended as long as a model keeps up.
        models: Names such as `openai/gpt-5`, `local/smollm2-135m`, `sim/steady`, or `ChatModel` objects, which are
            called directly: bounded but not retried, ignoring `base_url` and `timeout`.
        out: The run's directory.
        judge: `none`, `lexical` (a heuristic with separate verdicts), or models, which together are a panel.
        options: Options of the benchmark's scenario.
        cache: Replies of earlier requests, see `evolif.models.open_cache`.
        gate: Called before every call; may stop a session, which is then censored.
        observe: Receives all events, see `Event`.
        notify: Called with messages before the first call.
        on_stop: Called when Ctrl-C requests a clean stop.
        settings: All others, see `EvalSettings`.

    Raises:
        UsageError: an unknown model, a missing key, settings that differ from the run's, turns that were edited.
        OutsideError: the disk.
        KeyboardInterrupt: stopped; everything finished is in the store.
    """
    for name in settings.keys() - EvalSettings.__annotations__.keys():
        near = did_you_mean(name, EvalSettings.__annotations__)
        raise TypeError(f"evaluate() got an unexpected keyword argument {name!r}{near}")
    named = {
        "models": tuple(as_list(models)),
        "judges": tuple(as_list(judge)) or ("none",),
        "options": tuple(f"{key}={value}" for key, value in (options or {}).items()),
        "synthesizers": tuple(settings.get("synthesizers", ())),
    }
    config = EvalConfig.model_validate({**settings, **named})
    opened = open_benchmark(benchmark) if isinstance(benchmark, Path | str) else benchmark
    return evaluate_with(
        opened, config, Path(out), cache=cache, gate=gate, observe=observe, notify=notify, on_stop=on_stop
    )


def evaluate_with(
    benchmark: Benchmark,
    config: EvalConfig,
    out: Path,
    *,
    cache: RequestCache | None = None,
    gate: CallPolicy | None = None,
    observe: Observer | None = None,
    notify: Notify | None = None,
    on_stop: Callable[[], None] | None = None,
) -> Run:
    """`evaluate` with its settings in one object; pass budgets, stop rules and caches as `gate` and `cache`."""
    settings = as_begun(plan(benchmark, config), config.fork_into or out)
    scenario = get_scenario(settings.scenario)
    executor = RunExecutor(
        benchmark,
        options_of(scenario.play, settings.options, scenario.name),
        settings,
        config,
        observe or nobody,
        notify or (lambda _: None),
        on_stop or (lambda: None),
    )
    benchmark.hold(min(MOST_ALIVE, 2 * len(config.models) * (config.max_connections or _AT_HAND)))
    root = out
    if config.fork_into is not None:
        executor.fork(root, config.fork_into)
        root = config.fork_into
    if note := limit_note(benchmark, config.limit):
        executor.notify(note)
    if executor.is_complete(root):
        executor.notify(f"{root} is complete: every session has ended, nothing left to run.")
        return load_run(root)
    if not config.unscored:
        refuse_unscored(benchmark, settings)
    for note in (*notes_on_addresses(config), *notes_before(benchmark, settings)):
        executor.notify(note)
    shutdown = Shutdown()
    engine = _engine(benchmark, config, settings, executor.notify, gate, cached=cache is not None)
    make = ClientFactory(config, gate or AllowAll(), shutdown, cache, scenario.name, settings.parameters)
    seats = make.seats(config.models, partner_of(benchmark, config))
    judges = [spec_of(judge) for judge in config.judges]
    clients = Clients(
        dict(zip(settings.models, seats, strict=True)),
        {spec_of(judge): make.judge(judge) for judge in config.judges} if is_panel(judges) else {},
        {} if config.context_model is None else {"context": make.context_model(config.context_model)},
    )
    try:
        executor.play(root, clients, make.author, shutdown, engine)
    finally:
        if cache is not None:
            cache.store.close()
            executor.notify(cache.summary())
    return load_run(root)


def _engine(
    benchmark: Benchmark,
    config: EvalConfig,
    settings: RunSettings,
    notify: Notify,
    gate: CallPolicy | None,
    *,
    cached: bool,
) -> Engine:
    """The engine that plays the sessions.

    Raises:
        UsageError: an unknown name, a flag of another engine, the extra is not installed.
    """
    name, address = config.engine, config.ray_address
    if name != "asyncio" and not all(isinstance(model, str) for model in config.models):
        raise UsageError(f"--engine {name} needs models given by name; an opened model cannot leave this process")
    if name not in ("asyncio", "ray"):
        near = did_you_mean(name, ("asyncio", "ray"))
        raise UsageError(f"unknown --engine “{name}”{near}; use asyncio or ray")
    if name == "asyncio":
        if address is not None:
            raise UsageError("--ray-address needs --engine ray")
        if config.workers is not None:
            raise UsageError("--workers needs --engine ray")
        return play_here
    if cached:
        raise UsageError("--cache does not work with --engine ray: its processes do not share this machine's folder")
    if find_spec("ray") is None:
        raise UsageError("--engine ray needs the extra ray: pip install 'evolif[ray]'")
    from evolif.runner.ray import RayEngine

    # Synthesizers, and judges where they are open models, are called by this process only.
    judges = tuple(spec_of(judge) for judge in config.judges)
    sent = config.model_copy(
        update={"judges": judges, "synthesizers": (), "checker": None, "partner": partner_of(benchmark, config)}
    )
    # Processes play by themselves where nothing has to be asked of this one.
    named = all(isinstance(one, str | None) for one in (*config.judges, config.partner, config.context_model))
    authors = get_scenario(settings.scenario).authors(benchmark, settings.most_turns, settings.dialogues)
    bench = benchmark.path if gate is None and named and not authors else None
    return RayEngine(address, WorkerConfig(settings, sent, gate is not None), notify, gate, bench, config.workers)
