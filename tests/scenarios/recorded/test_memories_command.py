"""`evolif unidial memories` against a server on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from chat_server import chat_server
from typer.testing import CliRunner

from evolif.cli.app import app
from evolif.contexts import tokenizer_name
from evolif.scenarios.recorded import Dialog, write_dialogs

pytestmark = pytest.mark.skipif(
    tokenizer_name() is None or find_spec("bm25s") is None, reason="needs the extra `contexts`"
)


class Server:
    """Answers with the dog's name, if a message says it."""

    url = ""
    calls = 0

    def answer(self, body: dict[str, Any]) -> str:
        self.calls += 1
        return "Rex" if any("called Rex" in message["content"] for message in body["messages"]) else "no idea"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("MY_KEY", "sk-test")
    made = Server()
    with chat_server(made.answer) as url:
        made.url = f"openai/m?base_url={url}&key_env=MY_KEY"
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    said = [("user", "My dog is called Rex."), ("assistant", "Nice.")]
    for number in range(5):
        said += [("user", f"I counted {number} birds."), ("assistant", "Well done.")]
    given = [{"turn_id": at, "role": role, "content": text} for at, (role, text) in enumerate(said)]
    question = {"turn_id": 20, "role": "user", "content": "What is my dog called?"}
    answer = {"turn_id": 21, "role": "assistant", "reference": "Rex", "reference_document": [0]}
    answer["eval_config"] = {"do_eval": True, "metrics": [{"class_name": "exact_match"}]}
    raw = {"dialog_turns": [*given, question, answer]}
    dialogs = [Dialog.model_validate({"dialog_id": number, **raw}) for number in range(3)]
    write_dialogs(tmp_path / "set", dialogs, benchmark_id="dogs")
    return tmp_path / "set"


def memories(folder: Path, server: Server, *flags: str) -> Any:
    return CliRunner().invoke(app, ["unidial", "memories", str(folder), "-m", server.url, *flags])


def test_json(folder: Path, server: Server) -> None:
    done = memories(folder, server, "--strategies", "full, last:1,bm25:2", "--json", "--resamples", "20")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["model"], found["aggregate"]) == ("openai/m", "mean-min-dialog")
    assert {name: one["score"]["point"] for name, one in found["strategies"].items()} == {
        "full": 1.0,
        "last:1": 0.0,
        "bm25:2": 1.0,
    }
    bm25 = found["strategies"]["bm25:2"]
    assert (bm25["recall"]["point"], bm25["ingestion"]["units"], bm25["ingestion"]["unshared_units"]) == (1.0, 6, 18)
    assert server.calls == 9


def test_table(folder: Path, server: Server) -> None:
    done = memories(folder, server, "--strategies", "full,last:1,bm25:2", "--aggregate", "max-max-turn")
    assert done.exit_code == 0, done.output
    head, full, last, bm25, *costs = done.stdout.splitlines()
    assert head.split("  ")[0] == "strategy" and "max-max-turn" in head
    assert full.split()[:2] == ["full", "1.000"] and last.split()[:5] == [
        "last:1",
        "0.000",
        "[0.000,",
        "0.000]",
        "-1.000",
    ]
    assert bm25.split()[:2] == ["bm25:2", "1.000"]
    assert costs[0].startswith("full: 3 questions, 0 own calls, 0 tokens, ")
    assert costs[2].startswith("bm25:2: 1 history for 3 dialogues (6 units instead of 18), 0 own calls, 0 tokens, ")


def test_no_answer_is_paid_for_twice(folder: Path, server: Server, tmp_path: Path) -> None:
    flags = ("--strategies", "bm25:2", "--cache-dir", str(tmp_path / "cache"), "--json")
    first = json.loads(memories(folder, server, *flags).stdout)["strategies"]["bm25:2"]
    calls = server.calls
    second = json.loads(memories(folder, server, *flags).stdout)["strategies"]["bm25:2"]
    assert server.calls == calls
    assert (second["answers"]["cached"], second["answers"]["calls"]) == (3, 0)
    assert second["score"] == first["score"] == {"point": 1.0, "lo": 1.0, "hi": 1.0}


def with_judge(folder: Path) -> None:
    for path in folder.glob("[0-9]*.json"):
        raw = json.loads(path.read_text(encoding="utf-8"))
        raw["dialog_turns"][-1]["eval_config"]["metrics"].append({"class_name": "llm_judge"})
        path.write_text(json.dumps(raw), encoding="utf-8")


def test_no_verdict_is_paid_for_twice(folder: Path, server: Server, tmp_path: Path) -> None:
    """Nor one that could not be read, which the judge is asked for again."""
    with_judge(folder)
    flags = ("--strategies", "full,bm25:2", "--judge", server.url, "--cache-dir", str(tmp_path / "cache"), "--json")
    first = json.loads(memories(folder, server, *flags).stdout)["strategies"]
    calls = server.calls
    assert calls > 6  # the answers, and at least one question to the judge
    second = json.loads(memories(folder, server, *flags).stdout)["strategies"]
    assert server.calls == calls
    assert {name: one["score"] for name, one in second.items()} == {name: one["score"] for name, one in first.items()}


@pytest.mark.sampled
@pytest.mark.parametrize("which", ["model", "judge"])
def test_a_server_that_cannot_be_reached_is_no_result(folder: Path, server: Server, which: str) -> None:
    with_judge(folder)
    dead = "openai/gone?base_url=http://127.0.0.1:1/v1&key_env=MY_KEY"
    flags = ("--max-retries", "0", "--strategies", "full,bm25:2", "--judge", dead)
    if which == "model":
        server.url = dead
        flags = flags[:-2]
    done = memories(folder, server, *flags)
    assert done.exit_code == 3
    assert "6 questions: " in done.stderr and "could not be reached (connection refused)" in done.stderr
    assert "run the same command again" in done.stderr and "--cache-dir" in done.stderr
    assert memories(folder, server, *flags, "--json").exit_code == 3


def test_what_could_not_be_scored_is_said(folder: Path, server: Server) -> None:
    raw = json.loads((folder / "1.json").read_text(encoding="utf-8"))
    raw["dialog_turns"][-1]["eval_config"]["metrics"].append({"class_name": "llm_judge"})
    (folder / "1.json").write_text(json.dumps(raw), encoding="utf-8")
    done = memories(folder, server, "--strategies", "full")
    assert done.stdout.splitlines()[-1] == "full: 3 of 4 records scored (1 judge)"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--strategies", "graph"), "unknown strategy “graph”"),
        (("--strategies", ","), "name at least one strategy"),
        (("--aggregate", "best"), "best"),
    ],
)
def test_wrong_flags(folder: Path, server: Server, flags: tuple[str, ...], message: str) -> None:
    done = memories(folder, server, *flags)
    assert (done.exit_code, server.calls) == (2, 0)
    assert message in done.stderr
