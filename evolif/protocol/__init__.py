"""The evaluation protocol: sessions, patience, the runner and its store (paper §3.3)."""

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
