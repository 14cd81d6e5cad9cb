"""Nothing that is made of a run to be shared names a folder or an address of the machine that played it."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from models.server import Answer, Seen, Server, error, ok, serving
from typer.testing import CliRunner

from evolif import evaluate, generate, load_run
from evolif.cli import app
from evolif.errors import UsageError
from evolif.models import local
from evolif.models.endpoint import ModelName
from evolif.models.faults import served_by
from evolif.runner import RunStore
from evolif.runner.live import LIVE, Live, Pace

DIALOGUES = 3


@dataclass
class Child:
    """In the place of llama.cpp's process: the loopback server of the test."""

    base_url: str
    key: str = "none"
    running: bool = True
    pid: int = 0

    async def fate(self, wait: float = 1.0) -> None:
        return None

    async def stop(self) -> None:
        pass


@dataclass
class Played:
    """A run with what it must not tell."""

    root: Path
    server: Server
    weights: Path
    models: list[str]

    @property
    def private(self) -> list[bytes]:
        folder = self.weights.parent
        told = [str(folder), folder.name, "127.0.0.1", f":{self.server.port}", f"localhost:{self.server.port}"]
        return [text.encode() for text in told]

    def evaluate(self, limit: int, out: str = "run", fork_into: Path | None = None) -> None:
        evaluate(
            self.root / "bench",
            out=self.root / out,
            fork_into=fork_into,
            models=self.models,
            judge=[self.models[0], f"openai/judge?base_url={self.server.url}"],
            max_turns=2,
            max_retries=0,
            limit=limit,
        )


def answering(seen: Seen) -> Answer | None:
    """A judge's score, a server that fails now and then and says where it is, else a text."""
    if seen.body["model"] == "judge":
        return ok('{"score": 8, "reason": "good"}')
    if seen.body["model"] == "broken" and len(seen.body["messages"]) > 2:  # after its first answer
        host = seen.headers["host"]
        return error(500, f"upstream {host} at http://{host}/v1 failed")
    return None


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    with playing(tmp_path, monkeypatch) as run:
        run.evaluate(DIALOGUES)
        yield run


@contextmanager
def playing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    root = tmp_path / "place"
    weights = tmp_path / "very-private-folder" / "little.gguf"
    weights.parent.mkdir()
    weights.write_bytes(b"GGUF" + bytes(100))
    generate(root / "bench", dialogues=DIALOGUES + 1, turns=3, seed=23, profile="objective")
    monkeypatch.chdir(root)
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found("json" if name == "xllamacpp" else name))
    with serving(ok("A fine text."), answering=answering) as server:

        async def start(_: local.ServerSettings) -> Child:
            return Child(server.url)

        monkeypatch.setattr(local.LlamaServer, "start", start)
        models = [f"local/{weights}", f"openai/tiny?base_url={server.url}", f"openai/broken?base_url={server.url}"]
        yield Played(root, server, weights, models)


