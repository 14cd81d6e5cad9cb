"""A secret in an address, as some gateways have it, is in no file, no output and no error."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.models import shown_address
from evolif.models.endpoint import Endpoint, ModelName
from evolif.runner import RunSettings, load_run
from tests.models.server import Answer, Seen, completion, error, serving

SECRET, OTHER = "hush-Qx7%2Fk9vTzQ", "quiet-4711-query"
FORMS = (SECRET, SECRET.replace("%2F", "/"), OTHER)
PLAIN = {
    "http://127.0.0.1:8000/v1",
    "https://host/v1/",
    "https://host",
    "https://host/compatible-mode/v1beta1",
    "https://host/api/openai/v1",
    "",
}


@pytest.mark.parametrize("url", sorted(PLAIN))
def test_common_addresses_are_stored_as_ever(url: str) -> None:
    assert shown_address(url) == url


def test_other_addresses_are_told_apart_by_a_digest() -> None:
    one, two = (shown_address(f"https://me:pw@host/v1/{key}/openai?key={OTHER}#x") for key in ("abcdef", "abcdeg"))
    assert one != two and one.startswith("https://host/v1/~") and len(one) == len("https://host/v1/~") + 12
    assert shown_address(one) == one
    assert shown_address("https://host/") == "https://host/" and shown_address("http://[") == ""


def test_no_repr_shows_an_address() -> None:
    url = f"https://host/v1/{SECRET}"
    assert SECRET not in repr(Endpoint(url)) + repr(ModelName("openai", "m", url))


def echo(status: int) -> Callable[[Seen], Answer]:
    """What careless gateways answer: they repeat the path."""
    return lambda seen: error(status, f"no route for POST http://gate{seen.path} (tried {seen.path.split('/')})")


ANSWERS: dict[str, Callable[[Seen], Answer]] = {
    "answered": lambda seen: Answer(completion()),
    "not found": echo(404),
    "refused": echo(401),
    "overloaded": echo(500),
    "moved": lambda seen: Answer("", 307, {"Location": f"http://gate{seen.path}/x"}),
    "not JSON": lambda seen: Answer(seen.path),
    "error inside": lambda seen: Answer({"error": {"message": seen.path, "code": 500}}),
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "case",
    [
        *(pytest.param(case, marks=[pytest.mark.slow] * (case in ("overloaded", "not found"))) for case in ANSWERS),
        "unreachable",
    ],
)
def test_no_file_and_no_output_holds_the_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    run, told = CliRunner(), []

    def evolif(*words: str, **variables: str) -> int:
        done = run.invoke(app, words, env=variables)
        told.append(done.output + repr(done.exception))
        return done.exit_code

    assert evolif("generate", "bench", "--dialogues", "1", "--turns", "2", "--seed", "1") == 0
    with serving(Answer(completion()), answering=ANSWERS.get(case, lambda seen: None)) as server:
        port = "9" if case == "unreachable" else server.port
        url = f"http://127.0.0.1:{port}/v1/{SECRET}/openai?token={OTHER}"
        play = ["evaluate", "bench", "-m", "openai/m", "--max-turns", "2", "--max-retries", "0", "--cache-dir", "kept"]
        judge = ["--judge", f"openai/j?base_url={url.replace('%', '%25')}&key_env=OPENAI_API_KEY"]
        for _ in range(2):  # resumed by the same command
            code = evolif(*play, *judge, "--out", "run", "--display", "plain", EVOLIF_BASE_URL=url)
            assert code == (0 if case == "answered" else 3), told[-1]
        if case != "unreachable":
            assert server.seen[0].path == f"/v1/{SECRET}/openai/chat/completions?token={OTHER}"
        evolif(*play, *judge, "--out", "run", EVOLIF_BASE_URL=url.replace("openai?", "other?"))
        assert "was called at http://127.0.0.1" in told[-1] and "~" in told[-1]
        evolif("status", "run")
        evolif("report", "run", "--full", "--json", "-")
        evolif("report", "run", "--html", "page.html", "--latex", "t.tex", "--bench", "bench")
        evolif("export", "run", "run.jsonl")
        evolif("extend", "bench", "--turns", "3", "--synthesizer", f"openai/m?base_url={url}")
    for text in told:
        assert not [form for form in FORMS if form in text], text
    held = [
        path for path in tmp_path.rglob("*") if path.is_file() and any(f.encode() in path.read_bytes() for f in FORMS)
    ]
    assert held == []


def old_settings(run: Path, change: dict[str, Any]) -> str:
    """Store settings as an earlier version did."""
    with sqlite3.connect(run / "run.sqlite") as store:
        [text] = store.execute("SELECT value FROM run WHERE key = 'settings'").fetchone()
        text = json.dumps({**json.loads(text), **change})
        store.execute("UPDATE run SET value = ? WHERE key = 'settings'", (text,))
    store.close()
    return text


@pytest.mark.slow
def test_a_run_of_an_earlier_version_is_resumed_and_shows_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    run = CliRunner()
    shape = ["--dialogues", "1", "--turns", "2", "--seed", "1", "--profile", "objective"]
    assert run.invoke(app, ["generate", "bench", *shape]).exit_code == 0
    with serving(Answer(completion())) as server:
        url = f"http://127.0.0.1:{server.port}/v1/{SECRET}"
        play = ["evaluate", "bench", "-m", "openai/m", "--max-turns", "2", "--out", "run"]
        assert run.invoke(app, play, env={"EVOLIF_BASE_URL": url}).exit_code == 0
        assert SECRET in old_settings(tmp_path / "run", {"endpoints": [url]})
        again = run.invoke(app, [*play, "--epochs", "2"], env={"EVOLIF_BASE_URL": url})
        assert again.exit_code == 0, again.output
        assert "grows by 1 more epoch" in again.output
    stored = load_run(tmp_path / "run")
    assert SECRET not in stored.settings.model_dump_json()
    stored.close()


def test_settings_without_an_uncommon_address_keep_their_hash() -> None:
    settings: dict[str, Any] = {"benchmark": "b", "models": ("openai/m",), "patience": 3, "max_turns": 5}
    rest: dict[str, Any] = {"dialogues": (1,), "reading_rules": 1}
    one = RunSettings(**settings, **rest, judge_endpoints=("http://127.0.0.1:8000/v1",))
    assert json.loads(one.model_dump_json())["judge_endpoints"] == ["http://127.0.0.1:8000/v1"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_no_process_has_it_among_its_arguments(tmp_path: Path) -> None:
    """Given by a variable; what is typed on the command line is in the process list, which no program can change."""
    code = (
        "import os, subprocess, sys; real = subprocess.Popen\n"
        "class Told(real):\n"
        "    def __init__(self, args, *rest, **named):\n"
        "        print('started', args, file=sys.stderr); super().__init__(args, *rest, **named)\n"
        "subprocess.Popen = Told\n"
        "from evolif.cli import app\n"
        "for words in sys.argv[1:]:\n"
        "    try: app(words.split())\n"
        "    except SystemExit: pass\n"
        "    finally: print(open('/proc/self/cmdline').read(), file=sys.stderr)\n"
    )
    variables = {**os.environ, "OPENAI_BASE_URL": f"http://127.0.0.1:9/v1/{SECRET}", "OPENAI_API_KEY": "sk-01234567"}
    commands = [
        "generate bench --dialogues 1 --turns 2",
        "evaluate bench -m openai/m --max-turns 1 --max-retries 0 --out run",
        "report run --html p.html",
    ]
    told = [sys.executable, "-c", code, *commands]
    done = subprocess.run(told, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=120)
    assert done.stderr.count("-c\0") == 3 and SECRET not in done.stderr + done.stdout
    assert (tmp_path / "p.html").exists()
