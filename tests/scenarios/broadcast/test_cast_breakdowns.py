"""Accuracy by sub-task, sport, period, distance and turn; how errors pile up; what nobody judged."""

import math
from dataclasses import replace
from statistics import fmean

import pytest
from broadcast_sessions import played

from evolif.metrics.table import figures_with_intervals
from evolif.scenarios.broadcast.accuracy import ACCURACY_TABLE
from evolif.scenarios.broadcast.breakdowns import (
    breakdown_grids,
    by_distance,
    by_period,
    by_sport,
    by_subtask,
    by_turn,
    distance_chart,
    span_of,
    turn_chart,
)
from evolif.scenarios.broadcast.categories import (
    categories_object,
    category_grid,
    category_remarks,
    category_shares,
    switching,
    unjudged_share,
)
from evolif.scenarios.broadcast.error_streaks import only_scores, pile_up, pile_up_grid, pile_up_object, pile_up_remarks
from evolif.scenarios.broadcast.report import broadcast_figures, broadcast_grids, broadcast_object, broadcast_remarks
from evolif.scenarios.broadcast.sessions import BroadcastColumn, match_of
from evolif.types import CREDIT, JudgedTurn, Score, Session, Verdict


def column(*sessions, name="m", **given):
    return BroadcastColumn(name, tuple(map(match_of, sessions)), resamples=300, **given)


def told(shares):
    return {name: (round(share.value, 3), share.of) for name, share in shares.items()}


MIXED = column(
    played(1, "S- A1@0 A0@1 I.5@0 S- A1@2 I1@1#2", sport="basketball"),
    played(2, "L1@0 T.5@0 H0@1#2 M1 S1#2", task="TS", sport="hockey"),
    played(3, "S1 K.5 Q.25#3", task="IF", sport="basketball"),
)


def test_by_subtask_in_the_order_of_categories_problems_last():
    assert told(by_subtask(MIXED.matches)) == {
        "IF, fixed format": (0.5, 1), "IF, prompted format": (0.25, 1), "IF, score": (1, 1),
        "CR, anchored event": (0.667, 3), "CR, interval events": (0.75, 2),
        "TS, changes of the lead": (1, 1), "TS, impact": (0.25, 2), "TS, score": (1, 1), "TS, problem": (1, 1),
    }  # fmt: skip
    assert [*by_subtask(MIXED.matches)][-1] == "TS, problem"


def test_changes_of_the_lead_stand_apart_from_distances():
    assert told(by_distance(MIXED.matches)) == {
        "0, changes of the lead": (1, 1), "0": (0.667, 3), "1": (0.333, 3), "2": (1, 1)
    }  # fmt: skip


def test_periods_and_turns_leave_problems_out():
    assert told(by_period(MIXED.matches)) == {"1": (0.688, 8), "2": (0.667, 3), "3": (0.25, 1)}
    assert told(by_turn(MIXED.matches, 4)) == {
        "IF, 1–4": (0.583, 3), "CR, 1–4": (0.5, 3), "CR, 5–8": (1, 2), "TS, 1–4": (0.5, 3), "TS, 5–8": (1, 1)
    }  # fmt: skip


def test_sports_are_means_over_dialogues():
    own = column(played(1, "A1 A1 A1 A1"), played(2, "A0"), played(3, "A.5", sport="hockey"))
    assert told(by_sport(own.matches)) == {"basketball": (0.5, 2), "hockey": (0.5, 1)}


def test_epochs_of_a_dialogue_are_one_dialogue():
    own = column(played(1, "A1"), replace(played(1, "A0"), epoch=1), played(2, "A1"), replace(played(2, "A1"), epoch=1))
    assert told(by_sport(own.matches)) == {"basketball": (0.75, 2)}
    assert {name: share.of for name, share in category_shares(own).items()} == {
        "overall": 2, "CR context retrieval": 2, "all judged turns": 2
    }  # fmt: skip
    assert next(broadcast_remarks("m", own)).endswith("over 2 dialogues.")


def test_spans_grow_with_dialogues():
    assert span_of([MIXED]) == 8
    assert span_of([column(played(1, "A1 " * 48))]) == 8 and span_of([column(played(1, "A1 " * 49))]) == 16
    assert span_of([]) == 8


