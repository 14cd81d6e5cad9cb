"""Benchmarks made with chat models through the real SDK, from the Python interface and the command line."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from wording_server import plain_words, wording_server

import evolif
from evolif import ModelError, UsageError, load_benchmark
from evolif.cli import app
from evolif.models import ChatRequest, ModelOptions, Reply
from evolif.scenarios.instructions import rates
from evolif.scenarios.instructions.authors import open_synthesizers, reopen_synthesizers
from evolif.scenarios.instructions.generation import extend
from evolif.scenarios.instructions.queries import check_query

KEY = "kk-test-0123456789abcdef"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "EVOLIF_SYNTHESIZER", "EVOLIF_CHECKER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TEST_KEY", KEY)


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.slow
def test_three_synthesizers_through_the_sdk_in_exact_proportion(tmp_path: Path) -> None:
    with wording_server() as one, wording_server() as two:
        made = evolif.generate(
            tmp_path / "b",
            dialogues=8,
            turns=3,
            seed=3,
            synthesizers=[
                "template",
                f"openai/a?base_url={one.url}&key_env=TEST_KEY",
                f"openai/b?base_url={two.url}&key_env=TEST_KEY=2",
            ],
            checker=f"openai/c?base_url={two.url}&key_env=TEST_KEY",
            profile="objective",
        )
    assert Counter(made.author(d) for d in made.dialogues()) == {"template": 2, "openai/a": 2, "openai/b": 4}
    turns = [turn for d in made.dialogues() for turn in made.turns(d)]
    assert Counter(t.source for t in turns if t.status == "verified")["openai/b"] >= 10
    for turn in turns:
        if turn.status == "verified":
            assert not check_query(turn, turn.query) and turn.witness not in turn.query
    assert {body["model"] for body in one.asked} == {"a"} and {body["model"] for body in two.asked} == {"b", "c"}
    assert one.keys == two.keys == {f"Bearer {KEY}"}
    assert all("response_format" in body for body in one.asked)
    sums = rates(made.records())
    assert sums["openai/a"].turns == 6 and sums["openai/b"].turns == 12
    calls = sum(s.calls + s.checker_calls for s in sums.values())
    assert calls == len(one.asked) + len(two.asked)
    assert sum(s.usage.prompt_tokens + s.checker_usage.prompt_tokens for s in sums.values()) == 100 * calls
    text = "".join(p.read_text("utf-8") for p in (tmp_path / "b").rglob("*.json*"))
    assert KEY not in text and "TEST_KEY" not in text and "127.0.0.1" not in text
    spec = made.header.spec
    assert spec.synthesizers == ("template", "openai/a", "openai/b=2") and spec.checker == "openai/c"


def test_another_endpoint_is_the_same_benchmark(tmp_path: Path) -> None:
    with wording_server() as one:
        first = evolif.generate(
            tmp_path / "b",
            dialogues=2,
            turns=1,
            seed=3,
            synthesizers=[f"openai/a?base_url={one.url}"],
            profile="objective",
        )
    with wording_server() as two:
        again = evolif.generate(
            tmp_path / "b",
            dialogues=2,
            turns=1,
            seed=3,
            synthesizers=["openai/a"],
            options=ModelOptions(base_url=two.url),
        )
    assert again.identity == first.identity and not two.asked and one.asked


@pytest.mark.slow
def test_a_server_without_schemas_is_asked_without_after_its_first_refusal(tmp_path: Path) -> None:
    def no_schemas(body: dict[str, Any]) -> str | int:
        return 400 if "response_format" in body else plain_words(body)

    with wording_server(no_schemas) as served:
        made = evolif.generate(
            tmp_path / "b",
            dialogues=1,
            turns=3,
            seed=3,
            synthesizers=[f"openai/a?base_url={served.url}"],
            profile="objective",
        )
    assert [t.source for t in made.turns(1)] == ["openai/a"] * 3
    assert sum("response_format" in body for body in served.asked) == 1


def test_a_wrong_key_is_told_and_not_taken_for_missing_schemas(tmp_path: Path) -> None:
    with wording_server(lambda body: 401) as served, pytest.raises(ModelError, match=r"answered 401"):
        evolif.generate(
            tmp_path / "b",
            dialogues=1,
            turns=1,
            seed=3,
            synthesizers=[f"openai/a?base_url={served.url}"],
            profile="objective",
        )
    assert 1 <= len(served.asked) <= 2


@pytest.mark.slow
def test_dialogues_go_side_by_side_as_far_as_max_connections(tmp_path: Path) -> None:
    gate = threading.Event()

    def slow(body: dict[str, Any]) -> str:
        if served.most >= 3:
            gate.set()
        gate.wait(2)
        time.sleep(0.01)
        return plain_words(body)

    with wording_server(slow) as served:
        evolif.generate(
            tmp_path / "b",
            dialogues=6,
            turns=1,
            seed=3,
            synthesizers=[f"openai/a?base_url={served.url}"],
            options=ModelOptions(max_connections=3),
        )
    assert served.most == 3


@pytest.mark.slow
def test_the_command_line_tells_rates_and_resumes_after_a_fault(tmp_path: Path) -> None:
    bench = tmp_path / "b"
    failing = iter(range(1000))

    def fails_later(body: dict[str, Any]) -> str | int:
        return plain_words(body) if next(failing) < 5 else 500

    common = (
        "generate",
        bench,
        "--profile",
        "objective",
        "--dialogues",
        2,
        "--turns",
        3,
        "--seed",
        3,
        "--display",
        "plain",
    )
    with wording_server(fails_later) as broken:
        name = f"openai/a?base_url={broken.url}"
        told = run(*common, "--synthesizer", name, "--max-retries", 0, "--max-connections", 1, code=3)
        assert "could not be written" in told and "same command to continue" in told and "Traceback" not in told
    stored = [len(load_benchmark(bench).turns(d)) for d in load_benchmark(bench).dialogues()]
    assert sum(stored) == 2
    with wording_server() as served:
        told = run(*common, "--synthesizer", f"openai/a?base_url={served.url}")
    assert "6 turns worded" in told and "accepted on the first try" in told and "tokens" in told
    assert "dialogue 2: turn 3 of 3" in told
    assert len(served.asked) >= 2 * 4
    assert all(len(load_benchmark(bench).turns(d)) == 3 for d in (1, 2))


@pytest.mark.slow
def test_extending_needs_only_to_be_told_where_the_models_are(tmp_path: Path) -> None:
    bench = tmp_path / "b"
    with wording_server() as served:
        made = ("--synthesizer", f"openai/a?base_url={served.url}", "--display", "none")
        run("generate", bench, "--profile", "objective", "--dialogues", 2, "--turns", 1, "--seed", 3, *made)
        before = [(bench / "dialogues" / f"000{n}.jsonl").read_bytes() for n in (1, 2)]
        told = run("extend", bench, "--turns", 3, *made)
        assert "4 turns added" in told
        assert run("extend", bench, "--turns", 2)  # nothing is missing, so nothing is opened
    for number, old in enumerate(before, 1):
        assert (bench / "dialogues" / f"000{number}.jsonl").read_bytes().startswith(old)
    told = run("extend", bench, "--turns", 4, code=2)
    assert "OPENAI_API_KEY" in told and "--synthesizer template" in told
    assert "2 turns added" in run("extend", bench, "--turns", 4, "--synthesizer", "template")
    assert load_benchmark(bench).turns(1)[3].source == "template"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["openai/a"], "OPENAI_API_KEY"),
        (["sim/steady"], "cannot write queries"),
        (["nobody"], "unknown synthesizer “nobody”"),
        (["template", "template"], "named twice"),
        (["openai/a?base_url=http://h/v1", "openai/a?base_url=http://i/v1"], "named twice"),
        (["local/nowhere.gguf"], "nowhere.gguf"),
    ],
)
def test_what_cannot_be_opened_is_told_before_anything_is_written(tmp_path: Path, names: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        evolif.generate(tmp_path / "b", dialogues=1, turns=1, synthesizers=names, profile="objective")
    assert not (tmp_path / "b").exists()


def test_a_checker_for_the_template_alone_is_refused() -> None:
    with pytest.raises(UsageError, match="needs none"):
        open_synthesizers(["template"], "openai/c?base_url=http://127.0.0.1:1/v1")
    assert open_synthesizers(["template"], "none").checker is None


def test_names_that_are_not_the_benchmarks_are_refused_where_one_is_needed(tmp_path: Path) -> None:
    with wording_server() as served:
        made = evolif.generate(
            tmp_path / "b",
            dialogues=1,
            turns=1,
            seed=3,
            synthesizers=[f"openai/a?base_url={served.url}"],
            profile="objective",
        )
    other = "openai/other?base_url=http://127.0.0.1:1/v1"
    assert reopen_synthesizers(made, (), [other]).synthesizers == {}
    with pytest.raises(UsageError, match=r"openai/other is not a synthesizer .* openai/a"):
        extend(made, 2, synthesizers=[other])
    with pytest.raises(UsageError, match="is not a checker"):
        extend(made, 2, synthesizers=[f"openai/a?base_url={served.url}"], checker=other)


def test_a_local_file_is_kept_without_its_folder(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    weights = tmp_path / "tiny.gguf"
    weights.write_bytes(b"GGUF")
    named = open_synthesizers([f"local/{weights}=2", "template"])
    assert [str(share) for share in named.shares] == ["local/tiny.gguf=2", "template"]
    assert str(tmp_path) not in json.dumps(list(named.wording.synthesizers))


class Speaker:
    """A chat model as a caller brings it; words every turn by saying too little."""

    connections = 1

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls = 0
        self.closed = False

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        return Reply('{"query": "Do as you like."}')

    async def aclose(self) -> None:
        self.closed = True


def test_a_model_object_stands_for_a_name_and_stays_open(tmp_path: Path) -> None:
    author, checker = Speaker("mine/a"), Speaker("mine/c")
    made = evolif.generate(
        tmp_path / "b", dialogues=1, turns=1, seed=3, synthesizers=[author], checker=checker, profile="objective"
    )
    assert made.header.spec.synthesizers == ("mine/a",) and made.header.spec.checker == "mine/c"
    assert made.turns(1)[0].source == "mine/a" and author.calls
    assert extend(made, 2, synthesizers=[author], checker=checker) == 1
    assert not author.closed and not checker.closed
    with pytest.raises(UsageError, match=r"other/a is not a synthesizer"):
        extend(made, 3, synthesizers=[Speaker("other/a")])
