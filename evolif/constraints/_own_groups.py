"""Constraint groups of the user's own, out of the modules that `--constraints` or `EVOLIF_CONSTRAINTS` names.

Only the user names them: a benchmark, a run or a profile never has a module loaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType, ModuleType

from evolif._errors import UsageError
from evolif.constraints._base import Group

VARIABLE = "EVOLIF_CONSTRAINTS"
"""Modules or files, apart by commas; child processes and workers inherit it."""


def named_groups(taken: frozenset[str]) -> Mapping[str, Group]:
    """The groups of the named modules, by name, in their order.

    Each module has `GROUPS`, a sequence of `Group` objects or classes.

    Args:
        taken: Names of groups that are there already.

    Raises:
        UsageError: a module that cannot be loaded, or that offers no groups, one twice or one whose name is taken.
    """
    return _loaded(os.environ.get(VARIABLE, ""), taken)


@lru_cache(maxsize=8)
def _loaded(named: str, taken: frozenset[str]) -> Mapping[str, Group]:
    groups: dict[str, Group] = {}
    for name in filter(None, map(str.strip, named.split(","))):
        for group in _groups_of(_module(name), name):
            if group.name in groups or group.name in taken:
                raise UsageError(f"--constraints {name}: there is a group “{group.name}” already; name it otherwise")
            groups[group.name] = group
    return MappingProxyType(groups)


def _module(name: str) -> ModuleType:
    try:
        return _from_file(Path(name)) if name.endswith(".py") else import_module(name)
    except Exception as fault:
        told = f"{type(fault).__name__}: {fault}"
        raise UsageError(f"--constraints {name} cannot be loaded ({told}); name a module or a .py file") from fault


def _from_file(path: Path) -> ModuleType:
    # A name of its own per file: two users' `groups.py` are two modules.
    digest = sha256(str(path.resolve()).encode()).hexdigest()[:8]
    spec = spec_from_file_location(f"evolif_own_{path.stem}_{digest}", path.resolve(strict=True))
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _groups_of(module: ModuleType, name: str) -> list[Group]:
    offered = getattr(module, "GROUPS", None)
    groups = [one() if isinstance(one, type) else one for one in offered] if isinstance(offered, (list, tuple)) else []
    if not groups or not all(isinstance(group, Group) for group in groups):
        raise UsageError(f"--constraints {name}: the module needs GROUPS, a list of evolif.constraints.Group")
    return groups
