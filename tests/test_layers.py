"""Dependencies point one way, and files stay readable in one sitting."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "evolif").rglob("*.py"))
LONGEST = 400


def test_imports_keep_to_the_layers() -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_package_stands_in_a_layer() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = pyproject["tool"]["importlinter"]["contracts"]
    layers = {layer for line in contract["layers"] for layer in line.replace(":", "|").replace(" ", "").split("|")}
    packages = {f"evolif.{p.parent.name}" for p in (ROOT / "evolif").glob("*/__init__.py")}
    assert packages <= layers, packages - layers


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_too_long_and_every_file_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert text.startswith('"""')
