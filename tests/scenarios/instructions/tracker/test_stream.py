"""Seeded chance: pinned values, so that a benchmark's numbers never shift, and fair draws."""

from collections import Counter

import pytest

from evolif.util.rng import PCG64, Stream


def test_the_first_draws_are_pinned():
    stream = Stream(7, 1, 13)
    assert [stream._raw() for _ in range(4)] == [
        10781589570581977509,
        10836545793335856978,
        17306756117002695235,
        2378042677424717136,
    ]


def test_every_kind_of_draw_is_pinned():
    stream = Stream(7, 1, 13)
    assert [stream.below(10) for _ in range(10)] == [9, 8, 5, 6, 6, 4, 3, 1, 5, 4]
    assert [stream.between(100, 1900, 100) for _ in range(5)] == [400, 100, 200, 600, 1100]
    assert stream.fraction() == 0.6698356179065349
    assert stream.choice("abcdef") == "f"
    assert stream.weighted([("a", 5), ("b", 1), ("c", 4)]) == "b"
    assert stream.sample(list("abcdefgh"), 4) == ["e", "f", "d", "g"]


def test_other_keys_are_other_streams():
    keys = [(0,), (0, 0), (1, 11), (11, 1), (1, 1, 1), (111,), (-1,)]
    assert len({Stream(*key)._raw() for key in keys}) == len(keys)


@pytest.mark.parametrize(("state", "sequence"), [(1, 1), (42, 54), (2**127 + 5, 2**120 + 7)])
def test_the_generator_is_numpys(state, sequence):
    numpy = pytest.importorskip("numpy.random")
    ours = PCG64(state, sequence)
    theirs = numpy.PCG64(0)
    theirs.state = {**theirs.state, "state": {"state": ours._state, "inc": ours._increment}}
    assert [ours.raw() for _ in range(100)] == theirs.random_raw(100).tolist()


def test_below_is_even():
    stream = Stream(1)
    counts = Counter(stream.below(3) for _ in range(30_000))
    assert set(counts) == {0, 1, 2}
    assert all(abs(n - 10_000) < 400 for n in counts.values())


def test_below_throws_the_uneven_rest_away():
    stream = Stream(1)
    rest = iter([2**64 - 1, 5])
    stream._raw = lambda: next(rest)
    assert stream.below(3) == 2  # 2**64 - 1 is the one raw value too many


def test_between_reaches_both_ends():
    stream = Stream(2)
    assert {stream.between(5, 45, 5) for _ in range(500)} == set(range(5, 50, 5))


def test_fractions_stay_below_one():
    stream = Stream(3)
    stream._raw = lambda: 2**64 - 1
    assert 0.999 < stream.fraction() < 1


def test_weights_are_kept_and_zero_is_never_drawn():
    stream = Stream(4)
    counts = Counter(stream.weighted([("a", 5), ("b", 0), ("c", 1), ("d", 4)]) for _ in range(10_000))
    assert "b" not in counts
    assert abs(counts["a"] - 5000) < 250
    assert abs(counts["c"] - 1000) < 150


def test_a_sample_holds_different_options():
    stream = Stream(5)
    assert all(len(set(stream.sample(range(5), 3))) == 3 for _ in range(100))
    assert sorted(stream.sample("abc", 3)) == ["a", "b", "c"]
    assert stream.sample("abc", 0) == []


@pytest.mark.parametrize("draw", [lambda s: s.below(0), lambda s: s.choice([]), lambda s: s.between(5, 3)])
def test_nothing_to_draw_from(draw):
    with pytest.raises(ValueError, match="nothing to draw from"):
        draw(Stream(6))
