"""Runs of models on a benchmark: sessions, patience, scheduling and the store (paper §3.3)."""

from evolif.config import EvalConfig
from evolif.runner.bounds import upper_bound
from evolif.runner.context_record import Built
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
    StillWaiting,
    TurnStored,
)
from evolif.runner.floor import replay_floor
from evolif.runner.floor_work import stored_floor
from evolif.runner.hash_chain import Integrity
from evolif.runner.live import Live, Pace, read_live
from evolif.runner.metering import AllowAll, CallPolicy, Deny, PlannedCall, Wait
from evolif.runner.provenance import Origin
from evolif.runner.records import STOP_RULE, EarlyEnd, TurnRecord
from evolif.runner.rejudge import agreement, rejudge, rejudged, reread
from evolif.runner.run import Run, as_begun, load_run
from evolif.runner.session import WAIT, step
from evolif.runner.settings import COUNTED, RunSettings, different_fields, plan, reweighted_models
from evolif.runner.sharing import shared_settings
from evolif.runner.store import RunStore
from evolif.runner.verify import Verification, verify
from evolif.runner.warnings import judging_gap, limit_note, notes_before
from evolif.types import Spent

__all__ = [
    "COUNTED",
    "STOP_RULE",
    "WAIT",
    "AllowAll",
    "Built",
    "CallPolicy",
    "CallsInFlight",
    "Deny",
    "EarlyEnd",
    "EvalConfig",
    "Event",
    "FaultMet",
    "Integrity",
    "Live",
    "ModelStopped",
    "Observer",
    "Origin",
    "Pace",
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
    "TurnRecord",
    "TurnStored",
    "Verification",
    "Wait",
    "agreement",
    "as_begun",
    "different_fields",
    "evaluate",
    "evaluate_with",
    "judging_gap",
    "limit_note",
    "load_run",
    "notes_before",
    "plan",
    "read_live",
    "rejudge",
    "rejudged",
    "replay_floor",
    "reread",
    "reweighted_models",
    "shared_settings",
    "step",
    "stored_floor",
    "upper_bound",
    "verify",
]
