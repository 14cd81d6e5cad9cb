"""The public names: sorted, importable, and all that `dir` shows."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from pathlib import Path

import pytest

import evolif
from evolif import types
from evolif.scenarios.instructions import turns

MOST_NAMES = 510
"""A package exports what several files of other packages, a plug-in or a page of docs uses."""
PACKAGES = ["evolif", *(m.name for m in pkgutil.walk_packages(evolif.__path__, "evolif.") if m.ispkg)]


def order(name: str) -> tuple[int, str]:
    """As the linter sorts: constants, classes, the rest."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@pytest.mark.parametrize("name", PACKAGES)
def test_all_is_sorted_without_doubles_and_importable(name: str) -> None:
    package = importlib.import_module(name)
    assert package.__doc__
    names = list(package.__all__)
    assert names == sorted(set(names), key=order)
    for exported in names:
        assert getattr(package, exported) is not None


def test_packages_export_few_names() -> None:
    assert sum(len(importlib.import_module(name).__all__) for name in PACKAGES) <= MOST_NAMES


def test_dir_shows_the_public_names() -> None:
    assert dir(evolif) == evolif.__all__


def test_lazy_names_are_those_that_a_type_checker_sees() -> None:
    tree = ast.parse(Path(evolif.__file__).read_text(encoding="utf-8"))
    typed = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {"__version__"}
    for node in typed.body:
        assert isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names:
            name = alias.asname or alias.name
            assert getattr(evolif, name) is getattr(importlib.import_module(node.module), alias.name)
            seen.add(name)
    assert seen == set(evolif.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        evolif.nonsense  # noqa: B018


def test_the_old_module_of_types_warns_and_works() -> None:
    sys.modules.pop("evolif.domain", None)
    with pytest.warns(DeprecationWarning, match="evolif.domain is now evolif.types"):
        from evolif import domain
    assert domain.Prompt is types.Prompt
    assert domain.Constraint is turns.Constraint
    with pytest.raises(AttributeError):
        domain.nonsense  # noqa: B018
