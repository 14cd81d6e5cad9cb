"""The floor, what answers that follow nothing would reach, and CSR corrected for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evolif.metrics.sessions import tables_of
from evolif.metrics.statistics import Interval
from evolif.metrics.table import Figures, figures
from evolif.types import Prompt, Session

REFUSAL = "I'm sorry, but I can't help with that."

TRIVIAL: Mapping[str, Callable[[Prompt, Prompt], str]] = {
    "empty": lambda prompt, first: "",
    "echo": lambda prompt, first: prompt.query,
    "refusal": lambda prompt, first: REFUSAL,
    "yes": lambda prompt, first: "yes",
    # Its previous answer again. It has none before the first turn, so it begins as echo does.
    "repeat": lambda prompt, first: first.query,
}
"""Responders that follow nothing: from a prompt and the first one of its dialogue to an answer. None needs an answer
key, so that each could be played as a model and every scenario has the same five."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The figures of responders that follow nothing, over the asked turns.

    Attributes:
        responder: The one with the highest CSR; the first of them if several have it.
        responders: The figures of each, in the order of `TRIVIAL`; without patience CSR and ISR. Rules alone judge, and
            each session ends when its patience is exhausted, as a model's does.
        turns: Asked turns.
        sessions: Those of each responder, one per dialogue.
    """

    responder: str
    responders: Mapping[str, Figures]
    turns: int
    sessions: Mapping[str, Sequence[Session]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def metrics(self) -> Figures:
        """The figures of the best."""
        return self.responders[self.responder]

    @property
    def csr(self) -> float:
        """The CSR of the best, a fraction."""
        return self.metrics.value("csr") or 0.0


def floor(sessions: Mapping[str, Sequence[Session]], patience: int | None, turns: int) -> Floor | None:
    """The floor from the sessions of each responder; None if no verdict was reached.

    Args:
        sessions: Responder to its sessions, one per dialogue.
        patience: P_max of the run; None if it has none.
        turns: Asked turns.
    """
    tables = tables_of(None, patience)
    found = {name: figures(tables, own) for name, own in sessions.items()}
    reached = {name: csr for name, own in found.items() if (csr := own.value("csr")) is not None}
    if not reached:
        return None
    return Floor(max(reached, key=lambda name: reached[name]), found, turns, sessions)


class CorrectedCsr(NamedTuple):
    """CSR corrected for the floor: 0 is the floor, 1 the ceiling, and below 0 is worse than the floor."""

    value: float
    interval: Interval | None


def corrected_csr(
    csr: float | None, interval: Interval | None, floor: float | None, ceiling: float | None
) -> CorrectedCsr | None:
    """(CSR - floor) / (ceiling - floor); None if one of them is unknown, or the ceiling is not above the floor.

    Args:
        csr: A fraction, as the others are.
        interval: Of CSR; its ends are corrected likewise, since floor and ceiling belong to the benchmark.
        floor: The CSR of the best responder that follows nothing.
        ceiling: The CSR of a perfect responder.
    """
    if csr is None or floor is None or ceiling is None or not all(map(math.isfinite, (csr, floor, ceiling))):
        return None
    room = ceiling - floor
    if room <= 0:
        return None
    ends = None if interval is None else ((interval[0] - floor) / room, (interval[1] - floor) / room)
    return CorrectedCsr((csr - floor) / room, ends)
