"""The application around the screen."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.app import App

from evolif.review._desk import Desk
from evolif.review._judge_desk import JudgeDesk
from evolif.review.app._audit import AuditScreen
from evolif.review.app._review import ReviewScreen


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

    def __init__(self, desk: Desk, *, model: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.review = AuditScreen(desk, clock) if isinstance(desk, JudgeDesk) else ReviewScreen(desk, clock, model)

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
