"""Reading JSON of which nothing is certain: what is not of the right kind is empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def mapping(value: object) -> Mapping[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def clean_text(value: object) -> str:
    """The text, or an empty one; half surrogates, which JSON can carry and no file can, are replaced."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def count(value: object) -> int:
    """The number of something, or 0. No provider counts to 2^53, and no database can hold much more."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0
