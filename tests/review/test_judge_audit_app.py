"""Scoring judged answers: every key by Textual's pilot, blind, and nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("textual", reason="the extra review is not installed")

from judged_run import SECRETS, Said, give, judge_desk, plant, small
from review_pilot import drive
from test_review_safe import ON_SCREEN, is_safe

from evolif.judge_audit import load_judge_audit
from evolif.judge_audit.sample import audit_folder

ONE = "openai/secretone"


@pytest.fixture
def run(tmp_path):
    return small(tmp_path / "run")


@pytest.fixture
def ada(run):
    return judge_desk(run)


def given(desk, number=1):
    own = desk.verdicts().get(str(number))
    return own and (own.decision, own.after["score"])


def test_the_screen_has_question_scale_answer_and_query(ada):
    async def steps(person):
        await person.sees("Answer 1 of 24:", "Scale: press 1 to 9, or 0 for 10", "9-10 ", "Only this quality counts")
        await person.sees("The full answer", ada.item("1").answer, ada.item("1").query)
        await person.sees("24 shown (all) · 24 of 24 undecided")

    drive(ada, steps, size=(100, 50))


@pytest.mark.slow
def test_a_digit_scores_and_goes_on(ada):
    async def steps(person):
        for number in range(1, 11):
            await person.press(str(number % 10))
            await person.sees(f"Answer {number + 1} of 24:")
            assert given(ada, number) == ("score", number)
        await person.sees("10: scored 10", "14 of 24 undecided", "10 decided")

    drive(ada, steps)
    assert [(one.number, one.score) for one in load_judge_audit(ada.path)] == [(n, n) for n in range(1, 11)]


def test_the_row_shows_what_was_given(ada):
    async def steps(person):
        await person.press("7", "0", "k")
        await person.sees("Answer 4 of 24:")
        rows = [line[:24] for line in person.screen.splitlines()[2:5]]
        assert [row.split()[0] for row in rows] == ["7", "10", "–"]

    drive(ada, steps)


@pytest.mark.slow
def test_k_skips_and_the_last_word_counts(ada):
    async def steps(person):
        await person.press("k")
        await person.sees("Answer 2 of 24:", "1: skipped")
        assert given(ada) == ("skip", None)
        await person.press("p", "4")
        await person.until(lambda: given(ada) == ("score", 4))
        await person.press("p", "9")
        await person.until(lambda: given(ada) == ("score", 9))
        await person.press("p")
        await person.press("space")
        await person.sees("UTC: score 9")

    drive(ada, steps)


def test_u_undoes_one_by_one_and_shows_what_it_undid(ada):
    async def steps(person):
        await person.press("3", "k", "u")
        await person.sees("Answer 2 of 24:")
        assert given(ada, 2) is None and given(ada, 1) == ("score", 3)
        await person.press("u")
        await person.sees("Answer 1 of 24:", "24 of 24 undecided")
        await person.press("u")
        await person.until(lambda: "Nothing to undo" in person.said)

    drive(ada, steps)
    assert not ada.verdicts() and load_judge_audit(ada.path) == ()


@pytest.mark.slow
def test_undo_of_an_earlier_sitting_is_asked_about(run):
    give(judge_desk(run), 3, 8)

    async def steps(person):
        await person.press("u")
        await person.sees("Undo this?", "score of 3,", "UTC, from an earlier session")
        await person.press("down", "enter")
        await person.sees("24 of 24 undecided")

    drive(judge_desk(run), steps)


def test_a_sitting_begins_where_the_last_one_ended(run):
    ada = judge_desk(run)
    for number in (1, 2, 4):
        give(ada, number, 5)

    async def steps(person):
        await person.sees("Answer 3 of 24:", "21 of 24 undecided")

    drive(judge_desk(run), steps)

    async def others(person):
        await person.sees("Answer 1 of 24:", "24 of 24 undecided")

    drive(judge_desk(run, "bob"), others)


@pytest.mark.slow
def test_n_p_and_the_arrows_move_and_space_and_b_scroll(ada):
    async def steps(person):
        for key, number in (("n", 2), ("down", 3), ("p", 2), ("up", 1), ("p", 1)):
            await person.press(key)
            await person.sees(f"Answer {number} of 24:")
        await person.press("space")
        await person.until(lambda: "Answer 1 of 24:" not in person.screen)
        await person.press("b")
        await person.sees("Answer 1 of 24:")
        await person.press("end", "5")
        await person.until(lambda: given(ada, 24) == ("score", 5))
        await person.until(lambda: "That was the last item shown" in person.said)

    drive(ada, steps)


@pytest.mark.slow
def test_o_notes_without_going_on(ada):
    async def steps(person):
        await person.press("o")
        await person.write("odd, 7 or 8")  # digits are words here
        await person.press("enter")
        await person.until(lambda: ada.decisions("1"))
        await person.sees("UTC: note – odd, 7 or 8")
        assert given(ada) is None
        await person.press("o")
        await person.sees("enter continues")
        assert person.line.value == ""
        await person.press("escape", "6")
        await person.until(lambda: given(ada) == ("score", 6))

    drive(ada, steps, size=(100, 50))


@pytest.mark.slow
def test_f_filters_by_group_and_status(ada):
    async def steps(person):
        await person.press("2", "f")
        await person.sees("[ ] group emotion (12)", "[ ] status scored (1)", "[ ] mine undecided (23)")
        await person.press("down", "space", "f")
        await person.sees("1 shown (status scored)")

    drive(ada, steps)


@pytest.mark.slow
def test_slash_searches_answers_and_typing_replaces_the_old_words(ada):
    async def steps(person):
        await person.press("slash")
        await person.write("number 3.2")
        await person.press("enter")
        await person.sees("4 shown (“number 3.2”)")
        await person.press("slash")
        await person.sees("Search")
        await person.write("formal")
        await person.press("enter")
        await person.sees("12 shown (“formal”)")
        await person.press("slash", "backspace", "enter")
        await person.sees("24 shown (all)")

    drive(ada, steps)


@pytest.mark.slow
def test_statistics_help_light_reload_and_quit(ada):
    async def steps(person):
        await person.press("question_mark")
        await person.sees("score the answer (0 for 10)", "k skip if you cannot tell", "are hidden")
        await person.press("escape", "8", "s")
        await person.sees("Decisions: score 1.", "ada: 1 decided.")
        await person.press("escape", "d")
        assert not person.app.current_theme.dark
        await person.press("r")
        await person.sees("Answer 2 of 24:")
        await person.press("q")
        await person.until(lambda: not person.app.is_running)

    drive(ada, steps, size=(100, 40))


def test_keys_of_the_other_reviews_do_nothing(ada):
    async def steps(person):
        for key in ("a", "e", "g", "t", "x", "ctrl+s", "enter"):
            await person.press(key)
        await person.sees("Answer 1 of 24:")
        assert len(person.app.screen_stack) == 2

    drive(ada, steps)
    assert not ada.log.records


@pytest.mark.slow
def test_keys_pressed_ahead_score_one_answer_each(ada):
    async def steps(person):
        await person.press(*"987654321")
        await person.until(lambda: len(ada.verdicts()) == 9)

    drive(ada, steps)
    assert [given(ada, number)[1] for number in range(1, 10)] == [9, 8, 7, 6, 5, 4, 3, 2, 1]


def test_seconds_are_those_spent_on_the_answer(ada):
    now = [0.0]

    async def steps(person):
        now[0] = 12.5
        await person.press("4")
        await person.until(lambda: given(ada))

    drive(ada, steps, clock=lambda: now[0])
    assert ada.log.records[0].seconds == 12.5


@pytest.mark.parametrize("size", [(80, 24), pytest.param((120, 40), marks=pytest.mark.slow)])
def test_every_key_fits_the_foot_and_nothing_said_in_passing_covers_it(ada, size):
    async def steps(person):
        await person.sees("The full answer")
        foot = [line.strip() for line in person.screen.splitlines()[-3:]]
        said = " ".join(" ".join(foot).split())
        for one in ("1–9, 0 score", "k skip", "u undo", "o note", "f filters", "/ search", "? help", "q quit"):
            assert one in said
        person.app.review.tell("A long title of something said in passing", "and more of it " * 8)
        await person.sees("and more of it and more")
        assert [line.strip() for line in person.screen.splitlines()[-2:]] == foot[-2:]

    drive(ada, steps, size=size)


KEYS = ((), ("space",), ("question_mark",), ("escape", "s"), ("escape", "f"), ("escape", "3"), ("k",), ("u",), ("r",),
        ("o", "h", "i", "enter"), ("slash",), ("escape", "n"))  # fmt: skip


def screens(desk):
    """What is on the screen after each of the keys."""
    found = []

    async def steps(person):
        person.app.NOTIFICATION_TIMEOUT = 600
        for keys in KEYS:
            await person.press(*keys)
            await person.pilot.pause(0.05)
            found.append(person.screen)
        found.append(person.said)

    drive(desk, steps, size=(100, 50), clock=lambda: 0.0)
    return found


@pytest.mark.slow
def test_no_key_shows_anything_of_the_judge_or_the_model(tmp_path, monkeypatch):
    """Two runs that differ in nothing but models and verdicts: who scores cannot tell them apart."""
    from datetime import UTC, datetime

    monkeypatch.setattr("evolif.review.queue.now", lambda: datetime(2026, 1, 1, tzinfo=UTC))
    seen = []
    for place, flipped in (("a", False), ("b", True)):
        (tmp_path / place).mkdir()
        models = ("openai/secretone", "google/secrettwo") if not flipped else ("google/secretx", "openai/secrety")
        path = small(tmp_path / place / "run", flipped=flipped, models=models)
        seen.append(screens(judge_desk(path, size=100)))
    assert seen[0] == seen[1]
    everything = "\n".join(seen[0]).casefold()
    assert not [word for word in SECRETS if word in everything]
    assert "answer 2 of 24" in everything and "undo your last score" in everything


def test_a_desk_holds_nothing_that_could_be_shown(ada):
    def strings(value, seen):
        if id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for one in value.items():
                yield from strings(one, seen)
        elif isinstance(value, (list, tuple, set, frozenset)):
            for one in value:
                yield from strings(one, seen)
        elif hasattr(value, "__slots__") or hasattr(value, "__dict__"):
            names = [*getattr(value, "__dict__", {}), *getattr(type(value), "__slots__", ())]
            for name in names:
                yield from strings(getattr(value, name, None), seen)

    held = "\n".join(strings(vars(ada), set())).casefold()
    assert "answer number" in held and not [word for word in SECRETS if word in held]


@pytest.mark.sampled
@pytest.mark.parametrize("score", [2, None])
def test_what_others_gave_is_not_shown(run, score):
    bob = judge_desk(run, "bob")
    give(bob, 1, score, note="bob's remark")

    async def steps(person):
        await person.sees("24 of 24 undecided")
        give(bob, 2, 9, note="another remark")
        person.app.review.poll()
        await person.press("n", "s")
        await person.sees("bob: ")
        await person.press("escape", "r", "space")
        assert "remark" not in person.screen and " decided: " not in person.screen

    drive(judge_desk(run), steps, size=(100, 50))


@pytest.mark.slow
@pytest.mark.parametrize("text", ON_SCREEN)
def test_hostile_answers_and_queries_command_nothing(tmp_path, text):
    said = Said(ONE, 1, 1, (("emotion", True),), text=f"A {text} answer", query=f"Q {text} query", rationale=text)
    desk = judge_desk(plant(tmp_path / "r", [said], models=(ONE,)))

    async def steps(person):
        async def is_clean():
            await person.pilot.pause()
            rows = person.app.screen._compositor.render_strips()
            assert [segment.text for row in rows for segment in row if not is_safe(segment.text)] == []
            assert not any(s.style and (s.style.link or "@click" in s.style.meta) for row in rows for s in row)

        for keys in ([], ["space"], ["b"], ["question_mark"], ["escape", "f"], ["escape", "8"], ["s"], ["escape", "u"]):
            await person.press(*keys)
            await is_clean()
        await person.press("o")
        await person.sees("enter continues")
        person.line.insert_text_at_cursor(f"x{text}")
        await person.press("enter")
        await person.until(lambda: desk.decisions("1"))
        await is_clean()

    drive(desk, steps, size=(100, 40))
    assert is_safe(desk.decisions("1")[0].note)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("word " * 12_000, id="words"),
        pytest.param("x" * 60_000, id="one word", marks=pytest.mark.slow),
        pytest.param("\n" * 9_000 + "end", id="lines", marks=pytest.mark.slow),
        pytest.param("\u202e" * 20_000, id="controls", marks=pytest.mark.slow),
        pytest.param("🙂" * 15_000, id="emoji", marks=pytest.mark.slow),
    ],
)
def test_huge_answers_are_shown_and_scored(tmp_path, text):
    desk = judge_desk(
        plant(tmp_path / "r", [Said(ONE, 1, 1, (("emotion", True),), text=f"Start {text}")], models=(ONE,))
    )

    async def steps(person):
        await person.sees("Start", "Answer 1 of 1:")
        await person.press("space", "space", "7")
        await person.until(lambda: given(desk) == ("score", 7))

    drive(desk, steps, size=(100, 50))


DIES = """
import os, signal, sys
from pathlib import Path
from judged_run import judge_desk
from review_pilot import drive

