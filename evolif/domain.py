"""Deprecated: the vocabulary lives in `evolif.types`; this name stays for plug-ins written before it moved."""

from __future__ import annotations

import warnings
from typing import Any

from evolif import types


def __getattr__(name: str) -> Any:
    value = getattr(types, name)  # first: a name that is nowhere is an AttributeError and needs no warning
    warnings.warn("evolif.domain is deprecated; import from evolif.types", DeprecationWarning, stacklevel=2)
    return value
