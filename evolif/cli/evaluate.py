"""`evolif evaluate`: run models until patience is exhausted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli import options as opt
from evolif.cli.options import Config, Display
from evolif.errors import UsageError

if TYPE_CHECKING:
    from evolif.budget import Budget, Expected, Forecast, PriceTable, Quotes, StopRule
    from evolif.instructions import Benchmark
    from evolif.models import RequestCache
    from evolif.runner import CallPolicy, Event, Observer, Run, RunSettings, Spent, Wish


# What a run left undone, in sentences and as an exit code: sessions that are suspended, a budget that was spent.

SUSPENDED = 3
"""Exit code where sessions are left suspended; those that a budget or a stop rule cut short are not."""
_REASONS = 5
"""Reasons of suspended sessions that are told."""

Say = Callable[[str], None]


def has_figures(run: Run) -> bool:
    """Whether any session can stand in a table."""
    return any(session.ending in ("finished", "censored") for session in run.sessions())


def refuse_tiny_budget(run: Run, budget: Budget | None, *, mend: str) -> None:
    """See that a budget let anything happen at all.

    Args:
        run: As it is now.
        budget: Its gate.
        mend: What to name beside a larger budget; empty for nothing.

    Raises:
        UsageError: it is smaller than the first call, so that the run is as empty as before.
    """
    if budget is None or budget.stop is None or any(session.turns for session in run.sessions()):
        return
    raise UsageError(f"nothing was asked: {budget.stop.reason}; name a larger one{mend}")


def tell_budget(run: Run, say: Say) -> None:
    """Say what the budget cut short; nothing where none did."""
    endings = run.store.endings()
    cut = sum(number for (_, ending, cause), number in endings.items() if cause == "budget" and ending is not None)
    unbegun = run.unbegun().get("budget", 0)
    told = [f"ended {_sessions(cut)} early"] * bool(cut) + [f"kept {_sessions(unbegun)} from beginning"] * bool(unbegun)
    if told:
        say(f"The budget {' and '.join(told)}; the same command with a larger one goes on with what is left.")


def tell_suspended(run: Run, mend: str, say: Say) -> bool:
    """Say why sessions are suspended; whether any is.

    Args:
        run: As it is now.
        mend: What to do, as the end of “3 sessions are suspended; …”.
        say: Tells the user a sentence.
    """
    suspended, reasons = run.suspended(), run.reasons()
    for model, reason, number in reasons[:_REASONS]:
        say(f"{model}, {_sessions(number)}: {reason}")
    if len(reasons) > _REASONS:
        say(f"… and {len(reasons) - _REASONS} more reasons.")
    if suspended:
        say(f"{suspended} {'session is' if suspended == 1 else 'sessions are'} suspended; {mend}.")
    return bool(suspended)


def _sessions(number: int) -> str:
    return f"{number} session" if number == 1 else f"{number} sessions"


def evaluate(
    bench: Annotated[Path, typer.Argument(metavar="BENCH", help="The benchmark's folder.")],
    model: opt.Models,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", envvar="EVOLIF_OUT", metavar="RUN", help="The run's folder; BENCH-run by default."),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EVOLIF_JUDGE",
            metavar="JUDGE",
            rich_help_panel=opt.JUDGES,
            help="For emotion, audience and style: none (by default), lexical, or PROVIDER/NAME; several models are a "
            "panel.",
        ),
    ] = None,
    judge_rule: opt.JudgeRule = "mean",
    patience: opt.Patience = None,
    max_turns: opt.MaxTurns = None,
    limit: opt.Limit = None,
    epochs: opt.Epochs = 1,
    fork: opt.Fork = None,
    system_prompt: opt.SystemPrompt = True,
    temperature: opt.Temperature = None,
    max_tokens: opt.MaxTokens = None,
    seed: opt.Seed = 0,
    base_url: opt.BaseUrl = None,
    max_connections: opt.MaxConnections = None,
    max_retries: opt.MaxRetries = 5,
    timeout: opt.Timeout = None,
    engine: opt.Engine = "asyncio",
    ray_address: opt.RayAddress = None,
    budget_usd: opt.BudgetUsd = None,
    budget_tokens: opt.BudgetTokens = None,
    prices: opt.Prices = None,
    stop_when: opt.StopWhen = None,
    dry_run: opt.DryRun = False,
    like: opt.Like = None,
    cache: opt.Cache = False,
    cache_dir: opt.CacheDir = None,
    explain_cache: opt.ExplainCache = False,
    synthesizer: opt.Synthesizers = None,
    checker: opt.Checker = None,
    display: Display = "auto",
    config: Config = None,
) -> None:
    """Run models on a benchmark. The same command resumes a run that was broken off.

    Exit code 3: sessions are left suspended, by a fault outside. With more models, dialogues or epochs a run grows.
    """
    from evolif.budget import load_prices
    from evolif.cli.progress import choose, watching_run
    from evolif.instructions import Benchmark
    from evolif.runner import Wish
    from evolif.runner import evaluate as run_models

    shown = choose(display)
    opened = Benchmark(bench, notify=_say)
    folder = out if out is not None else Path(f"{bench.name or 'benchmark'}-run")
    wish = Wish(
        models=model,
        base_url=base_url,
        judges=judge or ["none"],
        judge_rule=judge_rule,
        patience=patience,
        max_turns=max_turns,
        limit=limit,
        epochs=epochs,
        system_prompt=system_prompt,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
    )
    table = load_prices(prices)
    steering = Steering(
        opened, wish, fork or folder, table, _say, [*(synthesizer or []), *([checker] if checker else [])]
    )
    if dry_run:
        steering.tell_plan(like)
        return
    budget = steering.budget(budget_usd, budget_tokens)
    rule = steering.stop_rule(stop_when)
    kept = cache_of(cache, cache_dir, explain=explain_cache, say=_say)
    with watching_run(shown, fork or folder, table) as watcher:
        run = run_models(
            opened,
            model,
            folder,
            judge=judge or "none",
            judge_rule=judge_rule,
            patience=patience,
            max_turns=max_turns,
            limit=limit,
            epochs=epochs,
            system_prompt=system_prompt,
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            max_connections=max_connections,
            max_retries=max_retries,
            timeout=timeout,
            base_url=base_url,
            synthesizers=synthesizer or [],
            checker=checker,
            fork_into=fork,
            engine=engine,
            ray_address=ray_address,
            cache=kept,
            gate=steering.together(rule, budget),
            observe=steering.both(watcher, rule),
            notify=_say,
            on_stop=watcher.stopping,
        )
    try:
        refuse_tiny_budget(run, budget, mend=" or a --max-tokens" * (max_tokens is None))
        _tell(run, seed, table, rule)
    finally:
        run.close()


def _say(sentence: str) -> None:
    from evolif.report import plain

    typer.echo(plain(sentence), err=True)


def _tell(run: Run, seed: int, table: PriceTable, rule: StopRule | None) -> None:
    from evolif.report import Terminal, plain, print_report, summarise

    if has_figures(run):
        print_report(run, summarise(run, seed=seed), Terminal(), table)
    else:
        _say("No session has come to an end, so there are no figures yet.")
    if rule is not None:
        typer.echo(plain(rule.summary()))
    tell_budget(run, _say)
    if tell_suspended(run, "the same command resumes them", _say):
        raise typer.Exit(SUSPENDED)
    typer.echo(plain(f"Again: evolif report {run.path}"))


# What steers an evaluation from the command line: its budget, made of flags and of what the run has cost before.


class Steering:
    """Makes the gate of a run.

    Args:
        bench: The benchmark.
        wish: What was asked for.
        root: The folder that the run is played in.
        prices: What tokens cost.
        say: Tells the user a sentence.
        authors: Where synthesizers and the checker are reached, as they were named.
    """

    def __init__(
        self,
        bench: Benchmark,
        wish: Wish,
        root: Path,
        prices: PriceTable,
        say: Callable[[str], None],
        authors: Sequence[str] = (),
    ) -> None:
        self._authors = [spec for spec in authors if "/" in spec]
        self._bench = bench
        self._wish = wish
        self._root = root
        self._prices = prices
        self._say = say

    def budget(self, usd: float | None, tokens: int | None) -> Budget | None:
        """The gate of a budget; None without one.

        Raises:
            UsageError: a budget in US dollars, and a model of unknown price.
        """
        if usd is None and tokens is None:
            return None
        from evolif.budget import ASSUMED_ANSWER, quotes_of
        from evolif.runner import plan

        settings = plan(self._bench, self._wish)
        quotes = self._with_authors(quotes_of(settings, self._prices))
        budget = budget_of(quotes, self._asked(settings), self._root, usd=usd, tokens=tokens)
        if settings.max_tokens is None and any(not name.startswith("sim/") for name in settings.models):
            self._say(
                f"Without --max-tokens each call is taken to answer with up to {ASSUMED_ANSWER:,} tokens, so that the "
                "run may stop long before the budget is spent; name the longest you want, e.g. --max-tokens 2000."
            )
        return budget

    def _with_authors(self, quotes: Quotes) -> Quotes:
        """The prices with where synthesizers are asked, which a run's settings do not say."""
        from evolif.budget import Quotes
        from evolif.models import address_of, parse_model_name

        names = [parse_model_name(spec) for spec in self._authors]
        found = {(role, name.label): address_of(name) or "" for name in names for role in ("synthesizer", "checker")}
        return Quotes(quotes.table, {**found, **quotes.endpoints})

    def stop_rule(self, text: str | None) -> StopRule | None:
        """The rule that ends the run early; None without one.

        Raises:
            UsageError: it cannot be read.
        """
        if text is None:
            return None
        from evolif.budget import BATCH, StopRule, parse_rule
        from evolif.runner import plan

        settings = plan(self._bench, self._wish)
        rule = StopRule(parse_rule(text), settings, self._root, self._wish.seed)
        if len(settings.dialogues) <= BATCH:
            self._say(
                f"--stop-when looks at the first {BATCH}, {2 * BATCH}, … dialogues that are whole, and this run has "
                f"{len(settings.dialogues)} in all: it cannot end early."
            )
        return rule

    @staticmethod
    def together(rule: StopRule | None, budget: CallPolicy | None) -> CallPolicy | None:
        """One gate of both."""
        from evolif.budget import PolicyChain

        gates = [gate for gate in (rule, budget) if gate is not None]
        return PolicyChain(gates) if gates else None

    @staticmethod
    def both(watcher: Observer, rule: StopRule | None) -> Observer:
        """One observer of both."""
        if rule is None:
            return watcher

        def observe(event: Event) -> None:
            rule(event)
            watcher(event)

        return observe

    def tell_plan(self, like: Path | None) -> None:
        """Print calls, tokens and money that may be expected; asks nobody and needs no key."""
        from contextlib import closing

        from evolif.budget import forecast, quotes_of
        from evolif.report import plain
        from evolif.runner import load_run, plan

        settings = plan(self._bench, self._wish)
        quotes = quotes_of(settings, self._prices)
        if like is None:
            told = forecast(self._bench, settings, quotes)
        else:
            with closing(load_run(like)) as run:
                told = forecast(self._bench, settings, quotes, run)
        for line in forecast_lines(settings, told):
            print(plain(line))

    def _asked(self, settings: RunSettings) -> Iterator[tuple[str, str]]:
        """(role, model) of everybody the run may ask."""
        from evolif.budget import judge_models

        yield from (("target", name) for name in settings.models)
        yield from (("judge", name) for name in judge_models(settings))
        spec = self._bench.header.spec
        missing = [name for name in self._bench.missing(settings.max_turns, settings.dialogues) if "/" in name]
        yield from (("synthesizer", name) for name in missing)
        if missing and spec.checker is not None:
            yield "checker", spec.checker