async def steps(person):
    await person.press("7", "2", "o")
    await person.sees("enter continues")
    await person.write("half a remark")
    os.kill(os.getpid(), signal.SIGKILL)

drive(judge_desk(Path(sys.argv[1])), steps)
"""

SCORES = """
import sys
from pathlib import Path
from judged_run import give, judge_desk

own = judge_desk(Path(sys.argv[1]), sys.argv[2], size=24)
for number in range(1, 25):
    give(own, number, 1 + number % 10)
"""


def process(code: str, *arguments: str) -> subprocess.Popen[str]:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parents[1])])
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env={**os.environ, "PYTHONPATH": path}, text=True)


@pytest.mark.slow
def test_a_killed_application_costs_no_keystroke(run):
    assert process(DIES, str(run)).wait(timeout=120) == -signal.SIGKILL
    ada = judge_desk(run)
    assert [given(ada, number) for number in (1, 2, 3)] == [("score", 7), ("score", 2), None]

    async def steps(person):
        await person.sees("Answer 3 of 24:")
        await person.press("o")
        await person.sees("Your draft from", "half a remark")
        await person.press("enter")
        await person.until(lambda: ada.decisions("3"))

    drive(ada, steps)
    assert ada.decisions("3")[0].note == "half a remark" and ada.drafts.get("3 note") is None


def test_a_torn_line_is_cut_at_the_next_score(run):
    ada = judge_desk(run)
    give(ada, 1, 7)
    with ada.log.path.open("ab") as file:
        file.write(b'{"id": "torn", "score')
    told = []
    again = judge_desk(run, notify=told.append)
    give(again, 2, 8)
    assert "was incomplete and was removed" in told[0] and [one.score for one in load_judge_audit(run)] == [7, 8]


@pytest.mark.slow
def test_reviewers_in_processes_of_their_own_draw_one_sample_and_lose_nothing(run):
    names = ("ada", "bob", "eve")
    running = [process(SCORES, str(run), name) for name in names]
    assert [one.wait(timeout=120) for one in running] == [0, 0, 0]
    found = load_judge_audit(run)
    for name in names:
        own = [(one.number, one.score) for one in found if one.reviewer == name]
        assert own == [(number, 1 + number % 10) for number in range(1, 25)]
    assert len({judge_desk(run, name).item("1").answer for name in names}) == 1


def test_one_person_at_two_screens_keeps_the_last_word(run):
    one, other = judge_desk(run), judge_desk(run)
    give(one, 1, 3)
    give(other, 1, 8)
    one.refresh()
    assert given(one) == given(other) == ("score", 8)


def test_nothing_is_written_into_the_run_itself(run):
    before = (run / "run.sqlite").read_bytes()
    give(judge_desk(run), 1, 3)
    assert (run / "run.sqlite").read_bytes() == before
    assert sorted(path.name for path in run.iterdir() if path.name != ".lock") == ["judge-audit", "run.sqlite"]
    assert {path.name for path in audit_folder(run).iterdir()} <= {
        "decisions.jsonl", "sample.json", ".lock", ".sample.lock", "drafts",
    }  # fmt: skip
