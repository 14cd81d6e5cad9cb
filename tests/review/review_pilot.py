"""Drives the application as a person does, and reads its screen.

Textual's pilot waits 20 ms or more, twice, after every key. Here it looks for an idle process four times as often, and
every key is handled before the next one is pressed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual import _wait
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from evolif.review import ReviewQueue
from evolif.review.app import ReviewApp

_wait.SLEEP_GRANULARITY /= 4
_wait.SLEEP_IDLE /= 4


class Person:
    """Presses keys and looks; waits for what is to come rather than for a time."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot
        self.app: ReviewApp = pilot.app

    @property
    def screen(self) -> str:
        """What is on the screen, line by line."""
        rows = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows)

    @property
    def said(self) -> str:
        """What was said in passing, all of it."""
        return "\n".join(f"{one.title}: {one.message}" for one in self.app._notifications)

    @property
    def line(self) -> Input:
        """The one-line field on the screen."""
        return self.app.screen.query_one(Input)

    @property
    def editor(self) -> TextArea:
        """The text area on the screen."""
        return self.app.screen.query_one(TextArea)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.pilot.pause()

    async def write(self, text: str) -> None:
        """Type into what has the focus."""
        names = {" ": "space", ".": "full_stop", ",": "comma", "\n": "enter"}
        await self.press(*(names.get(sign, sign) for sign in text))

    async def until(self, seen: Callable[[], Any], told: str = "") -> None:
        for _ in range(400):
            if seen():
                return
            await self.pilot.pause(0.02)
        raise AssertionError(f"never came: {told or 'what was waited for'}\n{self.screen}\n{self.said}")

    def shows(self, text: str) -> bool:
        """Whether the text is on the screen, or wrapped in its right half."""
        rows = [row.rstrip(" ▁▂▃▄▅▆▇█") for row in self.screen.splitlines()]  # without the scroll bar
        halves = [row.split("│", 1)[1] if "│" in row[:40] else row for row in rows]
        return any(text in " ".join(" ".join(lines).split()) for lines in (rows, halves))

    async def sees(self, *texts: str) -> None:
        for text in texts:
            await self.until(lambda text=text: self.shows(text), text)


def drive(
    desk: ReviewQueue, steps: Callable[[Person], Awaitable[Any]], size: tuple[int, int] = (80, 24), **more: Any
) -> Any:
    """Run the application over a desk and a person's steps in it."""

    async def run() -> Any:
        app = ReviewApp(desk, **more)
        async with app.run_test(size=size, notifications=True) as pilot:
            person = Person(pilot)
            await person.sees("evolif review")
            return await steps(person)

    return asyncio.run(run())
