"""What the documentation shows works: its Python runs, its flags exist."""

import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from evolif.cli import app

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = [
    # Pages in folders, and those with console blocks, are run as a whole: tests/docs/test_console_blocks.py.
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    if page.parent in (ROOT, ROOT / "docs") and "```console\n" not in page.read_text(encoding="utf-8")
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL), 1)
]


@pytest.mark.sampled
@pytest.mark.parametrize("code", BLOCKS)
def test_python_of_the_docs_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "documentation", "exec"), {})


def flags_of(verb):
    nested = getattr(typer.main.get_command(app).commands.get(verb), "commands", {})
    commands = [[verb], *([verb, name] for name in nested)]
    helps = [CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"}).output for command in commands]
    return set(re.findall(r"--[a-z][a-z-]+", "".join(helps)))


@pytest.mark.sampled
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_flags_in_commands_exist(page):
    unknown = []
    for verb, rest in re.findall(r"evolif (\w+)((?: [^\n`|]*)?)", page.read_text(encoding="utf-8")):
        wanted = set(re.findall(r"(?<!\S)--[a-z][a-z-]+", rest.split("#")[0]))
        unknown += [f"{verb} {flag}" for flag in wanted - flags_of(verb)] if wanted else []
    assert unknown == []


def test_every_guarantee_of_security_names_the_tests_that_hold_it():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    points = text.partition("## What is guaranteed")[2].partition("\n## ")[0].split("\n- **")[1:]
    assert len(points) > 10
    for point in points:
        named = re.findall(r"`([a-z_]+/)*(test_[a-z_]+\.py)`", point)
        assert named, point
    files = re.findall(r"`((?:[a-z_]+/)*test_[a-z_]+\.py)`", text)
    assert [name for name in files if not (ROOT / "tests" / name).is_file()] == []