def command(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    return done.output


def outputs(run: str) -> dict[str, bytes]:
    """Every output of a run, by file or command."""
    files = ["--json", "r.json", "--html", "r.html", "--latex", "r.tex", "--figures", "figures", "--resamples", "20"]
    told = {"report": command("report", run, "--full", *files)}
    pair = ["compare", run, "-m", "local/little.gguf", "-m", "openai/tiny"]
    told["compare"] = command(*pair, "--json", "c.json", "--html", "c.html", "--latex", "c.tex", "--resamples", "20")
    told["board"] = command("board", run, "--out", "shared-board", "--resamples", "20")
    told["status"] = command("status", run, "--seconds", "0")
    told["status --json"] = command("status", run, "--seconds", "0", "--json")
    for name in ("run.jsonl", "run.csv", "run.parquet", "datasets", "unidial"):
        command("export", run, f"shared-{name}", *(["--format", name] if "." not in name else []))
    kept = {"bench", "run"}
    made = [p for p in Path().rglob("*") if p.is_file() and p.parts[0] not in kept]
    return {**{name: text.encode() for name, text in told.items()}, **{str(p): contents(p) for p in made}}


def contents(path: Path) -> bytes:
    """The bytes of a file; of Parquet, which is compressed, its cells and metadata too."""
    if path.suffix != ".parquet":
        return path.read_bytes()
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    table = parquet.read_table(path)
    return path.read_bytes() + json.dumps([table.to_pylist(), str(table.schema.metadata)], default=str).encode()


def check(played: Played) -> dict[str, bytes]:
    found = outputs(str(played.root / "run"))
    assert len(found) > 20 and sum(b"little.gguf" in text for text in found.values()) > 8
    for name, text in found.items():
        for secret in played.private:
            assert secret not in text, f"{name} tells {secret!r}: {text[max(0, text.find(secret) - 200) :][:400]!r}"
    return found


@pytest.mark.slow
def test_no_output_names_a_folder_or_an_address(played: Played) -> None:
    found = check(played)
    [run] = json.loads(found["r.json"])["runs"]
    assert run["path"] == "run" and run["settings"]["weights"]["local/little.gguf"].isalnum()
    endpoints = run["settings"]["endpoints"]
    assert endpoints[0] == "" and endpoints[1] == endpoints[2] and len(endpoints[1]) == 13 and endpoints[1][0] == "~"
    step = run["commands"][1]
    assert step["command"].count("base_url=URL") == 3 and "for each URL give the address" in step["note"]
    assert "local/little.gguf is a file" in step["note"]
    assert json.loads(found["c.json"])["comparisons"][0]["a"]["run"] == "run"
    assert b"openai/tiny at an address of its own" in found["r.html"]
    assert b"its endpoint answered 500" in found["shared-run.jsonl"]


@pytest.mark.slow
def test_other_weights_are_another_model(played: Played) -> None:
    played.evaluate(DIALOGUES)
    played.weights.write_bytes(b"GGUF" + bytes(101))
    with pytest.raises(UsageError, match=r"the weights of local/little\.gguf differ"):
        played.evaluate(DIALOGUES)


@pytest.mark.slow
def test_a_fork_asks_other_weights_anew_and_a_comparison_names_them(played: Played) -> None:
    played.weights.write_bytes(b"GGUF" + bytes(101))
    asked = Counter(seen.body["model"] for seen in played.server.seen)
    played.evaluate(DIALOGUES, fork_into=played.root / "other")
    anew = Counter(seen.body["model"] for seen in played.server.seen) - asked
    assert anew["little"] and not anew["tiny"]
    path = f"local/{played.weights}"
    told = command("compare", "run", "other", "-m", path, "-m", path, "--resamples", "20")
    assert "its weights differ" in told and str(played.weights) not in told


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("/models/tiny.gguf", "tiny.gguf"),
        ("C:\\models\\tiny.gguf", "tiny.gguf"),
        ("./tiny.gguf", "tiny.gguf"),
        ("~/tiny", "tiny"),
        ("organisation/tiny", "organisation/tiny"),
        ("tiny-2026-01-01", "tiny-2026-01-01"),
        ("/", "/"),
        (None, ""),
    ],
)
def test_a_server_that_calls_its_model_by_a_path_is_heard_without_the_folder(told: object, kept: str) -> None:
    assert served_by(told) == kept


@pytest.mark.slow
def test_a_run_of_an_earlier_version_is_resumed_and_shown_by_its_short_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with playing(tmp_path, monkeypatch) as played:
        with monkeypatch.context() as earlier:
            earlier.setattr(ModelName, "plain", property(lambda name: f"{name.provider}/{name.name}"))
            earlier.setattr(local.LocalModel, "name", property(lambda _: played.models[0]))
            earlier.setattr("evolif.runner.settings.weights_by_name", lambda _: {})
            played.evaluate(DIALOGUES)
        played.evaluate(DIALOGUES + 1)
        with closing(RunStore.open(played.root / "run")) as store:
            assert store.settings.models[0] == played.models[0]
            assert not store.integrity().edited
        with closing(load_run(played.root / "run")) as run:
            assert run.models[0] == "local/little.gguf" and not run.integrity().edited
            assert [session.dialogue for session in run.sessions("local/little.gguf")] == [1, 2, 3, 4]
            spent = [(one.role, one.model) for one in run.costs()]
            assert len(set(spent)) == len(spent) and ("target", "local/little.gguf") in spent
        check(played)
        with closing(RunStore.open(played.root / "run")) as store:
            store.note(LIVE, Live(1.0, {played.models[0]: Pace(1, 1, 1, None)}).dump())
        with closing(load_run(played.root / "run")) as run:
            assert (live := run.live()) is not None and list(live.paces) == ["local/little.gguf"]
        with closing(sqlite3.connect(played.root / "run" / "run.sqlite")) as file, file:
            file.execute("UPDATE turn SET answer = 'Another text.' WHERE session = 1")
        with closing(load_run(played.root / "run")) as run:
            assert run.integrity().edited[0].model == "local/little.gguf"
