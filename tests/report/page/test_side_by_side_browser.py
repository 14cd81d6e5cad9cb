"""Transcripts side by side in a real browser: beside each other, one under the other, alone where they differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evolif.report import analyse
from evolif.report.page import write_side_by_side
from evolif.runner import load_run

pytestmark = pytest.mark.slow

Visit = Callable[..., Any]
Screen = Callable[..., None]


def made(root: Path, out: Path) -> Path:
    with closing(load_run(root, read_only=True)) as run:
        first, second = analyse([run])[0].models
        return write_side_by_side(first, second, out)


@pytest.fixture(scope="module")
def page(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(folder, tmp_path_factory.mktemp("pair") / "pair.html")


SHOWN = "return [...document.querySelectorAll('.pair')].filter(p => p.checkVisibility()).length"
DIFFERING = "return document.querySelectorAll('.pair.differs').length"


@pytest.mark.parametrize("dark", [False, True])
def test_two_columns_where_there_is_room_and_no_page_scrolls_sideways(
    page: Path, visit: Visit, screen: Screen, dark: bool
) -> None:
    tops = "const [a, b] = document.querySelector('.pair .sides').children;"
    tops += "return [a.getBoundingClientRect().top, b.getBoundingClientRect().top]"
    for width, beside in ((400, False), (900, True), (1600, True)):
        screen(width=width, dark=dark)
        driver = visit(page)
        driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        first, second = driver.execute_script(tops)
        assert (first == second) is beside, width
        assert driver.get_log("browser") == []


def test_turns_that_differ_are_shown_alone_until_a_link_leads_to_another(page: Path, visit: Visit) -> None:
    driver = visit(page)
    driver.execute_script("document.querySelector('[name=all]').click()")
    every, differing = driver.execute_script(SHOWN), driver.execute_script(DIFFERING)
    assert every > differing > 0
    driver.execute_script("document.querySelector('[name=only]').click()")
    assert driver.execute_script(SHOWN) == differing
    same = driver.execute_script(
        "const one = document.querySelector('.pair:not(.differs)'); const link = one.querySelector('.perma');"
        "link.click(); return link.getAttribute('href')"
    )
    assert same.startswith("#s=")
    driver.execute_async_script("setTimeout(arguments[0], 200)")
    assert driver.execute_script(SHOWN) == every
    place = "return document.querySelector('.target').closest('.pair').querySelector('.perma').getAttribute('href')"
    assert driver.execute_script(place) == same


def test_a_verdict_points_at_its_own_answer_only(page: Path, visit: Visit) -> None:
    driver = visit(page)
    driver.execute_script("document.querySelector('[name=all]').click()")
    driver.execute_script("document.querySelector('.sides button.v').click()")
    sides = "return [...new Set([...document.querySelectorAll('mark.on')].map(m => m.closest('section').ariaLabel))]"
    pressed = "return document.querySelector('button.v[aria-pressed=true]').closest('section').ariaLabel"
    assert driver.execute_script(sides) == [driver.execute_script(pressed)]


def test_nothing_is_fetched_and_no_planted_script_runs(hostile: Path, tmp_path: Path, visit: Visit) -> None:
    path = made(hostile, tmp_path / "hostile.html")
    driver = visit(path)
    driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    driver.execute_script("document.querySelectorAll('button').forEach(b => b.click())")
    driver.execute_async_script("setTimeout(arguments[0], 300)")
    assert driver.execute_script("return typeof window.pwned") == "undefined"
    assert driver.execute_script("return document.scripts.length") == 1
    asked = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = {event["params"]["request"]["url"] for event in asked if event["method"] == "Network.requestWillBeSent"}
    assert {url.partition("#")[0] for url in urls} <= {path.resolve().as_uri(), "about:blank"}
