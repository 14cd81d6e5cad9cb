"""That a stop rule ended a run early, as the store keeps it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

STOP_RULE = "stop rule"
"""The cause of sessions that a stop rule ended or kept from beginning."""


@dataclass(frozen=True, slots=True)
class EarlyEnd:
    """The rule, and the dialogues that satisfied it."""

    rule: str
    dialogues: tuple[int, ...]
    batch: int
    """Dialogues by which the prefix grew."""

    def dump(self) -> str:
        """As one text."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> EarlyEnd:
        """What `dump` wrote."""
        told = json.loads(text)
        return cls(told["rule"], tuple(told["dialogues"]), told["batch"])
