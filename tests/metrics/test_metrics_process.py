"""The eight metrics, by hand, in fractions."""

from dataclasses import replace
from fractions import Fraction as F

import pytest

from evolif.metrics import METRIC_NAMES, DialogueRecord, Metrics, process_metrics

OK, BAD = (True,), (False,)
HALF = (True, False)
THIRD = (True, False, False)


def dialogue(name, *turns, patience=3):
    return DialogueRecord(name, patience, turns)


TWO = [
    # finished: 7 of its 8 turns count
    dialogue("a", (True, True), THIRD, OK, OK, HALF, BAD, BAD, OK),
    # censored, patience never touched but once
    dialogue("b", OK, HALF, OK),
]


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("edr_len", F(7 + 3, 2)),
        ("edr_acc", (1 + F(1, 3) + 1 + 1 + F(1, 2) + 1 + F(1, 2) + 1) / 2),
        ("edr_succ", F(3 + 2, 2)),
        ("edr_lss", F(2 + 1, 2)),
        ("rec", (F(1, 3) + F(1, 1)) / 2),
        ("rob", (F(3, 7) + F(2, 3)) / 2),
        ("csr", (1 + F(1, 3) + 1 + 1 + F(1, 2) + 1 + F(1, 2) + 1) / 10),
        ("isr", F(5, 10)),
    ],
)
def test_by_hand(metric, value):
    assert process_metrics(TWO).value(metric) == pytest.approx(float(value), abs=1e-15)


def test_names_and_values_go_together():
    metrics = process_metrics(TWO)
    assert tuple(metrics.by_name()) == METRIC_NAMES
    assert metrics.by_name() == {name: getattr(metrics, name) for name in METRIC_NAMES}
    assert (metrics.dialogues, metrics.rec_left_out, metrics.rob_left_out) == (2, 0, 0)


def test_csr_and_isr_pool_turns_while_rob_averages_dialogues():
    long, short = dialogue("a", *[OK] * 9), dialogue("b", BAD)
    metrics = process_metrics([long, short])
    assert (metrics.csr, metrics.isr, metrics.rob) == (0.9, 0.9, 0.5)


def test_a_turn_weighs_the_same_whatever_its_number_of_constraints():
    assert process_metrics([dialogue("a", (True,) * 9 + (False,), BAD)]).csr == float(F(9, 20))


def test_the_example_of_the_contract():
    metrics = process_metrics([dialogue("d1", (True, False), (True, True))])
    expected = Metrics(2.0, 1.5, 1.0, 1.0, 1.0, 0.5, 0.75, 0.5, dialogues=1, rec_left_out=0)
    assert metrics == replace(expected, exhaustion_rate=0.0, pooled_rec=1.0)


def test_a_dialogue_without_rec_denominator_is_left_out_and_counted():
    chance = dialogue("a", BAD, OK, BAD, BAD, BAD)  # turns 2, 4 and 5 follow a failure; one recovers
    metrics = process_metrics([chance, dialogue("b", OK, OK), dialogue("c", OK, BAD)])
    assert metrics.rec == float(F(1, 3))
    assert metrics.rec_left_out == 2


def test_rec_is_none_where_no_dialogue_has_a_denominator():
    metrics = process_metrics([dialogue("a", OK, OK), dialogue("b", BAD, patience=1)])
    assert (metrics.rec, metrics.rec_left_out) == (None, 2)
    assert metrics.rob == 0.5


def test_rec_zero_is_not_none():
    assert process_metrics([dialogue("a", BAD, BAD, BAD)]).rec == 0.0


def test_turns_after_patience_enter_no_metric():
    whole = process_metrics([dialogue("a", OK, BAD, BAD, BAD, OK, OK, OK)])
    assert whole == process_metrics([dialogue("a", OK, BAD, BAD, BAD)])
    assert whole.rob == float(F(1, 4))


def test_every_dialogue_has_its_own_patience():
    metrics = process_metrics([dialogue("a", BAD, OK, patience=1), dialogue("b", BAD, OK, patience=2)])
    assert metrics.edr_len == float(F(1 + 2, 2))


def test_a_dialogue_without_judged_turn_has_length_zero_and_no_rob():
    metrics = process_metrics([dialogue("a"), dialogue("b", OK, HALF)])
    assert (metrics.edr_len, metrics.edr_acc, metrics.edr_succ, metrics.edr_lss) == (1.0, 0.75, 0.5, 0.5)
    assert (metrics.rob, metrics.csr, metrics.isr) == (0.5, 0.75, 0.5)
    assert (metrics.dialogues, metrics.rec_left_out, metrics.rob_left_out) == (2, 2, 1)


def test_only_dialogues_without_judged_turns():
    metrics = process_metrics([dialogue("a")])
    assert (metrics.edr_len, metrics.edr_lss) == (0.0, 0.0)
    assert (metrics.rec, metrics.rob, metrics.csr, metrics.isr) == (None, None, None, None)


def test_no_dialogue_at_all_is_none_never_nan():
    assert process_metrics([]) == Metrics(None, None, None, None, None, None, None, None, dialogues=0, rec_left_out=0)
