"""Figures of a scenario's own table, with and without patience."""

import copy
import math
import pickle
from dataclasses import replace

import pytest
from sessions_by_hand import play

from evolif.budget.stop_rule import parse_rule
from evolif.errors import UsageError
from evolif.metrics import (
    PROCESS,
    Figures,
    MetricTable,
    breakdown,
    cluster_rows,
    compare,
    counted_sessions,
    process_metrics,
    records_from_sessions,
    survival,
    tables_of,
)
from evolif.metrics.process import RATES
from evolif.metrics.ranking import ranking
from evolif.metrics.ranks import rank_stability
from evolif.metrics.survival import hazard
from evolif.metrics.table import figures, figures_with_intervals
from evolif.types import JudgedTurn, Score, Session, Verdict


def points(session):
    """Points of the target's turns and of the partner's."""
    sums = {"target": 0.0, "partner": 0.0}
    for turn in session.turns:
        sums[turn.seat] += sum(score.value or 0 for score in turn.scores)
    return 1, sums["target"], float(sums["target"] > sums["partner"]), sums["partner"]


GAME = MetricTable(
    terms=("sessions", "points", "won", "lost"),
    of=points,
    ratios={"won": ("won", "sessions"), "points": ("points", "sessions"), "share": ("points", "lost")},
    labels={"won": "won", "points": "points a game"},
    units={"points": "count"},
)


def game(dialogue, mine, others, *, model="m", ending="finished", **given):
    """A session of turns by turns: each number is the score of a turn, the target's first."""
    turns = []
    for mine_now, other in zip(mine, others, strict=True):
        turns.append(JudgedTurn(len(turns) + 1, (), {}, (Score("points", mine_now),)))
        turns.append(JudgedTurn(len(turns) + 1, (), {}, (Score("points", other),), "partner"))
    return Session(model, dialogue, 0, None, ending, turns=tuple(turns), cause="over", **given)


GAMES = [game(1, [3, 1], [1, 1]), game(2, [0, 1], [2, 2]), game(3, [5], [0]), game(4, [9], [0], ending="suspended")]


def test_values_and_what_is_left_out():
    found = figures((GAME,), counted_sessions(GAMES))
    # Points 4, 1, 5 against 2, 4, 0; the suspended game does not count.
    assert found.by_name() == {"won": 2 / 3, "points": 10 / 3, "share": 10 / 6}
    assert (found.dialogues, found.left_out) == (3, {"share": 1})


def test_optional_metrics_that_no_counted_session_has_are_left_out():
    drawn = replace(GAME, optional=frozenset({"share"}))
    without, with_all = [game(1, [3], [0])], [game(1, [3], [0]), game(2, [1], [1])]
    (table, _) = tables_of(drawn, 3, iter(without))
    assert tuple(table.ratios) == ("won", "points") and table.terms == GAME.terms
    assert tables_of(drawn, 3, without)[0] is table  # reports tell tables apart by identity
    assert tables_of(drawn, 3, with_all)[0] is drawn and tables_of(drawn, 3)[0] is drawn
    suspended = replace(game(2, [1], [1]), ending="suspended")
    assert tables_of(drawn, 3, [*without, suspended])[0] is table


def test_intervals_are_over_dialogues_and_of_any_sign():
    shifted = [game(d, [d - 6], [1]) for d in range(1, 12)]
    own = figures_with_intervals((GAME,), shifted, seed=1, resamples=200)
    low, high = own.intervals["points"]
    assert low < own.metrics.value("points") == 0 < high and low >= -5 and high <= 5
    assert figures_with_intervals((GAME,), shifted[::-1], seed=1, resamples=200) == own
    assert figures_with_intervals((GAME,), shifted[:1], resamples=20).intervals == dict.fromkeys(GAME.ratios)


def test_a_run_has_its_own_table_first_then_what_patience_or_verdicts_give():
    judged = [play(1, "1 0", patience=None)]
    assert tables_of(GAME, 3, []) == (GAME, PROCESS)
    assert tables_of(None, 3, []) == (PROCESS,)
    assert tables_of(GAME, None, GAMES) == (GAME,)
    assert tables_of(GAME, None, judged) == tables_of(GAME, None) == (GAME, RATES)
    assert tables_of(None, None, []) == ()


@pytest.mark.parametrize("name", ["csr", "rob", "sessions", "groups"])
def test_a_name_that_reports_use_is_refused(name):
    table = MetricTable(("one",), lambda session: (1,), {name: ("one", "one")})
    with pytest.raises(UsageError, match=f"use the names {name} already"):
        tables_of(table, None)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"ratios": {}}, "needs a name"),
        ({"ratios": {"Won %": ("one", "one")}}, "needs a name of lowercase letters"),
        ({"ratios": {"won": ("two", "one")}}, "does not have: two"),
        ({"ratios": {"won": ("one", "one")}, "headline": "lost"}, "headline “lost” is none"),
    ],
)
def test_a_broken_table(given, why):
    with pytest.raises(UsageError, match=why):
        MetricTable(("one",), lambda session: (1,), **given)


@pytest.mark.parametrize("row", [(), (1,), (1, 2, 3), (1, math.nan), (math.inf, 1), (1, -1)])
def test_terms_that_cannot_be(row):
    table = MetricTable(("top", "bottom"), lambda session: row, {"won": ("top", "bottom")})
    with pytest.raises(UsageError, match="dialogue 1: "):
        figures((table,), GAMES[:1])


