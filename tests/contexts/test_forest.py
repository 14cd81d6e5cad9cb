"""The forest of topic trees: moves, what is shown, and the gate of branch decisions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif import UsageError
from evolif.contexts import Forest, branch_gate
from evolif.contexts.forest import Node
from evolif.types import Message

CONTINUE, CREATE = {"action": "CONTINUE"}, {"action": "CREATE_TOPIC"}
Move = tuple[Any, Any]


def to_topic(number: object) -> dict[str, object]:
    return {"action": "SWITCH_TOPIC", "target": number}


def fork_at(number: object) -> dict[str, object]:
    return {"action": "CREATE_BRANCH", "fork": number}


def to_branch(name: object) -> dict[str, object]:
    return {"action": "SWITCH_BRANCH", "target": name}


def play(forest: Forest, *moves: Move, summaries: bool = True) -> list[Node]:
    nodes = []
    for topic, branch in moves:
        forest.move(topic, branch)
        n = len(forest.nodes) + 1
        nodes.append(forest.add(f"q{n}", f"a{n}", f"s{n}" if summaries else None))
    return nodes


def rounds(*numbers: int) -> tuple[Message, ...]:
    return tuple(m for n in numbers for m in (Message("user", f"q{n}"), Message("assistant", f"a{n}")))


def test_the_example_of_the_specification() -> None:
    forest = Forest("Rules.")
    nodes = play(forest, (CREATE, None), (CONTINUE, None), (CONTINUE, fork_at(1)), (CREATE, None))
    assert [(n.number, n.tree, n.branch, n.parent) for n in nodes] == [
        (1, 0, "b0", None),
        (2, 0, "b0", 1),
        (3, 0, "b1", 1),
        (4, 1, "b0", None),
    ]
    forest.move(to_topic(0))
    assert (forest.active_tree, forest.active_branch, forest.path()) == (0, "b1", [1, 3])
    sections = "Rules.\n\nOther topics:\nTopic 2: s4\n\nOther branches of this topic:\nBranch b0: s2"
    assert forest.messages("q5") == (Message("system", sections), *rounds(1, 3), Message("user", "q5"))
    assert forest.shown() == {1: "full", 2: "summary", 3: "full", 4: "summary"}
    assert forest.add("q5", "a5", None) == Node(5, 0, "b1", 3, "q5", "a5")
    assert (forest.path(), forest.path(1)) == ([1, 3, 5], [4])


def test_nothing_to_summarise_needs_no_system_message() -> None:
    forest = Forest()
    assert forest.messages("q1") == (Message("user", "q1"),)
    assert (forest.active_tree, forest.active_branch, forest.path(), forest.nodes) == (None, None, [], ())
    play(forest, (CONTINUE, None), (None, None))
    assert forest.messages("q3") == (*rounds(1, 2), Message("user", "q3"))
    forest.move(CREATE)
    assert forest.messages("q3") == (Message("system", "Other topics:\nTopic 1: s1 s2"), Message("user", "q3"))


def test_summaries_stand_in_turn_order_and_topics_keep_their_numbers() -> None:
    forest = Forest("")
    play(forest, (CREATE, None), (CONTINUE, None), (CREATE, None), (to_topic(0), fork_at(1)), (CREATE, None))
    play(forest, (to_topic(0), to_branch("b0")), (to_topic(1), None))
    assert [(n.number, n.branch) for n in forest.nodes if n.tree == 0] == [(1, "b0"), (2, "b0"), (4, "b1"), (6, "b0")]
    # Not one branch after the other; and topic 2, the active one, leaves a gap.
    assert forest.opening() == "Other topics:\nTopic 1: s1 s2 s4 s6\nTopic 3: s5"


def test_forking_moves_the_former_path_into_the_summaries() -> None:
    forest = Forest()
    play(forest, (None, None), (None, None), (None, None))
    assert forest.move(None, fork_at(1)) == {"topic": CONTINUE, "branch": fork_at(1)}
    assert (forest.active_branch, forest.path()) == ("b1", [1])
    assert forest.opening() == "Other branches of this topic:\nBranch b0: s2 s3"
    forest.add("q4", "a4", "s4")
    # A third branch leaves the second one with nothing but what lies on its path.
    forest.move(None, fork_at(4))
    assert forest.path() == [1, 4] and forest.opening() == "Other branches of this topic:\nBranch b0: s2 s3"
    forest.add("q5", "a5", "s5")
    forest.move(None, to_branch("b0"))
    assert forest.path() == [1, 2, 3]
    assert forest.opening() == "Other branches of this topic:\nBranch b1: s4\nBranch b2: s5"
    assert forest.add("q6", "a6").parent == 3


def test_each_tree_remembers_where_it_stands() -> None:
    forest = Forest()
    play(forest, (None, None), (None, None), (None, fork_at(1)), (CREATE, None), (None, fork_at(4)))
    forest.move(to_topic(0), to_branch("b0"))
    assert forest.path() == [1, 2]
    forest.move(to_topic(1))
    assert (forest.active_branch, forest.path()) == ("b1", [4, 5])
    forest.move(to_topic(0))
    assert (forest.active_branch, forest.path()) == ("b0", [1, 2])


def test_a_branch_without_nodes_stands_at_its_fork() -> None:
    forest = Forest()
    play(forest, (None, None), (None, None))
    forest.move(None, fork_at(1))
    forest.move(None, to_branch("b0"))
    forest.move(None, to_branch("b1"))
    assert forest.path() == [1] and forest.opening() == "Other branches of this topic:\nBranch b0: s2"


@pytest.mark.parametrize("branch", [to_branch("b7"), fork_at(1), {"action": "NONSENSE"}, 7])
def test_a_branch_decision_in_a_tree_without_nodes_is_ignored(branch: Any) -> None:
    forest = Forest()
    assert forest.move(CONTINUE, branch) == {"topic": CREATE, "branch": None}
    forest.add("q1", "a1")
    assert forest.move(CREATE, branch) == {"topic": CREATE, "branch": None}
    assert (forest.active_tree, forest.active_branch, forest.path()) == (1, "b0", [])


def test_a_decision_has_a_normal_form() -> None:
    forest = Forest()
    play(forest, (None, None), (CREATE, None))
    why = {"reason": "because", "fork": None}
    assert forest.move({**to_topic(0), **why}, {**CONTINUE, **why}) == {"topic": to_topic(0), "branch": None}
    assert forest.move(None, {**fork_at(1), "target": None}) == {"topic": CONTINUE, "branch": fork_at(1)}


INVALID: list[Any] = [
    (to_topic(2), None, "2 is no tree; the trees are numbered 0 to 1"),
    (to_topic(-1), None, "-1 is no tree"),
    (to_topic(True), None, "True is no tree"),
    (to_topic("0"), None, "“0” is no tree"),
    (to_topic([0]), None, "a list is no tree"),
    (to_topic(10**5000), None, "a very large number is no tree"),
    ({"action": "SWITCH_TOPIC"}, None, "SWITCH_TOPIC needs “target”"),
    ({"action": "DELETE"}, None, "“DELETE”; there are CONTINUE, CREATE_TOPIC, SWITCH_TOPIC"),
    ({"action": ["CONTINUE"]}, None, "the action a list"),
    ({}, None, "the action None"),
    ("CONTINUE", None, "an object with an action"),
    (fork_at(1), None, "the topic decision has the action “CREATE_BRANCH”"),
    (None, CREATE, "the branch decision has the action “CREATE_TOPIC”"),
    (to_topic(0), fork_at(4), "4 is no node of tree 0; its nodes are 1, 2, 3"),
    (to_topic(0), fork_at(1.0), "1.0 is no node"),
    (to_topic(0), {"action": "CREATE_BRANCH", "target": 1}, "CREATE_BRANCH needs “fork”"),
    (to_topic(1), fork_at(1), "1 is no node of tree 1; its nodes are 4"),
    (to_topic(0), to_branch("b2"), "“b2” is no branch of tree 0; there are b0, b1"),
    (to_topic(0), to_branch("b" * 1000), "…” is no branch"),
    (to_topic(0), to_branch(1), "1 is no branch"),
    (to_topic(0), {"action": "SWITCH_BRANCH"}, "SWITCH_BRANCH needs “target”"),
]


@pytest.mark.parametrize(("topic", "branch", "what"), INVALID)
def test_an_invalid_decision_changes_nothing(topic: Any, branch: Any, what: str) -> None:
    forest, same = Forest("Rules."), Forest("Rules.")
    for one in (forest, same):
        play(one, (None, None), (None, None), (None, fork_at(1)), (CREATE, None))
    with pytest.raises(ValueError, match=what) as caught:
        forest.move(topic, branch)
    assert isinstance(caught.value, UsageError) and len(str(caught.value)) < 200
    assert (forest.active_tree, forest.active_branch) == (1, "b0")
    for move in [(None, None), (CREATE, None), (to_topic(0), None)]:
        assert forest.messages("q") == same.messages("q")
        assert play(forest, move) == play(same, move)


def test_there_is_no_tree_to_switch_to_at_first() -> None:
    forest = Forest()
    with pytest.raises(ValueError, match="0 is no tree; there is none yet"):
        forest.move(to_topic(0))
    assert forest.active_tree is None
    with pytest.raises(ValueError, match="there is no tree 0; there is none yet"):
        forest.path(0)


def test_a_summary_may_come_later() -> None:
    forest = Forest()
    first, _ = play(forest, (None, None), (None, None), summaries=False)
    assert forest.unsummarised() == []
    forest.move(CREATE)
    assert (forest.unsummarised(), forest.shown(), forest.opening()) == ([1, 2], {}, "")
    assert forest.summarise(1, "one").summary == "one" and first.summary is None
    assert (forest.unsummarised(), forest.shown()) == ([2], {1: "summary"})
    assert forest.messages("q") == (Message("system", "Other topics:\nTopic 1: one"), Message("user", "q"))
    for number in (0, 3, -1):
        with pytest.raises(ValueError, match="numbered from 1"):
            forest.summarise(number, "none")


def test_a_node_is_frozen() -> None:
    node = Forest().add("q1", "a1", "s1")
    with pytest.raises(AttributeError):
        node.summary = "other"


class Naive:
    """The rules, word by word: a list of rows, and everything else is searched for in it."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, str, int | None]] = []
        self.tree: int | None = None
        self.forks: dict[tuple[int, str], int | None] = {}
        self.branch: dict[int, str] = {}

    def move(self, topic: dict[str, Any], branch: dict[str, Any] | None) -> bool:
        tree = self.tree
        if topic["action"] == "SWITCH_TOPIC":
            tree = topic["target"]
            if tree not in self.branch:
                return False
        elif topic["action"] == "CREATE_TOPIC" or tree is None:
            tree = len(self.branch)
        assert tree is not None
        mine = [row for row in self.rows if row[1] == tree]
        name = self.branch.get(tree, "b0")
        fork = None
        if mine and branch and branch["action"] == "SWITCH_BRANCH":
            name = branch["target"]
            if (tree, name) not in self.forks:
                return False
        if mine and branch and branch["action"] == "CREATE_BRANCH":
            fork = branch["fork"]
            if fork not in [row[0] for row in mine]:
                return False
            name = f"b{sum(t == tree for t, _ in self.forks)}"
        self.tree, self.branch[tree] = tree, name
        self.forks.setdefault((tree, name), fork)
        return True

    def current(self) -> int | None:
        if self.tree is None:
            return None
        here = (self.tree, self.branch[self.tree])
        return max((row[0] for row in self.rows if row[1:3] == here), default=self.forks[here])

    def add(self) -> tuple[int, int, str, int | None]:
        assert self.tree is not None
        self.rows.append((len(self.rows) + 1, self.tree, self.branch[self.tree], self.current()))
        return self.rows[-1]

    def path(self) -> list[int]:
        at = self.current()
        found: list[int] = []
        while at is not None:
            found.insert(0, at)
            at = self.rows[at - 1][3]
        return found

    def system(self, text: str) -> str:
        path = self.path()
        topics = [
            f"Topic {tree + 1}: " + " ".join(f"s{row[0]}" for row in self.rows if row[1] == tree)
            for tree in sorted({row[1] for row in self.rows} - {self.tree})
        ]
        left: dict[str, str] = {}
        for number, tree, name, _ in self.rows:
            if tree == self.tree and number not in path:
                left[name] = left.get(name, f"Branch {name}:") + f" s{number}"
        branches = [left[name] for name in sorted(left, key=lambda name: int(name[1:]))]
        if topics:
            text += "\n\nOther topics:\n" + "\n".join(topics)
        if branches:
            text += "\n\nOther branches of this topic:\n" + "\n".join(branches)
        return text


