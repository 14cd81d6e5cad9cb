"""How an evaluation ends on a terminal: a few figures, what a reader must know of them, what it cost.

Everything else is in `evolif report`. What would mislead if it were missing is always there; what only explains is left
out where there is no room for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from evolif.budget import PriceTable, Quotes, load_prices, quotes_of
from evolif.errors import UsageError
from evolif.metrics import TOO_FEW, Ceiling, Metric, described
from evolif.report.analysis import ModelSummary, RunAnalysis
from evolif.report.coverage import unlike_line
from evolif.report.early import marked
from evolif.report.outcomes import outcome_lines
from evolif.report.tables import metric_cell
from evolif.report.wording import (
    blank_line,
    dollars,
    fact_lines,
    forecast_line,
    notice,
    settings_line,
    undefined_lines,
    untold_line,
)
from evolif.runner import Run, Spent
from evolif.scenario import TableCell
from evolif.text import plain, plural

MOST_LINES = 25
"""Lines of an ending at 80 columns, for up to five models, unless more than that must be said."""
MOST_MODELS = 8
"""Rows of its table; of more models it shows those with the best headline."""
_METRICS = 3
_NAMED = 4
"""Models that a sentence names; of more it names one fewer, and counts the others."""
_LENGTH, _SATISFIED = "edr_len", "csr"
_NAME_LINES, _SETTINGS_LINES, _SENTENCE_LINES = 2, 2, 5
"""The most lines of a model's name, of the settings, and of a sentence: some hold what endpoints wrote."""
_REST = 3
"""Columns between two values, and a border."""


def print_ending(
    analysis: RunAnalysis,
    summaries: Sequence[ModelSummary],
    console: Console,
    prices: PriceTable | None = None,
    *,
    below: Sequence[str] = (),
) -> None:
    """Print the figures of a run that just ended.

    Args:
        analysis: The run.
        summaries: Of its models.
        console: Where to.
        prices: What tokens cost; the packaged prices if None.
        below: Lines that will be printed after it, for which there must be room, too.
    """
    run, width = analysis.run, console.width
    shown, metrics = _best(summaries), shown_metrics(summaries)
    quotes = quotes_of(run.settings, prices or load_prices())
    top: list[RenderableType] = [
        _clipped(settings_line(run), _SETTINGS_LINES * width),
        _table(shown, metrics, _costs(run, quotes), width),
    ]
    if len(shown) < len(summaries):
        which = f"best {len(shown)} of {len(summaries)} models by {metrics[0].label}" if metrics else "first models"
        top.append(Text(plain(f"Shown are the {which}.")))
    told: list[RenderableType] = [
        *(_clipped(line, _SENTENCE_LINES * width) for line in cautions_of(analysis, summaries, metrics)),
        *map(Text, _cost_lines(run, quotes)),
        *map(Text, filter(None, [forecast_line(run, quotes)])),
    ]
    room = MOST_LINES - _height([*top, *told, *map(Text, below)], console)
    note = [Text(line, style="dim") for line in [notice([run.settings])] if line and _height([line], console) <= room]
    room -= _height(note, console)
    legend = [Text(line) for line in [_legend(metrics)] if line and _height([line], console) <= room]
    for part in (*top, *legend, *told, *note):
        console.print(part)


def shown_metrics(summaries: Sequence[ModelSummary]) -> list[Metric]:
    """The headline, how long sessions last, and the requirements satisfied; else the next of the first table."""
    known = described(table for summary in summaries for table in summary.tables)
    tables = next((summary.tables for summary in summaries if summary.tables), ())
    if not tables:
        return []
    wanted = [tables[0].main, _LENGTH, _SATISFIED, *tables[0].ratios]
    return [known[name] for name in dict.fromkeys(wanted) if name in known][:_METRICS]


def _best(summaries: Sequence[ModelSummary]) -> list[ModelSummary]:
    """The models to show, in the order of the run."""
    if len(summaries) <= MOST_MODELS or not summaries[0].tables:
        return list(summaries)[:MOST_MODELS]
    table = summaries[0].tables[0]
    sign = 1 if table.main in table.lower else -1

    def rank(summary: ModelSummary) -> tuple[bool, float]:
        value = summary.metrics.value(table.main)
        return value is None, sign * (value or 0.0)

    best = {id(one) for one in sorted(summaries, key=rank)[:MOST_MODELS]}
    return [one for one in summaries if id(one) in best]


# The table.


