"""`evolif sample`: what it writes works with the commands that its guide has."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.cli.sample import GUIDE, commands, samples
from evolif.util.resources import data_path

FINDINGS = {
    "contamination leaked.jsonl --benchmark my-bench",
    "check check/answer.txt --constraints check/constraints.json",
}
"""Commands that the guide announces to end with exit code 1."""


def evolif(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), prog_name="evolif", env={"COLUMNS": "80"})


def here(words: str) -> tuple[int, str]:
    done = evolif(*shlex.split(words))
    return done.exit_code, done.output


def apart(words: str) -> tuple[int, str]:
    """In a process of its own: code that is loaded stays loaded, for all tests that follow."""
    command = [sys.executable, "-m", "evolif", *shlex.split(words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_everything_that_is_packaged_is_written_and_told(tmp_path: Path) -> None:
    done = evolif("sample", str(tmp_path / "s"))
    root = data_path("seeds", "samples")
    assert done.exit_code == 0, done.output
    assert files(tmp_path / "s") == {name for name in files(root) if "__pycache__" not in name}
    assert f"follow its {GUIDE}" in done.output
    for name in files(root):
        assert name == GUIDE or (tmp_path / "s" / name).read_bytes() == (root / name).read_bytes()


def test_each_sample_has_a_section_with_commands_that_name_it() -> None:
    root = data_path("seeds", "samples")
    assert {path.stem for path in root.iterdir() if path.name[0] != "_"} == {*samples(), Path(GUIDE).stem}
    for name, path in samples().items():
        assert any(path.name in command for command in commands()[name]), name


@pytest.mark.slow
def test_every_command_of_the_guide_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tokenizers", reason="games count tokens")
    for variable in ("OPENAI_API_KEY", "EVOLIF_PRICES"):
        monkeypatch.delenv(variable, raising=False)
    assert evolif("sample", str(tmp_path / "s")).exit_code == 0
    monkeypatch.chdir(tmp_path / "s")
    played = [command for section in commands().values() for command in section]
    assert len(played) > 20
    for command in played:
        words = command.removeprefix("evolif ")
        code, output = apart(words) if "--constraints constraints.py" in words else here(words)
        assert code == (1 if words in FINDINGS else 0), f"{command}\n{output}"
        assert "Traceback" not in output


def test_only_some_are_written_beside_others(tmp_path: Path) -> None:
    done = evolif("sample", str(tmp_path), "--only", "check", "--only", "verdicts", "--only", "check")
    assert done.exit_code == 0 and files(tmp_path) == {"check/answer.txt", "check/constraints.json", "verdicts.jsonl"}
    assert "evolif score verdicts.jsonl --cap 5" in done.output and "3 files (check, verdicts)" in done.output
    assert evolif("sample", str(tmp_path), "--only", "topics").exit_code == 0


def test_nothing_is_overwritten_and_nothing_is_written_before_that_is_known(tmp_path: Path) -> None:
    (tmp_path / "verdicts.jsonl").write_text("mine", encoding="utf-8")
    done = evolif("sample", str(tmp_path))
    assert done.exit_code == 2 and "verdicts.jsonl already, and nothing is overwritten" in " ".join(done.output.split())
    assert files(tmp_path) == {"verdicts.jsonl"} and (tmp_path / "verdicts.jsonl").read_text("utf-8") == "mine"
    dangling = tmp_path / "d"
    dangling.mkdir()
    (dangling / "corpus.txt").symlink_to(tmp_path / "elsewhere.txt")
    assert evolif("sample", str(dangling), "--only", "corpus").exit_code == 2
    assert not (tmp_path / "elsewhere.txt").exists()


def test_a_file_in_place_of_the_folder_and_an_unknown_name_are_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("", encoding="utf-8")
    assert "is a file; name a folder" in evolif("sample", str(tmp_path / "f")).output
    done = evolif("sample", str(tmp_path / "g"), "--only", "topic")
    assert done.exit_code == 2 and "did you mean topics?" in done.output and not (tmp_path / "g").exists()
