"""How far a judge agrees with a person or with another judge."""

import math
from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sessions_by_hand import play

from evolif.errors import UsageError
from evolif.metrics import cohens_kappa, compare, judge_agreement
from evolif.metrics.agreement import Agreement, judge_sensitivity
from evolif.metrics.distributions import student_quantile
from evolif.metrics.intervals import freedom_of, ratio_interval, standard_error

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
    found = judge_agreement(PAIRS)
    assert list(found) == ["emotion", "style"]
    own = found["emotion"]
    assert (own.both, own.first_only, own.second_only, own.neither, own.n, own.dialogues) == (4, 1, 2, 3, 10, 3)
    chance = F(5, 10) * F(6, 10) + F(5, 10) * F(4, 10)
    assert own.agreed == float(F(7, 10))
    assert own.kappa == pytest.approx(float((F(7, 10) - chance) / (1 - chance)))
    assert own.agreed_interval is own.kappa_interval is None  # three dialogues


def test_kappa_is_undefined_where_both_gave_one_verdict_throughout():
    own = judge_agreement(PAIRS)["style"]
    assert (own.agreed, own.kappa, own.kappa_interval, own.agreed_interval) == (1.0, None, None, None)
    apart = judge_agreement([("style", 1, True, False), ("style", 2, True, False)])["style"]
    assert (apart.agreed, apart.kappa) == (0.0, 0.0)


TABLES = [(3, 1, 0, 0), (1, 0, 0, 2), (2, 0, 2, 1), (4, 0, 0, 0), (0, 1, 0, 3), (5, 0, 0, 1), (2, 1, 1, 2)]
"""Per dialogue the pairs that both, only the first, only the second and neither found satisfied."""


def pairs_of(tables, group="emotion"):
    kinds = [(True, True), (True, False), (False, True), (False, False)]
    return [
        (group, dialogue, *kind)
        for dialogue, table in enumerate(tables)
        for kind, times in zip(kinds, table, strict=True)
        for _ in range(times)
    ]


def kappa_of(tables):
    both, first, second, neither = map(sum, zip(*tables, strict=True))
    n = both + first + second + neither
    chance = F((both + first) * (both + second) + (neither + first) * (neither + second), n * n)
    return (F(both + neither, n) - chance) / (1 - chance)


def test_the_intervals_are_over_dialogues():
    own = judge_agreement(pairs_of(TABLES))["emotion"]
    same, of = [row[0] + row[3] for row in TABLES], [sum(row) for row in TABLES]
    assert own.agreed_interval == ratio_interval(same, of, rate=True)
    kappa, without = kappa_of(TABLES), [kappa_of(TABLES[:d] + TABLES[d + 1 :]) for d in range(7)]
    influence = [float(6 * (sum(without) / 7 - one)) for one in without]
    step = student_quantile(freedom_of(influence)) * standard_error(influence) / float(1 - kappa**2)
    assert own.kappa == pytest.approx(float(kappa))
    ends = [math.tanh(math.atanh(kappa) + sign * step) for sign in (-1, 1)]
    assert own.kappa_interval == pytest.approx(tuple(ends)) and -1 < ends[0] < kappa < ends[1] < 1


def test_fewer_than_six_dialogues_have_no_interval():
    few = judge_agreement(pairs_of(TABLES[:5]))["emotion"]
    assert few.kappa is not None and few.agreed_interval is few.kappa_interval is None
    six = judge_agreement(pairs_of(TABLES[:6]))["emotion"]
    assert six.agreed_interval is not None and six.kappa_interval is not None
    # Ten dialogues, of which five have this group.
    groups = judge_agreement([*pairs_of(TABLES[:5]), *(("style", d, *rest) for _, d, *rest in pairs_of(TABLES * 2))])
    assert groups["emotion"] == few and groups["style"].dialogues == 14


