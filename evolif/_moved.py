"""Old names of modules, for plug-ins written before every scenario had a folder: they work, with a warning.

The finder comes last in `sys.meta_path`, so only a name that nothing else finds reaches it. An old module forwards to
the module of today, which stays the only copy: a class is the same under both names.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

_INSTRUCTIONS: Final = "evolif.scenarios.instructions"
_PARTS: Final = ("audit", "catalogue", "constraints", "queries", "synthesis", "tracker", "turns", "witness")
MOVED: Final = {
    "evolif.broadcast": "evolif.scenarios.broadcast",
    "evolif.domain": "evolif.types",
    "evolif.games": "evolif.scenarios.games",
    "evolif.grid": "evolif.scenario.presentation",
    "evolif.options": "evolif.scenario.options",
    "evolif.mends": "evolif.util.suggestions",
    "evolif.workshop": "evolif.util.files",
    "evolif.exhaustion": "evolif.util.resource_limits",
    **{f"evolif.{name}": f"evolif.util.{name}" for name in ("opened", "resources", "rng", "sqlite_file")},
    "evolif.instructions": _INSTRUCTIONS,
    "evolif.instructions.generate": f"{_INSTRUCTIONS}.generation",
    "evolif.shifts": "evolif.scenarios.shifts",
    "evolif.unidial": "evolif.scenarios.recorded",
    **{f"evolif.{name}": f"{_INSTRUCTIONS}.{name}" for name in _PARTS},
}
"""Old packages and modules, and their names of today; what is in them moved with them."""
_BESIDE: Final = {"evolif.domain": f"{_INSTRUCTIONS}.turns"}
"""Where the names of an old module are that did not move to the module above."""


def name_today(name: str) -> str | None:
    """Today's name of a module; None where it has not moved.

    Example:
        >>> name_today("evolif.games.tokens")
        'evolif.scenarios.games.tokens'
    """
    parts = name.split(".")
    for length in (3, 2):
        old = ".".join(parts[:length])
        if old in MOVED:
            return ".".join([MOVED[old], *parts[length:]])
    return None


class _OldNames:
    """Finds and loads modules by their old names."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        today = name_today(name)
        if today is None:
            return None
        # The stubs ask for `load_module`, which importlib has no use for where there is `exec_module`.
        return ModuleSpec(name, _OldNames, origin=today, is_package=True)  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """The usual empty module."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Have the module take every name from today's."""
        old = module.__name__
        assert module.__spec__ is not None and module.__spec__.origin is not None
        today = import_module(module.__spec__.origin)
        warnings.warn(f"{old} is now {today.__name__}; import from there", DeprecationWarning, stacklevel=2)

        def forward(name: str) -> Any:
            home = today
            if old in _BESIDE and not name.startswith("__") and not hasattr(today, name):
                home = import_module(_BESIDE[old])
            return getattr(home, name)

        module.__doc__ = today.__doc__
        module.__dict__.update({"__getattr__": forward, "__path__": [], "__all__": getattr(today, "__all__", [])})


def install() -> None:
    """Have imports find old names; once is enough."""
    if _OldNames not in sys.meta_path:
        sys.meta_path.append(_OldNames)
