"""Runs to make pages of, and a real browser to look at them with."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from browsers import driver, screen, visit

from evolif.judging import JudgeRecord, JudgeScore
from evolif.judging.records import dump_records
from evolif.report import analyse, write_page
from evolif.runner import Run, evaluate, load_run
from evolif.scenarios.instructions import generate
from evolif.types import Usage

__all__ = ["driver", "screen", "visit"]

PAYLOADS = (
    "<script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 2'>",
    "</script><script>window.pwned = 3</script>",
    "</style></title></textarea><svg onload=window.pwned=4><animate onbegin=window.pwned=5>",
    "<a href='javascript:window.pwned=6' autofocus onfocus=window.pwned=7>click</a>",
    "\"'><iframe srcdoc='<script>parent.pwned=8</script>'></iframe>",
    "{{ 7 * 7 }} {% raw %} &lt;script&gt; <!-- ]]>",
    "<meta http-equiv=refresh content='0;url=https://example.org/'><base href=https://example.org/>",
    "\u202egnp.exe\u2066 \x1b[31m\x00\x07 a\u200bb \U000e0041",
)
HOSTILE = "\n".join(PAYLOADS)


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("page") / "bench"
    generate(root, dialogues=4, turns=8, seed=11, profile="paper")
    return root


@pytest.fixture(scope="session")
def folder(bench: Path) -> Path:
    """A run of two simulated models, with a judge's words, reasoning and a fault in it."""
    root = bench.parent / "run"
    evaluate(bench, ["sim/steady", "sim/forgetful"], root, max_turns=8, judge="lexical").close()
    return root


@pytest.fixture
def run(folder: Path) -> Iterator[Run]:
    with closing(load_run(folder, read_only=True)) as opened:
        yield opened


@pytest.fixture(scope="session")
def hostile(folder: Path) -> Path:
    """The same with markup and scripts wherever somebody else's words are kept."""
    root = folder.parent / "hostile"
    shutil.copytree(folder, root)
    name = f"evil/{PAYLOADS[1]} {PAYLOADS[5]}"
    score = JudgeScore(f"judge/{PAYLOADS[0]}", 3.0, HOSTILE, PAYLOADS[1], usage=Usage(5, 5))
    records = dump_records([JudgeRecord(f"style{PAYLOADS[1]}", PAYLOADS[0], False, 3.0, (score,), reason=HOSTILE)])
    verdicts = [
        {"group": PAYLOADS[1], "satisfied": False, "expected": HOSTILE, "found": HOSTILE[::-1],
         "spans": [[0, 40, "body"], [10, 99, "content"], [-5, 3, "body"], [30, 10**9, "content"]]},
        {"group": "case", "satisfied": None, "expected": HOSTILE, "found": "", "spans": []},
    ]  # fmt: skip
    with closing(sqlite3.connect(root / "run.sqlite")) as store, store:
        [settings] = store.execute("SELECT value FROM run WHERE key = 'settings'").fetchone()
        told = json.loads(settings)
        told["models"] = [name, "sim/forgetful"]
        told["judge"] = f"mean of {PAYLOADS[0]}"
        store.execute("UPDATE run SET value = ? WHERE key = 'settings'", (json.dumps(told),))
        store.execute("UPDATE session SET model = ?, reason = ? WHERE model = 'sim/steady'", (name, HOSTILE))
        store.execute("UPDATE call SET model = ?, prompt_tokens = 9 WHERE model = 'sim/steady'", (name,))
        names = ("topic", "move", "depth", "operation", "source", "register")
        store.execute("UPDATE asked SET query = ?, labels = ?", (HOSTILE, json.dumps(dict.fromkeys(names, HOSTILE))))
        scores = [[PAYLOADS[0], 0.5, HOSTILE, PAYLOADS[1]]]
        store.execute("UPDATE turn SET answer = ?, reasoning = ?, served_by = ?, records = ?, verdicts = ?, scores = ?",
                      (HOSTILE, HOSTILE, HOSTILE, records, json.dumps(verdicts), json.dumps(scores)))  # fmt: skip
        [[number]] = store.execute("SELECT min(id) FROM session").fetchall()
        store.execute(
            "INSERT INTO fault (session, turn, role, kind, message) VALUES (?, 1, 'target', ?, ?)",
            (number, PAYLOADS[0], HOSTILE),
        )
    return root


@pytest.fixture(scope="session")
def pages(folder: Path, hostile: Path) -> dict[str, Path]:
    """The page of each run, by its folder's name."""
    made = {}
    for root in (folder, hostile):
        with closing(load_run(root, read_only=True)) as opened:
            made[root.name] = root.with_suffix(".html")
            write_page(analyse([opened], resamples=50), made[root.name])
    return made
