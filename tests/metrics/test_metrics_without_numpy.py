"""The same values with NumPy and without, and a sentence where it is needed."""

import random
from importlib import import_module

import pytest
from sessions_by_hand import play

from evolif.errors import UsageError
from evolif.metrics import (
    PROCESS,
    DialogueRecord,
    breakdown,
    compare,
    judge_agreement,
    patience_sweep,
    process_intervals,
    survival,
)
from evolif.metrics import statistics as numeric
from evolif.metrics import statistics as resampling
from evolif.metrics.ranking import ranking
from evolif.metrics.statistics import unit_bits, whole
from evolif.metrics.survival import hazard, log_rank
from evolif.types import DEFAULT_RESAMPLES

drawing = import_module("evolif.metrics.intervals")  # in the package, a function has this name


@pytest.fixture
def bare(monkeypatch):
    """Only the standard library."""

    def missing(name):
        if name.partition(".")[0] in ("numpy", "scipy"):
            raise ImportError(name)
        return import_module(name)

    monkeypatch.setattr(numeric, "import_module", missing)
    numeric.numpy_if_any.cache_clear()
    yield
    numeric.numpy_if_any.cache_clear()


def everything():
    chance = random.Random(6)
    records = [
        DialogueRecord(str(d), 3, tuple(tuple(chance.random() < 0.8 for _ in range(3)) for _ in range(d % 17)))
        for d in range(40)
    ]
    at_cap = [DialogueRecord(str(d), 3, ((True, d % 5 > 0),) * 9) for d in range(20)]
    at_cap += [DialogueRecord(f"short {d}", 3, ((True,),) * d + ((False,),) * 3) for d in range(5)]
    sessions = [play(d, " ".join(chance.choice(["1", "10", "110", "0?"]) for _ in range(d))) for d in range(25)]
    pairs = [
        (chance.choice("ab"), chance.randrange(9), chance.random() < 0.7, chance.random() < 0.6) for _ in range(90)
    ]
    return (
        process_intervals(records, seed=2, resamples=300),
        process_intervals(at_cap, seed=2, resamples=100, cap=9),
        breakdown(sessions, [], "group"),
        breakdown(sessions, [], "turn"),
        judge_agreement(pairs),
        survival(sessions, max_turns=30, resamples=100),
        hazard(sessions),
        log_rank(sessions[:20], sessions[5:]),
        compare(sessions[:20], sessions[5:]).differences["isr"].interval,
        patience_sweep(sessions, resamples=100),
    )


@pytest.mark.slow
def test_not_a_bit_of_difference(bare):
    pytest.importorskip("numpy", reason="NumPy is not installed")
    without = everything()
    numeric.numpy_if_any.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numeric, "import_module", import_module)
        assert numeric.numpy_if_any() is not None
        assert everything() == without


def test_no_weight_differs():
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    kept = drawing._Weights(0, 2_000)
    for number in (74, 90, 3):  # the first two have a weight next to the middle of two whole numbers
        quick = kept._block(number, number + 1)[0]
        assert isinstance(quick, numpy.ndarray)
        assert list(quick) == drawing._exponential.__wrapped__(number, 0, 2_000)
    units = numpy.array([[3.0] * 400, [5.0] * 400])
    plain = drawing._plain_weights.__wrapped__(399, 0, 2_000, whole=False)
    for row, unit in zip(kept.weighed(units, whole=False), (3.0, 5.0), strict=True):  # over several blocks
        assert list(row) == [unit * sum(column) for column in zip(*plain, strict=True)]


def test_one_dialogue_one_draw(bare):
    assert resampling.resampled_sums([[3.0]], seed=0, resamples=2) == [[3.0, 3.0]]


def test_what_needs_it_says_so(bare):
    with pytest.raises(UsageError, match=r"needs SciPy: pip install 'evolif\[report\]'"):
        ranking({"a": [play(1, "1 0 0 0")], "b": [play(1, "1 1 1 1", model="b")]}, table=PROCESS)


def test_many_dialogues_are_drawn_in_blocks(monkeypatch):
    pytest.importorskip("numpy", reason="NumPy is not installed")
    columns = [[float(n % 7) for n in range(60)], [1.0] * 60]
    at_once = resampling.resampled_sums(columns, seed=4, resamples=50)
    monkeypatch.setattr(resampling, "_BLOCK", 130)  # two resamples at a time
    in_blocks = resampling.resampled_sums(columns, seed=4, resamples=50)
    assert [list(own) for own in in_blocks] == [list(own) for own in at_once]
    assert list(at_once[1]) == [60.0] * 50


def test_units_are_fine_and_sums_of_them_exact():
    columns = [[1 / 3] * 150, [50.0] * 150]
    bits = unit_bits(columns, 150)
    units = whole(columns, bits)
    assert bits >= 35
    assert 150 * max(map(max, units)) < 2**53
    assert units[0][0] * 2.0**-bits == pytest.approx(1 / 3, abs=1e-10)
    assert unit_bits([[]], 0) == 52


def test_the_default():
    assert DEFAULT_RESAMPLES == 2_000
