"""A sign of life every few seconds while sessions are played: long answers are no reason to show nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from evolif.protocol._events import Observer, StillWaiting
from evolif.protocol._stopper import Stopper

EVERY = 10.0
"""Seconds."""


async def with_heartbeat(main: Coroutine[Any, Any, None], stopper: Stopper, observe: Observer) -> None:
    """Await `main`, telling an observer now and then what is in flight."""
    beating = asyncio.create_task(_beat(stopper, observe))
    try:
        await main
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)


async def _beat(stopper: Stopper, observe: Observer) -> None:
    while True:
        await asyncio.sleep(EVERY)
        observe(StillWaiting(stopper.awaited()))
