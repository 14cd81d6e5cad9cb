from __future__ import annotations

import asyncio
import importlib.util
import logging
import traceback
from base64 import urlsafe_b64decode

import pytest

from evolif.errors import AccessError, ContextOverflowError, ModelError, UsageError, WithheldError
from evolif.models import ChatRequest, Reply, Sampling, address_of, open_model, parse_model_name
from evolif.types import Image, Message, Usage

from .google_server import blocked, candidate, gemini, refuses, retry_in, says
from .server import Answer, Server

pytest.importorskip("google.genai", reason="Google's SDK is not installed (extra `google`)")

KEY = "AIzaSy-0123456789abcdef-not-real"
HELLO = ChatRequest((Message("system", "Be brief."), Message("user", "Hi")))


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TEST_KEY", KEY)


def ask(server: Server, request: ChatRequest = HELLO, *, max_retries: int = 0, timeout: float = 20.0) -> Reply:
    async def main() -> Reply:
        spec = f"google/tiny?base_url={server.url}&key_env=TEST_KEY"
        model = open_model(spec, max_retries=max_retries, timeout=timeout, backoff=0.001)
        assert model.name == "google/tiny" and KEY not in repr(model)
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
    assert KEY not in whole and KEY[:12] not in whole
    assert str(caught.value).startswith("google/tiny: ") and len(str(caught.value)) < 500
    return caught.value


def test_a_conversation_goes_out_in_googles_words() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    messages = (*HELLO.messages, Message("assistant", "Hello."), Message("user", "Again"))
    request = ChatRequest(messages, Sampling(temperature=0.5, max_tokens=9, seed=2**31 + 4), schema)
    with gemini(says('{"a": 1}')) as server:
        reply = ask(server, request)
    assert reply == Reply('{"a": 1}', usage=Usage(7, 8, reasoning_tokens=5), served_by="tiny-001")
    (seen,) = server.seen
    assert seen.path == "/v1/models/tiny:generateContent" and seen.headers["x-goog-api-key"] == KEY
    assert seen.body["contents"] == [
        {"role": "user", "parts": [{"text": "Hi"}]},
        {"role": "model", "parts": [{"text": "Hello."}]},
        {"role": "user", "parts": [{"text": "Again"}]},
    ]
    assert [part["text"] for part in seen.body["systemInstruction"]["parts"]] == ["Be brief."]
    assert seen.body["generationConfig"] == {
        "temperature": 0.5,
        "maxOutputTokens": 9,
        "seed": 4,
        "responseMimeType": "application/json",
        "responseJsonSchema": schema,
    }


def test_images_follow_the_text_as_inline_data() -> None:
    images = (Image(b"\x89PNG\xff\xfe", "image/png"), Image(b"jpeg", "image/jpeg"))
    talk = (Message("user", "Compare.", images), Message("assistant", "Equal."), Message("user", "", images[1:]))
    with gemini(says("Hello.")) as server:
        ask(server, ChatRequest(talk))
    contents = server.seen[0].body["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user"]
    parts = [part for content in contents for part in content["parts"]]
    assert [list(part) for part in parts] == [["text"], ["inlineData"], ["inlineData"], ["text"], ["inlineData"]]
    sent = [part["inlineData"] for part in parts if "inlineData" in part]
    # The SDK sends `mime_type`; the API reads that as well as `mimeType`.
    assert [i.get("mime_type") or i["mimeType"] for i in sent] == ["image/png", "image/jpeg", "image/jpeg"]
    assert [urlsafe_b64decode(i["data"]) for i in sent] == [b"\x89PNG\xff\xfe", b"jpeg", b"jpeg"]


def test_a_system_text_with_images_is_refused() -> None:
    system = Message("system", "Look.", (Image(b"png", "image/png"),))
    with gemini(says("Hello.")) as server, pytest.raises(ModelError, match="system text can hold no images") as caught:
        ask(server, ChatRequest((system, Message("user", "Hi"))))
    assert not caught.value.retryable and server.seen == []


def test_what_is_not_asked_is_not_sent() -> None:
    with gemini(says("Hello.")) as server:
        ask(server, ChatRequest((Message("user", "Hi"),)))
    assert set(server.seen[0].body) <= {"contents", "generationConfig"} and not server.seen[0].body.get(
        "generationConfig"
    )


