"""Dependencies point one way, and files stay readable in one sitting."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "evolif").rglob("*.py"))
LONGEST = 600


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


def test_no_file_is_too_long_and_every_file_says_what_it_is() -> None:
    texts = {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in SOURCES}
    assert [path for path, text in texts.items() if len(text.splitlines()) > LONGEST] == []
    assert [path for path, text in texts.items() if not text.startswith('"""')] == []
