"""The commands of the documentation are run, and print what the pages show."""

from __future__ import annotations

import shutil
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent


def load() -> ModuleType:
    spec = spec_from_file_location("make_console", ROOT / "docs" / "make_console.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CONSOLE = load()
SLOW = {
    "board",
    "board-submissions",
    "budget",
    "ci",
    "domain",
    "extend",
    "held-out",
    "files",
    "machines",
    "metrics",
    "plan",
    "plugins",
    "publish",
    "python",
    "query",
    "resume",
    "scenario",
    "share",
    "shifts",
    "training-data",
    "tutorial",
}
"""Pages whose commands take seconds."""
PAGES = [
    pytest.param(page, id=page.stem, marks=[pytest.mark.slow] if page.stem in SLOW else [])
    for page in CONSOLE.console_pages()
]

needs_bash = pytest.mark.skipif(sys.platform == "win32" or shutil.which("bash") is None, reason="there is no bash")


def test_the_tutorial_is_among_the_pages() -> None:
    assert {page.stem for page in CONSOLE.console_pages()} >= SLOW


@pytest.mark.sampled
@needs_bash
@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert CONSOLE.rendered(text, tmp_path) == text, "run docs/make_console.py, and read what changed"


def test_a_block_is_taken_apart_into_commands_and_output() -> None:
    block = "$ echo 1\n1\n$ cat <<END\n> two\n>\n> END\ntwo\n\n$ true\n"
    assert list(CONSOLE.commands(block)) == [("echo 1", "1\n"), ("cat <<END\ntwo\n\nEND", "two\n\n"), ("true", "")]


@needs_bash
def test_what_a_page_shows_wrongly_is_replaced_and_a_failure_is_told(tmp_path: Path) -> None:
    page = "a\n\n```console\n$ echo 1\n2\n```\n\n```python\nopen('f', 'w').close()\n```\n\n```console\n$ ls\n```\n"
    assert CONSOLE.rendered(page, tmp_path) == page.replace("1\n2\n", "1\n1\n").replace("$ ls\n", "$ ls\nf\n")
    with pytest.raises(RuntimeError, match="exit 7"):
        CONSOLE.rendered("```console\n$ exit 7\n```\n", tmp_path)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        CONSOLE.rendered("```python\n1 / 0\n```\n", tmp_path)
