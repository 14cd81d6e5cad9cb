"""What the documentation shows works: its Python runs, its links lead somewhere, its flags exist."""

import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from evolif.cli import app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL), 1)
]


@pytest.mark.parametrize("code", BLOCKS)
def test_python_of_the_docs_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "documentation", "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def flags_of(verb):
    nested = getattr(typer.main.get_command(app).commands.get(verb), "commands", {})
    commands = [[verb], *([verb, name] for name in nested)]
    helps = [CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"}).output for command in commands]
    return set(re.findall(r"--[a-z][a-z-]+", "".join(helps)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_flags_in_commands_exist(page):
    unknown = []
    for verb, rest in re.findall(r"evolif (\w+)((?: [^\n`|]*)?)", page.read_text(encoding="utf-8")):
        wanted = set(re.findall(r"(?<!\S)--[a-z][a-z-]+", rest.split("#")[0]))
        unknown += [f"{verb} {flag}" for flag in wanted - flags_of(verb)] if wanted else []
    assert unknown == []
