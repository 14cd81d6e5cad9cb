"""`evolif models test`: what it says of endpoints of every kind."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from evolif.cli import app
from evolif.models import ChatRequest, Reply
from evolif.models.probe import SHORT, red_square

from .server import Answer, Seen, Server, completion, error, serving

KEY = "kk-test-0123456789abcdef-not-real"
ALL_ABLE = {
    "reachable", "answers", "system role", "seed", "usage", "temperature", "longest answer", "reasoning_effort",
    "JSON schema", "images", "list of models",
}  # fmt: skip


@dataclass
class Endpoint:
    """A server that can do everything, but for what a test says."""

    refuses: tuple[str, ...] = ()
    obeys: bool = True
    """Whether it follows system messages and keeps the longest answer."""
    reasoning: int = 0
    usage: bool = True
    text: str | None = None

    def __call__(self, seen: Seen) -> Answer | None:
        body = seen.body
        if seen.path.endswith("/models"):
            return Answer({"data": [{"id": "tiny"}]}) if "list" not in self.refuses else Answer({}, 404)
        pictured = any(isinstance(message["content"], list) for message in body["messages"])
        for name in self.refuses:
            if name in body or (name == "image" and pictured):
                text = f"Unsupported parameter: '{name}' is not supported with this model."
                return Answer({"error": {"message": text, "param": name, "code": "unsupported_parameter"}}, 400)
            if name == "system" and body["messages"][0]["role"] == "system":
                return Answer({"object": "error", "message": "System role not supported", "code": 400}, 400)
        return self.answer(body, pictured)

    def answer(self, body: dict[str, Any], pictured: bool) -> Answer:
        limit = body.get("max_tokens", body.get("max_completion_tokens", 10**6)) if self.obeys else 10**6
        text, tokens = self.said(body, pictured), 1 + self.reasoning
        if "Count" in str(body["messages"]):
            tokens += 200
        made = completion(text, finish="length" if tokens > limit else "stop")
        details = {"reasoning_tokens": self.reasoning} if self.reasoning else {}
        made["usage"] = {
            "prompt_tokens": 30,
            "completion_tokens": min(tokens, limit),
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": details,
        }
        return Answer(made if self.usage else made | {"usage": None})

    def said(self, body: dict[str, Any], pictured: bool) -> str:
        if self.text is not None:
            return self.text
        if pictured:
            return "It is Red."
        if "response_format" in body:
            return '{"sum": 42}'
        number = re.search(r"number of this conversation is ([0-9]{4})", str(body["messages"]))
        return number[1] if number and self.obeys else "1 2 3"


def probed(server: Server, *words: str, query: str = "") -> Result:
    return CliRunner().invoke(app, ["models", "test", f"openai/tiny?base_url={server.url}{query}", *words])


def states(answering: Callable[[Seen], Answer | None], *words: str, query: str = "") -> tuple[dict[str, str], Any]:
    """What is found of each thing, and all that is said for machines."""
    with serving(error(500, "unexpected"), answering=answering) as server:
        done = probed(server, "--json", *words, query=query)
        calls = sum(seen.path.endswith("/chat/completions") for seen in server.seen)
    told = json.loads(done.stdout)
    assert told["calls"] <= min(calls, 5) and done.exit_code == (0 if told["can_be_evaluated"] else 3)
    return {what: one["state"] for what, one in told["findings"].items()}, told


def test_an_able_endpoint_takes_five_calls() -> None:
    found, told = states(Endpoint())
    assert {what for what, state in found.items() if state == "yes"} == ALL_ABLE
    assert found["reasoning"] == found["key"] == "no" and told["calls"] == 5 and told["advice"] == []
    details = {what: one["detail"] for what, one in told["findings"].items()}
    assert details["usage"] == "30 prompt, 1 completion, 4 cached tokens"
    assert details["longest answer"] == "--max-tokens is sent as max_tokens, and kept"
    assert details["list of models"] == "1 model, this one among them"
    assert told["command"].endswith("' --max-tokens 2000")


def test_a_reasoning_model_needs_room_and_another_limit() -> None:
    found, told = states(Endpoint(("max_tokens", "temperature", "seed"), reasoning=64))
    assert found["reasoning"] == found["longest answer"] == "yes" and found["temperature"] == found["seed"] == "no"
    details = {what: one["detail"] for what, one in told["findings"].items()}
    assert details["longest answer"] == "--max-tokens is sent as max_completion_tokens, and kept"
    assert details["reasoning"] == "64 tokens" and "64 reasoning tokens" in details["usage"]
    assert told["command"].endswith("--max-tokens 8000")
    assert [line.partition(",")[0] for line in told["advice"]] == [
        "It reasons",
        "It takes no --temperature.",
        "It takes no seed",
    ]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("endpoint", "what", "state"),
    [
        (Endpoint(obeys=False), "system role", "no"),
        (Endpoint(obeys=False), "longest answer", "no"),
        (Endpoint(("system",)), "system role", "no"),
        (Endpoint(usage=False), "usage", "no"),
        (Endpoint(("reasoning_effort",)), "reasoning_effort", "no"),
        (Endpoint(("response_format",)), "JSON schema", "no"),
        (Endpoint(("image",)), "images", "no"),
        (Endpoint(text="I see a thing."), "images", "unclear"),
        (Endpoint(text="{not json"), "JSON schema", "no"),
        (Endpoint(("list",)), "list of models", "no"),
        (Endpoint(text=""), "answers", "no"),
        (Endpoint(("seed",)), "seed", "no"),
    ],
)
def test_what_an_endpoint_cannot_do_is_found(endpoint: Endpoint, what: str, state: str) -> None:
    found, told = states(endpoint)
    assert found[what] == state and told["can_be_evaluated"]


def test_an_endpoint_without_any_limit_is_evaluated_without() -> None:
    found, told = states(Endpoint(("max_tokens", "max_completion_tokens")))
    assert found["longest answer"] == "no" and "--max-tokens" not in told["command"]
    assert set(found) >= ALL_ABLE


def test_quick_is_one_call() -> None:
    with serving(error(500, "unexpected"), answering=Endpoint()) as server:
        done = probed(server, "--quick")
    assert len(server.seen) == 1 and done.exit_code == 0
    assert "with 1 short call" in done.stderr
    rows = {line[2:19].strip(): line[20:30].strip() for line in done.stdout.splitlines() if line.startswith("  ")}
    assert rows["system role"] == "yes" and rows["longest answer"] == "not asked" and "images" not in rows


def test_the_table_says_how_to_evaluate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with serving(error(500, "unexpected"), answering=Endpoint()) as server:
        done = probed(server, query="&key_env=MY_KEY&top_p=0.9")
        spec = f"openai/tiny?base_url={server.url}&key_env=MY_KEY&top_p=0.9"
    lines = done.stdout.splitlines()
    assert lines[0] == "  key               yes        MY_KEY"
    assert lines[-1] == f"Evaluate it with: evolif evaluate BENCH --model '{spec}' --max-tokens 2000"
    assert done.stderr.startswith("Testing openai/tiny?top_p=0.9 with up to 5 short calls")
    assert KEY not in done.output and all(seen.body.get("top_p", 0.9) == 0.9 for seen in server.seen)


def test_a_name_that_sets_the_effort_is_not_asked_for_it() -> None:
    found, told = states(Endpoint(), query="&reasoning_effort=high")
    assert found["reasoning_effort"] == "not asked" and told["calls"] == 4


def test_hostile_words_of_an_endpoint_reach_no_terminal() -> None:
    body = completion("\x1b[31mred") | {"model": "\x1b]0;title\x07evil"}
    with serving(Answer(body)) as server:
        done = probed(server)
    assert "\x1b" not in done.output and "\x07" not in done.output


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("answer", "reachable", "words"),
    [
        (Answer({"error": {"message": "bad KEY"}}, 401, echo_key=True), "yes", "check the key in MY_KEY"),
        (error(404, "no such model"), "yes", "check the model's name and base_url"),
        (error(429, "slow down"), "yes", "answered 429"),
        (error(503, "loading"), "yes", "answered 503"),
        (Answer(fault="hang up"), "no", "could not be reached"),
        (Answer(fault="stall"), "no", "did not answer within 0.4 s"),
        (Answer(b"<html>"), "no", "no usable completion"),
    ],
)
def test_what_cannot_be_evaluated_ends_with_three(
    answer: Answer, reachable: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with serving(answer) as server:
        done = probed(
            server, "--json", "--timeout", "0.4" if answer.fault == "stall" else "20", query="&key_env=MY_KEY"
        )
    told = json.loads(done.stdout)
    assert done.exit_code == 3 and not told["can_be_evaluated"] and told["command"] is None
    assert words in told["findings"]["answers"]["detail"] and KEY not in done.output
    assert told["findings"]["reachable"]["state"] == reachable and len(server.seen) == 1


def test_an_answer_without_room_is_a_limit_that_is_kept() -> None:
    able = Endpoint()

    def answer(seen: Seen) -> Answer | None:
        if seen.body.get("max_tokens") == SHORT:
            return error(400, "Could not finish the message because max_tokens or model output limit was reached.")
        return able(seen)

    found, _ = states(answer)
    assert found["longest answer"] == found["temperature"] == "yes"


def test_a_later_fault_is_unclear_and_ends_nothing() -> None:
    first = iter([Endpoint()])

    def answer(seen: Seen) -> Answer | None:
        return None if (able := next(first, None)) is None else able(seen)

    found, told = states(answer)
    assert told["can_be_evaluated"] and told["calls"] == 1
    assert {found[what] for what in ("temperature", "longest answer", "JSON schema", "images")} == {"unclear"}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("sim/nobody", "unknown simulated model"),
        ("tiny", "has no provider"),
        ("antropic/x", "did you mean anthropic/x?"),
        ("openai/x?base_url=http://h/v1&key_env=ABSENT_KEY", "set the environment variable ABSENT_KEY"),
        ("local/nothing", "local/nothing"),
    ],
)
def test_wrong_usage_ends_with_two(spec: str, words: str) -> None:
    done = CliRunner().invoke(app, ["models", "test", spec])
    assert done.exit_code == 2 and words in done.stderr


def test_a_gemini_model_is_asked_by_its_own_client(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("google.genai", reason="the extra google is not installed")
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)

    def answer(seen: Seen) -> Answer | None:
        if not seen.body:
            return Answer({"models": [{"name": "models/tiny"}]})
        number = re.search(r"number of this conversation is ([0-9]{4})", str(seen.body))
        text = number[1] if number else '{"sum": 42}' if "sum" in str(seen.body) else "red"
        candidate = {"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}
        usage = {"promptTokenCount": 9, "candidatesTokenCount": 3}
        return Answer({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "tiny-1"})

    with serving(error(500, "unexpected"), answering=answer) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", f"http://127.0.0.1:{server.port}")
        done = CliRunner().invoke(app, ["models", "test", "google/tiny", "--json"])
    told = json.loads(done.stdout)
    found = {what: one["state"] for what, one in told["findings"].items()}
    assert done.exit_code == 0 and told["findings"]["key"] == {"state": "yes", "detail": "GEMINI_API_KEY"}
    assert found.pop("reasoning") == "no" and set(found.values()) == {"yes"}
    assert "reasoning_effort" not in found and "seed" not in found and told["calls"] == 4


def test_a_plugin_looks_after_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain:
        name, connections = "acme/x", 1

        async def complete(self, request: ChatRequest) -> Reply:
            return Reply("7")

        async def aclose(self) -> None:
            pass

    monkeypatch.setattr("evolif.models.open._load_factory", lambda name: lambda name, settings: Plain())
    told = json.loads(CliRunner().invoke(app, ["models", "test", "acme/x", "--json"]).stdout)
    assert told["findings"]["key"]["detail"] == "the plug-in's own" and told["calls"] == 4
    assert told["findings"]["usage"]["state"] == "no"


def test_a_simulated_model_has_nothing_to_test() -> None:
    done = CliRunner().invoke(app, ["models", "test", "sim/steady?skill=.9"])
    assert done.exit_code == 0 and done.stderr == ""
    first, last = done.stdout.splitlines()
    assert first.startswith("sim/steady?skill=.9 is a simulated model: ") and "nothing is tested" in first
    assert last == "Evaluate it with: evolif evaluate BENCH --model 'sim/steady?skill=.9'"
    told = json.loads(CliRunner().invoke(app, ["models", "test", "sim/steady", "--json"]).stdout)
    assert told["can_be_evaluated"] and told["calls"] == 0 and told["findings"] == {}


def test_the_picture_is_a_red_square() -> None:
    png = red_square(3)
    at, chunks = 8, {}
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + data),)
        chunks[kind] = data
        at += 12 + length
    assert chunks[b"IHDR"][:8] == struct.pack(">II", 3, 3)
    assert zlib.decompress(chunks[b"IDAT"]) == (b"\x00" + b"\xff\x00\x00" * 3) * 3


def test_the_short_answer_is_as_short_as_services_allow() -> None:
    with serving(error(500, "unexpected"), answering=Endpoint()) as server:
        probed(server)
    assert SHORT in [seen.body.get("max_tokens") for seen in server.seen]
    assert all(seen.body.get("max_tokens", SHORT) >= SHORT for seen in server.seen)
