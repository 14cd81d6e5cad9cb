"""The decider by rules of the strategy `tree`: similarities and cue words, and no model.

The published strategy has a chat model decide. These rules are ours, and `seeds/context-cues.yaml` holds their words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any

from evolif.contexts.forest import FIRST_BRANCH, Decision, Forest, Node, branch_gate
from evolif.errors import ArgumentError
from evolif.text import fold
from evolif.util.resources import data_path, load_data

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_LONGEST = 16_384
"""Characters of a query in which cues are looked for; people type fewer."""
_MOST_BETWEEN = 6
"""Words that "…" in a cue may stand for."""
_LONG = 4
"""Letters of a word that may say what a text is about."""
_DECIMALS = 12
"""Similarities that agree in as many are equal: how a processor adds must not decide."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The numbers of the rules. They belong to an embedder; these are calibrated for wordllama (docs/contexts.md)."""

    theta: float = 0.4
    """From this similarity on, a query may belong to a node's topic; the gate of branch decisions asks for more."""
    gap: float = 0.32
    """A query that is further than this below `theta` from every node opens a topic."""
    lead: float = 0.02
    """How much more similar another topic must be than the active one."""
    short: int = 9
    """A query with fewer words may be a follow-up."""
    first: int = 3
    """Its words among which the cue of a follow-up stands."""
    aside: float = 0.3
    """How far above `theta` the cue of an aside still opens a topic."""
    apart: float = 0.1
    """How far above `theta` a question that concerns neither user nor assistant still opens a topic."""
    branch_lead: float = 0.35
    """How much more similar another branch must be than where the conversation stands, shared words aside."""
    shared: float = 0.35
    """What it adds to a node's similarity that its user said a word of the query's subject."""


CALIBRATED = Thresholds()
_CALIBRATED = {"minilm": Thresholds(0.15, 0.0, 0.05, 10, 3, aside=0.4, apart=0.2, branch_lead=0.4, shared=0.12)}
START = Thresholds(0.4, 0.15, 0.10, 12, 3, aside=0.0, apart=-0.15, branch_lead=0.10, shared=0.0)
"""The numbers that calibration began with."""


@dataclass(frozen=True, slots=True)
class _Cues:
    back: bool
    aside: bool
    alternative: bool
    follow_up: bool
    apart: bool
    subject: frozenset[str]


def calibrated(embedder: str) -> Thresholds:
    """The numbers for an embedder by its name; those of wordllama for one that nobody calibrated."""
    return _CALIBRATED.get(embedder, CALIBRATED)


def decide(forest: Forest, query: str, similarities: Sequence[float], thresholds: Thresholds = CALIBRATED) -> Decision:
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
    plain = _rounded(forest, similarities)
    similar = _with_shared_words(forest, plain, cues.subject, thresholds.shared)
    topic = _decide_topic(forest, cues, similar, thresholds)
    if topic["action"] == "CREATE_TOPIC" or forest.active_tree is None:
        return {"topic": topic, "branch": None}
    if topic["action"] == "SWITCH_TOPIC":
        cues = replace(cues, back=False)  # it has done its work: a way back to a topic says nothing of its branches
    tree = topic.get("target", forest.active_tree)
    return {"topic": topic, "branch": _decide_branch(forest, tree, cues, plain, similar, thresholds)}


def decide_by_cues(forest: Forest, query: str) -> Decision:
    """Decide without similarities: the cue of an aside opens a topic, and all else goes on.

    Args:
        forest: As the last turn left it.
        query: What the user says next.
    """
    opens = not forest.nodes or _read_cues(query, CALIBRATED).aside
    return {"topic": {"action": "CREATE_TOPIC" if opens else "CONTINUE"}, "branch": None}


def open_fork(forest: Forest, tree: int, similarities: Sequence[float], theta: float = CALIBRATED.theta) -> Node | None:
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
    similar = _rounded(forest, similarities)
    nodes = [node for node in forest.nodes if node.tree == tree]
    path = forest.path(tree)
    return _behind_gate(forest, path, _best(similar, nodes), similar, theta) if path else None


def _behind_gate(
    forest: Forest, path: Sequence[int], fork: Node | None, similar: Mapping[int, float], theta: float
) -> Node | None:
    """A fork point, if the gate is open for it."""
    if fork is None:
        return None
    current = forest.nodes[path[-1] - 1]
    opens = branch_gate(similar[fork.number], fork.branch, current.branch, fork.number in path[:-1], theta=theta)
    return fork if opens else None


def _decide_topic(forest: Forest, cues: _Cues, similar: Mapping[int, float], at: Thresholds) -> dict[str, Any]:
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
    if cues.aside and max(here, there) < round(at.theta + at.aside, _DECIMALS):
        return create
    if cues.follow_up:
        return stay
    if max(here, there) < round(at.theta + (at.apart if cues.apart else -at.gap), _DECIMALS):
        return create
    return switch if switch and round(there - here, _DECIMALS) >= at.lead else stay


