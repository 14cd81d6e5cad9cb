"""The page in a real browser: what it shows, what it filters, where links lead, and what does not run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from evolif.report import analyse, write_page
from evolif.runner import load_run

pytestmark = pytest.mark.slow

Visit = Callable[..., Any]
Screen = Callable[..., None]


def until(driver: Any, script: str) -> Any:
    """What the script returns, once that is true."""
    for _ in range(200):
        if found := driver.execute_script(f"return {script}"):
            return found
        time.sleep(0.05)
    raise AssertionError(f"never true: {script}")


def shown(driver: Any) -> list[str]:
    return list(
        driver.execute_script("return [...document.querySelectorAll('.session:not([hidden])')].map(s => s.dataset.key)")
    )


def counts(driver: Any) -> str:
    return str(driver.execute_script("return document.querySelector('.counts').textContent"))


def choose(driver: Any, name: str, value: str) -> None:
    driver.execute_script(
        "const f = document.querySelector('form.filters').elements[arguments[0]];"
        "if (f.type === 'checkbox') f.checked = !!arguments[1]; else f.value = arguments[1];"
        "f.dispatchEvent(new Event('input', {bubbles: true}))",
        name,
        value,
    )


@pytest.mark.slow
def test_it_renders_without_a_word_in_the_console(pages: dict[str, Path], folder: Path, visit: Visit) -> None:
    driver = visit(pages["run"])
    assert driver.execute_script("return document.contentType") == "text/html"
    with closing(load_run(folder, read_only=True)) as run:
        [first, _] = analyse([run], resamples=50)[0].models
        isr = first.summary.metrics.value("isr")
    table = driver.execute_script("return document.querySelector('table.headline').innerText")
    assert isr is not None and f"(ISR %)\n{first.of.tables[0].meanings['isr']}\n\t{100 * isr:.0f}" in table
    assert driver.execute_script("return document.querySelectorAll('figure svg').length") >= 5
    assert len(shown(driver)) == 8
    assert driver.get_log("browser") == []


OPEN = "return [...document.querySelectorAll('details.chapter[open]')].map(d => d.parentElement.id)"


@pytest.mark.slow
def test_all_but_the_answer_is_folded_and_opens_where_the_address_says(pages: dict[str, Path], visit: Visit) -> None:
    driver = visit(pages["run"])
    assert driver.execute_script(OPEN) == []
    assert driver.execute_script("return document.querySelectorAll('details.chapter').length") > 5
    seen = "return [...document.querySelectorAll('main > section')].filter(s => s.querySelector('table, figure')"
    seen += "?.checkVisibility({contentVisibilityAuto: true})).map(s => s.id)"
    assert driver.execute_script(seen) == ["headline"]
    assert driver.execute_script(OPEN.replace("return", "location.hash = '#survival'; return")) == []
    until(driver, "document.querySelector('#survival details').open")
    driver = visit(pages["run"], f"s={quote('sim/steady/1/1', safe='/:')}")
    until(driver, "document.querySelector('#dialogues > details').open")
    assert driver.execute_script(OPEN) == ["dialogues"]
    assert (
        driver.execute_script("return document.querySelector('details.session[open]').dataset.key") == "sim/steady/1/1"
    )


@pytest.mark.slow
def test_nothing_is_fetched(pages: dict[str, Path], visit: Visit) -> None:
    driver = visit(pages["hostile"])
    until(driver, "document.readyState === 'complete'")
    asked = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = {event["params"]["request"]["url"] for event in asked if event["method"] == "Network.requestWillBeSent"}
    assert {url.partition("#")[0] for url in urls} <= {pages["hostile"].resolve().as_uri(), "about:blank"}
    assert len(urls) == 1


@pytest.mark.slow
def test_planted_scripts_do_not_run(pages: dict[str, Path], visit: Visit) -> None:
    driver = visit(pages["hostile"])
    driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for button in ("more", "v"):
        driver.execute_script(f"document.querySelectorAll('button.{button}').forEach(b => b.click())")
    time.sleep(0.3)
    assert driver.execute_script("return typeof window.pwned") == "undefined"
    assert driver.execute_script("return document.scripts.length") == 1
    foreign = "img, iframe, base, object, embed, form[action], animate, link, [onload], [onerror], [onfocus], [onbegin]"
    assert driver.execute_script("return document.querySelectorAll(arguments[0]).length", foreign) == 0
    links = driver.execute_script("return [...document.querySelectorAll('a')].map(a => a.getAttribute('href'))")
    assert all(link.startswith("#") for link in links)
    # Every payload is there to be read, in the answer, the query, the reasoning and the judge's words.
    for place in (".user .text", ".model .ans", ".think .text", ".judges", ".faults", ".v .exp"):
        text = driver.execute_script("return document.querySelector(arguments[0]).textContent", place)
        assert "window.pwned = 1" in text and "<img src=x onerror=" in text, place
        assert "U+202E" in text, place
    policy = [entry for entry in driver.get_log("browser") if "Content Security Policy" in entry["message"]]
    assert policy == []  # nothing even got so far as to be refused


@pytest.mark.slow
def test_the_policy_holds_where_escaping_would_fail(pages: dict[str, Path], visit: Visit, tmp_path: Path) -> None:
    broken = tmp_path / "broken.html"
    text = pages["run"].read_text(encoding="utf-8")
    planted = "<script>window.pwned = 1</script><img src=x onerror='window.pwned=2'><svg onload='window.pwned=3'></svg>"
    broken.write_text(
        text.replace("<main>", f"<main>{planted}<a id=evil href='javascript:window.pwned=4'>x</a>", 1), "utf-8"
    )
    driver = visit(broken)
    driver.execute_script("document.getElementById('evil').click()")
    time.sleep(0.3)
    assert driver.execute_script("return typeof window.pwned") == "undefined"
    refused = [entry for entry in driver.get_log("browser") if "Content Security Policy" in entry["message"]]
    assert len(refused) >= 4
    assert len(shown(driver)) == 8  # our own script still runs


@pytest.mark.slow
def test_filters_narrow_and_count(pages: dict[str, Path], visit: Visit) -> None:
    driver = visit(pages["run"])
    everything = counts(driver)
    assert everything.startswith("8 of 8 dialogues")
    choose(driver, "model", "sim/forgetful")
    until(driver, "location.hash.includes('model=')")
    assert len(shown(driver)) == 4 and all(key.startswith("sim/forgetful/") for key in shown(driver))
    assert counts(driver).startswith("4 of 8 dialogues")
    group = driver.execute_script(
        "return document.querySelector('.session:not([hidden]):not([data-failed=\"\"])').dataset.failed.split(' ')[0]"
    )
    choose(driver, "failed", group)
    until(driver, "location.hash.includes('failed=')")
    kept = shown(driver)
    assert kept and driver.execute_script(
        "const kept = [...document.querySelectorAll('.session:not([hidden])')];"
        "return kept.every(s => s.dataset.failed.split(' ').includes(arguments[0]))",
        group,
    )
    address = driver.current_url
    driver.execute_script("document.querySelector('button[type=reset]').click()")
    until(driver, "!location.hash")
    assert counts(driver) == everything
    driver.get("about:blank")
    driver.get(address)
    assert shown(driver) == kept
    assert (
        driver.execute_script("return document.querySelector('form.filters').elements.model.value") == "sim/forgetful"
    )


@pytest.mark.slow
def test_the_text_filter_and_the_failed_turns(pages: dict[str, Path], visit: Visit) -> None:
    driver = visit(pages["run"])
    word = driver.execute_script(
        "const session = document.querySelectorAll('.session')[5];"
        "return session.querySelector('.ans').textContent.trim().split('\\n')[0].slice(0, 60)"
    )
    choose(driver, "q", word.upper())
    until(driver, "location.hash.includes('q=')")
    found = shown(driver)
    texts = driver.execute_script(
        "return [...document.querySelectorAll('.session')].map(s => [s.dataset.key, s.textContent])"
    )
    assert found == [key for key, text in texts if word.lower() in text.lower()] != []
    choose(driver, "q", "no such words anywhere <script>")
    until(driver, "document.querySelector('.counts').textContent.startsWith('0 of')")
    choose(driver, "q", "")
    choose(driver, "only", "1")
    until(driver, "location.hash.includes('only=1')")
    driver.execute_script("document.querySelectorAll('.session').forEach(s => { s.open = true; })")
    looks = driver.execute_script(
        "const seen = [...document.querySelectorAll('.turn')].filter(t => t.getClientRects().length);"
        "return seen.map(t => t.classList.contains('bad'))"
    )
    assert looks and all(looks)
    assert f", {len(looks)} of " in counts(driver)


@pytest.mark.slow
def test_a_link_opens_its_turn(pages: dict[str, Path], visit: Visit) -> None:
    driver = visit(pages["run"], "s=sim/forgetful/3/1&t=3")
    session = driver.execute_script(
        "return [...document.querySelectorAll('.session')].filter(s => s.open).map(s => s.dataset.key)"
    )
    assert session == ["sim/forgetful/3/1"]
    until(driver, "document.activeElement.dataset.t === '3'")
    box = driver.execute_script("const b = document.activeElement.getBoundingClientRect(); return [b.top, innerHeight]")
    assert -1 <= box[0] < box[1] / 2
    # From there along a turn's own link, without a reload.
    driver.execute_script("document.activeElement.closest('.session').querySelectorAll('.perma')[0].click()")
    until(driver, "document.activeElement.dataset.t === '1'")
    for wrong in ("s=nobody/1/1&t=2", "s=sim/forgetful/3/1&t=99999", "s=%", 's="]&t=1)', "t=3", "model=nobody&only=1"):
        visit(pages["run"], wrong)
        severe = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
        assert severe == [], wrong


@pytest.mark.slow
def test_a_link_to_a_hostile_name_works_too(pages: dict[str, Path], visit: Visit) -> None:
    driver = visit(pages["hostile"])
    key = shown(driver)[0]
    assert key.startswith("evil/<img")
    driver = visit(pages["hostile"], f"s={quote(key)}&t=2")
    until(driver, "document.activeElement.dataset.t === '2'")
    choose(driver, "model", key.rsplit("/", 2)[0])
    until(driver, "location.hash.includes('model=')")
    assert len(shown(driver)) == 4
    assert driver.execute_script("return typeof window.pwned") == "undefined"


def test_a_verdict_shows_its_evidence(pages: dict[str, Path], visit: Visit) -> None:
    driver = visit(pages["run"])
    driver.execute_script(
        "const b = document.querySelector('button.v'); b.closest('.session').open = true; b.focus(); b.click()"
    )
    pressed, marks, others = driver.execute_script(
        "const b = document.querySelector('button.v'), t = b.closest('.turn');"
        "const mine = m => m.dataset.v.split(' ').includes(b.dataset.v);"
        "const all = [...t.querySelectorAll('mark')];"
        "return [b.getAttribute('aria-pressed'), all.filter(mine).map(m => m.classList.contains('on')),"
        " all.filter(m => !mine(m)).map(m => m.classList.contains('on'))]"
    )
    assert pressed == "true" and marks and all(marks) and not any(others)
    driver.execute_script("document.querySelector('button.v').click()")
    assert driver.execute_script("return document.querySelectorAll('mark.on').length") == 0


@pytest.mark.slow
def test_long_answers_open_on_request(folder: Path, visit: Visit, tmp_path: Path) -> None:
    import shutil
    import sqlite3

    shutil.copytree(folder, tmp_path / "long")
    with closing(sqlite3.connect(tmp_path / "long" / "run.sqlite")) as store, store:
        store.execute("UPDATE turn SET answer = ?, verdicts = NULL", ("many words and no end of them " * 400,))
    with closing(load_run(tmp_path / "long", read_only=True)) as run:
        write_page(analyse([run], resamples=10), tmp_path / "long.html")
    driver = visit(tmp_path / "long.html")
    driver.execute_script("document.querySelector('.session').open = true")
    height = "return document.querySelector('.ans').getBoundingClientRect().height"
    before = driver.execute_script(height)
    assert driver.execute_script("return document.querySelector('.ans + button.more').textContent").startswith(
        "Show all 12,000"
    )
    driver.execute_script("document.querySelector('.ans + button.more').click()")
    assert driver.execute_script(height) > 1.5 * before
    assert (
        driver.execute_script("return document.querySelector('.ans + button.more').getAttribute('aria-expanded')")
        == "true"
    )


@pytest.mark.parametrize("name", ["run", "hostile"])
def test_a_phone_needs_no_sideways_scrolling(pages: dict[str, Path], visit: Visit, screen: Screen, name: str) -> None:
    screen(width=360, height=800)
    driver = visit(pages[name])
    driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    wide, window = driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert (wide, window) == (360, 360)


@pytest.mark.slow
def test_print_leaves_the_controls_out(pages: dict[str, Path], visit: Visit, screen: Screen) -> None:
    driver = visit(pages["run"])
    is_shown = "const e = document.querySelector(arguments[0]); return e.getClientRects().length > 0"
    driver.execute_script("document.querySelector('#dialogues details.chapter').open = true")
    assert driver.execute_script(is_shown, "form.filters") and driver.execute_script(is_shown, ".counts")
    screen(media="print")
    for controls in ("form.filters", ".counts"):
        assert not driver.execute_script(is_shown, controls), controls
    assert driver.execute_script(is_shown, "table.headline")
    assert not driver.execute_script(is_shown, ".session")
    driver.execute_script("document.querySelector('.session').open = true")
    assert driver.execute_script(is_shown, ".ans")
    assert driver.execute_script("return getComputedStyle(document.querySelector('.ans')).userSelect") in (
        "auto",
        "text",
    )


@pytest.mark.parametrize("width", [400, 1200])
def test_the_first_screen_is_not_cropped(pages: dict[str, Path], visit: Visit, screen: Screen, width: int) -> None:
    screen(width, 900, dark=True)
    driver = visit(pages["run"])
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    over = "return [...document.querySelectorAll(arguments[0])].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert driver.execute_script(over, "#headline .scroll, #headline .plate") == 0
    driver.execute_script("document.querySelectorAll('details.chapter').forEach(d => { d.open = true; })")
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    # A white slab would be a rectangle of another colour than the paper behind the figure.
    paper = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    ground = "return getComputedStyle(document.querySelector('#headline figure svg path')).fill"
    assert driver.execute_script(ground) == paper != "rgb(255, 255, 255)"


@pytest.mark.slow
def test_the_names_of_rows_stay_whole_while_a_table_scrolls(
    pages: dict[str, Path], visit: Visit, screen: Screen
) -> None:
    screen(400, 900)
    driver = visit(pages["run"], "ceiling")
    until(driver, "document.querySelector('#ceiling details').open")
    moved = driver.execute_script(
        "const s = document.querySelector('#ceiling .scroll'); const n = s.querySelector('tbody th');"
        "const before = n.getBoundingClientRect().left; s.scrollLeft = 60;"
        "return [s.scrollLeft, n.getBoundingClientRect().left - before, n.scrollWidth - n.clientWidth,"
        " getComputedStyle(s).backgroundImage]"
    )
    assert moved[0] > 0 and moved[1:3] == [0, 0] and moved[3].count("gradient") == 2


CONTRAST = """
const luminance = (c) => {
  const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const [r, g, b] = c.match(/[\\d.]+/g).map(v => linear(v / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (e) => {
  for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (!/, 0\\)$/.test(c)) return c;
  }
  return "rgb(255, 255, 255)";
};
document.querySelectorAll("details").forEach(d => { d.open = true; });
const poor = [];
for (const e of document.querySelectorAll("body *:not(svg, svg *)")) {
  if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) continue;
  const [a, b] = [luminance(getComputedStyle(e).color), luminance(ground(e))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) poor.push(`${e.tagName}.${e.className} ${ratio.toFixed(2)}`);
}
return [...new Set(poor)];
"""


@pytest.mark.parametrize("dark", [False, True])
def test_letters_stand_out(pages: dict[str, Path], visit: Visit, screen: Screen, dark: bool) -> None:
    screen(dark=dark)
    driver = visit(pages["hostile"])
    paper = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is not dark
    driver.execute_script("document.querySelectorAll('button.v').forEach(b => b.click())")
    assert driver.execute_script(CONTRAST) == []


def test_tables_and_figures_have_names(pages: dict[str, Path], visit: Visit) -> None:
    driver = visit(pages["run"])
    bare = driver.execute_script(
        "const q = s => [...document.querySelectorAll(s)];"
        "return [q('table').filter(t => !t.caption.textContent.trim()).length, q('th:not([scope])').length,"
        " q('figure svg').filter(s => s.getAttribute('role') !== 'img' || !s.getAttribute('aria-label')).length,"
        " q('[id]').length - new Set(q('[id]').map(e => e.id)).size]"
    )
    assert bare == [0, 0, 0, 0]
    targets = driver.execute_script(
        "return [...document.querySelectorAll('nav a')].filter(a => !document.getElementById(a.hash.slice(1))).length"
    )
    assert targets == 0
