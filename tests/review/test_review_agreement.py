"""Kappa by hand, and what is compared at all."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from evolif.judge_audit import Decision
from evolif.metrics import cohens_kappa
from evolif.metrics.agreement import MIN_KAPPA_ITEMS
from evolif.review.agreement import IDLE, agreements, statistics


def pairs(**counts):
    return [tuple(names.split("_")) for names, count in counts.items() for _ in range(count)]


def kappa(given):
    return cohens_kappa(Counter(given), len(given))


def record(number, reviewer, decision, item="1/1", query="q", seconds=None, changes=None, **more):
    changes = decision in ("edit", "template") if changes is None else changes
    return Decision(
        id=str(number),
        time=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=number),
        reviewer=reviewer,
        item=item,
        decision=decision,
        before={"query": query},
        after={"query": f"{query} anew" if changes else query},
        seconds=seconds,
        **more,
    )


def test_kappa_and_its_interval_as_by_hand():
    # Rows .5/.5, columns .6/.4: observed .7, chance .5. The variance is
    # (.10972 + .10188 − .01) / (50 × .25) = .016128, its root .126996.
    value, interval = kappa(pairs(yes_yes=20, yes_no=5, no_yes=10, no_no=15))
    assert value == pytest.approx(0.4)
    assert interval == pytest.approx((0.15109, 0.64891), abs=1e-5)


def test_kappa_of_three_categories_as_by_hand():
    # Observed 6/10; rows 4, 3, 3, columns 3, 4, 3: chance (12 + 12 + 9)/100 = .33.
    given = pairs(accept_accept=2, accept_change=2, change_change=2, change_reject=1, reject_reject=2, reject_accept=1)
    value, interval = kappa(given)
    assert value == pytest.approx((0.6 - 0.33) / 0.67)
    assert interval is None and len(given) < MIN_KAPPA_ITEMS


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], None),
        (pairs(a_a=9), None),
        (pairs(a_a=30), None),
        (pairs(a_b=5), 0.0),  # each its own one category: what chance gives, too
        (pairs(a_a=3, b_b=4), 1.0),
        (pairs(a_b=4, b_a=4), -1.0),
        (pairs(a_a=3, a_b=3), 0.0),  # one of the two never varies
    ],
)
def test_edges(given, expected):
    value, interval = kappa(given)
    assert value == (None if expected is None else pytest.approx(expected))
    assert interval is None


def test_full_agreement_over_many_leaves_room_for_what_was_missed():
    low = 1 - 2 * (1 - 0.025 ** (1 / 30))
    assert kappa(pairs(a_a=15, b_b=15)) == (pytest.approx(1.0), (pytest.approx(low), 1.0))


def test_only_verdicts_on_the_same_words_are_compared():
    records = [
        record(1, "ada", "accept", "1/1"),
        record(2, "bob", "reject", "1/1"),
        record(3, "ada", "edit", "1/2", "old"),
        record(4, "bob", "accept", "1/2", "new"),  # bob saw what ada made of it
        record(5, "ada", "note", "1/3"),
        record(6, "bob", "accept", "1/3"),
        record(7, "ada", "reject", "1/4"),
        record(8, "ada", "accept", "1/4"),  # changed her mind
        record(9, "bob", "template", "1/4"),
        record(10, "bob", "reject", "1/5"),
        record(11, "bob", "undo", "1/5", undoes="10"),
        record(12, "ada", "accept", "1/5"),
    ]
    [one] = agreements(records)
    assert (one.reviewers, one.n, one.observed) == (("ada", "bob"), 2, 0.0)


def test_who_asks_for_the_template_where_it_stands_accepts():
    records = [record(1, "ada", "accept"), record(2, "bob", "template", changes=False)]
    assert agreements(records)[0].observed == 1.0


def test_pairs_of_reviewers_come_with_the_most_shared_first():
    records = [record(n, name, "accept", f"1/{n // 3}") for n, name in enumerate(("ada", "bob", "eve", "ada", "eve"))]
    assert [(one.reviewers, one.n) for one in agreements(records)] == [
        (("ada", "eve"), 2),
        (("ada", "bob"), 1),
        (("bob", "eve"), 1),
    ]


def test_what_cannot_be_computed_is_said():
    assert "undefined (n 1" in agreements([record(1, "ada", "accept"), record(2, "bob", "accept")])[0].summary
    few = [
        record(1, "ada", "accept"),
        record(2, "bob", "accept"),
        record(3, "ada", "reject", "2"),
        record(4, "bob", "reject", "2"),
    ]
    assert agreements(few)[0].summary == "κ 1.00 (n 2, too few for an interval)"
    assert "no common decisions" in agreements([record(1, "ada", "accept"), record(2, "bob", "accept", "2")])[0].summary


def test_pace_leaves_out_absence_notes_and_files():
    records = [
        record(1, "ada", "accept", "1/1", seconds=10),
        record(2, "ada", "reject", "1/2", seconds=20),
        record(3, "ada", "edit", "1/3", seconds=4000),
        record(4, "ada", "note", "1/3", seconds=1),
        record(5, "ada", "accept", "1/4"),
        record(6, "bob", "accept", "1/4"),
    ]
    ada, bob = statistics(records).throughput
    assert (ada.decisions, ada.timed, ada.median_seconds) == (4, 3, 20)
    assert ada.per_hour == pytest.approx(3 * 3600 / (30 + IDLE))
    assert (bob.decisions, bob.per_hour) == (1, None) and "none timed" in bob.summary


@pytest.mark.parametrize(("timed", "told_"), [(4, "4 decided"), (5, "5 decided, 360 per hour, median 10 s")])
def test_a_pace_is_told_once_there_is_one(timed, told_):
    records = [record(number, "ada", "accept", f"1/{number}", seconds=10) for number in range(timed)]
    assert statistics(records).throughput[0].summary == told_


def test_statistics_are_told_and_given_to_machines():
    records = [record(1, "ada", "accept", seconds=0), record(2, "bob", "reject", seconds=8)]
    found = statistics(records)
    assert found.lines()[0] == "Decisions: accept 1, reject 1."
    data = found.to_object()
    assert data["agreement"] == [{"reviewers": ["ada", "bob"], "n": 1, "observed": 0.0, "kappa": 0.0, "interval": None}]
    assert [one["per_hour"] for one in data["throughput"]] == [None, 450]
    assert statistics([]).lines() == ["No decisions yet."]
