"""The shell of a simulated model: a name and a rule that answers prompts.

A scenario brings the rules (`Scenario.player`). Their answers are texts that pass through the same checkers as those of
any other model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evolif.errors import UsageError
from evolif.models.base import ChatRequest, Reply
from evolif.types import Prompt
from evolif.util.suggestions import nearest

Rule = Callable[[Prompt, ChatRequest], str]
"""Answers a prompt; the same prompt and request get the same answer."""


def unknown_player(name: str, known: Sequence[str], scenario: str) -> UsageError:
    """The error for a simulated model that a scenario does not have.

    Args:
        name: Without the provider.
        known: Those that the scenario has; empty if it does not say.
        scenario: Its name.
    """
    there, near = ", ".join(f"sim/{one}" for one in known), nearest(name, known)
    meant = f" (did you mean sim/{near}?)" if near and near != name else ""
    has = f"has {there}" if there else "has no such model"
    return UsageError(f"unknown simulated model “sim/{name}”{meant}; the scenario {scenario} {has}")


def skill_of(name: str, query: str, what: str, usual: str = ".8") -> float:
    """The chance in `sim/steady?skill=P`.

    Args:
        name: The model's, without its query.
        query: What follows the question mark.
        what: What the chance is of, in words.
        usual: A value to name in the error.

    Returns:
        Above 0 and at most 1.

    Raises:
        UsageError: the query is another one.
    """
    key, _, value = query.partition("=")
    try:
        chance = float(value)
    except ValueError:
        chance = 0.0
    if name != "steady" or key != "skill" or not 0 < chance <= 1:
        raise UsageError(
            f"sim/{name}: the only option is sim/steady's chance of {what}, above 0 and at most 1: "
            f"sim/steady?skill={usual}"
        )
    return chance


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
