"""The files a page is made of: one that holds all it needs, within its size, and a folder where that is not enough."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from older_profiles import BEFORE_PERSONS

from evolif._version import __version__
from evolif.errors import OutsideError, UsageError
from evolif.metrics import TOO_FEW
from evolif.report import analyse, write_page
from evolif.report.comparison import compare_models
from evolif.report.leaderboard import published_leaderboard
from evolif.report.page import page, transcript_cache
from evolif.runner import evaluate, load_run
from evolif.scenarios.instructions import generate
from evolif.scenarios.instructions.presentation import NOT_COMPARABLE
from evolif.text import READING_RULES_VERSION

Make = Callable[..., "page.Written"]
EPOCHS = 32


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes most of a page's time, and its files do not depend on it."""
    monkeypatch.setattr("evolif.report.page.sections.draw_all", lambda *_, **__: [])


@pytest.fixture
def make(folder: Path, tmp_path: Path) -> Make:
    def write(name: str = "report.html", root: Path = folder, **more: Any) -> page.Written:
        with closing(load_run(root, read_only=True)) as run:
            return write_page(analyse([run], resamples=20), tmp_path / name, **more)

    return write


@pytest.fixture(scope="module")
def many(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """256 sessions: each of the eight, 32 times."""
    root = tmp_path_factory.mktemp("many") / "run"
    shutil.copytree(folder, root)
    with closing(sqlite3.connect(root / "run.sqlite")) as store, store:
        [text] = store.execute("SELECT value FROM run WHERE key = 'settings'").fetchone()
        told = json.dumps({**json.loads(text), "epochs": EPOCHS})
        store.execute("UPDATE run SET value = ? WHERE key = 'settings'", (told,))
        for epoch in range(2, EPOCHS + 1):
            store.execute(
                "INSERT INTO session SELECT id + ?, model, dialogue, ?, ending, cause, reason, NULL FROM session"
                " WHERE epoch = 1",
                (1000 * epoch, epoch),
            )
            store.execute(
                "INSERT INTO turn SELECT session + ?, turn, asked, answer, reasoning, truncated, served_by, seconds,"
                " verdicts, scores, heuristic, records, notes, context_tokens, seal, context FROM turn"
                " WHERE session < 1000",
                (1000 * epoch,),
            )
    return root


def links(text: str) -> list[str]:
    return [link for link in re.findall(r'href="([^"]*)"', text) if not link.startswith("#")]


def test_the_page_holds_all_it_needs(pages: dict[str, Path]) -> None:
    text = pages["run"].read_text(encoding="utf-8")
    assert "<svg" in text and pages["run"].stat().st_size < 5_000_000
    assert not re.search(r'\b(?:src|action|srcset|poster|data|background)\s*=\s*["\']', text)
    assert "@import" not in text and not re.search(r"url\((?!#)", text)
    assert links(text) == []
    assert (
        NOT_COMPARABLE.split("(")[0].strip() in text
        and f"evolif {__version__}" in text
        and f"reading rules {READING_RULES_VERSION}" in text
    )
    assert "All 8 transcripts are in this page." in text


def test_what_was_written_is_told(make: Make) -> None:
    written = make()
    assert written.bytes == written.path.stat().st_size
    assert (written.transcripts, written.inside, written.folder) == (8, 8, None)


def test_the_policy_names_the_only_script_and_style(pages: dict[str, Path]) -> None:
    text = pages["run"].read_text(encoding="utf-8")
    [policy] = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    rules = dict(rule.split(" ", 1) for rule in policy.replace("&#39;", "'").split("; "))
    for kind in ("script", "style"):
        [inner] = re.findall(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == rules["img-src"] == rules["connect-src"] == rules["base-uri"] == "'none'"
    assert text.index("Content-Security-Policy") < text.index("<style>") < text.index("<script>")
    assert " style=" not in text and not re.search(r"<[^>]*\son\w+=", text)


def test_our_script_never_makes_html_of_text() -> None:
    folder = Path(page.__file__).parent / "templates"
    for script in folder.glob("*.js"):
        text = script.read_text(encoding="utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch("):
            assert word not in text, (script.name, word)
    assert "|safe" not in "".join(t.read_text(encoding="utf-8").replace(" ", "") for t in folder.glob("*.html"))


def test_the_same_run_gives_the_same_bytes(make: Make) -> None:
    first = make("a.html").path.read_bytes()
    assert make("a.html").path.read_bytes() == first


def test_sections_stand_where_there_is_something_to_show(make: Make) -> None:
    sections = re.findall(r'<section id="([\w-]+)"', make().path.read_text(encoding="utf-8"))
    for wanted in ("headline", "left-out", "ceiling", "survival", "groups", "load", "moves", "patience", "comparisons"):
        assert wanted in sections
    assert {"settings", "reproduce", "how-to-read", "dialogues"} <= set(sections)
    # Nobody audited the judge, and no token was paid for.
    assert not {"audit", "costs", "published"} & set(sections)


@pytest.mark.slow
def test_comparisons_asked_for_are_shown_with_intervals(tmp_path: Path) -> None:
    generate(tmp_path / "bench", dialogues=8, turns=6, seed=11, profile=BEFORE_PERSONS)
    models = ["sim/steady", "sim/forgetful"]
    with closing(evaluate(tmp_path / "bench", models, tmp_path / "run", max_turns=6)) as run:
        [analysis] = analyse([run], resamples=50)
        first, second = analysis.models
        [pair] = compare_models([(second, first)])
        found = pair.paired.differences["edr_len"]
        text = write_page([analysis], tmp_path / "c.html", comparisons=[pair]).path.read_text(encoding="utf-8")
    [table] = re.findall(r'<table class="comparison">.*?</table>', text, re.DOTALL)
    assert "sim/forgetful minus sim/steady, over 8 dialogues" in table
    assert found.value is not None and found.interval is not None
    low, high = found.interval
    assert f'<td>{found.value:.1f} <span class="ci">[{low:.1f}, {high:.1f}]</span></td>' in table
    assert "No interval and no p of A − B in REC: fewer than six dialogues contribute to either side" in text
    # Both satisfy 43 of 48; a dialogue of six turns differs by one or two.
    assert "sim/forgetful and sim/steady are not told apart: ISR@6 0.0 [-11.1, +11.1] points, p = 1.000; " in text


def test_the_page_says_why_four_dialogues_have_no_interval(make: Make, folder: Path, tmp_path: Path) -> None:
    text = make().path.read_text(encoding="utf-8")
    left_out = text[text.index('<section id="left-out"') :].partition("</section>")[0]
    assert TOO_FEW in left_out and "sim/steady and sim/forgetful: No interval and no p of A − B: fewer" in text
    [table] = re.findall(r'<table class="headline">.*?</table>', text, re.DOTALL)
    assert "[" not in table


def test_an_audit_and_the_published_figures_have_sections(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "evolif.report.page.sections.audit_lines", lambda _: ["Judge audited by a person: 85 % of <20>"]
    )
    published = published_leaderboard()
    text = make(published=published).path.read_text(encoding="utf-8")
    assert '<section id="audit"' in text and "85 % of &lt;20&gt;" in text
    assert text.index(published.warning) < text.index('<table class="published">')


@pytest.mark.slow
def test_all_transcripts_are_in_one_file_up_to_20_mb(make: Make, many: Path) -> None:
    written = make(root=many)
    assert (written.transcripts, written.inside, written.folder) == (256, 256, None)
    assert 1_000_000 < written.bytes < page.MOST_BYTES == 20_000_000
    assert links(written.path.read_text(encoding="utf-8")) == []
    assert not (written.path.parent / "report-transcripts").exists()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page has less room than 256 transcripts need."""
    monkeypatch.setattr(page, "MOST_BYTES", 1_000_000)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_an_archive_holds_the_page_and_its_folder(make: Make, many: Path, tmp_path: Path) -> None:
    written = make("packed.html", root=many, packed=True)
    assert written.path == tmp_path / "packed.zip" and written.folder is None
    assert [file.name for file in tmp_path.iterdir()] == ["packed.zip"]
    with ZipFile(written.path) as archive:
        names = archive.namelist()
        text = archive.read("packed.html").decode()
    assert names == ["packed.html", *(f"packed-transcripts/{number:03}.html" for number in range(1, 257))]
    assert links(text) and set(links(text)) <= set(names)
    first = written.path.read_bytes()
    assert make("packed.html", root=many, packed=True).path.read_bytes() == first


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_many_transcripts_go_to_a_folder(make: Make, many: Path) -> None:
    written = make(root=many)
    assert written.transcripts == 256 and written.folder is not None and written.folder.name == "report-transcripts"
    assert 0 < written.inside < 256 and written.bytes == written.path.stat().st_size < 1_000_000
    text = written.path.read_text(encoding="utf-8")
    files = sorted(file.name for file in written.folder.iterdir())
    assert files == [f"{number:03}.html" for number in range(1, 257)]
    outside = links(text)
    assert len(outside) == 256 - written.inside
    assert all((written.path.parent / link).is_file() for link in outside)
    assert f"{written.inside} of 256 transcripts are in this page" in text
    for file in written.folder.iterdir():
        side = file.read_text(encoding="utf-8")
        assert links(side)[0] == "../report.html#dialogues"
        assert all((written.folder / link).is_file() for link in links(side)[1:])
    # As many of each model.
    inside = re.findall(r'<details class="session" data-key="(sim/\w+)/', text)
    assert abs(inside.count("sim/steady") - inside.count("sim/forgetful")) <= 1 and len(inside) == written.inside


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_links_into_the_folder(make: Make, many: Path, visit: Callable[..., Any]) -> None:
    written = make(root=many)
    text = written.path.read_text(encoding="utf-8")
    key = re.findall(r'<div class="session outside" data-key="([^"]+)"', text)[0]
    driver = visit(written.path, f"s={key}&t=2")
    for _ in range(100):
        if "report-transcripts" in driver.current_url and driver.execute_script(
            "return document.activeElement.dataset.t"
        ):
            break
        time.sleep(0.05)
    assert driver.execute_script("return document.activeElement.dataset.t") == "2"
    assert driver.execute_script("return document.querySelector('section.session').dataset.key") == key
    driver.execute_script("document.querySelector('nav a').click()")
    driver.execute_script("const f = document.querySelector('form.filters').elements.q; f.value = 'no such thing';"
                          "f.dispatchEvent(new Event('input', {bubbles: true}))")  # fmt: skip
    for _ in range(100):
        told = driver.execute_script("return document.querySelector('.counts').textContent")
        if told.startswith("0 of"):
            break
        time.sleep(0.05)
    assert f"does not cover {256 - written.inside} dialogues" in told


def test_a_page_too_large_sends_transcripts_out(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = make("whole.html")
    monkeypatch.setattr(page, "MOST_BYTES", whole.bytes - 1)
    written = make()
    assert written.bytes < whole.bytes and 0 < written.inside < 8 and written.folder is not None
    assert len(list(written.folder.iterdir())) == 8
    monkeypatch.setattr(page, "MOST_BYTES", 1)
    assert make().inside == 0


@pytest.mark.slow
def test_a_list_too_long_is_cut(make: Make, many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MOST_BYTES", 150_000)
    written = make(root=many)
    text = written.path.read_text(encoding="utf-8")
    listed = len(re.findall(r'<(?:div|details) class="session[ "]', text))
    assert written.bytes < 150_000 and listed < 256 == written.transcripts
    assert f"Only {listed} are listed here" in text
    assert written.folder is not None and len(list(written.folder.iterdir())) == 256


def test_one_giant_transcript_does_not_keep_the_others_out(
    folder: Path, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "MOST_BYTES", 5_000_000)
    root = tmp_path / "giant"
    shutil.copytree(folder, root)
    with closing(sqlite3.connect(root / "run.sqlite")) as store, store:
        store.execute("UPDATE turn SET answer = ? WHERE session = 1 AND turn = 1", ("long " * 1_200_000,))
    written = make(root=root)
    assert (written.transcripts, written.inside) == (8, 7) and written.bytes < 5_000_000


@pytest.mark.slow
def test_planted_scripts_do_not_run_in_the_folder_either(
    make: Make, hostile: Path, monkeypatch: pytest.MonkeyPatch, visit: Callable[..., Any]
) -> None:
    monkeypatch.setattr(page, "MOST_BYTES", 1)
    written = make(root=hostile)
    assert written.folder is not None
    driver = visit(written.folder / "001.html")
    driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    driver.execute_script("document.querySelectorAll('button').forEach(b => b.click())")
    assert driver.execute_script("return typeof window.pwned") == "undefined"
    assert driver.execute_script("return document.querySelectorAll('img, iframe, base, object, [onload]').length") == 0
    assert driver.execute_script("return document.scripts.length") == 1
    assert "window.pwned = 1" in driver.execute_script("return document.querySelector('.ans').textContent")
    assert [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_an_earlier_pages_folder_is_cleared_of_what_was_ours(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "report-transcripts"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "MOST_BYTES", 1)
        make()
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    (folder / "999.html").write_text("<p>mine too</p>", encoding="utf-8")
    assert len(list(folder.iterdir())) == 10
    assert make().folder is None
    assert sorted(file.name for file in folder.iterdir()) == ["999.html", "notes.txt"]


def test_two_runs_stand_apart_or_side_by_side(folder: Path, hostile: Path, tmp_path: Path) -> None:
    with closing(load_run(folder, read_only=True)) as a, closing(load_run(hostile, read_only=True)) as b:
        text = write_page(analyse([a, b], resamples=20), tmp_path / "two.html").path.read_text(encoding="utf-8")
    ids = re.findall(r'<section id="([\w-]+)"', text)
    assert len(ids) == len(set(ids)) and {"headline-1", "headline-2", "settings-1", "settings-2"} <= set(ids)
    assert "The runs are shown separately" in text
    assert 'data-key="sim/forgetful/1/1"' in text and 'data-key="2:sim/forgetful/1/1"' in text


def test_a_run_without_a_turn_has_a_page(folder: Path, make: Make, tmp_path: Path) -> None:
    root = tmp_path / "empty"
    shutil.copytree(folder, root)
    with closing(sqlite3.connect(root / "run.sqlite")) as store, store:
        for table in ("turn", "asked", "call", "fault"):
            store.execute(f"DELETE FROM {table}")
        store.execute("UPDATE session SET ending = NULL")
    written = make(root=root)
    assert written.transcripts == 0 and "To reproduce this" in written.path.read_text(encoding="utf-8")


def test_where_it_cannot_be_written_is_said(make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(OutsideError, match="page cannot be written"):
        make("file/report.html")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(OutsideError, match=r"folder\.html"):
        make("folder.html")
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".page-")]


@pytest.fixture
def without_jinja(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    yield


@pytest.mark.usefixtures("without_jinja")
def test_what_to_install_is_said(make: Make) -> None:
    with pytest.raises(UsageError, match=r"install evolif\[report\]"):
        make()


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_second_process_renders_the_same(
    make: Make, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(1)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # a module that lies about is none of the process's
    started: list[Any] = []
    popen = transcript_cache.subprocess.Popen

    def start(*args: Any, **kwargs: Any) -> Any:
        started.append(popen(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(transcript_cache.subprocess, "Popen", start)
    monkeypatch.setattr(transcript_cache.os, "cpu_count", lambda: 2)
    make(root=many)
    [helper] = started
    assert helper.returncode == 0
    monkeypatch.setattr(transcript_cache, "MIN_SESSIONS", 10**9)
    alone = make("zzzzzz.html", root=many)
    assert len(started) == 1 and alone.folder is not None
    for file in (alone.path, *alone.folder.iterdir()):
        other = Path(str(file).replace("zzzzzz", "report"))
        assert file.read_text(encoding="utf-8").replace("zzzzzz", "report") == other.read_text(encoding="utf-8")


@pytest.mark.parametrize("program", ["/bin/false", "/nonexistent/python"])
def test_without_a_second_process_it_is_done_here(make: Make, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(transcript_cache, "MIN_SESSIONS", 1)
    monkeypatch.setattr(transcript_cache.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(transcript_cache.sys, "executable", program)
    assert make().transcripts == 8
