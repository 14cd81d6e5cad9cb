"""Running models on a benchmark: sessions, patience, scheduling and the store (paper §3.3)."""

from evolif.runner.evaluate import evaluate
from evolif.runner.events import (
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
)
from evolif.runner.journal import Journal, StoreError
from evolif.runner.metering import Gate, Later, OpenGate, PlannedCall, Stop
from evolif.runner.records import (
    STOP_RULE,
    AnsweredTurn,
    AskedTurn,
    EarlyEnd,
    EndEntry,
    Entry,
    FaultEntry,
    TurnEntry,
    TurnRecord,
    VerdictEntry,
)
from evolif.runner.rejudge import agreement, rejudge, rejudged
from evolif.runner.run import Run, load_run
from evolif.runner.scenario import SYSTEM_PROMPT
from evolif.runner.scheduler import Lanes
from evolif.runner.session import remaining, step
from evolif.runner.settings import RunSettings, Wish, plan
from evolif.runner.store import FILE_NAME, RunStore

__all__ = [
    "FILE_NAME",
    "STOP_RULE",
    "SYSTEM_PROMPT",
    "AnsweredTurn",
    "AskedTurn",
    "Awaited",
    "EarlyEnd",
    "EndEntry",
    "Entry",
    "Event",
    "FaultEntry",
    "FaultMet",
    "Gate",
    "Journal",
    "Lanes",
    "Later",
    "ModelStopped",
    "Observer",
    "OpenGate",
    "PlannedCall",
    "Run",
    "RunSettings",
    "RunStarted",
    "RunStore",
    "SessionEnded",
    "SessionKey",
    "SessionStarted",
    "Spent",
    "StillWaiting",
    "Stop",
    "StoreError",
    "TurnEntry",
    "TurnRecord",
    "TurnStored",
    "VerdictEntry",
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
