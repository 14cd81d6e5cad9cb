"""Whatever an endpoint does, through the real SDK: what can pass is asked again, the rest ends in one sentence."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import socket
import traceback
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml

from evolif.errors import AccessError, ContextOverflowError, ModelError, WithheldError
from evolif.models import ChatModel, ChatRequest, ManagedModel, Reply, managed, open_model, parse_model_name
from evolif.models.faults import EndpointErrors
from evolif.models.openai import OpenAIModel
from evolif.models.waits import RetryPolicy
from evolif.types import Message

from .scripted import Faulty
from .server import Answer, Seen, completion, error, ok, serving

T = TypeVar("T")
KEY = "kk-live-0123456789abcdef-not-real"
HELLO = ChatRequest((Message("user", "Hi"),))
SOON = {"Retry-After-Ms": "10"}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TEST_KEY", KEY)


def using(model: ChatModel, work: Callable[[], Awaitable[T]]) -> T:
    async def main() -> T:
        try:
            return await work()
        finally:
            await model.aclose()

    return asyncio.run(main())


def opened(url: str, *, max_retries: int = 2, timeout: float = 20.0, connections: int | None = None) -> ManagedModel:
    spec = f"openai/tiny?base_url={url}&key_env=TEST_KEY"
    return managed(open_model(spec, max_retries=max_retries, timeout=timeout, backoff=1e-6), connections)


def ask(url: str, *, max_retries: int = 2, timeout: float = 20.0) -> Reply:
    model = opened(url, max_retries=max_retries, timeout=timeout)
    return using(model, lambda: model.complete(HELLO))


def fault(url: str, *, max_retries: int = 2, timeout: float = 20.0) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(url, max_retries=max_retries, timeout=timeout)
    return caught.value


def ask_many(model: ChatModel, calls: int) -> list[Reply]:
    async def work() -> list[Reply]:
        return await asyncio.gather(*(model.complete(HELLO) for _ in range(calls)))

    return using(model, work)


@pytest.mark.slow
def test_a_storm_of_refusals_is_sat_out() -> None:
    with serving(*[error(429, "slow down", headers=SOON)] * 40, ok("at last")) as server:
        model = opened(server.url, max_retries=20)
        replies = ask_many(model, 30)
    assert {reply.text for reply in replies} == {"at last"}
    assert len(server.seen) == 70 and model.limit.cuts >= 1 and model.limit.in_flight == 0


@pytest.mark.slow
def test_faults_here_and_there_cost_no_call() -> None:
    def sometimes(seen: Seen) -> Answer | None:
        return faults.pop() if len(server.seen) % 5 == 0 and faults else None

    faults = [
        error(500, "oops"),
        error(502, "oops"),
        error(503, "oops", headers=SOON),
        error(429, "oops", headers=SOON),
    ]
    faults += [Answer(completion(), fault="reset"), Answer(completion(), fault="hang up"), Answer(b"{ broken")]
    faults += [Answer(completion(), fault="noise"), Answer(b"", 200), error(529, "oops"), error(504, "oops")]
    count = len(faults)
    with serving(ok("fine"), answering=sometimes) as server:
        replies = ask_many(opened(server.url, max_retries=5), 60)
    assert [reply.text for reply in replies] == ["fine"] * 60
    assert not faults and len(server.seen) >= 60 + count  # a broken connection may take another call's request along


@pytest.mark.sampled
@pytest.mark.parametrize("status", [500, 502, 503, 504, 529, 429, 408])
def test_what_can_pass_is_asked_so_often_and_no_more(status: int) -> None:
    with serving(error(status, "not now", headers=SOON)) as server:
        caught = fault(server.url, max_retries=3)
    assert caught.retryable and f"answered {status}: not now" in str(caught) and len(server.seen) == 4
    assert caught.pushed_back == (status in {408, 429, 503, 504, 529})


@pytest.mark.sampled
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 422])
def test_what_cannot_pass_is_asked_once(status: int) -> None:
    with serving(error(status, "no")) as server:
        caught = fault(server.url)
    assert not caught.retryable and len(server.seen) == 1
    assert isinstance(caught, AccessError) == (status in {401, 402, 403, 404})


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("stall", "did not answer within 0.3 s"),
        ("drip", "did not answer within 0.3 s"),
        ("reset", "could not be reached"),
        ("hang up", "could not be reached (ServerDisconnectedError)"),
        ("noise", "could not be reached"),
    ],
)
def test_broken_bodies_and_connections_are_asked_again(kind: str, words: str) -> None:
    timeout = 0.3 if words.startswith("did not answer") else 20.0
    with serving(Answer(completion(), fault=kind), ok("at last")) as server:
        assert ask(server.url, timeout=timeout).text == "at last" and len(server.seen) == 2
    with serving(Answer(completion(), fault=kind)) as server:
        caught = fault(server.url, max_retries=0, timeout=timeout)
    assert caught.retryable and words in str(caught) and caught.pushed_back == words.startswith("did not answer")


@pytest.mark.parametrize("status", [200, 500])
def test_a_body_without_end_is_not_read_to_the_end(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolif.models.transport.LARGEST_BODY", 2**20)
    with serving(Answer(completion(), status, fault="flood")) as server:
        caught = fault(server.url, max_retries=0)
    assert caught.retryable and "the body is larger than 1048576 bytes" in str(caught)


def test_what_unpacks_to_too_much_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolif.models.transport.LARGEST_BODY", 2**20)
    with serving(Answer(gzip.compress(b" " * 2**24), headers={"Content-Encoding": "gzip"})) as server:
        assert "the body is larger than 1048576 bytes" in str(fault(server.url, max_retries=0))
    with serving(
        Answer(gzip.compress(json.dumps(completion("packed")).encode()), headers={"Content-Encoding": "gzip"})
    ) as s:
        assert ask(s.url).text == "packed"
    with serving(Answer(b"no gzip", headers={"Content-Encoding": "gzip"})) as server:
        assert fault(server.url, max_retries=0).retryable


def test_nobody_listening_is_asked_again() -> None:
    with serving(ok()) as server:
        pass
    caught = fault(server.url)
    assert caught.retryable and "127.0.0.1 could not be reached (connection refused)" in str(caught)


def test_a_name_nobody_knows_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = []

    def unknown(host: str, *args: object, **options: object) -> None:
        looked_up.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    caught = fault("http://model.example:8000/v1", max_retries=1)
    assert caught.retryable and "model.example could not be reached (unknown host name)" in str(caught)
    assert len(looked_up) == 2


@pytest.mark.slow
def test_a_server_that_dies_and_comes_back_answers_everybody() -> None:
    """It dies with connections open to it, and comes back at the same address after ten calls have failed."""
    failures: list[Exception] = []
    with ExitStack() as later, asyncio.Runner() as runner:

        def failed(error: Exception) -> None:
            failures.append(error)
            if len(failures) == 10:
                later.enter_context(serving(ok("after"), port=first.port))

        async def ask_all() -> set[str]:
            return {reply.text for reply in await asyncio.gather(*(model.complete(HELLO) for _ in range(8)))}

        with serving(ok("before")) as first:
            endpoint = OpenAIModel.from_name(parse_model_name(f"openai/tiny?base_url={first.url}&key_env=TEST_KEY"))
            policy = RetryPolicy(1000, first=0.001, longest=0.01)
            client = Faulty(endpoint, failed)
            model = ManagedModel(client, managed(client, 8).limit, policy)
            assert runner.run(ask_all()) == {"before"}
        try:
            assert runner.run(ask_all()) == {"after"}
        finally:
            runner.run(model.aclose())
    assert len(failures) >= 10 and all(isinstance(f, ModelError) and f.retryable for f in failures)


def test_who_asks_to_come_back_in_an_hour_is_not_waited_for() -> None:
    with serving(error(429, "come back later", headers={"Retry-After": "3600"})) as server:
        caught = fault(server.url)
    assert caught.retryable and "retry after 3600 s" in str(caught) and len(server.seen) == 1


def test_null_content_is_an_empty_answer() -> None:
    with serving(ok(None)) as server:
        assert ask(server.url).text == ""


@pytest.mark.parametrize("answer", [ok(None, finish="content_filter"), error(400, "filtered", code="content_filter")])
def test_a_filtered_conversation_is_asked_once(answer: Answer) -> None:
    with serving(answer) as server:
        assert isinstance(fault(server.url), WithheldError) and len(server.seen) == 1


def test_a_wrong_key_is_told_once_and_nowhere_repeated(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    said = (
        "Incorrect API key provided: KEY. Header was 'Authorization: Bearer KEY', you sent kk-l*****************real."
    )
    with serving(error(401, said, code="invalid_api_key", echo_key=True, headers={"X-Echo": KEY})) as server:
        model = opened(server.url)
        with pytest.raises(AccessError, match="check the key in TEST_KEY") as caught:
            using(model, lambda: model.complete(HELLO))
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}" and len(server.seen) == 1
    shown = [
        "".join(traceback.format_exception(caught.value)),
        repr(caught.value.__context__),
        repr(caught.value.__dict__),
    ]
    shown += [f"{record.getMessage()} {record.__dict__!r}" for record in caplog.records]
    shown += [repr(model), repr(vars(model)), repr(model.limit)]
    assert not any(KEY in text or "kk-l" in text for text in shown)


def test_of_a_model_that_has_answered_a_refusal_is_about_the_request() -> None:
    with serving(ok(), error(404, "no such conversation"), error(403, "not this"), error(401, "revoked")) as server:
        model = open_model("openai/tiny", base_url=server.url, max_retries=0)

        async def work() -> list[type]:
            await model.complete(HELLO)
            kinds = []
            for _ in range(3):
                with pytest.raises(ModelError) as caught:
                    await model.complete(HELLO)
                kinds.append(type(caught.value))
            return kinds

        assert using(model, work) == [ModelError, ModelError, AccessError]


@pytest.mark.parametrize(("code", "retryable"), [(502, True), (429, True), (400, False)])
def test_an_error_in_an_answer_of_status_200_is_read(code: int, retryable: bool) -> None:
    with serving(Answer({"error": {"code": code, "message": "Provider returned error"}})) as server:
        caught = fault(server.url, max_retries=1)
    assert caught.retryable == retryable and f"answered {code}" in str(caught)
    assert len(server.seen) == 1 + retryable


def test_nothing_follows_to_another_address() -> None:
    with serving(ok("elsewhere")) as other:
        to = {"Location": f"{other.url}/chat/completions"}
        with serving(Answer(b"", 307, headers=to)) as server:
            caught = fault(server.url)
    assert "answered 307" in str(caught) and other.seen == []


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(ok("by the proxy")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert ask("http://model.example/v1").text == "by the proxy"
    assert proxy.seen[0].path == "http://model.example/v1/chat/completions"


ERRORS = EndpointErrors("openai/tiny", "api.example", KEY, "TEST_KEY")


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        "prompt is too long: 208310 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 199211 + 20000 > 200000",
        "Prompt contains 33000 tokens, too large for model with 32768 maximum context length",
        "too many tokens: total number of tokens in the prompt cannot exceed 4081",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Input is too long for requested model.",
        "Number of input tokens exceeds maximum length",
        "the request exceeds the available context size, try increasing it",
        "Your request exceeded model token limit: 8192",
        "Range of input length should be [1, 30720]",
        "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
        "`inputs` must have less than 4096 tokens. Given: 5000",
        "Prompt exceeds max length",
    ],
)
def test_the_words_for_too_long_are_many(said: str) -> None:
    assert isinstance(ERRORS.refused(400, {"error": {"message": said}}), ContextOverflowError)


@pytest.mark.parametrize(
    "said",
    [
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
        "Unsupported value: 'temperature' does not support 0.5 with this model.",
        "Invalid schema for response_format 'answer'.",
        "Rate limit reached: tokens per minute.",
    ],
)
def test_other_words_are_not_taken_for_it(said: str) -> None:
    assert type(ERRORS.refused(400, {"error": {"message": said}})) is ModelError


def test_the_conversation_repeated_in_an_error_proves_nothing() -> None:
    body = {
        "detail": [
            {"type": "extra_forbidden", "msg": "no", "input": "moderation: maximum context length, api key invalid"}
        ]
    }
    caught = ERRORS.refused(422, body)
    assert type(caught) is ModelError and not caught.retryable


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}),
        (400, {"error": {"message": "Your credit balance is too low to access the API."}}),
        (402, {"error": {"message": "Insufficient Balance"}}),
        (400, {"error": {"message": "Incorrect API key provided"}}),
        (403, "Invalid API key"),
    ],
)
def test_what_no_call_can_pass_stops_the_asking(status: int, body: object) -> None:
    caught = ERRORS.refused(status, body, answered=True)
    assert isinstance(caught, AccessError) and not caught.retryable


def test_a_gateway_without_a_server_for_schemas_bars_nothing() -> None:
    said = "No endpoints found that can handle the requested parameters."
    assert type(ERRORS.refused(404, {"error": {"message": said, "code": 404}})) is ModelError


@pytest.mark.parametrize("said", ["Content Exists Risk", "Your prompt was flagged as potentially violating our policy"])
def test_the_words_for_filtered_are_many(said: str) -> None:
    assert isinstance(ERRORS.refused(400, {"error": {"message": said}}), WithheldError)


@pytest.mark.parametrize("body", [None, "", [], {}, {"error": None}, {"error": {"message": None}}, 7, [[[[]]]]])
def test_an_error_of_any_shape_is_said(body: object) -> None:
    assert "answered 500" in str(ERRORS.refused(500, body))


def test_a_huge_error_is_said_shortly() -> None:
    text = "x context " * 10**6
    caught = ERRORS.refused(400, {"error": {"message": text, "errors": [text] * 50}})
    assert len(str(caught)) < 500


PROVIDER_ERRORS = yaml.safe_load((Path(__file__).parent / "provider_errors.yaml").read_text("utf-8"))
KINDS = {"length": ContextOverflowError, "content": WithheldError}


def test_the_cases_are_of_many_providers() -> None:
    assert len(PROVIDER_ERRORS) >= 60 and len({case["of"] for case in PROVIDER_ERRORS}) >= 10
    assert all(case["source"] for case in PROVIDER_ERRORS)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "case", PROVIDER_ERRORS, ids=[f"{i}-{case['of']}-{case['means']}" for i, case in enumerate(PROVIDER_ERRORS)]
)
def test_what_a_provider_says_is_taken_for_what_it_is(case: dict[str, Any]) -> None:
    sent = case.get("body", case.get("text"))
    caught = ERRORS.refused(case["status"], sent)
    assert isinstance(caught, KINDS.get(case["means"], ModelError))
    assert isinstance(caught, ContextOverflowError | WithheldError) == (case["means"] in KINDS)
    # The same through the SDK, which hands on only a part of the body.
    answer = Answer(sent if "body" in case else sent.encode(), case["status"])
    with serving(answer) as server:
        received = fault(server.url, max_retries=0)
    assert type(received) is type(caught)


@pytest.mark.parametrize("status", [401, 402, 404, 429, 502, 503])
def test_a_status_of_another_fault_outweighs_the_words(status: int) -> None:
    said = "This model's maximum context length is 8192 tokens. Your prompt was flagged as violating our usage policy."
    body = {"error": {"message": said, "code": "context_length_exceeded", "type": "content_filter"}}
    assert not isinstance(ERRORS.refused(status, body), ContextOverflowError | WithheldError)


@pytest.mark.parametrize(
    "said",
    [
        "Your account was flagged as violating our usage policy.",
        "IP flagged as suspicious",
        "The moderation endpoint is down.",
        "content_filter must be a boolean",
        "Your organization violates our usage policies and has been disabled.",
        "context_length is not a valid option",
        "Unknown argument: context window",
    ],
)
@pytest.mark.parametrize("status", [400, 403])
def test_words_of_a_refusal_about_something_else_are_a_fault(status: int, said: str) -> None:
    for body in ({"error": {"message": said}}, {"error": said}, {"message": said}, said):
        caught = ERRORS.refused(status, body, answered=True)
        assert type(caught) is ModelError and not caught.retryable
