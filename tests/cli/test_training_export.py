"""`evolif export` for training, by the command line: flags, a killed sampling, bad input."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from chat_server import chat_server
from typer.testing import CliRunner

import evolif
from evolif.cli import app
from evolif.errors import ModelError
from evolif.models import ChatModel, ChatRequest, Reply
from evolif.types import Usage

pytest.importorskip("pyarrow", reason="pyarrow is not installed (evolif[datasets])")
MODEL = "openai/m"


class Endpoint:
    """Answers now almost as it should, now anything; holds back all after the first `most`, if any."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        self.keys = keys
        """From a query to its answer key."""
        self.asked: list[str] = []
        self.most: int | None = None
        self.full = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, body: dict[str, Any]) -> str:
        if self.most is not None and len(self.asked) >= self.most:
            self.full.set()
            self.go_on.wait(30)
            return "too late"
        self.asked.append(json.dumps(body["messages"]))
        first, _, *rest = self.keys[body["messages"][-1]["content"]].split(" ")
        return " ".join([first, f"w{len(self.asked)}", *rest]) if len(self.asked) % 2 else f"No {len(self.asked)}"


@pytest.mark.slow
def test_a_killed_sampling_continues_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, run, pairs = tmp_path / "b", tmp_path / "r", tmp_path / "p"
    made = evolif.generate(bench, dialogues=2, turns=2, seed=8, profile="objective")
    turns = [turn for dialogue in made.dialogues() for turn in made.turns(dialogue)]
    endpoint = Endpoint({turn.query: turn.witness or "" for turn in turns})
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with chat_server(endpoint, endpoint.go_on.set) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        evolif.evaluate(made, MODEL, run, max_turns=2, patience=2).close()
        played = Counter(endpoint.asked)
        endpoint.asked.clear()
        endpoint.most = 4
        command = ["export", run, pairs, "--format", "preferences", "--bench", bench, "--samples", "4"]
        command = [*map(str, command), "--max-connections", "1"]
        with subprocess.Popen([sys.executable, "-m", "evolif", *command], stderr=subprocess.DEVNULL) as process:
            assert endpoint.full.wait(30)
            process.send_signal(signal.SIGKILL)
        assert not pairs.exists()
        endpoint.most = None
        endpoint.go_on.set()
        done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert Counter(endpoint.asked) == {messages: 3 * number for messages, number in played.items()}
    assert "12 further answers; none of them is asked for again" in done.output
    assert (pairs / "README.md").is_file()


class Counted:
    """A model that says what its calls used, and never the same again."""

    name = MODEL
    connections = 1

    def __init__(self) -> None:
        self.asked = 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked += 1
        return Reply(" ".join(["word"] * self.asked) + "." * (self.asked % 2), usage=Usage(300, 20))

    async def aclose(self) -> None: ...


def test_a_budget_is_for_all_answers_and_a_larger_one_continues(
    tmp_path: Path, fake_models: Callable[[Callable[[str], ChatModel]], None]
) -> None:
    bench, run, model = tmp_path / "b", tmp_path / "r", Counted()
    fake_models(lambda name: model)
    made = evolif.generate(bench, dialogues=2, turns=2, seed=8, profile="objective")
    evolif.evaluate(made, MODEL, run, max_turns=2, patience=2, max_tokens=20).close()

    def ask(out: str, tokens: int, *more: str) -> Any:
        command = ["export", run, tmp_path / out, "-f", "preferences", "--bench", bench, "--samples", "5"]
        return CliRunner().invoke(app, [*map(str, command), "--budget-tokens", str(tokens), "--display", "none", *more])

    played = model.asked
    planned = ask("planned", 10, "--dry-run")
    assert "target openai/m: 16 calls, 4,800 prompt + 320 answer tokens" in planned.output and planned.exit_code == 0
    assert model.asked == played and not (tmp_path / "planned").exists() and not (tmp_path / "r-samples").exists()
    tiny = ask("tiny", 10)
    assert tiny.exit_code == 2 and "no call was made" in tiny.output and model.asked == played
    assert "because of the budget" in ask("cut", 3000).output
    some = model.asked - played
    assert 0 < some < 16
    whole = ask("whole", 100_000)
    assert f"{some} were made before" in whole.output and "because of the budget" not in whole.output
    assert model.asked == played + 16
    assert "total: $0.00" in ask("no more", 10, "--dry-run").output


class Gone:
    """A model whose endpoint is gone once it has answered the run's only turn."""

    name = MODEL
    connections = 1

    def __init__(self) -> None:
        self.asked = 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked += 1
        if self.asked > 1:
            raise ModelError(f"{MODEL}: its endpoint could not be reached")
        return Reply("A sentence.")

    async def aclose(self) -> None: ...


