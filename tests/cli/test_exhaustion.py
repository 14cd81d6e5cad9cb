"""A machine that runs out of memory, file descriptors or threads: one sentence that says so, and exit code 3."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.util.resource_limits import exhausted
from tests.models.server import Answer, completion, serving

resource = pytest.importorskip("resource")
if not Path("/proc/self/statm").exists():
    pytest.skip("needs /proc to know what is in use", allow_module_level=True)

# Everything is imported first, since a library that cannot be loaded says nothing that could be understood.
_HEAD = """
import os, resource, sys, threading
import aiohttp, asyncio, numpy, openai
import evolif.budget, evolif.cli.evaluate, evolif.cli.progress, evolif.models.openai, evolif.report, evolif.runner
import evolif.models.transport, filelock
from evolif.cli import app
from evolif.scenario import get_scenario
get_scenario("instructions")

def used():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()

def limit(what, most):
    resource.setrlimit(what, (most, resource.getrlimit(what)[1]))
"""
FILES = "too many files and connections are open; raise the limit (ulimit -n 4096)"
LIMITS = {
    "memory": "limit(resource.RLIMIT_AS, used() + (64 << 20))",
    "descriptors": "limit(resource.RLIMIT_NOFILE, len(os.listdir('/proc/self/fd')) + {more})",
    "threads": "threading.stack_size(1 << 40); limit(resource.RLIMIT_AS, used() + (1 << 36))",
}


def make(folder: Path) -> None:
    run, bench = CliRunner(), str(folder / "bench")
    shape = ["--dialogues", "4", "--turns", "3", "--seed", "1", "--profile", "objective"]
    assert run.invoke(app, ["generate", bench, *shape]).exit_code == 0
    played = ["evaluate", bench, "-m", "sim/steady", "--max-turns", "3", "--display", "none", "--out"]
    assert run.invoke(app, [*played, str(folder / "run")]).exit_code == 0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: Callable[..., Path]) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    place = copied(make, tmp_path / "place")
    monkeypatch.chdir(place)
    return place


def told(limit: str, *words: str) -> str:
    """What a command says on standard error under a limit; its exit code is 3."""
    code = f"{_HEAD}\n{limit}\napp(sys.argv[1:])"
    ran = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 3, ran.stderr
    assert "Traceback" not in ran.stderr and "internal error" not in ran.stderr
    return ran.stderr


@pytest.mark.slow
def test_out_of_memory(place: Path) -> None:
    with (place / "answer.txt").open("wb") as file:
        file.truncate(1 << 30)  # of holes: it takes no room on the disk
    (place / "asked.json").write_text("[]")
    said = told(LIMITS["memory"], "check", "answer.txt", "--constraints", "asked.json")
    assert said == "evolif: no memory is left; close other programs, or raise the memory limit\n"


@pytest.mark.sampled
@pytest.mark.parametrize("more", [0, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 4, 8, 10))])
def test_out_of_file_descriptors_at_any_point(place: Path, more: int) -> None:
    limit = LIMITS["descriptors"].format(more=more)
    said = told(limit, "evaluate", "bench", "-m", "sim/steady", "--max-turns", "3", "--out", "new")
    assert said == f"evolif: {FILES}, or lower --max-connections\n"


@pytest.mark.slow
@pytest.mark.parametrize("is_hard", [True, False])
def test_more_connections_than_descriptors(place: Path, is_hard: bool) -> None:
    """The limit is raised where the system lets it be; where not, that is said before a model is called."""
    shape = ["--dialogues", "40", "--turns", "1", "--seed", "1", "--profile", "objective"]
    assert CliRunner().invoke(app, ["generate", "many", *shape]).exit_code == 0
    most = "len(os.listdir('/proc/self/fd')) + 30"
    limit = f"resource.setrlimit(resource.RLIMIT_NOFILE, ({most}, {most}))"
    with serving(Answer(completion())) as server:
        play = ["-m", f"openai/m?base_url={server.url}", "--max-turns", "1", "--max-retries", "0", "--out", "new"]
        command = ["evaluate", "many", *play, "--max-connections", "40"]
        if is_hard:
            assert "40 connections at once are more than the" in told(limit, *command)
            return
        soft = LIMITS["descriptors"].format(more=30)
        code = f"{_HEAD}\n{soft}\napp(sys.argv[1:])"
        ran = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.slow
def test_out_of_threads(place: Path) -> None:
    with serving(Answer(completion())) as server:
        # A name, since it takes a thread to resolve one.
        url = server.url.replace("127.0.0.1", "localhost")
        play = ["-m", f"openai/m?base_url={url}", "--max-turns", "3", "--max-retries", "0", "--out", "new"]
        said = told(LIMITS["threads"], "evaluate", "bench", *play)
    assert "no further thread or process can be started; raise the limit (ulimit -u)" in said


def test_other_faults_are_what_they_were() -> None:
    loop = ValueError("a")
    loop.__context__ = other = KeyError("b")
    other.__context__ = loop
    assert exhausted(loop) is None
    assert exhausted(OSError(errno.ENOENT, "x")) is None and exhausted(RuntimeError("x")) is None
    grouped = ExceptionGroup("several", [ValueError(), OSError(errno.EMFILE, "x")])
    assert "too many files" in str(exhausted(grouped))
