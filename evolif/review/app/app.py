"""The terminal application, and its screen for judged answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.app import App
from textual.binding import BindingType

from evolif.judge_audit import Decision
from evolif.review.agreement import Statistics
from evolif.review.answers import AnswerQueue
from evolif.review.app import keys
from evolif.review.app.review import ReviewScreen
from evolif.review.filters import UNDECIDED
from evolif.review.queue import ReviewQueue


class AuditScreen(ReviewScreen, inherit_bindings=False):
    """The queue of judged answers: one key scores an answer and moves on to the next.

    Args:
        queue: Judged answers.
        clock: A monotonic clock, in seconds.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.AUDIT_BINDINGS

    def __init__(self, queue: AnswerQueue, clock: Callable[[], float]) -> None:
        super().__init__(queue, clock)
        self._last = ""

    def begin(self) -> None:
        """Start at the first answer without a decision of the reviewer."""
        first = next((key for key in self._keys if UNDECIDED in self._entries[key].facets["mine"]), None)
        if first is not None:
            self.go_to(first)

    def action_score(self, score: int) -> None:
        """Score the answer and go on."""
        self.run_step(partial(self.decide, "score", score=score))

    def action_skip(self) -> None:
        """Leave the answer without a score and go on."""
        self.run_step(partial(self.decide, "skip"))

    def confirm(self, record: Decision) -> None:
        """Show the last score in the line above the item: notices would cover the next answer."""
        if record.decision in ("score", "skip"):
            outcome = f"scored {record.after['score']}" if record.decision == "score" else "skipped"
            self._last = f"{record.item}: {outcome}"
            self.show_state()
            return
        self._last = ""
        super().confirm(record)

    def state_parts(self, found: Statistics) -> list[str]:
        """The last score comes first; the agreement of others stays hidden."""
        return [part for part in (self._last, *super().state_parts(replace(found, agreement=()))) if part]


class ReviewApp(App[None]):
    """The review of a queue.

    Args:
        queue: What is reviewed.
        model: The model proposed for regeneration.
        clock: A monotonic clock for the decisions' `seconds`.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "evolif review"
    CSS = """
    ToastRack { margin-bottom: 3; }
    """
    NOTIFICATION_TIMEOUT = 2.5
    """Seconds; short, since notices cover the item."""

    def __init__(self, queue: ReviewQueue, *, model: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.review = AuditScreen(queue, clock) if isinstance(queue, AnswerQueue) else ReviewScreen(queue, clock, model)

    def on_mount(self) -> None:
        self.push_screen(self.review)

    @property
    def fault(self) -> Exception | None:
        """The error that ended the application; None if there was none."""
        return self._exception

    def _fatal_error(self) -> None:
        """End without Textual's page of code and values: the command line reports the error."""
        self._close_messages_no_wait()
