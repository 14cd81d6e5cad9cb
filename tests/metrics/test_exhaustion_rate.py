"""The exhaustion rate, pooled REC, and when the cap bounds the length."""

import random
from dataclasses import replace

import pytest
from sessions_by_hand import lasting, play

from evolif.metrics import (
    PROCESS,
    DialogueRecord,
    compare,
    expected_length,
    is_saturated,
    process_intervals,
    process_metrics,
    sessions_at_cap,
)
from evolif.metrics.intervals import event_interval
from evolif.metrics.patience import exhaustion_by_turn, length_beyond
from evolif.metrics.table import figures_with_intervals

TWO = [lasting(1, 20), lasting(2, 12, over=False), lasting(3, 8)]
"""Forty judged turns; two sessions run out of patience."""


def figures(sessions):
    return figures_with_intervals((PROCESS,), sessions, resamples=50)


def test_by_hand():
    found = figures(TWO)
    assert found.metrics.value("exhaustion_rate") == 2 / 40
    # REC's chances: two in each session that ran out of patience, none of them taken; the third has none.
    assert found.metrics.value("pooled_rec") == 0
    spans = exhaustion_by_turn(TWO)
    assert [(one.first, one.last, one.exhausted, one.turns) for one in spans] == [(1, 10, 1, 28), (11, 20, 1, 12)]
    assert [one.rate for one in spans] == [1 / 28, 1 / 12]
    assert sum(one.turns for one in spans) == 40


def test_recoveries_are_pooled_over_turns():
    often, once = play(1, "0 1 0 1 0 1 0 0 0"), play(2, "1 0 1", "censored")
    found = process_metrics([DialogueRecord("1", 3, ((False,), (True,)) * 3 + ((False,),) * 3)])
    assert found.pooled_rec == 3 / 5
    pooled = figures([often, once]).metrics
    assert pooled.value("pooled_rec") == 4 / 6 and pooled.value("rec") == (3 / 5 + 1) / 2


def test_the_rate_by_turn_counts_dialogues_not_epochs():
    lengths = [8, 8, 25, 14, 30, 12, 40]
    sessions = [lasting(d, n + e, epoch=e) for d, n in enumerate(lengths) for e in range(2)]
    first, second, third, *_ = exhaustion_by_turn(sessions)
    assert first.interval == event_interval([2, 2, 0, 0, 0, 0, 0], [17, 17, *[20] * 5])
    assert (first.exhausted, first.turns) == (4, 134)
    # Of the turns 11 to 20 two dialogues have none, so that only five are left.
    assert (second.exhausted, second.turns, second.interval, third.interval) == (4, 9 + 5 + 60, None, None)
    boards = [
        replace(one, turns=tuple(replace(turn, labels={"board": one.dialogue % 6}) for turn in one.turns))
        for one in sessions
    ]
    together = exhaustion_by_turn(boards, "board")[0]
    assert together.interval == event_interval([2, 2, 0, 0, 0, 0], [37, 17, *[20] * 4]) != first.interval
    assert exhaustion_by_turn([one for one in boards if one.dialogue % 6], "board")[0].interval is None


def test_the_expected_length_is_the_rate_inverted():
    assert expected_length(2 / 40, (0.01, 0.1)) == (20.0, 10.0, 100.0)
    found = expected_length(0.02, (0.01, 0.1), cap=25, exhausted=5)  # at twice the cap
    assert (found.value, found.low, found.high) == (50, 10, 100)
    assert expected_length(0.02, (0.0, 0.1), cap=25, exhausted=5) == (50, 10, None)
    assert expected_length(0.02, None) == (50, None, None)


def test_the_expected_length_claims_nothing_far_beyond_what_was_seen():
    interval = (0.004, 0.05)
    only_low = (None, 1 / 0.05, None)
    assert expected_length(1 / 101, interval, cap=50, exhausted=80) == only_low
    assert expected_length(1 / 50, interval, cap=50, exhausted=4) == only_low
    assert expected_length(0, (0.0, 0.05), cap=50, exhausted=0) == only_low
    assert expected_length(1 / 101, interval, cap=51, exhausted=80).value == pytest.approx(101)
    assert expected_length(1 / 101, interval) == pytest.approx((101, 20, 250))
    assert expected_length(1 / 101, None, cap=50) == expected_length(None, None, cap=50) == (None, None, None)


