"""How well a judge agrees with another judge or a person."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evolif.errors import UsageError
from evolif.metrics.compare import Comparison, compare
from evolif.metrics.distributions import student_quantile
from evolif.metrics.intervals import ALPHA, FEWEST, freedom_of, ratio_interval, standard_error
from evolif.metrics.statistics import Z95, Interval
from evolif.metrics.table import clusters_of
from evolif.types import Session, Verdict

_KINDS = ((True, True), (True, False), (False, True), (False, False))
_NOTHING = 1e-12


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
        agreed_interval: 95 % over dialogues, as of any share (`ratio_interval`); None with fewer than six.
        kappa: Cohen's; None if undefined: no pair, or both always gave the same single verdict.
        kappa_interval: 95 % over dialogues by the jackknife, Student's on the scale of artanh; None with fewer than six
            of them, or if kappa would be undefined without one.
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


def judge_agreement(pairs: Iterable[tuple[str, Hashable, bool, bool]]) -> dict[str, Agreement]:
    """Share of equal verdicts and Cohen's kappa per group, with intervals over dialogues.

    Args:
        pairs: (group, dialogue, verdict of the person or first judge, verdict of the judge audited), in any order.

    Returns:
        Group, in alphabetical order, to its agreement. For a figure over all groups, pass the same group name for all.
    """
    tables: defaultdict[str, defaultdict[Hashable, Counter[tuple[bool, bool]]]]
    tables = defaultdict(lambda: defaultdict(Counter))
    for group, dialogue, first, second in pairs:
        tables[group][dialogue][first, second] += 1
    return {group: _agreement(list(tables[group].values())) for group in sorted(tables)}


_Counts = tuple[int, int, int, int]
"""Both satisfied, the first alone, the second alone, neither."""


def _kappa(counts: _Counts) -> float | None:
    """Cohen's kappa; None without a pair, or if both always gave the same single verdict.

    `cohens_kappa` takes weights and any categories; whole numbers tell exactly where it is undefined.
    """
    both, first, second, neither = counts
    n = sum(counts)
    by_chance = (both + first) * (both + second) + (neither + first) * (neither + second)
    # In whole numbers: chance alone gives full agreement exactly if the two are equal.
    return (n * (both + neither) - by_chance) / (n * n - by_chance) if n * n > by_chance else None


def _agreement(tables: Sequence[Counter[tuple[bool, bool]]]) -> Agreement:
    rows = [tuple(table[kind] for kind in _KINDS) for table in tables]
    both, first, second, neither = (sum(column) for column in zip(*rows, strict=True))
    same, pairs = [row[0] + row[3] for row in rows], [sum(row) for row in rows]
    value = _kappa((both, first, second, neither))
    return Agreement(
        both=both,
        first_only=first,
        second_only=second,
        neither=neither,
        dialogues=len(rows),
        agreed=sum(same) / sum(pairs),
        agreed_interval=ratio_interval(same, pairs, rate=True),
        kappa=value,
        kappa_interval=None if value is None else _kappa_interval(rows, value),
    )


def _kappa_interval(rows: Sequence[tuple[int, ...]], value: float) -> Interval | None:
    """The interval of kappa over dialogues, each a row of counts."""
    n = len(rows)
    if n < FEWEST:
        return None
    if 1 - abs(value) <= _NOTHING:
        return _alike(value, n)
    sums = [sum(column) for column in zip(*rows, strict=True)]
    without = [_kappa(_less(sums, row)) for row in rows]
    left = [one for one in without if one is not None]
    if len(left) < n:
        return None
    mean = math.fsum(left) / n
    # Sorted, so that neither the order nor the names of dialogues matter.
    influence = sorted((n - 1) * (mean - one) for one in left)
    if all(abs(one) <= _NOTHING for one in influence):
        return _alike(value, n)
    step = student_quantile(freedom_of(influence)) * standard_error(influence) / (1 - value * value)
    return math.tanh(math.atanh(value) - step), math.tanh(math.atanh(value) + step)


def _less(sums: Sequence[int], row: Sequence[int]) -> _Counts:
    both, first, second, neither = (whole - own for whole, own in zip(sums, row, strict=True))
    return both, first, second, neither


def _alike(value: float, n: float) -> Interval:
    """All agree alike: as many as could have been missed may be at -1, or at 1."""
    seen = (ALPHA / 2) ** (1 / n)
    return max(-1.0, -1 + (value + 1) * seen), min(1.0, 1 - (1 - value) * seen)


Category = TypeVar("Category", bound=Hashable)

MIN_KAPPA_ITEMS = 20
"""Minimum number of items for the large-sample interval."""


def cohens_kappa(
    table: Mapping[tuple[Category, Category], float], items: float
) -> tuple[float | None, Interval | None]:
    """Cohen's kappa of weighted pairs and its 95 % interval.

    The interval is the large-sample one of Fleiss, Cohen and Everitt (1969), which assumes independent items. Where all
    agree it leaves room for as many other items as could have been missed.

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
    if 1 - value <= _NOTHING:
        return value, _alike(value, items)
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


def judge_sensitivity(first: Iterable[Session], second: Iterable[Session], *, cluster: str = "") -> JudgeSensitivity:
    """How well two judges agree on the same answers of one model, and how that moves the metrics.

    Verdicts are paired over the shared turns; the caller ensures that the answers are the same (a run and its rejudged
    copy).

    Args:
        first: Sessions under the first judge.
        second: The same model's under the second.
        cluster: The label of turns that says which dialogues are taken as one, see `MetricTable.cluster`.

    Raises:
        UsageError: as `compare`; sessions of different models; or a turn with other constraints in the two.
    """
    one, other = tuple(first), tuple(second)
    models = sorted({session.model for session in (*one, *other)})
    if len(models) > 1:
        raise UsageError(f"the two judgings must be of one model's answers, not of {' and '.join(models)}")
    clusters = clusters_of(cluster, (*one, *other))
    pairs: list[tuple[str, Hashable, bool, bool]] = []
    one_sided: Counter[str] = Counter()
    for dialogue, before, after in _verdicts(one, other):
        if before.satisfied is None or after.satisfied is None:
            one_sided[after.group] += before.satisfied is not after.satisfied
        else:
            pairs.append((after.group, clusters[dialogue], before.satisfied, after.satisfied))
    overall = judge_agreement((_ALL, *pair[1:]) for pair in pairs)
    return JudgeSensitivity(
        groups=judge_agreement(pairs),
        overall=overall.get(_ALL, Agreement(0, 0, 0, 0, 0, None, None, None, None)),
        one_sided={group: one_sided[group] for group in sorted(+one_sided)},
        shift=compare(other, one),
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