def test_an_empty_answer_in_the_history_is_left_out() -> None:
    messages = (Message("user", "Hi"), Message("assistant", ""), Message("user", "Well?"))
    with gemini(says("Hello.")) as server:
        assert ask(server, ChatRequest(messages)).text == "Hello."
    assert [c["parts"][0]["text"] for c in server.seen[0].body["contents"]] == ["Hi", "Well?"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("body", "reply"),
    [
        (candidate({"text": "2+2", "thought": True}, {"text": "The "}, {"text": "4"}), Reply("The 4", "2+2")),
        (candidate({"text": "cut"}, finish="MAX_TOKENS"), Reply("cut", truncated=True)),
        (candidate(finish="MAX_TOKENS"), Reply("", truncated=True)),
        (candidate(), Reply("")),
        (candidate({"text": "half \ud800"}), Reply("half ?")),
        (candidate({"text": "kept"}, finish="OTHER"), Reply("kept")),
        (candidate({"text": None}, {"functionCall": {}}, {"text": "x"}), Reply("x")),
        (candidate({"text": "x"}, safetyRatings="none", unheardOf=[1]), Reply("x")),
    ],
)
def test_answers_are_taken_apart(body: dict[str, object], reply: Reply) -> None:
    with gemini(Answer(body)) as server:
        got = ask(server)
    assert (got.text, got.reasoning, got.truncated) == (reply.text, reply.reasoning, reply.truncated)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "told", "usage"),
    [
        ("x", {"promptTokenCount": "7", "candidatesTokenCount": -1}, Usage()),
        ("x", {"promptTokenCount": 7}, Usage()),
        ("", {"promptTokenCount": 7}, Usage(7, 0)),
        ("x", {"promptTokenCount": 7, "candidatesTokenCount": 2, "thoughtsTokenCount": "3"}, Usage()),
        ("x", None, Usage()),
    ],
)
def test_missing_or_odd_usage_is_unknown(text: str, told: object, usage: Usage) -> None:
    with gemini(Answer(candidate({"text": text}) | {"usageMetadata": told})) as server:
        assert ask(server).usage == usage


@pytest.mark.sampled
@pytest.mark.parametrize(
    "answer",
    [
        blocked(),
        blocked("OTHER"),
        Answer(candidate({"text": "half an answ"}, finish="SAFETY")),
        Answer(candidate(finish="PROHIBITED_CONTENT")),
        Answer(candidate(finish="RECITATION")),
    ],
)
def test_a_safety_block_is_withheld(answer: Answer) -> None:
    with gemini(answer) as server:
        assert isinstance(fault(server, max_retries=2), WithheldError)
    assert len(server.seen) == 1


@pytest.mark.sampled
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{ broken",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"<html>proxy</html>",
        b"{}",
        b'{"candidates": []}',
        b'{"candidates": [null]}',
        b'{"candidates": "none"}',
        b'{"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}',
        b'{"candidates": [{"finishReason": "OTHER", "content": {"parts": []}}]}',
        b'{"candidates": [{"finishReason": "STOP", "content": 42}]}',
        b'{"candidates": [{"finishReason": "STOP", "content": {"parts": 42}}]}',
        b'{"candidates": [{"finishReason": "STOP", "content": {"parts": {"text": "x"}}}]}',
        b'{"candidates": [{"finishReason": "STOP", "content": {"parts": ["x"]}}]}',
        b'{"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": 42}]}}]}',
        b'{"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": {"a": 1}}]}}]}',
        b'{"candidates": [{"finishReason": "STOP", "content": {"parts": [{"functionCall": {"name": "f"}}]}}]}',
        b'{"candidates": [{"content": {"parts": [{"text": "x"}, {"executableCode": {"code": "1"}}]}}]}',
    ],
)
def test_answers_that_are_none_are_the_servers_fault(body: bytes) -> None:
    with gemini(Answer(body)) as server:
        caught = fault(server)
    assert caught.retryable and "no usable completion" in str(caught)


