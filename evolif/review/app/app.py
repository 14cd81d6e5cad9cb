"""The application around the screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from textual import work
from textual.app import App
from textual.binding import BindingType

import evolif.review.app.keys as _keys
from evolif.judge_audit import Decision
from evolif.review.answers import AnswerQueue
from evolif.review.app.review import ReviewScreen
from evolif.review.desk import ReviewQueue
from evolif.review.queue import UNDECIDED, Statistics

# Scoring judged answers: one key a score, and on to the next.


class AuditScreen(ReviewScreen, inherit_bindings=False):
    """The queue of judged answers; begins at the first one that the reviewer has not decided on.

    Args:
        desk: A run's judge.
        clock: Seconds that only go forward.
    """

    BINDINGS: ClassVar[list[BindingType]] = _keys.AUDIT_BINDINGS

    def __init__(self, desk: AnswerQueue, clock: Callable[[], float]) -> None:
        super().__init__(desk, clock)
        self._last = ""

    def begin(self) -> None:
        """Go on where the last sitting ended."""
        first = next((key for key in self._keys if UNDECIDED in self._entries[key].facets["mine"]), None)
        if first is not None:
            self.go_to(first)

    @work
    async def action_score(self, score: int) -> None:
        """Score the answer and go on."""
        async with self._one_at_a_time:
            await self._decide("score", score=score)

    @work
    async def action_skip(self) -> None:
        """Leave the answer without a score and go on."""
        async with self._one_at_a_time:
            await self._decide("skip")

    def confirm(self, record: Decision) -> None:
        """Scores come too fast to be told over the next answer: the line above it has the last one."""
        if record.decision in ("score", "skip"):
            told = f"gave {record.after['score']}" if record.decision == "score" else "skipped"
            self._last = f"{record.item}: you {told}"
            self.show_state()
            return
        self._last = ""
        super().confirm(record)

    def state_parts(self, found: Statistics) -> list[str]:
        """The last score stands first; how far others agree is not for who scores."""
        return [part for part in (self._last, *super().state_parts(replace(found, agreement=()))) if part]


class ReviewApp(App[None]):
    """The review of a desk's items.

    Args:
        desk: What is reviewed.
        model: The model that is proposed for regeneration.
        clock: Seconds that only go forward; they become the decisions' `seconds`.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "evolif review"
    CSS = """
    ToastRack { margin-bottom: 3; }
    """
    NOTIFICATION_TIMEOUT = 2.5
    """Seconds: what is said in passing lies over the item."""

    def __init__(self, desk: ReviewQueue, *, model: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.review = AuditScreen(desk, clock) if isinstance(desk, AnswerQueue) else ReviewScreen(desk, clock, model)

    def on_mount(self) -> None:
        """There is one screen."""
        self.push_screen(self.review)

    @property
    def fault(self) -> Exception | None:
        """What broke the application, once it has ended; None where nothing did."""
        return self._exception

    def _fatal_error(self) -> None:
        """End without Textual's own page of code and values: the command line says what there is to say."""
        self._close_messages_no_wait()
