"""The history as a forest of topic trees: what the strategy `tree` decides, and what it then shows.

After "Beyond Sequential Context" (Context-Agent). Every round is a node of a topic's tree, whose branches are the
alternatives that were tried. A turn moves in the forest, is shown the path that leads to where it then stands, and
summaries of everything else; then its round becomes a node. Nothing here calls a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from evolif.contexts.base import Shown
from evolif.errors import ArgumentError
from evolif.types import Message

Decision: TypeAlias = dict[str, dict[str, Any] | None]
"""What a turn decided: `topic` and `branch`, each an action with the key that it needs; no branch means CONTINUE."""
DEFAULT_THETA = 0.6
"""The gate's threshold of the publication; it belongs to the embedder used there."""
FIRST_BRANCH = "b0"
_MOST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Node:
    """One round in the forest."""

    number: int
    """From 1, over the whole conversation."""
    tree: int
    """From 0, in order of creation."""
    branch: str
    """`b0`, `b1`, … in its tree."""
    parent: int | None
    """The number of the node before it; None for a root."""
    query: str
    reply: str
    summary: str | None = None
    """None as long as nobody needed one."""


@dataclass(slots=True)
class _Branch:
    fork: int | None
    """The node that it branches off from; None for the first branch."""
    last: int | None
    """Its latest node; before it has one, the fork node. The tree's current node, while the branch is active."""


@dataclass(slots=True)
class _Tree:
    branches: dict[str, _Branch] = field(default_factory=lambda: {FIRST_BRANCH: _Branch(None, None)})
    active: str = FIRST_BRANCH

    @property
    def current(self) -> int | None:
        return self.branches[self.active].last


