"""The evaluation protocol: sessions, patience, the runner and its store (paper §3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolif._lazy import lazy

if TYPE_CHECKING:
    from evolif.protocol._context import SYSTEM_PROMPT, ContextStrategy, FullHistory
    from evolif.protocol._evaluate import evaluate
    from evolif.protocol._events import (
        Awaited,
        Event,
        FaultMet,
        ModelStopped,
        Observer,
        RunStarted,
        SessionEnded,
        SessionKey,
        SessionStarted,
        Spent,
        StillWaiting,
        TurnStored,
        TurnWorded,
    )
    from evolif.protocol._patience import remaining, step
    from evolif.protocol._plan import Wish, plan
    from evolif.protocol._rejudge import agreement, rejudge, rejudged
    from evolif.protocol._run import Run, load_run
    from evolif.protocol._scenario import EvolifScenario, Scenario
    from evolif.protocol._settings import RunSettings
    from evolif.protocol._turnstile import Gate, Later, OpenGate, PlannedCall, Stop
    from evolif.protocol.store import STOP_RULE, EarlyEnd, RunStore, TurnRecord

__all__ = [
    "STOP_RULE",
    "SYSTEM_PROMPT",
    "Awaited",
    "ContextStrategy",
    "EarlyEnd",
    "Event",
    "EvolifScenario",
    "FaultMet",
    "FullHistory",
    "Gate",
    "Later",
    "ModelStopped",
    "Observer",
    "OpenGate",
    "PlannedCall",
    "Run",
    "RunSettings",
    "RunStarted",
    "RunStore",
    "Scenario",
    "SessionEnded",
    "SessionKey",
    "SessionStarted",
    "Spent",
    "StillWaiting",
    "Stop",
    "TurnRecord",
    "TurnStored",
    "TurnWorded",
    "Wish",
    "agreement",
    "evaluate",
    "load_run",
    "plan",
    "rejudge",
    "rejudged",
    "remaining",
    "step",
]

_HOMES = {
    "STOP_RULE": "store",
    "SYSTEM_PROMPT": "_context",
    "Awaited": "_events",
    "ContextStrategy": "_context",
    "EarlyEnd": "store",
    "Event": "_events",
    "EvolifScenario": "_scenario",
    "FaultMet": "_events",
    "FullHistory": "_context",
    "Gate": "_turnstile",
    "Later": "_turnstile",
    "ModelStopped": "_events",
    "Observer": "_events",
    "OpenGate": "_turnstile",
    "PlannedCall": "_turnstile",
    "Run": "_run",
    "RunSettings": "_settings",
    "RunStarted": "_events",
    "RunStore": "store",
    "Scenario": "_scenario",
    "SessionEnded": "_events",
    "SessionKey": "_events",
    "SessionStarted": "_events",
    "Spent": "_events",
    "StillWaiting": "_events",
    "Stop": "_turnstile",
    "TurnRecord": "store",
    "TurnStored": "_events",
    "TurnWorded": "_events",
    "Wish": "_plan",
    "agreement": "_rejudge",
    "evaluate": "_evaluate",
    "load_run": "_run",
    "plan": "_plan",
    "rejudge": "_rejudge",
    "rejudged": "_rejudge",
    "remaining": "_patience",
    "step": "_patience",
}

# Load a part when it is used: who reads a run needs nothing of what plays one.
__getattr__ = lazy(__name__, _HOMES)
