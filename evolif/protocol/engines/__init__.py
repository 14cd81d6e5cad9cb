"""Engines that play the sessions of a run."""

from evolif.protocol.engines._asyncio import play_all
from evolif.protocol.engines._collector import calm_collector
from evolif.protocol.engines._lanes import MOST_ALIVE, Lanes
from evolif.protocol.engines._signals import GRACE, run_interruptibly

__all__ = ["GRACE", "MOST_ALIVE", "Lanes", "calm_collector", "play_all", "run_interruptibly"]
