"""NumPy and SciPy where they are installed; both come with the extra `report`."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

from evolif._errors import UsageError


def scipy_stats(what: str) -> Any:
    """`scipy.stats`, for `what`.

    Raises:
        UsageError: SciPy is not installed.
    """
    return _needed("scipy.stats", what)


def numpy(what: str) -> Any:
    """NumPy, for `what`; it comes with SciPy.

    Raises:
        UsageError: NumPy is not installed.
    """
    return _needed("numpy", what)


@lru_cache(maxsize=1)
def numpy_if_any() -> Any | None:
    """NumPy, or None where only the standard library is at hand."""
    try:
        return import_module("numpy")
    except ImportError:
        return None


def _needed(module: str, what: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(f"{what} needs SciPy: pip install 'evolif[report]'") from None
