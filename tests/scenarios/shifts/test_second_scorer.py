"""Decisions scored by a second scorer, on a second forest of topic trees, which must find the same shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_forest import InvalidMove, PlainForest, gold_steps

from evolif.scenarios.shifts import decision_scores, generate
from evolif.scenarios.shifts.dialogue import ShiftDialogue

Decision = Mapping[str, Any]
Step = tuple[Decision, Decision | None]
GO: Decision = {"action": "CONTINUE"}
NEW: Decision = {"action": "CREATE_TOPIC"}


def packed(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Decisions as `Context.decision` gives them."""
    return [{"topic": topic, "branch": branch} for topic, branch in steps]


@cache
def made() -> tuple[ShiftDialogue, ...]:
    return tuple(generate(24, seed=31))


def share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None


def again(dialogue: ShiftDialogue, steps: Sequence[Step]) -> dict[str, Any]:
    """The scores, worked out again from what each of them means."""
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


def test_gold_decisions_of_generated_dialogues_are_perfect() -> None:
    for dialogue in made():
        found = decision_scores(dialogue, packed(gold_steps(dialogue)))
        assert found.pop("extra_branches") == 0
        assert found["topic_accuracy"] == found["fork_accuracy"] == found["return_named"] == 1.0
        assert set(found.values()) <= {1.0, None}


def at_random(data: st.DataObject, dialogue: ShiftDialogue) -> list[Step]:
    """Valid decisions, often those of gold."""
    forest, steps = PlainForest(), []
    for t, gold in zip(dialogue.turns, gold_steps(dialogue), strict=True):
        step = gold
        if data.draw(st.booleans()):
            known = [{"action": "SWITCH_TOPIC", "target": number} for number in range(len(forest.trees))]
            topic = data.draw(st.sampled_from([NEW, GO, *known]))
            target = forest.trees[topic["target"]] if "target" in topic else None
            if topic == GO and forest.trees:
                target = forest.tree
            branch = None
            if target is not None and target.numbers:
                forks = [{"action": "CREATE_BRANCH", "fork": number} for number in target.numbers]
                names = sorted(name for name, chain in target.branches.items() if chain)
                branches = [{"action": "SWITCH_BRANCH", "target": name} for name in names]
                branch = data.draw(st.none() | st.sampled_from(forks) | st.sampled_from(branches))
            step = (topic, branch)
        try:
            forest.move(*step)
        except InvalidMove:  # gold names what is not there once others were followed
            step = (GO, None)
            forest.move(*step)
        forest.add(t.query, t.reply, "")
        steps.append(step)
    return steps


@pytest.mark.slow
@settings(max_examples=120)
@given(st.data())
def test_both_scores_agree(data: st.DataObject) -> None:
    dialogue = data.draw(st.sampled_from(made()))
    steps = at_random(data, dialogue)
    assert decision_scores(dialogue, packed(steps)) == pytest.approx(again(dialogue, steps))
