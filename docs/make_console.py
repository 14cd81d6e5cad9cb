"""Runs the `console` blocks of the documentation and writes what they print back into the pages.

.venv/bin/python docs/make_console.py [PAGE...]

In a block, a line `$ COMMAND` is run by bash, in one temporary folder per page, and what stands below it is what went
to standard output. Blocks `python` of such a page are run between them, in the same folder. Blocks with a title are the
files of that name, there from the start; a `pyproject.toml` is installed with its entry points. `tests/docs` holds the
pages to it, so what is shown is what is printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

DOCS = Path(__file__).parent
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r'^```\w+ title="([\w.]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
SHELL = (
    f"set -o pipefail; evolif() {{ '{sys.executable}' -m evolif \"$@\"; }}; python() {{ '{sys.executable}' \"$@\"; }}\n"
)
LOCAL = "smollm2-135m"
"""Commands that name it are not run: they need the weights, and other processors give other answers."""


def main() -> None:
    """Write every page that has console blocks anew, or those whose names are given."""
    for page in [page for page in console_pages() if page.stem in sys.argv[1:] or len(sys.argv) == 1]:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(rendered(text, Path(folder)), encoding="utf-8")
        print(page.relative_to(DOCS))


def console_pages() -> list[Path]:
    """Pages that show what commands print; in the folders those with Python, too, which is elsewhere run by blocks."""
    texts = {page: page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}
    return [p for p, text in texts.items() if "```console\n" in text or (p.parent != DOCS and "```python\n" in text)]


def rendered(text: str, folder: Path) -> str:
    """The page with what its blocks print, run in this folder.

    Raises:
        RuntimeError: a Python block failed, or a command ended with an exit code above 1.
    """

    def run(match: re.Match[str]) -> str:
        if match[1] == "python":
            _checked([sys.executable, "-c", match[2]], folder)
            return match[0]
        return f"```console\n{''.join(_console(match[2], folder))}```"

    for name, content in FILE.findall(text):
        (folder / name).write_text(content, encoding="utf-8")
        if name == "pyproject.toml":
            _install(content, folder)
    return BLOCK.sub(run, text)


def _install(pyproject: str, folder: Path) -> None:
    """Leave behind what makes a package's entry points known, as pip does."""
    project = tomllib.loads(pyproject)["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8")
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _console(block: str, folder: Path) -> Iterator[str]:
    for command, shown in commands(block):
        yield "".join(f"{'$' if n == 0 else '>'} {line}".rstrip() + "\n" for n, line in enumerate(command.split("\n")))
        yield shown if LOCAL in command else _checked(["bash", "-c", SHELL + command], folder)


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, and what the page shows of its output."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        first, *lines = part.splitlines(keepends=True)
        more = list(takewhile(lambda line: line.startswith(("> ", ">\n")), lines))
        yield "".join([first, *(line[1:].removeprefix(" ") for line in more)]).rstrip("\n"), "".join(lines[len(more) :])


def _checked(arguments: list[str], folder: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EVOLIF_")}
    path = os.pathsep.join((str(DOCS.parent), str(folder)))
    environment |= {"PYTHONPATH": path, "COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}
    done = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode > 1 or (done.returncode and arguments[0] != "bash"):
        raise RuntimeError(f"{arguments[-1][-300:]}\n{done.stdout}{done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + ("\n" if done.stdout else "")


if __name__ == "__main__":
    main()
