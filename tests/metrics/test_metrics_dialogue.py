"""One dialogue: what is judged, where patience cuts, its own figures."""

from fractions import Fraction

import pytest

from evolif.errors import UsageError
from evolif.metrics import DialogueRecord, patience_left
from evolif.metrics.process import DialogueFigures, cut, dialogue_figures, judged_record
from evolif.metrics.process import walk_patience as walk

OK, BAD = (True,), (False,)


@pytest.mark.parametrize(
    ("outcomes", "patience", "turns", "left"),
    [
        ([], 3, 0, 3),
        ([False], 1, 1, 0),
        ([False, True], 1, 1, 0),
        ([False, False, True, False, False, False, True], 3, 6, 0),
        ([False, False, True, False, False], 3, 5, 1),
        ([False, None, False, None, False, None], 3, 5, 0),
        ([None, None, None, None], 1, 4, 1),
    ],
)
def test_patience_falls_on_failure_and_is_full_again_on_success(outcomes, patience, turns, left):
    assert walk(outcomes, patience) == (turns, left)


def test_turns_after_exhausted_patience_are_ignored():
    record = DialogueRecord("d", 2, (OK, BAD, BAD, OK, OK, OK))
    assert cut(record).turns == (OK, BAD, BAD)
    assert patience_left(record) == 0
    assert dialogue_figures(record) == dialogue_figures(cut(record))


def test_a_turn_with_some_constraints_unsatisfied_is_a_failed_turn():
    assert cut(DialogueRecord("d", 1, ((True, False), OK))).turns == ((True, False),)


def test_what_was_not_judged_is_in_no_figure_and_breaks_no_run():
    record = judged_record("d", 3, [[True, None], [None], [], [True], [None, False], [True]])
    assert record.turns == (OK, OK, BAD, OK)
    assert dialogue_figures(record) == DialogueFigures(4, 3.0, 3, 2, 1, 1)


def test_an_unjudged_turn_between_failures_leaves_patience_as_it_was():
    record = judged_record("d", 2, [[False], [None], [False], [True]])
    assert cut(record).turns == (BAD, BAD)


def test_figures_by_hand():
    record = DialogueRecord("d", 3, ((True, True), (True, False, False), OK, OK, (True, False), BAD, BAD, OK))
    figures = dialogue_figures(record)
    assert figures.length == 7  # turns 5 to 7 exhaust patience
    assert Fraction(figures.accuracy).limit_denominator(100) == 1 + Fraction(1, 3) + 1 + 1 + Fraction(1, 2)
    assert (figures.successes, figures.longest_run) == (3, 2)
    assert (figures.recoveries, figures.chances) == (1, 3)  # chances: turns 3, 6, 7


def test_the_first_turn_is_no_chance_of_recovery():
    assert dialogue_figures(DialogueRecord("d", 3, (OK,))).chances == 0
    assert dialogue_figures(DialogueRecord("d", 3, (BAD,))).chances == 0


def test_a_failure_in_the_last_turn_gives_no_chance():
    assert dialogue_figures(DialogueRecord("d", 3, (OK, OK, BAD))).chances == 0


def test_a_dialogue_shorter_than_patience_is_cut_nowhere():
    assert dialogue_figures(DialogueRecord("d", 3, (BAD, BAD))) == DialogueFigures(2, 0.0, 0, 0, 0, 1)


def test_without_turns_all_is_zero():
    assert dialogue_figures(DialogueRecord("d", 3, ())) == DialogueFigures(0, 0.0, 0, 0, 0, 0)


@pytest.mark.parametrize(("patience", "turns"), [(0, (OK,)), (-1, ()), (3, (OK, ()))])
def test_impossible_records_are_refused(patience, turns):
    with pytest.raises(UsageError):
        DialogueRecord("d", patience, turns)
