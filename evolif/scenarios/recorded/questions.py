"""How one question of a dialogue is put under a strategy: what the call shows, and whether that holds the evidence.

Context strategies show rounds as messages. Memories show snippets, all in the same words, in the system message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from evolif.contexts import ContextStrategy, context_tokens, tokenizer_name
from evolif.errors import ModelError
from evolif.models import ChatModel, ChatRequest, Sampling
from evolif.scenarios.recorded.costs import Cost
from evolif.scenarios.recorded.memories import Memory, Snippet
from evolif.scenarios.recorded.playing import continued_with, is_off_policy
from evolif.scenarios.recorded.prompts import prompts_of
from evolif.scenarios.recorded.retrieval import REWRITTEN, VERBATIM, retrieval_scores
from evolif.scenarios.recorded.schema import Dialog, Turn
from evolif.scenarios.recorded.units import Past, Round, past
from evolif.types import Exchange, Message, Prompt

TEMPLATE = 1
"""The version of how snippets are shown; increased with every change of `memory_messages`."""
HEADING = "Notes from earlier in the conversation, best match first:"


@dataclass(frozen=True, slots=True)
class ShownPast:
    """What one call shows."""

    messages: tuple[Message, ...]
    snippets: tuple[Snippet, ...] | None = None
    """What a memory gave; None where rounds are shown."""
    threshold: float = VERBATIM
    """At which a snippet matches the evidence."""


class HistoryView(Protocol):
    """What the calls of one dialogue show of its past. Inherit from it to get the defaults."""

    async def show(self, before: Past, prompt: Prompt) -> ShownPast:
        """What the next call shows.

        Args:
            before: What stands before the turn.
            prompt: The question.
        """
        ...


class RoundsView(HistoryView):
    """The rounds that a context strategy chooses.

    Args:
        strategy: Chooses them.
        cost: Sums up what it spends.
    """

    def __init__(self, strategy: ContextStrategy, cost: Cost) -> None:
        self._strategy = strategy
        self._cost = cost
        self._notes: dict[int, Mapping[str, Any]] = {}  # of earlier calls, by the number of the round
        self._exchanges: list[Exchange] = []
        self._missing: set[int] = set()  # messages, by identity, that stand for a missing half of a round

    async def show(self, before: Past, prompt: Prompt) -> ShownPast:
        """System text, chosen rounds and question; the missing half of a round is no message."""
        for number, each in enumerate(before.rounds[len(self._exchanges) :], len(self._exchanges) + 1):
            self._exchanges.append(self._exchange(each, number, prompt.dialogue))
        with self._cost.measured():
            context = await self._strategy.build(before.system, self._exchanges, prompt)
        self._notes[len(before.rounds) + 1] = context.notes
        return ShownPast(tuple(message for message in context.messages if id(message) not in self._missing))

    def _exchange(self, each: Round, number: int, dialogue: int) -> Exchange:
        asked = Prompt(dialogue, number, (Message("user", each.user or ""),))
        made = Exchange(asked, each.answer or "", each.answer or "", self._notes.get(number, {}))
        if each.user is None:
            self._missing.add(id(made.messages[0]))
        if each.answer is None:
            self._missing.add(id(made.messages[-1]))
        return made


class MemoryView(HistoryView):
    """The snippets that a memory gives for the question.

    Args:
        memory: Holds the first units of the dialogue; it is closed elsewhere.
        k: How many snippets are shown.
        ingested: How many units it holds.
        ingesting: Sums up what taking in further units costs.
        cost: Sums up what questions cost.
    """

    def __init__(self, memory: Memory, k: int, ingested: int, ingesting: Cost, cost: Cost) -> None:
        self._memory = memory
        self._k = k
        self._ingested = ingested
        self._ingesting = ingesting
        self._cost = cost

    async def show(self, before: Past, prompt: Prompt) -> ShownPast:
        """System text with the snippets, and the question; units said since the last call are taken in before."""
        with self._ingesting.measured():
            for each in before.rounds[self._ingested :]:
                await self._memory.ingest(each.unit)
                self._ingested += 1
        with self._cost.measured():
            found = tuple(await self._memory.query(before.question, self._k))[: self._k]
        threshold = REWRITTEN if self._memory.rewrites else VERBATIM
        return ShownPast(memory_messages(before.system, found, before.question), found, threshold)


def memory_messages(system: str, snippets: Sequence[Snippet], question: str) -> tuple[Message, ...]:
    """The messages of a question to a model that sees snippets instead of the conversation.

    Args:
        system: The system text; empty for none.
        snippets: Best first; without any there is no block of notes.
        question: What the user asks.
    """
    notes = [f"{rank}. {snippet.text}" for rank, snippet in enumerate(snippets, 1)]
    block = "\n\n".join([HEADING, *notes]) if notes else ""
    text = "\n\n".join(filter(None, (system, block)))
    return (*((Message("system", text),) if text else ()), Message("user", question))


@dataclass(frozen=True, slots=True)
class Answered:
    """One question with its answer."""

    turn: Turn
    """As it stands in the dialogue, before it was answered."""
    prompt: Prompt
    messages: tuple[Message, ...]
    """As sent."""
    answer: str
    cut: bool
    """Whether the answer ended at the token limit."""
    cached: bool
    """Whether it was kept from an earlier call."""
    tokens: int | None
    """Context tokens; None without the extra `contexts`."""
    retrieval: Mapping[str, float | None] = field(default_factory=dict)
    """Hits and recall; empty where rounds are shown."""


class Questions:
    """The questions of one dialogue, asked in order, as `play` asks them.

    Args:
        dialog: The dialogue.
        view: What each call shows.
        model: Answers.
        sampling: For the model.
        spent: Sums up the model's calls.
        templates: Name to text of the judge's templates that came with the dialogues.
    """

    def __init__(
        self,
        dialog: Dialog,
        view: HistoryView,
        model: ChatModel,
        sampling: Sampling,
        spent: Cost,
        templates: Mapping[str, str] | None = None,
    ) -> None:
        self._dialog = dialog
        self._view = view
        self._model = model
        self._sampling = sampling
        self._spent = spent
        self._templates = templates
        self.answered: list[Answered] = []

    async def ask(self) -> tuple[Turn, ModelError] | None:
        """Ask until the dialogue is over, or until a fault of a model.

        Returns:
            The turn that got no answer, and why; None if all got one.
        """
        off_policy = is_off_policy(self._dialog)
        prompts = iter(prompts_of(self._dialog, self._dialog.dialog_id, self._templates))
        said: list[tuple[Turn, str]] = []
        for turn in self._dialog.dialog_turns:
            text = turn.text
            if turn.evaluated:
                try:
                    answered = await self._answer(turn, said, next(prompts))
                except ModelError as fault:
                    return turn, fault
                self.answered.append(answered)
                text = continued_with(turn, answered.answer, off_policy=off_policy)
            said.append((turn, text))
        return None

    async def _answer(self, turn: Turn, said: Sequence[tuple[Turn, str]], prompt: Prompt) -> Answered:
        before = past(said)
        asked = replace(prompt, messages=(Message("user", before.question),))
        shown = await self._view.show(before, asked)
        with self._spent.measured():
            reply = await self._model.complete(ChatRequest(shown.messages, self._sampling, prompt=asked))
        self._spent.add(reply.usage, 0 if reply.cached else 1)
        return Answered(
            turn,
            asked,
            shown.messages,
            reply.text,
            reply.truncated,
            reply.cached,
            None if tokenizer_name() is None else context_tokens(shown.messages),
            {} if shown.snippets is None else _retrieval(said, turn, shown.snippets, shown.threshold),
        )


def evidence(said: Sequence[tuple[Turn, str]], turn: Turn) -> list[str]:
    """The texts of the turns that hold the evidence for a turn's answer; empty for turns that were not said before.

    Args:
        said: The turns before it, each with what the history holds of it.
        turn: Its `reference_document` names them; else that of the question does.
    """
    last = said[-1][0] if said else turn
    asked = [turn, last] if last.role == "user" else [turn]
    named = next((one.reference_document for one in asked if isinstance(one.reference_document, list)), [])
    texts = {earlier.turn_id: text for earlier, text in said}
    return [texts.get(number, "") for number in dict.fromkeys(named)]


def _retrieval(
    said: Sequence[tuple[Turn, str]], turn: Turn, snippets: Sequence[Snippet], threshold: float
) -> dict[str, float | None]:
    return retrieval_scores(evidence(said, turn), [snippet.text for snippet in snippets], threshold)
