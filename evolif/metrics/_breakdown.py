"""CSR and ISR of parts of the turns: per group, mode, depth, load, move and what else a run knows of a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evolif.domain import Session, TurnFacts
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval
from evolif.metrics._keys import Key, TurnKey


@dataclass(frozen=True, slots=True)
class Slice:
    """The counted turns with one key; where the key is of constraints, each turn with those constraints alone.

    Attributes:
        satisfied: Constraints satisfied.
        judged: Constraints judged.
        ok: Turns with every judged constraint (of the slice) satisfied.
        turns: Turns with at least one judged constraint (of the slice).
        not_judged: Constraints without a verdict; they enter nothing else.
        dialogues: Dialogues that bring such turns.
        csr: Mean over the turns of satisfied / judged, a fraction; None without a turn.
        isr: ok / turns, a fraction; None without a turn. For keys of constraints it equals `csr` where a turn has at
            most one constraint of the key.
        csr_interval: 95 % bootstrap interval over dialogues; None where fewer than two contribute.
        isr_interval: Likewise.
    """

    satisfied: int
    judged: int
    ok: int
    turns: int
    not_judged: int
    dialogues: int
    csr: float | None
    isr: float | None
    csr_interval: Interval | None
    isr_interval: Interval | None

    @property
    def rate(self) -> float | None:
        """Satisfied / judged, pooled over constraints, a fraction; None where nothing was judged."""
        return self.satisfied / self.judged if self.judged else None


def breakdown(
    sessions: Iterable[Session],
    facts: Iterable[TurnFacts],
    by: str | TurnKey,
    *,
    formality: Callable[[str], str] | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> dict[Key, Slice]:
    """CSR and ISR per key over the turns that the table counts (paper sections 5.3, App. D, G).

    Args:
        sessions: Of one model; finished and censored ones count, up to the turn that exhausts patience.
        facts: What the run knows of its turns; may be empty for `group`, `depth`, `load`, `move` and `turn`.
        by: One of `BREAKDOWNS`, or a function of one's own from a turn and its facts to a key. `mode` has keys like
            `length/words.less_than` (see `mode_of`), `load` the number of active constraints, judged or not.
        formality: From a query to `formal` or `informal`, for `by="formality"`.
        seed: Of the resampling.
        resamples: How many.

    Returns:
        Key, in ascending order, to its slice. Turns of which the run does not know it have the key `unknown`.

    Raises:
        UsageError: sessions of several models, no such breakdown, `formality` missing, or impossible seed or resamples.
    """
    raise NotImplementedError
