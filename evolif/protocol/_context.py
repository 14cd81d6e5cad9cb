"""Context strategies: what of the history the model under test is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from evolif.domain import Message

SYSTEM_PROMPT = """\
You are in a long conversation about several tasks. Each task has its own set of requirements for your answer.
- A requirement stays in force for its task until the user changes or withdraws it, and it holds for that task only.
- A new task starts without requirements. When the user comes back to an earlier task, that task's requirements hold \
again, together with whatever the user changes now.
- Every answer is the complete answer to the task in question and satisfies all requirements in force for it.
- Requirements on the text mean what a reader of the answer sees: in JSON, XML, HTML and CSV the keys, values, cells \
and visible text, not the syntax around them.
Reply with the answer alone: no preamble, no comment on the requirements."""
"""Explains scoped constraints; on by default, left out for the ablation (paper App. E)."""


class ContextStrategy(Protocol):
    """Chooses the messages of a call."""

    name: str

    def messages(self, system: str, history: Sequence[Message], query: str) -> tuple[Message, ...]:
        """The messages to send, the query last."""
        ...


class FullHistory:
    """The whole conversation, the model's own answers included, as the protocol has it."""

    name = "full"

    def messages(self, system: str, history: Sequence[Message], query: str) -> tuple[Message, ...]:
        """System prompt (where there is one), everything said so far, the query."""
        head = (Message("system", system),) if system else ()
        return (*head, *history, Message("user", query))
