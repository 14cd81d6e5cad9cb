"""The forest of topic trees that a dialogue became under the strategy `tree`, laid out for a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evolif.contexts import Forest
from evolif.errors import ArgumentError
from evolif.runner import TurnRecord
from evolif.scenario import Scenario, blaming
from evolif.text import plural

Look = Literal["now", "full", "summary", "absent"]
"""Whether a round is the last one, or how its call showed it."""
LOOKS: Mapping[Look, str] = {
    "now": "the last round",
    "full": "shown in full in the last call",
    "summary": "shown as a summary",
    "absent": "not shown",
}


@dataclass(frozen=True, slots=True)
class TreeRound:
    """One round in the drawing."""

    number: int
    """From 1, from left to right."""
    lane: int
    """Its branch's, from 0, from top to bottom."""
    tree: int
    """From 0; trees differ in colour."""
    parent: int | None
    """The round that it follows; None at a root."""
    move: str
    """Where it went, in words."""
    look: Look
    wrong: str = ""
    """What the gold says instead, in words; empty if it went where it belongs, or nobody knows."""

    @property
    def words(self) -> str:
        """All that the drawing says of it, as a sentence."""
        wrong = f"; wrong: {self.wrong}" if self.wrong else ""
        return f"Round {self.number} {self.move}, {LOOKS[self.look]}{wrong}."


@dataclass(frozen=True, slots=True)
class TopicTree:
    """A dialogue as topic trees: rounds from left to right, a lane for each branch."""

    rounds: tuple[TreeRound, ...]
    lanes: tuple[tuple[int, str], ...]
    """The tree and the name of each branch, from top to bottom."""
    has_gold: bool = False
    """Whether the scenario knows where each round belongs."""

    @property
    def has_wrong(self) -> bool:
        """Whether any round is misplaced."""
        return any(one.wrong for one in self.rounds)

    def names(self) -> list[str]:
        """A name for each lane: the topic for its first branch, else the branch."""
        return [f"topic {tree + 1}" if branch == "b0" else branch for tree, branch in self.lanes]

    @property
    def summary(self) -> str:
        """The drawing in a sentence or two."""
        trees = len({tree for tree, _ in self.lanes})
        forks = len(self.lanes) - trees
        more = f" with {_many(forks, 'further branch')}" if forks else ""
        told = f"{_many(len(self.rounds), 'round')} in {_many(trees, 'topic')}{more}."
        if not self.has_gold:
            return told
        wrong = [str(one.number) for one in self.rounds if one.wrong]
        listed = f"Misplaced: {'round' if len(wrong) == 1 else 'rounds'} {', '.join(wrong)}."
        return f"{told} {listed if wrong else 'All are where they belong.'}"


def tree_of(records: Sequence[TurnRecord], scenario: Scenario) -> TopicTree | None:
    """The trees of a session, laid out; None if the strategy made none.

    Args:
        records: Its turns.
        scenario: Says which rounds are misplaced, where it knows.
    """
    own = [record for record in records if record.prompt.seat == "target"]
    decisions = [None if record.built is None else record.built.decision for record in own]
    if not any(decisions):
        return None
    last = own[-1].built
    with blaming(scenario):
        wrong = scenario.presentation.misplaced([record.prompt for record in own], decisions)
    return topic_tree(decisions, {} if last is None else last.shown, wrong)


def topic_tree(
    decisions: Iterable[Mapping[str, Any] | None], shown: Mapping[int, str], wrong: Mapping[int, str] | None = None
) -> TopicTree | None:
    """Lay out a dialogue.

    Args:
        decisions: One per round, as `Context.decision` has them. One that cannot be carried out, as in an edited run,
            counts as going on.
        shown: How the last call showed the earlier rounds.
        wrong: For misplaced rounds what is right, in words; None if nobody knows where rounds belong.

    Returns:
        None without a round.
    """
    forest = Forest()
    moves = [_move(forest, decision) for decision in decisions]
    if not moves:
        return None
    nodes = forest.nodes
    # Sorted by tree; within a tree in the order of creation, which is that of b0, b1, …
    lanes = sorted({(node.tree, int(node.branch[1:])) for node in nodes})
    place = {(tree, f"b{branch}"): lane for lane, (tree, branch) in enumerate(lanes)}
    rounds = tuple(
        TreeRound(
            node.number,
            place[node.tree, node.branch],
            node.tree,
            node.parent,
            move,
            _look(node.number, len(nodes), shown),
            (wrong or {}).get(node.number, ""),
        )
        for node, move in zip(nodes, moves, strict=True)
    )
    return TopicTree(rounds, tuple(place), wrong is not None)


def _look(number: int, last: int, shown: Mapping[int, str]) -> Look:
    if number == last:
        return "now"
    how = shown.get(number)
    return "full" if how == "full" else "summary" if how == "summary" else "absent"


def _move(forest: Forest, decision: Mapping[str, Any] | None) -> str:
    """Carry out a decision, and say it in words."""
    given = decision if isinstance(decision, Mapping) else {}  # an edited run may hold anything
    try:
        taken = forest.move(given.get("topic"), given.get("branch"))
    except ArgumentError:
        taken = forest.move()
    node = forest.add("", "")
    said = list(_words(taken, node.tree, node.branch))
    return " and ".join(said) or "goes on"


def _words(taken: Mapping[str, Mapping[str, Any] | None], tree: int, branch: str) -> Sequence[str]:
    topic, fork = taken.get("topic") or {}, taken.get("branch") or {}
    said = []
    if topic.get("action") == "CREATE_TOPIC":
        said.append(f"opens topic {tree + 1}")
    elif topic.get("action") == "SWITCH_TOPIC":
        said.append(f"goes back to topic {tree + 1}")
    if fork.get("action") == "CREATE_BRANCH":
        said.append(f"opens branch {branch} after round {fork['fork']}")
    elif fork.get("action") == "SWITCH_BRANCH":
        said.append(f"goes back to branch {branch}")
    return said


def _many(number: int, word: str) -> str:
    return plural(number, word, f"{word}es" if word.endswith("ch") else "")
