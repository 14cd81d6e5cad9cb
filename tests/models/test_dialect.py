"""Requests that an endpoint refuses for one of their parameters: sent in another form, or said plainly."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import evolif
from evolif.errors import ModelError
from evolif.models import ChatRequest, RequestCache, Sampling, SchemaCalls, open_cache, open_model
from evolif.models import ModelCache as Cached
from evolif.models.base import ChatModel
from evolif.models.refused_parameters import SYSTEM, RefusedParameter, refused_parameter
from evolif.types import Message
from evolif.util.resources import load_data

from .server import Answer, Seen, Server, ok, serving

BODIES: list[dict[str, Any]] = load_data(Path(__file__).with_name("refused_parameters.yaml"))
SENT = frozenset({"max_tokens", "max_completion_tokens", "temperature", "seed", "response_format", SYSTEM})
HELLO = (Message("system", "Be brief."), Message("user", "Hi"))
LIMITED = ChatRequest(HELLO, Sampling(max_tokens=9, seed=1))


@pytest.mark.sampled
@pytest.mark.parametrize("case", BODIES, ids=lambda case: f"{case['of']}-{case['refuses']}")
def test_the_refused_parameter_is_found(case: dict[str, Any]) -> None:
    said = case["text"] if "text" in case else case["body"]
    found = refused_parameter(case.get("status", 400), said, SENT)
    wanted = None if case["refuses"] is None else RefusedParameter(case["refuses"], case.get("value", False))
    assert found == wanted


def test_only_what_was_sent_can_be_refused() -> None:
    body = {"error": {"message": "Unrecognized request argument supplied: seed"}}
    assert refused_parameter(400, body, {"seed"}) == RefusedParameter("seed")
    assert refused_parameter(400, body, {"max_tokens"}) is None
    assert refused_parameter(400, body, ()) is None


def test_a_hostile_error_is_read_in_no_time() -> None:
    for text in ("unsupported " * 500, "'" * 5000, "a" * 5000 + " is not supported", "don't support " + "[" * 4000):
        assert refused_parameter(400, {"error": {"message": text}}, SENT) is None
    nested: Any = "deep"
    for _ in range(500):
        nested = {"error": [nested]}
    assert refused_parameter(400, nested, SENT) is None


def picky(*refused: str, system: str = "system developer") -> Callable[[Seen], Answer | None]:
    """A server that refuses keys of the body as OpenAI does, and roles other than these."""

    def answer(seen: Seen) -> Answer | None:
        for name in refused:
            if name in seen.body:
                text = f"Unsupported parameter: '{name}' is not supported with this model."
                return Answer({"error": {"message": text, "param": name, "code": "unsupported_parameter"}}, 400)
        role = seen.body["messages"][0]["role"]
        if role in {"system", "developer"} and role not in system.split():
            text = f"Unsupported value: 'messages[0].role' does not support '{role}' with this model."
            return Answer({"error": {"message": text, "param": "messages[0].role", "code": "unsupported_value"}}, 400)
        return None

    return answer


def model_of(server: Server, name: str = "tiny", query: str = "", retries: int = 0) -> ChatModel:
    return open_model(f"openai/{name}?base_url={server.url}{query}", max_retries=retries, backoff=0.001)


def ask(*models: ChatModel, request: ChatRequest = LIMITED, times: int = 1) -> None:
    """Ask each model some times, all at once."""

    async def main() -> None:
        try:
            await asyncio.gather(*(model.complete(request) for model in models for _ in range(times)))
        finally:
            for model in models:
                await model.aclose()

    asyncio.run(main())


def keys(server: Server) -> list[set[str]]:
    return [set(seen.body) - {"model", "messages"} for seen in server.seen]


def test_the_other_limit_is_tried_and_remembered() -> None:
    with serving(ok(), answering=picky("max_tokens")) as server:
        for _ in range(2):  # a second client of the same model
            ask(model_of(server))
            ask(model_of(server))
    assert keys(server) == [{"max_tokens", "seed"}, *[{"max_completion_tokens", "seed"}] * 4]
    assert {seen.body.get("max_completion_tokens", 9) for seen in server.seen} == {9}


def test_what_is_learnt_holds_for_this_endpoint_and_model_only() -> None:
    with serving(ok(), answering=picky("max_tokens")) as first, serving(ok()) as second:
        ask(model_of(first))
        ask(model_of(first, "other"))
        ask(model_of(second))
    assert keys(first) == [{"max_tokens", "seed"}, {"max_completion_tokens", "seed"}] * 2
    assert keys(second) == [{"max_tokens", "seed"}]


def test_of_many_first_requests_one_finds_out() -> None:
    with serving(ok(), answering=picky("max_tokens", "seed")) as server:
        ask(model_of(server), times=16)
    assert keys(server) == [
        {"max_tokens", "seed"},
        {"max_completion_tokens", "seed"},
        *[{"max_completion_tokens"}] * 16,
    ]


def test_calls_that_learn_at_the_same_time_do_not_undo_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolif.models.dialect.HEAD_START", 0.0)
    with serving(ok(), answering=picky("max_tokens", "seed", system="developer")) as server:
        ask(model_of(server), times=8)
        assert 8 + 3 <= len(server.seen) <= 8 * 4
        del server.seen[:]
        ask(model_of(server), times=3)
    assert keys(server) == [{"max_completion_tokens"}] * 3
    assert {seen.body["messages"][0]["role"] for seen in server.seen} == {"developer"}


def test_a_slow_first_answer_holds_nobody_back_for_long() -> None:
    """All sixteen are under way together, though the first has no answer yet."""
    together = threading.Barrier(16, timeout=10)

    def answer(_: Seen) -> None:
        together.wait()

    with serving(ok(), answering=answer) as server:
        ask(model_of(server), times=16)
    assert len(server.seen) == 16


def test_an_old_server_gets_its_own_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    from evolif.models.endpoint import Endpoint

    monkeypatch.setattr(Endpoint, "is_openai", property(lambda self: True))
    with serving(ok(), answering=picky("max_completion_tokens")) as server:
        ask(model_of(server))
        ask(model_of(server))
    assert keys(server) == [{"max_completion_tokens", "seed"}, {"max_tokens", "seed"}, {"max_tokens", "seed"}]


def test_a_refused_request_is_no_retry() -> None:
    with serving(ok(), answering=picky("max_tokens", "seed", system="developer")) as server:
        ask(model_of(server, retries=0))
    assert len(server.seen) == 4
    assert [seen.body["messages"][0]["role"] for seen in server.seen] == ["system", "system", "system", "developer"]


def fault(server: Server, request: ChatRequest = LIMITED, query: str = "") -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(model_of(server, query=query), request=request)
    return caught.value


def test_both_limits_refused_names_both_and_the_flag() -> None:
    with serving(ok(), answering=picky("max_tokens", "max_completion_tokens")) as server:
        error = fault(server)
        fault(server)
    assert "it refuses max_tokens and max_completion_tokens: leave out --max-tokens." in str(error)
    assert not error.retryable and not error.may_cost
    assert keys(server) == [{"max_tokens", "seed"}, {"max_completion_tokens", "seed"}] * 2


def test_a_temperature_that_the_user_set_is_not_dropped() -> None:
    with serving(ok(), answering=picky("temperature", "max_tokens")) as server:
        error = fault(server, ChatRequest(HELLO, Sampling(0.5, 9, 1)))
    assert "it refuses the parameter temperature: leave out --temperature." in str(error)
    assert all(seen.body["temperature"] == 0.5 for seen in server.seen)


@pytest.mark.parametrize("name", ["max_tokens", "seed", "top_p"])
def test_what_the_name_gives_stays_as_it_is(name: str) -> None:
    with serving(ok(), answering=picky(name)) as server:
        error = fault(server, query=f"&{name}=5")
    assert f"the parameter {name}, which the model's name or --model-args gives: leave it out." in str(error)
    assert len(server.seen) == 1


def test_a_value_that_is_refused_is_not_sent_by_another_name() -> None:
    body = {"error": {"message": "max_tokens is too large: 9.", "param": "max_tokens", "code": "invalid_value"}}
    with serving(Answer(body, 400)) as server:
        assert "it refuses this value of max_tokens: give another --max-tokens, or leave it out." in str(fault(server))
    assert len(server.seen) == 1


def test_system_messages_that_have_no_role_are_named() -> None:
    with serving(ok(), answering=picky(system="")) as server:
        assert "it takes no system messages: give --no-system-prompt" in str(fault(server))
        fault(server)
    assert [seen.body["messages"][0]["role"] for seen in server.seen] == ["system", "developer"] * 2


def test_a_template_without_system_role_gets_no_other_role() -> None:
    """Some servers drop messages of roles that their template does not know."""
    refusal = Answer({"object": "error", "message": "System role not supported", "code": 400}, 400)
    with serving(refusal) as server:
        assert "it takes no system messages" in str(fault(server))
    assert len(server.seen) == 1


def test_an_error_inside_an_answer_counts_too() -> None:
    def answer(seen: Seen) -> Answer | None:
        body = {"error": {"code": 400, "message": "Unsupported parameter: 'max_tokens'"}}
        return Answer(body) if "max_tokens" in seen.body else None

    with serving(ok(), answering=answer) as server:
        ask(model_of(server))
    assert keys(server) == [{"max_tokens", "seed"}, {"max_completion_tokens", "seed"}]


def test_a_judge_is_asked_without_what_is_refused() -> None:
    request = ChatRequest((Message("user", "Hi"),))
    with serving(ok(), answering=picky("max_tokens", "temperature")) as server:

        async def main() -> list[float | None]:
            calls = SchemaCalls(model := model_of(server))
            found = [(await calls.complete(request, 9, {"type": "object"}))[1] for _ in range(2)]
            found.append((await calls.complete(request, 9, None))[1])
            await model.aclose()
            return found

        temperatures = asyncio.run(main())
    assert temperatures == [None, None, None]
    schema = {"max_completion_tokens", "response_format"}
    first = {"max_tokens", "temperature", "response_format"}
    assert keys(server) == [first, {*schema, "temperature"}, schema, schema, {"max_completion_tokens"}]


def test_a_judge_that_takes_no_limit_is_asked_without() -> None:
    request = ChatRequest((Message("user", "Hi"),))
    with serving(ok(), answering=picky("max_tokens", "max_completion_tokens")) as server:

        async def main() -> None:
            calls = SchemaCalls(model := model_of(server))
            for _ in range(2):
                assert (await calls.complete(request, 9, None))[1] == 0.0
            await model.aclose()

        asyncio.run(main())
    assert keys(server) == [
        {"max_tokens", "temperature"},
        {"max_completion_tokens", "temperature"},
        *[{"temperature"}] * 2,
    ]


def test_replies_are_found_in_a_cache_of_before(tmp_path: Path) -> None:
    """The key of a request is that of what was asked, in whichever form it was sent."""

    def through(server: Server, cache: RequestCache) -> str:
        async def main() -> str:
            model = model_of(server)
            reply = await Cached(cache, "openai/tiny").complete(LIMITED, lambda: model.complete(LIMITED))
            await model.aclose()
            return reply.text

        return asyncio.run(main())

    with serving(ok("before")) as before, serving(ok("after"), answering=picky("max_tokens", "seed")) as after:
        assert through(before, open_cache(tmp_path)) == "before"
        assert through(after, open_cache(tmp_path)) == "before"
        assert through(after, open_cache(tmp_path / "new")) == "after"
        assert through(before, open_cache(tmp_path / "new")) == "after"


def test_a_run_with_a_reasoning_model_pays_and_suspends_nothing(tmp_path: Path) -> None:
    bench = evolif.generate(tmp_path / "b", dialogues=3, turns=2, seed=1, profile="objective")
    with serving(ok("No."), answering=picky("max_tokens", "seed")) as server:
        name = f"openai/tiny?base_url={server.url}"
        with closing(evolif.evaluate(bench, [name], tmp_path / "r", max_tokens=50, max_retries=0, patience=1)) as run:
            [spent] = run.costs()
            assert {session.ending for session in run.sessions()} <= {"finished", "censored"}
            assert run.faults() == [] and run.settings.max_tokens == 50 and run.settings.temperature is None
    answered = sum("max_completion_tokens" in sent and "seed" not in sent for sent in keys(server))
    assert spent.calls == answered >= 3 and len(server.seen) <= answered + 4