# Budgets and caches as the command line gives them, for an evaluation and for judging one again.

_MISSES = 20
"""Misses of the cache that are explained."""


def budget_of(
    quotes: Quotes, asked: Iterable[tuple[str, str]], root: Path, *, usd: float | None, tokens: int | None
) -> Budget | None:
    """The gate of a budget; None without one.

    Args:
        quotes: The run's prices.
        asked: (role, model) of everybody the run may ask.
        root: The run's folder; what it has cost before counts.
        usd: US dollars for everything.
        tokens: Tokens for everything.

    Raises:
        UsageError: a budget in US dollars, and a model of unknown price.
    """
    if usd is None and tokens is None:
        return None
    from evolif.budget import Budget

    if usd is not None:
        quotes.refuse_unknown(asked)
    return Budget(quotes, usd=usd, tokens=tokens, spent=_spent(root))


def cache_of(wanted: bool, folder: Path | None, *, explain: bool, say: Callable[[str], None]) -> RequestCache | None:
    """The cache of requests, where one is wanted; its first misses are explained, if that is."""
    if not (wanted or folder or explain):
        return None
    from evolif.models import open_cache

    told = 0

    def one(sentence: str) -> None:
        nonlocal told
        told += 1
        if told <= _MISSES:
            say(f"Not in the cache: {sentence}")
        elif told == _MISSES + 1:
            say("Not in the cache: further requests, which are not explained.")

    return open_cache(folder, one if explain else None)


