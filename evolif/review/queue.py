"""The review queue: items, and decisions that are saved before they are confirmed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evolif.errors import EvolifError, UsageError
from evolif.judge_audit import Decision, DecisionKind, standing
from evolif.judge_audit.decisions import StoredFinding
from evolif.review.agreement import Statistics, statistics
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
from evolif.review.filters import Facet, Filter, QueueItem
from evolif.review.text import Marked, clean_input
from evolif.scenarios.instructions.turns import Finding

Notify = Callable[[str], None]
State = dict[str, Any]
"""The part of an item that decisions may change."""

VOUCHING: frozenset[DecisionKind] = frozenset({"accept", "edit", "regenerate"})
"""Decisions that vouch for words, so that the checkers run on them."""

TextBlock = tuple[str, Marked]
"""A titled part of an item on the screen."""


class ReviewQueue(ABC):
    """The common part of the queues of a benchmark, of topics and of judged answers.

    Args:
        path: What is reviewed.
        reviewer: Who decides.
        log: Keeps the decisions.
        drafts: Keeps unsaved texts.
    """

    kinds: tuple[DecisionKind, ...]
    """Decisions that can be made."""
    noun: str
    """The name of an item."""
    first_filter = Filter()
    legend: str
    """The meaning of the symbols on the screen."""
    stores_findings = True
    """Whether an item's findings are known without running the checkers."""
    columns: Sequence[str] = ()
    """Columns that a filled table must have; empty if items are exported as JSONL only."""
    empty: Mapping[str, Any] = {"decision": "", "note": "", "force": False}
    """Fields of an exported line to fill in, beside the new words."""

    def __init__(self, path: Path, reviewer: str, log: DecisionLog, drafts: Drafts) -> None:
        self.path = path
        self.reviewer = reviewer
        self.log = log
        self.drafts = drafts
        self._found: dict[tuple[str, str], list[Finding]] = {}
        self._reported = 0

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
        """An item for the screen; with its stored findings where `found` is None."""

    @abstractmethod
    def words_of(self, state: State) -> str:
        """The editable part of an item."""

    @abstractmethod
    def seen(self, key: str) -> State:
        """The item as it is shown now."""

    @abstractmethod
    def exported(self, key: str) -> dict[str, Any]:
        """An item for a file, without the fields to fill in."""

    @abstractmethod
    def parse_filled(self, data: dict[str, Any]) -> tuple[str, State, str | None]:
        """An item from a file: its key, its state when exported, and new words if any.

        Raises:
            UsageError: there is no such item.
            ValidationError: a field is invalid.
        """

    @abstractmethod
    def _has(self, key: str) -> bool: ...

    @abstractmethod
    def _check(self, key: str, text: str) -> list[Finding]:
        """The checkers' findings in words for this item."""

    @abstractmethod
    def _after(self, request: Request, state: State, found: Sequence[Finding]) -> State:
        """The item after a decision."""

    @abstractmethod
    def _stored(self, key: str) -> State:
        """The item as it is on disk; updates what `seen` returns."""

    @abstractmethod
    def _store(self, key: str, state: State) -> None:
        """Write the item to disk."""

    @abstractmethod
    def _is_stale(self, seen: State, stored: State, after: State) -> bool:
        """Whether the item differs from what the reviewer saw, in a way that matters for the decision."""

    def _position(self, key: str) -> dict[str, int]:
        """Numbers that the log stores beside the key."""
        return {}

    def known_values(self, facet: Facet) -> tuple[str, ...]:
        """Values of a facet that a filter may use although no item has them."""
        return ()

    def list_text(self, key: str) -> str:
        """An item's text in a list, before it is cut."""
        return self.words(key)

    def statistics(self) -> Statistics:
        """Number of decisions, pace, and agreement between reviewers."""
        return statistics(self.log.records)

    def decision_object(self, record: Decision) -> dict[str, Any] | None:
        """A decision for machines; None if this reviewer must not see it."""
        return {
            "reviewer": record.reviewer,
            "decision": record.decision,
            "time": record.time.isoformat(),
            "note": record.note,
            "applied": record.applied,
        }

    def parse_request(self, data: dict[str, Any]) -> Request | None:
        """The decision in a filled line of an export; None if there is none.

        Raises:
            UsageError: it cannot be made; says why.
            ValidationError: a field is invalid.
        """
        line = FilledLine.model_validate(data)
        key, seen, text = self.parse_filled(data)
        fault = line.fault(text, self.kinds, self.noun)
        if fault:
            raise UsageError(fault)
        if not line.decision:
            return None
        return Request(key, line.decision, seen, text=text, note=(line.note or "").strip(), force=line.force)

    def words(self, key: str) -> str:
        """The editable part of an item as it is now."""
        return self.words_of(self.seen(key))

    def findings(self, key: str, text: str | None = None) -> list[Finding]:
        """The checkers' findings in an item's words, or in other words for it; slow the first time."""
        words = self.words(key) if text is None else text
        if (key, words) not in self._found:
            self._found[key, words] = list(self._check(key, words))
        return self._found[key, words]

    def checked(self, key: str) -> list[Finding] | None:
        """The findings, if the checkers have already run."""
        return self._found.get((key, self.words(key)))

    def decide(self, request: Request) -> SaveOutcome:
        """Make a decision: first in the log, then in the item; both are durable when this returns.

        Raises:
            UsageError: the decision cannot be made on this item.
            OutsideError: it cannot be written; the log is applied to the item when next opened.
        """
        if request.decision not in (*self.kinds, "undo"):
            kinds = ", ".join(self.kinds)
            raise UsageError(f"“{request.decision}” is not a decision for {self.noun}s; use {kinds}")
        found = self.objections(request)
        if self._must_refuse(request, found):
            return Objected(found)
        with self.log.locked():
            self.refresh()
            stored = self._stored(request.item)
            before = request.seen if request.opinion else stored
            after = self._after(request, before, found)
            if self._may_conflict(request) and self._is_stale(request.seen, stored, after):
                return EditConflict(stored, self._last(request.item))
            record = self._record(request, before, after, found)
            self.log.append(record)
            if record.applied and after != stored:
                self._store(request.item, after)
        return Done(record)

    def objections(self, request: Request) -> list[Finding]:
        """The checkers' findings in the words that a decision is about; slow the first time."""
        if request.decision in ("note", "undo"):
            return []
        words = self.words_of(request.seen) if request.text is None else request.text
        try:
            return self.findings(request.item, words)
        except EvolifError:
            if request.decision in VOUCHING:
                raise
            return []  # a broken checker must not prevent rejecting words

    def preview(self, request: Request) -> Objected | EditConflict | None:
        """What would prevent a decision; None if nothing does.

        Raises:
            UsageError: the decision cannot be made on this item.
        """
        found = self.objections(request)
        if self._must_refuse(request, found):
            return Objected(found)
        stored = self.seen(request.item)
        if self._may_conflict(request) and self._is_stale(request.seen, stored, self._after(request, stored, found)):
            return EditConflict(stored, self._last(request.item))
        return None

    def is_made(self, request: Request) -> bool:
        """Whether the reviewer's last verdict on the item is exactly this decision."""
        last = self.verdicts().get(request.item)
        if last is None or last.decision != request.decision or last.applied == request.opinion:
            return False
        if last.applied and last.after != self.seen(request.item):
            return False
        same = self.words_of(last.before) == self.words_of(request.seen)
        return same and (request.text is None or self.words_of(last.after).strip() == request.text.strip())

    def refresh(self) -> None:
        """Read new decisions, made here or elsewhere."""
        for key in {record.item for record in self.log.follow() if self._has(record.item)}:
            self._stored(key)

    def news(self) -> list[Decision]:
        """Decisions of other reviewers since the last call."""
        self.refresh()
        fresh, self._reported = self.log.records[self._reported :], len(self.log.records)
        return [record for record in fresh if record.reviewer != self.reviewer and self._has(record.item)]

    def undoable(self) -> Decision | None:
        """The reviewer's last decision that stands."""
        own = [r for r in standing(self.log.records) if r.reviewer == self.reviewer and self._has(r.item)]
        return own[-1] if own else None

    def undo_of(self, target: Decision) -> Request:
        """The request that undoes a decision; itself a decision."""
        return Request(target.item, "undo", target.after, undoes=target.id)

    def decisions(self, key: str) -> list[Decision]:
        """The decisions on an item that stand, oldest first."""
        return [record for record in standing(self.log.records) if record.item == key]

    def verdicts(self) -> dict[str, Decision]:
        """The reviewer's last verdict that stands, by item."""
        own = (r for r in standing(self.log.records) if r.reviewer == self.reviewer and r.verdict is not None)
        return {record.item: record for record in own}

    def _start(self) -> None:
        """Read the log, and apply decisions that a crash left only there."""
        self.log.follow()
        last = {record.item: record for record in self.log.records if record.applied and self._has(record.item)}
        for key, record in last.items():
            if self.seen(key) != record.after and self.seen(key) == record.before:
                with self.log.locked():
                    if self._stored(key) == record.before:
                        self._store(key, record.after)
        self._reported = len(self.log.records)

    def _must_refuse(self, request: Request, found: Sequence[Finding]) -> bool:
        excused = request.force and request.note.strip()
        return bool(found) and request.decision in VOUCHING and not excused

    def _may_conflict(self, request: Request) -> bool:
        return self._changes_item(request) and not request.overwrite

    def _changes_item(self, request: Request) -> bool:
        if request.decision == "undo":
            return self._undone(request).applied
        return request.decision != "note" and not request.opinion

    def _undone(self, request: Request) -> Decision:
        return next(record for record in self.log.records if record.id == request.undoes)

    def _last(self, key: str) -> Decision | None:
        records = [record for record in self.log.records if record.item == key and record.applied]
        return records[-1] if records else None

    def _record(self, request: Request, before: State, after: State, found: Iterable[Finding]) -> Decision:
        return Decision(
            id=new_id(),
            time=now(),
            reviewer=self.reviewer,
            item=request.item,
            **self._position(request.item),
            decision=request.decision,
            before=before,
            after=after,
            findings=tuple(StoredFinding(checker=f.checker, message=f.message, spans=f.spans) for f in found),
            seconds=None if request.seconds is None else round(request.seconds, 1),
            note=clean_input(request.note.strip()),
            undoes=request.undoes,
            applied=self._changes_item(request),
        )
