from __future__ import annotations

import asyncio
import traceback
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest

import evolif
from evolif.errors import ContextOverflowError, EvolifError, ModelError, UsageError, WithheldError
from evolif.models import ChatRequest, Reply, Sampling, open_model, parse_model_name
from evolif.models.endpoint import redact, resolve_endpoint
from evolif.models.openai import split_reasoning
from evolif.types import Image, Message, Usage

from .server import Answer, Server, completion, error, ok, serving

SOON = {"Retry-After-Ms": "10"}
KEY = "kk-live-0123456789abcdef-not-real"
HELLO = ChatRequest((Message("system", "Be brief."), Message("user", "Hi")))


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TEST_KEY", KEY)


def ask(server: Server, request: ChatRequest = HELLO, *, max_retries: int = 0, timeout: float = 20.0) -> Reply:
    async def main() -> Reply:
        model = open_model(
            f"openai/tiny?base_url={server.url}&key_env=TEST_KEY",
            max_retries=max_retries,
            timeout=timeout,
            backoff=0.001,
        )
        assert model.connections == 200 and KEY not in repr(model)
        try:
            return await model.complete(request)
        finally:
            await model.aclose()

    return asyncio.run(main())


def fault(server: Server, *, max_retries: int = 0, timeout: float = 20.0) -> ModelError:
    """The error of a call, after a look at everything of it that could reach a log."""
    with pytest.raises(ModelError) as caught:
        ask(server, max_retries=max_retries, timeout=timeout)
    whole = "".join(traceback.format_exception(caught.value)) + repr(caught.value.__context__) + repr(caught.value.args)
    assert KEY not in whole and KEY[:12] not in whole and "Bearer" not in whole
    assert str(caught.value).startswith("openai/tiny: ") and len(str(caught.value)) < 500
    assert str(caught.value).isprintable()
    return caught.value


def test_an_answer_comes_with_all_that_was_asked() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    request = ChatRequest(HELLO.messages, Sampling(temperature=0.5, max_tokens=9, seed=4), schema)
    with serving(ok("Hello.")) as server:
        reply = ask(server, request)
    assert reply == Reply("Hello.", usage=Usage(7, 3), served_by="tiny-2026-01-01")
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions" and seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.body == {
        "model": "tiny",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "temperature": 0.5,
        "max_tokens": 9,
        "seed": 4,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}},
    }


def test_images_follow_the_text_as_data_urls() -> None:
    images = (Image(b"\x89PNG\xff\xfe", "image/png"), Image(b"jpeg", "image/jpeg"))
    talk = (Message("user", "Compare.", images), Message("assistant", "Equal."), Message("user", "", images[1:]))
    with serving(ok()) as server:
        ask(server, ChatRequest(talk))
    png, jpeg = (
        {"type": "image_url", "image_url": {"url": url}}
        for url in ("data:image/png;base64,iVBOR//+", "data:image/jpeg;base64,anBlZw==")
    )
    assert server.seen[0].body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Compare."}, png, jpeg]},
        {"role": "assistant", "content": "Equal."},
        {"role": "user", "content": [jpeg]},
    ]


def test_what_is_not_asked_is_not_sent() -> None:
    with serving(ok()) as server:
        ask(server)
    assert set(server.seen[0].body) == {"model", "messages"}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (ok(None), Reply("")),
        (ok("cut", finish="length"), Reply("cut", truncated=True)),
        (ok("4", reasoning_content="2+2"), Reply("4", "2+2")),
        (ok("4", reasoning="2+2"), Reply("4", "2+2")),
        (ok("<think>\n2+2\n</think>\n\n4"), Reply("4", "2+2")),
        (ok(" <think>on and on", finish="length"), Reply("", "on and on", truncated=True)),
        (ok("Use <think>x</think>."), Reply("Use <think>x</think>.")),
        (ok(None, refusal="I will not."), Reply("I will not.")),
        (ok("half \ud800"), Reply("half ?")),
        (
            ok([{"type": "thinking", "thinking": [{"type": "text", "text": "2+2"}]}, {"type": "text", "text": "4"}]),
            Reply("4", "2+2"),
        ),
    ],
)
def test_answers_are_taken_apart(answer: Answer, reply: Reply) -> None:
    with serving(answer) as server:
        got = ask(server)
    assert (got.text, got.reasoning, got.truncated) == (reply.text, reply.reasoning, reply.truncated)


