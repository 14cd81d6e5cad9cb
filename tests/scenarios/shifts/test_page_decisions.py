"""Decisions against gold, and what a context keeps: section 7 of the page, with a second implementation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_answers import cancelled, goal, item, number, text, withdrawn
from plain_forest import PlainForest, gold_forest, gold_steps

from evolif.contexts import full_history, last_turns
from evolif.scenarios.shifts import decision_scores, generate
from evolif.scenarios.shifts.recall import node_recall
from evolif.types import Message

Decision = Mapping[str, Any]
NAMES = {"topic_accuracy", "fork_accuracy", "extra_branches", "return_accuracy", "return_named", "return_implicit"}
GO: Decision = {"action": "CONTINUE"}
NEW: Decision = {"action": "CREATE_TOPIC"}


def to_topic(number: int) -> Decision:
    return {"action": "SWITCH_TOPIC", "target": number}


def fork(number: int) -> Decision:
    return {"action": "CREATE_BRANCH", "fork": number}


def to_branch(name: str) -> Decision:
    return {"action": "SWITCH_BRANCH", "target": name}


def turn(number: int, move: str, topic: int, branch: str, fork: int | None = None, returns: str | None = None) -> Any:
    return SimpleNamespace(
        turn=number, move=move, topic=topic, branch=branch, fork=fork, returns=returns, query="", reply="", acts=()
    )


# 1 and 2 on b0; 3 tries an alternative to 1; 4 digresses; 5 returns to b1; 6 returns to b0; 7 asks for the result on b1
TURNS = (
    turn(1, "open", 0, "b0"),
    turn(2, "continue", 0, "b0"),
    turn(3, "alternative", 0, "b1", fork=1),
    turn(4, "digress", 1, "b0"),
    turn(5, "return", 0, "b1", returns="named"),
    turn(6, "return", 0, "b0", returns="implicit"),
    turn(7, "final", 0, "b1"),
)
DIALOGUE = SimpleNamespace(turns=TURNS, rounds=7, checkpoints=())
GOLD: tuple[tuple[Decision, Decision | None], ...] = (
    (NEW, None), (GO, GO), (GO, fork(1)), (NEW, None),
    (to_topic(0), None), (GO, to_branch("b0")), (GO, to_branch("b1")),
)  # fmt: skip


def packed(steps: Sequence[tuple[Decision | None, Decision | None]]) -> list[dict[str, Any]]:
    """Decisions as `Context.decision` gives them."""
    return [{"topic": topic or GO, "branch": branch} for topic, branch in steps]


def scores(changes: Mapping[int, tuple[Decision, Decision | None]], dialogue: Any = DIALOGUE) -> dict[str, Any]:
    """Of the gold decisions with some turns changed."""
    steps = [changes.get(i, step) for i, step in enumerate(GOLD, 1)]
    return dict(decision_scores(dialogue, packed(steps)))


def expected(topic: float, forks: float | None, extra: int, named: float, implicit: float) -> dict[str, Any]:
    both = (named + implicit) / 2
    return {
        "topic_accuracy": pytest.approx(topic), "fork_accuracy": forks, "extra_branches": extra,
        "return_accuracy": both, "return_named": named, "return_implicit": implicit,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({}, (1, 1.0, 0, 1.0, 1.0)),
        # the alternative is missed: the second round is still there to return to, so b0 is right, b1 is not
        ({3: (GO, None), 6: (GO, None), 7: (GO, None)}, (1, 0.0, 0, 1.0, 0.0)),
        # forked elsewhere, in a turn in which gold forks too
        ({3: (GO, fork(2))}, (1, 0.0, 0, 1.0, 1.0)),
        # a branch where gold has none: the fifth turn's current node is the second
        ({5: (to_topic(0), fork(2))}, (1, 1.0, 1, 0.0, 1.0)),
        (
            {2: (GO, fork(1)), 3: (GO, fork(1)), 5: (to_topic(0), to_branch("b2")), 7: (GO, to_branch("b2"))},
            (1, 1.0, 1, 1.0, 1.0),
        ),
        # no topic is opened for the digression: its root is of another topic
        ({4: (GO, None), 5: (GO, None)}, (5 / 6, 1.0, 0, 0.0, 1.0)),
        # the digression's tree is not left: wrong at 5, 6 and 7; both returns are missed
        ({5: (GO, None), 6: (GO, None), 7: (GO, None)}, (3 / 6, 1.0, 0, 0.0, 0.0)),
        # a tree too many at the second turn, whose root then has the right topic but should not have been made
        ({2: (NEW, None), 3: (to_topic(0), fork(1)), 6: (GO, to_branch("b0"))}, None),
        # every turn opens a topic
        (dict.fromkeys(range(2, 8), (NEW, None)), (1 / 6, 0.0, 0, 0.0, 0.0)),
        # nothing is ever decided
        (dict.fromkeys(range(1, 8), (GO, None)), (5 / 6, 0.0, 0, 0.0, 0.0)),
    ],
)
def test_scores_by_hand(changes: Any, result: tuple[Any, ...] | None) -> None:
    found = scores(changes)
    assert set(found) == NAMES
    if result is not None:
        assert found == expected(*result)
    else:
        assert found["topic_accuracy"] < 1


def test_the_gold_decisions_are_perfect() -> None:
    assert gold_steps(DIALOGUE)[2:5] == [(GO, fork(1)), (NEW, None), (to_topic(0), None)]
    assert scores({}) == expected(1, 1.0, 0, 1.0, 1.0)


def test_a_strategy_without_decisions_goes_on() -> None:
    found = decision_scores(DIALOGUE, [None] * 7)
    assert found == scores(dict.fromkeys(range(1, 8), (GO, None)))


def test_a_missing_part_of_a_decision_is_to_go_on() -> None:
    decisions = [{"topic": NEW, "branch": None}, {"topic": None, "branch": None}, *packed(GOLD[2:])]
    assert decision_scores(DIALOGUE, decisions) == scores({})


def test_what_is_not_there_has_no_accuracy() -> None:
    plain = SimpleNamespace(turns=(TURNS[0], TURNS[1], turn(3, "final", 0, "b0")), checkpoints=(), rounds=3)
    found = decision_scores(plain, packed([*GOLD[:2], (GO, None)]))
    assert found == {
        "topic_accuracy": 1.0, "fork_accuracy": None, "extra_branches": 0,
        "return_accuracy": None, "return_named": None, "return_implicit": None,
    }  # fmt: skip


def test_named_and_implicit_returns_are_told_apart() -> None:
    only = SimpleNamespace(turns=TURNS[:5], checkpoints=(), rounds=5)
    found = decision_scores(only, packed(GOLD[:5]))
    assert (found["return_accuracy"], found["return_named"], found["return_implicit"]) == (1.0, 1.0, None)


def test_a_single_turn_has_no_topic_accuracy() -> None:
    one = SimpleNamespace(turns=TURNS[:1], checkpoints=(), rounds=1)
    assert decision_scores(one, packed(GOLD[:1]))["topic_accuracy"] is None


def test_the_final_request_is_no_return() -> None:
    assert scores({7: (GO, None)}) == expected(1, 1.0, 0, 1.0, 1.0)


# A second implementation


@cache
def made() -> tuple[Any, ...]:
    return tuple(generate(24, seed=31))


def share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None


def again(dialogue: Any, steps: Sequence[tuple[Decision, Decision | None]]) -> dict[str, Any]:
    """The scores, from the sentences of the page."""
    forest, gold = PlainForest(), gold_steps(dialogue)
    of_topic, of_fork, of_return, extra = [], [], [], 0
    for t, (topic, branch), (gold_topic, _) in zip(dialogue.turns, steps, gold, strict=True):
        trees = len(forest.trees)
        branches = sum(len(tree.branches) for tree in forest.trees)
        forest.move(topic, branch)
        created = len(forest.trees) > trees
        branched = sum(len(tree.branches) for tree in forest.trees) - branches - created > 0
        node = forest.nodes.get(forest.tree.current or 0)
        if t.turn > 1:
            root = forest.path()[0] if node else t.turn
            right = dialogue.turns[root - 1].topic == t.topic
            of_topic.append((created is (gold_topic["action"] == "CREATE_TOPIC")) and right)
        if t.move == "alternative":
            of_fork.append(branched and forest.tree.current == t.fork)
        extra += branched and t.move != "alternative"
        if t.returns:
            at = dialogue.turns[node.number - 1] if node else None
            of_return.append((t.returns, at is not None and (at.topic, at.branch) == (t.topic, t.branch)))
        forest.add(t.query, t.reply, "")
    return {
        "topic_accuracy": share(of_topic),
        "fork_accuracy": share(of_fork),
        "extra_branches": extra,
        "return_accuracy": share([hit for _, hit in of_return]),
        "return_named": share([hit for how, hit in of_return if how == "named"]),
        "return_implicit": share([hit for how, hit in of_return if how == "implicit"]),
    }


@pytest.mark.parametrize("number", range(24))
def test_gold_decisions_of_generated_dialogues_are_perfect(number: int) -> None:
    dialogue = made()[number]
    found = decision_scores(dialogue, packed(gold_steps(dialogue)))
    assert found["extra_branches"] == 0
    assert all(found[name] in (1.0, None) for name in NAMES - {"extra_branches"})
    assert found["topic_accuracy"] == found["fork_accuracy"] == found["return_named"] == 1.0


def at_random(data: st.DataObject, dialogue: Any) -> list[tuple[Decision, Decision | None]]:
    """Valid decisions, often those of gold."""
    forest, steps = PlainForest(), []
    for t, gold in zip(dialogue.turns, gold_steps(dialogue), strict=True):
        step = gold
        if data.draw(st.booleans()):
            trees = st.integers(0, max(0, len(forest.trees) - 1)).map(to_topic) if forest.trees else st.just(NEW)
            topic = data.draw(st.one_of(st.just(NEW), st.just(GO), trees))
            target = forest.trees[topic["target"]] if "target" in topic else None
            if topic == GO and forest.trees:
                target = forest.tree
            branch = None
            if target is not None and target.numbers:
                names = st.sampled_from(sorted(n for n, chain in target.branches.items() if chain))
                branch = data.draw(
                    st.one_of(st.none(), st.sampled_from(target.numbers).map(fork), names.map(to_branch))
                )
            step = (topic, branch)
        try:
            forest.move(*step)
        except Exception:  # gold names what is not there once others were followed
            step = (GO, None)
            forest.move(*step)
        forest.add(t.query, t.reply, "")
        steps.append(step)
    return steps


@settings(max_examples=120)
@given(st.data())
def test_both_scores_agree(data: st.DataObject) -> None:
    dialogue = data.draw(st.sampled_from(made()))
    steps = at_random(data, dialogue)
    assert decision_scores(dialogue, packed(steps)) == pytest.approx(again(dialogue, steps))


# Node recall

GOALS = (
    text(provenance=[1, 3], superseded=["Ghent"]),
    number(provenance=[3]),
    item("castle", provenance=[5]),
    cancelled("tram", provenance=[6, 9]),
    withdrawn("Ibis", "hotel", provenance=[1]),
)
KEPT = SimpleNamespace(checkpoints=GOALS, turns=())  # turns 1, 3, 5, 6, 9


@pytest.mark.parametrize(
    ("shown", "full", "summary", "absent"),
    [
        ({}, 0, 0, 1),
        (dict.fromkeys(range(1, 10), "full"), 1, 0, 0),
        (dict.fromkeys(range(1, 10), "summary"), 0, 1, 0),
        ({1: "full", 3: "summary"}, 0.2, 0.2, 0.6),
        ({1: "full", 2: "full", 4: "full", 9: "full"}, 0.4, 0, 0.6),
        ({5: "summary", 6: "full", 7: "summary", 8: "full"}, 0.2, 0.2, 0.6),
    ],
)
def test_how_provenance_turns_are_shown(shown: dict[int, str], full: float, summary: float, absent: float) -> None:
    found = node_recall(KEPT, shown)
    assert found["full"] == pytest.approx(full)
    assert found["summary"] == pytest.approx(summary)
    assert found["absent"] == pytest.approx(absent)
    assert found["kept_value"] is None


def test_nothing_to_recall() -> None:
    found = node_recall(SimpleNamespace(checkpoints=(), turns=()), {1: "full"}, [Message("user", "Lisbon")])
    assert found == {"full": None, "summary": None, "absent": None, "kept_value": None}


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        ([], 0),
        (["We go to Lisbon.", "Fine."], 1 / 3),
        (["We go to lisbon and see the castle."], 2 / 3),
        (["Lisbon", "for 1200 euros", "castle"], 1),
        (["Lisbon, the castle, tram, Ibis"], 2 / 3),  # only present goals count
        (["Lisbons and castles"], 0),
        (["Ghent, the tram, Ibis"], 0),
    ],
)
def test_kept_values(texts: list[str], kept: float) -> None:
    messages = [Message("user", content) for content in texts]
    assert node_recall(KEPT, {}, messages)["kept_value"] == pytest.approx(kept)


def test_values_in_summaries_are_kept_too() -> None:
    messages = (Message("system", "Topic 1: wants Lisbon."), Message("user", "q"))
    assert node_recall(KEPT, {}, messages)["kept_value"] == pytest.approx(1 / 3)


def test_only_withdrawn_goals_keep_no_value() -> None:
    only = SimpleNamespace(checkpoints=(withdrawn("Ibis", "hotel", provenance=[2]),), turns=())
    found = node_recall(only, {2: "full"}, [Message("user", "Ibis")])
    assert found == {"full": 1.0, "summary": 0.0, "absent": 0.0, "kept_value": None}


@pytest.mark.parametrize("number", range(12))
def test_what_full_and_nothing_keep_of_a_generated_dialogue(number: int) -> None:
    d = made()[number]
    rounds = [(t.query, t.reply) for t in d.turns[:-1]]
    everything = full_history(rounds, d.turns[-1].query)
    found = node_recall(d, dict.fromkeys(range(1, d.rounds), "full"), everything)
    assert (found["full"], found["summary"], found["absent"]) == (1.0, 0.0, 0.0)
    assert found["kept_value"] == 1.0
    none = node_recall(d, {}, last_turns(rounds, d.turns[-1].query, 0))
    assert (none["full"], none["absent"]) == (0.0, 1.0)
    assert none["kept_value"] < 1


@settings(max_examples=40)
@given(st.data())
def test_recall_counts_distinct_turns(data: st.DataObject) -> None:
    d = data.draw(st.sampled_from(made()))
    shown = data.draw(st.dictionaries(st.integers(1, d.rounds - 1), st.sampled_from(["full", "summary"])))
    turns = {n for g in d.checkpoints for n in g["provenance"]}
    found = node_recall(d, shown)
    for name in ("full", "summary"):
        assert found[name] == pytest.approx(sum(shown.get(n) == name for n in turns) / len(turns))
    assert found["full"] + found["summary"] + found["absent"] == pytest.approx(1)


def test_the_tests_have_goals_of_all_kinds() -> None:
    assert {goal("x", "text", "y")["polarity"], GOALS[3]["polarity"]} == {"present", "absent"}
    assert gold_forest(DIALOGUE).path() == [1, 3, 5, 7]