def test_only_the_targets_turns_count_for_verdicts_and_patience():
    def turn(number, satisfied, seat):
        return JudgedTurn(number, (Verdict("legal", satisfied, "", ""),), {}, (), seat)

    told = [(False, "target"), (False, "partner"), (True, "target"), (False, "partner"), (False, "target")]
    turns = tuple(turn(n, satisfied, seat) for n, (satisfied, seat) in enumerate((*told, *told[3:] * 2), 1))
    alone = tuple(one for one in turns if one.seat == "target")
    both, mine = (Session("m", 1, 0, 3, "finished", turns=own) for own in (turns, alone))
    assert records_from_sessions([both]) == records_from_sessions([mine])
    (counted,) = counted_sessions([both])
    assert counted.turns == turns  # 0 1 0 0 0: the last turn exhausts patience
    more = Session("m", 1, 0, 3, "finished", turns=(*turns, turn(10, True, "partner"), turn(11, True, "target")))
    assert counted_sessions([more]) == (counted,)
    assert hazard([both]) == hazard([mine])
    assert breakdown([both], [], "group") == breakdown([mine], [], "group")
    assert breakdown([both], [], "group")["legal"].turns == 5


def test_verdicts_without_patience():
    sessions = [play(d, "0 0 0 0 1", patience=None, ending="finished") for d in (1, 2)]
    found = figures((RATES,), counted_sessions(sessions))
    assert found.by_name() == {"csr": 0.2, "isr": 0.2}
    assert found.value("rob") is None
    assert found.value("isr") == process_metrics(records_from_sessions(sessions).records).isr


def test_a_comparison_over_all_tables():
    pytest.importorskip("numpy", reason="NumPy is not installed")
    a = [game(d, [d % 3 + 2], [1]) for d in range(1, 9)]
    b = [game(d, [d % 3], [1], model="n") for d in range(1, 9)]
    found = compare(a, b, tables=(GAME, RATES))
    assert tuple(found.differences) == ("won", "points", "share", "csr", "isr")
    points_of = found.differences["points"]
    assert (points_of.value, points_of.p, points_of.p_holm) == (2, 2 / 2**8, None)
    assert 0 < points_of.interval[0] < 2 < points_of.interval[1]
    assert found.differences["csr"].p is None
    lead = found.differences["won"]
    assert lead.p_holm == lead.p  # one pair: nothing to correct
    assert found.dialogues == found.clusters == 8 and found.left_out == {}
    assert found.shared is found.early is found.cap is None  # there is no patience


def test_dialogues_of_one_instance_count_as_one():
    pytest.importorskip("numpy", reason="NumPy is not installed")
    table = replace(GAME, cluster="instance")

    def of(model, points):
        return [
            replace(one, turns=tuple(replace(turn, labels={"instance": d // 4}) for turn in one.turns))
            for d in range(32)
            for one in [game(d, [points(d)], [1], model=model)]
        ]

    a, b = of("m", lambda d: d // 4 % 3 + 2), of("n", lambda d: d // 4 % 3)
    found = compare(a, b, tables=(table,))
    assert (found.dialogues, found.clusters) == (32, 8)
    assert found.differences["points"].p == 2 / 2**8  # eight instances, not 32 dialogues
    rows = cluster_rows(table, counted_sessions(a))
    assert list(rows) == [("instance", n) for n in range(8)]
    places = table.places("points")
    assert [rows["instance", 0][place] for place in places] == [4 * 2, 4]
    assert ranking({"a": a, "b": b}, table=table).clusters == 8
    few = compare(a[:20], b[:20], tables=(table,)).differences["points"]
    assert few.value == pytest.approx(2) and few.p is few.interval is None  # 20 dialogues of five instances


def test_ranks_by_the_tables_headline():
    models = {f"m{n}": [game(d, [d % (n + 2)], [1], model=f"m{n}") for d in range(1, 13)] for n in range(4)}
    by_headline, by_name = (rank_stability(models, [6], table=GAME, metric=metric) for metric in ("", "won"))
    assert by_headline == by_name and by_headline[0].draws > 0
    assert rank_stability(models, [12], table=GAME, metric="points", draws=3)[0].spearman == pytest.approx(1)


def test_a_stop_rule_names_a_metric_of_the_run():
    assert parse_rule("points=0.5", (GAME, RATES)).metric == "points"
    with pytest.raises(UsageError, match=r"e\.g\. won=0\.03.*metrics: won, points, share, csr, isr"):
        parse_rule("rob=0.1", (GAME, RATES))


def test_survival_stops_at_the_dialogues_own_length():
    pytest.importorskip("scipy", reason="SciPy is not installed")

    def over(dialogue, turns, cause):
        session = play(dialogue, turns, "finished")
        return Session("m", dialogue, 0, 3, "finished", turns=session.turns, cause=cause)

    ended = [over(1, "1 1 1 1", "over"), over(2, "0 0 0", "patience")]
    curve = survival(ended, max_turns=50, resamples=20)
    assert (curve.cap, [p.exhausted for p in curve.points]) == (4, [0, 0, 0, 1, 0])
    assert survival(ended[1:], max_turns=50, resamples=20).cap == 50


def test_metrics_are_attributes_too() -> None:
    figures = Figures({"rob": 0.5, "rec": None}, 3, {"rec": 3})
    assert (figures.rob, figures.rec, figures.rec_left_out, figures.rob_left_out) == (0.5, None, 3, 0)
    assert copy.deepcopy(figures) == pickle.loads(pickle.dumps(figures)) == figures
    for name in ("csr", "left_out_left_out", "_left_out"):
        with pytest.raises(AttributeError, match="there is no metric"):
            getattr(figures, name)
