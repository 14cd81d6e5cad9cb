"""Scoring judged answers: one key a score, and on to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from textual import work
from textual.binding import BindingType

from evolif.review._decision import Decision
from evolif.review._judge_desk import JudgeDesk
from evolif.review._queue import UNDECIDED
from evolif.review._statistics import Statistics
from evolif.review.app import _keys
from evolif.review.app._review import ReviewScreen


class AuditScreen(ReviewScreen, inherit_bindings=False):
    """The queue of judged answers; begins at the first one that the reviewer has not decided on.

    Args:
        desk: A run's judge.
        clock: Seconds that only go forward.
    """

    BINDINGS: ClassVar[list[BindingType]] = _keys.AUDIT_BINDINGS

    def __init__(self, desk: JudgeDesk, clock: Callable[[], float]) -> None:
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
