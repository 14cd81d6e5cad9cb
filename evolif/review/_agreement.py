"""Cohen's kappa: how far two reviewers agree beyond what chance gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from evolif.judge_audit import kappa_of
from evolif.review._decision import Decision, Verdict, standing


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
    """Cohen's kappa and its 95 % interval (`evolif.judge_audit.kappa_of`).

    Args:
        pairs: Per item the category that each of the two gave.

    Returns:
        Kappa, None where chance alone would give full agreement; the interval, None below `ENOUGH` items.
    """
    return kappa_of(Counter(pairs), len(pairs))


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
