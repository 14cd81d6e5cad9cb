"""Engines that play the sessions of a run."""

from evolif.protocol.engines._asyncio import Stopper, play_all, run_interruptibly

__all__ = ["Stopper", "play_all", "run_interruptibly"]
