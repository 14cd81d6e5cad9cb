"""Two models, paired by dialogue."""

import math
from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions_by_hand import play

from evolif.errors import UsageError
from evolif.metrics import AT_N, METRIC_NAMES, MetricTable, compare, pair_test
from evolif.metrics.pairs import holm

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

A = [play(1, "1 1 0 1 0 0 0"), play(2, "11 10 1", "censored"), play(3, "0 0 0"), play(4, "1 1 1 0 0 0")]
B = [play(1, "1 0 0 0"), play(2, "1 0 0 1", "censored"), play(3, "1 1", "censored"), play(4, "1 0 1 0 0 0")]


def exact(sessions):
    """The eight metrics in fractions; REC's dialogues without a denominator left out."""
    per = []
    for session in sessions:
        rates = [F(t.judged.count(True), len(t.judged)) for t in session.turns]
        good = [rate == 1 for rate in rates]
        runs = [len(run) for run in "".join("x" if ok else " " for ok in good).split()]
        after = [now for before, now in pairwise(good) if not before]
        rec = F(sum(after), len(after)) if after else None
        per.append((len(rates), sum(rates), sum(good), max(runs, default=0), rec, F(sum(good), len(good))))

    def mean(values):
        values = [v for v in values if v is not None]
        return F(sum(values)) / len(values) if values else None

    turns = sum(n for n, *_ in per)
    pooled = [sum(own[1] for own in per) / turns, F(sum(own[2] for own in per), turns)]
    return dict(zip(METRIC_NAMES, [mean(column) for column in zip(*per, strict=True)] + pooled, strict=True))


def test_differences_by_hand():
    found = compare(A, B)
    one, other = exact(A), exact(B)
    for name in METRIC_NAMES:
        difference = found.differences[name]
        assert difference.a == pytest.approx(float(one[name]))
        assert difference.b == pytest.approx(float(other[name]))
        assert difference.value == pytest.approx(float(one[name] - other[name]), abs=1e-12)
    assert found.differences["edr_len"].value == float(F(7 + 3 + 3 + 6, 4) - F(4 + 4 + 2 + 6, 4))
    assert list(found.differences) == [
        AT_N,
        "edr_len",
        "isr",
        *(n for n in METRIC_NAMES if n not in ("edr_len", "isr")),
    ]
    assert (found.dialogues, found.clusters, found.left_out) == (4, 4, {})


SHARE = MetricTable(("top", "bottom"), lambda session: (0.0, 1.0), {"share": ("top", "bottom")})


def by_the_page(a, b):
    """The test as written down: what each dialogue adds to either ratio, Student's t with fewer degrees of freedom."""
    influences, ratios = [], []
    for rows in (a, b):
        tops, bottoms = (sum(column) for column in zip(*rows, strict=True))
        without = [(tops - top) / (bottoms - bottom) for top, bottom in rows]
        n, mean = len(rows), sum(without) / len(rows)
        influences.append([(n - 1) * (mean - one) for one in without])
        ratios.append(tops / bottoms)
    d = [one - other for one, other in zip(*influences, strict=True)]
    squares = sum(x * x for x in d)
    k = n * sum(x**4 for x in d) / squares**2
    freedom = n - 1 if k <= 1 else min(n - 1, max(2, 2 * n / (k - 1)))
    error, difference = math.sqrt(squares / (n * (n - 1))), ratios[0] - ratios[1]
    half = stats.t.ppf(0.975, freedom) * error
    p = 2 * stats.t.sf(abs(difference) / error, freedom)
    return p, (difference - half, difference + half), [difference + x for x in d]


def drawn(n, seed, success=(0.6, 0.5), lengths=(30, 12)):
    chance = Random(seed)
    sides = []
    for share, most in zip(success, lengths, strict=True):
        bottoms = [chance.randint(3, most) for _ in range(n)]
        sides.append([(float(sum(chance.random() < share for _ in range(own))), float(own)) for own in bottoms])
    return sides


@pytest.mark.parametrize("n", [10, 23, 60])
@pytest.mark.parametrize("seed", range(5))
def test_from_ten_dialogues_on_it_is_students_on_the_jackknife(n, seed):
    a, b = drawn(n, seed)
    found = pair_test(SHARE, a, b, "share")
    p, interval, _ = by_the_page(a, b)
    assert found.p == pytest.approx(p, rel=1e-6)
    assert found.interval == pytest.approx(interval, abs=1e-9)


def flips(values):
    """p of all flips of the signs."""
    means = [
        sum(s * value for s, value in zip(signs, values, strict=True)) for signs in product([1, -1], repeat=len(values))
    ]
    return sum(abs(mean) >= abs(sum(values)) - 1e-9 for mean in means) / len(means)


