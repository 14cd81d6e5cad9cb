"""Deciders of the strategy `tree`: by rules, or by a chat model that is asked by a JSON schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from evolif.contexts.forest import Decision, Forest
from evolif.contexts.own_model import NoUseError, OwnModel, Tally, fenced, shortened, wording
from evolif.contexts.rules import Thresholds, decide, decide_by_cues, open_fork
from evolif.errors import ArgumentError
from evolif.text import reply_objects

_LONGEST_REPLY = 20_000
"""Characters; a longer reply is not read."""
_MOST_SIMILAR = 3
"""Nodes that the model is shown as places to branch off from."""


class Decider(Protocol):
    """Decides on topic and branch of a turn."""

    needs_summaries: bool
    """Whether it reads the summaries of all nodes."""

    async def decide(self, forest: Forest, query: str, similarities: Sequence[float], tally: Tally) -> Decision:
        """A decision that `Forest.move` accepts. The forest is not changed.

        Args:
            forest: As the last turn left it.
            query: What the user says next.
            similarities: Of the query to each node, in the order of `forest.nodes`.
            tally: Counts calls and fallbacks.

        Raises:
            ModelError: the provider of its model cannot be reached.
        """
        ...


class RulesDecider:
    """Decides by similarities and cue words.

    Args:
        thresholds: The numbers of its rules.
    """

    needs_summaries = False

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds

    async def decide(self, forest: Forest, query: str, similarities: Sequence[float], tally: Tally) -> Decision:
        """Never fails and costs nothing."""
        return decide(forest, query, similarities, self._thresholds)


class CueDecider:
    """Decides by cue words alone: the tree without retrieval, where nothing says which round a query is about."""

    needs_summaries = False

    async def decide(self, forest: Forest, query: str, similarities: Sequence[float], tally: Tally) -> Decision:
        """A cue of an aside opens a topic; all else goes on."""
        return decide_by_cues(forest, query)


class ModelDecider:
    """Asks a model, once for the topic and, behind the gate, once for the branch.

    Where a reply cannot be read, or names what the forest does not have, the model is asked once more, with the reason.
    After that the decision is CONTINUE, which counts as a fallback. The first turn is decided without a call.

    Args:
        model: The strategy's.
        theta: What the fork point's similarity must exceed, so that a branch is asked for. None where nothing is
            compared: then a branch is asked for in every topic of two rounds or more, and no similar rounds are listed.
    """

    needs_summaries = True

    def __init__(self, model: OwnModel, theta: float | None = None) -> None:
        self._model = model
        self._theta = theta

    async def decide(self, forest: Forest, query: str, similarities: Sequence[float], tally: Tally) -> Decision:
        """The model's decision, in normal form."""
        if not forest.nodes:
            return forest.check()
        said = shortened(query)
        decision = await self._ask("topic", _topics(forest, said), lambda given: forest.check(given), tally)
        topic = decision["topic"] or {}
        tree = topic["target"] if topic["action"] == "SWITCH_TOPIC" else forest.active_tree
        if topic["action"] == "CREATE_TOPIC" or tree is None:
            return decision
        if self._theta is None:
            is_open = sum(node.tree == tree for node in forest.nodes) > 1
        else:
            is_open = open_fork(forest, tree, similarities, self._theta) is not None
        if not is_open:
            return decision
        shown = _branches(forest, tree, said, similarities)
        return await self._ask("branch", shown, lambda given: forest.check(topic, given), tally, decision)

    async def _ask(
        self,
        what: str,
        shown: str,
        check: Callable[[Mapping[str, Any] | None], Decision],
        tally: Tally,
        otherwise: Decision | None = None,
    ) -> Decision:
        words = wording()[what]
        asked = words["user"].replace("{data}", fenced(shown))
        more = ""
        try:
            for _ in range(2):
                reply = await self._model.ask(words["system"], asked + more, tally, words["schema"])
                try:
                    return check(_read(reply))
                except ValueError as fault:
                    more = "\n" + wording()["again"].replace("{reason}", str(fault))
        except NoUseError:
            pass
        tally.fallbacks += 1
        return check(None) if otherwise is None else otherwise


def _read(reply: str) -> Mapping[str, Any]:
    """The only decision in a reply.

    Raises:
        ValueError: there is none, or there are several.
    """
    if len(reply) > _LONGEST_REPLY:
        raise ArgumentError("the reply is too long")
    found = reply_objects(reply, "action")
    if len(found) != 1:
        raise ArgumentError(f"the reply contains {'several objects' if found else 'no object'} with an action")
    return found[0]


def _topics(forest: Forest, query: str) -> str:
    lines = []
    for tree in dict.fromkeys(node.tree for node in forest.nodes):
        summaries = " ".join(node.summary or "" for node in forest.nodes if node.tree == tree)
        lines.append(f"Topic {tree}{' (current)' if tree == forest.active_tree else ''}: {summaries}")
    return "\n".join([*lines, "", f"New message: {query}"])


def _branches(forest: Forest, tree: int, query: str, similarities: Sequence[float]) -> str:
    nodes = [node for node in forest.nodes if node.tree == tree]
    path = forest.path(tree)
    current = forest.nodes[path[-1] - 1].branch
    best = (
        sorted(nodes, key=lambda node: (similarities[node.number - 1], node.number), reverse=True)[:_MOST_SIMILAR]
        if similarities
        else []
    )
    similar = [f"Round {node.number} (branch {node.branch}): {node.summary}" for node in best]
    branches = [
        f"Branch {name}{' (current)' if name == current else ''}: "
        + " ".join(node.summary or "" for node in nodes if node.branch == name)
        for name in dict.fromkeys(node.branch for node in nodes)
    ]
    return "\n".join(
        [
            "The way to where the conversation stands:",
            *(f"Round {number}: {forest.nodes[number - 1].summary}" for number in path),
            "",
            "Branches:",
            *branches,
            "",
            *(["Rounds most similar to the new message:", *similar, ""] if similar else []),
            f"New message: {query}",
        ]
    )
