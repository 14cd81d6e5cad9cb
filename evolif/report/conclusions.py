"""What a comparison of two models shows, in sentences that claim no more than the figures support.

Models are told apart by the main metric alone. Where they are not, the interval is said and what it would take: never
that they are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from evolif.metrics import AT_N, Interval, Metric
from evolif.report.comparable import setting_of
from evolif.report.comparison import ALPHA, ModelComparison, amount, compared_rows, p_value
from evolif.report.coverage import unit_name, unit_words
from evolif.report.wording import saturated_line
from evolif.text import plural

FEWEST_EARLY = 5
"""Early ends of both, below which the interval of a difference in ISR@N holds in fewer than 95 % of runs."""

_UNITS = {"rate": " points", "turns": " turns", "count": ""}
_STEPS = {
    "rate": (0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001),
    "turns": (10.0, 5.0, 3.0, 2.0, 1.0, 0.5, 0.2, 0.1),
}
"""Differences that a reader may want to see, by unit."""
_POWERED = 2.8
"""Standard errors that a difference has to be large to be seen four times out of five: 1.96 + .84."""


def verdict_sentence(comparison: ModelComparison, names: tuple[str, str] | None = None) -> str:
    """Whether the two are told apart by the main metric, and by how much.

    Args:
        comparison: Of two models.
        names: What to call them; their labels if None.
    """
    first, second = names or comparison.labels
    metric, found = comparison.lead, comparison.leading
    if found.value is None:
        return f"{_undefined(comparison, first, second)}."
    if not comparison.told_apart:
        return _not_apart(comparison, first, second)
    flip = second_is_better(comparison)
    if flip:
        first, second = second, first
    size = f"{amount(metric, abs(found.value), signed=False)}{_ends(metric, found.interval, flip=flip)}"
    told = f"{size}{_UNITS[metric.unit]}, {_p_words(comparison)}"
    if metric.name == AT_N:
        return f"{first} satisfies more of {requests_of(comparison)} than {second}: {metric.label} by {told}."
    return f"{first} is ahead of {second} in {metric.label} by {told}."


def shared_sentence(comparison: ModelComparison, names: tuple[str, str] | None = None) -> str:
    """That another one is better on the turns that both were asked; empty where the two figures agree.

    Args:
        comparison: Of two models.
        names: What to call them; their labels if None.
    """
    first, second = names or comparison.labels
    shared, lead = comparison.paired.shared, comparison.leading
    if shared is None or not shared.value or not lead.value or (shared.value > 0) == (lead.value > 0):
        return ""
    if not comparison.told_apart and (shared.p is None or shared.p > ALPHA):
        return ""
    if shared.value < 0:
        first, second = second, first
    metric = comparison.lead
    size = amount(metric, abs(shared.value), signed=False)
    ends = _ends(metric, shared.interval, flip=shared.value < 0)
    return (
        f"{first} is better on the turns that both were asked, in ISR by {size}{ends} points; "
        f"{second} satisfies more of {requests_of(comparison)}."
    )


def second_is_better(comparison: ModelComparison) -> bool:
    """Whether the second has the better figure in the main metric."""
    less = any(comparison.lead.name in table.lower for table in comparison.tables)
    return ((comparison.leading.value or 0.0) < 0) is not less


def requests_of(comparison: ModelComparison) -> str:
    """What the main metric of patience counts: “50 requests in a row”."""
    cap = comparison.paired.cap
    return "the requests" if cap is None else f"{plural(cap, 'request')} in a row"


def _not_apart(comparison: ModelComparison, first: str, second: str) -> str:
    metric, found = comparison.lead, comparison.leading
    size = f"{amount(metric, found.value or 0.0)}{_ends(metric, found.interval, signed=True)}{_UNITS[metric.unit]}"
    if found.interval is None:
        units = unit_name(comparison.tables[0].cluster)
        return (
            f"{first} and {second} cannot be told apart: {metric.label} {size}, without interval or p, since fewer "
            f"than six {units} count for both."
        )
    shown = _would_show(comparison)
    return f"{first} and {second} are not told apart: {metric.label} {size}, {_p_words(comparison)}{shown}."


def _would_show(comparison: ModelComparison) -> str:
    """How many dialogues would show a difference of at most half the size that this run could."""
    metric, plan, n = comparison.lead, comparison.leading.plan, comparison.paired.clusters
    if plan.spread is None or metric.unit not in _STEPS:
        return ""
    seen = _POWERED * plan.spread / sqrt(n)
    step = next((one for one in _STEPS[metric.unit] if one <= seen / 2), None)
    needed = None if step is None else plan.to_show(step)
    if step is None or needed is None:
        return ""
    size = f"{100 * step if metric.unit == 'rate' else step:g}"
    return f"; {needed} {unit_name(comparison.tables[0].cluster)} would show {size}"


def _undefined(comparison: ModelComparison, first: str, second: str) -> str:
    found, metric = comparison.leading, comparison.lead
    bare = [name for name, value in ((first, found.a), (second, found.b)) if value is None]
    why = "no session was played that far" if metric.name == AT_N else "nothing counts for it"
    return f"{metric.label} of {' and '.join(bare)} is not known: {why}"


def _p_words(comparison: ModelComparison) -> str:
    told = _equals(p_value(comparison.leading.p))
    if comparison.pairs == 1:
        return f"p {told}"
    return f"p {told}, {p_value(comparison.p)} after correction over {comparison.pairs} pairs"


def _equals(p: str) -> str:
    return f"< {p[1:]}" if p.startswith("<") else f"= {p}"


def _ends(metric: Metric, interval: Interval | None, *, flip: bool = False, signed: bool = False) -> str:
    if interval is None:
        return ""
    low, high = sorted(-end if flip else end for end in interval)
    return f" [{amount(metric, low, signed=signed)}, {amount(metric, high, signed=signed)}]"


def kind_line(comparison: ModelComparison) -> str:
    """What differs between two runs of one model; empty between models."""
    first, second = comparison.a.of.settings, comparison.b.of.settings
    if comparison.kind == "system-prompt":
        on, off = ("A", "B") if first.system_prompt else ("B", "A")
        equal = "" if comparison.also else ", all else equal"
        return (
            f"System-prompt ablation: {comparison.a.name} with the system prompt ({on}) and without it ({off}){equal}."
        )
    if comparison.kind == "judge":
        same, shared = comparison.same_answers
        answers = (
            "the same answers"
            if same == shared
            else f"only {same} of the {shared} shared turns have the same answer, so the differences include the "
            "model's own randomness; use evolif rejudge to exclude it"
        )
        judges = f"{first.judge} (A) and {second.judge} (B)"
        return f"Judge sensitivity: {comparison.a.name} under the judges {judges}, {answers}."
    if comparison.kind != "models":
        mine, other = setting_of(comparison.kind, first), setting_of(comparison.kind, second)
        equal = "" if comparison.also else ", all else equal"
        return f"Effect of the {comparison.kind}: {comparison.a.name} with {mine} (A) and {other} (B){equal}."
    return ""


def left_out_line(comparison: ModelComparison) -> str:
    """Dialogues that enter no figure of the comparison, and why; empty if there are none."""
    listed = ", ".join(f"{number} {why}" for why, number in comparison.paired.left_out.items())
    return f"Dialogues left out: {listed}." if listed else ""


def paired_line(comparison: ModelComparison) -> str:
    """What was paired, and where the two were cut to be alike."""
    paired = comparison.paired
    told = f"Paired over {unit_words(comparison.tables[0].cluster, paired.clusters, paired.dialogues)}."
    if comparison.replay is None:
        return told
    return f"{told} The runs differ in patience or cap, so both are cut to {comparison.replay}, by a replay."


def no_interval_line(comparison: ModelComparison) -> str:
    """Which differences have no interval, and why; empty if all have one."""
    known = [(metric, one) for _, metric, one in compared_rows(comparison) if one.value is not None]
    bare = [metric.label for metric, one in known if one.interval is None]
    if not bare:
        return ""
    listed = "" if len(bare) == len(known) else f" in {', '.join(bare)}"
    units = unit_name(comparison.tables[0].cluster)
    return f"No interval and no p of A − B{listed}: fewer than six {units} contribute to either side."


def saturation_line(comparison: ModelComparison) -> str:
    """That the cap bounds EDR len, for whom; empty if it does not."""
    if comparison.replay is not None:
        return ""
    sides = zip("AB", (comparison.a, comparison.b), strict=True)
    lines = [saturated_line(side, model.summary, model.of.settings.max_turns) for side, model in sides]
    return " ".join(filter(None, lines))


def few_early_line(comparison: ModelComparison) -> str:
    """That too few sessions ended early for the interval of ISR@N to be relied on; empty if there are enough."""
    early, metric = comparison.paired.early, comparison.lead
    if early is None or early >= FEWEST_EARLY or metric.name != AT_N or comparison.leading.interval is None:
        return ""
    number = {0: "No session", 1: "One session"}.get(early, f"Only {early} sessions")
    return (
        f"{number} of both ended before the last turn. With fewer than {FEWEST_EARLY}, the interval of a difference "
        f"in {metric.label} is too narrow in more than one run of twenty: early ends weigh most, and are too "
        "rare to be seen."
    )


def log_rank_line(comparison: ModelComparison) -> str:
    """The test of the two survival curves; empty without patience."""
    found = comparison.log_rank
    if found is None:
        return ""
    if found.statistic is None or found.p is None:
        return "Log-rank test of the survival curves: nothing to test."
    longer = "A" if found.statistic < 0 else "B"
    which = f"{longer} lasts longer than expected if they did not differ" if found.statistic else "no difference"
    return (
        f"Log-rank test of the survival curves, paired by dialogue, without correction: t {found.statistic:+.2f}, "
        f"p {p_value(found.p)} ({which})."
    )


def conclusion(comparison: ModelComparison) -> str:
    """What the comparison shows, and under which conditions."""
    if not comparison.paired.dialogues:
        return "A and B have no dialogue that counts in both, so they cannot be compared."
    first, second = comparison.labels
    names = f"A, {first},", f"B, {second},"
    told = verdict_sentence(comparison, names), shared_sentence(comparison, names), _where(comparison)
    return " ".join(filter(None, told)).replace(",:", ":").replace(",.", ".")


def few_dialogues_line(comparison: ModelComparison) -> str:
    """That there are too few dialogues to tell the two apart whatever the answers; empty if there are enough."""
    n, pairs = comparison.paired.clusters, comparison.pairs
    if comparison.leading.p is None or n >= 10 or 2.0 ** (1 - n) * pairs <= ALPHA:
        return ""
    needed = next(n for n in range(1, 64) if 2.0 ** (1 - n) * pairs <= ALPHA)
    units = unit_name(comparison.tables[0].cluster)
    return (
        f"Over {n} {units}, no p can be at most {ALPHA} after correction over {plural(pairs, 'pair')}, whatever the "
        f"answers; that takes at least {needed}."
    )


def judges_lines(comparison: ModelComparison) -> Iterator[str]:
    """How far two judges agree; nothing if the judge is the same."""
    found = comparison.sensitivity
    if found is None:
        return
    judged = {group: one for group, one in found.groups.items() if one.n and one.both + one.neither < one.n}
    word = comparison.a.of.scenario.presentation.requirement
    if not found.overall.n:
        yield f"No {word} has a verdict from both judges."
    elif not judged:
        every = "the" if found.overall.n == 1 else "all"
        yield f"The two judges agree on {every} {plural(found.overall.n, word)} that both judged."
    for group, one in judged.items():
        kappa = "κ undefined" if one.kappa is None else f"κ {one.kappa:.2f}"
        yield (
            f"{group}: {one.both + one.neither} of {plural(one.n, 'verdict')} agree, {kappa}; satisfied only for A: "
            f"{one.first_only}, only for B: {one.second_only}."
        )
    if found.one_sided:
        listed = ", ".join(f"{group} {number}" for group, number in found.one_sided.items())
        yield f"{word.capitalize()}s with a verdict from only one judge: {listed}."


def _where(comparison: ModelComparison) -> str:
    settings = comparison.a.of.settings
    judge = "" if comparison.kind == "judge" else f", judge {settings.judge}"
    capped = any(model.summary.counts.censored for model in (comparison.a, comparison.b))
    replay = comparison.replay
    patience, cap = (settings.patience, settings.max_turns) if replay is None else (replay.patience, replay.cap)
    return f"This holds for dialogues drawn in the same way, at {_patience(patience)}cap {cap}{judge}" + (
        "; some sessions were cut, so lengths are compared only up to the cut." if capped else "."
    )


def _patience(patience: int | None) -> str:
    return "" if patience is None else f"patience {patience}, "