@pytest.mark.parametrize("n", [6, 7, 9])
@pytest.mark.parametrize("seed", range(4))
def test_with_six_to_nine_signs_are_flipped_too_and_the_wider_one_counts(n, seed):
    a, b = drawn(n, seed)
    found = pair_test(SHARE, a, b, "share")
    p, (low, high), values = by_the_page(a, b)
    assert found.p == pytest.approx(max(p, flips(values)))
    # The differences that flipping does not reject: inside its interval p is above .05, outside it is not.
    near = 1e-6
    assert found.interval[0] <= low + near and found.interval[1] >= high - near
    for end, inside in ((found.interval[0], 1), (found.interval[1], -1)):
        rejected = [
            flips([value - at for value in values]) <= 0.05 for at in (end - inside * near, end + inside * near)
        ]
        student = end == pytest.approx(low) or end == pytest.approx(high)
        assert rejected == [True, False] or (student and rejected[0])


def test_where_all_differ_alike_the_share_of_the_unseen_is_left():
    a, b = [(4.0, 5.0)] * 12, [(3.0, 5.0)] * 12
    found = pair_test(SHARE, a, b, "share")
    half = 1 - 0.025 ** (1 / 12)
    assert found.p == 2**-11
    assert found.interval == (max(0.2 - half, 1e-9), pytest.approx(0.2 + half)) or found.interval[0] > 0
    same = pair_test(SHARE, a, a, "share")
    assert same.p == 1 and same.interval == pytest.approx((-half, half))


def test_below_six_there_is_neither_interval_nor_p():
    a, b = drawn(5, 1)
    assert pair_test(SHARE, a, b, "share") == pair_test(SHARE, [], [], "share")
    assert pair_test(SHARE, a, b, "share").p is pair_test(SHARE, a, b, "share").interval is None
    lacking = [(0.0, 0.0)] * 4 + [(1.0, 2.0)] * 5
    assert pair_test(SHARE, lacking, [(1.0, 2.0)] * 9, "share").p is None  # five contribute to one side


def test_no_end_beyond_what_two_shares_can_differ_by():
    a, b = [(3.0, 3.0)] * 5 + [(0.0, 3.0)], [(0.0, 3.0)] * 5 + [(3.0, 3.0)]
    low, high = pair_test(SHARE, a, b, "share").interval
    assert -1 <= low < 2 / 3 < high <= 1


turn = st.sampled_from(["1", "0", "10", "110", "1", "11"])
talk = st.lists(turn, min_size=1, max_size=7).map(" ".join)


def test_one_model_twice_does_not_differ():
    found = compare(A, A)
    for difference in found.differences.values():
        assert (difference.value, difference.interval, difference.p, difference.p_holm) == (0, None, None, None)
        assert difference.effect is difference.dialogues_needed is None


def test_the_other_way_round_is_the_negative():
    one, other = compare(A, B), compare(B, A)
    for name in METRIC_NAMES:
        x, y = one.differences[name], other.differences[name]
        assert (x.value, x.p, x.p_holm) == (pytest.approx(-y.value), y.p, y.p_holm)
        assert x.effect == (None if y.effect is None else pytest.approx(-y.effect))
        assert x.dialogues_needed == y.dialogues_needed


SEVEN = (
    [
        play(d, raw)
        for d, raw in enumerate(["1 1 0 1 1 0 0 0", "10 1 1 0 0 0", "1 1 1", "0 1 0 0 0", "1 1", "1 0", "1"])
    ],
    [play(d, raw) for d, raw in enumerate(["1 0 0 0", "1 0 1 0 0 0", "0 0 0", "0 0 0", "1 1", "0 0 0", "0 1 0"])],
)


def test_the_interval_of_the_other_way_round_is_mirrored():
    one, other = compare(*SEVEN), compare(*SEVEN[::-1])
    for name in ("edr_len", "isr", "csr", "rob"):
        low, high = one.differences[name].interval
        assert other.differences[name].interval == pytest.approx((-high, -low))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(talk, talk), min_size=6, max_size=14))
def test_interval_and_p_never_contradict(raw):
    a, b = ([play(d, pair[side], "censored", patience=9) for d, pair in enumerate(raw)] for side in (0, 1))
    found = compare(a, b)
    for name, one in (found.differences | found.beside | {"shared": found.shared}).items():
        if one.interval is None:
            assert one.p is None, name
            assert one.value is None or name in ("rec", "pooled_rec", "exhaustion_rate", "shared"), name
            continue
        low, high = one.interval
        assert low < high, name
        assert low <= one.value <= high, name
        assert (low > 0 or high < 0) == (one.p <= 0.05), name


def test_two_dialogues_that_differ_are_no_interval_above_zero():
    # All at the cap but for two: the percentile bootstrap gave an interval without 0 beside p = .5.
    cap = " ".join(["1"] * 20)
    a = [play(d, cap, "censored") for d in range(30)]
    b = [play(d, "1 0 0 0" if d < 2 else cap, "finished" if d < 2 else "censored") for d in range(30)]
    length = compare(a, b).differences["edr_len"]
    assert length.p > 0.05
    assert length.interval[0] <= 0 < length.interval[1]


