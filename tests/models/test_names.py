from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from types import SimpleNamespace

import pytest

import evolif.models
from evolif.errors import UsageError
from evolif.models import open_model, parse_model_name
from evolif.models.endpoint import ModelName
from evolif.models.open import Settings


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("openai/gpt-5", ModelName("openai", "gpt-5")),
        ("openai/meta-llama/Llama-3:free", ModelName("openai", "meta-llama/Llama-3:free")),
        (
            "openai/m?base_url=http://127.0.0.1:8000/v1&key_env=MY_KEY",
            ModelName("openai", "m", "http://127.0.0.1:8000/v1", "MY_KEY"),
        ),
        ("openai/m?base_url=https%3A%2F%2Fa.example%2Fv1", ModelName("openai", "m", "https://a.example/v1")),
        ("openai/m?key_env=MY_KEY", ModelName("openai", "m", None, "MY_KEY")),
        ("local/smollm2-135m", ModelName("local", "smollm2-135m")),
        ("local/./path/to/file.gguf", ModelName("local", "./path/to/file.gguf")),
        ("local//abs/path.gguf", ModelName("local", "/abs/path.gguf")),
        ("local/what?.gguf", ModelName("local", "what?.gguf")),
        ("sim/steady", ModelName("sim", "steady")),
        ("other/x", ModelName("other", "x")),
    ],
)
def test_names_are_read(spec: str, expected: ModelName) -> None:
    assert parse_model_name(spec) == expected


def test_the_label_leaves_the_query_out() -> None:
    name = parse_model_name("openai/m?base_url=http://localhost:1/v1&key_env=K")
    assert str(name) == name.label == "openai/m"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gpt-5", "openai/gpt-5"),
        ("", "known: openai/NAME"),
        ("/x", "provider/name"),
        ("OPEN AI/x", "provider/name"),
        ("openai/", "no name"),
        ("openai/?base_url=http://a/v1", "no name"),
        ("openai/m\x07", "no name"),
        ("openai/m?url=http://a/v1", "did you mean base_url=?"),
        ("openai/m?baseurl=example.org", "did you mean base_url=?"),
        ("openai/m?key-env=A", "did you mean key_env=?"),
        ("openai/m?key_env=A&key_env=B", "each key once"),
        ("openai/m?top_p", "write key=value"),
        ("openai/m?top_p=1&top_p=2", "given twice"),
        ("openai/m?model=other", "set by evolif itself"),
        ("openai/m?api_key=hunter2", "looks like a key"),
        ("openai/m?extra.token=hunter2", "looks like a key"),
        ("openai/m?as=a%20b", "as= needs a label"),
        ("openai/m?base_url=127.0.0.1:8000", "URL such as"),
        ("openai/m?base_url=ftp://a/v1", "URL such as"),
        ("openai/m?base_url=http://[/v1", "URL such as"),
        ("openai/m?base_url=http://a:x/v1", "URL such as"),
        ("openai/m?base_url=http://me:hunter2@a/v1", "must not contain a user or password"),
        ("sim/steady?base_url=http://a/v1", "no endpoint"),
    ],
)
def test_bad_names_say_what_to_write(spec: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_model_name(spec)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message and "\x07" not in message and "hunter2" not in message


def test_a_key_in_place_of_its_variable_is_not_repeated() -> None:
    with pytest.raises(UsageError, match="NAME of an environment variable") as caught:
        parse_model_name("openai/m?key_env=sk-very-secret")
    assert "secret" not in str(caught.value)


def test_unknown_providers_name_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"reached as openai/x\?base_url=URL&key_env=VARIABLE; evolif models list"):
        open_model("acme/x")
    with pytest.raises(UsageError, match=r"did you mean anthropic/claude-x\?"):
        open_model("antropic/claude-x")


def test_base_url_is_short_for_targets_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert open_model("openai/m", base_url="http://127.0.0.1:9/v1").name == "openai/m"  # and asks for no key
    with pytest.raises(UsageError, match="URL such as"):
        open_model("openai/m", base_url="nowhere")


def test_plugins_are_loaded_only_when_named(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[ModelName, Settings]] = []

    def load() -> object:
        def make(name: ModelName, settings: Settings) -> str:
            made.append((name, settings))
            return "a model"

        return make

    def entry_points(*, group: str, name: str) -> list[SimpleNamespace]:
        assert group == "evolif.models"
        return [SimpleNamespace(value="acme:make", load=load)] if name == "acme" else []

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    assert str(open_model("acme/x", seed=3)) == "a model"
    assert made == [(ModelName("acme", "x"), Settings(seed=3))]
    monkeypatch.setenv("EVOLIF_PLUGINS", "0")
    with pytest.raises(UsageError, match="unknown provider"):
        open_model("acme/x")


def test_a_broken_plugin_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> object:
        raise ImportError("no acme")

    monkeypatch.setattr(metadata, "entry_points", lambda **_: [SimpleNamespace(value="acme:make", load=load)])
    with pytest.raises(UsageError, match="acme:make cannot be loaded"):
        open_model("acme/x")


def test_the_package_is_light_and_sorted() -> None:
    assert evolif.models.__all__ == sorted(evolif.models.__all__, key=lambda name: (not name.isupper(), name))
    heavy = "{'openai', 'xllamacpp', 'httpx2', 'aiohttp', 'google', 'platformdirs'}"
    code = f"import sys, evolif.models; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
