"""A second forest of topic trees, slow and plain, without the code under test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

Decision = Mapping[str, Any]


class InvalidMove(Exception):
    """A decision that names what is not there."""


class PlainNode(NamedTuple):
    """One round."""

    number: int
    tree: int
    branch: str
    parent: int | None
    query: str
    reply: str
    summary: str


class PlainTree:
    """Branches in order of creation, the active one, and the current node."""

    def __init__(self) -> None:
        self.branches: dict[str, list[int]] = {"b0": []}
        self.active = "b0"
        self.current: int | None = None

    @property
    def numbers(self) -> list[int]:
        return sorted(n for chain in self.branches.values() for n in chain)


class PlainForest:
    """Trees, their nodes, and the active tree."""

    def __init__(self, system: str = "") -> None:
        self.system = system
        self.trees: list[PlainTree] = []
        self.nodes: dict[int, PlainNode] = {}
        self.active: int | None = None

    def move(self, topic: Decision | None, branch: Decision | None = None) -> None:
        """Carry out both decisions, or neither."""
        before = deepcopy((self.trees, self.active))
        try:
            self._topic(topic or {"action": "CONTINUE"})
            if self.tree.numbers:
                self._branch(branch or {"action": "CONTINUE"})
        except InvalidMove:
            self.trees, self.active = before
            raise

    @property
    def tree(self) -> PlainTree:
        assert self.active is not None
        return self.trees[self.active]

    def _topic(self, topic: Decision) -> None:
        action = topic["action"]
        if action == "SWITCH_TOPIC":
            if topic["target"] not in range(len(self.trees)):
                raise InvalidMove
            self.active = topic["target"]
        elif action == "CREATE_TOPIC" or self.active is None:
            self.active = len(self.trees)
            self.trees.append(PlainTree())

    def _branch(self, branch: Decision) -> None:
        tree = self.tree
        if branch["action"] == "CREATE_BRANCH":
            if branch["fork"] not in tree.numbers:
                raise InvalidMove
            tree.active = f"b{len(tree.branches)}"
            tree.branches[tree.active] = []
            tree.current = branch["fork"]
        elif branch["action"] == "SWITCH_BRANCH":
            if branch["target"] not in tree.branches:
                raise InvalidMove
            tree.active = branch["target"]
            tree.current = tree.branches[tree.active][-1]

    def add(self, query: str, reply: str, summary: str) -> PlainNode:
        tree = self.tree
        node = PlainNode(len(self.nodes) + 1, self.active or 0, tree.active, tree.current, query, reply, summary)
        self.nodes[node.number] = node
        tree.branches[tree.active].append(node.number)
        tree.current = node.number
        return node

    def path(self) -> list[int]:
        found: list[int] = []
        at = self.tree.current
        while at is not None:
            found.insert(0, at)
            at = self.nodes[at].parent
        return found

    def messages(self, query: str) -> list[tuple[str, str]]:
        """Role and content of each message."""
        parts = [self.system, self._topics(), self._branches()]
        system = "\n\n".join(p for p in parts if p)
        out = [("system", system)] if system else []
        for number in self.path():
            out += [("user", self.nodes[number].query), ("assistant", self.nodes[number].reply)]
        return [*out, ("user", query)]

    def _summaries(self, numbers: Sequence[int]) -> str:
        return " ".join(self.nodes[n].summary for n in sorted(numbers))

    def _topics(self) -> str:
        lines = [
            f"Topic {i + 1}: {self._summaries(tree.numbers)}"
            for i, tree in enumerate(self.trees)
            if i != self.active and tree.numbers
        ]
        return "\n".join(["Other topics:", *lines]) if lines else ""

    def _branches(self) -> str:
        path = self.path()
        lines = []
        for name, chain in self.tree.branches.items():
            left = [n for n in chain if n not in path]
            if name != self.tree.active and left:
                lines.append(f"Branch {name}: {self._summaries(left)}")
        return "\n".join(["Other branches of this topic:", *lines]) if lines else ""


def gold_steps(dialogue: Any) -> list[tuple[Decision, Decision | None]]:
    """The gold decision of every turn, from its move, topic, branch and fork."""
    steps: list[tuple[Decision, Decision | None]] = []
    at: dict[int, str] = {}  # the branch on which each topic stands
    topic = -1
    for turn in dialogue.turns:
        first: Decision = {"action": "CONTINUE"}
        second: Decision | None = None
        if turn.move in ("open", "topic", "digress"):
            first = {"action": "CREATE_TOPIC"}
        elif turn.topic != topic:
            first = {"action": "SWITCH_TOPIC", "target": turn.topic}
        if turn.move == "alternative":
            second = {"action": "CREATE_BRANCH", "fork": turn.fork}
        elif turn.topic in at and turn.branch != at[turn.topic]:
            second = {"action": "SWITCH_BRANCH", "target": turn.branch}
        steps.append((first, second))
        topic, at[turn.topic] = turn.topic, turn.branch
    return steps


def gold_forest(dialogue: Any, turns: int | None = None) -> PlainForest:
    """The forest after so many turns of the gold decisions; all of them unless told. A node is its turn."""
    forest = PlainForest()
    for turn, (topic, branch) in list(zip(dialogue.turns, gold_steps(dialogue), strict=True))[:turns]:
        forest.move(topic, branch)
        forest.add(turn.query, turn.reply, "")
    return forest
