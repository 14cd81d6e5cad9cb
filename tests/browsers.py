"""A real browser to look at pages with, as fixtures that a folder's conftest imports."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --window-size=1280,900"
).split()


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium without a window, started once."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    helper = shutil.which("chromedriver")
    if browser is None or helper is None:
        pytest.skip("Chromium and chromedriver are not installed (Debian: chromium, chromium-driver)")
    os.environ["SE_OFFLINE"] = "true"
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=helper)
    started = webdriver.Chrome(options=options, service=service)
    try:
        started.set_page_load_timeout(60)
        yield started
    finally:
        started.quit()


@pytest.fixture
def screen(driver: Any) -> Iterator[Callable[..., None]]:
    """Sets the size and the media of the window; undone afterwards."""

    def set_to(width: int = 1280, height: int = 900, media: str = "", dark: bool = False) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})

    set_to()
    yield set_to
    set_to()


@pytest.fixture
def visit(driver: Any, screen: Callable[..., None]) -> Callable[..., Any]:
    """Opens a page afresh, at a place in it."""

    def go(path: Path, fragment: str = "") -> Any:
        driver.get("about:blank")
        driver.get_log("browser")
        driver.get_log("performance")
        driver.get(path.resolve().as_uri() + (f"#{fragment}" if fragment else ""))
        return driver

    return go
