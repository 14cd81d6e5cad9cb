"""One wheel, through pip, without installing anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from evolif._errors import OutsideError

_PATIENCE = 1800.0
"""Seconds after which a download counts as stuck; pip retries for itself within them."""


def pip_download(requirement: str, folder: Path) -> None:
    """Download the wheel of a pinned requirement into a folder; pip's own words go nowhere but into an error.

    Raises:
        OutsideError: there is no pip, or the index is not reachable or does not have the wheel.
    """
    # `-P`: a file called pip.py in the working directory is not pip. `:all:`: a source archive would run its build.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--disable-pip-version-check", "--progress-bar", "off", "-d", str(folder), requirement]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise OutsideError(f"pip did not bring {requirement} within {_PATIENCE:.0f} s; try again.") from None
    if done.returncode == 0:
        return
    if "No module named pip" in done.stderr:
        raise OutsideError(
            f"{sys.executable} has no pip to download with: run `{sys.executable} -m ensurepip`, try again."
        )
    said = _last(done.stderr)
    raise OutsideError(f"pip could not download {requirement}: is the package index reachable? pip says: {said}")


def _last(text: str) -> str:
    """Return pip's last complaint, on one line and cut."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    line = (errors or lines or ["nothing"])[-1]
    return "".join(c for c in line if c.isprintable())[:300]
