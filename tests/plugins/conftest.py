"""The plug-ins of this folder, installed as pip would: modules, and beside each a folder with its entry points."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evolif.cli import app

HERE = Path(__file__).parent
PACKAGES = {
    "evolif_checklist": HERE / "checklist",
    "guess": {"guess": "guess:Guess"},
    "earlier": {"earlier": "earlier:Earlier"},
    "least": {"least": "least:Least"},
    "faulty": {"faulty": "faulty:Faulty", "broken": "faulty:Missing"},
}
"""Module to the folder of its package, or to its entry points."""
Run = Callable[..., Result]


def install(site: Path) -> Path:
    """Install all plug-ins into a folder."""
    for module, package in PACKAGES.items():
        if isinstance(package, Path):
            project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
            points = project["entry-points"]["evolif.scenarios"]
            shutil.copy(package / f"{module}.py", site)
        else:
            points = package
            shutil.copy(HERE / f"{module}.py", site)
        info = site / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
        lines = ["[evolif.scenarios]", *(f"{name} = {place}" for name, place in points.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the plug-ins are installed."""
    return install(tmp_path_factory.mktemp("site"))


@lru_cache
def _entry_points(path: tuple[str, ...], **wanted: str) -> metadata.EntryPoints:
    return _look_up(**wanted)


_look_up = metadata.entry_points


@pytest.fixture(autouse=True)
def _installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the plug-ins; what is installed is looked up once, not at each of the many times a command asks."""
    for name in [name for name in os.environ if name.startswith(("EVOLIF_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(metadata, "entry_points", lambda **wanted: _entry_points(tuple(sys.path), **wanted))


@pytest.fixture
def python(site: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts Python in a process of its own that has the plug-ins, too."""

    def start(*words: object) -> subprocess.Popen[str]:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(HERE.parents[1])))}
        command, pipe = [sys.executable, *map(str, words)], subprocess.PIPE
        return subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    return start


def command(*words: object, code: int = 0) -> Result:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in the test's folder and expects its exit code."""
    monkeypatch.chdir(tmp_path)
    return command


@pytest.fixture
def refused(run: Run) -> Callable[..., str]:
    """Runs a command that is refused in one sentence, and returns it."""

    def command(*words: object) -> str:
        [line] = run(*words, code=2).stderr.splitlines()
        assert line.startswith("evolif: ")
        return line.removeprefix("evolif: ")

    return command


@pytest.fixture
def figures(run: Run) -> Callable[..., dict]:
    """The JSON of a report on runs."""

    def read(*runs: str) -> dict:
        return json.loads(run("report", *runs, "--json", "-", "--resamples", 50).stdout)

    return read
