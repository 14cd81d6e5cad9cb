"""The optional checker model: asked only what rules cannot know of free text.

The words to be checked are hostile input: they stand as data between two lines that hold a random number, which no
text can foresee. A checker that twice gives no answer that can be read, or refuses, counts as not asked and never
against the words.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from evolif._errors import WithheldError
from evolif.domain import Finding, Turn
from evolif.synthesis.agent._answers import read_flag, read_object
from evolif.synthesis.agent._asked import AskedModel
from evolif.synthesis.agent._attempt import Meter
from evolif.synthesis.agent._change import change_of
from evolif.synthesis.agent._prompts import prompt

REST = "rest"
"""The checker's name in findings on what was asked for beyond the change."""

_TRIES = 2
_LONGEST_REASON = 300


def _schema(text: str, flag: str) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {text: {"type": "string"}, flag: {"type": "boolean"}},
        "required": [text, flag],
        "additionalProperties": False,
    }


class SecondOpinion:
    """Asks a chat model about a query.

    Args:
        model: The checker model.
    """

    def __init__(self, model: AskedModel) -> None:
        self._model = model

    async def names_topic(self, turn: Turn, query: str, meter: Meter) -> bool | None:
        """Whether the query says concretely which task is meant; None where no answer could be read."""
        slots = {"task": turn.topic.prompt, "title": _title(turn)}
        told = await self._ask("check_topic", slots, query, ("reason", "names_task"), meter)
        return None if told is None else told[1]

    async def asks_for_more(self, turn: Turn, query: str, meter: Meter) -> Finding | None:
        """What the query asks for beyond the task and the change; None where nothing, or nothing could be read."""
        change = change_of(turn)
        slots = {
            "task": turn.topic.prompt,
            "change": change.said,
            "meaning": change.meaning,
            "stays": change.stays,
        }
        told = await self._ask("check_rest", slots, query, ("what", "asks_for_more"), meter)
        if told is None or not told[1]:
            return None
        return Finding(REST, f"it asks for something besides this turn's change: {told[0] or 'not said what'}")

    async def _ask(
        self, name: str, slots: Mapping[str, str], query: str, fields: tuple[str, str], meter: Meter
    ) -> tuple[str, bool] | None:
        """The checker's sentence and its yes or no."""
        text, flag = fields
        for _ in range(_TRIES):
            fence = f"==== {secrets.token_hex(12)} ===="
            messages = prompt(name, {**slots, "query": query, "fence": fence})
            try:
                heard = await self._model.ask(messages, _schema(text, flag))
            except WithheldError:
                continue
            meter.add("checker", heard.usage)
            verdict = read_flag(heard.text, flag)
            if verdict is not None:
                said = (read_object(heard.text, flag) or {}).get(text)
                return (" ".join(said.split())[:_LONGEST_REASON] if isinstance(said, str) else ""), verdict
        return None


def _title(turn: Turn) -> str:
    return turn.topic.title or turn.topic.prompt
