"""The board in a real browser: 20 models × 5 columns, quick, small, sortable, and nothing foreign acts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from board_runs import built, cell, over
from runs_by_hand import make_run

from evolif.board import Board, write_board

pytestmark = pytest.mark.slow

Visit = Callable[..., Any]
Screen = Callable[..., None]
EVIL = "evil/<img src=x onerror='window.pwned=1'></script><script>window.pwned=2</script>&=#%"
COLUMNS: tuple[dict[str, Any], ...] = (
    {},
    {"patience": 2},
    {"max_turns": 12},
    {"context": "last:4"},
    {"benchmark": "f" * 16, "profile": "everyday"},
)
GRADES = ("111", "110", "100", "000")


def session(skill: int) -> str:
    """The better the model, the more of its turns are good, and the later patience runs out."""
    turns = ["111"] * (skill % 8) + [GRADES[skill % 3]] * (1 + skill % 2) + ["000"] * 3
    return f"finished:{' '.join(turns[:10])}"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """20 models in 5 columns, of real runs; one of them has a history, and one a hostile name."""
    folder = tmp_path_factory.mktemp("runs")
    models = {f"sim/model-{number:02}": over(session(number)) for number in range(19)}
    models[EVIL] = over(session(5))
    runs = []
    for number, settings in enumerate(COLUMNS):
        make_run(folder / f"run{number}", models, **settings).close()
        runs.append(folder / f"run{number}")
    make_run(folder / "later", {"sim/model-03": over(session(6))}).close()
    return built(*runs, folder / "later", title="Board")


@pytest.fixture(scope="module")
def page(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_board(board, tmp_path_factory.mktemp("board"))[0]


def until(driver: Any, script: str) -> Any:
    for _ in range(200):
        if found := driver.execute_script(f"return {script}"):
            return found
        time.sleep(0.05)
    raise AssertionError(f"never true: {script}")


def text(driver: Any, selector: str) -> str:
    return str(driver.execute_script("return document.querySelector(arguments[0]).innerText", selector))


def rows(driver: Any) -> list[str]:
    shown = "[...document.querySelectorAll('tbody.ranked tr')].filter((r) => !r.hidden).map((r) => r.dataset.row)"
    return list(driver.execute_script(f"return {shown}"))


def test_it_is_small_and_painted_within_a_second(board: Board, page: Path, visit: Visit) -> None:
    assert len(board.rows) == 20 and len(board.columns) == 5 and len(board.cells) == 100
    assert len(board.pairs) > 500
    assert page.stat().st_size < 5_000_000
    driver = visit(page)
    paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    assert 0 < until(driver, paint) <= 1000
    assert driver.get_log("browser") == []
    asked = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    sent = [one["params"]["request"]["url"] for one in asked if one["method"] == "Network.requestWillBeSent"]
    assert {url for url in sent if not url.startswith("about:")} == {page.resolve().as_uri()}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [400, 900, 1600])
def test_the_table_scrolls_and_the_page_does_not(
    page: Path, visit: Visit, screen: Screen, width: int, dark: bool
) -> None:
    screen(width, dark=dark)
    for place in ("", "model=sim/model-03", "compare=sim/model-03&sim/model-04"):
        driver = visit(page, place)
        assert driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"), place
    driver = visit(page)
    ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)")
    scroll = "const s = document.querySelector('.scroll'); s.scrollLeft = 9999; return s.scrollLeft"
    assert (driver.execute_script(scroll) > 0) == (width < 1000)
    at = "return document.querySelector('tbody th').getBoundingClientRect().left < 40"
    assert driver.execute_script(at), "names stay in view"
    driver.execute_script("document.querySelector('button.theme').click()")
    chosen = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert chosen == ("rgb(255, 255, 255)" if dark else "rgb(20, 24, 29)")
    driver = visit(page)
    assert driver.execute_script("return getComputedStyle(document.body).backgroundColor") == chosen, "it is kept"
    driver.execute_script("localStorage.clear()")


def test_paper_is_light_and_whole(page: Path, visit: Visit, screen: Screen) -> None:
    screen(dark=True)
    driver = visit(page, "model=sim/model-03")
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert driver.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert driver.execute_script("return document.querySelectorAll('details:not([open])').length") == 0
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert driver.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"


def test_sorting_is_by_one_column_and_says_so(board: Board, page: Path, visit: Visit) -> None:
    driver = visit(page)
    second = board.columns[1]
    figures = {c.row: c.newest.figure.value or 0.0 for c in board.cells if c.column == second.id}
    head = f"document.querySelector('th[data-column=\"{second.id}\"]')"
    for direction, sign in (("descending", -1), ("ascending", 1)):
        driver.execute_script(f"{head}.querySelector('.sort').click()")
        assert driver.execute_script(f"return {head}.getAttribute('aria-sort')") == direction
        assert driver.execute_script("return document.querySelectorAll('[aria-sort]').length") == 1
        values = [sign * figures[row] for row in rows(driver)]
        assert len(values) == 20 and values == sorted(values)
    driver.execute_script("document.querySelector('.corner .sort').click()")
    assert rows(driver)[:2] == [EVIL, "sim/model-00"]


def test_filters_hide_rows_and_columns(page: Path, visit: Visit) -> None:
    driver = visit(page)
    change = (
        "const f = document.querySelector('form.tools').elements[arguments[0]]; f.value = arguments[1];"
        "f.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    driver.execute_script(change, "q", "MODEL-1")
    assert len(rows(driver)) == 9 and all("model-1" in row for row in rows(driver))
    driver.execute_script(change, "profile", "everyday")
    shown = "return [...document.querySelectorAll('thead th')].filter((h) => !h.hidden).length"
    assert driver.execute_script(shown) == 2
    assert text(driver, ".counts") == "9 of 20 models, 1 of 5 columns"


def test_a_click_on_a_model_shows_all_its_metrics_and_its_history(board: Board, page: Path, visit: Visit) -> None:
    driver = visit(page)
    driver.execute_script("document.querySelector('tr[data-row=\"sim/model-03\"] a.to-model').click()")
    until(driver, "document.querySelector('#view h2')")
    assert text(driver, "#view h2") == "sim/model-03"
    assert driver.execute_script("return document.querySelectorAll('#view section.card').length") == 5
    first = cell(board, "sim/model-03", board.columns[0])
    table = driver.execute_script("return document.querySelectorAll('#view section.card table tbody')[0].innerText")
    assert table.count("\n") >= len(first.metrics) - 1 and "EDR len" in table
    assert "evolif report" in text(driver, "#view pre") and "later" in text(driver, "#view .facts")
    assert driver.execute_script("return document.querySelectorAll('#view .chart circle').length") == 2
    driver.execute_script("history.back()")
    until(driver, "!document.getElementById('board').hidden")


def test_two_that_are_chosen_are_compared(board: Board, page: Path, visit: Visit) -> None:
    driver = visit(page)
    for name in ("sim/model-07", "sim/model-00"):
        driver.execute_script("document.querySelector(`input.choose[value='${arguments[0]}']`).click()", name)
    driver.execute_script("document.querySelector('button.compare').click()")
    until(driver, "document.querySelector('#view h2')")
    assert text(driver, "#view h2") == "sim/model-07 against sim/model-00"
    pairs = [pair for pair in board.pairs if {pair.a, pair.b} == {"sim/model-00", "sim/model-07"}]
    assert driver.execute_script("return document.querySelectorAll('#view section.card').length") == len(pairs) == 5
    [first] = [pair for pair in pairs if pair.column == board.columns[0].id]
    assert first.difference.value is not None and first.a == "sim/model-00"
    assert text(driver, "#view .big") == f"{-100 * first.difference.value:+.1f}".replace("-", "−")
    assert ("not told apart" not in text(driver, "#view section.card")) == first.told_apart
    [a, b] = (quote(name, safe="") for name in ("sim/model-00", "sim/model-07"))
    driver = visit(page, f"compare={a}&{b}")
    assert text(driver, "#view .big") == f"{100 * first.difference.value:+.1f}".replace("-", "−")


def test_every_pair_and_column_has_its_view(board: Board, page: Path, visit: Visit) -> None:
    driver = visit(page)
    for column in board.columns:
        driver.execute_script("location.hash = `column=${arguments[0]}`", column.id)
        until(driver, f"document.querySelector('#view')?.innerText.includes('{column.benchmark}')")
        assert driver.execute_script("return document.querySelectorAll('#view table tbody')[0].rows.length") == 20
    names = [row.name for row in board.rows][:6]
    for a, b in combinations(names, 2):
        found = "return views.compare(arguments[0], arguments[1]).parts.filter((p) => p.tagName === 'SECTION').length"
        assert driver.execute_script(found, a, b) == 5
    assert driver.get_log("browser") == []


@pytest.mark.parametrize("place", ["", "model=", "compare=sim/model-00&", "model=nobody", "column=x", "compare=%&%zz"])
def test_hostile_names_and_addresses_do_nothing(board: Board, page: Path, visit: Visit, place: str) -> None:
    place += quote(EVIL, safe="") if place.endswith(("=", "&")) else ""
    driver = visit(page, place)
    until(driver, "document.readyState === 'complete'")
    assert driver.execute_script("return window.pwned") is None
    assert driver.execute_script("return document.querySelectorAll('img').length") == 0
    shows_table = driver.execute_script("return !document.getElementById('board').hidden")
    assert shows_table == ("evil" not in place)
    assert driver.get_log("browser") == []


def test_transcripts_are_linked_where_the_board_names_them(board: Board, tmp_path: Path, visit: Visit) -> None:
    safe, evil = "transcripts/a/b.html", "javascript:window.pwned=3"
    pairs = tuple(replace(p, transcripts=safe if n % 2 else evil) for n, p in enumerate(board.pairs))
    page, _ = write_board(replace(board, pairs=pairs), tmp_path / "linked")
    found = set()
    for pair in pairs[:4]:
        driver = visit(page, f"compare={quote(pair.a, safe='')}&{quote(pair.b, safe='')}")
        found |= set(
            driver.execute_script("return [...document.querySelectorAll('#view a')].map((a) => a.getAttribute('href'))")
        )
    assert safe in found and not any("javascript" in href for href in found)
