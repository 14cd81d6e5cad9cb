"""The forest of section 2 of the page: moves, paths, contexts, and a second implementation on random walks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_forest import InvalidMove, PageForest

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


def grown(*steps: Step, system: str = "") -> Forest:
    """A forest after some turns; the node of turn n has `qn`, `an` and `sn`."""
    forest = Forest(system)
    for i, (topic, branch) in enumerate(steps, 1):
        forest.move(topic, branch)
        forest.add(f"q{i}", f"a{i}", f"s{i}")
    return forest


def told(forest: Forest, query: str = "q") -> list[tuple[str, str]]:
    messages = forest.messages(query)
    assert isinstance(messages, tuple)
    return [(m.role, m.content) for m in messages]


def path(forest: Forest) -> list[int]:
    return list(forest.path())


def rounds(*numbers: int) -> list[tuple[str, str]]:
    return [m for n in numbers for m in (("user", f"q{n}"), ("assistant", f"a{n}"))]


# The page's example: the fourth turn opens a topic, the fifth comes back to the branch of the third.
EXAMPLE: tuple[Step, ...] = ((NEW, None), (GO, GO), (GO, fork(1)), (NEW, None))


def test_the_example_of_the_page() -> None:
    forest = grown(*EXAMPLE, system="Be brief.")
    forest.move(to_topic(0))
    assert path(forest) == [1, 3]
    system = "Be brief.\n\nOther topics:\nTopic 2: s4\n\nOther branches of this topic:\nBranch b0: s2"
    assert told(forest) == [("system", system), *rounds(1, 3), ("user", "q")]
    node = forest.add("q5", "a5", "s5")
    assert (node.number, node.tree, node.branch, node.parent) == (5, 0, "b1", 3)
    assert path(forest) == [1, 3, 5]


def test_the_example_without_a_system_text() -> None:
    forest = grown(*EXAMPLE)
    forest.move(to_topic(0))
    system = "Other topics:\nTopic 2: s4\n\nOther branches of this topic:\nBranch b0: s2"
    assert told(forest)[0] == ("system", system)


@pytest.mark.parametrize("topic", [NEW, GO, None])
@pytest.mark.parametrize("system", ["", "Be brief."])
def test_the_first_turn_opens_a_topic(topic: Decision | None, system: str) -> None:
    forest = Forest(system)
    forest.move(topic)
    head = [("system", system)] if system else []
    assert told(forest) == [*head, ("user", "q")]
    assert path(forest) == []
    assert forest.active_tree == 0
    node = forest.add("q1", "a1", "s1")
    assert (node.number, node.tree, node.branch, node.parent) == (1, 0, "b0", None)
    assert (node.query, node.reply, node.summary) == ("q1", "a1", "s1")


def test_nodes_are_frozen() -> None:
    forest = Forest()
    forest.move(NEW)
    node = forest.add("q1", "a1", "s1")
    with pytest.raises((FrozenInstanceError, AttributeError)):
        node.summary = "other"


@pytest.mark.parametrize(
    ("steps", "where"),
    [
        ([(NEW, None)], (1, 0, "b0", None)),
        ([(NEW, None), (GO, None)], (2, 0, "b0", 1)),
        ([(NEW, None), (None, None)], (2, 0, "b0", 1)),
        ([(NEW, None), (GO, GO)], (2, 0, "b0", 1)),
        ([(NEW, None), (NEW, None)], (2, 1, "b0", None)),
        ([(NEW, None), (NEW, None), (GO, None)], (3, 1, "b0", 2)),
        ([(NEW, None), (NEW, None), (to_topic(0), None)], (3, 0, "b0", 1)),
        ([(NEW, None), (NEW, None), (to_topic(1), None)], (3, 1, "b0", 2)),
        ([(NEW, None), (GO, fork(1))], (2, 0, "b1", 1)),
        ([(NEW, None), (GO, None), (GO, fork(1))], (3, 0, "b1", 1)),
        ([(NEW, None), (GO, None), (GO, fork(2))], (3, 0, "b1", 2)),
        ([(NEW, None), (GO, None), (GO, fork(1)), (GO, None)], (4, 0, "b1", 3)),
        ([(NEW, None), (GO, None), (GO, fork(1)), (GO, fork(1))], (4, 0, "b2", 1)),
        ([(NEW, None), (GO, None), (GO, fork(1)), (GO, fork(2))], (4, 0, "b2", 2)),
        ([(NEW, None), (GO, None), (GO, fork(1)), (GO, fork(3))], (4, 0, "b2", 3)),
        ([(NEW, None), (GO, None), (GO, fork(1)), (GO, to_branch("b0"))], (4, 0, "b0", 2)),
        ([(NEW, None), (GO, None), (GO, fork(1)), (GO, to_branch("b1"))], (4, 0, "b1", 3)),
        ([(NEW, None), (GO, fork(1)), (GO, to_branch("b0"))], (3, 0, "b0", 1)),
        ([(NEW, None), (NEW, None), (GO, fork(2)), (to_topic(0), fork(1))], (4, 0, "b1", 1)),
        ([*EXAMPLE, (to_topic(0), to_branch("b0"))], (5, 0, "b0", 2)),
        ([*EXAMPLE, (to_topic(0), fork(2))], (5, 0, "b2", 2)),
        ([*EXAMPLE, (GO, None)], (5, 1, "b0", 4)),
        ([*EXAMPLE, (to_topic(0), None), (to_topic(1), None), (to_topic(0), None)], (7, 0, "b1", 5)),
        ([*EXAMPLE, (to_topic(0), to_branch("b0")), (NEW, None), (to_topic(0), None)], (7, 0, "b0", 5)),
    ],
)
def test_where_a_node_is_put(steps: list[Step], where: tuple[int, int, str, int | None]) -> None:
    forest = grown(*steps[:-1])
    forest.move(*steps[-1])
    node = forest.add("q", "a", "s")
    assert (node.number, node.tree, node.branch, node.parent) == where
    assert forest.active_tree == node.tree


@pytest.mark.parametrize("branch", [fork(1), fork(99), to_branch("b0"), to_branch("b7"), GO, None])
def test_a_tree_without_nodes_has_no_branch_decision(branch: Decision | None) -> None:
    first = Forest()
    first.move(NEW, branch)
    assert first.add("q1", "a1", "s1").branch == "b0"
    first.move(NEW, branch)
    node = first.add("q2", "a2", "s2")
    assert (node.tree, node.branch, node.parent) == (1, "b0", None)


INVALID: list[tuple[Decision | None, Decision | None]] = [
    (to_topic(2), None),
    (to_topic(-1), None),
    (to_topic(99), GO),
    (GO, fork(4)),  # a node of no tree
    (GO, fork(0)),
    (GO, fork(-1)),
    (GO, fork(1)),  # of another tree than the active one
    (None, fork(2)),
    (GO, to_branch("b1")),  # the other tree has it
    (GO, to_branch("b9")),
    (GO, to_branch("")),
    (to_topic(0), fork(3)),  # valid by its topic alone
    (to_topic(0), fork(99)),
    (to_topic(0), to_branch("b2")),
    (to_topic(1), fork(2)),
    ({"action": "JUMP"}, None),
    (GO, {"action": "JUMP"}),
]


@pytest.mark.parametrize(("topic", "branch"), INVALID)
def test_an_invalid_decision_changes_nothing(topic: Decision | None, branch: Decision | None) -> None:
    forest = grown((NEW, None), (GO, fork(1)), (NEW, None), system="s")  # 1 on b0, 2 on b1; 3 in tree 1
    before = (told(forest), path(forest), forest.active_tree)
    with pytest.raises(ValueError):
        forest.move(topic, branch)
    assert (told(forest), path(forest), forest.active_tree) == before
    forest.move(GO)
    node = forest.add("q4", "a4", "s4")
    assert (node.number, node.tree, node.branch, node.parent) == (4, 1, "b0", 3)
    forest.move(NEW)
    assert forest.add("q5", "a5", "s5").tree == 2
    forest.move(to_topic(0))
    assert forest.add("q6", "a6", "s6").parent == 2


@pytest.mark.parametrize("topic", [to_topic(0), to_topic(1)])
def test_nothing_to_switch_to_before_the_first_turn(topic: Decision) -> None:
    forest = Forest("s")
    with pytest.raises(ValueError):
        forest.move(topic)
    forest.move(GO)
    node = forest.add("q", "a", "s")
    assert (node.number, node.tree, node.parent) == (1, 0, None)


@pytest.mark.parametrize(
    ("steps", "move", "sections", "shown"),
    [
        ([(NEW, None), (GO, None)], (GO, None), [], [1, 2]),
        ([(NEW, None), (GO, None)], (NEW, None), ["Other topics:\nTopic 1: s1 s2"], []),
        (
            [(NEW, None), (NEW, None), (NEW, None)],
            (to_topic(1), None),
            ["Other topics:\nTopic 1: s1\nTopic 3: s3"],
            [2],
        ),
        ([(NEW, None), (NEW, None)], (NEW, None), ["Other topics:\nTopic 1: s1\nTopic 2: s2"], []),
        # in turn order whatever their branch: 2 and 4 on b0, 3 on b1
        (
            [(NEW, None), (GO, None), (GO, fork(1)), (GO, to_branch("b0"))],
            (NEW, None),
            ["Other topics:\nTopic 1: s1 s2 s3 s4"],
            [],
        ),
        (
            [(NEW, None), (GO, None), (GO, fork(1)), (GO, to_branch("b0"))],
            (GO, None),
            ["Other branches of this topic:\nBranch b1: s3"],
            [1, 2, 4],
        ),
        # a branch whose nodes are all on the path has no line
        ([(NEW, None), (GO, fork(1))], (GO, None), [], [1, 2]),
        ([(NEW, None), (GO, None), (GO, fork(2))], (GO, None), [], [1, 2, 3]),
        # partly on the path
        (
            [(NEW, None), (GO, None), (GO, None), (GO, fork(2))],
            (GO, None),
            ["Other branches of this topic:\nBranch b0: s3"],
            [1, 2, 4],
        ),
        # the new branch is without nodes when the context is built
        (
            [(NEW, None), (GO, None), (GO, None)],
            (GO, fork(1)),
            ["Other branches of this topic:\nBranch b0: s2 s3"],
            [1],
        ),
        (
            [(NEW, None), (GO, None), (GO, fork(1)), (GO, None), (GO, fork(1))],
            (GO, None),
            ["Other branches of this topic:\nBranch b0: s2\nBranch b1: s3 s4"],
            [1, 5],
        ),
        # a branch of a branch
        (
            [(NEW, None), (GO, None), (GO, fork(1)), (GO, None), (GO, fork(3))],
            (GO, None),
            ["Other branches of this topic:\nBranch b0: s2\nBranch b1: s4"],
            [1, 3, 5],
        ),
        # branches of other trees are not listed
        (
            [(NEW, None), (GO, None), (GO, fork(1)), (NEW, None), (GO, None)],
            (GO, fork(4)),
            ["Other topics:\nTopic 1: s1 s2 s3", "Other branches of this topic:\nBranch b0: s5"],
            [4],
        ),
    ],
)
@pytest.mark.parametrize("system", ["", "Be brief.\nAlways."])
def test_what_the_context_shows(
    steps: list[Step], move: Step, sections: list[str], shown: list[int], system: str
) -> None:
    forest = grown(*steps, system=system)
    forest.move(*move)
    parts = [system, *sections] if system else sections
    head = [("system", "\n\n".join(parts))] if parts else []
    assert told(forest) == [*head, *rounds(*shown), ("user", "q")]
    assert path(forest) == shown


def test_ten_branches_stay_in_order_of_creation() -> None:
    forest = grown((NEW, None), *[(GO, fork(1))] * 12)
    forest.move(GO)
    lines = "\n".join(f"Branch b{i}: s{i + 1}" for i in range(1, 12))
    assert told(forest)[0] == ("system", f"Other branches of this topic:\n{lines}")


def test_ten_topics_stay_in_order_of_creation() -> None:
    forest = grown(*[(NEW, None)] * 12)
    forest.move(NEW)
    lines = "\n".join(f"Topic {i}: s{i}" for i in range(1, 13))
    assert told(forest)[0] == ("system", f"Other topics:\n{lines}")


def test_a_summary_may_come_later() -> None:
    forest = Forest()
    forest.move(NEW)
    assert forest.add("q1", "a1").summary is None
    forest.move(NEW)
    forest.add("q2", "a2", None)
    forest.summarise(1, "first")
    forest.summarise(2, "second")
    forest.move(NEW)
    assert told(forest)[0] == ("system", "Other topics:\nTopic 1: first\nTopic 2: second")


def test_a_node_on_the_path_needs_no_summary() -> None:
    forest = Forest()
    forest.move(NEW)
    forest.add("q1", "a1")
    forest.move(GO)
    assert told(forest) == [*rounds(1), ("user", "q")]


def test_reading_the_context_changes_nothing() -> None:
    forest = grown(*EXAMPLE)
    forest.move(to_topic(0))
    assert told(forest) == told(forest)
    assert path(forest) == path(forest) == [1, 3]


def moves(draw: st.DrawFn, model: PageForest) -> Step:
    """A decision, most often a valid one."""
    trees = st.integers(-1, len(model.trees)).map(to_topic)
    topic = draw(st.one_of(st.sampled_from([NEW, GO, GO, None]), trees))
    numbers = st.integers(0, len(model.nodes) + 1).map(fork)
    names = st.integers(0, 4).map(lambda i: to_branch(f"b{i}"))
    return topic, draw(st.one_of(st.none(), st.just(GO), numbers, names))


def compare(forest: Forest, model: PageForest) -> None:
    assert told(forest) == model.messages("q")
    assert path(forest) == model.path()
    assert forest.active_tree == model.active


@settings(max_examples=150)
@given(st.data())
def test_both_forests_walk_alike(data: st.DataObject) -> None:
    system = data.draw(st.sampled_from(["", "Be brief."]))
    forest, model = Forest(system), PageForest(system)
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


@given(st.data())
def test_no_round_is_shown_twice_and_no_answer_is_parted_from_its_question(data: st.DataObject) -> None:
    forest, model = Forest("Be brief."), PageForest()
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
