"""Intervals against the contract's own arrays, correlations against SciPy."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from evolif.errors import ArgumentError
from evolif.scenarios.recorded import (
    aggregate,
    bootstrap_interval,
    discriminability,
    paired_difference,
    spearman,
    spearman_matrix,
    statistics,
)

IDS = [2, 10, -1, "10", "b", "B"]
SORTED_IDS = [-1, 2, 10, "10", "B", "b"]
"""Integers before texts, each in their own order."""
SCORES = st.one_of(st.floats(0, 1), st.sampled_from([None, True, math.nan]))
RECORDS = st.lists(
    st.fixed_dictionaries({"dialog_id": st.sampled_from(IDS), "turn_id": st.integers(0, 3), "score": SCORES}),
    max_size=20,
)
LEVELS = st.sampled_from(["dialog", "turn"])
STATISTICS = {"mean": numpy.mean, "min": numpy.min, "max": numpy.max}


def plain(records: list[dict[str, Any]], turn_stat: str = "mean") -> dict[Any, list[float]]:
    """Turn scores by dialogue, in the order of the contract."""
    scores: dict[Any, list[float]] = {}
    for dialogue in SORTED_IDS:
        for turn in range(4):
            own = [
                r["score"]
                for r in records
                if (r["dialog_id"], r["turn_id"]) == (dialogue, turn) and type(r["score"]) is float
            ]
            own = [score for score in own if not math.isnan(score)]
            if own:
                scores.setdefault(dialogue, []).append(float(STATISTICS[turn_stat](own)))
    return scores


def resampled(turns: list[list[float]], dialog_stat: str, level: str, draws: int, seed: int) -> Any:
    idx = numpy.random.default_rng(seed).integers(0, len(turns), size=(draws, len(turns)))
    if level == "dialog":
        return numpy.array([float(STATISTICS[dialog_stat](own)) for own in turns])[idx].mean(axis=1)
    return numpy.array([numpy.mean(numpy.concatenate([turns[place] for place in row])) for row in idx])


@given(RECORDS, LEVELS, st.sampled_from(list(STATISTICS)), st.sampled_from(list(STATISTICS)), st.integers(0, 5))
def test_the_interval_is_that_of_the_contract(
    records: list[dict[str, Any]], level: str, turn_stat: str, dialog_stat: str, seed: int
) -> None:
    names = {"turn_stat": turn_stat, "dialog_stat": dialog_stat, "dataset_level": level}
    found = bootstrap_interval(records, resamples=60, seed=seed, alpha=0.1, **names)
    turns = plain(records, turn_stat)
    if not turns:
        assert found is None
        return
    means = resampled(list(turns.values()), dialog_stat, level, 60, seed)
    lo, hi = numpy.percentile(means, [5, 95])
    point = aggregate(records, **names)["global"]["mean"]
    assert found == {"point": pytest.approx(point), "lo": pytest.approx(lo), "hi": pytest.approx(hi)}


@given(RECORDS, RECORDS, LEVELS)
def test_the_difference_is_that_of_the_contract(
    first: list[dict[str, Any]], second: list[dict[str, Any]], level: str
) -> None:
    found = paired_difference(first, second, resamples=60, dataset_level=level)
    one, other = plain(first), plain(second)
    shared = [dialogue for dialogue in one if dialogue in other]
    if not shared:
        assert found is None
        return
    sides = [[turns[dialogue] for dialogue in shared] for turns in (one, other)]
    means = [resampled(side, "min", level, 60, 0) for side in sides]
    lo, hi = numpy.percentile(means[0] - means[1], [2.5, 97.5])
    units = [[min(own)] if level == "dialog" else own for side in sides for own in side]
    half = len(shared)
    point = numpy.mean(numpy.concatenate(units[:half])) - numpy.mean(numpy.concatenate(units[half:]))
    ends = {"point": point, "lo": lo, "hi": hi}
    assert found == {**{name: pytest.approx(end) for name, end in ends.items()}, "dialogues": half}


def test_defaults_are_a_thousand_draws_and_95_percent() -> None:
    records = [{"dialog_id": number, "turn_id": 1, "score": number / 7} for number in range(8)]
    means = resampled(list(plain_numbers(records)), "min", "dialog", 1000, 0)
    lo, hi = numpy.percentile(means, [2.5, 97.5])
    assert bootstrap_interval(records) == {"point": 0.5, "lo": pytest.approx(lo), "hi": pytest.approx(hi)}


def plain_numbers(records: list[dict[str, Any]]) -> list[list[float]]:
    return [[record["score"]] for record in records]


def test_blocks_draw_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [{"dialog_id": number, "turn_id": 1, "score": (number * 5 % 7) / 7} for number in range(7)]
    whole = bootstrap_interval(records, resamples=100)
    monkeypatch.setattr(statistics, "_BLOCK", 25)
    assert bootstrap_interval(records, resamples=100) == whole


@pytest.mark.parametrize(
    "wrong",
    [
        {"resamples": 0},
        {"resamples": True},
        {"seed": -1},
        {"seed": 0.5},
        {"alpha": 0},
        {"alpha": 1.0},
        {"alpha": math.nan},
    ],
)
def test_a_draw_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match=f"{next(iter(wrong))} is"):
        bootstrap_interval([], **wrong)
    with pytest.raises(ArgumentError, match=f"{next(iter(wrong))} is"):
        paired_difference([], [], **wrong)


def test_an_unknown_statistic_is_refused_even_without_records() -> None:
    with pytest.raises(ArgumentError, match="take one of"):
        bootstrap_interval([], dialog_stat="median")


def test_a_score_that_cannot_be_summed_is_refused() -> None:
    with pytest.raises(ArgumentError, match="dialogue 1 has a score too large"):
        bootstrap_interval([{"dialog_id": 1, "turn_id": 1, "score": 1e300}])


@pytest.mark.slow
def test_numpy_is_imported_for_intervals_only() -> None:
    code = "import sys, evolif.scenarios.recorded as u; u.spearman([1, 2], [2, 1]), u.aggregate([]); "
    code += "sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- discriminability ---


@given(st.lists(st.integers(0, 100), min_size=1))
def test_discriminability_is_the_populations_variation(percents: list[int]) -> None:
    scores = [percent / 100 for percent in percents]
    found = discriminability(scores)
    mean = numpy.mean(scores)
    assert found == (pytest.approx(numpy.std(scores) / mean, abs=1e-9) if mean else 0)


def test_discriminability_at_its_edges() -> None:
    assert discriminability([]) is None
    assert discriminability([0, 0]) == 0.0
    assert discriminability([0.1] * 3) == 0.0
    assert discriminability([1, 3]) == 0.5


# --- rank correlation ---

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12)


@given(PAIRS)
def test_spearman_is_scipys(pairs: list[tuple[int, int]]) -> None:
    x, y = [[pair[side] / 7 for pair in pairs] for side in (0, 1)]
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assert spearman(x, y) == pytest.approx(scipy.stats.spearmanr(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2], [0.5, 0.5])])
def test_spearman_of_what_does_not_vary_is_none(x: list[float], y: list[float]) -> None:
    assert spearman(x, y) is None


def test_what_is_no_pair_of_scores_is_refused() -> None:
    with pytest.raises(ArgumentError, match="there are 2 and 1 figures"):
        spearman([1, 2], [1])
    for wrong in (None, True, math.nan, math.inf, "1", 10**400):
        with pytest.raises(ArgumentError, match="is no score"):
            spearman([1, wrong], [1, 2])
        with pytest.raises(ArgumentError, match="is no score"):
            discriminability([wrong])


def labelled(*scores: tuple[str, float | None]) -> list[dict[str, Any]]:
    return [
        {"dialog_id": number, "turn_id": 1, "score": score, "dialog_labels": {"t": label}}
        for number, (label, score) in enumerate(scores)
    ]


def test_the_matrix_goes_over_label_buckets() -> None:
    models = {
        "m1": labelled(("a", 0.1), ("b", 0.9), ("c", 0.5)),
        "m2": labelled(("a", 0.2), ("b", 0.8), ("c", 0.5)),
        "m3": labelled(("a", 0.3), ("a", 0.5), ("b", 0.7), ("c", 0.5)),
        "m4": labelled(("b", 0.1)),
        "silent": labelled(("a", None)),
    }
    matrix = spearman_matrix(models)
    assert matrix["pairs"] == [("t:a", "t:b", pytest.approx(-1.0)), ("t:a", "t:c", None), ("t:b", "t:c", None)]
    assert matrix["models"] == 4
    assert "Models: 4." in matrix["warning"]


def test_the_matrix_has_the_highest_pairs_first_and_no_warning_for_eight_models() -> None:
    models = {
        f"m{number}": labelled(("a", number / 8), ("b", number / 9), ("c", (number * 3 % 8) / 8)) for number in range(8)
    }
    matrix = spearman_matrix(models)
    rhos = [rho for _, _, rho in matrix["pairs"]]
    assert matrix["pairs"][0] == ("t:a", "t:b", pytest.approx(1.0))
    assert rhos == sorted(rhos, reverse=True)
    assert matrix["warning"] is None


def test_benchmarks_are_parts_of_names() -> None:
    models = {
        model: {"one": labelled(("a", score)), "two": labelled(("a", 1 - score))}
        for model, score in (("m1", 0.25), ("m2", 0.5))
    }
    assert spearman_matrix(models)["pairs"] == [("one/t:a", "two/t:a", pytest.approx(-1.0))]


def test_a_matrix_of_nothing_is_empty_and_one_of_everything_is_refused() -> None:
    assert spearman_matrix({})["pairs"] == []
    many = labelled(*((str(number), 0.5) for number in range(501)))
    with pytest.raises(ArgumentError, match="501 values"):
        spearman_matrix({"m": many})


def test_sessions_of_one_dialogue_are_drawn_together() -> None:
    pytest.importorskip("numpy", reason="NumPy is not installed")
    once = [{"dialog_id": 10 * n, "turn_id": 1, "score": n % 3 / 2} for n in range(8)]
    twice = [{**record, "dialog_id": record["dialog_id"] + k} for record in once for k in (0, 1)]

    def dialogue(number: Any) -> Any:
        return number // 10

    assert bootstrap_interval(twice, whole=dialogue) == pytest.approx(bootstrap_interval(once))
    assert bootstrap_interval(twice) != pytest.approx(bootstrap_interval(once)), "as dialogues they would say more"
    found = paired_difference(twice, [{**record, "score": 0.0} for record in once], whole=dialogue)
    assert found is not None and found["dialogues"] == 8
