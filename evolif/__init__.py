"""Generate fresh multi-turn instruction-following benchmarks and measure how long a model keeps up.

An independent implementation of the EvolIF method (arXiv 2511.03508). Names are loaded on first use, so that
`import evolif` and `evolif --help` stay fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolif import _moved
from evolif._version import __version__

if TYPE_CHECKING:
    from evolif.benchmark import open_benchmark as load_benchmark
    from evolif.config import EvalConfig
    from evolif.errors import EvolifError, InputError, InternalError, ModelError, OutsideError, UsageError
    from evolif.frames import metrics_frame, sessions_frame, turns_frame
    from evolif.models.base import ChatModel
    from evolif.report.choice import compare
    from evolif.runner.evaluate import evaluate
    from evolif.runner.merging import merge
    from evolif.runner.run import Run, load_run
    from evolif.scenario.contract import Scenario
    from evolif.scenario.play import Environment
    from evolif.scenarios.generating import generate
    from evolif.scenarios.instructions.constraints import check
    from evolif.scenarios.instructions.queries import check_query
    from evolif.scenarios.instructions.turns import Constraint, Finding, Persona, Topic, Turn
    from evolif.types import Message, Session, Span, Verdict

__all__ = [
    "ChatModel",
    "Constraint",
    "Environment",
    "EvalConfig",
    "EvolifError",
    "Finding",
    "InputError",
    "InternalError",
    "Message",
    "ModelError",
    "OutsideError",
    "Persona",
    "Run",
    "Scenario",
    "Session",
    "Span",
    "Topic",
    "Turn",
    "UsageError",
    "Verdict",
    "__version__",
    "check",
    "check_query",
    "compare",
    "evaluate",
    "generate",
    "load_benchmark",
    "load_run",
    "merge",
    "metrics_frame",
    "sessions_frame",
    "turns_frame",
]

_HOMES = {
    "ChatModel": "evolif.models.base",
    "Environment": "evolif.scenario.play",
    "EvalConfig": "evolif.config",
    "Run": "evolif.runner.run",
    "Scenario": "evolif.scenario.contract",
    "check": "evolif.scenarios.instructions.constraints",
    "check_query": "evolif.scenarios.instructions.queries",
    "compare": "evolif.report.choice",
    "evaluate": "evolif.runner",
    "generate": "evolif.scenarios.generating",
    "load_benchmark": "evolif.benchmark:open_benchmark",
    "load_run": "evolif.runner",
    "merge": "evolif.runner.merging",
    **dict.fromkeys(("metrics_frame", "sessions_frame", "turns_frame"), "evolif.frames"),
}
"""Where functions and classes are defined; after a colon, the name there if it is another."""
_TURNS = frozenset({"Constraint", "Finding", "Persona", "Topic", "Turn"})
"""Classes of an instruction's turns; errors are in `evolif.errors`, classes named nowhere here in `evolif.types`."""


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module 'evolif' has no attribute {name!r}")
    from importlib import import_module

    classes = "evolif.scenarios.instructions.turns" if name in _TURNS else "evolif.types"
    classes = "evolif.errors" if name.endswith("Error") else classes
    home, _, there = _HOMES.get(name, classes).partition(":")
    return getattr(import_module(home), there or name)


def __dir__() -> list[str]:
    return sorted(__all__)


_moved.install()
