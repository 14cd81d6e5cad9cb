"""Services whose address the environment says a part of."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from evolif import evaluate, generate
from evolif.errors import ModelError, UsageError
from evolif.models import ChatRequest, address_of, open_model, parse_model_name
from evolif.models.endpoint import resolve_endpoint
from evolif.models.providers import providers
from evolif.report import analyse
from evolif.runner.clients import endpoint_of
from evolif.types import Message

from .server import error, ok, serving

KEY = "kk-azure-0123456789abcdef-not-real"
PLACES = [variable for one in providers().values() for place in one.places.values() for variable in place.variables]
KEYS = [one.key_env for one in providers().values() if one.key_env]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (*PLACES, *KEYS):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("AZURE_OPENAI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "GOOGLE_OAUTH_ACCESS_TOKEN", "HF_TOKEN"):
        monkeypatch.setenv(variable, KEY)


def url_of(name: str) -> str:
    return resolve_endpoint(parse_model_name(name)).base_url


@pytest.mark.parametrize(
    ("name", "variables", "url"),
    [
        ("azure/gpt", {"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com/"}, "https://r.openai.azure.com/openai/v1"),
        (
            "azure/gpt",
            {"AZURE_OPENAI_ENDPOINT": "https://r.services.ai.azure.com/openai/v1/"},
            "https://r.services.ai.azure.com/openai/v1",
        ),
        (
            "bedrock/openai.gpt-oss-20b-1:0",
            {"AWS_DEFAULT_REGION": "eu-west-1"},
            "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1",
        ),
        (
            "bedrock/m",
            {"AWS_DEFAULT_REGION": "eu-west-1", "AWS_REGION": "us-west-2"},
            "https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1",
        ),
        (
            "vertex/google/gemini",
            {"GOOGLE_CLOUD_PROJECT": "p-1"},
            "https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/endpoints/openapi",
        ),
        (
            "vertex/google/gemini",
            {"GOOGLE_CLOUD_PROJECT": "p-1", "GOOGLE_CLOUD_LOCATION": "europe-west4"},
            "https://europe-west4-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west4/endpoints/openapi",
        ),
        ("huggingface/org/model:groq", {}, "https://router.huggingface.co/v1"),
        (
            "databricks/m",
            {"DATABRICKS_HOST": "w.cloud.databricks.com", "DATABRICKS_TOKEN": "t"},
            "https://w.cloud.databricks.com/serving-endpoints",
        ),
    ],
)
def test_the_environment_says_the_rest_of_an_address(
    monkeypatch: pytest.MonkeyPatch, name: str, variables: dict[str, str], url: str
) -> None:
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    assert url_of(name) == url
    open_model(name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("azure/gpt", "needs the address of your Azure OpenAI: set AZURE_OPENAI_ENDPOINT, such as https://RESOURCE"),
        ("azure/gpt", r"azure/gpt\?base_url=URL&key_env=AZURE_OPENAI_API_KEY"),
        ("bedrock/m", "needs the region of your Amazon Bedrock: set AWS_REGION or AWS_DEFAULT_REGION"),
        ("vertex/google/m", "needs the project of your Google Vertex AI: set GOOGLE_CLOUD_PROJECT"),
    ],
)
def test_a_missing_part_is_a_sentence(name: str, words: str) -> None:
    for ask in (open_model, lambda spec: address_of(parse_model_name(spec))):
        with pytest.raises(UsageError, match=words):
            ask(name)


@pytest.mark.parametrize(
    ("name", "variable", "value"),
    [
        ("azure/m", "AZURE_OPENAI_ENDPOINT", f"https://me:{KEY}@r.openai.azure.com"),
        ("azure/m", "AZURE_OPENAI_ENDPOINT", f"https://r.openai.azure.com/?api-key={KEY}"),
        ("azure/m", "AZURE_OPENAI_ENDPOINT", "https://"),
        ("azure/m", "AZURE_OPENAI_ENDPOINT", "https://[r"),
        ("azure/m", "AZURE_OPENAI_ENDPOINT", "ftp://r.openai.azure.com"),
        ("azure/m", "AZURE_OPENAI_ENDPOINT", "two words"),
        ("bedrock/m", "AWS_REGION", "evil.example/x?"),
        ("bedrock/m", "AWS_REGION", "us-east-1.evil.example#"),
        ("vertex/m", "GOOGLE_CLOUD_PROJECT", "../../v1"),
    ],
)
def test_a_part_cannot_lead_elsewhere(monkeypatch: pytest.MonkeyPatch, name: str, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError, match=f"{variable} must be ") as caught:
        open_model(name)
    assert KEY not in str(caught.value)


def test_azure_gets_its_key_in_its_own_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(ok("No.")) as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"http://127.0.0.1:{server.port}")
        generate(tmp_path / "b", dialogues=1, turns=1, seed=1, profile="objective")
        run = evaluate(tmp_path / "b", ["azure/my-deployment"], tmp_path / "r", max_turns=1)
        with closing(run):
            [address] = run.settings.endpoints
            step = analyse([run])[0].commands[1]
    assert "--model azure/my-deployment " in step.command and "URL" not in step.command + step.note
    seen = server.seen[0]
    assert seen.path == "/openai/v1/chat/completions" and seen.body["model"] == "my-deployment"
    assert seen.headers["api-key"] == KEY and "authorization" not in seen.headers
    assert address == f"http://127.0.0.1:{server.port}/openai/v1"  # as of a base_url
    stored = b"".join(file.read_bytes() for file in (tmp_path / "r").rglob("*") if file.is_file())
    assert KEY.encode() not in stored


def test_an_echoed_key_of_azure_is_cut_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(error(401, f"wrong api-key {KEY}")) as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"http://127.0.0.1:{server.port}")

        async def main() -> None:
            model = open_model("azure/m", max_retries=0)
            try:
                await model.complete(ChatRequest((Message("user", "Hi"),)))
            finally:
                await model.aclose()

        with pytest.raises(ModelError, match="check the key in AZURE_OPENAI_API_KEY") as caught:
            asyncio.run(main())
    assert KEY not in str(caught.value)


def test_another_resource_is_another_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a run is not resumed there, and its cache keeps the two apart."""
    found = []
    for project in ("p-1", "p-2"):
        monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", project)
        found.append(endpoint_of("vertex/google/m", None))
    assert found[0] != found[1] and all(one.startswith("https://aiplatform.googleapis.com/v1/~") for one in found)
    assert not any("p-1" in one for one in found)  # no project gets into the store
    assert endpoint_of("huggingface/m", None) == ""
