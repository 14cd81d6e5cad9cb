"""Runs of models on a benchmark: sessions, patience, scheduling and the store (paper §3.3)."""

from evolif.runner.evaluate import evaluate, evaluate_with
from evolif.runner.events import Event, SessionEnded, SessionKey
from evolif.runner.hash_chain import Integrity
from evolif.runner.live import Live
from evolif.runner.metering import CallPolicy, Deny, PlannedCall
from evolif.runner.records import STOP_RULE, EarlyEnd, TurnRecord
from evolif.runner.run import Run, load_run
from evolif.runner.settings import RunSettings, different_fields, plan
from evolif.runner.sharing import shared_settings
from evolif.runner.store import RunStore
from evolif.types import Spent

__all__ = [
    "STOP_RULE",
    "CallPolicy",
    "Deny",
    "EarlyEnd",
    "Event",
    "Integrity",
    "Live",
    "PlannedCall",
    "Run",
    "RunSettings",
    "RunStore",
    "SessionEnded",
    "SessionKey",
    "Spent",
    "TurnRecord",
    "different_fields",
    "evaluate",
    "evaluate_with",
    "load_run",
    "plan",
    "shared_settings",
]