def test_dialogues_that_all_differ_alike_still_leave_room():
    a, b = ([play(d, raw, "censored") for d in range(12)] for raw in ("1 1 1 1", "1 1 1"))
    low, high = compare(a, b).differences["edr_len"].interval
    assert 0 < low < 1 < high
    same = compare(a, a).differences["edr_len"]
    assert same.interval[0] < 0 < same.interval[1]


def test_epochs_of_a_dialogue_are_pooled():
    a = [play(1, "1 1", "censored"), play(1, "1 1 1 1", "censored", epoch=1), play(2, "1", "censored")]
    b = [play(1, "1", "censored"), play(2, "1", "censored")]
    found = compare(a, b)
    assert (found.dialogues, found.clusters) == (2, 2)
    length = found.differences["edr_len"]
    assert length.value == pytest.approx(float(F(2 + 4 + 1, 3) - 1))
    # Twelve dialogues played four times are twelve: the same p as once, if every epoch is the same.
    once = [[play(d, "1 " * (d % skill + 1), "censored") for d in range(12)] for skill in (7, 4)]
    often = [[replace(s, epoch=epoch) for s in own for epoch in range(4)] for own in once]
    assert compare(*often).differences["edr_len"].p == pytest.approx(compare(*once).differences["edr_len"].p)


def test_only_dialogues_that_both_have():
    a = [play(1, "1"), play(2, "1"), play(3, "1", "suspended"), play(4, "1"), play(5, "1", None), play(7, "1")]
    b = [play(1, "1"), play(3, "1"), play(4, "1", "withheld"), play(5, "1", None), play(6, "1"), play(7, "0")]
    found = compare(a, b)
    assert found.dialogues == 2
    assert found.left_out == {
        "only in the first": 1,
        "only in the second": 1,
        "not counted in the first": 1,
        "not counted in the second": 1,
        "not counted in either": 1,
    }
    assert found.differences["edr_succ"].value == 0.5


def test_nothing_in_common():
    found = compare([play(1, "1")], [play(2, "1")])
    assert (found.dialogues, found.clusters) == (0, 0)
    assert all(d.value is d.interval is d.p is d.p_holm is d.effect is None for d in found.differences.values())


def test_rec_without_denominators():
    found = compare([play(1, "1 1"), play(2, "1 0 1")], [play(1, "1 1"), play(2, "1 1")])
    rec = found.differences["rec"]
    assert (rec.a, rec.b, rec.value, rec.p, rec.p_holm, rec.effect) == (1.0, None, None, None, None, None)
    assert rec.interval is rec.dialogues_needed is None
    # One dialogue with a denominator on each side: a value, but no interval.
    pair = compare([play(1, "0 1"), play(2, "1 1")], [play(1, "0 0"), play(2, "1 1")])
    assert (pair.differences["rec"].value, pair.differences["rec"].interval) == (1.0, None)


def test_holm_by_hand():
    adjusted = holm({"a": 0.01, "b": 0.04, "c": None, "d": 0.03, "e": 0.5})
    assert adjusted["a"] == pytest.approx(0.04)
    assert adjusted["d"] == adjusted["b"] == pytest.approx(0.09)  # 3 * 0.03; 2 * 0.04 may not fall below it
    assert adjusted["e"] == 0.5
    assert adjusted["c"] is None
    assert holm({"a": 0.6, "b": 0.7}) == {"a": 1.0, "b": 1.0}


def test_only_the_main_metric_is_corrected():
    found = compare(*SEVEN)
    assert found.differences[AT_N].p_holm == found.differences[AT_N].p is not None
    others = [one for name, one in (found.differences | found.beside).items() if name != AT_N]
    assert {one.p_holm for one in others} == {None}
    with pytest.raises(UsageError, match="one model at a time"):
        compare([*A, play(9, "1", model="sim/other")], B)


def test_shared_turns_are_those_that_both_were_asked():
    # A is right at first and ends early; B goes on to the end.
    a = [play(d, "1 1 1 1 0 0 0") for d in range(8)]
    b = [play(d, f"{'0' if d % 2 else '1'} 1 0 1 1 1 1 1 1 1 1 1", "censored") for d in range(8)]
    found = compare(a, b)
    assert found.cap == 12 and found.early == 8
    assert (found.shared.a, found.shared.b) == (4 / 7, pytest.approx((4 + 8 * 5) / 8 / 7))
    assert found.differences[AT_N].a == 4 / 12
    assert found.differences[AT_N].b == pytest.approx((4 + 8 * 10) / 8 / 12)
    # Of a session in another epoch nothing was asked of both.
    elsewhere = [replace(session, epoch=2) for session in b]
    assert compare(a, elsewhere).shared.value is None


def test_the_smaller_cap_counts_where_caps_differ():
    a = [replace(play(d, "1 " * 10, "censored"), cap=10, cause="cap") for d in range(6)]
    b = [replace(play(d, "1 " * 4 + "0 0 0"), cap=20) for d in range(6)]
    found = compare(a, b)
    assert found.cap == 10
    assert (found.differences[AT_N].a, found.differences[AT_N].b) == (1, 0.4)
