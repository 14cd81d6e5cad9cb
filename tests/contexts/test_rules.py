"""The decider by rules: which rule decides, on similarities that the tests choose."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.contexts import Forest
from evolif.contexts.rules import START, Thresholds, decide, open_fork
from evolif.util.resources import data_path, load_data

CREATE, CONTINUE = {"action": "CREATE_TOPIC"}, {"action": "CONTINUE"}
PLAIN = "I wonder how long the museum visit takes for a family with two small children."
BACK = "Back to the museum: how long does the visit take for a family with children?"
ASIDE = "By the way, how long does a visit take for a family with two small children?"
OTHER = "What if the whole family took the night train there and left the car at home?"
FOLLOWS = "Please add the museum."


def switch(tree: int) -> dict[str, Any]:
    return {"action": "SWITCH_TOPIC", "target": tree}


def fork(node: int) -> dict[str, Any]:
    return {"action": "CREATE_BRANCH", "fork": node}


def branch(name: str) -> dict[str, Any]:
    return {"action": "SWITCH_BRANCH", "target": name}


def two_topics() -> Forest:
    """Nodes 1 and 2 in tree 0, then 3 in tree 1, which is active."""
    forest = Forest()
    for topic in (None, None, CREATE):
        forest.move(topic)
        forest.add("q", "a")
    return forest


def two_branches() -> Forest:
    """1, 2 on b0; 3, 4 on b1 from 1, where it stands."""
    forest = Forest()
    for decision in (None, None, fork(1), None):
        forest.move(None, decision)
        forest.add("q", "a")
    return forest


@pytest.mark.parametrize("query", [PLAIN, BACK, ASIDE, OTHER, FOLLOWS, ""])
def test_the_first_turn_opens_a_topic(query: str) -> None:
    assert decide(Forest(), query, []) == {"topic": CREATE, "branch": None}


@pytest.mark.parametrize(
    ("query", "old", "active", "topic"),
    [
        (BACK, 0.4, 0.4, switch(0)),
        (PLAIN, 0.4, 0.4, CONTINUE),
        (BACK, 0.45, 0.46, CONTINUE),
        (BACK, 0.39, 0.3, CONTINUE),
        (BACK, 0.2, 0.2, CREATE),
        (ASIDE, 0.39, 0.39, CREATE),
        (PLAIN, 0.39, 0.39, CONTINUE),
        (ASIDE, 0.1, 0.4, CONTINUE),
        (ASIDE, 0.4, 0.1, switch(0)),
        (FOLLOWS, 0.0, 0.0, CONTINUE),
        (FOLLOWS, 0.9, 0.1, CONTINUE),
        (FOLLOWS + " And" + " please" * 8, 0.0, 0.0, CREATE),  # twelve words
        (FOLLOWS + " And" + " please" * 6, 0.0, 0.0, CONTINUE),
        ("Now then we may add the museum.", 0.0, 0.0, CREATE),  # its fourth word
        (PLAIN, 0.2499, 0.2499, CREATE),
        (PLAIN, 0.25, 0.2, CONTINUE),
        (PLAIN, 0.2, 0.25, CONTINUE),
        (PLAIN, 0.5, 0.4, switch(0)),  # whose difference is less than 0.1 to a processor
        (PLAIN, 0.5, 0.41, CONTINUE),
        (PLAIN, 0.39, 0.0, CONTINUE),
    ],
)
def test_the_first_rule_that_holds_decides_on_the_topic(query: str, old: float, active: float, topic: Any) -> None:
    assert decide(two_topics(), query, [old, -1.0, active], START)["topic"] == topic
    assert decide(two_topics(), query, [-1.0, old, active], START)["topic"] == topic


def test_of_equal_topics_the_later_turn_counts() -> None:
    forest = two_topics()
    forest.move(CREATE)
    forest.add("q", "a")
    assert decide(forest, PLAIN, [0.5, 0.6, 0.6 - 1e-14, 0.1], START)["topic"] == switch(1)
    assert decide(forest, PLAIN, [0.5, 0.6, 0.6 - 1e-10, 0.1], START)["topic"] == switch(0)


@pytest.mark.parametrize(
    ("query", "similarities", "taken"),
    [
        (OTHER, [0.1, 0.5, 0.1, 0.5 - 1e-9], fork(2)),
        (BACK, [0.1, 0.5, 0.1, 0.49], None),  # it names no branch
        (PLAIN, [0.1, 0.5, 0.1, 0.4], branch("b0")),
        (PLAIN, [0.1, 0.5, 0.1, 0.41], None),
        (OTHER, [0.1, 0.4, 0.1, 0.1], None),  # the gate is closed
        (OTHER, [0.1, 0.1, 0.5, 0.1], fork(3)),  # an ancestor on the same branch
        (BACK, [0.1, 0.1, 0.9, 0.1], None),
        (OTHER, [0.1, 0.1, 0.1, 0.9], None),  # where it stands
        (PLAIN, [0.9, 0.1, 0.1, 0.1], branch("b0")),  # an ancestor on another branch: the rule of branches
        (OTHER, [0.9, 0.1, 0.1, 0.1], fork(1)),
    ],
)
def test_the_branch_is_decided_behind_the_gate(query: str, similarities: list[float], taken: Any) -> None:
    assert decide(two_branches(), query, similarities, START) == {"topic": CONTINUE, "branch": taken}


def test_the_branch_is_decided_where_the_topic_leads() -> None:
    forest = two_branches()
    forest.move(CREATE)
    forest.add("q", "a")
    # Node 5 is the most similar but one; the gate of tree 0 sees its own nodes only.
    assert decide(forest, BACK, [0.1, 0.6, 0.1, 0.2, 0.55], START) == {"topic": switch(0), "branch": branch("b0")}
    # The way back led to the topic; to another branch there leads only that it is much more similar.
    assert decide(forest, BACK, [0.1, 0.6, 0.1, 0.51, 0.55], START) == {"topic": switch(0), "branch": None}
    assert decide(forest, ASIDE, [0.1, 0.3, 0.1, 0.2, 0.3], START) == {"topic": CREATE, "branch": None}
    assert forest.active_tree == 1 and forest.path() == [5]


def test_the_fork_point_behind_an_open_gate() -> None:
    forest = two_branches()
    found = open_fork(forest, 0, [0.5, 0.5, 0.1, 0.1])
    assert found is not None and found.number == 2
    assert open_fork(forest, 0, [0.5, 0.5, 0.1, 0.1], theta=0.5) is None
    assert open_fork(forest, 0, [0.5, 0.5, 0.5, 0.5]) is None
    forest.move(CREATE)
    assert open_fork(forest, 1, [0.9, 0.9, 0.9, 0.9]) is None
    with pytest.raises(ValueError, match="there is no tree 2"):
        open_fork(forest, 2, [0.9, 0.9, 0.9, 0.9])


def grown(*rounds: tuple[str, Any, Any]) -> Forest:
    """A forest of queries with the decisions that led to them."""
    forest = Forest()
    for query, topic, forked in rounds:
        forest.move(topic, forked)
        forest.add(query, "a")
    return forest


LISBON = ("A weekend in Lisbon, please.", None, None)
HOTEL = ("Our hotel must have a garden, in Lisbon or elsewhere.", None, None)
PORTO = ("What if we went to Porto instead of Lisbon?", None, fork(1))
TRAIN = ("We take the night train.", None, None)


@pytest.mark.parametrize(
    ("query", "similarities", "taken"),
    [
        ("What about Madrid rather than Lisbon?", [0.2, 0.6, 0.3, 0.3], fork(1)),
        ("What about Madrid rather than Porto?", [0.2, 0.6, 0.3, 0.3], fork(3)),
        ("What about a boat instead of the train?", [0.2, 0.6, 0.3, 0.3], None),  # where it stands
        ("What about a boat instead?", [0.2, 0.6, 0.3, 0.3], fork(2)),  # it names nothing: the most similar one
        ("Back to the Lisbon version.", [0.2, 0.3, 0.6, 0.3], branch("b0")),
        ("Back to the Porto version.", [0.2, 0.6, 0.3, 0.3], None),  # there it stands already
        ("Back to the hotel.", [0.2, 0.6, 0.3, 0.3], None),  # no branch is called so
        ("Back to the version with the garden in Lisbon.", [0.2, 0.3, 0.6, 0.3], branch("b0")),
    ],
)
def test_what_a_cue_names_is_where_it_was_first_said(query: str, similarities: list[float], taken: Any) -> None:
    decision = decide(grown(LISBON, HOTEL, PORTO, TRAIN), query, similarities)
    assert decision == {"topic": CONTINUE, "branch": taken}


def test_a_word_of_the_subject_makes_rounds_more_similar() -> None:
    forest = grown(LISBON, ("Help me write a program in Fortran.", CREATE, None))
    assert decide(forest, "Was there ever a tram to Lisbon?", [0.2, 0.2])["topic"] == switch(0)
    assert decide(forest, "Was there ever a tram to Faro?", [0.2, 0.2])["topic"] == CREATE
    assert decide(forest, "This is about a tram to Faro", [0.2, 0.2])["topic"] == CONTINUE
    assert decide(forest, "Loops in Fortran are what I mean", [0.2, 0.05])["topic"] == CONTINUE


def test_all_numbers_are_parameters() -> None:
    assert decide(two_topics(), ASIDE, [0.3] * 3, Thresholds(aside=-0.2, apart=-0.2))["topic"] == CONTINUE
    assert decide(two_topics(), "Why is rain wet?", [0.2] * 3, Thresholds(apart=-0.25))["topic"] == CONTINUE
    assert decide(grown(LISBON), "Was there a tram to Lisbon?", [0.2], Thresholds(shared=0.05))["topic"] == CREATE
    lead = Thresholds(branch_lead=0.2)
    assert decide(two_branches(), PLAIN, [0.1, 0.5, 0.1, 0.3], lead)["branch"] == branch("b0")
    assert decide(two_branches(), PLAIN, [0.1, 0.5, 0.1, 0.3])["branch"] is None
    assert decide(two_topics(), PLAIN, [0.5, 0.5, 0.45], replace(START, lead=0.05))["topic"] == switch(0)
    assert decide(two_topics(), PLAIN, [0.5, 0.5, 0.5], replace(START, theta=0.7))["topic"] == CREATE
    assert decide(two_topics(), PLAIN, [0.5, 0.5, 0.5], replace(START, theta=0.7, gap=0.2))["topic"] == CONTINUE
    # 0.8 - 0.1 is more than 0.7 to a processor.
    assert decide(two_topics(), PLAIN, [0.7, 0.7, 0.7], replace(START, theta=0.8, gap=0.1))["topic"] == CONTINUE
    assert decide(two_topics(), FOLLOWS, [0.0, 0.0, 0.0], replace(START, short=4))["topic"] == CREATE
    assert decide(two_topics(), "The museum also, and", [0.0, 0.0, 0.0], replace(START, first=2))["topic"] == CREATE


def test_unequal_lengths_are_an_error() -> None:
    for wrong in ([], [0.1] * 4):
        with pytest.raises(ValueError, match=f"3 nodes and {len(wrong)} similarities"):
            decide(two_topics(), PLAIN, wrong)


@pytest.mark.parametrize(
    ("query", "returns"),
    [
        ("Let’s go BACK  TO\nthe hotel", True),
        ("What was the price of the room again?", True),
        ("What was the price that you told me about for it again?", False),  # too far
        ("Say the again", False),
        ("As I said, no", True),
        ("We sat back-to-back", False),
        ("Go back, tomorrow", False),
        ("the earlier, the better", True),
    ],
)
def test_cues_are_whole_words(query: str, returns: bool) -> None:
    # Only a return cue switches to a topic that is no more similar.
    assert (decide(two_topics(), query, [0.5, 0.5, 0.5], START)["topic"] == switch(0)) is returns


def test_each_cue_of_the_list_is_found() -> None:
    lists = load_data(data_path("seeds", "context-cues.yaml"))
    assert set(lists) == {"return", "aside", "alternative", "follow_up", "personal", "common"}
    rest = " so please tell me as much as you can about all of this, would you"
    for cue in lists["return"]:
        assert decide(two_topics(), cue.replace("…", "old price") + rest, [0.5] * 3)["topic"] == switch(0)
    for cue in lists["aside"]:
        assert decide(two_topics(), cue.replace("…", "old") + rest, [0.3] * 3)["topic"] == CREATE
    for cue in lists["alternative"]:
        assert decide(two_branches(), cue + rest, [0.1, 0.1, 0.5, 0.1])["branch"] == fork(3)
    for cue in lists["follow_up"]:
        assert decide(two_topics(), cue + " please", [0.0] * 3)["topic"] == CONTINUE
    for cue in lists["personal"]:
        assert decide(two_topics(), f"Why does rain smell good to {cue} at night?", [0.2] * 3)["topic"] == CONTINUE
    assert decide(two_topics(), "Why does rain smell good at night?", [0.2] * 3)["topic"] == CREATE


def test_long_queries_take_no_longer() -> None:
    started = time.process_time()
    for text in ("the " * 1_000_000, "the" * 1_000_000, "'-" * 1_000_000, "a-" * 1_000_000):
        decide(two_topics(), text, [0.1] * 3)
    assert time.process_time() - started < 1


QUERIES = st.one_of(st.sampled_from([PLAIN, BACK, ASIDE, OTHER, OTHER + " " + BACK, FOLLOWS]), st.text(max_size=30))


@given(st.lists(st.floats(-1, 1), min_size=25, max_size=25), st.lists(QUERIES, max_size=25))
def test_every_decision_is_valid(similarities: list[float], queries: list[str]) -> None:
    forest = Forest()
    for number, text in enumerate(queries):
        shifted = [similarities[(number + i) % 25] for i in range(number)]
        decision = decide(forest, text, shifted)
        assert decision == decide(forest, text, shifted)
        assert forest.move(decision["topic"], decision["branch"]) == decision
        forest.add(text, "a")
