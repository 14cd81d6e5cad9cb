"""The order of models, and what is certain of it."""

from itertools import combinations
from random import Random

import pytest
from sessions_by_hand import play

from evolif.errors import UsageError
from evolif.metrics import AT_N, PROCESS, MetricTable, compare
from evolif.metrics.pairs import holm
from evolif.metrics.ranking import ranking
from evolif.types import Session

pytest.importorskip("numpy", reason="NumPy is not installed")

SCORED = MetricTable(
    ("points", "faults", "one"),
    lambda session: (float(len(session.turns)), -float(len(session.turns)), 1.0),
    {"points": ("points", "one"), "faults": ("faults", "one")},
    lower=frozenset({"faults"}),
)


def drawn(reliability: float, dialogues: int, seed: int, name: str) -> list[Session]:
    """Sessions of a model that satisfies each turn with a fixed probability, patience 3, cap 20."""
    chance = Random(seed)
    sessions = []
    for dialogue in range(1, dialogues + 1):
        turns = ""
        while not turns.endswith("000") and len(turns) < 20:
            turns += "1" if chance.random() < reliability else "0"
        ending = "finished" if turns.endswith("000") else "censored"
        sessions.append(play(dialogue, " ".join(turns), ending, model=name))
    return sessions


def several(*reliabilities: float, dialogues: int = 60, seed: int = 0) -> dict[str, list[Session]]:
    return {f"m{n}": drawn(own, dialogues, 100 * seed + n, f"m{n}") for n, own in enumerate(reliabilities)}


def test_ranks_and_what_is_certain_of_them():
    for main in ("isr_at_n", "rob", "exhaustion_rate"):
        found = ranking(several(0.3, 0.85, 0.84), table=PROCESS, metrics=(main, "edr_len"))
        worst, *best = (found.places[main][f"m{n}"] for n in range(3))
        assert (worst.rank, worst.low, worst.high) == (3, 3, 3)
        assert sorted(one.rank for one in best) == [1, 2]
        assert {(one.low, one.high) for one in best} == {(1, 2)}
        # Of the others only the order of the figures is known.
        assert {(one.low, one.high) for one in found.places["edr_len"].values()} == {(None, None)}
    assert (found.main, found.dialogues, found.clusters) == ("exhaustion_rate", 60, 60)
    assert {(pair.a, pair.b) for pair in found.pairs if pair.told_apart} == {("m0", "m1"), ("m0", "m2")}


def test_holm_covers_all_pairs_of_the_main_metric_and_p_is_that_of_a_comparison():
    models = several(0.5, 0.6, 0.7, dialogues=20)
    found = ranking(models, table=PROCESS, metrics=(AT_N, "isr"))
    alone = {
        (metric, a, b): compare(models[a], models[b]).differences[metric].p
        for metric in (AT_N, "isr")
        for a, b in combinations(models, 2)
    }
    assert {(pair.metric, pair.a, pair.b): pair.p for pair in found.pairs} == pytest.approx(alone)
    corrected = holm({f"{a} {b}": p for (metric, a, b), p in alone.items() if metric == AT_N})
    for pair in found.pairs:
        assert pair.p_holm == (corrected[f"{pair.a} {pair.b}"] if pair.metric == AT_N else None)
        assert not pair.told_apart or pair.metric == AT_N


def test_less_may_be_better():
    models = several(0.3, 0.8, 0.6)
    points, faults = (ranking(models, table=SCORED, metrics=[name]) for name in ("points", "faults"))
    assert [one.rank for one in points.places["points"].values()] == [3, 1, 2]
    assert [one.rank for one in faults.places["faults"].values()] == [3, 1, 2]
    assert [pair.above for pair in points.pairs] == pytest.approx([pair.above for pair in faults.pairs])
    assert faults.places["faults"]["m0"].value < 0


def test_equal_figures_share_a_rank_and_nothing_is_certain():
    one = drawn(0.7, 30, 1, "")
    found = ranking({"a": one, "b": one}, table=PROCESS)
    assert {(place.rank, place.low, place.high) for place in found.places[AT_N].values()} == {(1.5, 1, 2)}
    [pair] = found.pairs
    assert (pair.above, pair.p, pair.told_apart) == (0.5, 1.0, False)


def test_few_dialogues_leave_every_rank_open():
    found = ranking(several(0.1, 0.99, dialogues=5), table=PROCESS)
    assert {(place.low, place.high) for place in found.places[AT_N].values()} == {(1, 2)}
    assert [pair.above for pair in found.pairs] == [None]


def test_only_dialogues_that_all_have_and_models_that_have_some():
    models = several(0.5, 0.9, dialogues=10)
    models["m1"] = models["m1"][3:]
    models["none"] = [play(1, "1", "suspended", model="none")]
    found = ranking(models, table=PROCESS)
    assert found.dialogues == 7 and list(found.places[AT_N]) == ["m0", "m1"]
    apart = {"a": models["m0"][:3], "b": models["m1"]}
    assert ranking(apart, table=PROCESS).places == {AT_N: {}}
    assert ranking({}, table=PROCESS).pairs == ()


def test_a_metric_that_one_lacks_leaves_it_out():
    models = several(0.6, 0.7, dialogues=12)
    models["perfect"] = [play(dialogue, "1 1 1", "censored", model="perfect") for dialogue in range(1, 13)]
    found = ranking(models, table=PROCESS, metrics=("rec", "rob"))
    assert list(found.places["rec"]) == ["m0", "m1"] and len(found.places["rob"]) == 3
    assert {place.high for place in found.places["rec"].values()} <= {1, 2}
    # With the perfect one no pair has a p in REC: nothing to correct for.
    assert len([pair for pair in found.pairs if pair.metric == "rec"]) == 1


def test_refusals():
    with pytest.raises(UsageError, match="unknown metric “fame”"):
        ranking(several(0.5), table=PROCESS, metrics=["fame"])
    with pytest.raises(UsageError, match="the bootstrap needs a seed"):
        ranking(several(0.5), table=PROCESS, seed=-1)


@pytest.mark.slow
def test_equal_models_keep_all_ranks():
    """In at least 95 of 100 runs, for all of four models together."""
    kept = 0
    for seed in range(100):
        found = ranking(several(*[0.8] * 4, dialogues=20, seed=seed), table=PROCESS, resamples=1)
        kept += all((one.low, one.high) == (1, 4) for one in found.places[AT_N].values())
    assert kept >= 93
