"""Deprecated alias of `evolif.types`, for plug-ins written before the rename."""

from __future__ import annotations

import warnings
from typing import Any

from evolif import types


def __getattr__(name: str) -> Any:
    value = getattr(types, name)  # before the warning: an unknown name is just an AttributeError
    warnings.warn("evolif.domain is deprecated; import from evolif.types", DeprecationWarning, stacklevel=2)
    return value
