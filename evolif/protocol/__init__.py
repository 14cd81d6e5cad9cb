"""The evaluation protocol: sessions, patience, the runner and its store (paper §3.3)."""

from evolif.protocol._context import SYSTEM_PROMPT, ContextStrategy, FullHistory
from evolif.protocol._evaluate import evaluate
from evolif.protocol._patience import remaining, step
from evolif.protocol._run import Run, load_run
from evolif.protocol._scenario import EvolifScenario, Scenario
from evolif.protocol._session import Observer, Progress, SessionKey
from evolif.protocol._settings import RunSettings
from evolif.protocol.store import RunStore, TurnRecord

__all__ = [
    "SYSTEM_PROMPT",
    "ContextStrategy",
    "EvolifScenario",
    "FullHistory",
    "Observer",
    "Progress",
    "Run",
    "RunSettings",
    "RunStore",
    "Scenario",
    "SessionKey",
    "TurnRecord",
    "evaluate",
    "load_run",
    "remaining",
    "step",
]
