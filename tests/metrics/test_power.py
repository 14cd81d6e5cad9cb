"""Effect size, and dialogues needed."""

import math
import random
from functools import partial
from statistics import fmean, stdev

import pytest
from sessions_by_hand import play

from evolif.metrics import PROCESS, MetricTable, cluster_rows, counted_sessions, pair_test
from evolif.metrics.power import Needed, fewest_dialogues, paired_gain, plan, power
from evolif.metrics.power import dialogues_needed as needed_of
from evolif.metrics.power import effect_size as effect_of

effect_size, dialogues_needed = partial(effect_of, PROCESS), partial(needed_of, PROCESS)
HOLM = 0.05 / 8


def rows(*talks):
    sessions = [play(d, talk, "censored", patience=99) for d, talk in enumerate(talks)]
    return list(cluster_rows(PROCESS, counted_sessions(sessions)).values())


def test_by_hand():
    a, b = rows("1 1 1", "1 1", "1 1 1 1 1 1"), rows("1", "1 1", "1 1 1 1")
    differences = [2, 0, 2]
    d_z = fmean(differences) / stdev(differences)
    assert effect_size(a, b, "edr_len") == pytest.approx(d_z)
    assert effect_size(b, a, "edr_len") == pytest.approx(-d_z)
    assert dialogues_needed(a, b, "edr_len") == dialogues_needed(b, a, "edr_len")
    found = dialogues_needed(a, b, "edr_len")
    assert power(d_z, found.dialogues) >= 0.8 > power(d_z, found.dialogues - 1)
    assert found.low == 6 and found.high is None  # three dialogues may show no difference at all


def test_rates_of_a_dialogue_are_its_own():
    a, b = rows("1 1 0 0", "1 0", "0 1"), rows("0 0", "1 1", "0 0 0 1")
    assert effect_size(a, b, "isr") == pytest.approx(fmean([0.5, -0.5, 0.25]) / stdev([0.5, -0.5, 0.25]))
    # REC: only the third has failed turns with a turn after them on both sides, but for the first.
    assert effect_size(a, b, "rec") == pytest.approx(fmean([0 - 0, 1 - 1 / 3]) / stdev([0, 2 / 3]))


def test_undefined():
    a, b = rows("1 1", "1 1"), rows("1", "1")
    assert effect_size(a, b, "edr_len") is None  # all differ alike
    assert dialogues_needed(a, b, "edr_len") == Needed(6, 6, None)
    many = [rows(*(["1 1"] * 7)), rows(*(["1"] * 7))]
    assert dialogues_needed(*many, "edr_len") == Needed(6, 6, 6)
    assert effect_size(a, a, "edr_len") is dialogues_needed(a, a, "edr_len") is None
    assert effect_size(a[:1], b[:1], "edr_len") is dialogues_needed(a[:1], b[:1], "edr_len") is None
    assert effect_size(a, b, "rec") is dialogues_needed(a, b, "rec") is None
    assert effect_size([], [], "rob") is dialogues_needed([], [], "rob") is None


def test_no_difference_in_the_mean_needs_no_number():
    a, b = rows("1 1", "1"), rows("1", "1 1")
    assert effect_size(a, b, "edr_len") == 0
    assert dialogues_needed(a, b, "edr_len") is None


def test_never_fewer_than_the_test_can_reach():
    assert (fewest_dialogues(), fewest_dialogues(HOLM)) == (6, 9)
    a, b = rows("1 1 1 1 1 1 1 1", "1 1 1 1 1 1 1 1 1", "1 1 1 1 1 1 1"), rows("1", "1", "1")
    assert dialogues_needed(a, b, "edr_len").dialogues == 6
    assert dialogues_needed(a, b, "edr_len", HOLM).dialogues == 9
    assert power(99, 5) == power(99, 8, HOLM) == 0


def test_power_is_that_of_students_test():
    stats = pytest.importorskip("scipy.stats")
    threshold = stats.t.ppf(0.975, 29)
    assert power(0.5, 30) == pytest.approx(stats.nct.sf(threshold, 29, 0.5 * math.sqrt(30)), abs=1e-4)
    assert power(0, 30) == pytest.approx(0.025, abs=1e-4)  # one direction only


@pytest.mark.parametrize("effect", [0.4, 0.8, 1.6])
def test_power_is_reached_by_the_paired_test(effect):
    """Four of five times, with dialogues drawn anew each time."""
    a, b = ([(effect + x,) for x in (-1.0, 1.0)], [(0.0,)] * 2)
    needed = needed_of(VALUES, paired(a), paired(b), "value")
    spread = stdev(row[0] for row in a)
    chance = random.Random(7)
    trials = 300
    found = 0
    for _ in range(trials):
        own = [(chance.gauss(effect, spread), 1.0) for _ in range(needed.dialogues)]
        found += pair_test(VALUES, own, [(0.0, 1.0)] * len(own), "value").told_apart
    assert found / trials == pytest.approx(0.8, abs=0.07)


VALUES = MetricTable(("value", "one"), lambda session: (0.0, 1.0), {"value": ("value", "one")})


def paired(rows):
    return [(*row, 1.0) for row in rows]


def test_the_interval_holds_the_number_for_the_true_difference():
    """In about 95 of 100 samples of 30 dialogues."""
    chance = random.Random(3)
    truth = needed_of(VALUES, paired([(0.5 - math.sqrt(0.5),), (0.5 + math.sqrt(0.5),)]), paired([(0.0,)] * 2), "value")
    held = 0
    for _ in range(400):
        own = [(chance.gauss(0.5, 1), 1.0) for _ in range(30)]
        found = needed_of(VALUES, own, [(0.0, 1.0)] * 30, "value")
        held += found.low <= truth.dialogues <= (found.high or math.inf)
    assert 0.92 <= held / 400 <= 0.985


def test_dialogues_that_show_a_difference_follow_from_the_spread():
    chance = random.Random(8)
    own = [(chance.gauss(0.02, 0.1), 1.0) for _ in range(40)]
    found = plan(VALUES, own, [(0.0, 1.0)] * 40, "value")
    assert found.spread == pytest.approx(stdev(top for top, _ in own))
    number = found.to_show(0.05)
    assert power(0.05 / found.spread, number) >= 0.8 > power(0.05 / found.spread, number - 1)
    assert plan(VALUES, own, own, "value").to_show(0.05) is None  # nothing varies


def test_pairing_gains_what_the_dialogues_share():
    chance = random.Random(5)
    hard = [chance.gauss(0, 1) for _ in range(400)]
    a, b = ([(h + chance.gauss(0, 1), 1.0) for h in hard] for _ in range(2))
    found = paired_gain(VALUES, a, b, "value")
    assert found.correlation == pytest.approx(0.5, abs=0.1)
    assert found.interval[0] < found.correlation < found.interval[1]
    assert found.gain == pytest.approx(1 / (1 - found.correlation), rel=0.05)  # of equal spread
    assert paired_gain(VALUES, a, a, "value").gain is None
    opposite = paired_gain(VALUES, a, [(-x, one) for x, one in a], "value")
    assert opposite.correlation == pytest.approx(-1)
    assert (opposite.interval, opposite.gain) == (None, pytest.approx(0.5))
    assert paired_gain(VALUES, a[:2], b[:2], "value").correlation is None
