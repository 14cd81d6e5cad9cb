"""`--push` against a hub of our own on loopback: one commit, and the token nowhere but in its header."""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

import evolif
from evolif.cli import app
from evolif.exchange import canary_of, import_benchmark

pytestmark = pytest.mark.skipif(
    find_spec("huggingface_hub") is None or find_spec("pyarrow") is None,
    reason="huggingface_hub or pyarrow is not installed (evolif[datasets])",
)
TOKEN = "hf_thisIsNoRealTokenAtAll"


class Hub:
    """As much of a hub as an upload asks for."""

    def __init__(self, refuse=0):
        self.asked, self.files, self.tokens, self.made = [], {}, set(), None
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                hub.asked.append(self.path)
                hub.tokens.add(self.headers.get("Authorization"))
                if refuse:
                    self._say(refuse, {"error": f"no, {hub.tokens}"})
                elif self.path == "/api/repos/create":
                    hub.made = json.loads(body)
                    self._say(200, {"url": f"{hub.url}/datasets/user/name"})
                elif self.path == "/api/validate-yaml":
                    self._say(200, {"errors": [], "warnings": []})
                elif "/preupload/" in self.path:
                    files = json.loads(body)["files"]
                    told = [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in files]
                    self._say(200, {"files": told})
                else:
                    for line in map(json.loads, body.splitlines()):
                        if line["key"] == "file":
                            hub.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
                    self._say(
                        200, {"commitUrl": f"{hub.url}/datasets/user/name/commit/1", "commitOid": "1", "hookOutput": ""}
                    )

            def _say(self, status, data):
                told = json.dumps(data).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return evolif.generate(tmp_path_factory.mktemp("hub") / "b", dialogues=2, turns=3, seed=6, profile="objective")


def push(bench, out, hub_url, *more, token=TOKEN):
    environment = {"HF_TOKEN": token, "HF_ENDPOINT": hub_url, "HF_HUB_DISABLE_TELEMETRY": "1", "COLUMNS": "200"}
    arguments = ["export", str(bench.path), str(out), "--push", "user/name", *more]
    result = CliRunner().invoke(app, arguments, env=environment)
    assert TOKEN not in result.output
    return result


def is_private(made):
    return made["visibility"] == "private" if "visibility" in made else made["private"]


@pytest.mark.slow
def test_a_push_uploads_rows_and_card_in_one_commit(bench, tmp_path):
    with Hub() as hub:
        result = push(bench, tmp_path / "b.parquet", hub.url)
        assert result.exit_code == 0, result.output
        assert f"Uploaded to {hub.url}/datasets/user/name" in result.output
    assert hub.made["type"] == "dataset" and is_private(hub.made)
    assert hub.tokens == {f"Bearer {TOKEN}"}
    assert sorted(hub.files) == ["README.md", "data/test-00000-of-00001.parquet"]
    card = hub.files["README.md"].decode()
    assert canary_of(bench.identity) in card and "path: data/test-00000-of-00001.parquet" in card
    assert not any(TOKEN.encode() in content for content in hub.files.values())
    folder = tmp_path / "clone"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "x.parquet").write_bytes(hub.files["data/test-00000-of-00001.parquet"])
    import_benchmark(folder, tmp_path / "back")
    assert evolif.load_benchmark(tmp_path / "back").identity == bench.identity


@pytest.mark.slow
def test_a_folder_of_datasets_is_pushed_as_parquet(bench, tmp_path):
    pytest.importorskip("datasets", reason="datasets is not installed (evolif[datasets])")
    with Hub() as hub:
        result = push(bench, tmp_path / "set", hub.url, "--format", "datasets", "--public", "--json")
        assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["pushed"] == f"{hub.url}/datasets/user/name" and told["rows"] == 6
    assert not is_private(hub.made)
    assert hub.files["data/test-00000-of-00001.parquet"].startswith(b"PAR1")


@pytest.mark.sampled
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_token_is_told_without_it(bench, tmp_path, status):
    with Hub(refuse=status) as hub:
        result = push(bench, tmp_path / "b.parquet", hub.url)
    assert result.exit_code == 3 and "HF_TOKEN" in result.output and str(status) in result.output
    assert (tmp_path / "b.parquet").exists()


@pytest.mark.slow
def test_a_hub_that_fails_or_is_away_is_told_without_the_token(bench, tmp_path, monkeypatch):
    with Hub(refuse=400) as hub:
        result = push(bench, tmp_path / "b.parquet", hub.url)
    assert result.exit_code == 3 and "HTTP 400" in result.output
    result = push(bench, tmp_path / "c.parquet", "http://127.0.0.1:9")
    assert result.exit_code == 3 and "could not be uploaded" in result.output


def test_without_a_token_or_a_name_nothing_is_written(bench, tmp_path):
    result = push(bench, tmp_path / "b.parquet", "http://127.0.0.1:9", token="")
    assert result.exit_code == 2 and "set HF_TOKEN" in result.output
    arguments = ["export", str(bench.path), str(tmp_path / "b.parquet"), "--push", "../x"]
    assert CliRunner().invoke(app, arguments, env={"HF_TOKEN": TOKEN}).exit_code == 2
    assert list(tmp_path.iterdir()) == []
