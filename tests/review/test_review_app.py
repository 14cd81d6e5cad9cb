"""Every key of the application, by Textual's pilot."""

from __future__ import annotations

import pytest

pytest.importorskip("textual", reason="the extra review is not installed")

from review_desks import FLAGGED, KEY, decide, desk
from review_pilot import drive

GOOD = "Make it 30 words"


@pytest.fixture
def ada(bench):
    return desk(bench)


def test_the_flagged_turn_is_shown_with_intention_findings_and_conversation(ada):
    async def steps(person):
        await person.sees("Intention of dialogue 1, turn 3", FLAGGED)
        await person.sees("! length: wants 30 words (“BAD”)", "flagged; the template's query is used")
        first = person.screen.splitlines()
        assert first[2].startswith("F  1·3")
        assert any(line[26:].lstrip(" │").startswith(("+ ", "− ")) for line in first)
        await person.press("space")
        await person.sees("Conversation so far, newest first")
        await person.press("b")
        await person.sees("Intention of dialogue 1, turn 3")

    drive(ada, steps, (80, 32))


def test_the_finding_is_underlined_in_the_query(ada):
    async def steps(person):
        await person.sees("(“BAD”)")
        rows = person.app.screen._compositor.render_strips()
        marked = [s.text for row in rows for s in row if s.style and s.style.underline and s.style.bold]
        assert "BAD" in marked

    drive(ada, steps)


def test_a_accepts_and_goes_on(ada, stored):
    async def steps(person):
        await person.press("n", "a")
        await person.until(lambda: "1/1" in ada.verdicts())
        await person.sees("Intention of dialogue 1, turn 2")
        await person.sees("Va 1·1")

    drive(ada, steps)
    assert stored(1, 1).status == "verified"


@pytest.mark.slow
def test_a_asks_for_a_reason_where_the_checkers_object(ada, stored):
    async def steps(person):
        await person.press("a")
        await person.sees("Why should the words be accepted anyway?", "! length")
        await person.press("enter")
        await person.sees("type something, or press escape")
        await person.press("escape")
        assert stored().status == "flagged" and not ada.verdicts()
        await person.press("a")
        await person.sees("Why should the words be accepted")
        await person.write("false alarm")
        await person.press("enter")
        await person.until(lambda: KEY in ada.verdicts())

    drive(ada, steps)
    assert stored().status == "verified" and ada.verdicts()[KEY].note == "false alarm"


def test_x_rejects_and_u_undoes_and_shows_what_it_undid(ada, stored):
    async def steps(person):
        await person.press("x")
        await person.sees("Rx 1·3")
        await person.sees("Intention of dialogue 1, turn 1")
        assert stored().status == "rejected"
        await person.press("u")
        await person.sees("F 1·3", "Intention of dialogue 1, turn 3")
        await person.press("u")
        await person.until(lambda: "Nothing to undo" in person.said)

    drive(ada, steps)
    assert stored().status == "flagged"


@pytest.mark.slow
def test_undo_of_an_earlier_sitting_is_asked_about(ada, bench, stored):
    decide(ada, "reject")

    async def steps(person):
        await person.press("u")
        await person.sees("Undo this?", "reject of 1/3")
        await person.press("enter")  # the careful way stands first
        await person.press("u")
        await person.sees("Undo this?")
        await person.press("down", "enter")
        await person.until(lambda: stored().status == "flagged")

    drive(desk(bench), steps)


def test_t_puts_the_template_back_and_shows_it(ada, stored):
    async def steps(person):
        await person.press("t")
        await person.sees("Query by template: verified", "Intention of dialogue 1, turn 3")

    drive(ada, steps)
    assert stored().query == ada.template(KEY)


def test_t_on_the_template_s_own_words_decides_nothing(ada):
    async def steps(person):
        await person.press("n", "t")
        await person.until(lambda: "already has the template's query; accept it" in person.said)

    drive(ada, steps)
    assert not ada.log.records


def test_n_p_and_the_arrows_move(ada):
    async def steps(person):
        for key, turn in (("n", 1), ("down", 2), ("p", 1), ("up", 3), ("p", 3)):
            await person.press(key)
            await person.sees(f"Intention of dialogue 1, turn {turn}")
        await person.press("end", "n")
        await person.sees("Intention of dialogue 2, turn 4")

    drive(ada, steps)


@pytest.mark.slow
def test_o_notes(ada):
    async def steps(person):
        await person.press("o")
        await person.sees("Note")
        await person.write("ask the team")
        await person.press("enter")
        await person.until(lambda: ada.decisions(KEY))
        await person.press("space")
        await person.sees("UTC ada: note – ask the team")

    drive(ada, steps)


