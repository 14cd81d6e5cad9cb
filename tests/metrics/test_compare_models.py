"""Two models, paired by dialogue."""

from fractions import Fraction as F
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions_by_hand import play

from evolif.errors import UsageError
from evolif.metrics import METRIC_NAMES, compare, process_metrics, records_from_sessions
from evolif.metrics.compare import holm

pytest.importorskip("numpy", reason="NumPy is not installed")

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


def brute_force(a, b):
    """Two-sided p of all 2^D swaps, per metric."""
    found = {name: [] for name in METRIC_NAMES}
    for swaps in product([False, True], repeat=len(a)):
        first = exact([y if swap else x for x, y, swap in zip(a, b, swaps, strict=True)])
        second = exact([x if swap else y for x, y, swap in zip(a, b, swaps, strict=True)])
        for name in METRIC_NAMES:
            if first[name] is not None and second[name] is not None:
                found[name].append(abs(first[name] - second[name]))
    one, other = exact(a), exact(b)
    observed = {n: None if one[n] is None or other[n] is None else abs(one[n] - other[n]) for n in METRIC_NAMES}
    return {
        name: None if observed[name] is None else F(sum(x >= observed[name] for x in values), len(values))
        for name, values in found.items()
    }


def test_differences_by_hand():
    found = compare(A, B)
    one, other = exact(A), exact(B)
    for name, difference in found.differences.items():
        assert difference.a == pytest.approx(float(one[name]))
        assert difference.b == pytest.approx(float(other[name]))
        assert difference.value == pytest.approx(float(one[name] - other[name]), abs=1e-12)
    assert found.differences["edr_len"].value == float(F(7 + 3 + 3 + 6, 4) - F(4 + 4 + 2 + 6, 4))
    assert sorted(found.differences) == sorted(METRIC_NAMES)
    assert (found.dialogues, found.left_out) == (4, {})


def test_p_is_the_share_of_all_swaps():
    found = compare(A, B)
    assert (found.exact, found.permutations) == (True, 16)
    for name, p in brute_force(A, B).items():
        assert found.differences[name].p == pytest.approx(float(p)), name


turn = st.sampled_from(["1", "0", "10", "110", "1", "11"])
talk = st.lists(turn, min_size=1, max_size=7).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(talk, talk), min_size=1, max_size=5))
def test_p_is_the_share_of_all_swaps_whatever_was_said(raw):
    a, b = ([play(d, pair[side], "censored", patience=9) for d, pair in enumerate(raw)] for side in (0, 1))
    found = compare(a, b)
    for name, p in brute_force(a, b).items():
        told = found.differences[name].p
        assert told is None if p is None else told == pytest.approx(float(p)), name


def test_p_is_scipys():
    stats = pytest.importorskip("scipy.stats")
    import numpy as np

    length, ok = ([[process(s, name) for s in side] for side in (A, B)] for name in ("edr_len", "edr_succ"))
    rows = np.array([length[0] + length[1], ok[0] + ok[1]], dtype=float)
    places = np.arange(8)

    def isr(x, y, axis):
        x, y = x.astype(int), y.astype(int)
        return rows[1][x].sum(axis) / rows[0][x].sum(axis) - rows[1][y].sum(axis) / rows[0][y].sum(axis)

    done = stats.permutation_test(
        (places[:4], places[4:]), isr, permutation_type="samples", vectorized=True, n_resamples=np.inf
    )
    assert compare(A, B).differences["isr"].p == pytest.approx(done.pvalue)


def process(session, name):
    return process_metrics(records_from_sessions([session]).records).value(name)


def long(skill, *, dialogues=40, shift=0):
    """Patterns without chance, of different lengths per dialogue."""
    return [play(d, f"{'1 ' * ((d * 7 + shift) % skill)}0 0 0") for d in range(dialogues)]


def test_drawn_permutations_add_one_and_depend_on_the_seed_alone():
    a, b = long(11), long(4)
    found = compare(a, b, seed=5, permutations=199)
    assert (found.exact, found.permutations) == (False, 199)
    assert found.differences["edr_len"].p == 1 / 200  # none of the drawn swaps is as far apart
    assert compare(a[::-1], b[::-1], seed=5, permutations=199) == found
    # Two long-lived models of nearly the same lengths: p is somewhere in the middle, near the exact one.
    near = [compare(long(9), long(9, shift=4), seed=seed).differences["edr_len"].p for seed in (1, 2)]
    assert near[0] != near[1]
    assert near[0] == pytest.approx(near[1], abs=0.03)