TOPICS = st.one_of(
    st.just(CONTINUE),
    st.just(CONTINUE),
    st.just(CREATE),
    st.integers(-1, 4).map(to_topic),
    st.integers(0, 2).map(to_topic),
)
BRANCHES = st.one_of(
    st.none(), st.integers(0, 12).map(fork_at), st.integers(0, 4).map(lambda number: to_branch(f"b{number}"))
)


@given(st.lists(st.tuples(TOPICS, BRANCHES, st.booleans()), max_size=25))
def test_moves_and_messages_are_those_of_a_naive_reference(turns: list[tuple[Any, Any, bool]]) -> None:
    forest, naive = Forest("Rules."), Naive()
    for topic, branch, answered in turns:
        if naive.move(topic, branch):
            forest.move(topic, branch)
        else:
            with pytest.raises(ValueError):
                forest.move(topic, branch)
            continue
        assert (forest.active_tree, forest.path()) == (naive.tree, naive.path())
        messages = forest.messages("query")
        assert messages[0] == Message("system", naive.system("Rules."))
        # Every round once: pairs in the order of time, or a summary, and nothing between a question and its answer.
        assert messages[1:] == (*rounds(*naive.path()), Message("user", "query"))
        words = messages[0].content.split()
        summarised = [row[0] for row in naive.rows if row[0] not in naive.path()]
        assert sorted(word for word in words if word[0] == "s") == sorted(f"s{n}" for n in summarised)
        assert forest.shown() == {r[0]: "full" if r[0] in naive.path() else "summary" for r in naive.rows}
        if answered:
            row = naive.add()
            node = forest.add(f"q{row[0]}", f"a{row[0]}", f"s{row[0]}")
            assert (node.number, node.tree, node.branch, node.parent) == row


