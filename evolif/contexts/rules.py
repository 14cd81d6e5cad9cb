"""The decider by rules of the strategy `tree`: similarities and cue words, and no model.

The published strategy has a chat model decide. These rules are ours, and `seeds/context-cues.yaml` holds their words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from evolif.contexts.forest import Decision, Forest, Node, branch_gate
from evolif.errors import ArgumentError
from evolif.resources import data_path, load_data
from evolif.text import fold

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_LONGEST = 16_384
"""Characters of a query in which cues are looked for; people type fewer."""
_MOST_BETWEEN = 6
"""Words that "…" in a cue may stand for."""
_DECIMALS = 12
"""Similarities that agree in as many are equal: how a processor adds must not decide."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The numbers of the rules. They belong to an embedder; these are for wordllama, before calibration."""

    theta: float = 0.4
    """From this similarity on, a query may belong to a node's topic; the gate of branch decisions asks for more."""
    gap: float = 0.15
    """A query that is further than this below `theta` from every node opens a topic."""
    lead: float = 0.10
    """How much more similar something else must be than where the conversation stands."""
    short: int = 12
    """A query with fewer words may be a follow-up."""
    first: int = 3
    """Its words among which the cue of a follow-up stands."""


START = Thresholds()


@dataclass(frozen=True, slots=True)
class _Cues:
    back: bool
    aside: bool
    alternative: bool
    follow_up: bool


def decide(forest: Forest, query: str, similarities: Sequence[float], thresholds: Thresholds = START) -> Decision:
    """Decide on topic and branch, as `Forest.move` takes it. The forest is not changed.

    Args:
        forest: As the last turn left it.
        query: What the user says next.
        similarities: Of the query to each node, -1 to 1, in the order of `forest.nodes`.
        thresholds: The numbers of the rules.

    Raises:
        ArgumentError: there are more or fewer similarities than nodes.
    """
    cues = _read_cues(query, thresholds)
    topic = _decide_topic(forest, cues, _rounded(forest, similarities), thresholds)
    tree = topic["target"] if topic["action"] == "SWITCH_TOPIC" else forest.active_tree
    if topic["action"] == "CREATE_TOPIC" or tree is None:
        return {"topic": topic, "branch": None}
    return {"topic": topic, "branch": _decide_branch(forest, tree, cues, similarities, thresholds)}


def open_fork(forest: Forest, tree: int, similarities: Sequence[float], theta: float = START.theta) -> Node | None:
    """The fork point of a tree where the gate is open, so that a branch decision is asked for; otherwise None.

    The fork point is the tree's node that is most similar to the query, the latest of several.

    Args:
        forest: As the last turn left it.
        tree: The tree that the topic decision makes active.
        similarities: Of the query to each node, in the order of `forest.nodes`.
        theta: What the fork point's similarity must exceed.

    Raises:
        ArgumentError: there is no such tree, or there are more or fewer similarities than nodes.
    """
    rounded = _rounded(forest, similarities)
    path = forest.path(tree)
    if not path:
        return None
    fork = _best(rounded, [node for node in forest.nodes if node.tree == tree])
    current = forest.nodes[path[-1] - 1]
    opens = branch_gate(rounded[fork.number], fork.branch, current.branch, fork.number in path[:-1], theta=theta)
    return fork if opens else None


def _decide_topic(forest: Forest, cues: _Cues, similar: dict[int, float], at: Thresholds) -> dict[str, Any]:
    """The first rule that holds."""
    active = [node for node in forest.nodes if node.tree == forest.active_tree]
    others = [node for node in forest.nodes if node.tree != forest.active_tree]
    here = similar[_best(similar, active).number] if active else -1.0
    other = _best(similar, others) if others else None
    there = similar[other.number] if other else -1.0
    switch = {"action": "SWITCH_TOPIC", "target": other.tree} if other and there >= at.theta else None
    create, stay = {"action": "CREATE_TOPIC"}, {"action": "CONTINUE"}
    if not forest.nodes:
        return create
    if cues.back and switch and there >= here:
        return switch
    if cues.aside and max(here, there) < at.theta:
        return create
    if cues.follow_up:
        return stay
    if max(here, there) < round(at.theta - at.gap, _DECIMALS):
        return create
    return switch if switch and round(there - here, _DECIMALS) >= at.lead else stay


def _decide_branch(
    forest: Forest, tree: int, cues: _Cues, similarities: Sequence[float], at: Thresholds
) -> dict[str, Any] | None:
    fork = open_fork(forest, tree, similarities, at.theta)
    if fork is None:
        return None
    if cues.alternative:
        return {"action": "CREATE_BRANCH", "fork": fork.number}
    current = forest.nodes[forest.path(tree)[-1] - 1]
    lead = round(similarities[fork.number - 1] - similarities[current.number - 1], _DECIMALS)
    if fork.branch != current.branch and (cues.back or lead >= at.lead):
        return {"action": "SWITCH_BRANCH", "target": fork.branch}
    return None


def _rounded(forest: Forest, similarities: Sequence[float]) -> dict[int, float]:
    """Similarities by node number."""
    if len(similarities) != len(forest.nodes):
        raise ArgumentError(f"there are {len(forest.nodes)} nodes and {len(similarities)} similarities")
    return {node.number: round(float(s), _DECIMALS) for node, s in zip(forest.nodes, similarities, strict=True)}


def _best(similar: dict[int, float], nodes: Sequence[Node]) -> Node:
    """The most similar of some nodes, the latest of several."""
    return max(nodes, key=lambda node: (similar[node.number], node.number))


def _read_cues(query: str, at: Thresholds) -> _Cues:
    """The kinds of cues that a query has."""
    words = _words(query)
    cues = _cue_lists()
    follows = len(words) < at.short and _has(words[: at.first], cues["follow_up"])
    return _Cues(_has(words, cues["return"]), _has(words, cues["aside"]), _has(words, cues["alternative"]), follows)


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text[:_LONGEST]))


def _has(words: Sequence[str], cues: Sequence[re.Pattern[str]]) -> bool:
    text = " ".join(words)
    return any(cue.search(text) for cue in cues)


@cache
def _cue_lists() -> dict[str, tuple[re.Pattern[str], ...]]:
    """For each kind of cue, patterns over words parted by one space; none looks further than a few words ahead."""
    data: dict[str, list[str]] = load_data(data_path("seeds", "context-cues.yaml"))
    return {kind: tuple(_pattern(cue) for cue in cues) for kind, cues in data.items()}


def _pattern(cue: str) -> re.Pattern[str]:
    between = rf" (?:\S+ ){{1,{_MOST_BETWEEN}}}?"
    parts = (re.escape(" ".join(_words(part))) for part in cue.split("…"))
    return re.compile(rf"(?<!\S){between.join(parts)}(?!\S)")
