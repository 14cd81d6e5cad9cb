"""What a killed command leaves behind is never a result, and the same command removes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evolif import UsageError
from evolif.cli import app
from evolif.util.files import workshop

EXPORTS = {
    "jsonl": ("bench", "export", "out", "evolif.exchange.formats._write_lines"),
    "parquet": ("bench", "export", "out", "evolif.exchange.formats.write_parquet"),
    "evolif-states": ("bench", "export", "out", "evolif.exchange.formats._write_lines"),
    "page": ("run", "report", "out.html", "evolif.report.page.page.os.replace"),
    "json": ("run", "report", "out.json", "evolif.cli.report.os.replace"),
}
# The function that finishes the file is replaced by a sudden death.
_KILLED = """
import os, signal, sys
from importlib import import_module
from pathlib import Path

home, name = sys.argv[1].rsplit(".", 1)
target = import_module("os") if home.endswith(".os") else import_module(home)

real = getattr(target, name)

def die(path, *rest, **named):
    if ".findings" in str(path):  # what was found of a run, written before
        return real(path, *rest, **named)
    Path(path).write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)

from evolif.cli import app
setattr(target, name, die)
app(sys.argv[2:])
"""


def make(folder: Path) -> None:
    run, bench = CliRunner(), str(folder / "bench")
    shape = ["--dialogues", "2", "--turns", "3", "--seed", "1", "--profile", "objective"]
    assert run.invoke(app, ["generate", bench, *shape]).exit_code == 0
    played = ["evaluate", bench, "-m", "sim/steady", "--max-turns", "3", "--display", "none", "--out"]
    assert run.invoke(app, [*played, str(folder / "run")]).exit_code == 0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: Callable[..., Path]) -> Path:
    place = copied(make, tmp_path / "place")
    monkeypatch.chdir(place)
    return place


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in ("jsonl", "json"))) for name in EXPORTS]
)
def test_the_same_command_removes_what_a_killed_one_left(place: Path, name: str) -> None:
    what, verb, out, last = EXPORTS[name]
    flags = {"page": ["--html", out], "json": ["--json", out]}.get(name, [out, "--format", name])
    command = [verb, what, *flags]
    for _ in range(2):
        killed = subprocess.run([sys.executable, "-c", _KILLED, last, *command], timeout=60, capture_output=True)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert not (place / out).exists()
        assert [path.name for path in place.iterdir() if path.name not in ("bench", "run")] == [f".{out}.part"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert {path.name for path in place.iterdir()} == {"bench", "run", out}


def test_two_processes_do_not_make_the_same_file(tmp_path: Path) -> None:
    with workshop(tmp_path / "out") as folder:
        (folder / "half").write_text("half")
        with pytest.raises(UsageError, match="out is being written by another process"), workshop(tmp_path / "out"):
            pass
        assert (folder / "half").read_text() == "half"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("plant", [lambda p: p.symlink_to("/etc"), lambda p: p.mkdir(), lambda p: p.write_text("x")])
def test_what_is_left_is_removed_and_links_are_not_followed(tmp_path: Path, plant: Callable[[Path], object]) -> None:
    left = tmp_path / ".out.part"
    left.mkdir()
    plant(left / "thing")
    with workshop(tmp_path / "out") as folder:
        assert [path.name for path in folder.iterdir()] == ["lock"]
    assert os.path.exists("/etc/passwd") and not left.exists()


def test_a_device_is_written_to_and_not_replaced(place: Path) -> None:
    (place / "link.json").symlink_to("behind.json")
    (place / "behind.json").write_text("")
    for name in ("/dev/null", "link.json"):
        assert CliRunner().invoke(app, ["report", "run", "--json", name]).exit_code == 0
    assert Path("/dev/null").is_char_device() and (place / "link.json").is_symlink()
    assert (place / "behind.json").read_text().startswith("{")