def test_the_drawn_swaps_are_pinned():
    # Should they ever change, published p would.
    from evolif.metrics.permutation import _words

    assert _words(5, 3, 7).hex() == PINNED


PINNED = "f93a54323040f8bf46c85028cb5af72e24c21a08ae797e6e"


def test_one_model_twice_does_not_differ():
    found = compare(A, A)
    for difference in found.differences.values():
        assert (difference.value, difference.interval, difference.p, difference.p_holm) == (0, None, 1, 1)
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


def p_of_shift(a, b, shift):
    """p of all swaps for ISR, after half of the shift went from the first model's turns to the second's."""
    first = [(sum(all(t.judged) for t in s.turns) - shift / 2 * len(s.turns), len(s.turns)) for s in a]
    second = [(sum(all(t.judged) for t in s.turns) + shift / 2 * len(s.turns), len(s.turns)) for s in b]
    found = []
    for swaps in product([False, True], repeat=len(a)):
        one, other = ([y if swap is turned else x for x, y, swap in zip(first, second, swaps, strict=True)]
                      for turned in (True, False))  # fmt: skip
        rates = [F(sum(top for top, _ in side)) / sum(n for _, n in side) for side in (one, other)]
        found.append(abs(rates[0] - rates[1]))
    return F(sum(value >= found[0] for value in found), len(found))


def test_the_interval_is_what_the_test_does_not_reject():
    found = compare(*SEVEN).differences["isr"]
    low, high = (F(end).limit_denominator(10**6) for end in found.interval)
    near = F(1, 1000)
    assert [p_of_shift(*SEVEN, at) > F(1, 20) for at in (low - near, low + near)] == [False, True]
    assert [p_of_shift(*SEVEN, at) > F(1, 20) for at in (high - near, high + near)] == [True, False]
    inside = [low + (high - low) * F(step, 20) for step in range(1, 20)]
    assert all(p_of_shift(*SEVEN, at) > F(1, 20) for at in inside)


def test_the_interval_of_a_mean_is_that_of_sign_flips():
    # For a mean over dialogues every shifted difference keeps or changes its sign.
    found = compare(*SEVEN).differences["edr_len"]
    gaps = [F(len(x.turns) - len(y.turns)) for x, y in zip(*SEVEN, strict=True)]

    def p(at):
        sums = [
            abs(sum(s * (gap - at) for s, gap in zip(signs, gaps, strict=True))) for signs in product([1, -1], repeat=7)
        ]
        return F(sum(value >= sums[0] for value in sums), len(sums))

    low, high = (F(end).limit_denominator(10**6) for end in found.interval)
    near = F(1, 1000)
    assert [p(at) > F(1, 20) for at in (low - near, low + near, high - near, high + near)] == [False, True, True, False]


def test_the_interval_of_the_other_way_round_is_mirrored():
    one, other = compare(*SEVEN), compare(*SEVEN[::-1])
    for name in ("edr_len", "isr", "csr", "rob"):
        low, high = one.differences[name].interval
        assert other.differences[name].interval == pytest.approx((-high, -low))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(talk, talk), min_size=6, max_size=14))
def test_interval_and_p_never_contradict(raw):
    a, b = ([play(d, pair[side], "censored", patience=9) for d, pair in enumerate(raw)] for side in (0, 1))
    found = compare(a, b, permutations=499)
    for name, one in (found.differences | found.beside).items():
        if one.interval is None:
            assert one.value is None or name in ("rec", "pooled_rec", "exhaustion_rate"), name
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
    assert length.p == pytest.approx(0.5, abs=0.03)
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
    assert (found.dialogues, found.permutations) == (2, 4)
    length = found.differences["edr_len"]
    assert length.value == pytest.approx(float(F(2 + 4 + 1, 3) - 1))
    # Swapped, the other has the three sessions; no swap of the first dialogue brings less.
    assert length.p == 1.0


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
    assert (found.dialogues, found.permutations) == (0, 0)
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


def test_impossible_settings_are_refused():
    with pytest.raises(UsageError, match="at least 1 permutation"):
        compare(A, B, permutations=0)
    with pytest.raises(UsageError, match="seed of at least 0"):
        compare(A, B, seed=-1)
    with pytest.raises(UsageError, match="one model at a time"):
        compare([*A, play(9, "1", model="sim/other")], B)
