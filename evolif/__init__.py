"""Fresh multi-turn instruction-following benchmarks, and how long a model holds a conversation.

An independent implementation in the manner of EvolIF (arXiv 2511.03508). Names are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolif._version import __version__

if TYPE_CHECKING:
    from evolif.constraints import check
    from evolif.errors import EvolifError, InputError, InternalError, ModelError, OutsideError, UsageError
    from evolif.instructions import generate, load_benchmark
    from evolif.queries import check_query
    from evolif.runner.evaluate import evaluate
    from evolif.runner.run import load_run
    from evolif.types import Constraint, Finding, Persona, Session, Span, Topic, Turn, Verdict

_HOMES = {
    "Constraint": "evolif.types",
    "EvolifError": "evolif.errors",
    "Finding": "evolif.types",
    "InputError": "evolif.errors",
    "InternalError": "evolif.errors",
    "ModelError": "evolif.errors",
    "OutsideError": "evolif.errors",
    "Persona": "evolif.types",
    "Session": "evolif.types",
    "Span": "evolif.types",
    "Topic": "evolif.types",
    "Turn": "evolif.types",
    "UsageError": "evolif.errors",
    "Verdict": "evolif.types",
    "check": "evolif.constraints",
    "check_query": "evolif.queries",
    "evaluate": "evolif.runner.evaluate",
    "generate": "evolif.instructions.generate",
    "load_benchmark": "evolif.instructions",
    "load_run": "evolif.runner",
}

__all__ = [
    "Constraint",
    "EvolifError",
    "Finding",
    "InputError",
    "InternalError",
    "ModelError",
    "OutsideError",
    "Persona",
    "Session",
    "Span",
    "Topic",
    "Turn",
    "UsageError",
    "Verdict",
    "__version__",
    "check",
    "check_query",
    "evaluate",
    "generate",
    "load_benchmark",
    "load_run",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'evolif' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
