"""What comes of being told: every figure worked out on paper, and that repairs change no other figure's meaning."""

import pytest
from sessions_by_hand import play

from evolif.metrics import PROCESS, compare, tables_of
from evolif.metrics.feedback import UNREADABLE, feedback_by_group, named_in, repair_of, scripted
from evolif.metrics.table import figures
from evolif.types import JudgedTurn, Score, Session, Verdict


def turn(number, good, *, told=None, held=None, repair=0):
    """A turn whose one requirement holds or not; `told` names what was said to be missed, and `held` if it holds."""
    scores = () if told is None else (Score(f"told/{told}", held),)
    scores += (Score(f"repair/{repair}", float(good)),) if repair else ()
    return JudgedTurn(number, (Verdict("bullets", good, "", ""),), {}, scores)


# Dialogue 1: fails, mended by the first repair; fails, left by the first and mended by the second; then good.
ONE = Session("m", 1, 1, 3, "censored", turns=(
    turn(1, False), turn(2, True, told="bullets", held=1.0, repair=1),
    turn(3, False), turn(4, False, told="bullets", held=0.0, repair=1), turn(5, True, told="case", held=1.0, repair=2),
    turn(6, True),
))  # fmt: skip
# Dialogue 2: fails three times, so patience runs out; the second repair is about an answer nobody can read.
TWO = Session("m", 2, 1, 3, "finished", turns=(
    turn(1, False), turn(2, False, told="bullets", held=1.0, repair=1), turn(3, False, repair=2),
))  # fmt: skip


def values(*sessions):
    [*_, table] = tables_of(None, 3, sessions, has_feedback=True)
    return figures((table,), sessions).by_name()


def test_the_figures_of_two_dialogues() -> None:
    assert values(ONE, TWO) == {
        "told": 3 / 4,  # bullets held in two of three answers, case in one of one
        "mended_first": 1 / 3,
        "mended_second": 1 / 2,
        "turns_to_mend": 3 / 2,  # one and two repairs
    }


def test_by_group_each_repair_belongs_to_what_it_names() -> None:
    found = feedback_by_group([ONE, TWO])
    assert list(found) == ["bullets", "case", UNREADABLE]
    shown = {group: own.metrics.by_name() for group, own in found.items()}
    assert shown["bullets"] == {"told": 2 / 3, "mended_first": 1 / 3, "mended_second": None, "turns_to_mend": 1.0}
    assert shown["case"] == {"told": 1.0, "mended_first": None, "mended_second": 1.0, "turns_to_mend": 2.0}
    assert shown[UNREADABLE] == {"told": None, "mended_first": None, "mended_second": 0.0, "turns_to_mend": None}


def test_intervals_are_over_dialogues_and_need_six() -> None:
    many = [Session("m", n, 1, 3, "censored", turns=(ONE if n % 2 else TWO).turns) for n in range(1, 9)]
    assert feedback_by_group(many[:5])["bullets"].intervals["told"] is None
    low, high = feedback_by_group(many)["bullets"].intervals["told"]
    assert low < 2 / 3 < high


def test_remarks_alone_have_no_figure_of_repairs() -> None:
    remarked = Session("m", 1, 1, 3, "censored", turns=(turn(1, False), turn(2, False, told="bullets", held=1.0)))
    assert values(remarked) == {"told": 1.0}
    perfect = Session("m", 1, 1, 3, "censored", turns=(turn(1, True), turn(2, True)))
    assert values(perfect) == {"told": None}


def test_what_is_not_judged_is_in_no_figure() -> None:
    odd = Session("m", 1, 1, 3, "censored", turns=(
        JudgedTurn(1, (Verdict("emotion", None, "", ""),), {}, (Score("told/emotion", None), Score("repair/1", None))),
    ))  # fmt: skip
    assert values(odd) == {"told": None}


def test_runs_without_feedback_have_none_of_it() -> None:
    names = [name for table in tables_of(None, 3, [ONE]) for name in table.ratios]
    assert names == list(PROCESS.ratios)


def test_a_repair_that_mends_is_a_recovery_and_every_repair_a_turn() -> None:
    found = figures(tables_of(None, 3, [ONE, TWO], has_feedback=True), [ONE, TWO])
    # ONE: good after a failure in turns 2 and 5, of the three failures; TWO: never, of two.
    assert found.value("rec") == pytest.approx((2 / 3 + 0) / 2)
    assert found.value("edr_len") == pytest.approx((6 + 3) / 2)


@pytest.mark.parametrize("name", ["repair/", "repair/x", "repair/-1", "repair/1e9", "repair/²", "repair/9999999999999"])
def test_a_score_that_numbers_no_repair_is_none(name: str) -> None:
    assert repair_of(JudgedTurn(1, (), {}, (Score(name, 1.0),))) == 0
    assert named_in(JudgedTurn(1, (), {}, (Score("told", 1.0),))) is None


def test_planned_turns_keep_their_numbers_whatever_is_repaired() -> None:
    assert [(number, one.turn) for number, one in scripted(ONE.turns)] == [(1, 1), (2, 3), (3, 6)]
    plain = play(1, "1 0 1")
    assert [number for number, _ in scripted(plain.turns)] == [1, 2, 3]


def test_isr_on_shared_turns_pairs_what_was_planned() -> None:
    pytest.importorskip("scipy", reason="SciPy is not installed")
    other = [Session("o", d, 1, 3, "censored", turns=tuple(turn(n, True) for n in (1, 2, 3))) for d in (1, 2)]
    shared = compare([ONE, TWO], other).shared
    # Of ONE the turns 1, 3 and 6 were planned, of TWO the first: one of these four is good.
    assert (shared.a, shared.b) == (1 / 4, 1.0)