@pytest.mark.slow
def test_e_edits_with_live_findings_and_ctrl_s_saves(ada, stored):
    async def steps(person):
        await person.press("e")
        await person.sees("ctrl+s saves", "! length")
        await person.press("ctrl+r", "ctrl+u")
        await person.until(lambda: not person.editor.text)
        await person.write(GOOD)
        await person.sees("none")
        await person.write(" BAD")
        await person.sees("! length: wants 30 words (“BAD”)")
        await person.press(*["backspace"] * 4)
        await person.sees("none")
        await person.press("ctrl+s")
        await person.until(lambda: KEY in ada.verdicts())

    drive(ada, steps)
    assert (stored().query, stored().status) == (GOOD, "edited") and ada.drafts.get(KEY) is None


@pytest.mark.slow
def test_an_edit_that_the_checkers_object_to_asks_and_keeps_the_draft(ada, stored):
    async def steps(person):
        await person.press("e")
        await person.sees("ctrl+s saves")
        await person.write(" Really.")
        await person.press("ctrl+s")
        await person.sees("Why should the words be accepted")
        await person.press("escape")
        await person.until(lambda: "Your draft is saved" in person.said)
        await person.press("e")
        await person.sees("Your draft from", "Really.")
        await person.press("ctrl+s")
        await person.sees("Why should the words be accepted")
        await person.write("so be it")
        await person.press("enter")
        await person.until(lambda: KEY in ada.verdicts())

    drive(ada, steps)
    assert stored().query == f"{FLAGGED} Really." and ada.verdicts()[KEY].note == "so be it"


@pytest.mark.slow
def test_escape_leaves_the_editor_and_keeps_what_was_typed(ada, stored):
    async def steps(person):
        await person.press("e")
        await person.sees("ctrl+s saves")
        await person.write(" More")
        await person.press("escape")
        await person.until(lambda: "Your draft is saved" in person.said)
        await person.press("e")
        await person.sees("was restored", "More")
        await person.press("ctrl+r", "ctrl+s")
        await person.until(lambda: "No changes" in person.said)

    drive(ada, steps)
    assert stored().query == FLAGGED and ada.drafts.get(KEY) is None


@pytest.mark.slow
def test_g_asks_the_chosen_model_and_shows_before_it_takes(ada, stored):
    async def steps(person):
        await person.press("g")
        await person.sees("Which model?", "sim/x")
        await person.press("enter")
        await person.sees("Instructions for the model?")
        await person.write("numbers")
        await person.press("enter")
        await person.sees("sim/x suggests", "sim/x minds numbers.")
        assert stored().query == FLAGGED
        await person.press("enter")
        await person.until(lambda: KEY in ada.verdicts())

    drive(ada, steps, model="sim/x")
    assert (stored().query, stored().source, stored().attempts) == ("sim/x minds numbers.", "sim/x-1", 2)


@pytest.mark.slow
def test_g_can_be_edited_first_or_left(ada, stored):
    async def steps(person):
        for presses in (["down", "down", "enter"], ["escape"], ["down", "enter"]):
            await person.press("g")
            await person.sees("Which model?")
            await person.press("enter")
            await person.sees("Instructions for the model?")
            await person.press("enter")
            await person.sees("sim/x suggests")
            await person.press(*presses)
            assert not ada.verdicts()
        await person.sees("ctrl+s saves")
        await person.write(" Thanks.")
        await person.press("ctrl+s")
        await person.until(lambda: KEY in ada.verdicts())

    drive(ada, steps, model="sim/x")
    assert (stored().query, stored().status) == ("sim/x minds nothing. Thanks.", "edited")


@pytest.mark.slow
def test_waiting_for_a_model_is_told_and_can_be_left(bench, stored):
    from threading import Event

    asked, go_on = Event(), Event()

    def slow(turn, model, notes):
        asked.set()
        go_on.wait(30)
        raise ValueError("too late")

    async def steps(person):
        await person.press("g")
        await person.sees("Which model?")
        await person.press("enter")
        await person.sees("Instructions for the model?")
        await person.press("enter")
        await person.sees("Asking sim/x …")
        await person.until(asked.is_set)
        await person.press("escape", "x")
        await person.until(lambda: stored().status == "rejected")
        go_on.set()
        await person.press("n")
        assert "too late" not in person.said

    drive(desk(bench, regenerate=slow), steps, model="sim/x")


@pytest.mark.sampled
@pytest.mark.parametrize("fault", [ValueError("boom"), None])
def test_a_model_that_fails_or_is_none_is_told(bench, fault, stored):
    def failing(turn, model, notes):
        raise fault

    async def steps(person):
        await person.press("g")
        if fault:
            await person.press("enter")
            await person.sees("Instructions for the model?")
            await person.press("enter")
        await person.until(lambda: ("did not answer: boom" if fault else "Cannot regenerate") in person.said)
        await person.press("n")
        await person.sees("Intention of dialogue 1, turn 1")

    drive(desk(bench, regenerate=failing if fault else None), steps, model="sim/x")
    assert stored().query == FLAGGED


