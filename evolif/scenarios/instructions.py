"""Instruction following as a scenario: the glue between its libraries and the core (docs/protocol.md)."""

from __future__ import annotations

from evolif.instructions.players import player
from evolif.models import ChatModel
from evolif.scenario import INSTRUCTIONS, Scenario


class InstructionFollowing(Scenario):
    """Dialogues of topics and constraints, extended as long as the model keeps up (paper §3)."""

    name = INSTRUCTIONS
    title = "instruction following over many topics, until patience is exhausted"

    def player(self, name: str, seed: int) -> ChatModel:
        """`sim/perfect`, `sim/steady` or `sim/forgetful`."""
        return player(name, seed)