@given(st.lists(st.tuples(TOPICS, BRANCHES), max_size=25))
def test_normal_forms_make_the_same_forest(turns: list[Move]) -> None:
    forest, again = Forest(), Forest()
    for topic, branch in turns:
        try:
            taken = forest.move(topic, branch)
        except ValueError:
            continue
        assert again.move(taken["topic"], taken["branch"]) == taken
        assert play(again, (None, None)) == play(forest, (None, None))
        assert again.messages("q") == forest.messages("q")


@pytest.mark.parametrize(
    ("similarity", "fork", "ancestor", "opens"),
    [
        (0.61, "b1", False, True),
        (0.61, "b1", True, True),
        (0.61, "b0", True, True),
        (0.61, "b0", False, False),  # the current node
        (0.6, "b1", True, False),
        (-1.0, "b1", True, False),
    ],
)
def test_the_gate(similarity: float, fork: str, ancestor: bool, opens: bool) -> None:
    assert branch_gate(similarity, fork, "b0", ancestor) is opens
    # These two matter as released only.
    assert branch_gate(similarity, fork, "b0", ancestor, is_direct_parent=True, at_root=True) is opens


def test_the_threshold_of_the_gate_is_a_parameter() -> None:
    assert branch_gate(0.41, "b1", "b0", False, theta=0.4)
    assert not branch_gate(0.4, "b1", "b0", False, theta=0.4)


@pytest.mark.parametrize(
    ("fork", "ancestor", "parent", "at_root", "opens"),
    [
        ("b0", True, False, False, True),
        ("b0", True, True, False, False),
        ("b1", True, True, False, True),
        ("b1", False, False, False, True),
        ("b1", False, False, True, False),
        ("b0", False, False, False, False),
    ],
)
def test_the_gate_as_released(fork: str, ancestor: bool, parent: bool, at_root: bool, opens: bool) -> None:
    gate = branch_gate(0.7, fork, "b0", ancestor, as_released=True, is_direct_parent=parent, at_root=at_root)
    assert gate is opens
    assert not branch_gate(0.6, fork, "b0", ancestor, as_released=True, is_direct_parent=parent, at_root=at_root)
