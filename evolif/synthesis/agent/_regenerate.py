"""One turn's words anew, for a reviewer."""

from __future__ import annotations

from evolif.domain import Turn
from evolif.synthesis.agent._agent import Agent, CheckQuery
from evolif.synthesis.agent._asked import AskedModel
from evolif.synthesis.agent._attempt import Attempt


async def regenerate(
    turn: Turn,
    model: AskedModel,
    *,
    notes: str = "",
    check: CheckQuery | None = None,
    checker: AskedModel | None = None,
) -> Attempt:
    """Have a model word a turn again; nothing is stored (`Benchmark.replace` does that).

    Args:
        turn: The turn as stored.
        model: Who words it: `evolif.models.Asked(open_model("openai/NAME"))`.
        notes: What the reviewer wants of the words.
        check: The rules; `evolif.synthesis.check_query` where None.
        checker: A chat model for what rules cannot know.

    Returns:
        The words, what is held against them, how many attempts they took and what they cost.

    Raises:
        ModelError: an endpoint failed.
    """
    return await Agent(model, check=check, checker=checker).say(turn, notes=notes)
