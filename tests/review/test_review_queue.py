"""The queue: order, facets, search."""

from __future__ import annotations

import pytest
from review_desks import KEY, decide, desk

from evolif.review.filters import Filter, choose, values


@pytest.fixture
def ada(bench):
    return desk(bench)


def keys(ada, **chosen):
    search = chosen.pop("search", "")
    return [one.key for one in choose(ada.entries(), Filter({k: frozenset(v) for k, v in chosen.items()}, search))]


def test_flagged_ones_come_first_then_rejected_ones_then_by_number(ada):
    assert keys(ada) == [KEY, "1/1", "1/2", "1/4", "2/1", "2/2", "2/3", "2/4"]
    decide(ada, "reject", "2/2")
    assert keys(ada)[:3] == [KEY, "2/2", "1/1"]


def test_facets_narrow_and_their_values_widen(ada):
    decide(ada, "reject", "2/2")
    assert keys(ada, status=["flagged"]) == [KEY]
    assert keys(ada, status=["flagged", "rejected"]) == [KEY, "2/2"]
    assert keys(ada, status=["flagged", "rejected"], source=["template"]) == ["2/2"]
    assert keys(ada, source=["openai/x"]) == [KEY]
    assert keys(ada, finding=["length"]) == [KEY]
    assert keys(ada, mine=["decided"]) == ["2/2"] and "2/2" not in keys(ada, mine=["undecided"])
    topic = ada.turn("1/1").topic.id
    assert set(keys(ada, topic=[topic])) == {k for k in keys(ada) if ada.turn(k).topic.id == topic}
    assert keys(ada, status=["edited"]) == []


def test_undecided_is_the_reviewers_own(ada, bench):
    decide(ada, "reject", "2/2")
    assert "2/2" in keys(desk(bench, "bob"), mine=["undecided"])


def test_search_wants_every_word_in_any_case(ada):
    assert keys(ada, search="bad WORDS") == [KEY]
    assert keys(ada, search="bad nowhere-to-be-found") == []
    assert keys(ada, search="wants 30") == [KEY]  # the stored finding
    assert KEY in keys(ada, search="1/3")


def test_values_are_counted(ada):
    counts = values(ada.entries())
    assert counts["status"] == {"verified": 7, "flagged": 1}
    assert counts["finding"] == {"none": 7, "length": 1}
    assert counts["mine"] == {"undecided": 8}


def test_findings_asked_for_take_the_place_of_stored_ones(ada):
    ada._checker = lambda turn, query: []
    ada.findings(KEY)
    assert keys(ada, finding=["length"]) == []


def test_a_filter_says_what_it_chooses():
    wanted = Filter().toggled("status", "flagged").toggled("status", "edited").toggled("mine", "undecided")
    assert wanted.summary == "status edited/flagged, mine undecided" and wanted
    assert not wanted.toggled("status", "flagged").toggled("status", "edited").toggled("mine", "undecided")
    assert Filter(search=" x ").summary == "“x”" and Filter().summary == "all"
