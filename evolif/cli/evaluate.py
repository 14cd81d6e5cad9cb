"""`evolif evaluate`: run models on a benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli.console import say
from evolif.cli.ending import budget_lines, end, suspended_lines
from evolif.cli.options import Display
from evolif.config import EvalConfig
from evolif.errors import UsageError

if TYPE_CHECKING:
    from evolif.budget import PriceTable, Quotes
    from evolif.budget.budget import Budget
    from evolif.budget.stop_rule import StopRule
    from evolif.models import RequestCache
    from evolif.runner import CallPolicy, Event, Run, RunSettings, Spent
    from evolif.runner.events import Observer
    from evolif.scenario import Benchmark

SUSPENDED = 3
"""Exit code if sessions are suspended, or if a provider refused all sessions of a model before an answer was judged.

Those cut short by a budget or a stop rule do not count.
"""
_MISSES = 20
"""Maximum number of explained cache misses."""


def evaluate(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="The benchmark's folder.")],
    config: EvalConfig,
    display: Display = "auto",
) -> None:
    """Run models on a benchmark. The same command resumes an interrupted run.

    Exit code 3: an outside fault left sessions suspended, or a provider refused all sessions of a model. More models,
    dialogues or epochs extend an existing run.
    """
    from evolif.benchmark import open_benchmark
    from evolif.budget import load_prices
    from evolif.cli.dry_run import refuse_pilot, show_forecast
    from evolif.cli.progress import choose
    from evolif.runner import plan
    from evolif.runner.chosen import limit_note
    from evolif.runner.run import as_begun
    from evolif.runner.warnings import notes_before

    refuse_pilot(config)
    if config.dry_run and config.stop_when is not None:
        say(f"The estimate does not know when --stop-when {config.stop_when} would end the run.")
    shown, benchmark = choose(display), open_benchmark(bench, notify=say)
    out = config.out or Path(f"{bench.name or 'benchmark'}-run")
    root = config.fork_into or out
    prices = load_prices(config.prices)
    settings = as_begun(plan(benchmark, config), root)
    if config.dry_run and config.pilot is None:
        for note in filter(None, (limit_note(benchmark, config.limit), *notes_before(benchmark, settings))):
            say(note)
        show_forecast(benchmark, settings, prices, config.like)
        return
    if config.pilot is not None:
        _pilot(benchmark, config, settings, out, prices, shown)
        return
    rule = _stop_rule(config, settings, root)
    with closing(_play(benchmark, config, settings, out, prices, shown, rule)) as run:
        _report(run, config.seed, prices, rule)


def _play(
    benchmark: Benchmark,
    config: EvalConfig,
    settings: RunSettings,
    out: Path,
    prices: PriceTable,
    shown: str,
    rule: StopRule | None = None,
) -> Run:
    """Play a run, within its budget, and return it opened for reading.

    Raises:
        UsageError: the budget allowed no call.
    """
    from evolif.cli.progress import watching_run
    from evolif.runner import evaluate_with

    root = config.fork_into or out
    budget = _budget(benchmark, config, settings, root, prices)
    cache = open_cache(config)
    with watching_run(shown, root, prices) as watcher:
        run = evaluate_with(
            benchmark,
            config,
            out,
            cache=cache,
            gate=_policy(rule, budget),
            observe=_observer(watcher, rule),
            notify=say,
            on_stop=watcher.stopping,
        )
    try:
        refuse_tiny_budget(run, budget, mend=" or --max-tokens" * (config.max_tokens is None))
    except UsageError:
        run.close()
        raise
    return run


def _pilot(
    benchmark: Benchmark, config: EvalConfig, settings: RunSettings, out: Path, prices: PriceTable, shown: str
) -> None:
    """Play the first dialogues of a run, as the run itself would, and forecast the whole of it."""
    from evolif.budget import quotes_of
    from evolif.cli.dry_run import show_pilot
    from evolif.runner.chosen import shown_ranges

    pilot = min(config.pilot or 1, len(settings.dialogues))
    first = settings.model_copy(update={"dialogues": settings.dialogues[:pilot]})
    few = {"limit": None, "dialogues": shown_ranges(first.dialogues)}
    with closing(_play(benchmark, config.model_copy(update=few), first, out, prices, shown)) as run:
        if any(session.turns for session in run.sessions()):
            show_pilot(benchmark, settings, quotes_of(settings, prices), run, pilot)
        mend = "run the same command to resume them, for a forecast from all of the pilot"
        for fault in (*budget_lines(run), *suspended_lines(run, mend)):
            say(fault)
        if run.suspended():
            raise typer.Exit(SUSPENDED)


def _report(run: Run, seed: int, prices: PriceTable, rule: StopRule | None) -> None:
    from evolif.report.outcomes import nothing_judged

    suspended = run.suspended()
    mend = f"run the same command to resume {'it' if suspended == 1 else 'them'}{_or_wait(run)}"
    end(
        run,
        prices,
        seed=seed,
        outcome=[rule.summary()] if rule is not None else (),
        faults=[*budget_lines(run), *suspended_lines(run, mend)],
    )
    if suspended or nothing_judged(run):
        raise typer.Exit(SUSPENDED)


# Budgets, stop rules and the cache.


def _budget(
    benchmark: Benchmark, config: EvalConfig, settings: RunSettings, root: Path, prices: PriceTable
) -> Budget | None:
    """The limit of the run's cost; None without one.

    Raises:
        UsageError: a budget in US dollars, and a model of unknown price.
    """
    if not config.has_budget:
        return None
    from evolif.budget import quotes_of
    from evolif.budget.prices import callable_models
    from evolif.runner.bounds import ASSUMED_ANSWER

    quotes = _with_authors(quotes_of(settings, prices), config)
    budget = open_budget(config, quotes, callable_models(settings, benchmark), root)
    if settings.max_tokens is None and any(not name.startswith("sim/") for name in settings.models):
        say(
            f"Without --max-tokens, every answer is assumed to take up to {ASSUMED_ANSWER:,} tokens, so the run may "
            "stop long before the budget is spent. Set a limit, e.g. --max-tokens 2000."
        )
    return budget


def _with_authors(quotes: Quotes, config: EvalConfig) -> Quotes:
    """The prices, plus endpoints of models that write missing prompts, which a run's settings lack."""
    from evolif.budget import Quotes
    from evolif.models import address_of, parse_model_name, spec_of

    specs = [spec_of(model) for model in (*config.synthesizers, config.checker) if model is not None]
    names = [parse_model_name(spec) for spec in specs if "/" in spec]
    found = {(role, name.label): address_of(name) or "" for name in names for role in ("synthesizer", "checker")}
    return Quotes(quotes.table, {**found, **quotes.endpoints})


