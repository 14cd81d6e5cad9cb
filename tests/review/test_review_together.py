"""Two reviewers at two screens, many at once in processes of their own, and a crash in the middle of a sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("textual", reason="the extra review is not installed")

from review_desks import FLAGGED, KEY, decide, desk
from review_pilot import drive

from evolif.scenarios.instructions import InstructionBenchmark

GOOD = "Make it 30 words"
MINE = "Make it thirty words"


@pytest.fixture
def ada(bench):
    return desk(bench)


@pytest.fixture
def bob(bench):
    return desk(bench, "bob")


@pytest.mark.slow
def test_what_another_decides_is_told_and_shown_on_r(ada, bob):
    async def steps(person):
        await person.sees(FLAGGED)
        decide(bob, "edit", text=GOOD)
        await person.sees("bob decided: edit. This is the older version")
        await person.sees(FLAGGED, "E 1·3")
        await person.press("r")
        await person.sees(GOOD, "bob: edit")
        assert "This is the older version" not in person.screen

    drive(ada, steps, (80, 44))


def test_a_note_of_another_does_not_make_what_is_shown_old(ada, bob):
    async def steps(person):
        decide(bob, "note", note="hm")
        person.app.review.poll()
        await person.pilot.pause()
        assert "This is the older version" not in person.screen

    drive(ada, steps)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("presses", "query", "status", "opinions"),
    [
        pytest.param(["enter"], GOOD, "edited", [], id="look", marks=pytest.mark.slow),
        pytest.param(["down", "enter"], GOOD, "edited", ["reject"], id="opinion"),
        pytest.param(["down", "down", "enter"], GOOD, "rejected", [], id="overwrite"),
        pytest.param(["escape"], GOOD, "edited", [], id="escape", marks=pytest.mark.slow),
    ],
)
def test_a_decision_on_what_was_changed_meanwhile_is_asked_about(ada, bob, stored, presses, query, status, opinions):
    async def steps(person):
        await person.sees(FLAGGED)
        decide(bob, "edit", text=GOOD)
        await person.press("x")
        await person.sees("bob changed this turn after you opened it: edit.", "Current version:", GOOD)
        await person.press(*presses)
        await person.until(lambda: len(person.app.screen_stack) == 2)

    drive(ada, steps)
    assert (stored().query, stored().status) == (query, status)
    assert [one.decision for one in ada.decisions(KEY) if not one.applied] == opinions


@pytest.mark.slow
def test_an_edit_that_meets_another_shows_both_and_loses_neither(ada, bob, stored):
    async def steps(person):
        await person.press("e")
        await person.sees("ctrl+s saves")
        await person.press("ctrl+u")
        await person.write(MINE)
        decide(bob, "edit", text=GOOD)
        await person.press("ctrl+s")
        await person.sees("Current version:", GOOD, "Yours:", MINE)
        await person.press("escape")
        await person.until(lambda: "Your draft is saved" in person.said)
        assert stored().query == GOOD
        await person.press("e")
        await person.sees("the stored words have changed since", MINE)
        await person.press("ctrl+s")
        await person.until(lambda: stored().query == MINE)

    drive(ada, steps)


@pytest.mark.slow
def test_undo_over_another_s_work_is_asked_about(ada, bob, stored):
    async def steps(person):
        await person.press("x")
        await person.until(lambda: ada.verdicts())
        bob.refresh()
        decide(bob, "edit", text=GOOD)
        await person.press("u")
        await person.sees("bob changed this turn after you opened it")
        assert "opinion" not in person.screen
        await person.press("escape")

    drive(ada, steps)
    assert stored().query == GOOD


TYPES_AND_DIES = """
import os, signal, sys
from pathlib import Path
from review_desks import desk
from review_pilot import drive

async def steps(person):
    await person.press("e")
    await person.sees("ctrl+s saves")
    await person.write(" and more")
    os.kill(os.getpid(), signal.SIGKILL)

drive(desk(Path(sys.argv[1])), steps)
"""


def run(code: str, *arguments: str) -> subprocess.Popen[str]:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parents[1])])
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env={**os.environ, "PYTHONPATH": path}, text=True)


@pytest.mark.slow
def test_a_killed_application_costs_no_keystroke(bench, stored):
    died = run(TYPES_AND_DIES, str(bench))
    assert died.wait(timeout=120) == -signal.SIGKILL
    assert stored().query == FLAGGED

    async def steps(person):
        await person.press("e")
        await person.sees("Your draft from", f"{FLAGGED} and more")

    drive(desk(bench), steps)
    assert desk(bench, "bob").drafts.get(KEY) is None  # a draft is its writer's own


DECIDES = """
import sys
from pathlib import Path
from review_desks import decide, desk

own = desk(Path(sys.argv[1]), sys.argv[2])
for number in range(10):
    key = f"{1 + number % 2}/{1 + number % 4}"
    own.refresh()
    decide(own, "edit", key, text=f"{sys.argv[2]} writes {number}.", overwrite=True)
    decide(own, "note", key, note=str(number))
"""


@pytest.mark.slow
def test_reviewers_in_processes_of_their_own_lose_nothing(bench):
    names = ("ada", "bob", "eve")
    running = [run(DECIDES, str(bench), name) for name in names]
    assert [one.wait(timeout=120) for one in running] == [0, 0, 0]
    lines = [json.loads(line) for line in (bench / "review" / "decisions.jsonl").read_text("utf-8").splitlines()]
    for name in names:
        own = [line for line in lines if line["reviewer"] == name]
        assert [line["decision"] for line in own] == ["edit", "note"] * 10
    last = {line["item"]: line["after"]["query"] for line in lines}
    fresh = InstructionBenchmark(bench)
    assert {key: fresh.turns(int(key[0]))[int(key[2]) - 1].query for key in last} == last


@pytest.mark.slow
def test_each_edit_starts_from_what_stood_there(bench):
    running = [run(DECIDES, str(bench), name) for name in ("ada", "bob")]
    assert [one.wait(timeout=120) for one in running] == [0, 0]
    now: dict[str, str] = {}
    for line in (bench / "review" / "decisions.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        assert record["before"]["query"] == now.get(record["item"], record["before"]["query"])
        now[record["item"]] = record["after"]["query"]
