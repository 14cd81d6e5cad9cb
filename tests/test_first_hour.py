"""A stranger's first hour: from an empty folder to board, gate and pages, with a real model behind a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.models import llama_child, weight_path

pytestmark = [
    pytest.mark.local,
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("xllamacpp") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(not weight_path("smollm2-135m").is_file(), reason="run `evolif models fetch smollm2-135m`"),
]
KEY = "a-key-of-this-test"
PLAN = """\
models:
  - name: openai/smollm2
    base_url: {url}
    key_env: SMALL_KEY
  - sim/steady
  - sim/steady?skill=.5
scenarios:
  - {{dialogues: 6, turns: 2, seed: 7, settings: {{max_turns: 2}}}}
  - {{label: harder, profile: extended, dialogues: 6, turns: 2, seed: 7, settings: {{max_turns: 2}}}}
  - {{name: shifts, dialogues: 1, seed: 3, settings: {{set: {{replies: scripted}}}}, gate: false}}
settings: {{max_tokens: 12, temperature: 0, display: none, prices: prices.yaml}}
budget: {{usd: 1}}
gate: {{max: {{exhaustion_rate: 1}}}}
"""
PRICES = 'models: {"openai/smollm2": {prompt: 0.01, completion: 0.01, date: 2026-11-01}}\n'


@pytest.fixture
def url() -> Iterator[str]:
    """A server of its own with the real small model, as people run llama.cpp."""
    settings = {
        "path": str(weight_path("smollm2-135m")), "alias": "smollm2", "slots": 1, "context": 8192, "threads": 1,
        "key": KEY, "parent": os.getpid(),
    }  # fmt: skip
    command = [sys.executable, llama_child.__file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(json.dumps(settings).encode() + b"\n")
        child.stdin.flush()
        yield f"http://127.0.0.1:{json.loads(child.stdout.readline())['port']}/v1"
        child.kill()


def test_ten_commands_lead_to_a_board_a_gate_and_a_page(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SMALL_KEY", KEY)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    typed: list[str] = []

    def evolif(*words: str, code: int = 0) -> str:
        typed.append(" ".join(words))
        done = CliRunner().invoke(app, list(words), prog_name="evolif")
        assert done.exit_code == code, done.output
        assert KEY not in done.output
        return done.output

    model = f"openai/smollm2?base_url={url}&key_env=SMALL_KEY"
    assert "evolif evaluate" in evolif("models", "test", model, "--quick")
    evolif("sample", ".", "--only", "evolif")
    # What a person writes into the plan, with an editor.
    Path("evolif.yaml").write_text(PLAN.format(url=url), encoding="utf-8")
    Path("prices.yaml").write_text(PRICES, encoding="utf-8")
    assert "Nothing was called or written" in evolif("run", "--dry-run")
    evolif("run", "--junit", "gates", "--github")
    assert "nothing left to run" in evolif("run")
    evolif("gate", "results/runs/harder", "--min", "isr_at_n=.99", "--model", "sim/steady?skill=.5", code=1)
    evolif("compare", "results/runs/harder", "-m", "openai/smollm2", "-m", "sim/steady", "--html", "compare.html")
    evolif("report", "results/runs/harder", "--html", "page.html", "--zip")
    assert len(typed) <= 10

    board = json.loads(Path("results/board/board.json").read_text(encoding="utf-8"))
    assert len(board["columns"]) == 3 and len(board["rows"]) == 3 and len(board["cells"]) == 9
    assert {path.name for path in Path("gates").iterdir()} == {"instructions.xml", "harder.xml"}
    page = Path("results/board/index.html").read_text(encoding="utf-8")
    assert "smollm2" in page and KEY not in page
    assert list(Path().glob("page*.zip"))
    compared = Path("compare.html").read_text(encoding="utf-8")
    assert "<h1>evolif compare: openai/smollm2 and sim/steady</h1>" in compared and KEY not in compared
