"""The page with its transcripts in shards, in a real browser and from the disk: links, filters, what is missing."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from evolif.report import analyse
from evolif.report.page import jobs, large_page, page, shards
from evolif.runner import load_run

pytestmark = pytest.mark.slow


def until(driver: Any, script: str) -> Any:
    """What the script returns, once that is true."""
    for _ in range(200):
        if found := driver.execute_script(f"return {script}"):
            return found
        time.sleep(0.05)
    raise AssertionError(f"never true: {script}")


def test_transcripts_come_from_shards(
    hostile: Path, tmp_path: Path, visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolif.report.page.sections.draw_all", lambda *_, **__: [])
    monkeypatch.setattr(shards, "SHARD_BYTES", 1)
    monkeypatch.setattr(jobs, "MOST_WORKERS", 0)
    with closing(load_run(hostile, read_only=True)) as run:
        plan = page.report_plan(analyse([run], resamples=20), (), None, None)
        made = large_page.write(plan, tmp_path / "a folder #1" / "index.html", whole=True, most_sessions=4)
    assert made.folder is not None
    files = sorted(made.folder.iterdir())
    assert len(files) == 8

    # A link leads to a turn in a shard, and from there to one in another.
    driver = visit(made.path, "s=sim/forgetful/3/1&t=3")
    until(driver, "document.activeElement.dataset.t === '3'")
    driver.execute_script("location.hash = '#s=sim/forgetful/4/1&t=2'")
    until(driver, "document.activeElement.closest?.('.session').dataset.key === 'sim/forgetful/4/1'")
    key = driver.execute_script("return document.querySelector('.session').dataset.key")
    assert key.startswith("evil/<img")
    driver = visit(made.path, f"s={quote(key)}&t=2")
    until(driver, "document.activeElement.dataset.t === '2'")

    # Nothing that was planted runs, and evidence is shown as in every page.
    driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    until(driver, "[...document.querySelectorAll('.session')].every(s => s.querySelector('.turn'))")
    for button in ("more", "v"):
        driver.execute_script(f"document.querySelectorAll('.sessions button.{button}').forEach(b => b.click())")
    assert driver.execute_script("return document.querySelectorAll('mark.on').length") > 0
    time.sleep(0.2)
    assert driver.execute_script("return typeof window.pwned") == "undefined"
    assert "window.pwned = 1" in driver.execute_script("return document.querySelector('.ans').textContent")
    assert (
        driver.execute_script("return document.querySelectorAll('img, iframe, base, [onload], [onerror]').length") == 0
    )
    assert driver.get_log("browser") == []

    # Filters and the search cover all sessions, opened or not.
    driver = visit(made.path, "model=sim/forgetful&dialogue=2")
    until(driver, "document.querySelectorAll('.session').length === 1")
    driver.execute_script(
        "const f = document.querySelector('form.filters').elements; f.dialogue.value = ''; f.order.value = 'dialogue';"
        "f.q.value = 'Window.PWNED = 1</script>'; f.q.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    until(driver, "document.querySelector('.counts').textContent.startsWith('4 of 8 dialogues')")

    # What is missing or damaged is said where it would be.
    files[0].unlink()
    files[1].write_text(files[1].read_text(encoding="utf-8")[:-40], encoding="utf-8")
    driver = visit(made.path)
    driver.execute_script(
        "[...document.querySelectorAll('details.session')].slice(0, 3).forEach(s => { s.open = true; })"
    )
    until(driver, "document.querySelectorAll('.session .warning').length === 2")
    told = driver.execute_script("return [...document.querySelectorAll('.inside')].slice(0, 2).map(i => i.textContent)")
    assert f"index.data/{files[0].name} is not there" in told[0] and f"{files[1].name} is damaged" in told[1]
    until(driver, "document.querySelectorAll('.session')[2].querySelector('.turn')")