def test_missing_usage_is_unknown() -> None:
    body = completion() | {"usage": None, "model": None}
    with serving(Answer(body)) as server:
        assert ask(server) == Reply("Hello.")


@pytest.mark.sampled
@pytest.mark.parametrize("tokens", [None, -3, "3", 2.5, True, 2**60, [3]])
def test_usage_with_a_number_that_is_none_is_unknown(tokens: object) -> None:
    for name in ("prompt_tokens", "completion_tokens"):
        body = completion()
        body["usage"][name] = tokens
        with serving(Answer(body)) as server:
            assert ask(server).usage == Usage()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("answer", "may_cost"),
    [
        (error(400, "no"), False),
        (error(429, "busy"), False),
        (error(500, "broken"), False),
        (error(400, "blocked", code="content_filter"), False),
        (ok("", finish="content_filter"), True),
        (Answer(b"{half"), True),
        (Answer(fault="reset"), True),
        (Answer(fault="hang up"), True),
    ],
)
def test_what_was_not_refused_may_cost(answer: Answer, may_cost: bool) -> None:
    with serving(answer) as server:
        assert fault(server).may_cost is may_cost


def test_unterminated_reasoning_is_no_answer() -> None:
    assert split_reasoning("<think>a </think") == ("", "a </think")
    assert split_reasoning("plain") == ("plain", "")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "answer",
    [
        error(400, "This model's maximum context length is 4096 tokens.", code="context_length_exceeded"),
        error(400, "too big", code="context_length_exceeded"),
        error(400, "request (631 tokens) exceeds the available context size (512 tokens)", code=400),
        error(422, "`inputs` tokens + `max_new_tokens` must be <= 4096"),
        error(400, "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
        error(500, "Context size has been exceeded."),
    ],
)
def test_too_long_conversations_overflow(answer: Answer) -> None:
    with serving(answer) as server:
        assert isinstance(fault(server), ContextOverflowError)


@pytest.mark.parametrize(
    "answer",
    [
        ok(None, finish="content_filter"),
        error(400, "The response was filtered", code="content_filter"),
        error(400, "violates our policy", code="content_policy_violation"),
        error(403, "Your input was flagged by moderation"),
    ],
)
def test_filtered_conversations_are_withheld(answer: Answer) -> None:
    with serving(answer) as server:
        assert isinstance(fault(server), WithheldError)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_cannot_pass_is_not_repeated_and_shows_no_key(status: int) -> None:
    message = "No: KEY; Authorization: Bearer KEY\n\x1b[31mKEY" + " and so on" * 100
    with serving(error(status, message, echo_key=True)) as server:
        caught = fault(server, max_retries=2)
    assert not caught.retryable and f"answered {status}: No: [key]" in str(caught)
    assert len(server.seen) == 1
    assert ("TEST_KEY" in str(caught)) == (status in {401, 403})


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_what_can_pass_is_retryable(status: int) -> None:
    with serving(error(status, "not now, KEY", echo_key=True)) as server:
        assert fault(server).retryable


def test_an_empty_purse_is_not_retryable() -> None:
    with serving(error(429, "You exceeded your quota", code="insufficient_quota")) as server:
        assert not fault(server).retryable


def test_what_can_pass_is_asked_again() -> None:
    slow_down = error(429, "slow down", headers=SOON)
    with serving(slow_down, error(500, "oops", headers=SOON), ok("at last")) as server:
        assert ask(server, max_retries=2).text == "at last"
    assert len(server.seen) == 3


