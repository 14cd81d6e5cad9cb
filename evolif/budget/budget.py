"""A budget for a whole run, in tokens or US dollars: it denies any call that could exceed it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evolif.budget.prices import Quotes
from evolif.errors import UsageError
from evolif.runner import CallPolicy, Deny, PlannedCall, Spent
from evolif.runner.bounds import upper_bound
from evolif.runner.metering import Wait
from evolif.text import plural
from evolif.types import Usage

CAUSE = "budget"


@dataclass(slots=True)
class BudgetLimit:
    """A limit in tokens or US dollars, and how much of it is used."""

    maximum: float
    unit: str
    """`usd` or `tokens`."""
    spent: float = 0.0
    reserved: float = 0.0
    """The most that calls in flight can use."""

    def format(self, amount: float) -> str:
        """An amount with its unit."""
        if self.unit == "tokens":
            return plural(round(amount), "token", spec=",")
        return f"${amount:,.2f}" if amount >= 1 else f"${amount:.3g}"

    def explain(self, amount: float) -> str:
        """Why a call that can use this amount is denied."""
        reason = f"the next call could exceed the budget of {self.format(self.maximum)}"
        reason += f": it may use up to {self.format(amount)}"
        return f"{reason}, with {self.format(self.spent)} already spent" if self.spent else reason


class Budget:
    """Implements `CallPolicy`, for one event loop.

    A call that would fit if the calls in flight cost less than their upper bound waits for them. A call that cannot fit
    even then ends all spending, so that cheap calls do not continue when expensive ones cannot.

    Args:
        quotes: Prices of the run's models.
        usd: The limit in US dollars; None for no limit.
        tokens: The limit in tokens, prompts and answers together; None for no limit.
        spent: What the run has cost so far; calls of unknown usage count at their bound.

    Raises:
        UsageError: a negative budget, or one in dollars where money was spent on a model of unknown price.
    """

    def __init__(
        self, quotes: Quotes, *, usd: float | None = None, tokens: int | None = None, spent: Iterable[Spent] = ()
    ) -> None:
        self._quotes = quotes
        self._limits = []
        for unit, maximum in (("usd", usd), ("tokens", tokens)):
            if maximum is not None:
                if not 0 <= maximum < float("inf"):
                    raise UsageError(f"--budget-{unit} must be a number of at least 0")
                self._limits.append(BudgetLimit(maximum, unit))
        self._reserved: dict[int, list[float]] = {}
        self._stop: Deny | None = None
        self._waiting: list[asyncio.Future[None]] = []
        earlier = list(spent)
        if usd is not None:
            quotes.refuse_unknown((one.role, one.model) for one in earlier if one.usage != Usage() or one.bound)
        for one in earlier:
            for limit in self._limits:
                limit.spent += self._amount(limit, one.role, one.model, one.usage)
                tokens = limit.unit == "tokens"
                limit.spent += one.bound if tokens else quotes.highest(one.role, one.model, one.bound) or 0.0

    @property
    def stop(self) -> Deny | None:
        """Why all spending has ended; None while it continues."""
        return self._stop

    def admit(self, call: PlannedCall) -> Deny | Wait | None:
        """Admit a call if it fits even when every call in flight reaches its upper bound."""
        if self._stop is not None:
            return self._stop
        usage = upper_bound(call.model, call.request, call.size)
        amounts = [self._amount(limit, call.role, call.model, usage, bound=True) for limit in self._limits]
        pairs = list(zip(self._limits, amounts, strict=True))
        for limit, amount in pairs:
            if limit.spent + amount > limit.maximum:
                self._stop = Deny(CAUSE, limit.explain(amount))
                self._wake()
                return self._stop
        if any(limit.spent + limit.reserved + amount > limit.maximum for limit, amount in pairs):
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            return Wait(future)
        for limit, amount in pairs:
            limit.reserved += amount
        self._reserved[id(call)] = amounts
        return None

    def record(self, call: PlannedCall, usage: Usage | None) -> None:
        """Replace the reserved amount with actual usage.

        No usage means that it is unknown: the upper bound counts. None costs nothing.
        """
        amounts = self._reserved.pop(id(call))
        try:
            for limit, amount in zip(self._limits, amounts, strict=True):
                limit.reserved -= amount
                if usage == Usage():
                    limit.spent += amount
                elif usage is not None:
                    limit.spent += self._amount(limit, call.role, call.model, usage)
            if not self._reserved:
                for limit in self._limits:
                    limit.reserved = 0.0  # clear rounding errors
        finally:
            self._wake()  # even after an error: nothing else might wake the waiting calls

    def _amount(self, limit: BudgetLimit, role: str, model: str, usage: Usage, *, bound: bool = False) -> float:
        if limit.unit == "tokens":
            return usage.tokens
        if usage != Usage():
            self._quotes.refuse_unknown([(role, model)])
        cost = self._quotes.at_most if bound else self._quotes.cost
        return cost(role, model, usage) or 0.0

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)


class PolicyChain:
    """Admits a call only if every policy does.

    Only the last policy may reserve anything: earlier ones are not notified if a later one denies the call.
    """

    def __init__(self, policies: Sequence[CallPolicy]) -> None:
        self._policies = tuple(policies)

    def admit(self, call: PlannedCall) -> Deny | Wait | None:
        """The first objection."""
        for policy in self._policies:
            objection = policy.admit(call)
            if objection is not None:
                return objection
        return None

    def record(self, call: PlannedCall, usage: Usage | None) -> None:
        """Pass the usage on to every policy."""
        for policy in self._policies:
            policy.record(call, usage)
