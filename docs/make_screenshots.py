"""Makes the review's pictures of `docs/images` anew: planted errors and answers, the real application, no terminal.

.venv/bin/python docs/make_screenshots.py
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from evolif.judging import Judgement, JudgeRecord, JudgeScore
from evolif.review import AnswerQueue, BenchmarkQueue, ReviewQueue
from evolif.review.app import ReviewApp
from evolif.runner import RunSettings, RunStore, SessionKey, load_run
from evolif.runner.records import AnsweredTurn, AskedTurn, TurnEntry
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.scenarios.instructions.queries import check_query
from evolif.types import Constraint, Turn, TurnFacts, Verdict

IMAGES = Path(__file__).parent / "images"
SIZE = (100, 30)
MODEL = "openai/NAME"
"""Whose words the planted ones are said to be."""

ASKED = "How do we plant the pear tree? Please write it for a child this time."
ANSWERED = (
    "Digging a hole for a tree is a bit like making a bed. First you need it wide, so the roots can stretch their "
    "toes. Then you put the tree in, straight as a candle, and tuck it in with soft earth.\n\nNow it is thirsty! Give "
    "it a whole can of water, slowly. Tomorrow you can look whether it has settled in."
)

TYPED = " ".join(("space", *"Thanks", "exclamation_mark"))


def main() -> None:
    """Make all pictures."""
    here = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)  # the screen names the benchmark's folder: a bare name, on every machine
        try:
            generate("my-bench", dialogues=12, turns=8, seed=7, profile="objective")
            plant(InstructionBenchmark("my-bench"))
            picture("review.svg")
            picture("review-edit.svg", "e", TYPED)
            picture("review-light.svg", "d")
            plant_run()
            picture("review-judge.svg", "7 3 8 4", of=judge_desk)
        finally:
            os.chdir(here)


def plant(bench: InstructionBenchmark) -> None:
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


def desk() -> ReviewQueue:
    """A fresh desk over the benchmark."""
    return BenchmarkQueue(InstructionBenchmark("my-bench"), "first", checker=check_query)


def plant_run() -> None:
    """A run whose answers were judged; the picture shows the fifth that a person is asked about."""
    settings = RunSettings(
        benchmark="b", profile="paper", models=(MODEL,), patience=3, max_turns=9, dialogues=(1,), reading_rules=1
    )
    values = (("audience", "child"), ("emotion", "happy"), ("style", "informal"))
    with closing(RunStore.create(Path("my-run"), settings)) as store:
        store.enrol([SessionKey(MODEL, 1, 1)])
        store.write(judged(turn, *values[turn % 3], accepted=turn % 4 != 0) for turn in range(1, 13))


def judged(turn: int, group: str, value: str, *, accepted: bool) -> TurnEntry:
    """One answer, accepted or not."""
    facts = TurnFacts(1, turn, "continue", turn, "t", ASKED, (Constraint(group, {group: value}),))
    score = JudgeScore("openai/JUDGE", 9.0 if accepted else 3.0)
    record = JudgeRecord(group, "mean", accepted, score.score, (score,))
    judgement = Judgement((Verdict(group, accepted, "", ""),), (), (record,))
    return TurnEntry(1, AskedTurn(str(turn), facts), AnsweredTurn(ANSWERED), judgement)


def judge_desk() -> ReviewQueue:
    """A fresh desk over the run."""
    with closing(load_run("my-run")) as run:
        return AnswerQueue(run, "first")


def picture(name: str, *keys: str, of: Callable[[], ReviewQueue] = desk) -> None:
    """Press keys, wait until the checkers have answered, and keep the screen."""
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / name).write_text(asyncio.run(_drawn(of(), keys)), encoding="utf-8")
    print(f"docs/images/{name}")


async def _drawn(desk_: ReviewQueue, keys: tuple[str, ...]) -> str:
    app = ReviewApp(desk_, clock=lambda: 0.0)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(2)
        for key in keys:
            await pilot.press(*key.split())
            await pilot.pause(2)
        return without_fonts(app.export_screenshot(title=f"evolif review {desk_.name}"))


def without_fonts(svg: str) -> str:
    """The picture without fonts that a viewer would fetch from elsewhere; any monospace one does."""
    return re.sub(r"\s*@font-face \{[^}]*\}", "", svg)


if __name__ == "__main__":
    main()
