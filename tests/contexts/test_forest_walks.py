"""The forest held to a second implementation on random walks, and by the decisions that the tree strategy makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_forest import InvalidMove, PlainForest
from play_strategies import actions, by_words, flat, play

from evolif.contexts import Forest

Decision = Mapping[str, Any]
GO: Decision = {"action": "CONTINUE"}
NEW: Decision = {"action": "CREATE_TOPIC"}


def to_topic(number: Any) -> Decision:
    return {"action": "SWITCH_TOPIC", "target": number}


def fork(number: Any) -> Decision:
    return {"action": "CREATE_BRANCH", "fork": number}


def to_branch(name: Any) -> Decision:
    return {"action": "SWITCH_BRANCH", "target": name}


Step = tuple[Decision | None, Decision | None]


def told(forest: Forest, query: str = "q") -> list[tuple[str, str]]:
    messages = forest.messages(query)
    assert isinstance(messages, tuple)
    return [(m.role, m.content) for m in messages]


def path(forest: Forest) -> list[int]:
    return list(forest.path())


def moves(draw: st.DrawFn, model: PlainForest) -> Step:
    """A decision, most often a valid one."""
    trees = st.integers(-1, len(model.trees)).map(to_topic)
    topic = draw(st.one_of(st.sampled_from([NEW, GO, GO, None]), trees))
    numbers = st.integers(0, len(model.nodes) + 1).map(fork)
    names = st.integers(0, 4).map(lambda i: to_branch(f"b{i}"))
    return topic, draw(st.one_of(st.none(), st.just(GO), numbers, names))


def compare(forest: Forest, model: PlainForest) -> None:
    assert told(forest) == model.messages("q")
    assert path(forest) == model.path()
    assert forest.active_tree == model.active


@pytest.mark.slow
@given(st.data())
def test_both_forests_walk_alike(data: st.DataObject) -> None:
    system = data.draw(st.sampled_from(["", "Be brief."]))
    forest, model = Forest(system), PlainForest(system)
    for i in range(1, data.draw(st.integers(1, 20)) + 1):
        topic, branch = data.draw(st.composite(moves)(model))
        try:
            model.move(topic, branch)
        except InvalidMove:
            with pytest.raises(ValueError):
                forest.move(topic, branch)
            if model.active is None:
                continue
            compare(forest, model)
            model.move(None)
            forest.move(None)
        else:
            forest.move(topic, branch)
        compare(forest, model)
        node = forest.add(f"q{i}", f"a{i}", f"s{i}")
        assert model.add(f"q{i}", f"a{i}", f"s{i}") == (
            node.number, node.tree, node.branch, node.parent, node.query, node.reply, node.summary
        )  # fmt: skip


@pytest.mark.slow
@given(st.data())
def test_no_round_is_shown_twice_and_no_answer_is_parted_from_its_question(data: st.DataObject) -> None:
    forest, model = Forest("Be brief."), PlainForest()
    count = data.draw(st.integers(1, 15))
    for i in range(1, count + 1):
        step = data.draw(st.composite(moves)(model))
        try:
            model.move(*step)
        except InvalidMove:
            step = (NEW, None)
            model.move(*step)
        forest.move(*step)
        model.add("", "", "")
        forest.add(f"<q{i}>", f"<a{i}>", f"<s{i}>")
    forest.move(GO)
    messages = told(forest, "<now>")
    texts = "".join(content for _, content in messages)
    for i in range(1, count + 1):
        full, summary = texts.count(f"<q{i}>"), texts.count(f"<s{i}>")
        assert full + summary == 1
        assert texts.count(f"<a{i}>") == full
        if full:
            at = messages.index(("user", f"<q{i}>"))
            assert messages[at + 1] == ("assistant", f"<a{i}>")
    assert messages[-1] == ("user", "<now>")
    assert [role for role, _ in messages].count("system") == 1


EMBED = by_words("trip", "garden", "code", "hotel", "lisbon", "porto")
WORDS = ["trip", "garden", "code", "hotel", "sea", "what if", "instead", "back to", "earlier", "it", "and", "also"]
TALKS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join), min_size=1, max_size=9)


def numbered(queries: Sequence[str]) -> list[tuple[str, str]]:
    """Rounds that can be told apart."""
    return [(f"<q{i}> {q}", f"<a{i}> Sure.") for i, q in enumerate(queries, 1)]


@given(TALKS)
def test_the_tree_shows_every_round_once(queries: list[str]) -> None:
    """Rounds on the path in full, all others as summaries: the decisions, replayed, say which."""
    rounds = numbered(queries)
    model = PlainForest()
    for n, context in enumerate(play("tree", rounds, "<now>", embedder=EMBED)):
        model.move(*actions(context))
        path = model.path()
        assert dict(context.shown) == {i: "full" if i in path else "summary" for i in range(1, n + 1)}
        query = rounds[n][0] if n < len(rounds) else "<now>"
        assert flat(context) == model.messages(query)
        reply = rounds[n][1] if n < len(rounds) else ""
        model.add(query, reply, f"{query} {reply}")