def test_tables_have_a_column_for_each_model_and_no_row_that_says_nothing():
    other = column(played(1, "A1@0"), name="n")
    grids = {grid.name: grid for grid in breakdown_grids([MIXED, other])}
    assert list(grids) == ["subtasks", "distances", "turns", "periods", "sports"]
    assert all(grid.heads == ("m", "n") for grid in grids.values())
    cells = dict(grids["subtasks"].rows)["CR, anchored event"]
    assert [cell.value for cell in cells] == ["67", "100"] and [cell.aside for cell in cells] == ["of 3", "of 1"]
    assert [grid.name for grid in breakdown_grids([other])] == ["subtasks"]


def test_charts_against_distance_and_turns():
    other = column(played(1, "A1@0 A0@1"), name="n")
    chart = distance_chart([MIXED, other])
    assert chart.x == (0, 1, 2) and [line.name for line in chart.lines] == ["m", "n"]
    assert chart.lines[0].points[0].of == 3 and chart.lines[1].points[2].value is None
    assert [line.name for line in distance_chart([MIXED]).lines] == ["CR", "TS"]
    assert distance_chart([column(played(1, "A1@0 L1@0"))]) is None
    long = column(played(1, "A1 " * 9), played(2, "T0 " * 20, task="IR"))
    chart = turn_chart([long])
    assert chart.x == (8, 16, 24) and [line.name for line in chart.lines] == ["CR", "IR"]
    assert [line.name for line in turn_chart([long, other]).lines] == ["m", "n"]
    assert turn_chart([other]) is None


def test_wrong_turns_after_wrong_and_right_ones():
    # Pairs: right-wrong, wrong-wrong, wrong-right (over the problem), right-right.
    found = pile_up([match_of(played(1, "A1 A0 A.9 M0 A1 S- A1"))])
    assert (found.after_wrong.value, found.after_wrong.of) == (0.5, 2)
    assert (found.after_right.value, found.after_right.of) == (0.5, 2)
    assert found.difference == 0 and found.interval is None
    alone = pile_up([match_of(played(1, "A1 S0 A0 S0 A1 S1"))], only_scores)
    assert (alone.after_wrong.value, alone.after_wrong.of, alone.after_right.value) == (0.5, 2, None)
    assert alone.difference is None


def influences(tops, bottoms):
    """What each match adds to a ratio, by leaving it out."""
    left = [(sum(tops) - top) / (sum(bottoms) - bottom) for top, bottom in zip(tops, bottoms, strict=True)]
    return [(len(left) - 1) * (fmean(left) - value) for value in left]


def half_width(values):
    """Of Student's interval, from what each match adds to a figure."""
    stats = pytest.importorskip("scipy.stats")
    n, squares = len(values), sum(value**2 for value in values)
    kurtosis = n * sum(value**4 for value in values) / squares**2
    freedom = min(n - 1, max(2, 2 * n / (kurtosis - 1))) if kurtosis > 1 else n - 1
    return float(stats.t.ppf(0.975, freedom)) * math.sqrt(squares / (n * (n - 1)))


