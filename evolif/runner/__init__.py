"""Running models on a benchmark: sessions, patience, scheduling and the store (paper §3.3)."""

from evolif.runner.config import EvalConfig, Flag
from evolif.runner.evaluate import evaluate, evaluate_with
from evolif.runner.events import (
    CallsInFlight,
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
from evolif.runner.metering import AllowAll, CallPolicy, Deny, PlannedCall, Wait
from evolif.runner.records import (
    STOP_RULE,
    AnsweredTurn,
    AskedTurn,
    EarlyEnd,
    EndEntry,
    FaultEntry,
    StoreEntry,
    TurnEntry,
    TurnRecord,
    VerdictEntry,
)
from evolif.runner.rejudge import agreement, rejudge, rejudged
from evolif.runner.run import Run, load_run
from evolif.runner.scenario import SYSTEM_PROMPT
from evolif.runner.scheduler import SessionScheduler
from evolif.runner.session import step
from evolif.runner.settings import RunSettings, plan
from evolif.runner.store import FILE_NAME, RunStore, StoreError, WriteBatcher

__all__ = [
    "FILE_NAME",
    "STOP_RULE",
    "SYSTEM_PROMPT",
    "AllowAll",
    "AnsweredTurn",
    "AskedTurn",
    "CallPolicy",
    "CallsInFlight",
    "Deny",
    "EarlyEnd",
    "EndEntry",
    "EvalConfig",
    "Event",
    "FaultEntry",
    "FaultMet",
    "Flag",
    "ModelStopped",
    "Observer",
    "PlannedCall",
    "Run",
    "RunSettings",
    "RunStarted",
    "RunStore",
    "SessionEnded",
    "SessionKey",
    "SessionScheduler",
    "SessionStarted",
    "Spent",
    "StillWaiting",
    "StoreEntry",
    "StoreError",
    "TurnEntry",
    "TurnRecord",
    "TurnStored",
    "VerdictEntry",
    "Wait",
    "WriteBatcher",
    "agreement",
    "evaluate",
    "evaluate_with",
    "load_run",
    "plan",
    "rejudge",
    "rejudged",
    "step",
]
