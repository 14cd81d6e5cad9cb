"""How well a judge agrees with another judge or a person."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evolif.errors import UsageError
from evolif.metrics.compare import Comparison, compare
from evolif.metrics.statistics import Z95, Interval, check_draws, middle, resampled_sums
from evolif.types import DEFAULT_RESAMPLES, Session, Verdict

_KINDS = ((True, True), (True, False), (False, True), (False, False))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Verdicts of two judges on the same constraints of the same answers.

    Attributes:
        both: Constraints that both found satisfied.
        first_only: Constraints that only the first (the person) found satisfied.
        second_only: Constraints that only the second (the judge) found satisfied.
        neither: Constraints that neither found satisfied.
        dialogues: Dialogues they come from.
        agreed: (both + neither) / n, a fraction; None without a pair.
        agreed_interval: 95 % bootstrap interval over dialogues; None with fewer than two.
        kappa: Cohen's; None if undefined: no pair, or both always gave the same single verdict.
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
        Group, in alphabetical order, to its agreement. For a figure over all groups, pass the same group name for all.
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


def _kappa(counts: _Counts) -> float | None:
    """Cohen's kappa; None without a pair, or if both always gave the same single verdict.

    `cohens_kappa` takes weights and any categories; a bootstrap needs exact whole numbers, thousands of times.
    """
    both, first, second, neither = counts
    n = sum(counts)
    by_chance = (both + first) * (both + second) + (neither + first) * (neither + second)
    # In whole numbers: chance alone gives full agreement exactly if the two are equal.
    return (n * (both + neither) - by_chance) / (n * n - by_chance) if n * n > by_chance else None


def _agreed(counts: _Counts) -> float | None:
    n = sum(counts)
    return (counts[0] + counts[3]) / n if n else None


def _agreement(table: Mapping[int, Counter[tuple[bool, bool]]], drawn: list[_Counts]) -> Agreement:
    own = [counts for counts in table.values() if counts.total()]
    both, first, second, neither = (sum(counts[kind] for counts in own) for kind in _KINDS)
    agreed, value = _agreed((both, first, second, neither)), _kappa((both, first, second, neither))
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
        kappa_interval=_interval(map(_kappa, drawn), value) if several else None,
    )


def _interval(values: Iterable[float | None], point: float | None) -> Interval | None:
    return None if point is None else middle([value for value in values if value is not None], point)


Category = TypeVar("Category", bound=Hashable)

MIN_KAPPA_ITEMS = 20
"""Minimum number of items for the large-sample interval."""


def cohens_kappa(
    table: Mapping[tuple[Category, Category], float], items: float
) -> tuple[float | None, Interval | None]:
    """Cohen's kappa of weighted pairs and its 95 % interval.

    The interval is the large-sample one of Fleiss, Cohen and Everitt (1969), which assumes independent items.

    Args:
        table: Per pair of categories that the two gave, how often, or with what weight; any unit.
        items: The equivalent number of independent items.

    Returns:
        Kappa, None if chance alone would give full agreement or the table is empty; the interval, None below
        `MIN_KAPPA_ITEMS` items or without kappa.
    """
    whole = math.fsum(table.values())
    if whole <= 0:
        return None, None
    cells = {pair: weight / whole for pair, weight in table.items() if weight > 0}
    rows: defaultdict[Category, float] = defaultdict(float)
    columns: defaultdict[Category, float] = defaultdict(float)
    for (a, b), share in cells.items():
        rows[a] += share
        columns[b] += share
    if len(rows) == 1 and rows.keys() == columns.keys():
        return None, None
    chance = math.fsum(rows[category] * columns.get(category, 0.0) for category in rows)
    observed = math.fsum(share for (a, b), share in cells.items() if a == b)
    value = (observed - chance) / (1 - chance)
    if items < MIN_KAPPA_ITEMS:
        return value, None
    total = math.fsum(_term(pair, share, rows, columns, value) for pair, share in cells.items())
    variance = (total - (value - chance * (1 - value)) ** 2) / (items * (1 - chance) ** 2)
    spread = Z95 * math.sqrt(max(0.0, variance))
    return value, (max(-1.0, value - spread), min(1.0, value + spread))


def _term(
    pair: tuple[Category, Category],
    share: float,
    rows: Mapping[Category, float],
    columns: Mapping[Category, float],
    value: float,
) -> float:
    a, b = pair
    if a == b:
        return share * (1 - (rows[a] + columns[a]) * (1 - value)) ** 2
    return share * (columns.get(a, 0.0) + rows.get(b, 0.0)) ** 2 * (1 - value) ** 2


_ALL = "all"


@dataclass(frozen=True, slots=True)
class JudgeSensitivity:
    """Two sets of verdicts on the same answers.

    Attributes:
        groups: Group, in alphabetical order, to the agreement of the verdicts in both; groups judged by rules always
            agree.
        overall: Over all groups.
        one_sided: Group to constraints of which only one judging has a verdict; only groups with some.
        shift: The metrics under the second judge minus those under the first, paired by dialogue.
    """

    groups: Mapping[str, Agreement]
    overall: Agreement
    one_sided: Mapping[str, int]
    shift: Comparison


def judge_sensitivity(
    first: Iterable[Session], second: Iterable[Session], *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> JudgeSensitivity:
    """How well two judges agree on the same answers of one model, and how that moves the metrics.

    Verdicts are paired over the shared turns; the caller ensures that the answers are the same (a run and its rejudged
    copy).

    Args:
        first: Sessions under the first judge.
        second: The same model's under the second.
        seed: Of resampling and permutations.
        resamples: How many.

    Raises:
        UsageError: as `compare`; sessions of different models; or a turn with other constraints in the two.
    """
    one, other = tuple(first), tuple(second)
    models = sorted({session.model for session in (*one, *other)})
    if len(models) > 1:
        raise UsageError(f"the two judgings must be of one model's answers, not of {' and '.join(models)}")
    pairs: list[tuple[str, int, bool, bool]] = []
    one_sided: Counter[str] = Counter()
    for dialogue, before, after in _verdicts(one, other):
        if before.satisfied is None or after.satisfied is None:
            one_sided[after.group] += before.satisfied is not after.satisfied
        else:
            pairs.append((after.group, dialogue, before.satisfied, after.satisfied))
    overall = judge_agreement(((_ALL, *pair[1:]) for pair in pairs), seed=seed, resamples=resamples)
    return JudgeSensitivity(
        groups=judge_agreement(pairs, seed=seed, resamples=resamples),
        overall=overall.get(_ALL, Agreement(0, 0, 0, 0, 0, None, None, None, None)),
        one_sided={group: one_sided[group] for group in sorted(+one_sided)},
        shift=compare(other, one, seed=seed),
    )


def _verdicts(first: Sequence[Session], second: Sequence[Session]) -> Iterator[tuple[int, Verdict, Verdict]]:
    before = {(s.dialogue, s.epoch, turn.turn): turn for s in first for turn in s.turns}
    for session in second:
        for turn in (one for one in session.turns if one.seat == "target"):
            old = before.get((session.dialogue, session.epoch, turn.turn))
            if old is None:
                continue
            if [v.group for v in old.verdicts] != [v.group for v in turn.verdicts]:
                raise UsageError(
                    f"turn {turn.turn} of dialogue {session.dialogue} has different requirements in the two runs; "
                    "compare a run with the one that evolif rejudge made from it"
                )
            for pair in zip(old.verdicts, turn.verdicts, strict=True):
                yield session.dialogue, *pair
