"""One analysis per run: its parts against figures worked out by hand, each computed once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from runs_by_hand import make_run

from evolif.report import analyse, summarise
from evolif.report.comparable import group_comparable

ONE = {1: "finished:11 00 11 00 01 10", 2: "finished:00 00 00", 3: "censored:11 11 11 11"}
"""Lengths 6, 3, 4; successes 2, 0, 4; accuracy 1 + 0 + 1 + 0 + 1/2 + 1/2 = 3, 0, 4."""


def test_the_eight_metrics_are_those_worked_out_by_hand(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"sim/a": ONE})
    [model] = analyse([run], resamples=50)[0].models
    metrics = model.summary.metrics
    expected = {
        "edr_len": Fraction(13, 3),
        "edr_acc": Fraction(7, 3),
        "edr_succ": Fraction(6, 3),
        "edr_lss": Fraction(1 + 0 + 4, 3),
        # Dialogue 1: after the failures of turns 2, 4, 5 one success; dialogue 2: none of 2; dialogue 3 has no chance.
        "rec": (Fraction(1, 3) + Fraction(0, 2)) / 2,
        "rob": (Fraction(2, 6) + 0 + 1) / 3,
        "csr": Fraction(7, 13),
        "isr": Fraction(6, 13),
    }
    for name, value in expected.items():
        assert metrics.value(name) == pytest.approx(float(value), abs=1e-12), name
    assert metrics.left_out["rec"] == 1
    assert model.tokens == 13 * 15
    assert summarise(run, resamples=50)[0].metrics == metrics
    run.close()


def test_isr_at_n_is_the_good_turns_of_all_that_could_be_asked(tmp_path: Path) -> None:
    """Sessions that a budget or a stop rule cut are made up for as Kaplan and Meier do it."""
    whole = {1: "finished:11 00 11 00 00 00", 2: "finished:00 00 00", 3: f"censored:{'11 ' * 9}00"}
    run = make_run(tmp_path / "whole", {"sim/a": whole})
    [model] = analyse([run], resamples=50)[0].models
    assert model.summary.metrics.value("isr_at_n") == pytest.approx((2 + 0 + 9) / 30)
    assert model.of.headline.label == "ISR@10"
    run.close()
    cut = {
        1: "censored:11 11 00 11", 2: "finished:11 00 00 00", 3: f"censored:{'11 ' * 9}00",
        4: "censored:00 11", 5: "finished:11 11 11 00 11 00 00 00",
    }  # fmt: skip
    # S(t) is the share that reaches a turn: 1 up to 4, where one of four that play it runs out, of whom dialogue 1 is
    # cut. Of the two left one runs out at 8. At turns 1 to 4 four, four, two and two are good of 5, 5, 4 and 4; at
    # 5 to 8 both, one, one and one of two; at 9 the one that is left, at 10 not even that.
    reach = [Fraction(1)] * 4 + [Fraction(3, 4)] * 4 + [Fraction(3, 8)] * 2
    good = [
        *(Fraction(4, 5), Fraction(4, 5), Fraction(2, 4), Fraction(2, 4)),
        *(Fraction(2, 2), Fraction(1, 2), Fraction(1, 2), Fraction(1, 2), Fraction(1), Fraction(0)),
    ]
    run = make_run(tmp_path / "cut", {"sim/a": cut})
    [model] = analyse([run], resamples=50)[0].models
    expected = sum(s * q for s, q in zip(reach, good, strict=True)) / 10
    assert model.summary.metrics.value("isr_at_n") == pytest.approx(float(expected), abs=1e-12)
    assert float(expected) > (3 + 1 + 9 + 1 + 4) / 50, "as if the rest of those that were cut were bad"
    run.close()


def test_nobody_knows_how_it_goes_on_where_all_were_cut(tmp_path: Path) -> None:
    cut = {1: "censored:11 11", 2: "finished:00 00 00", 3: "censored:11 11 11"}
    run = make_run(tmp_path / "r", {"sim/a": cut})
    [model] = analyse([run], resamples=50)[0].models
    metrics = model.summary.metrics
    assert metrics.value("isr_at_n") is None and metrics.value("isr") == Fraction(5, 8)
    assert model.summary.intervals["isr_at_n"] is None
    run.close()
    asked = make_run(tmp_path / "s", {"sim/a": {**cut, 4: f"censored:{'11 ' * 10}"}})
    [model] = analyse([asked], resamples=50)[0].models
    # Of four, one is out after turn 3; the two that were cut go on as the one that is left.
    by_turn = [Fraction(3, 4), Fraction(3, 4), Fraction(2, 3), *[Fraction(2, 3)] * 7]
    assert model.summary.metrics.value("isr_at_n") == pytest.approx(float(sum(by_turn) / 10))
    asked.close()


def test_a_context_that_is_full_is_the_models_own_end(tmp_path: Path) -> None:
    from evolif.runner import RunStore, load_run
    from evolif.runner.records import EndEntry

    make_run(tmp_path / "r", {"sim/a": {1: "censored:11 11", 2: "finished:00 00 00", 3: "censored:11 11 11"}}).close()
    with closing(RunStore.open(tmp_path / "r")) as store:
        store.write([EndEntry(number, "censored", "context") for number in (1, 3)])
    with closing(load_run(tmp_path / "r", read_only=True)) as run:
        [model] = analyse([run], resamples=50)[0].models
        assert model.summary.metrics.value("isr_at_n") == pytest.approx(5 / 30), "the rest was not satisfied"


def test_breakdowns_hold_the_turns_of_their_keys(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"sim/a": ONE})
    [model] = analyse([run], resamples=50)[0].models
    groups = model.by("group")
    assert (groups["start_with"].satisfied, groups["start_with"].judged) == (1 + 1 + 1 + 4, 13)
    assert (groups["end_with"].satisfied, groups["end_with"].judged) == (1 + 1 + 1 + 4, 13)
    assert model.by("move")["new"].isr == pytest.approx(2 / 3) and model.by("move")["new"].turns == 3
    assert model.by("depth")[4].turns == 2 and model.by("depth")[4].isr == pytest.approx(1 / 2)
    assert model.by("register")["formal"].turns == 3 and model.by("register")["formal"].csr == 0.0
    assert model.by("synthesizer")["template"].turns == 10
    assert model.by("formality")["informal"].turns == 10 and model.by("formality")["formal"].turns == 3
    assert set(model.by("mode")) == {"start_with/letter", "end_with/letter"}
    assert model.figures_by("register")["formal"].metrics.value("edr_len") == 3.0
    run.close()


def test_every_part_is_computed_once(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"sim/a": ONE, "sim/b": ONE, "sim/c": ONE})
    analysis = analyse([run], resamples=50)[0]
    model = analysis.models[0]
    assert model.sessions is model.sessions and model.summary is model.summary
    assert model.by("group") is model.by("group") and model.figures_by("register") is model.figures_by("register")
    assert analysis.ceiling is analysis.ceiling and analysis.facts is analysis.facts
    assert analysis.rank_agreement("register") is analysis.rank_agreement("register")
    run.close()


def test_the_sweep_and_the_curves_are_replays(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"sim/a": ONE})
    [model] = analyse([run], resamples=50)[0].models
    lengths = [point.metrics.edr_len for point in model.patience_sweep]
    # Patience 1: 2, 1, 4 turns; patience 2: 5, 2, 4.
    assert lengths == [pytest.approx(7 / 3), pytest.approx(11 / 3), pytest.approx(13 / 3)]
    assert [h.exhausted for h in model.hazard] == [0, 0, 1, 0, 0, 1]
    assert [h.at_risk for h in model.hazard] == [3, 3, 3, 2, 1, 1]
    assert model.survival_bounds is None
    pytest.importorskip("scipy", reason="SciPy is not installed")
    # One of 3 ends at turn 3, one is cut at 4, the last ends at 6.
    assert [p.probability for p in model.survival.points] == [1, 1, 1, pytest.approx(2 / 3)] + [
        pytest.approx(2 / 3)
    ] * 2 + [0]
    assert model.survival.median == 6
    run.close()


def test_ranks_need_three_models(tmp_path: Path) -> None:
    sessions = dict.fromkeys(range(1, 9), "finished:11 00 00 00")
    two = make_run(tmp_path / "two", {"sim/a": sessions, "sim/b": sessions})
    assert group_comparable(analyse([two]))[0].rank_stability == ()
    more = {n: "finished:11 11 11 00 00 00" if n % 2 else "finished:11 11 00 00 00" for n in range(1, 9)}
    worse = {n: "finished:00 00 00" if n % 2 else "finished:11 00 11 00 00 00" for n in range(1, 9)}
    three = make_run(tmp_path / "three", {"sim/a": sessions, "sim/b": more, "sim/c": worse})
    [found] = group_comparable(analyse([three]))[0].rank_stability
    assert found.size == 5 and found.spearman is not None and found.spearman <= 1
    two.close()
    three.close()


def test_runs_that_may_be_compared_stand_together(tmp_path: Path) -> None:
    one, two = (make_run(tmp_path / name, {"sim/a": ONE}) for name in ("r1", "r2"))
    other = make_run(tmp_path / "r3", {"sim/a": ONE}, max_turns=20)
    [together] = group_comparable(analyse([one, two]))
    assert together.heads == ("sim/a (r1)", "sim/a (r2)") and together.why_alone == ""
    apart = group_comparable(analyse([one, other]))
    assert len(apart) == 2 and "the cap (--max-turns) is 10 in the first and 20 in the second" in apart[0].why_alone
    assert group_comparable([]) == []
    [same] = group_comparable(analyse([one, one]))
    assert same.heads == ("sim/a (r1) 1", "sim/a (r1) 2")
    for run in (one, two, other):
        run.close()


def test_an_early_end_restricts_every_part(tmp_path: Path) -> None:
    from evolif.runner import STOP_RULE, EarlyEnd, RunStore
    from evolif.runner.records import EndEntry

    run = make_run(tmp_path / "r", {"sim/a": {**ONE, 4: ":"}})
    with closing(RunStore.open(tmp_path / "r")) as store:
        store.note_early_end(EarlyEnd("rob=0.5", (1, 2), 2))
        store.write([EndEntry(4, None, STOP_RULE)])
    analysis = analyse([run], resamples=50)[0]
    [model] = analysis.models
    assert model.summary.metrics.dialogues == 2 and model.by("group")["end_with"].judged == 9
    assert analysis.unbegun == {STOP_RULE: 1} and analysis.suspended == 0
    run.close()


def test_empty_answers_are_counted_in_remarks_and_json_only_where_there_are_any(tmp_path: Path) -> None:
    from evolif.report.json import analysis_object
    from evolif.report.wording import remarks

    run = make_run(tmp_path / "r", {"sim/a": ONE, "sim/b": ONE})
    before = analyse([run], resamples=50)
    assert not any("mpty answers" in line for line in remarks(run, [m.summary for m in before[0].models], "ab"))
    assert "empty_answers" not in analysis_object(group_comparable(before))["models"][0]
    with sqlite3.connect(tmp_path / "r" / "run.sqlite") as file:
        file.execute("UPDATE turn SET answer = ' \n' WHERE (session, turn) IN (SELECT session, turn FROM turn LIMIT 2)")
    file.close()
    after = analyse([run], resamples=50)
    found = list(remarks(run, [m.summary for m in after[0].models], "ab"))
    assert "Empty answers, judged like any others: a 2." in found
    told = analysis_object(group_comparable(after))["models"]
    assert told[0]["empty_answers"] == 2 and "empty_answers" not in told[1]
    run.close()
