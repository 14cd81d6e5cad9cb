"""How far a judge agrees with people, from a sample with rare and frequent outcomes in equal number.

The sample is spread evenly over the judge's outcomes, so plain agreement in it says nothing about the run. Three
figures do: agreement among the answers that the judge accepted, agreement among those it rejected, and both weighted by
their proportions in the run. In each, an item represents as many of the run's judged answers as its cell (group,
outcome, model) has per scored item.

The figures are about the answers of this run, and answers are drawn one by one within their cells. So an interval
counts items, whatever dialogues they come from: chance lies in the draw of items, not in that of dialogues.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from evolif.errors import UsageError
from evolif.judge_audit.decisions import Decision, load_judge_audit
from evolif.judge_audit.sample import JudgedVerdict, Sample, Stratum, load_sample, sampled_verdicts
from evolif.judging import THRESHOLD
from evolif.metrics import cohens_kappa
from evolif.metrics.statistics import wilson
from evolif.runner import Run


class JudgedPair(NamedTuple):
    """An item with verdicts of both the judge and a person."""

    group: str
    judge: bool
    model: str
    person: bool


@dataclass(frozen=True, slots=True)
class RunShare:
    """A share of the run, estimated from items; fractions."""

    hits: int
    """Matching items of the sample, unweighted."""
    items: int
    value: float | None
    """Weighted; None without items."""
    low: float | None
    high: float | None
    """95 %: Wilson's interval at the effective number of items (Kish)."""


@dataclass(frozen=True, slots=True)
class JudgeAuditRow:
    """The judge compared with one person or with all of them, in one group or in all."""

    reviewer: str
    """Empty for all reviewers: the mean of their scores decides, as in a panel."""
    group: str
    """Empty for all groups."""
    scored: int
    """Items with a score."""
    skipped: int
    """Items skipped and not scored."""
    answers: int
    """Judged answers of the run that the figures cover."""
    uncovered: int
    """Judged answers not covered, because their group and outcome have no scored item."""
    when_accepted: RunShare
    """Among the answers that the judge accepted, how often the person accepts."""
    when_rejected: RunShare
    """Among the answers that the judge rejected, how often the person rejects."""
    overall: RunShare
    """How often both agree, weighted to the run."""
    kappa: float | None
    """Of the weighted table; None if it is undefined."""
    kappa_low: float | None
    kappa_high: float | None
    """95 %; None with fewer than 20 effective items."""
    judge_accepts: float | None
    """Share of the covered answers that the judge accepted."""
    person_accepts: RunShare
    """Share of the covered answers that the person would accept."""

    def to_object(self) -> dict[str, Any]:
        """For machines; rates are fractions."""
        return asdict(self)


def agreement_rows(
    compared: Sequence[JudgedPair], population: Iterable[Stratum], skipped: Sequence[str] = (), reviewer: str = ""
) -> list[JudgeAuditRow]:
    """One row for all groups, then one for each group of the population.

    Args:
        compared: The items with verdicts of both, each once.
        population: The cells of the run.
        skipped: The groups of the skipped items.
        reviewer: Whose verdicts they are.
    """
    cells = tuple(population)
    groups = sorted({cell.group for cell in cells})
    return [
        _row(
            reviewer,
            name,
            [pair for pair in compared if pair.group in among],
            [cell for cell in cells if cell.group in among],
            sum(group in among for group in skipped),
        )
        for name, among in [("", groups), *((group, [group]) for group in groups)]
    ]


def _row(
    reviewer: str, group: str, items: Sequence[JudgedPair], population: Sequence[Stratum], skipped: int
) -> JudgeAuditRow:
    weights = _weights(items, population)
    weighted = list(zip(items, weights, strict=True))
    strata = {(pair.group, pair.judge) for pair in items}
    covered = [cell for cell in population if (cell.group, cell.accepted) in strata]
    answers = sum(cell.answers for cell in covered)
    table: defaultdict[tuple[bool, bool], float] = defaultdict(float)
    for pair, weight in weighted:
        table[pair.judge, pair.person] += weight
    kappa, interval = cohens_kappa(table, _effective_items(weights))
    low, high = interval or (None, None)
    return JudgeAuditRow(
        reviewer=reviewer,
        group=group,
        scored=len(items),
        skipped=skipped,
        answers=answers,
        uncovered=sum(cell.answers for cell in population) - answers,
        when_accepted=_share([(pair.person, weight) for pair, weight in weighted if pair.judge]),
        when_rejected=_share([(not pair.person, weight) for pair, weight in weighted if not pair.judge]),
        overall=_share([(pair.person == pair.judge, weight) for pair, weight in weighted]),
        kappa=kappa,
        kappa_low=low,
        kappa_high=high,
        judge_accepts=sum(cell.answers for cell in covered if cell.accepted) / answers if answers else None,
        person_accepts=_share([(pair.person, weight) for pair, weight in weighted]),
    )


def _weights(items: Sequence[JudgedPair], population: Iterable[Stratum]) -> list[float]:
    """How many of the run's judged answers each item represents.

    Answers of a model without a scored item are represented by the items of the same group and outcome.
    """
    scored = Counter((pair.group, pair.judge, pair.model) for pair in items)
    cells: Counter[tuple[str, bool, str]] = Counter()
    whole: Counter[tuple[str, bool]] = Counter()
    reached: Counter[tuple[str, bool]] = Counter()
    for group, accepted, model, answers in population:
        cells[group, accepted, model] += answers
        whole[group, accepted] += answers
        if scored[group, accepted, model]:
            reached[group, accepted] += answers
    weights = []
    for group, accepted, model, _person in items:
        own = cells[group, accepted, model] / scored[group, accepted, model]
        weights.append(own * whole[group, accepted] / reached[group, accepted])
    return weights


