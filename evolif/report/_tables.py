"""The report on a terminal: figures with intervals, satisfaction per group, what is not in the figures and why.

Metrics are rows and models are columns, a few to a table, so that every figure with its interval fits 80 characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evolif.metrics import Satisfaction
from evolif.money import PriceTable
from evolif.protocol import Run
from evolif.report._escape import plain
from evolif.report._published import NOT_COMPARABLE
from evolif.report._spent import spent_lines
from evolif.report._summary import ModelSummary

LABELS: Mapping[str, str] = {
    "edr_len": "EDR len", "edr_acc": "EDR acc", "edr_succ": "EDR succ", "edr_lss": "EDR lss",
    "rec": "REC %", "rob": "ROB %", "csr": "CSR %", "isr": "ISR %",
}  # fmt: skip

_FIRST_COLUMN, _PADDING = 16, 3
"""Characters that the column of names takes, and those around each figure."""


def print_report(
    run: Run, summaries: Sequence[ModelSummary], console: Console, prices: PriceTable | None = None
) -> None:
    """Print everything the report has to say of a run; what it cost by the packaged prices where None are given."""
    settings = run.settings
    console.print(
        f"Profile {plain(settings.profile)}, patience {settings.patience}, cap {settings.max_turns} turns, "
        f"judge {plain(settings.judge)}; in brackets 95 % intervals over dialogues.",
        markup=False,
        highlight=False,
    )
    early = run.early_end()
    if early is not None:
        console.print(
            f"Ended early by the rule {plain(early.rule)}: every model's interval of that metric is narrower than ± "
            f"that value over the first {len(early.dialogues)} dialogues of the seeded order (looked at in whole "
            f"batches of {early.batch}, each with all its sessions ended). The figures are of these dialogues alone.",
            markup=False,
            highlight=False,
        )
    widest = max((len(_figure(s, name)) for s in summaries for name in LABELS), default=1)
    chunk = max(1, (console.width - _FIRST_COLUMN) // (widest + _PADDING))
    for start in range(0, len(summaries), chunk):
        console.print(_headline(summaries[start : start + chunk], settings.max_turns))
    for line in (*_remarks(run, summaries), *spent_lines(run, prices)):
        console.print(line, markup=False, highlight=False)
    for start in range(0, len(summaries), chunk):
        console.print()
        part = summaries[start : start + chunk]
        console.print("Satisfied per constraint group, of those judged", style="bold", highlight=False)
        console.print(_satisfaction(part, lambda s: s.groups))
    if any(s.heuristic for s in summaries):
        title = "Subjective groups by the heuristic “lexical” (word lists; in no figure above)"
        for start in range(0, len(summaries), chunk):
            console.print()
            console.print(title, style="bold", markup=False, highlight=False)
            console.print(_satisfaction(summaries[start : start + chunk], lambda s: s.heuristic))
    console.print()
    console.print(NOT_COMPARABLE, style="dim", markup=False, highlight=False)


def _table(first: str, summaries: Iterable[ModelSummary]) -> Table:
    table = Table()
    table.add_column(first, no_wrap=True)
    for summary in summaries:
        provider, slash, name = plain(summary.model).partition("/")
        table.add_column(Text(f"{provider}{slash}\n{name}" if slash else provider), justify="right", overflow="fold")
    return table


def _headline(summaries: Sequence[ModelSummary], cap: int) -> Table:
    """The eight metrics; a length that the cap may have cut is labelled with it."""
    labels = dict(LABELS)
    if any(s.counts.censored for s in summaries):
        labels["edr_len"] += f" ≤{cap}"
    table = _table("metric", summaries)
    table.add_row("sessions", *(str(s.metrics.dialogues) for s in summaries))
    for name, label in labels.items():
        table.add_row(label, *(_figure(summary, name) for summary in summaries))
    return table


def _figure(summary: ModelSummary, name: str) -> Text:
    value = summary.metrics.by_name()[name]
    if value is None:
        return Text("-")
    text = Text(_number(name, value), style="bold")
    interval = summary.intervals[name]
    if interval is not None:
        text.append(f" [{_number(name, interval[0])}–{_number(name, interval[1])}]", style="not bold dim")
    return text


def _number(name: str, value: float) -> str:
    return f"{value:.1f}" if name.startswith("edr") else f"{100 * value:.0f}"


def _remarks(run: Run, summaries: Sequence[ModelSummary]) -> list[str]:
    """What a reader must know to read the table right, one line a fact."""
    facts: list[tuple[str, Callable[[ModelSummary], int]]] = [
        (
            "Sessions cut by the cap, the context or a budget, so that lengths are lower bounds",
            lambda s: s.counts.censored,
        ),
        ("Sessions suspended and not in the table", lambda s: s.counts.suspended + s.counts.running),
        ("Sessions withheld by a content filter and not in the table", lambda s: s.counts.withheld),
        (
            "Turns with nothing judged, which count towards the cap and in no figure",
            lambda s: s.counts.not_judged_turns,
        ),
        (f"Constraints not judged (judge: {run.settings.judge})", lambda s: s.counts.not_judged_constraints),
        ("Sessions without a failed turn to recover from, left out of REC", lambda s: s.metrics.rec_left_out),
    ]
    lines = []
    for fact, count in facts:
        told = [f"{plain(s.model)} {count(s)}" for s in summaries if count(s)]
        if told:
            lines.append(f"{fact}: {', '.join(told)}.")
    lines += [
        f"Sessions kept from beginning by a {cause}, in no figure: {number}." for cause, number in run.unbegun().items()
    ]
    lines += [line for line in map(_bounds, summaries) if line]
    return lines


def _bounds(summary: ModelSummary) -> str:
    if summary.bounds is None:
        return ""
    low, high = summary.bounds.failed.edr_len, summary.bounds.succeeded.edr_len
    if low is None or high is None:
        return ""
    return f"{plain(summary.model)}: had those sessions gone on, EDR len would lie between {low:.1f} and {high:.1f}."


def _satisfaction(summaries: Sequence[ModelSummary], of: Callable[[ModelSummary], Mapping[str, Satisfaction]]) -> Table:
    table = _table("group", summaries)
    for group in sorted({g for s in summaries for g, seen in of(s).items() if seen.judged}):
        table.add_row(Text(plain(group)), *(_share(of(summary).get(group)) for summary in summaries))
    return table


def _share(seen: Satisfaction | None) -> str:
    return f"{100 * seen.satisfied / seen.judged:.0f} % of {seen.judged}" if seen is not None and seen.judged else "-"
