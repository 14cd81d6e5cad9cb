"""How far a judge agrees with persons: figures by hand, in fractions."""

from __future__ import annotations

import json
from contextlib import closing
from fractions import Fraction

import pytest
from judged_run import MODELS, Said, give, judge_desk, plant, small
from test_review_safe import is_safe

from evolif import InputError, UsageError
from evolif.judge_audit import judge_audit_lines, judge_audit_summary, load_judge_audit
from evolif.judge_audit.agreement import JudgedPair, agreement_rows, mean_verdicts
from evolif.judge_audit.sample import (
    JudgedVerdict,
    Sample,
    Stratum,
    VerdictPlace,
    audit_folder,
    deal,
    load_sample,
    population_of,
)
from evolif.metrics import cohens_kappa
from evolif.metrics.statistics import wilson
from evolif.runner import load_run
from evolif.util.rng import Stream

ONE, TWO = MODELS

CELLS = (Stratum("g", False, "a", 4), Stratum("g", True, "a", 8), Stratum("g", True, "b", 2))


def pair(judge, person, model="a", group="g"):
    return JudgedPair(group, judge, model, person)


FIVE = [pair(True, True), pair(True, False), pair(True, True, "b"), pair(False, False), pair(False, True)]
"""Weights 4, 4, 2, 2, 2: what the judge accepted holds 10 answers, what it rejected 4."""


