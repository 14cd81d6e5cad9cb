"""A desk: items to review, and decisions on them that are on disk before anybody is told that they are made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evolif.errors import EvolifError, UsageError
from evolif.judge_audit import Decision, DecisionKind, StoredFinding, standing
from evolif.review.decisions import (
    DecisionLog,
    Done,
    Drafts,
    EditConflict,
    FilledLine,
    Objected,
    Request,
    SaveOutcome,
    new_id,
    now,
)
from evolif.review.queue import Facet, Filter, QueueItem, Statistics, statistics
from evolif.review.text import Marked, typed
from evolif.types import Finding

Notify = Callable[[str], None]
State = dict[str, Any]
"""All of an item that a decision may change."""

NEEDS_WORDS: frozenset[DecisionKind] = frozenset({"accept", "edit", "regenerate"})
"""Decisions that vouch for words: the checkers are asked about them."""


TextBlock = tuple[str, Marked]
"""A titled part of what is shown of an item."""


class ReviewQueue(ABC):
    """What the benchmark's desk and the topics' desk have in common.

    Args:
        path: What is reviewed.
        reviewer: Who decides.
        journal: Where decisions go.
        drafts: Where texts go that were not saved yet.
    """

    kinds: tuple[DecisionKind, ...]
    """Decisions that can be made here."""
    noun: str
    """What an item is called."""
    first_filter = Filter()
    legend: str
    """What the signs on the screen mean."""
    stores_findings = True
    """Whether what the checkers hold against an item is known before they are asked."""
    columns: Sequence[str] = ()
    """Columns that a filled table has to have; none where items go into JSONL only."""
    empty: Mapping[str, Any] = {"decision": "", "note": "", "force": False}
    """The fields of an exported line that are to be filled, beside the new words."""

    def __init__(self, path: Path, reviewer: str, journal: DecisionLog, drafts: Drafts) -> None:
        self.path = path
        self.reviewer = reviewer
        self.journal = journal
        self.drafts = drafts
        self._found: dict[tuple[str, str], list[Finding]] = {}
        self._told = 0

    @property
    def name(self) -> str:
        """What is reviewed, for the head of the screen."""
        return self.path.resolve().name

    @abstractmethod
    def entries(self) -> list[QueueItem]:
        """All items, in no particular order."""

    @abstractmethod
    def entry(self, key: str) -> QueueItem:
        """One item."""

    @abstractmethod
    def blocks(self, key: str, found: Sequence[Finding] | None) -> list[TextBlock]:
        """What is shown of an item; with the findings as stored where `found` is None."""

    @abstractmethod
    def words_of(self, state: State) -> str:
        """What of an item can be edited."""

    @abstractmethod
    def seen(self, key: str) -> State:
        """The item as it is shown at present."""

    @abstractmethod
    def _check(self, key: str, text: str) -> list[Finding]:
        """What the checkers hold against words for this item."""

    @abstractmethod
    def _after(self, request: Request, state: State, found: Sequence[Finding]) -> State:
        """What a decision makes of an item."""

    @abstractmethod
    def _stored(self, key: str) -> State:
        """The item as it is on disk this moment; updates what `seen` says."""

    @abstractmethod
    def _store(self, key: str, state: State) -> None:
        """Put the item on disk."""

    @abstractmethod
    def _is_stale(self, seen: State, stored: State, after: State) -> bool:
        """Whether the reviewer saw something else than is there, in a way that matters for the decision."""

    @abstractmethod
    def exported(self, key: str) -> dict[str, Any]:
        """An item for a file, all but the fields that are to be filled."""

    @abstractmethod
    def filled(self, data: dict[str, Any]) -> tuple[str, State, str | None]:
        """An item out of a file: its key, what was seen of it, its new words where it has such.

        Raises:
            UsageError: there is no such item.
            ValidationError: a field is not what it should be.
        """

    @abstractmethod
    def _place(self, key: str) -> dict[str, int]:
        """Numbers that the journal gives beside the key."""

    def known(self, facet: Facet) -> tuple[str, ...]:
        """Values of a facet that may be asked for although no item has them."""
        return ()

    def listed(self, key: str) -> str:
        """What a list shows of an item, before it is cut."""
        return self.words(key)

    def statistics(self) -> Statistics:
        """How much was decided, how fast, and how far reviewers agree."""
        return statistics(self.journal.records)

    def told(self, record: Decision) -> dict[str, Any] | None:
        """A decision for machines; None where it is nothing to this reviewer."""
        return {
            "reviewer": record.reviewer,
            "decision": record.decision,
            "time": record.time.isoformat(),
            "note": record.note,
            "applied": record.applied,
        }

    def requested(self, data: dict[str, Any]) -> Request | None:
        """The decision that a filled line of an export asks for; None where it asks for none.

        Raises:
            UsageError: it cannot be made; says why.
            ValidationError: a field is not what it should be.
        """
        answer = FilledLine.model_validate(data)
        key, seen, text = self.filled(data)
        fault = answer.fault(text, self.kinds, self.noun)
        if fault:
            raise UsageError(fault)
        if not answer.decision:
            return None
        return Request(key, answer.decision, seen, text=text, note=(answer.note or "").strip(), force=answer.force)

    def words(self, key: str) -> str:
        """What of an item can be edited, as it is at present."""
        return self.words_of(self.seen(key))

    def findings(self, key: str, text: str | None = None) -> list[Finding]:
        """What the checkers hold against an item's words, or against others for it; slow the first time."""
        words = self.words(key) if text is None else text
        if (key, words) not in self._found:
            self._found[key, words] = list(self._check(key, words))
        return self._found[key, words]

    def checked(self, key: str) -> list[Finding] | None:
        """The findings where they were asked for already."""
        return self._found.get((key, self.words(key)))

    def decide(self, request: Request) -> SaveOutcome:
        """Make a decision: in the journal first, then in the item; both durable when this returns.

        Raises:
            UsageError: the decision cannot be made on this item.
            OutsideError: it cannot be written; what is in the journal is put into the item at the next opening.
        """
        if request.decision not in (*self.kinds, "undo"):
            kinds = ", ".join(self.kinds)
            raise UsageError(f"a {self.noun} cannot be decided on with “{request.decision}”; use {kinds}")
        found = self.objections(request)
        if self._objects(request, found):
            return Objected(found)
        with self.journal.locked():
            self.refresh()
            stored = self._stored(request.item)
            before = request.seen if request.opinion else stored
            after = self._after(request, before, found)
            if self._may_conflict(request) and self._is_stale(request.seen, stored, after):
                return EditConflict(stored, self._last(request.item))
            record = self._record(request, before, after, found)
            self.journal.append(record)
            if record.applied and after != stored:
                self._store(request.item, after)
        return Done(record)

    def objections(self, request: Request) -> list[Finding]:
        """What the checkers hold against the words that a decision is about; slow the first time."""
        if request.decision in ("note", "undo"):
            return []
        words = self.words_of(request.seen) if request.text is None else request.text
        try:
            return self.findings(request.item, words)
        except EvolifError:
            if request.decision in NEEDS_WORDS:
                raise
            return []  # a checker that fails must not keep words that nobody wants

    def weigh(self, request: Request) -> Objected | EditConflict | None:
        """What stands against a decision, without making it; None where nothing does.

        Raises:
            UsageError: the decision cannot be made on this item.
        """
        found = self.objections(request)
        if self._objects(request, found):
            return Objected(found)
        stored = self.seen(request.item)
        if self._may_conflict(request) and self._is_stale(request.seen, stored, self._after(request, stored, found)):
            return EditConflict(stored, self._last(request.item))
        return None

    def already(self, request: Request) -> bool:
        """Whether the reviewer has made this very decision before, and it stands."""
        last = self.verdicts().get(request.item)
        if last is None or last.decision != request.decision or last.applied == request.opinion:
            return False
        if last.applied and last.after != self.seen(request.item):
            return False
        new = self.words_of(last.after).strip()
        same = self.words_of(last.before) == self.words_of(request.seen)
        return same and (request.text is None or new == request.text.strip())

    def refresh(self) -> None:
        """Take in what was decided meanwhile, here or elsewhere."""
        for key in {record.item for record in self.journal.follow() if self._has(record.item)}:
            self._stored(key)

    def news(self) -> list[Decision]:
        """What others decided since this was asked for the last time."""
        self.refresh()
        fresh, self._told = self.journal.records[self._told :], len(self.journal.records)
        return [record for record in fresh if record.reviewer != self.reviewer and self._has(record.item)]

    def undoable(self) -> Decision | None:
        """The reviewer's last decision that stands."""
        own = [r for r in standing(self.journal.records) if r.reviewer == self.reviewer and self._has(r.item)]
        return own[-1] if own else None

    def undo_of(self, target: Decision) -> Request:
        """The request that puts back what was there before a decision; itself a decision."""
        return Request(target.item, "undo", target.after, undoes=target.id)

    def decisions(self, key: str) -> list[Decision]:
        """The decisions on an item that stand, oldest first."""
        return [record for record in standing(self.journal.records) if record.item == key]

    def verdicts(self) -> dict[str, Decision]:
        """The reviewer's last verdict that stands, by item."""
        own = (r for r in standing(self.journal.records) if r.reviewer == self.reviewer and r.verdict is not None)
        return {record.item: record for record in own}

    def recover(self) -> None:
        """Put into the items what a crash left in the journal only."""
        if not self.journal.records:
            return
        last = {record.item: record for record in self.journal.records if record.applied and self._has(record.item)}
        for key, record in last.items():
            if self.seen(key) != record.after and self.seen(key) == record.before:
                with self.journal.locked():
                    if self._stored(key) == record.before:
                        self._store(key, record.after)

    @abstractmethod
    def _has(self, key: str) -> bool:
        """Whether there is such an item."""

    def _objects(self, request: Request, found: Sequence[Finding]) -> bool:
        excused = request.force and request.note.strip()
        return bool(found) and request.decision in NEEDS_WORDS and not excused

    def _may_conflict(self, request: Request) -> bool:
        return self._touches(request) and not request.overwrite

    def _touches(self, request: Request) -> bool:
        """Whether the decision changes an item at all."""
        if request.decision == "undo":
            return self._undone(request).applied
        return request.decision != "note" and not request.opinion

    def _undone(self, request: Request) -> Decision:
        return next(record for record in self.journal.records if record.id == request.undoes)

    def _last(self, key: str) -> Decision | None:
        records = [record for record in self.journal.records if record.item == key and record.applied]
        return records[-1] if records else None

    def _record(self, request: Request, before: State, after: State, found: Iterable[Finding]) -> Decision:
        return Decision(
            id=new_id(),
            time=now(),
            reviewer=self.reviewer,
            item=request.item,
            **self._place(request.item),
            decision=request.decision,
            before=before,
            after=after,
            findings=tuple(map(StoredFinding.of, found)),
            seconds=None if request.seconds is None else round(request.seconds, 1),
            note=typed(request.note.strip()),
            undoes=request.undoes,
            applied=self._touches(request),
        )
