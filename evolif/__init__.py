"""Fresh multi-turn instruction-following benchmarks, and how long a model holds a conversation.

An independent implementation in the manner of EvolIF (arXiv 2511.03508). Names are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolif._version import __version__

if TYPE_CHECKING:
    from evolif._errors import (
        EvolifError,
        InputError,
        InternalError,
        ModelError,
        OutsideError,
        UsageError,
    )
    from evolif.authoring import generate
    from evolif.benchmark import load_benchmark
    from evolif.constraints import check
    from evolif.domain import Constraint, Finding, Persona, Session, Span, Topic, Turn, Verdict
    from evolif.protocol import evaluate, load_run
    from evolif.synthesis import check_query

_HOMES = {
    "Constraint": "evolif.domain",
    "EvolifError": "evolif._errors",
    "Finding": "evolif.domain",
    "InputError": "evolif._errors",
    "InternalError": "evolif._errors",
    "ModelError": "evolif._errors",
    "OutsideError": "evolif._errors",
    "Persona": "evolif.domain",
    "Session": "evolif.domain",
    "Span": "evolif.domain",
    "Topic": "evolif.domain",
    "Turn": "evolif.domain",
    "UsageError": "evolif._errors",
    "Verdict": "evolif.domain",
    "check": "evolif.constraints",
    "check_query": "evolif.synthesis",
    "evaluate": "evolif.protocol",
    "generate": "evolif.authoring",
    "load_benchmark": "evolif.benchmark",
    "load_run": "evolif.protocol",
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
