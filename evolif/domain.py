"""Deprecated alias of `evolif.types` and of turns of instructions, for plug-ins written before the rename."""

from __future__ import annotations

import warnings
from typing import Any

from evolif import types
from evolif.scenarios.instructions import turns


def __getattr__(name: str) -> Any:
    home = turns if name in turns.__dict__ else types
    value = getattr(home, name)  # before the warning: an unknown name is just an AttributeError
    warnings.warn(f"evolif.domain is deprecated; import from {home.__name__}", DeprecationWarning, stacklevel=2)
    return value
