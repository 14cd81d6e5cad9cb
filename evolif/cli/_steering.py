"""What steers an evaluation from the command line: its budget, made of flags and of what the run has cost before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolif.benchmark import Benchmark
    from evolif.money import Budget, PriceTable, Quotes
    from evolif.protocol import Event, Gate, Observer, RunSettings, Wish
    from evolif.watch import StopRule


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
        from evolif.cli._budgeting import budget_of
        from evolif.money import ASSUMED_ANSWER, quotes_of
        from evolif.protocol import plan

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
        from evolif.models import address_of, parse_model_name
        from evolif.money import Quotes

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
        from evolif.protocol import plan
        from evolif.watch import BATCH, StopRule, parse_rule

        settings = plan(self._bench, self._wish)
        rule = StopRule(parse_rule(text), settings, self._root, self._wish.seed)
        if len(settings.dialogues) <= BATCH:
            self._say(
                f"--stop-when looks at the first {BATCH}, {2 * BATCH}, … dialogues that are whole, and this run has "
                f"{len(settings.dialogues)} in all: it cannot end early."
            )
        return rule

    @staticmethod
    def together(rule: StopRule | None, budget: Gate | None) -> Gate | None:
        """One gate of both."""
        from evolif.watch import Gates

        gates = [gate for gate in (rule, budget) if gate is not None]
        return Gates(gates) if gates else None

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

        from evolif.cli._forecast import forecast_lines
        from evolif.money import forecast, quotes_of
        from evolif.protocol import load_run, plan
        from evolif.report import plain

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
        from evolif.money import judge_models

        yield from (("target", name) for name in settings.models)
        yield from (("judge", name) for name in judge_models(settings))
        spec = self._bench.header.spec
        missing = [name for name in self._bench.missing(settings.max_turns, settings.dialogues) if "/" in name]
        yield from (("synthesizer", name) for name in missing)
        if missing and spec.checker is not None:
            yield "checker", spec.checker
