"""Makes the pictures of the page anew: a fresh benchmark, two simulated models, the real page in a headless Chromium.

.venv/bin/python docs/make_page_screenshots.py
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evolif.report import analyse, write_page
from evolif.runner import evaluate
from evolif.scenarios.instructions import generate

IMAGES = Path(__file__).parent / "images"
MOST_BYTES = 200_000
WIDTH, HEIGHT = 1080, 1010

FAILED_TURN = """
const bad = [...document.querySelectorAll('button.v.bad')].filter(b => {
  const turn = b.closest('.turn');
  return turn.querySelectorAll('.v').length > 3 && turn.querySelector('.ans').textContent.length < 700
    && turn.querySelectorAll('mark.bad').length > 1 && turn.previousElementSibling;
});
const [button] = bad, turn = button.closest('.turn'), session = turn.closest('.session');
session.closest("details.chapter").open = true;
session.open = true;
button.click();
turn.previousElementSibling.scrollIntoView({block: 'start'});
"""
"""Opens a dialogue at a failed turn of several constraints, and points at its evidence."""


def main() -> None:
    """Make all pictures."""
    browser, helper = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or helper is None:
        sys.exit("Chromium and chromedriver are wanted (Debian: chromium, chromium-driver)")
    here = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)  # the page names the run's folder: a bare name, on every machine
        try:
            generate("bench", dialogues=30, turns=20, seed=7, profile="paper")
            with closing(evaluate("bench", ["sim/steady", "sim/forgetful"], "my-run")) as run:
                write_page(analyse([run]), "report.html")
            take(Path("report.html").resolve(), browser, helper, folder)
        finally:
            os.chdir(here)


def take(page: Path, browser: str, helper: str, folder: str) -> None:
    """Photograph the top of the page and a failed turn."""
    from selenium import webdriver

    os.environ["SE_OFFLINE"] = "true"
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    flags = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking hide-scrollbars"
    for flag in (*flags.split(), "disable-component-update", "disable-sync", f"user-data-dir={folder}/chromium"):
        options.add_argument(f"--{flag}")
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=helper))
    try:
        metrics = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        driver.get(page.as_uri())
        save(driver, "report-page.png")
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**metrics, "height": 1000})
        driver.execute_script(FAILED_TURN)
        save(driver, "report-transcript.png")
    finally:
        driver.quit()


def save(driver: Any, name: str) -> None:
    """Write what the window shows."""
    data = driver.get_screenshot_as_png()
    if len(data) > MOST_BYTES:
        sys.exit(f"{name} has {len(data):,} bytes, more than {MOST_BYTES:,}")
    (IMAGES / name).write_bytes(data)
    print(f"{name}: {len(data):,} bytes")


if __name__ == "__main__":
    main()
