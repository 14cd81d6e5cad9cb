"""Several gates as one."""

from __future__ import annotations

from collections.abc import Sequence

from evolif.domain import Usage
from evolif.protocol import Gate, Later, PlannedCall, Stop


class Gates:
    """Lets a call through that every gate lets through; only the last one may keep books on what it let through."""

    def __init__(self, gates: Sequence[Gate]) -> None:
        self._gates = tuple(gates)

    def ask(self, call: PlannedCall) -> Stop | Later | None:
        """The first objection."""
        for gate in self._gates:
            answer = gate.ask(call)
            if answer is not None:
                return answer
        return None

    def tell(self, call: PlannedCall, usage: Usage | None) -> None:
        """Tell all."""
        for gate in self._gates:
            gate.tell(call, usage)
