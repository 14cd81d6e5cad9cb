"""The help lists every verb once, under a heading, without loading any of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

from typer.testing import CliRunner

from evolif.cli import app
from evolif.cli.app import GROUPS, SUMMARIES

HEADINGS = list(dict.fromkeys(GROUPS.values()))


def test_every_verb_is_in_the_table_of_headings() -> None:
    assert GROUPS.keys() == SUMMARIES.keys(), "a new verb needs a line in GROUPS"


def test_the_help_lists_every_verb_once_under_its_heading() -> None:
    text = CliRunner().invoke(app, ["--help"], prog_name="evolif", env={"COLUMNS": "80"}).output
    under: dict[str, str] = {}
    heading = ""
    for line in text.splitlines():
        if line.startswith("╭─"):
            heading = line.strip("╭╮─ ")
        words = line.strip("│ ").split()
        if heading in HEADINGS and line.startswith("│ ") and line[2] != " " and words:
            assert words[0] not in under
            under[words[0]] = heading
    assert under == dict(GROUPS)
    assert list(dict.fromkeys(under.values())) == HEADINGS


def test_no_heading_is_for_a_single_verb() -> None:
    assert min(Counter(GROUPS.values()).values()) > 1


def test_the_help_loads_no_verb() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from evolif.cli import app;"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0;"
        "print([n for n in sys.modules if n.startswith('evolif.cli.') and n != 'evolif.cli.app'])"
    )
    env = {key: value for key, value in os.environ.items() if not key.startswith("EVOLIF_")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == "[]"
