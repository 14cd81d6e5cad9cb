"""What stands at the page's end: costs, settings, how to make it again, how to read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evolif._version import __version__
from evolif.money import PriceTable, load_prices, quotes_of
from evolif.protocol import RunSettings
from evolif.report._analysis import RunAnalysis
from evolif.report._grid import Cell, Grid
from evolif.report._published import Published
from evolif.report._spent import dollars
from evolif.report.page._part import Part

HOW_TO_READ = (
    "A model converses with a simulated user whose constraints on the answers change by one every turn. A turn is good "
    "where every judged constraint is satisfied.",
    "The user has patience P: a good turn restores it, any other costs one, and at 0 the session ends.",
    "EDR len, acc, succ and lss are turns per session: how many there were, their satisfied share summed up, the good "
    "ones, and the longest run of good ones.",
    "REC is the share of bad turns that a good one follows, ROB the share of good turns of a session, CSR the share of "
    "constraints satisfied and ISR the share of good turns over all turns.",
    "Brackets are 95 % intervals by a bootstrap over dialogues, never over turns. A dash is a figure that is "
    "not defined.",
    "Sessions cut by the cap count with the turns they have; survival curves take them as censored.",
)


def closing_parts(
    analyses: Sequence[RunAnalysis], prices: PriceTable | None, published: Published | None
) -> Iterator[Part]:
    """The sections below the figures."""
    table = prices or load_prices()
    yield Part("costs", "Costs", grids=tuple(grid for run in analyses if (grid := _costs(run, table)).rows))
    for number, analysis in enumerate(analyses, start=1):
        several = len(analyses) > 1
        yield Part(
            f"settings-{number}" if several else "settings",
            f"Settings of {analysis.name}" if several else "Settings",
            facts=tuple(_settings(analysis.settings)),
        )
    yield Part(
        "reproduce",
        "To make this again",
        f"With evolif {__version__}:",
        commands=tuple(step for analysis in analyses for step in analysis.commands),
    )
    if published is not None:
        from evolif.report._tables import published_grid

        yield Part("published", "Published figures", warnings=(published.warning,), grids=(published_grid(published),))
    yield Part("how-to-read", "How to read this", sentences=HOW_TO_READ)


def _costs(analysis: RunAnalysis, prices: PriceTable) -> Grid:
    quotes = quotes_of(analysis.settings, prices)
    rows = []
    for one in analysis.costs:
        usage = one.usage
        if not usage.prompt_tokens and not usage.completion_tokens:
            continue
        cost = dollars(quotes.cost(one.role, one.model, usage))
        told = (f"{one.calls:,}", f"{usage.prompt_tokens:,}", f"{usage.completion_tokens:,}", cost)
        rows.append((f"{one.model} ({one.role})", tuple(map(Cell, told))))
    heads = ("calls", "prompt tokens", "completion tokens", "cost")
    return Grid("costs", f"Calls and tokens of {analysis.name}", "model (role)", heads, tuple(rows))


def _settings(settings: RunSettings) -> Iterator[tuple[str, str]]:
    yield "Benchmark", f"{settings.benchmark} (profile {settings.profile})"
    yield "Models", ", ".join(settings.models)
    elsewhere = [f"{model} at {url}" for model in settings.models if (url := settings.endpoint(model))]
    if elsewhere:
        yield "Endpoints", "; ".join(elsewhere)
    yield "Judge", settings.judge
    yield "Dialogues", f"{len(settings.dialogues)}, each played {settings.epochs} time{'s' * (settings.epochs > 1)}"
    yield "Patience", str(settings.patience)
    yield "Cap", f"{settings.max_turns} turns"
    yield "System prompt", "on" if settings.system_prompt else "off"
    yield "Context", settings.context
    yield "Temperature", _or_own(settings.temperature)
    yield "Longest answer", _or_own(settings.max_tokens, " tokens")
    yield "Seed", str(settings.seed)
    yield "Reading rules", f"edition {settings.reading_rules}"


def _or_own(value: float | int | None, unit: str = "") -> str:
    return "the provider's own" if value is None else f"{value:g}{unit}"
