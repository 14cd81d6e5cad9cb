"""The shape of the package: dependencies point one way, without circles, in files that can be read in one sitting."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "evolif").rglob("*.py"))
MOST_LINES = 600
MOST_FILES = 753
"""Grown for ledger, waits and seals of calls, for files and machines, for contexts, shifts, broadcasts, games, persons
and their reactions, for gates, the board, plans, prices, samples and what an endpoint can, for rewards, trainers and
training data, for the sides of a partition, for the terms of sessions, for runs of several machines, for tables of
turns."""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in SOURCES}


def literal(node: ast.expr) -> str:
    """A string that is written out; empty for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that a file imports, anywhere in it, also by `import_module` of a literal name.

    A name imported from a package is the package's, or a module.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func) and node.args:
            yield from (value for value in map(literal, node.args[:1]) if value in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                yield submodule if submodule in MODULES else node.module


def imports() -> dict[str, set[str]]:
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}
    return {name: set(imported(tree)) - {name} for name, tree in trees.items()}


def circle(edges: Mapping[str, set[str]]) -> list[str]:
    """One circle of imports, or nothing."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as found:
        path: list[str] = found.args[1]
        return path
    return []


def package(module: str) -> str:
    """The top-level package or module of a module."""
    return ".".join(module.split(".")[:2])


def scenario_package(module: str) -> str:
    """The package or module of a module, where each scenario's folder is one."""
    return ".".join(module.split(".")[: 3 if module.startswith("evolif.scenarios.") else 2])


def test_layers() -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_package_stands_in_a_layer() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = pyproject["tool"]["importlinter"]["contracts"]
    [contract] = [contract for contract in contracts if contract["name"] == "dependencies point one way"]
    layers = {layer.strip() for line in contract["layers"] for layer in line.replace(":", "|").split("|")}
    private = {name for name in MODULES if name.rpartition(".")[2].startswith("_")}
    assert {package(name) for name in MODULES.keys() - private} - {"evolif"} <= layers


def test_the_map_names_every_package_and_only_files_that_are_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = {name.removeprefix("evolif/") for name in re.findall(r"`([a-zA-Z_/]+(?:/|\.py))`", text)}
    files = {str(path.relative_to(ROOT / "evolif")) for path in SOURCES}
    folders = {name.removesuffix("__init__.py") for name in files if name.endswith("/__init__.py")}
    parts = {name.removeprefix("scenarios/instructions/") for name in folders}
    rooms = {name for name in folders if name.count("/") == 1} | {f for f in folders if f.startswith("scenarios/")}
    assert {name for name in rooms if not {name, name.removeprefix("scenarios/instructions/")} & named} == {
        "scenarios/"
    }
    assert [name for name in sorted(named - files - folders - parts)
            if "NAME" not in name and not (ROOT / name).exists()] == []  # fmt: skip


def test_no_circle_of_imports() -> None:
    edges = imports()
    assert circle(edges) == []
    for room in (package, scenario_package):
        packages: dict[str, set[str]] = {}
        for name, targets in edges.items():
            packages.setdefault(room(name), set()).update(map(room, targets))
        top = {"evolif", "evolif.scenarios"}
        assert circle({name: targets - {name, *top} for name, targets in packages.items() if name not in top}) == []


def test_files_are_few_and_short_and_say_what_they_are_for() -> None:
    assert len(SOURCES) <= MOST_FILES
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in SOURCES}
    assert [path for path, text in texts.items() if len(text.splitlines()) > MOST_LINES] == []
    assert [path for path, text in texts.items() if not text.startswith('"""')] == []


def test_no_two_test_files_share_a_name() -> None:
    """pytest imports them by their base names."""
    names = Counter(path.name for path in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, number in names.items() if number > 1] == []
