"""The site builds without a complaint, from `docs/` alone, and reads without network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("mkdocs", "material", "mkdocstrings")),
    reason="mkdocs-material and mkdocstrings are not installed (extra docs)",
)
FETCHED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//([^\"'/ >]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; network proxies lead nowhere, so that a build that fetches would fail."""
    out = tmp_path_factory.mktemp("site")
    dead = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(out)],
        cwd=ROOT,
        env={**os.environ, **dead, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_every_kind_of_page_is_there(site: Path) -> None:
    for name in ("index", "tutorial", "reference/cli", "reference/api/evolif", "reference/api/evolif.metrics"):
        assert (site / f"{name}.html").is_file(), name
    assert "process_metrics" in (site / "reference" / "api" / "evolif.metrics.html").read_text(encoding="utf-8")


def test_reading_asks_no_other_host(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    assert {host for page in pages for host in FETCHED.findall(page.read_text(encoding="utf-8"))} == set()
    assert "fonts.g" not in (site / "index.html").read_text(encoding="utf-8")


def test_the_search_index_is_a_script_that_a_folder_can_serve(site: Path) -> None:
    assert (site / "search" / "search_index.js").stat().st_size > 10_000


def test_no_path_of_a_machine_is_told(site: Path) -> None:
    told = [page.name for page in site.rglob("*.html") if str(ROOT) in page.read_text(encoding="utf-8")]
    assert told == []
