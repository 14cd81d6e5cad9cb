"""How far a judge agrees with another one, or with a person."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval
from evolif.metrics._resampling import check_draws, middle, resampled_sums

_KINDS = ((True, True), (True, False), (False, True), (False, False))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Verdicts that two gave on the same constraints of the same answers.

    Attributes:
        both: Constraints that both found satisfied.
        first_only: That the first alone (the person) found satisfied.
        second_only: That the second alone (the judge) found satisfied.
        neither: That neither did.
        dialogues: Dialogues they come from.
        agreed: (both + neither) / n, a fraction; None without a pair.
        agreed_interval: 95 % bootstrap interval over dialogues; None with fewer than two.
        kappa: Cohen's; None where undefined: no pair, or both gave one and the same verdict throughout.
        kappa_interval: 95 % bootstrap interval over dialogues, of the resamples in which it is defined.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    dialogues: int
    agreed: float | None
    agreed_interval: Interval | None
    kappa: float | None
    kappa_interval: Interval | None

    @property
    def n(self) -> int:
        """Pairs of verdicts."""
        return self.both + self.first_only + self.second_only + self.neither


def judge_agreement(
    pairs: Iterable[tuple[str, int, bool, bool]], *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> dict[str, Agreement]:
    """Share of equal verdicts and Cohen's kappa per group, with intervals over dialogues.

    Args:
        pairs: (group, dialogue, verdict of the person or first judge, verdict of the judge audited), in any order.
        seed: Of the resampling.
        resamples: How many.

    Returns:
        Group, in alphabetical order, to its agreement. For a figure over all groups call it with one name for all.
    """
    check_draws(seed, resamples)
    tables: defaultdict[str, defaultdict[int, Counter[tuple[bool, bool]]]]
    tables = defaultdict(lambda: defaultdict(Counter))
    dialogues: set[int] = set()
    for group, dialogue, first, second in pairs:
        tables[group][dialogue][first, second] += 1
        dialogues.add(dialogue)
    order = sorted(dialogues)
    groups = sorted(tables)
    columns = [[tables[group][d][kind] for d in order] for group in groups for kind in _KINDS]
    sums = resampled_sums(columns, seed=seed, resamples=resamples) if columns else []
    drawn = [list(zip(*map(list, sums[4 * n : 4 * n + 4]), strict=True)) for n in range(len(groups))]
    return {group: _agreement(tables[group], own) for group, own in zip(groups, drawn, strict=True)}


_Counts = tuple[float, float, float, float]
"""Both satisfied, the first alone, the second alone, neither."""


def kappa(counts: _Counts) -> float | None:
    """Cohen's kappa; None without a pair, or where both gave one and the same verdict throughout."""
    both, first, second, neither = counts
    n = sum(counts)
    by_chance = (both + first) * (both + second) + (neither + first) * (neither + second)
    # In whole numbers: chance alone gives full agreement exactly where the two are equal.
    return (n * (both + neither) - by_chance) / (n * n - by_chance) if n * n > by_chance else None


def _agreed(counts: _Counts) -> float | None:
    n = sum(counts)
    return (counts[0] + counts[3]) / n if n else None


def _agreement(table: Mapping[int, Counter[tuple[bool, bool]]], drawn: list[_Counts]) -> Agreement:
    own = [counts for counts in table.values() if counts.total()]
    both, first, second, neither = (sum(counts[kind] for counts in own) for kind in _KINDS)
    agreed, value = _agreed((both, first, second, neither)), kappa((both, first, second, neither))
    several = len(own) > 1
    return Agreement(
        both=both,
        first_only=first,
        second_only=second,
        neither=neither,
        dialogues=len(own),
        agreed=agreed,
        agreed_interval=_interval(map(_agreed, drawn), agreed) if several else None,
        kappa=value,
        kappa_interval=_interval(map(kappa, drawn), value) if several else None,
    )


def _interval(values: Iterable[float | None], point: float | None) -> Interval | None:
    return None if point is None else middle([value for value in values if value is not None], point)
