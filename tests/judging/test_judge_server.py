"""A judge behind an OpenAI-compatible server, through the real SDK."""

from __future__ import annotations

import asyncio

import pytest
from asked import grade
from models.server import Answer, Server, error, ok, serving

from evolif.errors import JudgeError
from evolif.judging import Judgement, open_judge
from evolif.models import open_model
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.verdicts import judge_turn
from evolif.types import Usage

HAPPY = Constraint("emotion", {"emotion": "happy"})
KEY = "kk-judge-0123456789abcdef-not-real"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JUDGE_KEY", KEY)


def judged(server: Server, *constraints: Constraint, answer: str = "What a joy!") -> Judgement:
    async def main() -> Judgement:
        judge = open_judge(
            f"openai/judge?base_url={server.url}&key_env=JUDGE_KEY",
            opener=lambda name: open_model(name, max_retries=0, timeout=20.0),
        )
        assert judge is not None
        try:
            return await judge_turn(constraints or (HAPPY,), answer, judge)
        finally:
            await judge.aclose()

    return asyncio.run(main())


def test_a_score_comes_over_the_wire_with_its_tokens() -> None:
    with serving(ok(grade(9, "Joy in every word."))) as server:
        told = judged(server)
    assert told.verdicts[0].satisfied is True and told.verdicts[0].found == "9 of 10: Joy in every word."
    assert told.usage == {"openai/judge": Usage(7, 3)}
    [seen] = server.seen
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.body["temperature"] == 0 and seen.body["response_format"]["type"] == "json_schema"
    system, user = seen.body["messages"]
    assert (system["role"], user["role"]) == ("system", "user") and "What a joy!" in user["content"]


@pytest.mark.parametrize(
    "reply",
    [
        ok(f"```json\n{grade(9)}\n```"),
        ok(f"Let me think about it.\n{grade(9)}"),
        ok(f"<think>Perhaps 3/10? No.</think>{grade(9)}"),
        ok(grade(9), reasoning_content='{"score": 2}'),
        ok("Score: 9/10. It is glad."),
    ],
)
def test_forms_met_in_the_wild_are_read(reply: Answer) -> None:
    with serving(reply) as server:
        assert judged(server).verdicts[0].satisfied is True
    assert len(server.seen) == 1


@pytest.mark.sampled
@pytest.mark.parametrize("content", ["I cannot help with that.", None, "", grade(42), grade("high"), "{}"])
def test_what_cannot_be_read_is_asked_three_times_and_not_judged(content: object) -> None:
    with serving(ok(content)) as server:
        told = judged(server)
    assert told.verdicts[0].satisfied is None and told.verdicts[0].found.startswith("not judged: openai/judge: ")
    assert len(server.seen) == 3 and told.usage == {"openai/judge": Usage(21, 9)}


def test_a_server_without_schemas_is_asked_without_from_then_on() -> None:
    with serving(error(400, "response_format is not supported"), ok(grade(9))) as server:
        told = judged(server, HAPPY)
    assert told.verdicts[0].satisfied is True
    assert ["response_format" in seen.body for seen in server.seen] == [True, False]


def test_a_model_that_takes_no_temperature_is_asked_without_and_the_record_says_so() -> None:
    refused = error(400, "Unsupported value: temperature does not support 0 with this model")
    with serving(refused, refused, ok(grade(9))) as server:
        [score] = judged(server).records[0].scores
    assert score.temperature is None and "temperature" not in server.seen[2].body


@pytest.mark.sampled
@pytest.mark.parametrize(
    "fault",
    [
        error(500, "oops", headers={"Retry-After-Ms": "10"}),
        error(401, "wrong key KEY", echo_key=True),
        error(404, "no such model"),
        error(400, "maximum context length exceeded"),
        Answer(b"{not json"),
        Answer(fault="reset"),
    ],
)
def test_a_fault_of_the_server_is_a_judge_error_without_the_key(fault: Answer) -> None:
    with (
        serving(fault) as server,
        pytest.raises(JudgeError, match="the judge model could not be called: openai/judge") as caught,
    ):
        judged(server)
    assert KEY not in str(caught.value) and KEY[:12] not in str(caught.value)


def test_a_server_that_is_not_there_is_a_judge_error() -> None:
    with serving(ok()) as server:
        url = server
    with pytest.raises(JudgeError, match="could not be reached"):
        judged(url)


def test_a_content_filter_is_no_verdict() -> None:
    with serving(ok("", finish="content_filter")) as server:
        told = judged(server)
    assert told.verdicts[0].satisfied is None and "content filter" in told.verdicts[0].found