@pytest.mark.sampled
@pytest.mark.parametrize(
    "body",
    [
        b"{ broken",
        b"\xff\xfe",
        b"",
        b"[]",
        b"null",
        b'"text"',
        b"<html>proxy</html>",
        b'{"choices": []}',
        b'{"choices": [null]}',
        b'{"choices": [{"finish_reason": "stop"}]}',
        b'{"choices": [{"finish_reason": "error", "error": {"message": "upstream"}, "message": {"content": ""}}]}',
        b'{"error": {"message": "overloaded"}}',
        b'{"choices": [{"message": {"content": 42}}]}',
        b'{"choices": [{"message": {"content": {"a": 1}}}]}',
        b'{"choices": [{"message": {"content": {"type": "text", "text": "x"}}}]}',
        b'{"choices": [{"message": {"content": true}}]}',
        b'{"choices": [{"message": {"content": ["a", "b"]}}]}',
        b'{"choices": [{"message": {"content": [1, 2]}}]}',
        b'{"choices": [{"message": {"content": [{"type": "text", "text": 42}]}}]}',
        b'{"choices": [{"message": {"content": [{"text": "no type"}]}}]}',
        b'{"choices": [{"message": {"content": null, "tool_calls": [{"id": "1", "type": "function"}]}}]}',
        b'{"choices": [{"message": {"content": "I look it up.", "tool_calls": [{"id": "1"}]}}]}',
        b'{"choices": [{"message": {"content": null, "function_call": {"name": "search"}}}]}',
        b'{"choices": [{"finish_reason": "tool_calls", "message": {"content": null}}]}',
    ],
)
def test_malformed_answers_are_the_servers_fault(body: bytes) -> None:
    with serving(Answer(body)) as server:
        assert fault(server).retryable


@pytest.mark.parametrize("more", [{"tool_calls": []}, {"tool_calls": None}, {"function_call": None}, {"audio": None}])
def test_empty_lists_of_calls_are_none(more: dict[str, object]) -> None:
    with serving(ok("Hello.", **more)) as server:
        assert ask(server).text == "Hello."


@pytest.mark.parametrize("content", ["", None, [], [{"type": "text", "text": ""}]])
def test_an_empty_answer_is_an_answer(content: object) -> None:
    with serving(ok(content)) as server:
        assert ask(server).text == ""
    assert len(server.seen) == 1


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kind", "words"),
    [("stall", "did not answer within"), ("drip", "did not answer within"), ("reset", "could not be reached")],
)
def test_broken_transports_are_retryable(kind: str, words: str) -> None:
    with serving(Answer(completion(), fault=kind)) as server:
        caught = fault(server, timeout=20.0 if kind == "reset" else 0.3)
    assert caught.retryable and words in str(caught)


def test_nobody_listening_is_retryable() -> None:
    with serving(ok()) as server:
        pass
    caught = fault(server)
    assert caught.retryable and "127.0.0.1 could not be reached" in str(caught) and not caught.may_cost


def test_a_model_can_be_used_again_after_closing() -> None:
    with serving(ok()) as server:
        model = open_model("openai/tiny", base_url=server.url)

        async def once() -> str:
            try:
                return (await model.complete(HELLO)).text
            finally:
                await model.aclose()

        assert asyncio.run(once()) == asyncio.run(once()) == "Hello."


def test_a_custom_endpoint_gets_nothing_meant_for_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-default-key")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer sk-ambient\nX-Mine: 1")
    with serving(ok()) as server:
        model = open_model(f"openai/tiny?base_url={server.url}")

        async def main() -> None:
            await model.complete(HELLO)
            await model.aclose()

        asyncio.run(main())
    headers = server.seen[0].headers
    assert headers["authorization"] == "Bearer none"
    assert not {"x-mine", "openai-organization"} & set(headers)
    assert not [
        name for name in headers if name.startswith("x-stainless-") and name.endswith(("os", "arch", "runtime"))
    ]