def _share(outcomes: Sequence[tuple[bool, float]]) -> RunShare:
    weights = [weight for _, weight in outcomes]
    if not weights:
        return RunShare(0, 0, None, None, None)
    value = math.fsum(weight for hit, weight in outcomes if hit) / math.fsum(weights)
    low, high = wilson(value, _effective_items(weights))
    return RunShare(sum(hit for hit, _ in outcomes), len(outcomes), value, low, high)


def _effective_items(weights: Sequence[float]) -> float:
    """The equivalent number of equally weighted items (Kish 1965)."""
    return math.fsum(weights) ** 2 / math.fsum(weight * weight for weight in weights) if weights else 0.0


def mean_verdicts(scores: Mapping[int, Sequence[int]], threshold: float) -> dict[int, bool]:
    """The verdict of all people on each item: by the mean of their scores, as in a panel with the rule `mean`."""
    return {item: sum(given) / len(given) > threshold for item, given in scores.items() if given}


def judge_audit_summary(run: Run) -> list[JudgeAuditRow]:
    """How far people agree with the run's judge; empty if no answer was scored.

    The rows for all reviewers together come first (`reviewer` empty), then, if there are several, those of each. In
    each part the first row covers all groups (`group` empty), the rest one group each.

    Raises:
        UsageError: the sample, the decisions and the run do not belong together.
    """
    # If a person scored or skipped an answer several times, the last decision counts.
    last = {(one.reviewer, one.item): one for one in load_judge_audit(run.path) if one.decision in ("score", "skip")}
    names = sorted({one.reviewer for one in last.values() if one.score is not None})
    if not names:
        return []
    sample = load_sample(run.path)
    if sample is None:
        raise UsageError(f"the judge audit of {run.path} has decisions but no sample; restore its sample.json")
    verdicts = sampled_verdicts(run, sample)
    rows = _rows(run, sample, verdicts, last.values(), "")
    for name in names if len(names) > 1 else ():
        rows += _rows(run, sample, verdicts, [one for one in last.values() if one.reviewer == name], name)
    return rows


def _rows(
    run: Run, sample: Sample, verdicts: Mapping[int, JudgedVerdict], decisions: Iterable[Decision], reviewer: str
) -> list[JudgeAuditRow]:
    scores: defaultdict[int, list[int]] = defaultdict(list)
    decided: set[int] = set()
    for one in decisions:
        if one.number not in verdicts:
            raise UsageError(
                f"the judge audit of {run.path} has a decision on answer {one.item}, which is not in its sample"
            )
        decided.add(one.number)
        if one.score is not None:
            scores[one.number].append(one.score)
    cells = {cell[:3] for cell in sample.population}
    if not all((one.group, one.accepted, one.model) in cells for one in verdicts.values()):
        raise UsageError(f"the judge audit of {run.path} was drawn from other answers; restore its sample.json")
    people = mean_verdicts(scores, THRESHOLD)
    compared = [
        JudgedPair(verdicts[number].group, verdicts[number].accepted, verdicts[number].model, person)
        for number, person in sorted(people.items())
    ]
    skipped = [verdicts[number].group for number in sorted(decided - people.keys())]
    return agreement_rows(compared, sample.population, skipped, reviewer)


def judge_audit_lines(rows: Iterable[JudgeAuditRow]) -> list[str]:
    """One line per row of `judge_audit_summary`, under its reviewer; safe for a terminal, whatever the names are."""
    all_rows = list(rows)
    everybody = "all reviewers together" if any(row.reviewer for row in all_rows) else "a reviewer"
    lines: list[str] = []
    last: str | None = None
    for row in all_rows:
        if row.reviewer != last:
            lines.append(f"The judge compared with {_shown(row.reviewer) or everybody}:")
            last = row.reviewer
        lines.append("; ".join(_parts(row)))
    return lines


def _parts(row: JudgeAuditRow) -> Iterator[str]:
    skipped = f", {row.skipped} skipped" if row.skipped else ""
    yield f"  {_shown(row.group) or 'all groups'}: {row.scored} scored{skipped}"
    if row.scored:
        yield f"same verdict {_share_text(row.overall)}"
        yield f"where the judge accepts {_share_text(row.when_accepted)}"
        yield f"where it rejects {_share_text(row.when_rejected)}"
        yield f"κ {_kappa_text(row)}"
    if row.uncovered:
        yield f"no figures for {row.uncovered} of {row.uncovered + row.answers} judged answers"


def _shown(name: str) -> str:
    """A foreign name without control characters and without marks that reverse the reading order."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name[:60])


def _share_text(share: RunShare) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "not scored"
    ends = f"{100 * share.low:.0f}–{100 * share.high:.0f}"
    return f"{100 * share.value:.0f} % ({ends}, {share.hits} of {share.items} scored)"


def _kappa_text(row: JudgeAuditRow) -> str:
    if row.kappa is None:
        return "undefined"
    if row.kappa_low is None or row.kappa_high is None:
        return f"{row.kappa:.2f} (too few for an interval)"
    return f"{row.kappa:.2f} ({row.kappa_low:.2f} to {row.kappa_high:.2f})"