def test_the_difference_of_errors_after_errors_has_an_interval_over_matches():
    sticky = ["A0 A0 A0 A1 A1 A1", "A1 A1 A1 A1 A0 A0", "A0 A0 A1 A1 A1 A0", "A1 A0 A0 A0 A0 A1"] * 5
    own = column(*(played(n, turns) for n, turns in enumerate(sticky, 1)))
    found = pile_up(own.matches)
    assert found.difference == pytest.approx(found.after_wrong.value - found.after_right.value)
    # Wrong turns after a wrong one, of all these, and the same after a right one, in each match of four kinds.
    counts = list(zip(*[(2, 3, 0, 2), (1, 1, 1, 4), (1, 2, 1, 3), (3, 4, 1, 1)] * 5, strict=True))
    assert found.difference == pytest.approx(sum(counts[0]) / sum(counts[1]) - sum(counts[2]) / sum(counts[3]))
    own_part, others = influences(*counts[:2]), influences(*counts[2:])
    half = half_width([one - other for one, other in zip(own_part, others, strict=True)])
    assert found.interval == pytest.approx((found.difference - half, found.difference + half))
    # Variants and epochs of a match are one: they agree, so they add nothing.
    twice = column(*(played(2 * n + at, turns, match=n, variant=str(at)) for n, turns in enumerate(sticky, 1)
                     for at in range(2)))  # fmt: skip
    assert pile_up(twice.matches).interval == pytest.approx(found.interval)
    assert twice.size == "20 matches (40 dialogues)" and own.size == "20 dialogues"
    [sentence] = pile_up_remarks("m", own)
    assert sentence == "m: after a wrong turn 70 % of the next ones are wrong, after a right one 30 %."
    grid = pile_up_grid([own])
    assert [name for name, _ in grid.rows] == [
        "all turns, after a wrong one", "all turns, after a right one", "all turns, difference in points"
    ]  # fmt: skip
    assert pile_up_object(own)["scores"]["difference"] == {"value": None, "low": None, "high": None}
    assert pile_up_grid([column(played(1, "A1"))]) is None


def test_rare_errors_say_little_of_what_follows_them():
    rare = ["A1 A0 A1 A1 A1 A1"] * 7 + ["A1 A1 A1 A1 A1 A1"] * 3
    found = pile_up(column(*(played(n, turns) for n, turns in enumerate(rare, 1))).matches)
    assert (found.after_wrong.value, found.after_wrong.of, found.after_right.of) == (0, 7, 43)
    # No error followed another one, in seven matches: the ends are as far as those of both shares, added as squares.
    (low, high), point = found.after_right.interval, found.after_right.value
    room = 1 - 0.025 ** (1 / 7)
    assert found.after_wrong.interval == pytest.approx((0, room))
    assert found.interval == pytest.approx((-point - (high - point), -point + math.hypot(room, point - low)))


def unjudged(dialogue, *groups, task="IF"):
    verdicts = (Verdict("tag", True, "", ""), *(Verdict(group, None, "", "") for group in groups))
    labels = {"task": task, "sport": "hockey", "kind": "K", "subtask": "fixed format", "period": 1, "match": dialogue}
    return Session(
        "m", dialogue, 0, None, "finished", cause="end", turns=(JudgedTurn(1, verdicts, labels, (Score(CREDIT, 1.0),)),)
    )


def test_points_that_nobody_judged_are_counted():
    own = column(unjudged(1, "support"), unjudged(2, "true summary"), unjudged(3), played(4, "A1"))
    assert unjudged_share(own.matches) == pytest.approx(0.35 / 4)
    assert unjudged_share(MIXED.matches) == 0 and unjudged_share([]) is None
    rows = dict(category_grid([own]).rows)
    assert rows["points that nobody judged"][0].value == "8.8"
    assert "points that nobody judged" not in dict(category_grid([MIXED]).rows)
    assert any("8.8 % of the points are not judged" in line for line in category_remarks("m", own))


def test_categories_stand_in_order_with_what_stands_beside_them():
    found = category_shares(MIXED)
    assert list(found) == [
        "overall", "IF instruction following", "CR context retrieval", "TS task switching", "problems",
        "all judged turns",
    ]  # fmt: skip
    assert found["overall"].value == pytest.approx((1.75 / 3 + 3.5 / 5 + 2.5 / 4) / 3)
    assert found["problems"].value == 1 and found["all judged turns"].of == 3
    grid = category_grid([MIXED, column(played(1, "T1", task="IR"), name="n")])
    assert [name for name, _ in grid.rows] == [
        "overall", "IF instruction following", "CR context retrieval", "IR information reasoning", "TS task switching",
        "problems", "all judged turns",
    ]  # fmt: skip


