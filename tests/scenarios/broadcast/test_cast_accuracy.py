"""Accuracy of dialogues and categories, from sessions written by hand."""

import math
import random
from dataclasses import replace
from statistics import fmean

import pytest
from broadcast_sessions import played

from evolif.metrics import PROCESS, compare, counted_sessions, tables_of
from evolif.metrics.table import clustered, figures, figures_with_intervals
from evolif.scenarios.broadcast.accuracy import ACCURACY_TABLE, accuracies, overall_share
from evolif.scenarios.broadcast.options import BroadcastOptions
from evolif.scenarios.broadcast.sessions import match_of


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
    assert tuple(own.ratios) == ("accuracy", "cr", "ir", "original") and process is clustered(PROCESS, "match")
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


def spread(values):
    """The variance of a mean, and the degrees of freedom that its kurtosis leaves."""
    n, mean = len(values), fmean(values)
    squares = sum((value - mean) ** 2 for value in values)
    kurtosis = n * sum((value - mean) ** 4 for value in values) / squares**2
    return squares / (n * (n - 1)), min(n - 1, max(2, 2 * n / (kurtosis - 1))) if kurtosis > 1 else n - 1


def welch(*categories):
    """The standard error of a plain mean of categories, and its freedom by Welch and Satterthwaite."""
    found = [(variance / len(categories) ** 2, freedom) for variance, freedom in map(spread, categories)]
    total = sum(variance for variance, _ in found)
    return math.sqrt(total), total**2 / sum(variance**2 / freedom for variance, freedom in found)


def logistic(odds):
    return 1 / (1 + math.exp(-odds))


def of_mean(*categories):
    """Student's interval on the scale of log odds."""
    stats = pytest.importorskip("scipy.stats")
    point, (error, freedom) = fmean(map(fmean, categories)), welch(*categories)
    odds, half = math.log(point / (1 - point)), stats.t.ppf(0.975, freedom) * error / (point * (1 - point))
    return logistic(odds - half), logistic(odds + half)


CR = [0.2, 0.4, 0.5, 0.1, 0.9, 1.0, 0.3]
IF = [0.9, 0.7, 0.8, 1.0, 0.6, 0.75, 0.95, 0.85, 0.7, 0.9]


def test_the_interval_of_overall_takes_the_spread_of_each_category_by_itself():
    found = overall_share(matches_of(IF=IF, CR=CR), seed=0, resamples=200)
    assert found.value == pytest.approx((fmean(IF) + fmean(CR)) / 2) and found.of == 17
    assert found.interval == pytest.approx(of_mean(IF, CR))
    # Categories far apart, each of which hardly varies, have a narrow one.
    low, high = overall_share(matches_of(IF=[0.9, 1.0] * 10, CR=[0.0, 0.1] * 10), seed=0, resamples=200).interval
    assert 0.48 < low < 0.5 < high < 0.52


def test_variants_and_epochs_of_a_match_are_one():
    once = overall_share(matches_of(IF=IF, CR=CR), seed=0, resamples=200)
    sessions = []
    for match, (task, score) in enumerate([*(("IF", one) for one in IF), *(("CR", one) for one in CR)]):
        for variant in ("", "chunks=10", "chunks=20"):
            own = played(len(sessions) + 1, f"A{score}", task=task, variant=variant, match=match)
            sessions += [own, replace(own, epoch=1)]
    again = overall_share(list(map(match_of, sessions)), seed=0, resamples=200)
    assert again.value == pytest.approx(once.value) and again.interval == pytest.approx(once.interval)
    assert again.of == 17
    whole = [figures_with_intervals((ACCURACY_TABLE,), own).intervals["cr"] for own in (sessions, sessions[::6])]
    assert whole[0] == pytest.approx(whole[1])


def test_a_match_of_several_tasks_is_one_in_the_interval_of_overall():
    stats = pytest.importorskip("scipy.stats")
    other = [1 - value for value in CR[::-1]]
    sessions = [played(at + 1, f"A{score}", task="CR", match=at) for at, score in enumerate(CR)]
    sessions += [played(at + 8, f"T{score}", task="IR", match=at) for at, score in enumerate(other)]
    found = overall_share(list(map(match_of, sessions)), seed=0, resamples=200)
    means = [(one + two) / 2 for one, two in zip(CR, other, strict=True)]
    (variance, freedom), point = spread(means), fmean(means)
    odds, half = math.log(point / (1 - point)), stats.t.ppf(0.975, freedom) * variance**0.5 / (point * (1 - point))
    assert found.interval == pytest.approx((logistic(odds - half), logistic(odds + half))) and found.of == 7
    assert found.interval != pytest.approx(of_mean(CR, other))


def test_where_most_matches_have_full_marks_the_low_end_makes_room_for_an_unseen_one():
    full = [1.0] * 11 + [0.98]
    [low, high] = overall_share(matches_of(IF=full, CR=full, IR=full), seed=0, resamples=2_000).interval
    narrow = of_mean(full, full, full)
    assert high == pytest.approx(narrow[1])
    # Half an unseen match of 36: about the 97.5th percentile of beta(1/2, 36), and a little for the .98.
    stats = pytest.importorskip("scipy.stats")
    assert 1 - low == pytest.approx(stats.beta.ppf(0.975, 0.5, 36) + 0.0017, abs=0.006) and narrow[0] > low + 0.05
    none = [0.0] * 11 + [0.02]
    mirrored = overall_share(matches_of(IF=none, CR=none, IR=none), seed=0, resamples=2_000).interval
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-3)


def test_categories_that_do_not_vary_have_a_width():
    # As many equal matches as the smaller category would make in both.
    low, high = overall_share(matches_of(IF=[1.0] * 12, CR=[0.2] * 7), seed=0, resamples=200).interval
    seen = 0.025 ** (1 / 14)
    assert (low, high) == pytest.approx((0.6 * seen, 0.6 + 0.4 * (1 - seen)))


def test_no_interval_where_a_category_has_fewer_than_six_matches_however_many_dialogues_they_are():
    sessions = [
        played(10 * match + at, f"A{match / 10}", variant=str(at), match=match) for match in range(5) for at in range(4)
    ]
    cr = overall_share(list(map(match_of, sessions)), seed=0, resamples=200)
    assert (cr.interval, cr.of) == (None, 5)
    assert figures_with_intervals((ACCURACY_TABLE,), sessions).intervals["cr"] is None


@pytest.mark.parametrize("options", [{}, {"task": ("TS",), "switch": ("math", "none")}, {"chunks": (5, 10, 20)},
                                     {"whole": True, "sport": ("hockey",)}, {"ask_after": (1, 2, 3)}])  # fmt: skip
def test_a_number_of_a_match_is_that_of_one_match_in_all_tasks_and_sports(options):
    spec = BroadcastOptions(**options)
    places = [spec.place(dialogue) for dialogue in range(1, 241)]
    kinds = {(place.match, place.task, place.sport) for place in places}
    assert len(kinds) == len({place.match for place in places}) == 240 // len(spec.variants)
    assert len({(place.match, place.variant) for place in places}) == 240


def test_dialogues_without_the_label_of_a_match_are_each_their_own():
    bare = [replace(one, turns=tuple(replace(turn, labels={"task": "CR", "kind": "A"}) for turn in one.turns))
            for one in (played(1, "A1"), played(2, "A0"), replace(played(2, "A1"), epoch=1))]  # fmt: skip
    assert [match_of(one).match for one in bare] == [1, 2, 2]
    assert match_of(played(1, "A1", match=7)).match == match_of(played(2, "A0", match=7)).match != 7


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
