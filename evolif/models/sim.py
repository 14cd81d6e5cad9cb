"""The shell of a simulated model: a name and a rule that answers prompts.

A scenario brings the rules (`Scenario.player`). Their answers are texts that pass through the same checkers as those of
any other model.
"""

from __future__ import annotations

from collections.abc import Callable

from evolif.errors import UsageError
from evolif.models.base import ChatRequest, Reply
from evolif.types import Prompt

Rule = Callable[[Prompt, ChatRequest], str]
"""Answers a prompt; the same prompt and request get the same answer."""


class SimModel:
    """A simulated model, `sim/NAME`.

    Args:
        name: Without the provider.
        rule: Answers each prompt.
    """

    connections = 16

    def __init__(self, name: str, rule: Rule) -> None:
        self.name = f"sim/{name}"
        self._rule = rule

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer the prompt of the request.

        Raises:
            UsageError: the request has none: a simulated model cannot chat.
        """
        if request.prompt is None:
            raise UsageError(
                f"{self.name} is a simulated model: it cannot chat and can only be evaluated on a benchmark"
            )
        return Reply(self._rule(request.prompt, request))

    async def aclose(self) -> None:
        """Nothing to release."""