def _spent(root: Path) -> list[Spent]:
    from evolif.runner import RunStore, load_run

    if not RunStore.begun(root):
        return []
    run = load_run(root)
    try:
        return run.costs()
    finally:
        run.close()


# What `--dry-run` prints.


def forecast_lines(settings: RunSettings, told: Forecast) -> Iterator[str]:
    """The most there can be, what is expected of each role and model, the sum, and what it stands on."""
    sessions, cap = len(settings.dialogues) * settings.epochs, settings.max_turns
    for model in settings.models:
        yield f"{model}: {sessions} sessions, at most {sessions * cap} calls (cap {cap} turns)"
    yield "Expected, from the run's start:"
    yield from expected_lines(told)


def expected_lines(told: Forecast) -> Iterator[str]:
    """What is expected of each role and model, the sum, and what it stands on."""
    for one in told.expected:
        yield f"  {_line(one)}"
    low, high = told.usd
    unpriced = " and what has no known price" * any(one.usd is None for one in told.expected)
    yield f"  in all: {_range(low, high, _money)}{unpriced}"
    yield told.grounds


def _line(one: Expected) -> str:
    calls = _range(*one.calls, _count)
    if one.usage is None:
        return f"{one.role} {one.model}: {calls} calls or more, tokens unknown"
    low, high = one.usage
    prompts = _range(low.prompt_tokens, high.prompt_tokens, _count)
    answers = _range(low.completion_tokens, high.completion_tokens, _count)
    money = "price unknown" if one.usd is None else _range(*one.usd, _money)
    return f"{one.role} {one.model}: {calls} calls, {prompts} prompt + {answers} answer tokens, {money}"


def _range(low: float, high: float, said: Callable[[float], str]) -> str:
    first, last = said(low), said(high)
    return first if first == last else f"{first} to {last}"


def _count(number: float) -> str:
    """Three digits are enough for a guess."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e4, " k")):
        if number >= size:
            return f"{number / (1e3 if unit == ' k' else size):.3g}{unit}"
    return f"{number:,.0f}"


def _money(amount: float) -> str:
    from evolif.report import dollars

    return dollars(amount)
