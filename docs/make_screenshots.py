"""Makes the pictures of `docs/images` anew: a fresh benchmark, one planted error, the real application, no terminal.

.venv/bin/python docs/make_screenshots.py
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from evolif.benchmark import Benchmark, generate
from evolif.domain import Turn
from evolif.review import BenchmarkDesk, Desk
from evolif.review.app import ReviewApp
from evolif.synthesis import check_query

IMAGES = Path(__file__).parent / "images"
SIZE = (100, 30)
MODEL = "openai/NAME"
"""Whose words the planted ones are said to be."""

TYPED = " ".join(("space", *"Thanks", "exclamation_mark"))


def main() -> None:
    """Make all pictures."""
    here = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)  # the screen names the benchmark's folder: a bare name, on every machine
        try:
            generate("my-bench", dialogues=12, turns=8, seed=7, profile="objective")
            plant(Benchmark("my-bench"))
            picture("review.svg")
            picture("review-edit.svg", "e", TYPED)
            picture("review-light.svg", "d")
        finally:
            os.chdir(here)


def plant(bench: Benchmark) -> None:
    """Give three turns words that state another number than their intention."""
    planted = 0
    for dialogue in bench.dialogues():
        for turn in bench.turns(dialogue):
            wrong = misstated(turn)
            found = check_query(turn, wrong) if wrong else []
            if wrong and any(one.spans for one in found) and planted < 3:
                told = tuple(f"{one.checker}: {one.message}" for one in found)
                where = {"status": "flagged", "source": MODEL, "findings": told, "attempts": 3}
                bench.replace(dialogue, turn.turn, query=wrong, **where)
                planted += 1
                break
    if not planted:
        sys.exit("no turn could be planted: choose another seed")


def misstated(turn: Turn) -> str | None:
    """The turn's words with its new number changed; None where it has none."""
    after = turn.operation.after or {}
    number = after.get("count") if turn.operation.group in ("length", "bullets") else None
    if turn.move != "continue" or number is None or turn.query.count(str(number)) != 1:
        return None
    return turn.query.replace(str(number), str(int(number) + 5))


def desk() -> Desk:
    """A fresh desk over the benchmark."""
    return BenchmarkDesk(Benchmark("my-bench"), "first", checker=check_query)


def picture(name: str, *keys: str) -> None:
    """Press keys, wait until the checkers have answered, and keep the screen."""
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / name).write_text(asyncio.run(_drawn(keys)), encoding="utf-8")
    print(f"docs/images/{name}")


async def _drawn(keys: tuple[str, ...]) -> str:
    app = ReviewApp(desk(), clock=lambda: 0.0)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(2)
        for key in keys:
            await pilot.press(*key.split())
            await pilot.pause(2)
        return without_fonts(app.export_screenshot(title="evolif review my-bench"))


def without_fonts(svg: str) -> str:
    """The picture without fonts that a viewer would fetch from elsewhere; any monospace one does."""
    return re.sub(r"\s*@font-face \{[^}]*\}", "", svg)


if __name__ == "__main__":
    main()
