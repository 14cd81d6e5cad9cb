"""Canaries: a string in every export that nobody writes by chance, to be looked for in what a model was trained on."""

from __future__ import annotations

from uuid import UUID, uuid5

_NAMESPACE = UUID("5f0b1a4e-6f2c-4d0e-9b39-2c6a7d1e8f43")
"""Of this project's format; it never changes."""


def canary_of(identity: str) -> str:
    """The canary of a benchmark: the same in every export of it, and in the exports of its runs.

    Args:
        identity: What `Benchmark.identity` says.
    """
    return f"evolif canary {uuid5(_NAMESPACE, identity)}"
