"""The eight process metrics; each is one sum over dialogues divided by another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evolif.metrics._dialogue import DialogueRecord, dialogue_figures


class Terms(NamedTuple):
    """What one session adds to the sums; `has_*` are 1 where the session has a denominator of its own, else 0."""

    sessions: float
    length: float
    accuracy: float
    successes: float
    longest_run: float
    recovery: float
    has_recovery: float
    robustness: float
    has_robustness: float


# Figures and intervals both read this table, so that they can never mean two different things. CSR and ISR pool all
# turns (length below the line); the others are means over sessions.
RATIOS: Mapping[str, tuple[str, str]] = {
    "edr_len": ("length", "sessions"),
    "edr_acc": ("accuracy", "sessions"),
    "edr_succ": ("successes", "sessions"),
    "edr_lss": ("longest_run", "sessions"),
    "rec": ("recovery", "has_recovery"),
    "rob": ("robustness", "has_robustness"),
    "csr": ("accuracy", "length"),
    "isr": ("successes", "length"),
}

METRIC_NAMES: tuple[str, ...] = tuple(RATIOS)
"""The eight metrics in the order of the protocol page."""


@dataclass(frozen=True, slots=True)
class Metrics:
    """The eight metrics of one model (protocol page, Metrics; paper section 3.4 and App. A).

    The four `edr_*` are in turns; `rec`, `rob`, `csr`, `isr` are fractions from 0 to 1. A metric is None, never NaN,
    where nothing can be said: all of them without any dialogue, `rec` where no dialogue has a failed turn with a turn
    after it, `rob`, `csr` and `isr` where no turn was judged.

    A dialogue without any judged turn counts in `dialogues` and as 0 turns in the four `edr_*`: a session censored
    before its first answer counts with the turns it has. Its ROB is 0/0, so it is left out of ROB's mean, as a dialogue
    without REC denominator is left out of REC's; to CSR and ISR it adds no turn.

    Attributes:
        dialogues: Sessions counted (with several epochs, each counts).
        rec_left_out: Sessions left out of REC's mean.
        rob_left_out: Sessions left out of ROB's mean.
    """

    edr_len: float | None
    edr_acc: float | None
    edr_succ: float | None
    edr_lss: float | None
    rec: float | None
    rob: float | None
    csr: float | None
    isr: float | None
    dialogues: int
    rec_left_out: int
    rob_left_out: int = 0

    def value(self, metric: str) -> float | None:
        """The metric of that name, one of `METRIC_NAMES`."""
        return self.by_name()[metric]

    def by_name(self) -> dict[str, float | None]:
        """All eight, in the order of `METRIC_NAMES`."""
        values = (self.edr_len, self.edr_acc, self.edr_succ, self.edr_lss, self.rec, self.rob, self.csr, self.isr)
        return dict(zip(METRIC_NAMES, values, strict=True))


def session_terms(record: DialogueRecord) -> Terms:
    """One session's terms of the sums, after its patience cut."""
    own = dialogue_figures(record)
    return Terms(
        sessions=1,
        length=own.length,
        accuracy=own.accuracy,
        successes=own.successes,
        longest_run=own.longest_run,
        recovery=own.recoveries / own.chances if own.chances else 0,
        has_recovery=1 if own.chances else 0,
        robustness=own.successes / own.length if own.length else 0,
        has_robustness=1 if own.length else 0,
    )


def add_terms(rows: Sequence[Terms]) -> Terms:
    """The sums over rows, each rounded once: the order of the rows does not matter."""
    return Terms(*(math.fsum(column) for column in zip(*rows, strict=True))) if rows else Terms(*[0.0] * 9)


def process_metrics(records: Iterable[DialogueRecord]) -> Metrics:
    """The eight metrics of one model over its records; turns after exhausted patience are ignored."""
    sums = add_terms([session_terms(record) for record in records])._asdict()
    values = {name: sums[top] / sums[bottom] if sums[bottom] else None for name, (top, bottom) in RATIOS.items()}
    return Metrics(
        **values,
        dialogues=round(sums["sessions"]),
        rec_left_out=round(sums["sessions"] - sums["has_recovery"]),
        rob_left_out=round(sums["sessions"] - sums["has_robustness"]),
    )
