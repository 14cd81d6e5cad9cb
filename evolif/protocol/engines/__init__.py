"""Engines that play the sessions of a run."""

from evolif.protocol.engines._asyncio import Recall, play_all, play_here
from evolif.protocol.engines._collector import calm_collector
from evolif.protocol.engines._heartbeat import with_heartbeat
from evolif.protocol.engines._lanes import MOST_ALIVE, Lanes
from evolif.protocol.engines._signals import run_interruptibly

__all__ = [
    "MOST_ALIVE",
    "Lanes",
    "Recall",
    "calm_collector",
    "play_all",
    "play_here",
    "run_interruptibly",
    "with_heartbeat",
]
