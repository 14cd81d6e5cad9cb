"""The strategy `tree`: the path to where the conversation stands in full, everything else as summaries.

After "Beyond Sequential Context" (Context-Agent). What a turn decides and which summaries it makes are its notes, so
the forest of a session follows from its exchanges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evolif.contexts.base import Context
from evolif.contexts.deciding import Decider
from evolif.contexts.forest import Forest
from evolif.contexts.own_model import Tally
from evolif.contexts.round_vectors import NEW_TEXTS, NOTE, RoundVectors
from evolif.contexts.summarising import Summariser
from evolif.contexts.vectors import cosine
from evolif.errors import ArgumentError, UsageError
from evolif.types import Exchange, Message, Prompt

DECISION = "decision"
"""The note with the decision of the turn, as `Forest.move` takes it."""
SUMMARIES = "summaries"
"""The note with the summaries made at this turn, by the number of their round as text."""


class Tree:
    """Keeps the history as a forest of topics and alternatives.

    Args:
        name: With all options.
        decider: Decides on topic and branch.
        summariser: Makes summaries.
        vectors: Embeds rounds and queries; None for a tree without retrieval, which compares nothing.
    """

    def __init__(
        self, name: str, decider: Decider, summariser: Summariser, vectors: RoundVectors | None = None
    ) -> None:
        self.name = name
        self._decider = decider
        self._summariser = summariser
        self._vectors = vectors

    async def build(self, system: str, past: Sequence[Exchange], prompt: Prompt) -> Context:
        """System text with summaries of other topics and branches, the path in full, prompt.

        Raises:
            UsageError: the notes or the vectors are not those of this conversation.
            ModelError: the provider of its own model cannot be reached.
        """
        tally = Tally()
        forest = _forest(system, past)
        notes: dict[str, Any] = {}
        similarities: list[float] = []
        if past and self._vectors is not None:
            rounds, query = self._vectors(past, prompt.query)
            similarities = [cosine(query, each.vector) for each in rounds]
            tally.embedded = NEW_TEXTS
            notes[NOTE] = rounds[-1].digest
        made: dict[str, str] = {}
        if self._decider.needs_summaries:
            await self._summarise(forest, (n.number for n in forest.nodes if n.summary is None), made, tally)
        decision = await self._decider.decide(forest, prompt.query, similarities, tally)
        notes[DECISION] = decision = forest.move(decision["topic"], decision["branch"])
        await self._summarise(forest, forest.unsummarised(), made, tally)
        if made:
            notes[SUMMARIES] = made
        opening = forest.opening()
        messages = [Message("system", opening)] if opening else []
        for number in forest.path():
            messages += past[number - 1].messages
        messages += prompt.messages
        return Context(tuple(messages), forest.shown(), decision, tally.cost(), notes)

    async def _summarise(self, forest: Forest, numbers: Iterable[int], made: dict[str, str], tally: Tally) -> None:
        for number in list(numbers):
            node = forest.nodes[number - 1]
            made[str(number)] = text = storable(await self._summariser.summarise(node.query, node.reply, tally))
            forest.summarise(number, text)


def storable(summary: str) -> str:
    """A summary as it comes back from the notes: without half surrogates."""
    return summary.encode("utf-8", "replace").decode("utf-8")


def user_text(prompt: Prompt) -> str:
    """What the user says in a prompt."""
    return "\n".join(message.content for message in prompt.messages if message.role == "user")


def _forest(system: str, past: Sequence[Exchange]) -> Forest:
    """The forest that a conversation has grown; a round without notes continues.

    Raises:
        UsageError: the notes are not those of this conversation.
    """
    forest = Forest(system)
    for number, exchange in enumerate(past, 1):
        try:
            decision: Mapping[str, Any] = exchange.notes.get(DECISION) or {}
            forest.move(decision.get("topic"), decision.get("branch"))
            for node, text in (exchange.notes.get(SUMMARIES) or {}).items():
                forest.summarise(int(node), str(text))
        except (ArgumentError, AttributeError, ValueError) as fault:
            raise UsageError(
                f"the notes of round {number} are none of the context strategy tree ({fault}); start a new run"
            ) from fault
        forest.add(user_text(exchange.prompt), exchange.heard)
    return forest