@pytest.mark.parametrize("dialogues", [6, 20])
def test_judges_that_always_agree_have_an_interval_with_a_width(dialogues):
    missed = 1 - 0.025 ** (1 / dialogues)
    own = judge_agreement(pairs_of([(3, 0, 0, 1)] * dialogues))["emotion"]
    assert own.kappa == 1 and own.kappa_interval == pytest.approx((1 - 2 * missed, 1))
    assert own.agreed_interval == pytest.approx((1 - missed, 1))
    never = judge_agreement(pairs_of([(0, 2, 2, 0)] * dialogues))["emotion"]
    assert never.kappa == -1 and never.kappa_interval == pytest.approx((-1, -1 + 2 * missed))
    alike = judge_agreement(pairs_of([(3, 1, 1, 3)] * dialogues))["emotion"]
    assert alike.kappa == 0.5 and alike.kappa_interval == pytest.approx((0.5 - 1.5 * missed, 0.5 + 0.5 * missed))


def test_kappa_that_hangs_on_one_dialogue_has_no_interval():
    own = judge_agreement(pairs_of([(3, 0, 0, 0)] * 9 + [(0, 1, 0, 2)]))["emotion"]
    assert own.kappa is not None and own.kappa_interval is None and own.agreed_interval is not None


def test_full_agreement_on_items_has_an_interval_with_a_width():
    value, interval = cohens_kappa({("y", "y"): 20, ("n", "n"): 20}, 40)
    assert value == 1 and interval == pytest.approx((1 - 2 * (1 - 0.025 ** (1 / 40)), 1))


def test_no_pairs_no_groups():
    assert judge_agreement([]) == {}


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 8), st.booleans(), st.booleans())), st.randoms())
def test_any_pairs(pairs, random):
    found = judge_agreement(pairs)
    assert judge_agreement(random.sample(pairs, len(pairs))) == found
    swapped = judge_agreement([(g, d, y, x) for g, d, x, y in pairs])
    assert sum(own.n for own in found.values()) == len(pairs)
    for group, own in found.items():
        assert own.kappa is None or -1 <= own.kappa <= own.agreed <= 1
        assert (own.agreed_interval is None) == (own.dialogues < 6)
        for value, interval in ((own.agreed, own.agreed_interval), (own.kappa, own.kappa_interval)):
            assert interval is None or -1 <= interval[0] - 1e-12 <= value <= interval[1] + 1e-12 <= 1 + 1e-9
            assert interval is None or interval[0] < interval[1]
        assert swapped[group].kappa == own.kappa
        assert (swapped[group].first_only, swapped[group].agreed) == (own.second_only, own.agreed)


GROUPS = ("length", "emotion")
FIRST = [play(1, "11 10 0? 11", "censored", groups=GROUPS), play(2, "10 11", "censored", groups=GROUPS)]
SECOND = [play(1, "11 11 00", "censored", groups=GROUPS), play(2, "10 10 11", "censored", groups=GROUPS)]


def test_two_judgings_of_the_same_answers():
    pytest.importorskip("numpy", reason="NumPy is not installed")
    found = judge_sensitivity(FIRST, SECOND)
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


def test_two_judgings_of_clusters_of_dialogues():
    def board(session):
        return replace(
            session, turns=tuple(replace(turn, labels={"board": session.dialogue // 2}) for turn in session.turns)
        )

    first = [board(play(d, "11 10 11", "censored", groups=GROUPS)) for d in range(12)]
    second = [board(play(d, "11 11 11" if d % 3 else "10 10 11", "censored", groups=GROUPS)) for d in range(12)]
    alone, together = judge_sensitivity(first, second), judge_sensitivity(first, second, cluster="board")
    assert (alone.overall.dialogues, together.overall.dialogues) == (12, 6)
    assert alone.overall.agreed == together.overall.agreed
    # Every pair of dialogues has one of each three, but for two pairs that have none.
    assert together.overall.agreed_interval == ratio_interval([10, 10, 10, 10, 10, 10], [12] * 6, rate=True)
    assert judge_sensitivity(first[:10], second[:10], cluster="board").overall.agreed_interval is None


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