def test_wilson_as_in_the_books():
    assert wilson(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    low, high = wilson(1.0, 10)
    assert high == 1.0 and low == pytest.approx(10 / (10 + 1.959963984540054**2))
    assert wilson(0.0, 10) == pytest.approx((0.0, 1 - low))


def test_each_item_stands_for_its_cell():
    whole, group = agreement_rows(FIVE, CELLS)
    assert (whole.group, group.group) == ("", "g") and whole.overall == group.overall
    assert (whole.scored, whole.answers, whole.uncovered) == (5, 14, 0)
    assert whole.when_accepted.value == pytest.approx(Fraction(6, 10))
    assert whole.when_rejected.value == pytest.approx(Fraction(2, 4))
    assert whole.overall.value == pytest.approx(Fraction(8, 14))
    assert whole.judge_accepts == pytest.approx(Fraction(10, 14))
    assert whole.person_accepts.value == pytest.approx(Fraction(8, 14))
    # Chance: (10 × 8 + 4 × 6) / 196 = 26/49; kappa (28/49 − 26/49) / (23/49).
    assert whole.kappa == pytest.approx(Fraction(2, 23)) and whole.kappa_low is None
    assert (whole.when_accepted.hits, whole.when_accepted.items, whole.overall.hits) == (2, 3, 3)


def test_intervals_are_those_of_the_items_that_the_weights_leave():
    whole = agreement_rows(FIVE, CELLS)[0]
    # (Σw)²/Σw²: 100/36, 16/8, 196/44.
    for share, items in ((whole.when_accepted, 100 / 36), (whole.when_rejected, 2), (whole.overall, 196 / 44)):
        assert (share.low, share.high) == pytest.approx(wilson(share.value, items))


def test_a_model_without_a_scored_item_is_stood_for_by_the_others():
    rows = agreement_rows([one for one in FIVE if one.model == "a"], CELLS)
    # Accepted: 2 items for 10 answers, rejected: 2 for 4.
    assert rows[0].when_accepted.value == pytest.approx(Fraction(1, 2)) and rows[0].answers == 14
    assert rows[0].overall.value == pytest.approx(Fraction(5 + 2, 14))


def test_an_outcome_without_a_scored_item_is_left_out_and_told():
    whole = agreement_rows([pair(True, True), pair(True, True)], CELLS, ["g"])[0]
    assert (whole.answers, whole.uncovered, whole.skipped) == (10, 4, 1)
    assert whole.when_rejected.value is None and whole.overall.value == 1.0 and whole.kappa is None
    assert whole.judge_accepts == 1.0
    [told] = judge_audit_lines([whole])[1:]
    assert "where it rejects not scored" in told and "no figures for 4 of 14 judged answers" in told
    assert "2 scored, 1 skipped" in told and "κ undefined" in told


def test_rare_failures_do_not_drag_the_overall_figure():
    """Of 1,000 answers 990 are accepted, rightly; of the 10 rejected half wrongly: 995 of 1,000 agree."""
    cells = (Stratum("g", False, "a", 10), Stratum("g", True, "a", 990))
    items = [pair(True, True)] * 10 + [pair(False, False)] * 5 + [pair(False, True)] * 5
    whole = agreement_rows(items, cells)[0]
    assert whole.overall.value == pytest.approx(0.995) and whole.when_rejected.value == pytest.approx(0.5)
    assert (whole.overall.hits, whole.overall.items) == (15, 20)  # what the sample itself would have said: 75 %


def test_groups_are_apart_and_mean_verdicts():
    cells = (Stratum("g", True, "a", 30), Stratum("h", False, "a", 10))
    whole, g, h = agreement_rows([pair(True, True), pair(False, True, group="h")], cells, ["h"])
    assert (g.overall.value, h.overall.value, whole.overall.value) == (1.0, 0.0, 0.75)
    assert (g.skipped, h.skipped, whole.skipped) == (0, 1, 1)
    assert agreement_rows([], cells)[1].overall.value is None


@pytest.mark.sampled
@pytest.mark.parametrize("right_of_rejected", [0.5, 0.9])
def test_the_intervals_hold_what_they_are_about(right_of_rejected):
    """Two hundred runs with known verdicts of a person: at least nine in ten intervals hold the run's own figure."""
    cells = [
        ("g", True, "a", 300),
        ("g", True, "b", 90),
        ("g", False, "a", 12),
        ("g", False, "b", 30),
        ("h", True, "a", 60),
    ]
    kinds = [cell[:3] for cell in cells for _ in range(cell[3])]
    judged = [
        JudgedVerdict(VerdictPlace(number, 1, 0), model, group, judge)
        for number, (group, judge, model) in enumerate(kinds)
    ]
    held = 0
    for seed in range(200):
        chance = Stream(seed, 77)
        person = [one.accepted is (chance.fraction() < (0.9 if one.accepted else right_of_rejected)) for one in judged]
        drawn = [place.session for place in deal(judged, seed, 40)]
        items = [pair(judged[n].accepted, person[n], judged[n].model, judged[n].group) for n in drawn]
        share = agreement_rows(items, population_of(judged))[0].overall
        true = sum(one.accepted == said for one, said in zip(judged, person, strict=True)) / len(judged)
        held += share.low <= true <= share.high
    assert held >= 180


def test_names_out_of_a_file_command_no_terminal():
    rows = agreement_rows(
        [pair(True, True, group="g\x1b[31m")], [Stratum("g\x1b[31m", True, "a", 3)], reviewer="\u202eada\x9b"
    )
    assert all(is_safe(line) for line in judge_audit_lines(rows))


def test_kappa_of_weights_is_that_of_counts():
    table = {("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}
    value, interval = cohens_kappa(table, 50)
    assert value == pytest.approx(0.4) and interval == pytest.approx((0.15109, 0.64891), abs=1e-5)
    assert cohens_kappa({pair: count * 7.5 for pair, count in table.items()}, 50) == (
        pytest.approx(0.4),
        pytest.approx(interval),
    )
    assert cohens_kappa(table, 19) == (pytest.approx(0.4), None)
    assert cohens_kappa({}, 0) == cohens_kappa({("y", "y"): 3}, 30) == (None, None)


def test_several_persons_are_a_panel_with_the_mean():
    assert mean_verdicts({1: [6, 7], 2: [6], 3: [5, 7], 4: []}, 6) == {1: True, 2: False, 3: False}


@pytest.fixture
def four(tmp_path):
    """One model; the judge accepts three of four."""
    return plant(
        tmp_path / "r",
        [Said(ONE, n, 1, (("emotion", n != 4),), text=f"Answer {n}.") for n in (1, 2, 3, 4)],
        models=(ONE,),
    )


def numbers(desk):
    """Numbers of the sample by the dialogue that the answer names."""
    return {int(desk.item(key).answer[-2]): int(key) for key in desk._items}


def summary(path):
    with closing(load_run(path)) as run:
        return judge_audit_summary(run)


def test_from_scores_to_rows(four):
    assert summary(four) == [] and load_judge_audit(four) == ()
    ada = judge_desk(four)
    at = numbers(ada)
    assert summary(four) == []
    give(ada, at[1], 7)
    give(ada, at[2], 6)  # the judge accepted it
    give(ada, at[3], None)
    give(ada, at[4], 1)
    whole, emotion = summary(four)
    assert (whole.reviewer, emotion.group, whole.scored, whole.skipped) == ("", "emotion", 3, 1)
    assert whole.when_accepted.value == pytest.approx(0.5) and whole.when_rejected.value == 1.0
    assert whole.overall.value == pytest.approx(Fraction(5, 8))  # (1.5 + 1) of 4
    assert json.loads(json.dumps(whole.to_object()))["overall"]["items"] == 3


def test_undone_and_replaced_scores_do_not_count(four):
    ada = judge_desk(four)
    at = numbers(ada)
    give(ada, at[1], 1)
    give(ada, at[1], 8)
    give(ada, at[4], 9)
    ada.decide(ada.undo_of(ada.undoable()))
    [whole, _] = summary(four)
    assert (whole.scored, whole.overall.value) == (1, 1.0)
    ada.decide(ada.undo_of(ada.undoable()))
    assert summary(four)[0].overall.value == 0.0  # the first score stands again
    assert [one.score for one in load_judge_audit(four)] == [1]


def test_several_reviewers_come_together_first_and_then_apart(four):
    ada, bob = judge_desk(four), judge_desk(four, "bob")
    at = numbers(ada)
    give(ada, at[1], 9)
    give(bob, at[1], 4)  # mean 6.5
    give(ada, at[4], 8)
    give(bob, at[4], 2)  # mean 5
    rows = summary(four)
    assert [(row.reviewer, row.group) for row in rows] == [
        (name, group) for name in ("", "ada", "bob") for group in ("", "emotion")
    ]
    assert [row.overall.value for row in rows[::2]] == [1.0, pytest.approx(0.75), pytest.approx(0.25)]
    assert judge_audit_lines(rows)[0] == "The judge compared with all reviewers together:"
    assert any(line == "The judge compared with bob:" for line in judge_audit_lines(rows))


def test_a_line_that_is_being_written_is_left_out(four):
    ada = judge_desk(four)
    give(ada, 1, 7)
    with ada.log.path.open("ab") as file:
        file.write(b'{"id": "x", "ti')
    assert len(load_judge_audit(four)) == 1


@pytest.mark.parametrize(
    "change",
    [{"after": {"score": 11}}, {"after": {"score": True}}, {"after": {"score": 7.5}}, {"after": {}}, {"item": "0"},
     {"item": "1/1"}, {"decision": "accept"}, {"time": "yesterday"}, {"after": None}],
)  # fmt: skip
def test_a_line_that_is_no_decision_is_named(four, change):
    ada = judge_desk(four)
    give(ada, 1, 7)
    line = json.loads(ada.log.path.read_text("utf-8"))
    with ada.log.path.open("a") as file:
        file.write(json.dumps({**line, **change}) + "\n")
    with pytest.raises(InputError, match=r"decisions\.jsonl, line 2: "):
        load_judge_audit(four)


def test_what_does_not_belong_together_is_told(four, tmp_path):
    ada = judge_desk(four)
    give(ada, 1, 7)
    other = small(tmp_path / "other")
    folder = audit_folder(other)
    folder.mkdir()
    (folder / "decisions.jsonl").write_bytes(ada.log.path.read_bytes())
    with pytest.raises(UsageError, match="no sample; restore"):
        summary(other)
    (folder / "sample.json").write_bytes((audit_folder(four) / "sample.json").read_bytes())
    with pytest.raises(UsageError, match="restore"):
        summary(other)
    line = json.loads(ada.log.path.read_text("utf-8"))
    ada.log.path.write_text(json.dumps({**line, "item": "77"}) + "\n", "utf-8")
    with pytest.raises(UsageError, match="has a decision on answer 77, which is not in its sample"):
        summary(four)


def test_a_population_that_was_tampered_with_is_told(four):
    ada = judge_desk(four)
    give(ada, 1, 7)
    file = audit_folder(four) / "sample.json"
    told = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**told, "population": [["style", True, "x", 4]]}), "utf-8")
    assert isinstance(load_sample(four), Sample)
    with pytest.raises(UsageError, match="drawn from other answers"):
        summary(four)
