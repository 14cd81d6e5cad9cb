"""Waiting for a model: told on the screen, left with a key, and no reason to stay when the application ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar, Generic, TypeVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

Answer = TypeVar("Answer")


async def in_background(call: Callable[[], Answer]) -> Answer:
    """Run something slow in a thread that ends with the program, however long it would still take."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Answer] = loop.create_future()

    def settle(set_: Callable[[Any], None], value: object) -> None:
        def once() -> None:
            if not future.done():
                set_(value)

        with suppress(RuntimeError):  # the loop has been closed: nobody waits any more
            loop.call_soon_threadsafe(once)

    def run() -> None:
        try:
            answer = call()
        except Exception as error:  # whoever waits gets it
            settle(future.set_exception, error)
        else:
            settle(future.set_result, answer)

    threading.Thread(target=run, daemon=True).start()
    return await future


class Wait(ModalScreen[Answer | Exception | None], Generic[Answer]):
    """Says what is waited for; gives the answer, the error, or None when left.

    Args:
        title: What is waited for.
        call: What takes so long.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Leave")]

    DEFAULT_CSS = """
    Wait { align: center middle; }
    Wait > Vertical {
        width: 60; max-width: 90%; height: auto; border: round $primary; padding: 0 1; background: $surface;
    }
    """

    def __init__(self, title: str, call: Callable[[], Answer]) -> None:
        super().__init__()
        self._what = title
        self._call = call
        self._said = Static(markup=False)
        self._seconds = 0

    def compose(self) -> ComposeResult:
        """One line."""
        with Vertical():
            yield self._said

    def on_mount(self) -> None:
        """Begin, and count."""
        self._count()
        self.set_interval(1.0, self._count)
        self._wait()

    def _count(self) -> None:
        self._said.update(Content(f"{self._what} … {self._seconds} s\nescape leaves; its answer is not waited for"))
        self._seconds += 1

    @work
    async def _wait(self) -> None:
        try:
            answer: Answer | Exception = await in_background(self._call)
        except Exception as error:  # told by whoever asked
            answer = error
        self.dismiss(answer)

    def action_leave(self) -> None:
        """Go on without the answer."""
        self.dismiss(None)