def test_an_outage_leaves_no_pairs_and_says_how_to_continue(
    tmp_path: Path, fake_models: Callable[[Callable[[str], ChatModel]], None]
) -> None:
    bench, run, pairs, model = tmp_path / "b", tmp_path / "r", tmp_path / "p", Gone()
    fake_models(lambda name: model)
    made = evolif.generate(bench, dialogues=1, turns=1, seed=8, profile="objective")
    evolif.evaluate(made, MODEL, run, max_turns=1).close()
    command = ["export", run, pairs, "--format", "preferences", "--bench", bench, "--samples", "2"]
    done = CliRunner().invoke(app, [*map(str, command), "--display", "none"])
    assert done.exit_code == 3 and not pairs.exists() and model.asked > 1
    assert "1 session is suspended, and nothing is exported; run the same command to continue." in done.output
    assert f"{MODEL}, 1 session: " in done.output


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("played")
    bench = evolif.generate(root / "b", dialogues=2, turns=3, seed=8, profile="objective")
    evolif.evaluate(bench, "sim/steady?skill=.4", root / "r", max_turns=3, epochs=3).close()
    return root


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    """A run, with its benchmark beside it."""
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path / "r"


def test_pairs_of_a_simulated_model(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "p"
    command = ["export", str(run), str(out), "-f", "preferences", "--bench", str(tmp_path / "b"), "--samples", "6"]
    told = CliRunner().invoke(app, [*command, "--json"])
    assert told.exit_code == 0, told.output
    done = json.loads(told.stdout)
    assert (done["unit"], done["format"], done["kind"]) == ("pair", "preferences", "run") and done["rows"] > 0
    assert (tmp_path / "r-samples" / "run.sqlite").is_file()


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["-f", "message"], "unknown format message"),
        (["-f", "messages", "--reward", "tern"], "the reward tern is unknown"),
        (["-f", "messages", "--reward", "session"], "rewards whole conversations"),
        (["-f", "messages", "--min-reward", "2"], "not between 0 and 1"),
        (["-f", "messages", "--with-witness"], "witnesses are no training data"),
        (
            ["-f", "preferences", "--bench", "BENCH", "--samples", "3", "--with-witness"],
            "witnesses are no training data",
        ),
        (["-f", "preferences", "--bench", "BENCH", "--samples", "3", "--also", "RUN"], "more than once"),
        (["-f", "preferences", "--push", "u/n"], "--push is for parquet and datasets"),
        (["-f", "messages", "--samples", "3"], "use it with --format preferences"),
        (["-f", "preferences", "--samples", "3"], "--samples needs --bench"),
        (["-f", "preferences", "--bench", "BENCH", "--samples", "1"], "at least 2 answers"),
        (["-f", "preferences", "--bench", "BENCH", "--samples", "2", "--model", "sim/perfect"], "is no model of"),
        (["-f", "preferences", "--bench", "BENCH", "--samples", "2", "--judge", "openai/j"], "was judged by none"),
        (
            ["-f", "parquet", "--min-reward", ".5"],
            "--min-reward is for training data; use it with --format messages or preferences",
        ),
        (["-f", "parquet", "--model", "openai/m"], "--model is for training data"),
        (["-f", "preferences", "--model", "openai/m"], "--model is for --samples K"),
        (["-f", "messages", "--budget-usd", "5"], "--budget-usd is for --samples K"),
        (["-f", "messages", "--min-margin", ".2"], "--min-margin is for pairs of answers"),
        (["-f", "messages", "--also", "RUN"], "more than once"),
    ],
)
def test_bad_flags_are_one_sentence(run: Path, tmp_path: Path, flags: list[str], told: str) -> None:
    paths = {"BENCH": str(tmp_path / "b"), "RUN": str(run)}
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["export", str(run), str(out), *(paths.get(flag, flag) for flag in flags)])
    assert result.exit_code == 2 and told in result.output
    assert result.output.count("\n") == 1 and not out.exists() and not (tmp_path / "r-samples").exists()


def test_what_variables_say_for_other_verbs_is_no_mistake(run: Path, tmp_path: Path) -> None:
    said = {"EVOLIF_MODEL": "openai/m", "EVOLIF_JUDGE": "lexical", "EVOLIF_BENCH": str(tmp_path / "b")}
    done = CliRunner().invoke(app, ["export", str(run), str(tmp_path / "r.jsonl")], env=said)
    assert done.exit_code == 0, done.output


def test_a_folder_that_exists_is_refused_before_the_first_call(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "p"
    out.mkdir()
    (out / "mine").touch()
    command = ["export", str(run), str(out), "-f", "preferences", "--bench", str(tmp_path / "b"), "--samples", "3"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2 and "already exists" in result.output and not (tmp_path / "r-samples").exists()