def test_no_turn_one_dialogue_all_censored():
    assert figures([]).metrics.value("exhaustion_rate") is None
    assert exhaustion_by_turn([]) == exhaustion_by_turn([play(1, "? ?", "censored")]) == ()
    assert figures([play(1, "? ?", "censored")]).intervals["exhaustion_rate"] is None
    alone = figures([lasting(1, 10)])
    assert alone.metrics.value("exhaustion_rate") == 0.1
    assert alone.intervals["exhaustion_rate"] is alone.intervals["pooled_rec"] is None
    six = figures([lasting(d, 10) for d in range(6)])
    assert six.intervals["exhaustion_rate"] == event_interval([1] * 6, [10] * 6)
    never = figures([lasting(d, 50, over=False) for d in range(8)])
    assert never.metrics.value("exhaustion_rate") == 0
    low, high = never.intervals["exhaustion_rate"]
    assert (low, high) == event_interval([0] * 8, [50] * 8) and low == 0 < high < 6 / 400
    assert expected_length(0, (low, high)) == (None, pytest.approx(1 / high), None)


def test_a_game_that_ends_by_itself_is_no_exhaustion():
    over = [replace(lasting(d, 9, over=False), ending="finished", cause="won") for d in (1, 2)]
    assert figures(over).metrics.value("exhaustion_rate") == 0
    assert sessions_at_cap(over, 9) == 0


def test_who_is_at_the_cap():
    capped = replace(lasting(1, 6, over=False), cause="cap")
    unpaid = replace(lasting(2, 6, over=False), cause="budget")
    old = lasting(3, 6, over=False)
    assert sessions_at_cap([capped, unpaid, old, lasting(4, 6)], 6) == 2
    assert sessions_at_cap([old], 7) == 0
    assert [is_saturated(at_cap, 8) for at_cap in (0, 2, 3)] == [False, False, True]
    assert not is_saturated(0, 0)


def test_the_figures_beside_the_metrics_are_not_corrected():
    found = compare([lasting(d, 9) for d in range(8)], [lasting(d, 4 + d % 2) for d in range(8)])
    assert set(found.beside) == {"exhaustion_rate", "pooled_rec"} and not set(found.beside) & set(found.differences)
    rate = found.beside["exhaustion_rate"]
    assert rate.value == pytest.approx(1 / 9 - 8 / 36) and rate.p is not None and rate.p_holm is None


@pytest.mark.slow
def test_the_rate_tells_models_apart_at_the_cap():
    """Sessions of both last for 50 turns; those of one run out of patience there three times as often."""
    weak = [lasting(d, 50, over=d % 100 < 6) for d in range(500)]
    strong = [lasting(d, 50, over=d % 100 < 2) for d in range(500)]
    found = {name: figures(own) for name, own in (("weak", weak), ("strong", strong))}
    assert {one.metrics.value("edr_len") for one in found.values()} == {50}
    assert found["strong"].intervals["exhaustion_rate"][1] < found["weak"].intervals["exhaustion_rate"][0]


@pytest.mark.slow
def test_a_memoryless_responder_shows_how_the_stopping_rule_biases_rec_and_rob():
    """Every turn succeeds with probability .5, whatever came before; patience 3, no cap within reach."""
    chance = random.Random(20)

    def record(dialogue):
        turns, streak = [], 0
        while streak < 3:
            good = chance.random() < 0.5
            streak = 0 if good else streak + 1
            turns.append((good,))
        return DialogueRecord(str(dialogue), 3, tuple(turns))

    records = [record(dialogue) for dialogue in range(20_000)]
    found = process_metrics(records)
    assert found.rob == pytest.approx(0.399, abs=0.005)
    assert found.rec == pytest.approx(0.367, abs=0.005)
    assert found.isr == pytest.approx(0.5, abs=0.005)
    assert found.pooled_rec == pytest.approx(0.5, abs=0.005)
    # The expected wait for three failures in a row: (1 - q^3) / ((1 - q) q^3) = 14 turns.
    assert found.exhaustion_rate == pytest.approx(1 / 14, abs=0.001)
    assert found.edr_len == pytest.approx(14, abs=0.2)


def test_intervals_of_records_and_of_sessions_are_the_same():
    records = [DialogueRecord(str(d), 3, ((True,),) * d + ((False,),) * 3) for d in range(5)]
    sessions = [play(d, "1 " * d + "0 0 0") for d in range(5)]
    assert process_intervals(records, resamples=50) == figures(sessions).intervals


@pytest.mark.parametrize(
    ("rate", "interval", "exhausted", "beyond"),
    [
        (0.02, (0.01, 0.04), 9, None),  # the length itself is told
        (0.001, (0.0005, 0.004), 9, 250),
        (0.0, (0.0, 0.0005), 0, 500),  # ten times the cap, though the interval begins at 2,000
        (0.001, (0.0005, 0.1), 9, 10),  # no more than the interval says
        (0.2, (0.1, 0.4), 3, 2),
        (0.2, None, 3, None),  # too few sessions to say anything
        (0.0, None, 0, 50),
        (None, None, 0, None),
    ],
)
def test_a_length_beyond_the_data_is_only_a_bound(rate, interval, exhausted, beyond):
    found = expected_length(rate, interval, cap=50, exhausted=exhausted)
    assert length_beyond(rate, found, 50) == beyond
