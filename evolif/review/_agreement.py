"""Cohen's kappa: how far two reviewers agree beyond what chance gives."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from evolif.review._decision import Decision, Verdict, standing

ENOUGH = 20
"""Items that an interval needs at least: it is a large-sample one."""

_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two reviewers over the words that both decided on; rates are fractions."""

    reviewers: tuple[str, str]
    n: int
    observed: float | None
    """Share of equal verdicts; None where both decided on nothing in common."""
    kappa: float | None
    """None where it is undefined: nothing in common, or both gave one and the same verdict throughout."""
    interval: tuple[float, float] | None
    """95 %; None where there are too few items."""

    @property
    def told(self) -> str:
        """In one line, without the reviewers' names."""
        if not self.n:
            return "κ: nothing decided by both"
        if self.kappa is None:
            return f"κ undefined (n {self.n}: both always gave the same one verdict)"
        between = "too few for an interval" if self.interval is None else "{:.2f} to {:.2f}".format(*self.interval)
        return f"κ {self.kappa:.2f} (n {self.n}, {between})"


def kappa(pairs: Sequence[tuple[str, str]]) -> tuple[float | None, tuple[float, float] | None]:
    """Cohen's kappa and its 95 % interval.

    The interval is the large-sample one of Fleiss, Cohen and Everitt (1969), which takes the items as independent.

    Args:
        pairs: Per item the category that each of the two gave.

    Returns:
        Kappa, None where chance alone would give full agreement; the interval, None below `ENOUGH` items.
    """
    n = len(pairs)
    if not n:
        return None, None
    rows, columns = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(rows[c] * columns[c] for c in rows) / n**2
    if chance == 1:
        return None, None
    observed = sum(a == b for a, b in pairs) / n
    value = (observed - chance) / (1 - chance)
    if n < ENOUGH:
        return value, None
    spread = _Z95 * math.sqrt(max(0.0, _variance(pairs, rows, columns, value, chance)))
    return value, (max(-1.0, value - spread), min(1.0, value + spread))


def _variance(
    pairs: Sequence[tuple[str, str]], rows: Counter[str], columns: Counter[str], value: float, chance: float
) -> float:
    n = len(pairs)
    total = 0.0
    for (a, b), count in Counter(pairs).items():
        if a == b:
            total += count / n * (1 - (rows[a] + columns[a]) / n * (1 - value)) ** 2
        else:
            total += count / n * ((columns[a] + rows[b]) / n) ** 2 * (1 - value) ** 2
    return (total - (value - chance * (1 - value)) ** 2) / (n * (1 - chance) ** 2)


def agreements(records: Iterable[Decision]) -> list[Agreement]:
    """Every pair of reviewers that decided on the same words, most items first.

    Two verdicts are compared only where both were given on the same words of the same item: who sees a query that the
    other has edited judges another query. Of several verdicts by one reviewer on the same words, the last one counts.
    """
    verdicts: dict[str, dict[tuple[str, str], Verdict]] = {}
    for record in standing(records):
        if record.verdict is not None:
            verdicts.setdefault(record.reviewer, {})[record.item, record.words] = record.verdict
    found = [
        _agreement((one, other), verdicts[one], verdicts[other]) for one, other in combinations(sorted(verdicts), 2)
    ]
    return sorted(found, key=lambda agreement: (-agreement.n, agreement.reviewers))


def _agreement(
    reviewers: tuple[str, str], one: dict[tuple[str, str], Verdict], other: dict[tuple[str, str], Verdict]
) -> Agreement:
    pairs = [(one[item], other[item]) for item in one if item in other]
    value, interval = kappa(pairs)
    observed = sum(a == b for a, b in pairs) / len(pairs) if pairs else None
    return Agreement(reviewers, len(pairs), observed, value, interval)