@pytest.mark.slow
def test_f_filters_and_c_clears(ada):
    async def steps(person):
        await person.press("f")
        await person.sees("Show only", "[ ] status flagged (1)")
        await person.press("enter")
        await person.sees("[x] status flagged (1)")
        await person.press("escape")
        await person.sees("1 shown (status flagged)")
        await person.press("f", "c", "down", "space", "f")
        await person.sees("7 shown (status verified)")

    drive(ada, steps)


@pytest.mark.slow
def test_slash_searches_and_an_empty_search_shows_all(ada):
    async def steps(person):
        await person.press("slash")
        await person.sees("Search")
        await person.write("bad words")
        await person.press("enter")
        await person.sees("1 shown (“bad words”)")
        await person.press("slash")
        await person.sees("Search")
        await person.write("nowhere")  # replaces the old words
        await person.press("enter")
        await person.sees("No turns to show")
        for key in ("a", "e", "t", "x", "o", "n", "p", "g"):
            await person.press(key)
        await person.press("slash")
        await person.sees("Search")
        await person.press("ctrl+u", "enter")
        await person.sees("8 shown (all)")

    drive(ada, steps)
    assert not ada.log.records


@pytest.mark.slow
def test_help_and_statistics(ada):
    async def steps(person):
        await person.press("question_mark")
        await person.sees("undo your last decision", "ctrl+s saves")
        await person.press("escape", "s")
        await person.sees("No decisions yet.")
        await person.press("escape", "x")
        await person.until(lambda: ada.verdicts())
        await person.press("s")
        await person.sees("ada: 1 decided")

    drive(ada, steps, size=(100, 40))


def test_q_quits(ada):
    async def steps(person):
        await person.press("q")
        await person.until(lambda: not person.app.is_running)

    drive(ada, steps)


def test_seconds_are_those_spent_on_the_item(ada):
    now = [0.0]

    async def steps(person):
        now[0] = 5.0
        await person.press("n")
        await person.sees("Intention of dialogue 1, turn 1")
        now[0] = 12.5
        await person.press("x")
        await person.until(lambda: ada.verdicts())

    drive(ada, steps, clock=lambda: now[0])
    assert ada.verdicts()["1/1"].seconds == 7.5


def test_keys_pressed_ahead_decide_on_one_item_each(ada):
    async def steps(person):
        await person.press("n")
        await person.press("x", "x", "x")
        await person.until(lambda: len(ada.verdicts()) == 3)

    drive(ada, steps)
    assert ada.verdicts().keys() == {"1/1", "1/2", "1/4"}


@pytest.mark.slow
def test_a_broken_checker_is_told_and_costs_nothing(bench, stored):
    def broken(turn, query):
        raise RuntimeError("boom")

    async def steps(person):
        await person.until(lambda: "The checkers failed: boom" in person.said)
        await person.press("a")
        await person.press("e")
        await person.sees("the checkers failed: boom")
        await person.press("escape", "n")
        await person.sees("Intention of dialogue 1, turn 1")

    drive(desk(bench, checker=broken), steps)
    assert stored().status == "flagged"


def test_what_the_query_asks_for_stands_beside_the_intention(ada):
    async def steps(person):
        await person.sees("What the query asks for, as the checkers read it", "nothing that they can read")
        await person.press("n")
        await person.until(lambda: any(said in person.screen for said in ("+ require", "× forbid", "− lift")))

    drive(ada, steps, (100, 40))


@pytest.mark.parametrize("size", [(80, 24), *(pytest.param(s, marks=pytest.mark.slow) for s in ((120, 40), (200, 60)))])
def test_every_key_fits_the_foot_and_no_line_is_cut(ada, size):
    async def steps(person):
        await person.sees("Findings")
        foot = " ".join("\n".join(person.screen.splitlines()[-2:]).split())
        for said in ("a accept", "e edit", "g regenerate", "t template", "x reject", "u undo", "n next", "p previous"):
            assert said in foot
        for said in ("o note", "f filters", "/ search", "? help", "q quit"):
            assert said in foot

    drive(ada, steps, size=size)


def test_light_and_dark(ada):
    async def steps(person):
        assert person.app.current_theme.dark
        await person.press("d")
        assert not person.app.current_theme.dark
        await person.sees("Intention of dialogue 1, turn 3")
        await person.press("d")
        assert person.app.current_theme.dark

    drive(ada, steps)


def test_a_broken_application_ends_without_a_page_of_code(ada, capfd):
    from evolif.review.app import ReviewApp

    def broken(key, found):
        raise RuntimeError("boom")

    ada.blocks = broken
    app = ReviewApp(ada)
    app.run(headless=True)
    told = capfd.readouterr()
    assert isinstance(app.fault, RuntimeError) and "Traceback" not in told.out + told.err
