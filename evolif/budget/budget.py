"""A budget for a whole run: a gate that lets no call through that could exceed it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evolif.budget.prices import Quotes
from evolif.errors import UsageError
from evolif.models import ChatRequest
from evolif.runner import CallPolicy, Deny, PlannedCall, Spent, Wait
from evolif.types import Usage

# The most that a call can come to, told before it is made.

ASSUMED_ANSWER = 32_768
"""Tokens of an answer whose length nobody bounded."""

_BYTES = 2
"""Bytes of UTF-8 per token: prose has about four, tables of digits and scripts other than Latin about two."""
_PER_MESSAGE, _PER_CALL = 8, 64
"""Tokens that chat templates put around what is said."""


@dataclass(frozen=True, slots=True)
class TokenBound:
    """Tokens that a call can come to, at most."""

    usage: Usage

    @property
    def tokens(self) -> int:
        """Of prompt and answer together."""
        return self.usage.prompt_tokens + self.usage.completion_tokens


def upper_bound(model: str, request: ChatRequest) -> TokenBound:
    """A generous estimate of the prompt, and the longest answer that was asked for.

    Simulated models take no tokens.
    """
    if model.startswith("sim/"):
        return TokenBound(Usage())
    size = sum(len(message.content.encode("utf-8", "replace")) for message in request.messages)
    size += len(json.dumps(request.schema)) if request.schema is not None else 0
    prompt = -(-size // _BYTES) + _PER_MESSAGE * len(request.messages) + _PER_CALL
    longest = request.sampling.max_tokens
    return TokenBound(Usage(prompt, ASSUMED_ANSWER if longest is None else longest))


CAUSE = "budget"


@dataclass(slots=True)
class BudgetLimit:
    """One kind of money: tokens or US dollars."""

    limit: float
    unit: str
    spent: float = 0.0
    reserved: float = 0.0
    """For calls under way, at most."""

    def said(self, value: float) -> str:
        if self.unit == "tokens":
            return f"{value:,.0f} tokens"
        return f"${value:,.2f}" if value >= 1 else f"${value:.3g}"


class Budget:
    """Implements `CallPolicy`, for one event loop.

    A call that fits once those under way have turned out cheaper than they might waits for them; one that does not fit
    even then ends the spending for good, so that cheap calls do not go on where dear ones cannot.

    Args:
        quotes: Prices of the run's models.
        usd: US dollars for everything; no bound where None.
        tokens: Tokens for everything, prompts and answers; no bound where None.
        spent: What the run has cost before.

    Raises:
        UsageError: a budget below zero, or one in dollars where money was spent on a model of unknown price.
    """

    def __init__(
        self, quotes: Quotes, *, usd: float | None = None, tokens: int | None = None, spent: Iterable[Spent] = ()
    ) -> None:
        for name, value in (("budget-usd", usd), ("budget-tokens", tokens)):
            if value is not None and not 0 <= value < float("inf"):
                raise UsageError(f"--{name} must be a number of at least 0")
        self._quotes = quotes
        self._purses = [BudgetLimit(usd, "usd")] if usd is not None else []
        self._purses += [BudgetLimit(tokens, "tokens")] if tokens is not None else []
        self._reserved: dict[int, list[float]] = {}
        self._stop: Deny | None = None
        self._waiting: list[asyncio.Future[None]] = []
        before = list(spent)
        if usd is not None:
            quotes.refuse_unknown((one.role, one.model) for one in before if one.usage != Usage())
        for one in before:
            for purse in self._purses:
                purse.spent += self._value(purse, one.role, one.model, one.usage)

    @property
    def stop(self) -> Deny | None:
        """Why nothing more is asked; None while there is money."""
        return self._stop

    def ask(self, call: PlannedCall) -> Deny | Wait | None:
        """Let a call through if all that is under way may come to its most and the call too."""
        if self._stop is not None:
            return self._stop
        usage = upper_bound(call.model, call.request).usage
        most = [self._value(purse, call.role, call.model, usage) for purse in self._purses]
        for purse, value in zip(self._purses, most, strict=True):
            if purse.spent + value > purse.limit:
                self._stop = Deny(CAUSE, _why(purse, value))
                self._wake()
                return self._stop
        if any(p.spent + p.reserved + value > p.limit for p, value in zip(self._purses, most, strict=True)):
            return self._later()
        for purse, value in zip(self._purses, most, strict=True):
            purse.reserved += value
        self._reserved[id(call)] = most
        return None

    def tell(self, call: PlannedCall, usage: Usage | None) -> None:
        """Replace what was reserved by what the call came to.

        A call that failed costs nothing as far as is known; of one whose tokens the endpoint does not tell, the most is
        counted.
        """
        most = self._reserved.pop(id(call))
        try:
            for purse, value in zip(self._purses, most, strict=True):
                purse.reserved -= value
                if usage == Usage():
                    purse.spent += value
                elif usage is not None:
                    purse.spent += self._value(purse, call.role, call.model, usage)
            if not self._reserved:
                for purse in self._purses:
                    purse.reserved = 0.0  # what rounding left
        finally:
            self._wake()  # whatever happened here: nobody else may come who wakes those that wait

    def _value(self, purse: BudgetLimit, role: str, model: str, usage: Usage) -> float:
        if purse.unit == "tokens":
            return usage.prompt_tokens + usage.completion_tokens
        self._quotes.refuse_unknown([(role, model)] if usage != Usage() else [])
        return self._quotes.cost(role, model, usage) or 0.0

    def _later(self) -> Wait:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        return Wait(future)

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)


def _why(purse: BudgetLimit, value: float) -> str:
    told = f"the next call could exceed the budget of {purse.said(purse.limit)}: it may come to {purse.said(value)}"
    return f"{told}, and {purse.said(purse.spent)} are spent" if purse.spent else told


# Several gates as one.


class PolicyChain:
    """Lets a call through that every gate lets through; only the last one may keep books on what it let through."""

    def __init__(self, gates: Sequence[CallPolicy]) -> None:
        self._gates = tuple(gates)

    def ask(self, call: PlannedCall) -> Deny | Wait | None:
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
