"""Percentile intervals over dialogues."""

import random
from collections import Counter
from itertools import chain

import pytest

from evolif.errors import UsageError
from evolif.metrics import METRIC_NAMES, DialogueRecord, bootstrap_intervals, process_metrics, resampled_indices

PINNED = [[1, 0, 3, 0, 2], [1, 0, 2, 0, 2], [0, 0, 2, 4, 0]]

OK, BAD, HALF = (True,), (False,), (True, False)


def simulated(dialogues, *, seed=1, skill=0.75):
    chance = random.Random(seed)
    turns = ((tuple(chance.random() < skill for _ in range(2))) for _ in range(20 * dialogues))
    return [DialogueRecord(str(d), 3, tuple(next(turns) for _ in range(20))) for d in range(dialogues)]


def test_the_interval_holds_the_point_and_is_the_same_twice():
    records = simulated(60)
    intervals, metrics = bootstrap_intervals(records, seed=5), process_metrics(records)
    assert tuple(intervals) == METRIC_NAMES
    for name, (low, high) in intervals.items():
        assert low < metrics.value(name) < high
    assert bootstrap_intervals(records, seed=5) == intervals
    assert bootstrap_intervals(records, seed=6) != intervals


def test_the_order_of_dialogues_moves_no_interval():
    records = simulated(30)
    assert bootstrap_intervals(records[::-1], seed=2) == bootstrap_intervals(records, seed=2)


def test_more_dialogues_narrow_the_interval():
    few, many = (bootstrap_intervals(simulated(n)) for n in (40, 640))
    for name in METRIC_NAMES:
        assert many[name][1] - many[name][0] < 0.5 * (few[name][1] - few[name][0])


def test_equal_dialogues_give_the_point_itself():
    records = [DialogueRecord(str(d), 3, (OK, (True, False, False), OK)) for d in range(49)]
    metrics = process_metrics(records)
    assert bootstrap_intervals(records) == {name: (value, value) for name, value in metrics.by_name().items()}


def test_two_dialogues_by_hand():
    # Of the resamples a quarter are twice the first, a quarter twice the second, half are both.
    low, high = bootstrap_intervals([DialogueRecord("a", 3, (OK,)), DialogueRecord("b", 3, (OK,) * 4)])["edr_len"]
    assert (low, high) == (1.0, 4.0)


def test_rates_of_pooled_turns_are_ratios_of_sums():
    # A mean of the dialogues' own rates could reach 0.5 in the mixed resample; pooled, it is 1/10.
    records = [DialogueRecord("a", 3, (OK,)), DialogueRecord("b", 9, (BAD,) * 9)]
    drawn = bootstrap_intervals(records, resamples=1, seed=next(seed for seed in range(99) if mixed(seed)))
    assert drawn["isr"] == (0.1, 0.1)
    assert drawn["rob"] == (0.5, 0.5)


def mixed(seed):
    (drawn,) = resampled_indices(2, seed=seed, resamples=1)
    return sorted(drawn) == [0, 1]


@pytest.mark.parametrize("records", [[], [DialogueRecord("a", 3, (OK, BAD, OK))]])
def test_none_with_fewer_than_two_dialogues(records):
    assert bootstrap_intervals(records) == dict.fromkeys(METRIC_NAMES)


def test_rec_needs_two_dialogues_with_a_denominator():
    chance, other, none = (DialogueRecord(n, 3, t) for n, t in [("a", (BAD, OK)), ("b", (BAD, BAD)), ("c", (OK, OK))])
    assert bootstrap_intervals([chance, none])["rec"] is None
    assert bootstrap_intervals([chance, none])["rob"] is not None
    assert bootstrap_intervals([chance, other, none])["rec"] == (0.0, 1.0)


def test_dialogues_without_judged_turns_contribute_to_lengths_only():
    intervals = bootstrap_intervals([DialogueRecord("a", 3, ()), DialogueRecord("b", 3, (OK, HALF))])
    assert intervals["edr_len"] == (0.0, 2.0)
    assert [intervals[name] for name in ("rob", "csr", "isr")] == [None, None, None]


def test_epochs_of_a_dialogue_are_drawn_together():
    def epochs(n):
        return [DialogueRecord(r.dialogue, 3, r.turns, epoch) for epoch in range(n) for r in simulated(30)]

    once, thrice = bootstrap_intervals(epochs(1)), bootstrap_intervals(epochs(3))
    for name in METRIC_NAMES:
        assert thrice[name] == pytest.approx(once[name])
    assert bootstrap_intervals([DialogueRecord("a", 3, (OK,), epoch) for epoch in range(5)])["edr_len"] is None


def test_draws_are_fair():
    resamples = list(resampled_indices(7, seed=3, resamples=3000))
    assert all(len(drawn) == 7 for drawn in resamples)
    counts = Counter(chain.from_iterable(resamples))
    assert sorted(counts) == list(range(7))
    assert all(count == pytest.approx(3000, rel=0.06) for count in counts.values())


def test_the_draws_are_pinned():
    # Should they ever change, published intervals would.
    assert list(resampled_indices(5, seed=7, resamples=3)) == PINNED


@pytest.mark.parametrize(("seed", "resamples"), [(-1, 100), (0, 0)])
def test_impossible_settings_are_refused(seed, resamples):
    with pytest.raises(UsageError):
        bootstrap_intervals(simulated(3), seed=seed, resamples=resamples)


def test_agrees_with_scipy():
    stats = pytest.importorskip("scipy.stats")
    import numpy as np

    records = simulated(150)
    figures = [process_metrics([record]).by_name() for record in records]
    length, accuracy, rob = (np.array([f[name] for f in figures]) for name in ("edr_len", "edr_acc", "rob"))

    def scipy_interval(columns, statistic):
        done = stats.bootstrap(
            columns, statistic, paired=True, vectorized=True, n_resamples=4000, method="percentile", random_state=1
        )
        return done.confidence_interval

    def ratio(top, bottom, axis):
        return top.sum(axis=axis) / bottom.sum(axis=axis)

    ours = bootstrap_intervals(records, resamples=4000)
    theirs = {
        "edr_len": scipy_interval((length,), np.mean),
        "rob": scipy_interval((rob,), np.mean),
        "csr": scipy_interval((accuracy, length), ratio),
    }
    for name, interval in theirs.items():
        assert ours[name] == pytest.approx(tuple(interval), abs=0.06 * (interval.high - interval.low))
