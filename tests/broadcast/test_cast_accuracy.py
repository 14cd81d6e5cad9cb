"""Accuracy of dialogues and categories, from sessions written by hand."""

import random
from dataclasses import replace
from statistics import fmean

import pytest
from broadcast_sessions import played

from evolif.broadcast.accuracy import ACCURACY_TABLE, accuracies, overall_share
from evolif.broadcast.plays import match_of
from evolif.metrics import PROCESS, compare, counted_sessions, figures, tables_of


def values(sessions):
    return figures((ACCURACY_TABLE,), counted_sessions(sessions)).by_name()


def test_problems_count_in_their_own_figure_and_over_all_turns():
    found = values([played(1, "S- A1 I.5 M0 M1 M1", task="TS")])
    assert found["accuracy"] == found["ts"] == 0.75
    assert found["math"] == pytest.approx(2 / 3) and found["original"] == pytest.approx(3.5 / 5)
    assert found["if"] is found["cr"] is found["ir"] is None


def test_figures_are_means_over_dialogues_and_dialogues_with_0_count():
    found = values([played(1, "A1 A1 A1 A1"), played(2, "A0"), played(3, "T.5", task="IR")])
    assert found["cr"] == 0.5 and found["ir"] == 0.5 and found["accuracy"] == 0.5


def test_a_dialogue_without_a_judged_turn_has_accuracy_0():
    found = values([played(1, "S- S-"), played(2, "A1")])
    assert found["cr"] == 0.5 and found["original"] == 1.0


def test_what_was_asked_after_patience_was_gone_counts():
    turns = "A1 A0 A0 A1 A1 A1 A1 A1"
    [own] = counted_sessions([played(1, turns, patience=2)])
    assert len(own.turns) == 3 and len(own.later) == 5
    assert values([played(1, turns, patience=2)])["cr"] == 6 / 8
    process = figures((PROCESS,), [own]).by_name()
    assert process["edr_len"] == 3 and process["csr"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "broken",
    [
        {"ending": "suspended", "cause": "provider"},
        {"ending": "censored", "cause": "cap"},
        {"ending": "finished", "cause": "patience"},
        {"ending": None, "cause": ""},
    ],
)
def test_matches_that_broke_off_are_in_no_category(broken):
    assert values([played(1, "A1"), played(2, "A0", **broken)])["cr"] == 1.0
    assert match_of(played(2, "A0", **broken)) is None


def test_a_run_has_the_categories_of_its_benchmark_only():
    own, process = tables_of(ACCURACY_TABLE, 3, [played(1, "A1"), played(2, "T1 L1", task="IR")])
    assert tuple(own.ratios) == ("accuracy", "cr", "ir", "original") and process is PROCESS
    full = [played(n, "A1 M1", task=task) for n, task in enumerate(("IF", "CR", "IR", "TS"), 1)]
    assert tables_of(ACCURACY_TABLE, 3, full)[0] is ACCURACY_TABLE


def test_overall_is_the_plain_mean_of_categories_of_any_size():
    sessions = [played(1, "A1"), played(2, "A1"), played(3, "A1"), played(4, "T0", task="IR")]
    found = overall_share(list(map(match_of, sessions)), seed=0, resamples=200)
    assert (found.value, found.interval, found.of) == (0.5, None, 4)
    assert values(sessions)["accuracy"] == 0.75
    assert overall_share([], seed=0, resamples=200).value is None


def matches_of(**tasks):
    sessions = []
    for task, scores in tasks.items():
        sessions += [played(len(sessions) + at, f"A{score}", task=task) for at, score in enumerate(scores, 1)]
    return list(map(match_of, sessions))


def test_the_interval_of_overall_draws_the_dialogues_of_each_category_by_themselves():
    # Categories far apart, each of which hardly varies: only draws by category have a narrow interval.
    apart = matches_of(IF=[0.9, 1.0] * 10, CR=[0.0, 0.1] * 10)
    low, high = overall_share(apart, seed=0, resamples=2_000).interval
    assert 0.47 < low < 0.5 < high < 0.53
    # Two means of 20 numbers that are 0 or 1, half of them: standard error (0.25 / 20 / 2) ** 0.5 = 0.079.
    wild = matches_of(IF=[0, 1] * 10, CR=[1, 0] * 10)
    low, high = overall_share(wild, seed=0, resamples=4_000).interval
    assert 0.5 - low == pytest.approx(1.96 * 0.079, abs=0.02) and high - 0.5 == pytest.approx(1.96 * 0.079, abs=0.02)


def test_the_interval_does_not_depend_on_the_order_and_has_a_width_where_all_agree():
    matches = matches_of(IF=[0.2, 0.4, 0.5, 0.1, 0.9, 1.0, 0.3], CR=[0.2] * 7)
    found = overall_share(matches, seed=3, resamples=500)
    random.Random(1).shuffle(matches)
    assert overall_share(matches, seed=3, resamples=500) == found
    low, high = overall_share(matches_of(IF=[1] * 20, CR=[1] * 20), seed=0, resamples=500).interval
    assert 0.8 < low < 1 and high == 1


def test_one_category_alone_has_its_own_interval():
    matches = matches_of(CR=[0.2, 0.4, 0.5, 0.1, 0.9, 1.0, 0.3])
    found = overall_share(matches, seed=0, resamples=500)
    sessions = [played(n, f"A{score}") for n, score in enumerate([0.2, 0.4, 0.5, 0.1, 0.9, 1.0, 0.3], 1)]
    from evolif.metrics import figures_with_intervals

    assert found.interval == pytest.approx(figures_with_intervals((ACCURACY_TABLE,), sessions).intervals["cr"])


def test_epochs_of_a_dialogue_are_taken_together():
    once = played(1, "A1")
    matches = list(map(match_of, [once, replace(played(1, "A0"), epoch=1), played(2, "A1")]))
    assert accuracies(matches) == {"CR": [0.5, 1.0]} and fmean(accuracies(matches)["CR"]) == 0.75


def test_models_are_compared_over_the_matches_that_both_played_to_the_end():
    pytest.importorskip("numpy", reason="NumPy is not installed")
    pytest.importorskip("scipy", reason="SciPy is not installed")
    mine = [played(n, "A1", model="a") for n in range(1, 9)]
    others = [played(n, "A.5", model="b") for n in range(1, 8)] + [
        played(8, "A1", model="b", ending="censored", cause="cap")
    ]
    tables = tables_of(ACCURACY_TABLE, None, [*mine, *others])
    found = compare(mine, others, tables=tables[:1])
    assert found.dialogues == 7 and found.left_out == {"not scored in both": 1}
    assert found.differences["cr"].value == 0.5 and found.differences["cr"].p < 0.02
    assert set(found.beside) == {"original"}