def open_budget(config: EvalConfig, quotes: Quotes, models: Iterable[tuple[str, str]], root: Path) -> Budget | None:
    """The limit of a run's cost; None without one.

    Args:
        config: Contains the limits.
        quotes: The run's prices.
        models: (role, model) of every model that the run may call.
        root: The run's folder; its earlier cost counts.

    Raises:
        UsageError: a budget in US dollars, and a model of unknown price.
    """
    if not config.has_budget:
        return None
    from evolif.budget.budget import Budget

    if config.budget_usd is not None:
        quotes.refuse_unknown(models)
    return Budget(quotes, usd=config.budget_usd, tokens=config.budget_tokens, spent=_spent(root))


def _spent(root: Path) -> list[Spent]:
    from evolif.runner import RunStore
    from evolif.runner.sharing import RedactedStore

    if not RunStore.begun(root):
        return []
    with closing(RedactedStore.open(root, migrate=False)) as store:
        # Only a dead process leaves calls under way: while another one plays, this one will be refused.
        return [*store.costs(), *store.under_way()]


def _stop_rule(config: EvalConfig, settings: RunSettings, root: Path) -> StopRule | None:
    """The rule that ends the run early; None without one.

    Raises:
        UsageError: it cannot be read, or the run so far shows that it is of no use.
    """
    if config.stop_when is None:
        if config.stop_method != EvalConfig.model_fields["stop_method"].default:
            raise UsageError(f"--stop-method {config.stop_method} says how --stop-when decides, which is missing")
        return None
    if config.dialogues is not None:
        raise UsageError(
            f"--stop-when {config.stop_when} ends a run after the first of its dialogues, so --dialogues cannot name "
            "others; leave one of them out, or use --limit"
        )
    from evolif.budget.pilot import PILOT
    from evolif.budget.stop_rule import BOUNDED, StopRule, parse_rule
    from evolif.metrics import tables_of
    from evolif.scenario import get_scenario

    tables = tables_of(get_scenario(settings.scenario).table(settings.options), settings.patience)
    parsed = parse_rule(config.stop_when, tables, config.stop_method)
    rule = StopRule(parsed, settings, root, config.seed, tables)
    if parsed.metric == BOUNDED:
        say(
            f"--stop-when {parsed}: EDR len is bounded by the cap of {settings.max_turns}. While more than a quarter "
            "of a model's sessions reach it, the rule does not end the run; exhaustion_rate has no such bound."
        )
    if len(settings.dialogues) <= PILOT:
        say(
            f"--stop-when ends no run with fewer than {PILOT} dialogues, and this run has only "
            f"{len(settings.dialogues)}: it cannot end early."
        )
    return rule


def _policy(rule: StopRule | None, budget: Budget | None) -> CallPolicy | None:
    from evolif.budget.budget import PolicyChain

    policies = [policy for policy in (rule, budget) if policy is not None]
    return PolicyChain(policies) if policies else None


def _observer(watcher: Observer, rule: StopRule | None) -> Observer:
    if rule is None:
        return watcher

    def observe(event: Event) -> None:
        rule(event)
        watcher(event)

    return observe


def open_cache(config: EvalConfig) -> RequestCache | None:
    """The request cache, if enabled; the first misses are explained if the settings say so."""
    if not (config.cache or config.cache_dir or config.explain_cache):
        return None
    from evolif.models import open_cache as open_requests

    misses = 0

    def explain(sentence: str) -> None:
        nonlocal misses
        misses += 1
        if misses <= _MISSES:
            say(f"Not in the cache: {sentence}")
        elif misses == _MISSES + 1:
            say("Not in the cache: more requests, which are not explained.")

    return open_requests(config.cache_dir, explain if config.explain_cache else None)


# What a run left undone: suspended sessions, a spent budget.


def refuse_tiny_budget(run: Run, budget: Budget | None, *, mend: str) -> None:
    """Check that the budget allowed at least one call.

    Args:
        run: As it is now.
        budget: Its limit.
        mend: A remedy to name besides a larger budget; empty for none.

    Raises:
        UsageError: it is smaller than the first call, so that the run is as empty as before.
    """
    if budget is None or budget.stop is None or any(session.turns for session in run.sessions()):
        return
    raise UsageError(f"no call was made: {budget.stop.reason}; set a larger budget{mend}")


def _or_wait(run: Run) -> str:
    """The flag for endpoints that asked to wait for longer than was accepted, if any did."""
    from evolif.runner.session import WAIT

    waits = any(cause == WAIT for _, _, cause in run.store.endings())
    return ", later or with a longer --wait" if waits else ""