def test_the_default_endpoint_uses_its_own_key_and_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    endpoint = resolve_endpoint(parse_model_name("openai/gpt-5"))
    assert endpoint.key == KEY and endpoint.is_openai and not endpoint.custom
    assert KEY not in repr(endpoint)
    with serving(ok()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model = open_model("openai/gpt-5")

        async def main() -> None:
            await model.complete(ChatRequest(HELLO.messages, Sampling(max_tokens=5)))
            await model.aclose()

        asyncio.run(main())
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.seen[0].body["max_tokens"] == 5


def test_the_original_service_is_sent_its_newer_parameter() -> None:
    from evolif.models.endpoint import Endpoint
    from evolif.models.openai import OpenAIModel

    model = OpenAIModel("gpt-5", Endpoint(custom=False))
    arguments = model._arguments(ChatRequest((), Sampling(max_tokens=5)), model._pioneer.knowledge.dialect)
    assert arguments["max_completion_tokens"] == 5 and "max_tokens" not in arguments


@pytest.mark.parametrize(
    ("spec", "variable"),
    [("openai/m", "OPENAI_API_KEY"), ("openai/m?base_url=http://127.0.0.1:9/v1&key_env=ABSENT_KEY", "ABSENT_KEY")],
)
def test_a_missing_key_names_its_variable(spec: str, variable: str) -> None:
    with pytest.raises(UsageError, match=f"set the environment variable {variable}"):
        open_model(spec)


def test_a_key_no_header_can_carry_is_refused_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "se\ncrêt")
    with pytest.raises(UsageError, match="characters that cannot be sent in a request") as caught:
        open_model("openai/m")
    assert "cr" not in str(caught.value).replace("characters", "").replace("carry", "")


@pytest.mark.parametrize(
    "text",
    [f"a {KEY} b", f"a {KEY[:5]}\x00{KEY[5:]}", f"starts {KEY[:15]}…", "x" * 290 + KEY, f"Authorization: Basic {KEY}"],
)
def test_redaction_leaves_no_part_of_a_key(text: str) -> None:
    clean = redact(text, KEY)
    assert KEY[:10] not in clean and clean.isprintable() and len(clean) <= 300


LONG = "sq9-Abcdefghij/klm+nopqrstuvwxyz0123456789"


@pytest.mark.parametrize("at", range(len(LONG) - 11))
@pytest.mark.parametrize("length", [12, 13, 20])
def test_no_twelve_characters_of_a_key_are_repeated(at: int, length: int) -> None:
    part = LONG[at : at + length]
    for text in (f"got '{part}'", f"x{part}y", quote(part, safe=""), f"{part} and {part}", f"{part[:3]}\x07{part[3:]}"):
        clean = redact(text, LONG)
        assert not any(LONG[i : i + 12] in clean for i in range(len(LONG) - 11)), clean
        assert "[key]" in clean


def test_fewer_characters_of_a_key_may_be_words() -> None:
    assert redact("the model klm+nopqrst is unknown", LONG) == "the model klm+nopqrst is unknown"
    assert redact("a" * 300, "b" * 40) == "a" * 300


def test_the_middle_of_a_key_in_an_error_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "".join(f"{n:02d}kQ" for n in range(12))
    monkeypatch.setenv("ECHOED_KEY", key)
    bench = evolif.generate(tmp_path / "b", dialogues=1, turns=1, seed=1, profile="objective")
    with serving(error(500, f"worker died: ...{key[14:34]}... at 3")) as server:
        model = f"openai/m?base_url={server.url}&key_env=ECHOED_KEY"
        with suppress(EvolifError):
            evolif.evaluate(bench, [model], tmp_path / "r", max_retries=0).close()
    stored = b"".join(file.read_bytes() for file in (tmp_path / "r").rglob("*") if file.is_file())
    assert b"worker died" in stored
    assert not any(key[at : at + 12].encode() in stored for at in range(len(key) - 11))
