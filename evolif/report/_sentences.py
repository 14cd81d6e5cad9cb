"""What a report says in words: settings, what is left out and why, the ceiling, the judge's audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from evolif._errors import UsageError
from evolif.judge_audit import judge_audit_lines
from evolif.metrics import Ceiling
from evolif.protocol import Run
from evolif.report._analysis import RunAnalysis
from evolif.report._summary import ModelSummary

_MISSES = 3
"""Turns without a good witness that are named."""


def settings_line(run: Run) -> str:
    """What the run was made with."""
    settings = run.settings
    more = "" if settings.system_prompt else ", no system prompt"
    if settings.temperature is not None:
        more += f", temperature {settings.temperature:g}"
    return (
        f"Profile {settings.profile}, patience {settings.patience}, cap {settings.max_turns} turns, "
        f"judge {settings.judge}{more}; in brackets 95 % intervals over dialogues."
    )


def early_line(run: Run) -> str:
    """That a stop rule ended the run; empty where none did."""
    early = run.early_end()
    if early is None:
        return ""
    return (
        f"Ended early by the rule {early.rule}: every model's interval of that metric is narrower than ± "
        f"that value over the first {len(early.dialogues)} dialogues of the seeded order (looked at in whole "
        f"batches of {early.batch}, each with all its sessions ended). The figures are of these dialogues alone."
    )


def unfinished_line(run: Run) -> str:
    """That sessions have not come to their end; empty where all have."""
    suspended = run.suspended()
    if not suspended:
        return ""
    total = len(run.settings.dialogues) * run.settings.epochs * len(run.models)
    return (
        f"Not finished: {suspended} of {total} sessions are suspended or still to be played; the evaluate command that "
        "made the run goes on with them. Until then the figures may favour short sessions."
    )


def remarks(run: Run, summaries: Sequence[ModelSummary], heads: Sequence[str]) -> Iterator[str]:
    """What a reader must know to read the table right, one sentence a fact."""
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
    for fact, count in facts:
        told = [f"{head} {count(summary)}" for head, summary in zip(heads, summaries, strict=True) if count(summary)]
        if told:
            yield f"{fact}: {', '.join(told)}."
    for cause, number in run.unbegun().items():
        yield f"Sessions kept from beginning by a {cause}, in no figure: {number}."
    for head, summary in zip(heads, summaries, strict=True):
        yield from _bounds(head, summary)


def _bounds(head: str, summary: ModelSummary) -> Iterator[str]:
    if summary.bounds is None:
        return
    low, high = summary.bounds.failed.edr_len, summary.bounds.succeeded.edr_len
    if low is not None and high is not None:
        yield f"{head}: had those sessions gone on, EDR len would lie between {low:.1f} and {high:.1f}."


def ceiling_line(found: Ceiling) -> str:
    """What a perfect responder would have reached on the asked turns, as it is."""
    if not found.turns:
        return "A perfect responder: no turn was asked yet, so there is no ceiling to tell."
    if found.without_witness == found.turns:
        return (
            f"A perfect responder: none of the {found.turns} asked turns has a witness (a foreign benchmark, or a run "
            "made before witnesses were kept), so the ceiling is unknown."
        )
    over = f"over {found.turns} asked turns"
    if not found.misses:
        return f"A perfect responder would satisfy every rule-checked constraint: ceiling 100 % {over}."
    reached = ", ".join(
        f"{name.upper()} {100 * value:.1f} %"
        for name in ("isr", "csr", "rob")
        if (value := found.metrics.value(name)) is not None
    )
    wrong = [
        f"{number} {what}"
        for number, what in (
            (found.without_witness, "without a witness"),
            (found.failing, "with a witness that the rules reject"),
        )
        if number
    ]
    named = "; ".join(
        f"dialogue {miss.dialogue} turn {miss.turn} ({', '.join(miss.groups) or 'no witness'})"
        for miss in found.misses[:_MISSES]
    )
    more = f"; and {len(found.misses) - _MISSES} more" if len(found.misses) > _MISSES else ""
    return (
        f"A perfect responder with the benchmark's witnesses would not reach 100 %: ceiling {reached} {over}; "
        f"{' and '.join(wrong)}: {named}{more}. What has no witness counts as failed, so this is a lower bound."
    )


def audit_lines(analysis: RunAnalysis) -> Iterator[str]:
    """How far persons agreed with the judge, per group; nothing where nobody looked."""
    try:
        yield from judge_audit_lines(analysis.judge_audit)
    except UsageError as fault:
        yield f"The judge audit cannot be told: {fault}"