class Forest:
    """The topic trees of one conversation. A turn calls `move`, then `messages`, then `add`.

    Args:
        system: The system text, which is always shown first; empty for none.
    """

    def __init__(self, system: str = "") -> None:
        self._system = system
        self._nodes: list[Node] = []
        self._trees: list[_Tree] = []
        self._active: int | None = None

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, in the order of turns."""
        return tuple(self._nodes)

    @property
    def active_tree(self) -> int | None:
        """The number of the active tree; None before the first."""
        return self._active

    @property
    def active_branch(self) -> str | None:
        """The active branch of the active tree; None before the first tree."""
        return None if self._active is None else self._trees[self._active].active

    def path(self, tree: int | None = None) -> list[int]:
        """The numbers of the nodes from the root to a tree's current node; empty for a tree without nodes.

        Args:
            tree: Its number; None for the active tree.

        Raises:
            ArgumentError: there is no such tree.
        """
        if tree is None:
            tree = self._active
        elif not 0 <= tree < len(self._trees):
            raise ArgumentError(f"there is no tree {tree}; {self._trees_there_are()}")
        found: list[int] = []
        number = None if tree is None else self._trees[tree].current
        while number is not None:
            found.append(number)
            number = self._nodes[number - 1].parent
        return found[::-1]

    def move(self, topic: Mapping[str, Any] | None = None, branch: Mapping[str, Any] | None = None) -> Decision:
        """Go where the next round belongs.

        A branch decision applies to the tree that the topic decision makes active; if that tree has no nodes, it is
        ignored. Keys that an action does not need are ignored, too.

        Args:
            topic: `action` is CONTINUE, CREATE_TOPIC, or SWITCH_TOPIC with the number of a tree as `target`; None for
                CONTINUE, which creates the first tree where there is none.
            branch: `action` is CONTINUE, CREATE_BRANCH with the number of a node as `fork`, or SWITCH_BRANCH with a
                branch (`b0`, …) as `target`; None for CONTINUE.

        Returns:
            The decision as it took effect, in normal form: CREATE_TOPIC for the first turn, no branch where it was
            ignored or CONTINUE, and no key that the action does not need.

        Raises:
            ArgumentError: an unknown action, tree or branch, or a node outside the tree. Then nothing has changed.
        """
        taken, forked, number = self._read(topic, branch)
        if number == len(self._trees):
            self._trees.append(_Tree())
        self._active = number
        tree = self._trees[number]
        if forked is not None and forked["action"] == "CREATE_BRANCH":
            tree.active = f"b{len(tree.branches)}"
            tree.branches[tree.active] = _Branch(forked["fork"], forked["fork"])
        elif forked is not None:
            tree.active = forked["target"]
        return {"topic": taken, "branch": forked}

    def check(self, topic: Mapping[str, Any] | None = None, branch: Mapping[str, Any] | None = None) -> Decision:
        """What `move` would return or raise; nothing changes."""
        taken, forked, _ = self._read(topic, branch)
        return {"topic": taken, "branch": forked}

    def _read(
        self, topic: Mapping[str, Any] | None, branch: Mapping[str, Any] | None
    ) -> tuple[dict[str, Any], dict[str, Any] | None, int]:
        """Both decisions in normal form, and the number of the tree that they make active: a new one for the next."""
        taken, number = self._read_topic(topic)
        current = None if number == len(self._trees) else self._trees[number].current
        return taken, None if current is None else self._read_branch(branch, number), number

    def add(self, query: str, reply: str, summary: str | None = None) -> Node:
        """Add a round after the current node, at the end of the active branch; without a tree, to a first one.

        Args:
            query: What the user said.
            reply: What was heard of the answer.
            summary: None if it is not made yet.

        Returns:
            Its node, which is now the current one.
        """
        if self._active is None:
            self.move()
        number = self._active or 0
        tree = self._trees[number]
        node = Node(len(self._nodes) + 1, number, tree.active, tree.current, query, reply, summary)
        self._nodes.append(node)
        tree.branches[tree.active].last = node.number
        return node

    def summarise(self, number: int, text: str) -> Node:
        """Set a node's summary; nodes that were handed out earlier stay as they were.

        Returns:
            The node with its summary.

        Raises:
            ArgumentError: there is no such node.
        """
        if not 0 < number <= len(self._nodes):
            raise ArgumentError(f"there is no node {number}; there are {len(self._nodes)}, numbered from 1")
        node = self._nodes[number - 1] = replace(self._nodes[number - 1], summary=text)
        return node

    def unsummarised(self) -> list[int]:
        """The nodes that belong into the next context as summaries and have none yet, in the order of turns."""
        path = set(self.path())
        return [node.number for node in self._nodes if node.number not in path and node.summary is None]

    def shown(self) -> dict[int, Shown]:
        """How `messages` shows each round: the path in full, the others as summaries; without one, not at all."""
        path = set(self.path())
        return {
            n.number: "full" if n.number in path else "summary" for n in self._nodes if n.number in path or n.summary
        }

    def opening(self) -> str:
        """The content of the system message: the system text and the two sections of summaries; empty for none."""
        parts = (
            self._system,
            _section("Other topics:", self._other_topics()),
            _section("Other branches of this topic:", self._other_branches()),
        )
        return "\n\n".join(part for part in parts if part)

    def messages(self, query: str) -> tuple[Message, ...]:
        """What a model is shown at this turn, after `move`: `opening`, the rounds of the path, and the query.

        A node without a summary has no place in a section: see `unsummarised`.
        """
        opening = self.opening()
        shown = [Message("system", opening)] if opening else []
        for number in self.path():
            node = self._nodes[number - 1]
            shown += (Message("user", node.query), Message("assistant", node.reply))
        return (*shown, Message("user", query))

    def _other_topics(self) -> list[tuple[str, list[str]]]:
        topics: dict[int, list[str]] = {number: [] for number in range(len(self._trees)) if number != self._active}
        for node in self._nodes:
            if node.tree in topics and node.summary:
                topics[node.tree].append(node.summary)
        return [(f"Topic {number + 1}", summaries) for number, summaries in topics.items()]

    def _other_branches(self) -> list[tuple[str, list[str]]]:
        if self._active is None:
            return []
        # All nodes of the active branch lie on the path, so it is left with none.
        branches: dict[str, list[str]] = {name: [] for name in self._trees[self._active].branches}
        path = set(self.path())
        for node in self._nodes:
            if node.tree == self._active and node.number not in path and node.summary:
                branches[node.branch].append(node.summary)
        return [(f"Branch {name}", summaries) for name, summaries in branches.items()]

    def _read_topic(self, topic: Mapping[str, Any] | None) -> tuple[dict[str, Any], int]:
        """A topic decision in normal form, and the number of the tree that it makes active: a new one for the next."""
        action = _action(topic, "topic", ("CONTINUE", "CREATE_TOPIC", "SWITCH_TOPIC"))
        if action == "SWITCH_TOPIC":
            target = _needed(topic, "target", action)
            if type(target) is not int or not 0 <= target < len(self._trees):
                raise ArgumentError(f"SWITCH_TOPIC: {_said(target)} is no tree; {self._trees_there_are()}")
            return {"action": action, "target": target}, target
        if action == "CREATE_TOPIC" or self._active is None:
            return {"action": "CREATE_TOPIC"}, len(self._trees)
        return {"action": action}, self._active

    def _read_branch(self, branch: Mapping[str, Any] | None, number: int) -> dict[str, Any] | None:
        """A branch decision about a tree with nodes in normal form; None for CONTINUE."""
        action = _action(branch, "branch", ("CONTINUE", "CREATE_BRANCH", "SWITCH_BRANCH"))
        if action == "CREATE_BRANCH":
            fork = _needed(branch, "fork", action)
            there = [node.number for node in self._nodes if node.tree == number]
            if type(fork) is not int or fork not in there:
                known = ", ".join(map(str, there))
                raise ArgumentError(f"CREATE_BRANCH: {_said(fork)} is no node of tree {number}; its nodes are {known}")
            return {"action": action, "fork": fork}
        if action == "SWITCH_BRANCH":
            target, branches = _needed(branch, "target", action), self._trees[number].branches
            if not isinstance(target, str) or target not in branches:
                known = ", ".join(branches)
                raise ArgumentError(f"SWITCH_BRANCH: {_said(target)} is no branch of tree {number}; there are {known}")
            return {"action": action, "target": target}
        return None

    def _trees_there_are(self) -> str:
        return f"the trees are numbered 0 to {len(self._trees) - 1}" if self._trees else "there is none yet"


def branch_gate(
    similarity: float,
    fork_branch: str,
    current_branch: str,
    is_ancestor: bool,
    *,
    theta: float = DEFAULT_THETA,
    as_released: bool = False,
    is_direct_parent: bool = False,
    at_root: bool = False,
) -> bool:
    """Whether a turn is asked for a branch decision.

    It is if the fork point, the node of the active tree that is most similar to the query, is similar enough and lies
    elsewhere than straight ahead.

    Args:
        similarity: Of the query to the fork point, -1 to 1.
        fork_branch: The fork point's branch.
        current_branch: The current node's branch.
        is_ancestor: Whether the fork point is an ancestor of the current node, which is none of itself.
        theta: What the similarity must exceed.
        as_released: As the published code has it: the parent of the current node is no ancestor, and a tree that stands
            at its root is never asked about.
        is_direct_parent: Whether the fork point is the current node's parent; matters as released only.
        at_root: Whether the current node is a root; matters as released only.
    """
    if as_released:
        is_ancestor = is_ancestor and not is_direct_parent
        if at_root:
            return False
    return similarity > theta and (fork_branch != current_branch or is_ancestor)


def _section(heading: str, lines: Iterable[tuple[str, list[str]]]) -> str:
    """A heading and one line per group of summaries; empty if no group has any."""
    filled = [f"{name}: {' '.join(summaries)}" for name, summaries in lines if summaries]
    return "\n".join([heading, *filled]) if filled else ""


def _action(decision: object, what: str, actions: tuple[str, ...]) -> str:
    """The action of a decision, which may come from a model; CONTINUE for none."""
    if decision is None:
        return "CONTINUE"
    if not isinstance(decision, Mapping):
        raise ArgumentError(f"the {what} decision is {_said(decision)}; it is an object with an action")
    action = decision.get("action")
    if not isinstance(action, str) or action not in actions:
        raise ArgumentError(f"the {what} decision has the action {_said(action)}; there are {', '.join(actions)}")
    return action


def _needed(decision: Mapping[str, Any] | None, key: str, action: str) -> Any:
    if decision is None or key not in decision:
        raise ArgumentError(f"{action} needs “{key}”")
    return decision[key]


def _said(value: object) -> str:
    """A value in an error message: never longer than a few words, whatever a model answered."""
    if isinstance(value, str):
        return f"“{value[:_MOST_SHOWN]}{'…' if len(value) > _MOST_SHOWN else ''}”"
    if value is None or isinstance(value, bool | float):
        return str(value)
    if isinstance(value, int):
        return str(value) if value.bit_length() < 64 else "a very large number"
    return f"a {type(value).__name__}"
