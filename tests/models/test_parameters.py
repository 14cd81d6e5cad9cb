"""Parameters of requests: in names, in files, on the wire, in settings and in the cache; and the known services."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evolif import UsageError, evaluate, load_run
from evolif.cli import app
from evolif.errors import InputError
from evolif.models import (
    ChatRequest,
    Parameters,
    Sampling,
    open_cache,
    open_model,
    parse_model_name,
    plain_name,
    read_parameters,
)
from evolif.models.endpoint import resolve_endpoint
from evolif.models.providers import providers
from evolif.report import analyse
from evolif.scenarios.instructions import generate
from evolif.types import Message

from .server import Server, ok, serving

HELLO = ChatRequest((Message("user", "Hi"),), Sampling(temperature=0.5, max_tokens=9))


def sent(server: Server, spec: str, request: ChatRequest = HELLO, parameters: Parameters | None = None) -> dict:
    async def main() -> None:
        model = open_model(spec.replace("URL", server.url), parameters=parameters or Parameters())
        try:
            await model.complete(request)
        finally:
            await model.aclose()

    asyncio.run(main())
    return server.seen[-1].body


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("reasoning_effort=low&top_p=0.9", {"reasoning_effort": "low", "top_p": 0.9}),
        ("chat_template_kwargs.enable_thinking=false", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("a.b=1&a.c=x%26y", {"a": {"b": 1, "c": "x&y"}}),
        ("stop=null&top_k=40", {"stop": None, "top_k": 40}),
        ("user=%5B1%5D", {"user": "[1]"}),
        ("x=NaN&y=1e999", {"x": "NaN", "y": "1e999"}),
    ],
)
def test_parameters_of_a_name_reach_the_request(query: str, body: dict) -> None:
    with serving(ok("Hello.")) as server:
        found = sent(server, f"openai/tiny?base_url=URL&{query}")
    assert {key: found[key] for key in body} == body
    assert found["temperature"] == 0.5 and found["model"] == "tiny"


def test_a_parameter_goes_over_sampling_and_one_limit_replaces_the_other() -> None:
    with serving(ok("Hello.")) as server:
        found = sent(server, "openai/tiny?base_url=URL&temperature=1&max_completion_tokens=77")
    assert found["temperature"] == 1 and found["max_completion_tokens"] == 77 and "max_tokens" not in found


def test_a_label_tells_models_apart_and_prices_do_not_mind() -> None:
    plain, low, named = (
        parse_model_name(f"openai/m?{query}") for query in ("", "top_p=0.9&effort=low&key_env=K", "effort=low&as=calm")
    )
    assert (plain.label, low.label, named.label) == ("openai/m", "openai/m?effort=low&top_p=0.9", "openai/m (calm)")
    assert {plain_name(one.label) for one in (plain, low, named)} == {"openai/m"}
    assert plain_name("sim/steady?skill=.9") == "sim/steady?skill=.9"
    assert plain_name("local/what (is) this.gguf") == "local/what (is) this.gguf"


def test_every_known_service_has_its_own_address_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-for-others")
    known = providers()
    assert set(known) >= {
        "anthropic", "openrouter", "deepseek", "mistral", "groq", "together", "xai", "fireworks", "ollama", "vllm",
        "lmstudio", "llamacpp",
    }  # fmt: skip
    for name, provider in known.items():
        for place in provider.places.values():
            monkeypatch.setenv(place.variables[0], place.such_as)
        if provider.key_env is not None:
            monkeypatch.delenv(provider.key_env, raising=False)
            with pytest.raises(UsageError, match=f"set the environment variable {provider.key_env}"):
                open_model(f"{name}/m")
            monkeypatch.setenv(provider.key_env, f"key-of-{name}")
        endpoint = resolve_endpoint(parse_model_name(f"{name}/m"))
        assert endpoint.base_url == provider.address(name, os.environ) and endpoint.custom
        assert endpoint.base_url == provider.base_url or provider.places
        assert endpoint.key == (f"key-of-{name}" if provider.key_env else "none")
        moved = resolve_endpoint(parse_model_name(f"{name}/m?base_url=http://127.0.0.1:9/v1"))
        assert moved.key == "none"  # an address of one's own never gets the service's key


def test_a_known_service_takes_no_base_url_of_others() -> None:
    with serving(ok("Hello.")) as server:
        client = open_model("ollama/m", base_url=server.url)
        assert client.name == "ollama/m"
        assert resolve_endpoint(parse_model_name("ollama/m")).base_url == "http://localhost:11434/v1"


def test_other_clients_take_no_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    with pytest.raises(UsageError, match="takes no parameters of requests"):
        open_model("google/m?top_p=1")


def test_a_file_gives_parameters_and_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_PROJECT", "secret-project-77")
    file = tmp_path / "args.yaml"
    file.write_text(
        "reasoning: {effort: low}\ntop_p: .9\nheaders: {X-Project: MY_PROJECT}\n"
        "models:\n  openai/tiny: {reasoning: {summary: none}, top_p: 1}\n"
    )
    found = read_parameters(file, ["openai/tiny", "openai/other"])
    assert found["openai/tiny"].body == {"reasoning": {"effort": "low", "summary": "none"}, "top_p": 1}
    assert found["openai/other"].body == {"reasoning": {"effort": "low"}, "top_p": 0.9}
    with serving(ok("Hello.")) as server:
        sent(server, "openai/tiny?base_url=URL", parameters=found["openai/tiny"])
        assert server.seen[-1].headers["x-project"] == "secret-project-77"
    assert "secret-project-77" not in json.dumps(found["openai/tiny"].stored())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- 1", "write keys of the request body"),
        ("models: [1]", "give each model its keys"),
        ("models: {openai/else: {top_p: 1}}", "is not played; there is openai/tiny"),
        ("headers: {X-A: sk very secret}", "NAME of an environment variable"),
        ("headers: {Authorization: KEY}", "cannot be set"),
        ("messages: []", "set by evolif itself"),
        ("a: {api_key: hunter2}", "looks like a key"),
        ("tools_of_mine: [{api_key: hunter2}]", "looks like a key"),
        ("a: .nan", "no JSON value"),
        (f"a: {'x' * 30_000}", "20000 are allowed"),
        ("a: {b: [", "args.yaml"),
        ("a: &x [1]\nb: *x", "args.yaml"),
    ],
)
def test_a_broken_file_is_told(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "args.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_parameters(file, ["openai/tiny"])
    assert words in str(caught.value) and "secret" not in str(caught.value) and "hunter2" not in str(caught.value)


def test_a_missing_header_is_told_before_the_first_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_PROJECT", raising=False)
    with pytest.raises(UsageError, match="X-Project needs the environment variable MY_PROJECT"):
        open_model("openai/m?base_url=http://127.0.0.1:9/v1", parameters=Parameters({}, {"X-Project": "MY_PROJECT"}))


@pytest.mark.slow
def test_one_model_stands_twice_in_a_run_and_the_settings_say_how(tmp_path: Path) -> None:
    generate(tmp_path / "bench", dialogues=1, turns=2, seed=3, profile="objective")
    file = tmp_path / "args.yaml"
    file.write_text("top_k: 5\n")
    with serving(ok("Hello.")) as server:
        models = [f"openai/tiny?base_url={server.url}&effort={one}&as={one}" for one in ("low", "high")]
        told = {"max_turns": 1, "model_args": file, "out": tmp_path / "run"}
        evaluate(tmp_path / "bench", models=models, **told)
        asked = {json.dumps([seen.body["effort"], seen.body["top_k"]]) for seen in server.seen}
        with closing(load_run(tmp_path / "run")) as run:
            assert run.settings.models == ("openai/tiny (low)", "openai/tiny (high)")
            assert run.settings.parameters["openai/tiny (low)"] == {"top_k": 5, "effort": "low"}
        file.write_text("top_k: 6\n")
        with pytest.raises(UsageError, match=r'was asked with .*"top_k": 5.* and would now be asked with'):
            evaluate(tmp_path / "bench", models=models, **told)
    assert asked == {'["low", 5]', '["high", 5]'}


@pytest.mark.slow
def test_the_cache_keeps_parameters_apart(tmp_path: Path) -> None:
    generate(tmp_path / "bench", dialogues=1, turns=1, seed=3, profile="objective")
    file = tmp_path / "args.yaml"
    with serving(ok("Hello.")) as server:
        for number, text in enumerate(("top_k: 5\n", "top_k: 6\n", "top_k: 5\n")):
            file.write_text(text)
            model = f"openai/tiny?base_url={server.url}"
            out = tmp_path / f"run{number}"
            cache = open_cache(tmp_path / "cache")
            evaluate(tmp_path / "bench", models=[model], out=out, max_turns=1, model_args=file, cache=cache)
        assert [seen.body["top_k"] for seen in server.seen] == [5, 6]


def _bodies(server: Server) -> list[str]:
    """What was asked, sorted: the models of a run are asked side by side."""
    return sorted(json.dumps(seen.body, sort_keys=True) for seen in server.seen)


@pytest.mark.slow
def test_the_printed_command_asks_the_same_again(tmp_path: Path) -> None:
    generate(tmp_path / "bench", dialogues=1, turns=1, seed=3, profile="objective")
    file = tmp_path / "args.yaml"
    file.write_text("thinking: {budget: 5}\n")
    with serving(ok("Hello.")) as server:
        models = [f"openai/tiny?base_url={server.url}&effort={one}" for one in ("low", "high&as=much")]
        evaluate(tmp_path / "bench", models=models, out=tmp_path / "run", max_turns=1, model_args=file)
        first = _bodies(server)
        with closing(load_run(tmp_path / "run")) as run:
            step = analyse([run])[0].commands[1]
            settings = run.settings
        words = shlex.split(step.command.replace("base_url=URL", f"base_url={server.url}"))
        again = [word for flag, word in pairwise(words) if flag == "--model"]
        told = json.loads(step.note.partition("was asked with ")[2].partition(" from a file")[0])
        assert told == {"thinking": {"budget": 5}}
        evaluate(tmp_path / "bench", models=again, out=tmp_path / "again", max_turns=1, model_args=file)
        assert sorted(2 * first) == _bodies(server) and step.note.startswith("for each URL")
    with closing(load_run(tmp_path / "again")) as run:
        assert run.settings.models == settings.models


def test_models_list_shows_every_service() -> None:
    told = CliRunner().invoke(app, ["models", "list"]).output
    for name, provider in providers().items():
        line = next(line for line in told.splitlines() if line.startswith(f"{name}/NAME"))
        assert (provider.key_env or "no key") in line