def test_too_many_requests_are_asked_again_when_it_says_so() -> None:
    quota = refuses(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check", retry_in("0.01s"))
    with gemini(quota, refuses(503, "UNAVAILABLE", "The model is overloaded."), says("at last")) as server:
        assert ask(server, max_retries=2).text == "at last"
    assert len(server.seen) == 3


def test_retry_info_is_told() -> None:
    with gemini(refuses(429, "RESOURCE_EXHAUSTED", "Slow down.", {"@type": "x"}, retry_in("37.5s"))) as server:
        caught = fault(server)
    assert (caught.retryable, caught.pushed_back, caught.retry_after) == (True, True, 37.5)


@pytest.mark.sampled
@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_what_can_pass_is_retryable(status: int) -> None:
    with gemini(refuses(status, "INTERNAL", "An internal error, KEY", echo_key=True)) as server:
        caught = fault(server)
    assert caught.retryable and caught.pushed_back == (status in {503, 504})


def test_an_error_that_is_no_json_is_told() -> None:
    with gemini(Answer(b"<html>Bad gateway</html>", 502)) as server:
        assert "answered 502: <html>Bad gateway</html>" in str(fault(server))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (
            refuses(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key: KEY"),
            AccessError,
            "TEST_KEY",
        ),
        (refuses(403, "PERMISSION_DENIED", "KEY may not use this"), AccessError, "check the key in TEST_KEY"),
        (refuses(404, "NOT_FOUND", "models/tiny is not found"), AccessError, "check the model's name"),
        (refuses(400, "INVALID_ARGUMENT", "Unknown field"), ModelError, "retrying will not help"),
        (
            refuses(
                400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed (8)."
            ),
            ContextOverflowError,
            "no longer fits",
        ),
    ],
)
def test_what_cannot_pass_is_not_repeated(answer: Answer, kind: type[ModelError], words: str) -> None:
    with gemini(Answer(answer.body, answer.status, echo_key=True)) as server:
        caught = fault(server, max_retries=2)
    assert type(caught) is kind and not caught.retryable and words in str(caught)
    assert len(server.seen) == 1


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("stall", "did not answer within"),
        ("drip", "did not answer within"),
        ("reset", "could not be reached"),
        ("hang up", "could not be reached"),
        ("noise", "could not be reached"),
    ],
)
def test_broken_transports_are_retryable(kind: str, words: str) -> None:
    with gemini(Answer(candidate({"text": "x"}), fault=kind)) as server:
        caught = fault(server, timeout=0.3 if words.startswith("did not") else 20.0)
    assert caught.retryable and words in str(caught)


def test_nobody_listening_is_retryable() -> None:
    with gemini(says("x")) as server:
        pass
    caught = fault(server)
    assert caught.retryable and "127.0.0.1 could not be reached (connection refused)" in str(caught)


def test_no_log_record_holds_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with gemini(refuses(403, "PERMISSION_DENIED", "No: KEY", echo_key=True)) as server:
        fault(server)
    assert KEY not in "".join(f"{r.getMessage()} {r.__dict__!r}" for r in caplog.records)


def test_a_model_can_be_used_again_after_closing() -> None:
    with gemini(says("Hello.")) as server:
        model = open_model("google/tiny", base_url=server.url)  # and asks for no key

        async def once() -> str:
            try:
                return (await model.complete(HELLO)).text
            finally:
                await model.aclose()

        assert asyncio.run(once()) == asyncio.run(once()) == "Hello."
    assert server.seen[0].headers["x-goog-api-key"] == "none"


def test_the_environments_own_keys_and_projects_go_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "mine")
    with gemini(says("Hello.")) as server:
        model = open_model("google/tiny", base_url=server.url)

        async def main() -> None:
            await model.complete(HELLO)
            await model.aclose()

        asyncio.run(main())
    assert KEY not in str(server.seen[0].headers) and server.seen[0].path == "/v1/models/tiny:generateContent"


@pytest.mark.parametrize("variable", ["GOOGLE_API_KEY", "GEMINI_API_KEY"])
def test_the_default_endpoint_takes_either_key(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, f" {KEY}\n")
    with gemini(says("Hello.")) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        assert address_of(parse_model_name("google/tiny")) == server.url
        model = open_model("google/tiny")

        async def main() -> None:
            await model.complete(HELLO)
            await model.aclose()

        asyncio.run(main())
    assert server.seen[0].headers["x-goog-api-key"] == KEY


def test_a_missing_key_names_its_variable() -> None:
    with pytest.raises(UsageError, match="set the environment variable GEMINI_API_KEY"):
        open_model("google/gemini-3-pro")


def test_a_missing_sdk_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_spec(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    with pytest.raises(UsageError, match=r"pip install -e '.\[google\]'"):
        open_model("google/gemini-3-pro")
