"""The site builds without a complaint, from `docs/` alone, and reads without network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

ROOT = Path(__file__).parent.parent.parent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(find_spec(name) is None for name in ("mkdocs", "material", "mkdocstrings")),
        reason="mkdocs-material and mkdocstrings are not installed (extra docs)",
    ),
]
FETCHED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//([^\"'/ >]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, worker: str) -> Path:
    """The built site, once for all processes of the tests."""
    base = tmp_path_factory.getbasetemp()
    out = (base.parent if worker else base) / "site"
    with FileLock(f"{out}.lock"):
        if not out.exists():
            build(out)
    return out


@pytest.fixture(scope="session")
def worker() -> str:
    """The process's name under xdist, else empty."""
    return os.environ.get("PYTEST_XDIST_WORKER", "")


def build(out: Path) -> None:
    """Build it; network proxies lead nowhere, so that a build that fetches would fail."""
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


def test_every_kind_of_page_is_there(site: Path) -> None:
    for name in ("index", "tutorial", "reference/cli", "reference/api/evolif", "reference/api/evolif.metrics"):
        assert (site / f"{name}.html").is_file(), name
    assert "process_metrics" in (site / "reference" / "api" / "evolif.metrics.html").read_text(encoding="utf-8")


def test_the_first_page_shows_what_the_readme_shows(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (.+)$", readme, re.MULTILINE)
    assert len(heads) > 5 and all(f">{head}<" in text for head in heads)
    assert "make demo" in text and "<img" in text and "README.md does" not in text
    assert 'href="docs/' not in text and 'src="docs/' not in text


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


def test_the_search_works_from_a_folder(site: Path, tmp_path: Path) -> None:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    helper = shutil.which("chromedriver")
    if browser is None or helper is None:
        pytest.skip("Chromium and chromedriver are not installed (Debian: chromium, chromium-driver)")
    os.environ["SE_OFFLINE"] = "true"
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--user-data-dir={tmp_path}"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=helper))
    try:
        driver.get((site / "reference" / "cli.html").as_uri())
        driver.find_element("css selector", "[data-md-component=search-query]").send_keys("witness")
        found = results(driver)
    finally:
        driver.quit()
    assert any(address.startswith((site / "explanation" / "witnesses.html").as_uri()) for address in found), found


def results(driver: Any) -> list[str]:
    """Addresses that the search found, as soon as there are some; it has a minute."""
    for _ in range(120):
        links = driver.find_elements("css selector", ".md-search-result__item a")
        if links:
            return [link.get_attribute("href") for link in links]
        time.sleep(0.5)
    return []
