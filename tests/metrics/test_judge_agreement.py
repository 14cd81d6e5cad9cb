"""How far a judge agrees with a person or with another judge."""

from fractions import Fraction as F
from statistics import quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sessions_by_hand import play

from evolif.errors import UsageError
from evolif.metrics import Agreement, compare, judge_agreement, judge_sensitivity, resampled_indices

# Emotion: 4 both, 1 the first alone, 2 the second alone, 3 neither.
PAIRS = [
    *[("emotion", 1, True, True)] * 3,
    ("emotion", 2, True, True),
    ("emotion", 1, True, False),
    *[("emotion", 3, False, True)] * 2,
    *[("emotion", 2, False, False)] * 2,
    ("emotion", 3, False, False),
    *[("style", 4, True, True)] * 2,
]


def test_by_hand():
    found = judge_agreement(PAIRS, resamples=50)
    assert list(found) == ["emotion", "style"]
    own = found["emotion"]
    assert (own.both, own.first_only, own.second_only, own.neither, own.n, own.dialogues) == (4, 1, 2, 3, 10, 3)
    chance = F(5, 10) * F(6, 10) + F(5, 10) * F(4, 10)
    assert own.agreed == float(F(7, 10))
    assert own.kappa == pytest.approx(float((F(7, 10) - chance) / (1 - chance)))
    assert own.agreed_interval[0] <= own.agreed <= own.agreed_interval[1]


def test_kappa_is_undefined_where_both_gave_one_verdict_throughout():
    own = judge_agreement(PAIRS, resamples=50)["style"]
    assert (own.agreed, own.kappa, own.kappa_interval, own.agreed_interval) == (1.0, None, None, None)
    apart = judge_agreement([("style", 1, True, False), ("style", 2, True, False)], resamples=9)["style"]
    assert (apart.agreed, apart.kappa) == (0.0, 0.0)


def test_intervals_draw_dialogues():
    own = judge_agreement(PAIRS[:10], seed=8, resamples=60)["emotion"]
    tables = {1: (3, 1, 0, 0), 2: (1, 0, 0, 2), 3: (0, 0, 2, 1)}
    agreed, kappas = [], []
    for drawn in resampled_indices(3, seed=8, resamples=60):
        both, first, second, neither = (sum(c) for c in zip(*(tables[n + 1] for n in drawn), strict=True))
        n = both + first + second + neither
        chance = F((both + first) * (both + second) + (neither + first) * (neither + second), n * n)
        agreed.append(float(F(both + neither, n)))
        if chance != 1:
            kappas.append(float((F(both + neither, n) - chance) / (1 - chance)))
    for values, interval in ((agreed, own.agreed_interval), (kappas, own.kappa_interval)):
        cuts = quantiles(values, n=40, method="inclusive")
        assert interval == pytest.approx((cuts[0], cuts[-1]))


def test_no_pairs_no_groups():
    assert judge_agreement([]) == {}
    with pytest.raises(UsageError, match="at least 1 resample"):
        judge_agreement([], resamples=0)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 4), st.booleans(), st.booleans())), st.randoms())
def test_any_pairs(pairs, random):
    found = judge_agreement(pairs, resamples=10)
    assert judge_agreement(random.sample(pairs, len(pairs)), resamples=10) == found
    swapped = judge_agreement([(g, d, y, x) for g, d, x, y in pairs], resamples=10)
    assert sum(own.n for own in found.values()) == len(pairs)
    for group, own in found.items():
        assert own.kappa is None or -1 <= own.kappa <= own.agreed <= 1
        assert swapped[group].kappa == own.kappa
        assert (swapped[group].first_only, swapped[group].agreed) == (own.second_only, own.agreed)


GROUPS = ("length", "emotion")
FIRST = [play(1, "11 10 0? 11", "censored", groups=GROUPS), play(2, "10 11", "censored", groups=GROUPS)]
SECOND = [play(1, "11 11 00", "censored", groups=GROUPS), play(2, "10 10 11", "censored", groups=GROUPS)]


def test_two_judgings_of_the_same_answers():
    pytest.importorskip("numpy", reason="NumPy is not installed")
    found = judge_sensitivity(FIRST, SECOND, resamples=30)
    # Turns that both hold: 1 to 3 of dialogue 1, 1 and 2 of dialogue 2.
    assert list(found.groups) == ["emotion", "length"]
    emotion = found.groups["emotion"]
    assert (emotion.both, emotion.first_only, emotion.second_only, emotion.neither) == (1, 1, 1, 1)
    assert (emotion.agreed, emotion.kappa) == (0.5, 0.0)
    assert (found.groups["length"].agreed, found.groups["length"].n) == (1.0, 5)
    assert (found.overall.n, found.overall.agreed) == (9, pytest.approx(7 / 9))
    assert found.one_sided == {"emotion": 1}
    assert found.shift == compare(SECOND, FIRST)
    assert found.shift.differences["edr_succ"].value == (2 + 1) / 2 - (2 + 1) / 2


def test_nothing_that_both_judged():
    pytest.importorskip("numpy", reason="NumPy is not installed")
    found = judge_sensitivity(FIRST, [])
    assert (found.groups, found.one_sided, found.overall) == ({}, {}, Agreement(0, 0, 0, 0, 0, None, None, None, None))
    assert found.shift.dialogues == 0


def test_other_answers_are_refused():
    with pytest.raises(UsageError, match="turn 1 of dialogue 1 has different requirements"):
        judge_sensitivity(FIRST, [play(1, "11", "censored", groups=("length", "style"))])
    with pytest.raises(UsageError, match="not of sim/other and sim/steady"):
        judge_sensitivity(FIRST, [play(1, "11", "censored", model="sim/other")])
