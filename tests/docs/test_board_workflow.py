"""The workflow of docs/how-to/board-submissions.md: its commands accept and refuse pull requests."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from evolif.board.submissions import add_run
from evolif.cli import app
from evolif.exchange import canary_of
from evolif.models import ChatRequest, Reply
from evolif.runner import evaluate
from evolif.scenarios.instructions import generate

PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "board-submissions.md"
CAP = 3

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("git") or not shutil.which("bash"), reason="there is no git or no bash"
)


def workflow() -> dict[str, Any]:
    [text] = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    made: dict[str, Any] = yaml.safe_load(text)
    return made


def commands(job: str) -> list[str]:
    """The commands of a job, without the installation."""
    steps = workflow()["jobs"][job]["steps"]
    found = [step["run"] for step in steps if "run" in step]
    assert found[0] == 'python -m pip install "$EVOLIF"'
    return found[1:]


@dataclass
class Knows:
    """A model whose every answer has the canary in it."""

    canary: str
    name: str = "openai/knows"
    connections: int = 1

    async def complete(self, request: ChatRequest) -> Reply:
        return Reply(f"I remember {self.canary} well.")

    async def aclose(self) -> None:
        pass


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a board of one run, and beside it runs that people hand in."""
    root = tmp_path_factory.mktemp("repository")
    repository = root / "repository"
    bench = generate(repository / "benchmarks" / "chat", dialogues=2, turns=CAP, seed=3, profile="objective")
    other = generate(root / "other", dialogues=2, turns=CAP, seed=4, profile="objective")
    for name, of, model in (
        ("accepted", bench, "sim/steady"),
        ("good", bench, "sim/forgetful"),
        ("edited", bench, "sim/forgetful"),
        ("canary", bench, Knows(canary_of(bench.identity))),
        ("another benchmark", other, "sim/forgetful"),
    ):
        evaluate(of, [model], root / name, max_turns=CAP).close()
    with closing(sqlite3.connect(root / "edited" / "run.sqlite")) as file, file:
        flipped = """replace(verdicts, '"satisfied":true', '"satisfied":false')"""
        assert file.execute(f"UPDATE turn SET verdicts = {flipped} WHERE session = 1 AND turn = 1").rowcount == 1
    assert add_run(root / "accepted", repository / "board").is_taken
    (repository / ".gitignore").write_text("board/index.html\nboard/board.json\n")
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "A board")
    return root


def git(repository: Path, *words: str) -> None:
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=repository, check=True, capture_output=True)


@pytest.fixture
def repository(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(made, tmp_path / "made")
    monkeypatch.chdir(tmp_path / "made" / "repository")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    for name, value in workflow()["env"].items():
        monkeypatch.setenv(name, value)
    return Path.cwd()


def hand_in(repository: Path, run: str) -> None:
    """Have the folder be the merge of a pull request that adds a run, as GitHub checks it out."""
    git(repository, "checkout", "-q", "-b", "theirs")
    shutil.copytree(repository.parent / run, repository / "board" / "runs" / "theirs")
    (repository / "board" / "runs" / "theirs" / ".lock").unlink()
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "Add a run")
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "Merge it", "theirs")


def run_here(command: str) -> int:
    """Run a command of the workflow: `evolif` in this process, everything else by bash."""
    if command.startswith("evolif "):
        return CliRunner().invoke(app, shlex.split(command)[1:]).exit_code
    return subprocess.run(["bash", "-e", "-c", command], check=False).returncode


def exits(job: str, run: Callable[[str], int] = run_here) -> Iterator[int]:
    """The exit codes of a job's commands, which end with the first one that fails."""
    for command in commands(job):
        code = run(command)
        yield code
        if code:
            return


HANDED_IN: Mapping[str, tuple[int, str]] = {
    "good": (0, "1 run checked, nothing found"),
    "edited": (1, "its verdicts"),
    "canary": (1, "canary is in answers"),
    "another benchmark": (1, "it was not played on"),
}


@pytest.mark.parametrize("run", HANDED_IN)
def test_a_pull_request_is_checked(repository: Path, tmp_path: Path, run: str) -> None:
    hand_in(repository, run)
    code, told = HANDED_IN[run]
    assert list(exits("check")) == [0, code]
    assert told in (tmp_path / "summary.md").read_text(encoding="utf-8").replace("\\", "")
    left = subprocess.run(["git", "status", "--short"], capture_output=True, text=True, check=True).stdout
    assert left == ""  # a check leaves nothing in the repository


def test_what_is_merged_is_published(repository: Path) -> None:
    hand_in(repository, "good")
    assert list(exits("publish")) == [0, 0, 0]
    assert sorted(path.name for path in Path("site").iterdir()) == ["board.json", "index.html"]
    title = re.search(r"<title>(.*?)</title>", Path("site/index.html").read_text(encoding="utf-8"))
    assert title is not None and "Our board" in title[1]


@pytest.mark.slow
def test_all_of_it_runs_in_a_shell(repository: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "evolif").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m evolif "$@"\n')
    (tools / "evolif").chmod(0o755)
    root = str(PAGE.parent.parent.parent)
    env = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": root}
    hand_in(repository, "good")

    def shell(command: str) -> int:
        return subprocess.run(["bash", "-e", "-c", command], env=env, check=False).returncode

    assert list(exits("check", shell)) == [0, 0] and list(exits("publish", shell)) == [0, 0, 0]


def test_a_pull_request_gets_no_rights() -> None:
    made = workflow()
    events = made[True]  # YAML 1.1 reads the key `on` as a truth value
    assert set(events) == {"pull_request", "push"} and made["permissions"] == {"contents": "read"}
    check = made["jobs"]["check"]
    assert "permissions" not in check and "secrets" not in str(made) and made["env"]["EVOLIF_PLUGINS"] == "0"
    assert check["steps"][0]["with"]["persist-credentials"] is False
    # Nothing of a pull request, such as its title, gets into a command.
    assert "${{" not in str([step.get("run", "") for job in made["jobs"].values() for step in job["steps"]])