def test_switching_against_reasoning_is_told_to_be_on_other_matches():
    own = column(
        *(played(n, f"T{n % 2}", task="IR") for n in range(1, 13)),
        *(played(n, "T1 M1", task="TS") for n in range(13, 25)),
    )
    value, (low, high) = switching(own)
    # All of TS are alike and right, so both shares count: half of IR, and what could be missing of twelve.
    ir = dict(category_shares(own))["IR information reasoning"].interval
    room = 1 - 0.025 ** (1 / 12)
    assert value == 0.5
    assert (low, high) == pytest.approx((0.5 - math.hypot(room, ir[1] - 0.5), 0.5 + (0.5 - ir[0])))
    assert switching(column(played(1, "A1"))) is None
    assert switching(column(played(1, "T1", task="IR"), played(2, "T0", task="TS"))) == (-1.0, None)
    grid = category_grid([own])
    assert dict(grid.rows)["TS − IR, points"][0].value == "50" and "on different matches" in grid.note
    assert categories_object(own)["ts_minus_ir_on_other_matches"]["value"] == 0.5


def test_the_difference_of_categories_takes_the_spread_of_both():
    stats = pytest.importorskip("scipy.stats")
    ts, ir = [0.5, 0.7, 0.9, 0.6, 0.8, 1.0, 0.75], [0.2, 0.4, 0.9, 0.5, 0.3, 0.6, 0.1, 0.45]
    own = column(
        *(played(n, f"T{score}", task="TS") for n, score in enumerate(ts, 1)),
        *(played(n, f"T{score}", task="IR") for n, score in enumerate(ir, 11)),
    )
    found = []
    for values in (ts, ir):
        n, mean = len(values), fmean(values)
        squares = sum((value - mean) ** 2 for value in values)
        kurtosis = n * sum((value - mean) ** 4 for value in values) / squares**2
        found.append((squares / (n * (n - 1)), min(n - 1, max(2, 2 * n / (kurtosis - 1)))))
    total = sum(variance for variance, _ in found)
    freedom = total**2 / sum(variance**2 / own_freedom for variance, own_freedom in found)
    half, value = stats.t.ppf(0.975, freedom) * total**0.5, fmean(ts) - fmean(ir)
    assert switching(own) == (pytest.approx(value), pytest.approx((value - half, value + half)))


def test_machines_get_the_intervals_of_tables_whatever_the_seed():
    scores = [1.0] * 9 + [0.5, 0.75]
    sessions = [played(n, f"A{score}") for n, score in enumerate(scores, 1)]
    seeds = []
    for seed in (0, 5):
        own = column(*sessions, seed=seed)
        found = figures_with_intervals((ACCURACY_TABLE,), sessions, seed=seed, resamples=300).intervals["cr"]
        assert (
            category_shares(own)["CR context retrieval"].interval == found == category_shares(own)["overall"].interval
        )
        assert by_sport(own.matches, own.draws)["basketball"].interval == found
        seeds.append(found)
    assert seeds[0] == seeds[1]  # a share has one interval


def test_the_first_sentence_is_the_answer():
    own = column(
        *(played(n, "A1 I.5") for n in range(1, 13)), *(played(n, "T0 M1", task="TS") for n in range(13, 25)), broken=2
    )
    first, second, third, *_ = broadcast_remarks("gpt", own)
    assert first.startswith("gpt reaches 38 % [") and first.endswith(
        "overall over 24 dialogues: CR 75, TS 0; of the problems in between it solves 100 %."
    )
    assert second == "gpt does best in CR, anchored event (100 %) and worst in TS, impact (0 %)."
    assert third.startswith("gpt: 2 matches broke off")
    [alone, *_] = broadcast_remarks("gpt", column(played(1, "A1 A0")))
    assert alone == "gpt reaches 50 % in CR (context retrieval) over 1 dialogue."
    assert list(broadcast_remarks("gpt", BroadcastColumn("gpt", (), 0))) == []


def test_the_object_for_machines_has_fractions():
    found = broadcast_object(MIXED)
    assert found["overall"].keys() == {"value", "low", "high"} and found["matches"] == 3
    assert found["accuracy_by"]["distance"]["1"]["value"] == pytest.approx(1 / 3)
    assert found["accuracy_by"].keys() == {"subtask", "sport", "period", "distance", "turn"}
    assert found["ablation"] == [] and broadcast_object(BroadcastColumn("m", ())) == {}


def test_nothing_is_shown_of_nothing():
    assert list(broadcast_grids([])) == [] and list(broadcast_figures([])) == []
