"""Summarisers of rounds for the strategies `tree` and `summary`: by rules, or by a chat model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from evolif.contexts.own_model import NoUseError, OwnModel, Tally, fenced, shortened, wording
from evolif.contexts.summaries import capitalised, summary_by_rules
from evolif.text import fold, reply_objects

MOST_CONDENSED_WORDS = 12
"""Of a summary that is condensed."""
_MOST_SUMMARY = 1_000
"""Characters of a model's sentence; a longer one is none."""
_LONGEST_REPLY = 20_000
_LONGEST = 16_384
"""Characters of a user's text whose numbers and names a summary has to hold."""
_NUMBER = re.compile(r"\d(?:[\d.,:/’'-]*\d)?")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")


class Summariser(Protocol):
    """Makes summaries, one line each."""

    async def summarise(self, query: str, reply: str, tally: Tally) -> str:
        """The summary of a round.

        Args:
            query: The user's text.
            reply: What was heard of the answer.
            tally: Counts calls and fallbacks.

        Raises:
            ModelError: the provider of its model cannot be reached.
        """
        ...

    async def condense(self, summaries: Sequence[str], tally: Tally) -> list[str]:
        """The same summaries in fewer words, in order."""
        ...


class RulesSummariser:
    """Summarises by `summary_by_rules`, and condenses to the first words."""

    async def summarise(self, query: str, reply: str, tally: Tally) -> str:
        """Never fails and costs nothing."""
        return summary_by_rules(query, reply)

    async def condense(self, summaries: Sequence[str], tally: Tally) -> list[str]:
        """The first 12 words of each."""
        return [_first_words(summary) for summary in summaries]


class QuerySummariser(RulesSummariser):
    """Keeps what the user said, as `summary_by_rules` shortens it, and nothing of the answer: half the tokens."""

    async def summarise(self, query: str, reply: str, tally: Tally) -> str:
        """Where the user said nothing, the summary by rules."""
        return summary_by_rules(query, "") or summary_by_rules("", reply)


class ModelSummariser:
    """Asks a model for one sentence a round; numbers and names of the user's text that it leaves out are appended.

    A reply that is of no use is replaced by a summary by rules, which counts as a fallback.

    Args:
        model: The strategy's.
    """

    def __init__(self, model: OwnModel) -> None:
        self._model = model

    async def summarise(self, query: str, reply: str, tally: Tally) -> str:
        """The model's sentence, whole."""
        data = f"User: {shortened(query)}\n\nAssistant: {shortened(reply)}"
        words = wording()["summary"]
        try:
            answer = await self._model.ask(words["system"], words["user"].replace("{data}", fenced(data)), tally)
        except NoUseError:
            answer = ""
        sentence = " ".join(answer[: 4 * _MOST_SUMMARY].split())
        if not sentence or len(sentence) > _MOST_SUMMARY:
            tally.fallbacks += 1
            return summary_by_rules(query, reply)
        missing = _missing(query[:_LONGEST], sentence)
        return f"{sentence} ({', '.join(missing)})" if missing else sentence

    async def condense(self, summaries: Sequence[str], tally: Tally) -> list[str]:
        """The model's shorter lines, in one call."""
        data = "\n".join(f"{number}. {summary}" for number, summary in enumerate(summaries, 1))
        words = wording()["condense"]
        try:
            asked = words["user"].replace("{data}", fenced(data))
            return _notes(await self._model.ask(words["system"], asked, tally, words["schema"]), len(summaries))
        except (NoUseError, ValueError):
            tally.fallbacks += 1
            return [_first_words(summary) for summary in summaries]


def _first_words(summary: str) -> str:
    return " ".join(summary.split()[:MOST_CONDENSED_WORDS])


def _notes(reply: str, number: int) -> list[str]:
    """The shortened notes in a reply.

    Raises:
        ValueError: there are not as many as asked for, or one is empty or far too long.
    """
    found = reply_objects(reply, "notes") if len(reply) <= _LONGEST_REPLY else []
    notes = found[0]["notes"] if len(found) == 1 else None
    if not isinstance(notes, list) or len(notes) != number:
        raise ValueError(f"the reply has not {number} notes")
    lines = [" ".join(note.split()) if isinstance(note, str) else "" for note in notes]
    if not all(0 < len(line) <= _MOST_SUMMARY for line in lines):
        raise ValueError("a note is no line of text")
    return lines


def _missing(query: str, sentence: str) -> list[str]:
    """The numbers and names of a text that a sentence does not hold, each once, in the order of the text."""
    numbers, words = set(_NUMBER.findall(sentence)), set(_WORD.findall(fold(sentence)))
    wanted = [(match.start(), match[0], match[0] in numbers) for match in _NUMBER.finditer(query)]
    for start, name in capitalised(query):
        wanted.append((start, name, set(_WORD.findall(fold(name))) <= words))
    return list(dict.fromkeys(text for _, text, held in sorted(wanted) if not held))
