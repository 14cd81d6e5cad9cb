"""Asking a chat model for a turn's words anew."""

from __future__ import annotations

import asyncio

from evolif.domain import Turn
from evolif.review._benchmark_desk import Regenerated


def regenerate(turn: Turn, model: str, notes: str) -> Regenerated:
    """Words for a turn, by a model that is named as everywhere; must not run inside an event loop.

    Raises:
        UsageError: the model is named wrongly, or its key is missing.
        ModelError: the endpoint failed.
    """
    return asyncio.run(_asked(turn, model, notes))


async def _asked(turn: Turn, model: str, notes: str) -> Regenerated:
    from evolif.authoring import open_asked
    from evolif.synthesis.agent import regenerate as ask

    asked = open_asked(model)
    try:
        made = await ask(turn, asked, notes=notes)
    finally:
        await asked.aclose()
    return Regenerated(made.query, asked.name, made.attempts, made.findings)
