"""The call ledger: what a call can use is in the run's file before it is made, and what it has used soon after.

A row of table `call` is reserved with the call's bound, and deleted in the transaction that stores what the call has
cost, with its turn as a rule. So a kill leaves the rows of the calls under way, which then count as their bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Protocol

from evolif.runner.events import SessionKey
from evolif.runner.records import CostEntry, Reservation, SettledEntry, StoreEntry
from evolif.types import Role, Spent, Usage


class EntryWriter(Protocol):
    """Makes entries durable."""

    def __call__(self, *entries: StoreEntry) -> Awaitable[None]: ...

    def post(self, *entries: StoreEntry) -> None:
        """Make them durable soon, without waiting."""
        ...


@dataclass(slots=True)
class _Words:
    """What the calls that write one dialogue's prompts have cost."""

    spent: list[Spent] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


class Ledger:
    """The ledger of a run; only the process that writes the run's file has one.

    Args:
        write: Stores its entries.
    """

    def __init__(self, write: EntryWriter) -> None:
        self._write = write
        self._words: dict[int, _Words] = defaultdict(_Words)

    async def reserve(self, row: Reservation) -> int:
        """Make a reservation durable; returns its number.

        It is committed for itself, or with what other sessions write at the same moment.
        """
        await self._write(row)
        return row.number

    async def book(self, entry: CostEntry, numbers: Sequence[int]) -> None:
        """Make a cost durable in place of its reservations."""
        await self._write(entry, *settled(numbers))

    def note_words(self, dialogue: int, spent: Spent, number: int) -> None:
        """Keep what a call has cost that wrote a prompt, until the scenario books it."""
        words = self._words[dialogue]
        words.spent.append(spent)
        words.numbers += [number] * bool(number)

    def book_words(self, dialogue: int, turn: int, spent: Sequence[Spent]) -> None:
        """Store what writing a prompt has cost.

        Args:
            dialogue: Which one.
            turn: Which prompt.
            spent: As the scenario counted it. What its metered calls reported is preferred, under the scenario's names.
        """
        words = self._words.pop(dialogue, _Words())
        names = {one.role: one.model for one in spent}
        noted: dict[Role, Spent] = {}
        for one in words.spent:
            before = noted.get(one.role) or Spent(one.role, names.get(one.role, one.model), Usage(), 0)
            noted[one.role] = replace(
                before,
                usage=before.usage + one.usage,
                calls=before.calls + one.calls,
                unknown=before.unknown + one.unknown,
                bound=before.bound + one.bound,
            )
        others = (one for one in spent if one.role not in noted)
        self._write.post(CostEntry(None, dialogue, turn, (*noted.values(), *others)), *settled(words.numbers))


def settled(numbers: Sequence[int]) -> tuple[SettledEntry, ...]:
    """An entry that settles reservations; none for none."""
    return (SettledEntry(tuple(numbers)),) if numbers else ()


_AUTHORS = frozenset({"synthesizer", "checker"})
"""Roles whose cost belongs to no session: the scenario books it, see `Services.book`."""


@dataclass(slots=True)
class Account:
    """The cost of one session's calls since the last `take`."""

    key: SessionKey
    session: int = 0
    """Its number in the run's file."""
    ledger: Ledger | None = None
    """None in another process than the run's, which reserves for it."""
    turn: int = 1
    """The turn that is being played."""
    spent: list[Spent] = field(default_factory=list)
    _over: list[int] = field(default_factory=list)
    """Reservations of calls whose cost is in `spent`."""
    _taken: list[int] = field(default_factory=list)
    """Reservations of calls whose cost was taken."""

    async def reserve(self, role: Role, model: str, bound: int) -> int:
        """Reserve for a call; 0 where nothing needs to be reserved."""
        if self.ledger is None or not bound:
            return 0
        session = None if role in _AUTHORS else self.session
        return await self.ledger.reserve(Reservation(session, self.key.dialogue, self.turn, role, model, bound))

    def enter(self, spent: Spent, number: int) -> None:
        """A call is over, with this cost."""
        if spent.role not in _AUTHORS:
            self.spent.append(spent)
            self._over += [number] * bool(number)
        elif self.ledger is not None:
            self.ledger.note_words(self.key.dialogue, spent, number)

    def release(self, number: int) -> None:
        """A call is over that has cost nothing."""
        self._over += [number] * bool(number)

    def settle(self, number: int) -> None:
        """A call is over whose cost is in the entries that are written next."""
        self._taken += [number] * bool(number)

    async def book(self, spent: Spent, number: int) -> Spent:
        """Make a call's cost durable at once; returns it as booked."""
        if self.ledger is None or spent.role in _AUTHORS:
            return spent
        numbers = (number,) if number else ()
        await self.ledger.book(CostEntry(self.session, self.key.dialogue, self.turn, (spent,)), numbers)
        return replace(spent, booked=True)

    def take(self) -> tuple[Spent, ...]:
        """Everything since the last time; to be written with `settled`."""
        spent, self.spent = tuple(self.spent), []
        if self._over:
            self._taken += self._over
            self._over = []
        return spent

    def settled(self) -> tuple[SettledEntry, ...]:
        """Settles the reservations of what was taken."""
        if not self._taken:
            return ()
        numbers, self._taken = self._taken, []
        return settled(numbers)


# A context variable, because a judge serves many sessions at once, through code unaware of sessions, yet each call
# belongs to one session.
_account: ContextVar[Account | None] = ContextVar("_account", default=None)


def open_account(key: SessionKey, session: int = 0, ledger: Ledger | None = None) -> Account:
    """An account for the calls of the current task and its child tasks."""
    account = Account(key, session, ledger)
    _account.set(account)
    return account


def current_account() -> Account | None:
    """The account of the current task; None if it plays no session."""
    return _account.get()


def charge(spent: Sequence[Spent]) -> None:
    """Charge usage from elsewhere to the current task's account."""
    account = _account.get()
    if account is not None:
        account.spent.extend(spent)