def _decide_branch(
    forest: Forest, tree: int, cues: _Cues, plain: Mapping[int, float], similar: Mapping[int, float], at: Thresholds
) -> dict[str, Any] | None:
    nodes = [node for node in forest.nodes if node.tree == tree]
    path = forest.path(tree)
    fork = _behind_gate(forest, path, _fork_point(nodes, cues, similar), similar, at.theta)
    if fork is None:
        return None
    if cues.alternative:
        return {"action": "CREATE_BRANCH", "fork": fork.number}
    current = forest.nodes[path[-1] - 1]
    # A lead counts without shared words: those of the topic are said on all its branches.
    lead = round(plain[fork.number] - plain[current.number], _DECIMALS)
    if fork.branch != current.branch and (cues.back or lead >= at.branch_lead):
        return {"action": "SWITCH_BRANCH", "target": fork.branch}
    return None


def _fork_point(nodes: Sequence[Node], cues: _Cues, similar: Mapping[int, float]) -> Node | None:
    """The node of a tree that a query is about: where a cue says what it does, the one that first said what it names.

    An alternative names what it replaces; a way back to a branch names what makes it one, which is said where branches
    begin. Without such a name, an alternative is about the most similar node, and a way back about no branch.
    """
    if cues.alternative:
        return _first_said(nodes, cues.subject) or _best(similar, nodes)
    if cues.back:
        begin: dict[str, Node] = {}
        for node in nodes:
            begin.setdefault(node.branch, node)
        names = frozenset().union(*(_subject(node.query) for node in begin.values() if node.branch != FIRST_BRANCH))
        return _first_said(nodes, cues.subject & names)
    return _best(similar, nodes)


def _first_said(nodes: Sequence[Node], words: frozenset[str]) -> Node | None:
    """The node whose user first said the rarest of some words; of equally rare ones, the word that came last."""
    found = []
    for word in words:
        said = [node for node in nodes if word in _subject(node.query)]
        if said:
            found.append((len(said), -said[0].number, said[0]))
    return min(found, key=itemgetter(0, 1))[2] if found else None


def _rounded(forest: Forest, similarities: Sequence[float]) -> dict[int, float]:
    """Similarities by node number."""
    if len(similarities) != len(forest.nodes):
        raise ArgumentError(f"there are {len(forest.nodes)} nodes and {len(similarities)} similarities")
    return {node.number: round(float(s), _DECIMALS) for node, s in zip(forest.nodes, similarities, strict=True)}


def _with_shared_words(
    forest: Forest, similar: Mapping[int, float], subject: frozenset[str], shared: float
) -> dict[int, float]:
    """Similarities, each raised where the user's text of the node says something that the query says, too."""
    return {
        node.number: round(similar[node.number] + shared * (not subject.isdisjoint(_subject(node.query))), _DECIMALS)
        for node in forest.nodes
    }


def _best(similar: Mapping[int, float], nodes: Sequence[Node]) -> Node:
    """The most similar of some nodes, the latest of several."""
    return max(nodes, key=lambda node: (similar[node.number], node.number))


def _read_cues(query: str, at: Thresholds) -> _Cues:
    """The kinds of cues that a query has."""
    words = _words(query)
    cues = _cue_lists()
    return _Cues(
        back=_has(words, cues["return"]),
        aside=_has(words, cues["aside"]),
        alternative=_has(words, cues["alternative"]),
        follow_up=len(words) < at.short and _has(words[: at.first], cues["follow_up"]),
        apart=query.rstrip().endswith("?") and not _has(words, cues["personal"]),
        subject=_subject(query),
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text[:_LONGEST]))


@lru_cache(maxsize=1024)
def _subject(text: str) -> frozenset[str]:
    """The words of a text that say what it is about."""
    return frozenset(word for word in _words(text) if len(word) >= _LONG) - _common()


@cache
def _common() -> frozenset[str]:
    return frozenset(word for text in _data()["common"] for word in _words(text))


def _has(words: Sequence[str], cues: Sequence[re.Pattern[str]]) -> bool:
    text = " ".join(words)
    return any(cue.search(text) for cue in cues)


@cache
def _cue_lists() -> dict[str, tuple[re.Pattern[str], ...]]:
    """For each kind of cue, patterns over words parted by one space; none looks further than a few words ahead."""
    return {kind: tuple(_pattern(cue) for cue in cues) for kind, cues in _data().items() if kind != "common"}


@cache
def _data() -> dict[str, list[str]]:
    found: dict[str, list[str]] = load_data(data_path("seeds", "context-cues.yaml"))
    return found


def _pattern(cue: str) -> re.Pattern[str]:
    between = rf" (?:\S+ ){{1,{_MOST_BETWEEN}}}?"
    parts = (re.escape(" ".join(_words(part))) for part in cue.split("…"))
    return re.compile(rf"(?<!\S){between.join(parts)}(?!\S)")
