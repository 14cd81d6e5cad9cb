"""The models that an endpoint lists, as names to paste."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from evolif.cli import app
from evolif.models.listing import MOST_MODELS

from .server import Answer, Seen, serving

KEY = "kk-list-0123456789abcdef-not-real"
TWO = {"object": "list", "data": [{"id": "org/b:free"}, {"id": "a"}, {"id": "a"}]}


def listed(*words: str) -> Result:
    return CliRunner().invoke(app, ["models", "list", *words])


@pytest.mark.parametrize(
    "body",
    [TWO, TWO["data"], {"models": [{"name": "models/a"}, {"model": "org/b:free"}]}, {"data": ["a", "org/b:free"]}],
)
def test_ids_become_names_to_paste(body: Any) -> None:
    with serving(Answer(body)) as server:
        done = listed("--endpoint", server.url)
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [f"openai/{one}?base_url={server.url}" for one in ("a", "org/b:free")]
    assert server.seen[0].path == "/v1/models" and server.seen[0].headers["authorization"] == "Bearer none"


def test_a_name_brings_its_address_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with serving(Answer(TWO)) as server:
        done = listed("--endpoint", f"openai/x?base_url={server.url}?p=1%26q=2&key_env=MY_KEY", "--json")
    assert json.loads(done.stdout) == {
        "models": [f"openai/{one}?base_url={server.url}?p=1%26q=2&key_env=MY_KEY" for one in ("a", "org/b:free")],
        "left_out": 0,
        "more": False,
    }
    assert server.seen[0].path == "/v1/models?p=1&q=2" and server.seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_provider_is_asked_at_its_own_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    with serving(Answer(TWO)) as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"http://127.0.0.1:{server.port}")
        done = listed("--endpoint", "azure")
    assert done.stdout.splitlines() == ["azure/a", "azure/org/b:free"]
    assert server.seen[0].path == "/openai/v1/models"
    assert server.seen[0].headers["api-key"] == KEY and "authorization" not in server.seen[0].headers


def test_gemini_has_a_list_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    body = {"models": [{"name": "models/gemini-x"}], "nextPageToken": "t"}
    with serving(Answer(body)) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", f"http://127.0.0.1:{server.port}")
        done = listed("--endpoint", "google")
    assert done.stdout == "google/gemini-x\n" and "there are others" in done.stderr
    assert server.seen[0].path == "/v1beta/models" and server.seen[0].headers["x-goog-api-key"] == KEY
    assert "authorization" not in server.seen[0].headers


def test_hostile_ids_are_left_out() -> None:
    rows = [{"id": one} for one in ("\x1b[31mred", "a b", "a?base_url=http://evil", "$(rm)", "x" * 201, 7, None, "ok")]
    with serving(Answer({"data": [*rows, "", None, 3, []]})) as server:
        done = listed("--endpoint", server.url)
    assert done.stdout == f"openai/ok?base_url={server.url}\n"
    assert "11 models left out" in done.stderr


def test_a_list_without_end_is_cut() -> None:
    with serving(Answer({"data": [{"id": f"m{n}"} for n in range(MOST_MODELS + 5)]})) as server:
        done = listed("--endpoint", server.url, "--json")
    found = json.loads(done.stdout)
    assert len(found["models"]) == MOST_MODELS and found["left_out"] == 5


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer({"error": "?"}, 404), "127.0.0.1 has no list of its models (it answered 404)"),
        (Answer({"detail": "Method Not Allowed"}, 405), "has no list of its models"),
        (Answer({"error": {"message": "no KEY"}}, 401, echo_key=True), "answered 401"),
        (Answer({"data": {}}), "is no list of models"),
        (Answer(b"<html>"), "the body is not a JSON object"),
        (Answer(b"[" * 100_000), "the body is not a JSON object"),
        (Answer(fault="hang up"), "could not be reached"),
        (Answer(fault="flood"), "larger than"),
        (Answer(fault="drip"), "did not answer within"),
        (Answer(status=302, headers={"Location": "http://127.0.0.1:9/"}), "answered 302"),
    ],
)
def test_what_is_no_list_is_a_sentence(answer: Answer, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    monkeypatch.setattr("evolif.models.transport.LARGEST_BODY", 2**20)
    with serving(answer) as server:
        seconds = "0.4" if answer.fault == "drip" else "20"
        done = listed("--endpoint", f"openai/x?base_url={server.url}&key_env=MY_KEY", "--timeout", seconds)
    assert done.exit_code == 3 and words in done.stderr and done.stdout == ""
    assert KEY not in done.stderr and len(done.stderr.splitlines()) == 1


def test_an_endpoint_without_models_says_so() -> None:
    with serving(Answer({"data": []})) as server:
        done = listed("--endpoint", server.url)
    assert done.exit_code == 0 and done.stderr == "127.0.0.1 lists no model.\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("groqq", "is no provider and no address"),
        ("sim", "has no endpoint"),
        ("local/smollm2-135m", "has no endpoint"),
        ("antropic/x", "did you mean anthropic/x?"),
        ("http://me:secret@h/v1", "must not contain a user or password"),
        ("openai", "set the environment variable OPENAI_API_KEY"),
    ],
)
def test_what_names_no_endpoint_is_wrong_usage(text: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    done = listed("--endpoint", text)
    assert done.exit_code == 2 and words in done.stderr and "secret" not in done.stderr


def test_the_list_of_what_can_be_named_is_there_for_machines() -> None:
    rows = json.loads(listed("--json").stdout)
    assert {"name": "vertex/NAME", "needs": "GOOGLE_OAUTH_ACCESS_TOKEN, GOOGLE_CLOUD_PROJECT"} in rows
    assert all(row["name"] for row in rows)


def test_a_listed_name_is_asked_where_it_was_listed() -> None:
    def answer(seen: Seen) -> Answer | None:
        return Answer(TWO) if seen.path == "/v1/models" else None

    chat = {"choices": [{"finish_reason": "stop", "message": {"content": "Hello."}}]}
    with serving(Answer(chat), answering=answer) as server:
        spec = listed("--endpoint", server.url).stdout.splitlines()[1]
        done = CliRunner().invoke(app, ["models", "test", spec, "--quick"])
    assert done.exit_code == 0 and server.seen[-1].body["model"] == "org/b:free"