def _table(summaries: Sequence[ModelSummary], metrics: Sequence[Metric], costs: dict[str, str], width: int) -> Table:
    capped = any(summary.counts.censored for summary in summaries)
    heads = ["sessions", *(_head(metric, summaries, capped=capped) for metric in metrics)]
    rows = [
        [TableCell(str(summary.metrics.dialogues)), *(_cell(metric, summary) for metric in metrics)]
        for summary in summaries
    ]
    if any(costs.values()):
        heads.append("cost")
        rows = [[*row, TableCell(costs.get(summary.model, ""))] for row, summary in zip(rows, summaries, strict=True)]
    needed = sum(max(len(head), *(len(row[column]) for row in rows)) + _REST for column, head in enumerate(heads))
    most = max(width - needed - _REST - 1, width // 5)
    table = Table()
    table.add_column("model", overflow="fold", max_width=most)
    for head in heads:
        table.add_column(Text(plain(head)), justify="right", overflow="fold")
    for summary, row in zip(summaries, rows, strict=True):
        table.add_row(Text(shortened(summary.model, _NAME_LINES * most)), *map(_figure, row))
    return table


def _head(metric: Metric, summaries: Sequence[ModelSummary], *, capped: bool) -> str:
    cap = next((summary.cap for summary in summaries if summary.cap), None)
    head = f"{metric.head} ≤{cap}" if capped and cap and metric.name == _LENGTH else metric.head
    return marked(head, metric.name, [summary.early_end for summary in summaries])


def _cell(metric: Metric, summary: ModelSummary) -> TableCell:
    return metric_cell(metric, summary.metrics.value(metric.name), summary.intervals.get(metric.name))


def _figure(cell: TableCell) -> Text:
    text = Text(cell.value, style="bold" if cell.aside else "")
    if cell.aside:
        text.append(f" {cell.aside}", style="not bold dim")
    return text


def shortened(name: str, most: int) -> str:
    """A name made plain, without its middle where it is longer than that: names often differ at their ends."""
    safe = plain(name)
    if len(safe) <= most:
        return safe
    first = (most - 1) // 2
    return f"{safe[:first]}…{safe[first + 1 - most :]}"


def _legend(metrics: Sequence[Metric]) -> str:
    told = "; ".join(f"{metric.label}: {metric.meaning}" for metric in metrics if metric.meaning)
    return f"{told}." if told else ""


# What a reader must know.


def cautions_of(
    analysis: RunAnalysis, summaries: Sequence[ModelSummary], metrics: Sequence[Metric] = ()
) -> Iterator[str]:
    """What would make the figures misleading if it were not said, a sentence each; nothing as a rule.

    Args:
        analysis: The run.
        summaries: Of its models.
        metrics: Those that are shown.
    """
    run = analysis.run
    heads = [summary.model for summary in summaries]
    yield from outcome_lines(run)
    yield from filter(None, [untold_line(run), _early(analysis)])
    # A sentence for many models counts those that it does not name.
    yield from filter(None, [unlike_line(heads, summaries)])
    yield from map(_few_names, fact_lines(run, summaries, heads, decisive=True))
    if metrics:
        yield from undefined_lines(heads, summaries, [metrics[0].name])
    yield from filter(None, [blank_line(summaries, heads), _few_dialogues(summaries, metrics), _ceiling(analysis)])
    yield from analysis.scenario.presentation.warnings(analysis)


def _early(analysis: RunAnalysis) -> str:
    early = analysis.early_end
    if early is None:
        return ""
    return (
        f"Ended early by the stop rule {early.rule}: the figures cover only the first "
        f"{plural(len(early.dialogues), 'dialogue')}."
    )


def _few_names(line: str) -> str:
    """A sentence such as `Empty answers: a 1, b 2.` that names only some of many models."""
    fact, _, listed = line.rpartition(": ")
    names = listed.removesuffix(".").split(", ")
    if len(names) <= _NAMED:
        return line
    return f"{fact}: {', '.join(names[: _NAMED - 1])} and {len(names) - _NAMED + 1} more."


def _few_dialogues(summaries: Sequence[ModelSummary], metrics: Sequence[Metric]) -> str:
    bare = any(
        summary.metrics.value(metric.name) is not None and summary.intervals.get(metric.name) is None
        for summary in summaries
        for metric in metrics
    )
    return TOO_FEW if bare else ""


def _ceiling(analysis: RunAnalysis) -> str:
    """That not even a perfect responder would satisfy everything; empty if it would, or nobody knows."""
    try:
        found = analysis.ceiling
    except UsageError:
        return ""
    if found is None or found.is_unknown or not found.misses:
        return ""
    reached = _reached(found)
    wrong = found.without_witness + found.failing
    return (
        f"Not even a perfect responder reaches 100 %{f' ({reached})' if reached else ''}: "
        f"{plural(wrong, 'turn has', 'turns have')} no {analysis.scenario.presentation.answer_key} that the rules "
        "accept."
    )


def _reached(found: Ceiling) -> str:
    values = {"isr": "ISR", _SATISFIED: "CSR"}
    return ", ".join(
        f"{label} {100 * value:.1f} %" for name, label in values.items() if (value := found.metrics.value(name))
    )


# What it cost.


def _costs(run: Run, quotes: Quotes) -> dict[str, str]:
    """The cost of each model under test; empty where all of them are free."""
    spent = [one for one in run.costs() if one.role == "target" and (one.usage.tokens or one.unknown)]
    if not any(one.unknown or quotes.cost(one.role, one.model, one.usage) != 0 for one in spent):
        return {}
    return {one.model: _cost(one, quotes) for one in spent}


def _cost(one: Spent, quotes: Quotes) -> str:
    amount = quotes.cost(one.role, one.model, one.usage)
    return ("unknown" if amount is None else dollars(amount)) + "+" * bool(one.unknown and amount is not None)


def _cost_lines(run: Run, quotes: Quotes) -> Iterator[str]:
    """The sum over all models, also those that judge, word and summarise; nothing if no tokens were spent."""
    spent = [one for one in run.costs() if one.usage.tokens or one.unknown]
    if not spent:
        return
    total, whole = quotes.total(spent)
    missing = "" if whole or not total else " plus calls without a known price"
    unknown = sum(one.unknown for one in spent)
    missing += f" plus {plural(unknown, 'call', spec=',')} of unknown usage" if unknown else ""
    calls = plural(sum(one.calls for one in spent), "call", spec=",")
    tokens = plural(sum(one.usage.tokens for one in spent), "token", spec=",")
    yield f"Cost: {dollars(total if whole or total else None)}{missing}; {calls}, {tokens}."


# Room.


def _clipped(line: str, most: int) -> Text:
    return Text(shortened_end(line, most))


def shortened_end(line: str, most: int) -> str:
    """A line made plain, without its end where it is longer than that."""
    safe = plain(line)
    return safe if len(safe) <= most else f"{safe[: most - 2].rstrip()} …"


def _height(parts: Iterable[RenderableType], console: Console) -> int:
    return sum(len(console.render_lines(part, pad=False)) for part in parts)
