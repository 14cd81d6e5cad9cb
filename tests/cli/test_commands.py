"""The verbs: what they print, how they end, what they never write down."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif import ModelError
from evolif.cli import app
from evolif.models import ChatRequest, Reply

KEY = "sk-verysecret-0123456789abcdef"


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EVOLIF_SEED", "EVOLIF_MODEL", "EVOLIF_CONFIG", "EVOLIF_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def evolif(*arguments: str, stdin: str | None = None) -> Any:
    return CliRunner().invoke(app, list(arguments), input=stdin, prog_name="evolif")


def fails(code: int, *arguments: str) -> str:
    """The one sentence a failing command says."""
    result = evolif(*arguments)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return " ".join(result.stderr.split())


def generate(folder: Path) -> None:
    shape = ("--dialogues", "2", "--turns", "3", "--seed", "1", "--profile", "objective")
    result = evolif("generate", str(folder), *shape)
    assert result.exit_code == 0, result.output


@pytest.fixture
def bench(copied: Callable[..., Path]) -> Path:
    return copied(generate, Path("bench"))


@dataclass
class Fake:
    """Says or raises the same thing always."""

    answer: Reply | BaseException
    name: str = "fake/model"
    connections: int = 1

    async def complete(self, request: ChatRequest) -> Reply:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    async def aclose(self) -> None:
        pass


# The whole way


@pytest.mark.slow
def test_generate_evaluate_report_and_resume(bench: Path) -> None:
    result = evolif("evaluate", "bench", "-m", "sim/steady", "-m", "sim/perfect", "--out", "run", "--max-turns", "5")
    assert result.exit_code == 0, result.output
    assert "sim/" in result.stdout and "CSR" in result.stdout and "evolif report run" in result.stdout
    assert result.stderr.count("still going at turn 5") == 4
    again = evolif("evaluate", "bench", "-m", "sim/steady", "-m", "sim/perfect", "--out", "run", "--max-turns", "5")
    assert again.exit_code == 0 and "at turn 5" not in again.stderr
    report = evolif("report", "run", "--json", "-")
    assert [m["model"] for m in json.loads(report.stdout)["models"]] == ["sim/steady", "sim/perfect"]
    assert evolif("report", "run", "run", "--json", "both.json").exit_code == 0
    assert len(json.loads(Path("both.json").read_text("utf-8"))["models"]) == 4


def test_the_run_folder_is_named_after_the_benchmark_by_default(bench: Path) -> None:
    assert evolif("evaluate", "bench", "-m", "sim/perfect", "--max-turns", "2").exit_code == 0
    assert Path("bench-run/run.sqlite").is_file()


def test_a_dry_run_asks_and_writes_nothing(bench: Path) -> None:
    result = evolif("evaluate", "bench", "-m", "openai/gpt-5", "--dry-run", "--max-turns", "7", "--epochs", "2")
    assert result.exit_code == 0 and "4 sessions, at most 28 calls" in result.stdout
    assert "Expected" in result.stdout and "$" in result.stdout and "arXiv 2511.03508" in result.stdout
    assert not Path("bench-run").exists()


def test_extend_makes_every_dialogue_longer(bench: Path) -> None:
    result = evolif("extend", "bench", "--turns", "5")
    assert result.exit_code == 0 and "4 turns added" in result.stdout
    assert len((bench / "dialogues" / "0002.jsonl").read_bytes().splitlines()) == 5


def test_generate_without_seed_takes_that_of_the_benchmark_already_there(bench: Path) -> None:
    arguments = ("generate", "bench", "--dialogues", "2", "--turns", "3", "--profile", "objective")
    assert "seed 1" in evolif(*arguments).stdout
    assert "another benchmark" in fails(2, *arguments, "--seed", "2")


def test_fresh_benchmarks_differ_without_a_seed() -> None:
    for name in ("a", "b"):
        assert evolif("generate", name, "--dialogues", "1", "--turns", "2").exit_code == 0
    assert Path("a/dialogues/0001.jsonl").read_bytes() != Path("b/dialogues/0001.jsonl").read_bytes()


# check and score


def test_check_prints_verdicts_as_json_and_a_finding_is_exit_code_1() -> None:
    constraints = [
        {"group": "bullets", "params": {"count": 2}, "description": "ignored"},
        {"group": "emotion", "params": {"emotion": "happy"}},
    ]
    Path("c.json").write_text(json.dumps(constraints), encoding="utf-8")
    good = evolif("check", "--constraints", "c.json", "--json", stdin="- one\n- two")
    assert good.exit_code == 0
    verdicts = json.loads(good.stdout)
    assert [v["satisfied"] for v in verdicts] == [True, None]
    assert all(set(v) == {"group", "satisfied", "expected", "found", "spans"} for v in verdicts)
    assert set(verdicts[0]["spans"][0]) == {"start", "end", "view"}
    Path("answer.txt").write_text("no list", encoding="utf-8")
    bad = evolif("check", "--constraints", "c.json", "answer.txt")
    assert bad.exit_code == 1 and "FAILED" in bad.stdout and "not judged" in bad.stdout


def test_check_takes_a_benchmark_line_and_finds_its_witness_good(bench: Path) -> None:
    line = (bench / "dialogues" / "0001.jsonl").read_text("utf-8").split("\n")[2]
    Path("line.json").write_text(line, encoding="utf-8")
    result = evolif("check", "--constraints", "line.json", "-", stdin=json.loads(line)["witness"])
    assert result.exit_code == 0, result.output


def test_check_shows_a_hostile_answer_harmlessly() -> None:
    constraint = [{"group": "start_with", "params": {"mode": "keyword", "value": "calm"}}]
    Path("c.json").write_text(json.dumps(constraint), encoding="utf-8")
    result = evolif("check", "--constraints", "c.json", stdin="\x1b[31mred \u202e [red]x[/nothing]")
    assert result.exit_code == 1
    assert not {"\x1b", "\u202e"} & set(result.output)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "5", '[{"group": "haiku", "params": {}}]', '["x"]', "9" * 5000])
def test_broken_constraints_are_a_sentence(text: str) -> None:
    Path("c.json").write_text(text, encoding="utf-8")
    assert "evolif:" in fails(2, "check", "--constraints", "c.json", "c.json")


def test_score_prints_the_metrics_of_the_design() -> None:
    line = {"dialogue": "d1", "patience": 3, "turns": [[True, False], [True, True]]}
    Path("v.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    result = evolif("score", "v.jsonl", "--json")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    metrics = {"edr_len", "edr_acc", "edr_succ", "edr_lss", "rec", "rob", "csr", "isr"}
    beside = {"exhaustion_rate", "pooled_rec", "csr_corrected"}
    assert set(data) == metrics | beside | {"floor", "saturated", "dialogues", "rec_left_out", "intervals"}
    assert set(data["intervals"]) == metrics | beside and data["rob"] == 0.5 and data["csr"] == 0.75


def test_score_has_the_headline_where_the_cap_is_given() -> None:
    turns = {"died": "1000", "lasted": "111011", "cut": "11"}
    lines = [{"dialogue": name, "turns": [[sign == "1"] for sign in own]} for name, own in turns.items()]
    Path("v.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    data = json.loads(evolif("score", "v.jsonl", "--json", "--cap", "6").stdout)
    # Turns 1 to 6: 3 of 3 good, 2 of 3, then 1 of 2, 0 of 2; half are left after turn 4, where the one is good twice.
    assert data["isr_at_n"] == pytest.approx((1 + 2 / 3 + 1 / 2 + 0 + 1 / 2 + 1 / 2) / 6)
    assert data["intervals"]["isr_at_n"] is None, "fewer than six dialogues"
    shown = evolif("score", "v.jsonl", "--cap", "6").stdout
    assert "ISR@6" in shown and "52.78 %" in shown
    assert "isr_at_n" not in evolif("score", "v.jsonl", "--json").stdout
    assert "ISR@" not in evolif("score", "v.jsonl").stdout
    # At a cap of 8 the only one that is left at turn 6 was cut there.
    unknown = evolif("score", "v.jsonl", "--cap", "8").stdout
    assert "ISR@8 is not known: every dialogue with patience left ends before its turn 8." in " ".join(unknown.split())
    assert "--cap" in fails(2, "score", "v.jsonl", "--cap", "0")


# Wrong usage and bad input: exit code 2


def test_unknown_models_and_wrong_names_are_a_sentence(bench: Path) -> None:
    assert "openai/NAME" in fails(2, "evaluate", "bench", "-m", "gpt-5", "--out", "r")
    assert "sim/perfect" in fails(2, "evaluate", "bench", "-m", "sim/oracle", "--out", "r")
    assert "unknown provider" in fails(2, "evaluate", "bench", "-m", "nobody/x", "--out", "r")
    assert not Path("r").exists()


def test_a_missing_key_is_a_sentence_before_anything_is_written(bench: Path) -> None:
    sentence = fails(2, "evaluate", "bench", "-m", "openai/gpt-5", "--out", "r")
    assert "OPENAI_API_KEY" in sentence and not Path("r").exists()


def test_a_broken_line_names_file_line_and_mend(bench: Path) -> None:
    path = bench / "dialogues" / "0002.jsonl"
    path.write_text(path.read_text("utf-8").replace('"turn":2', '"turn":"two"'), encoding="utf-8")
    sentence = fails(2, "evaluate", "bench", "-m", "sim/perfect", "--out", "r")
    assert "0002.jsonl, line 2: turn must be a whole number" in sentence and "fix" in sentence


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("evaluate", "nowhere", "-m", "sim/perfect"), "not a benchmark"),
        (("extend", "nowhere", "--turns", "3"), "not a benchmark"),
        (("report", "nowhere"), "not a run"),
        (("score", "nowhere.jsonl"), "nowhere.jsonl"),
        (("check", "--constraints", "nowhere.json"), "nowhere.json"),
        (("generate", "new", "--profile", "nope"), "unknown profile"),
        (("generate", "new", "--topics", "nowhere.jsonl"), "nowhere.jsonl"),
        (("generate", "new", "--dialogues", "2", "--only", "3"), "no dialogue 3"),
        (("generate", "new", "--dialogues", "0"), "--dialogues"),
        (("evaluate", "bench", "-m", "sim/perfect", "--judge", "openai/gpt-5"), "judge"),
        (("evaluate", "bench", "-m", "sim/perfect", "--display", "loud"), "--display loud"),
        (("evaluate", "bench"), "--model"),
        (("evaluate", "bench", "-m", "sim/perfect", "--bogus"), "--bogus"),
        (("frobnicate",), "frobnicate"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_a_sentence(bench: Path, arguments: tuple[str, ...], told: str) -> None:
    assert told in fails(2, *arguments)
    assert not Path("new").exists()


def test_other_settings_in_the_run_folder_are_refused(bench: Path) -> None:
    assert evolif("evaluate", "bench", "-m", "sim/perfect", "--out", "r", "--max-turns", "2").exit_code == 0
    sentence = fails(2, "evaluate", "bench", "-m", "sim/perfect", "--out", "r", "--max-turns", "3")
    assert "the cap (--max-turns) was 2 and is now 3" in sentence


# Faults outside: exit code 3; interruption: 130


def test_suspended_sessions_are_exit_code_3_with_the_reason(bench: Path, fake_models: Any) -> None:
    fake_models(lambda _: Fake(ModelError("the model\x1b[31m is busy")))
    result = evolif("evaluate", "bench", "-m", "fake/model", "--out", "r")
    assert result.exit_code == 3
    assert "2 sessions are suspended; run the same command to resume them" in result.stderr
    assert r"fake/model, 2 sessions: the model\x1b[31m is busy" in result.stderr and "\x1b" not in result.output


@pytest.mark.slow
def test_a_file_that_cannot_be_written_is_exit_code_3(bench: Path) -> None:
    evolif("evaluate", "bench", "-m", "sim/perfect", "--out", "r", "--max-turns", "2")
    assert "cannot be written" in fails(3, "report", "r", "--json", "no/such/folder.json")


def test_an_unforeseen_error_is_a_sentence_and_exit_code_3(bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise LookupError("who knows")

    monkeypatch.setattr("evolif.runner.evaluate_with", broken)
    sentence = fails(3, "evaluate", "bench", "-m", "sim/perfect", "--out", "r")
    assert "internal error (LookupError: who knows)" in sentence
    monkeypatch.setenv("EVOLIF_DEBUG", "1")
    assert isinstance(evolif("evaluate", "bench", "-m", "sim/perfect", "--out", "r").exception, LookupError)


def test_ctrl_c_is_exit_code_130(bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evolif.runner.evaluate_with", interrupted)
    assert "run the same command to continue" in fails(130, "evaluate", "bench", "-m", "sim/perfect", "--out", "r")


# Keys


@pytest.fixture
def telltale() -> Iterator[str]:
    """A server that repeats the key it was sent in an error."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            sent = self.headers["Authorization"]
            body = json.dumps({"error": {"message": f"Incorrect API key provided: {sent}", "code": "bad_key"}}).encode()
            self.send_response(401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/v1"
        http.shutdown()
        thread.join()


@pytest.mark.slow
def test_a_key_enters_neither_the_run_folder_nor_the_screen(
    bench: Path, telltale: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    model = f"openai/m?base_url={telltale}&key_env=MY_KEY"
    result = evolif("evaluate", "bench", "-m", model, "--out", "run", "--max-retries", "0")
    assert result.exit_code == 3 and "MY_KEY" in result.stderr
    held = sqlite3.connect("run/run.sqlite")  # keeps the write-ahead log on disk
    held.execute("SELECT count(*) FROM fault").fetchone()
    again = evolif("evaluate", "bench", "-m", model, "--out", "run", "--max-retries", "0")
    files = [p for p in Path("run").rglob("*") if p.is_file()]
    assert any(p.name.endswith("-wal") and p.stat().st_size for p in files)
    for path in files:
        assert KEY[:12].encode() not in path.read_bytes(), path
    held.close()
    assert KEY[:12] not in result.output + again.output
