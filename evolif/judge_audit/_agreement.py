"""How far a judge agrees with persons, by a sample that holds rare outcomes as often as frequent ones.

The sample is dealt evenly over the judge's outcomes, so plain agreement in it is a figure of the sample, not of the
run. Three figures are right: agreement among what the judge accepted, agreement among what it rejected, and both put
together in the proportion in which the run holds them. In all of them an item stands for as many of the run's judged
answers as its cell (group, outcome, model) holds per item that was scored.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from evolif.judge_audit._kappa import Z95, kappa_of
from evolif.judge_audit._sample import Cell


class Compared(NamedTuple):
    """One item that both the judge and a person gave a verdict on."""

    group: str
    judge: bool
    model: str
    person: bool


@dataclass(frozen=True, slots=True)
class Share:
    """A share of the run, estimated from items; fractions."""

    hits: int
    """Items of the sample that it is true of, unweighted."""
    items: int
    value: float | None
    """Weighted; None without items."""
    low: float | None
    high: float | None
    """95 %: Wilson's interval at the number of items that the weights leave (Kish)."""


@dataclass(frozen=True, slots=True)
class JudgeAuditRow:
    """The judge beside one person, or beside all of them, in one group or in all."""

    reviewer: str
    """Empty for all together: the mean of their scores decides, as in a panel."""
    group: str
    """Empty for all groups."""
    scored: int
    """Items with a score."""
    skipped: int
    """Items that were skipped and not scored."""
    answers: int
    """Judged answers of the run that the figures speak of."""
    uncovered: int
    """Judged answers of (group, outcome)s without any scored item: no figure speaks of them."""
    when_accepted: Share
    """Where the judge accepted, how often the person does."""
    when_rejected: Share
    """Where the judge rejected, how often the person does."""
    overall: Share
    """How often both say the same, weighted to the run."""
    kappa: float | None
    """Of the weighted table; None where it is undefined."""
    kappa_low: float | None
    kappa_high: float | None
    """95 %; None where the items are worth fewer than 20."""
    judge_accepts: float | None
    """Share of the run's answers that the judge accepted, of those that the figures speak of."""
    person_accepts: Share
    """Share of the run's answers that the person would accept."""

    def to_object(self) -> dict[str, Any]:
        """For machines; rates are fractions."""
        return asdict(self)


def agreement_rows(
    compared: Sequence[Compared], population: Iterable[Cell], skipped: Sequence[str] = (), reviewer: str = ""
) -> list[JudgeAuditRow]:
    """All groups together first, then each group of the population.

    Args:
        compared: The items with a verdict of both, each once.
        population: What the run holds.
        skipped: The groups of the items that were skipped.
        reviewer: Whose verdicts they are.
    """
    cells = tuple(population)
    groups = sorted({cell.group for cell in cells})
    wanted: list[tuple[str, ...]] = [tuple(groups), *((group,) for group in groups)]
    return [
        _row(
            reviewer,
            "" if number == 0 else among[0],
            [one for one in compared if one.group in among],
            [cell for cell in cells if cell.group in among],
            sum(group in among for group in skipped),
        )
        for number, among in enumerate(wanted)
    ]


def _row(
    reviewer: str, group: str, items: Sequence[Compared], population: Sequence[Cell], skipped: int
) -> JudgeAuditRow:
    weights = _weights(items, population)
    weighed = list(zip(items, weights, strict=True))
    strata = {(one.group, one.judge) for one in items}
    answers = {outcome: _held(population, strata, outcome) for outcome in (True, False)}
    whole = sum(cell.answers for cell in population)
    table: defaultdict[tuple[bool, bool], float] = defaultdict(float)
    for one, weight in weighed:
        table[one.judge, one.person] += weight
    kappa, interval = kappa_of(table, _worth(weights))
    covered = sum(answers.values())
    return JudgeAuditRow(
        reviewer=reviewer,
        group=group,
        scored=len(items),
        skipped=skipped,
        answers=covered,
        uncovered=whole - covered,
        when_accepted=_share([(one.person, weight) for one, weight in weighed if one.judge]),
        when_rejected=_share([(not one.person, weight) for one, weight in weighed if not one.judge]),
        overall=_share([(one.person == one.judge, weight) for one, weight in weighed]),
        kappa=kappa,
        kappa_low=None if interval is None else interval[0],
        kappa_high=None if interval is None else interval[1],
        judge_accepts=answers[True] / covered if covered else None,
        person_accepts=_share([(one.person, weight) for one, weight in weighed]),
    )


def _held(population: Iterable[Cell], strata: set[tuple[str, bool]], outcome: bool) -> int:
    return sum(
        cell.answers for cell in population if cell.accepted is outcome and (cell.group, cell.accepted) in strata
    )


def _weights(items: Sequence[Compared], population: Iterable[Cell]) -> list[float]:
    """How many of the run's judged answers each item stands for.

    Those of a model without a scored item are stood for by the items of the same group and outcome.
    """
    scored = Counter((one.group, one.judge, one.model) for one in items)
    held: Counter[tuple[str, bool, str]] = Counter()
    whole: Counter[tuple[str, bool]] = Counter()
    reached: Counter[tuple[str, bool]] = Counter()
    for group, accepted, model, answers in population:
        held[group, accepted, model] += answers
        whole[group, accepted] += answers
        if scored[group, accepted, model]:
            reached[group, accepted] += answers
    found = []
    for group, accepted, model, _person in items:
        own = held[group, accepted, model] / scored[group, accepted, model]
        found.append(own * whole[group, accepted] / reached[group, accepted])
    return found


def _share(told: Sequence[tuple[bool, float]]) -> Share:
    weights = [weight for _, weight in told]
    if not weights:
        return Share(0, 0, None, None, None)
    value = math.fsum(weight for hit, weight in told if hit) / math.fsum(weights)
    low, high = wilson(value, _worth(weights))
    return Share(sum(hit for hit, _ in told), len(told), value, low, high)


def _worth(weights: Sequence[float]) -> float:
    """How many equally weighted items these are worth (Kish 1965)."""
    return math.fsum(weights) ** 2 / math.fsum(weight * weight for weight in weights) if weights else 0.0


def wilson(value: float, items: float) -> tuple[float, float]:
    """Wilson's 95 % interval (1927) of a share among so many items."""
    square = Z95 * Z95
    middle = (value + square / (2 * items)) / (1 + square / items)
    spread = Z95 * math.sqrt(value * (1 - value) / items + square / (4 * items * items)) / (1 + square / items)
    # Where all agree or none does, the end is 1 or 0; rounding must not put the share outside of its interval.
    return max(0.0, min(middle - spread, value)), min(1.0, max(middle + spread, value))


def together(scores: Mapping[int, Sequence[int]], threshold: float) -> dict[int, bool]:
    """Per item what all persons say together: the mean of their scores, as in a panel with the rule `mean`."""
    return {item: sum(given) / len(given) > threshold for item, given in scores.items() if given}
