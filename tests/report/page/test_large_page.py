"""Pages of many sessions: chosen dialogues in one file, or all of them in shards beside the page."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.report import analyse, write_page
from evolif.report.page import jobs, large_page, page, shards
from evolif.report.page.selection import SessionBrief, choose
from evolif.report.page.shards import ShardRoom, ShardWriter, script_text
from evolif.report.page.transcript_cache import TranscriptCache, sessions_of
from evolif.runner import Run, load_run
from evolif.types import Ending, Session

Make = Callable[..., "page.Written"]


@pytest.fixture(autouse=True)
def small_and_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No figures, shards of few sessions, and no other process unless a test asks for one."""
    monkeypatch.setattr("evolif.report.page.sections.draw_all", lambda *_, **__: [])
    monkeypatch.setattr(shards, "SHARD_BYTES", 40_000)
    monkeypatch.setattr(shards, "UNIT_SESSIONS", 3)
    monkeypatch.setattr(jobs, "MOST_WORKERS", 0)


@pytest.fixture
def make(folder: Path, tmp_path: Path) -> Make:
    def write(name: str, root: Path = folder, *, whole: bool, most: int = 4) -> page.Written:
        with closing(load_run(root, read_only=True)) as run:
            plan = page.report_plan(analyse([run], resamples=20), (), None, None)
            return large_page.write(plan, tmp_path / name, whole=whole, most_sessions=most)

    return write


def handed_over(shard: Path) -> tuple[str, list[str]]:
    """The name and the transcripts that a shard gives to its page."""
    text = shard.read_text(encoding="utf-8")
    assert text.startswith("evolif.shard(") and text.endswith(");\n")
    name, texts = json.loads(f"[{text.removeprefix('evolif.shard(').removesuffix(');' + chr(10))}]")
    return name, texts


def index_of(text: str) -> Any:
    [found] = re.findall(r'<script type="application/json" id="session-index">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def test_so_many_sessions_are_not_many(make: Make, folder: Path, tmp_path: Path) -> None:
    with closing(load_run(folder, read_only=True)) as run:
        usual = write_page(analyse([run], resamples=20), tmp_path / "usual.html").path.read_bytes()
    for whole in (False, True):
        made = make("page.html", whole=whole, most=8)
        assert made.path.read_bytes() == usual and not made.note and (made.inside, made.folder) == (8, None)


def test_all_transcripts_are_in_shards(make: Make, run: Run, tmp_path: Path) -> None:
    made = make("report.html", whole=True)
    text = made.path.read_text(encoding="utf-8")
    assert made.folder == tmp_path / "report.data" and made.transcripts == 8 and "report.data" in made.note
    assert made.bytes == made.path.stat().st_size
    index = index_of(text)
    assert [name for name, _ in index["shards"]] == sorted(file.name for file in made.folder.iterdir())
    assert len(index["shards"]) > 2 and sum(size for _, size in index["shards"]) == len(index["rows"]) == 8
    texts = []
    for shard, size in index["shards"]:
        name, own = handed_over(made.folder / shard)
        assert name == shard and len(own) == size
        texts += own
    # What is in the shards is what a page of few sessions has inside.
    (tmp_path / "parts").mkdir()
    cache = TranscriptCache(tmp_path / "parts")
    cache.add(0, run)
    assert texts == [cache.read(head.number) for head in cache]
    for row, head in zip(index["rows"], cache, strict=True):
        model, dialogue, epoch, ending, outcomes, groups = row
        assert f"{index['models'][model][0]}/{dialogue}/{epoch}" == head.key
        assert index["endings"][ending] == head.ending and outcomes == head.outcomes
        assert tuple(index["groups"][group] for group in groups) == head.failed_groups
    assert "need JavaScript" in text and '<details class="session"' not in text


def test_the_policy_lets_the_script_load_others_and_markup_none(make: Make) -> None:
    text = make("report.html", whole=True).path.read_text(encoding="utf-8")
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert re.search(r"script-src &#39;sha256-[^;]*&#39; &#39;strict-dynamic&#39;;", policy)
    assert "unsafe" not in policy and "connect-src &#39;none&#39;" in policy
    few = make("few.html", whole=True, most=8).path.read_text(encoding="utf-8")
    assert "strict-dynamic" not in few


def test_the_same_run_gives_the_same_shards(make: Make) -> None:
    def read() -> dict[str, bytes]:
        made = make("report.html", whole=True)
        assert made.folder is not None
        return {file.name: file.read_bytes() for file in (made.path, *made.folder.iterdir())}

    assert read() == read()


@pytest.mark.slow
def test_other_processes_render_the_same(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    # Another process knows nothing of what is patched here.
    monkeypatch.setattr(shards, "SHARD_BYTES", 1_000_000)
    monkeypatch.setattr(shards, "UNIT_SESSIONS", 250)
    monkeypatch.setattr(jobs.os, "cpu_count", lambda: 2)
    files: list[dict[str, bytes]] = []
    started: list[Any] = []
    start = jobs.start_worker

    def watched(module: str, arguments: Sequence[str]) -> Any:
        started.append(start(module, arguments))
        return started[-1]

    monkeypatch.setattr(jobs, "start_worker", watched)
    for workers in (1, 0):
        monkeypatch.setattr(jobs, "MOST_WORKERS", workers)
        made, one = make("report.html", whole=True), make("one.html", whole=False)
        assert made.folder is not None
        files.append({file.name: file.read_bytes() for file in (made.path, one.path, *made.folder.iterdir())})
    assert files[0] == files[1] and [worker.returncode for worker in started] == [0, 0]


def test_what_a_dead_process_had_taken_is_rendered_after_all(run: Run, tmp_path: Path) -> None:
    (tmp_path / "0.taken").touch()
    room = ShardRoom(tmp_path, [run], [None])
    room.work()
    assert not (tmp_path / "0.json").exists() and (tmp_path / "1.json").exists()
    assert [len(unit.heads) for unit in room.rendered()] == [3, 1, 3, 1]


def test_an_earlier_pages_shards_go_and_other_files_stay(make: Make, hostile: Path, tmp_path: Path) -> None:
    first = make("report.html", whole=True)
    assert first.folder is not None
    old = {file.name for file in first.folder.iterdir()}
    mine = first.folder / "000001-0123456789abcdef.js"
    mine.write_text("my own script", encoding="utf-8")
    again = make("report.html", hostile, whole=True)
    assert again.folder is not None
    names = {file.name for file in again.folder.iterdir()}
    assert mine.name in names and not names & old
    make("report.html", whole=False)
    assert [file.name for file in (tmp_path / "report.data").iterdir()] == [mine.name]


def test_hostile_text_stays_text(make: Make, hostile: Path) -> None:
    made = make("report.html", hostile, whole=True)
    assert made.folder is not None
    for shard in made.folder.iterdir():
        text = shard.read_text(encoding="utf-8")
        assert "</" not in text and "<!" not in text and "\u2028" not in text
        for transcript in handed_over(shard)[1]:
            assert "window.pwned" in transcript and not re.search(
                r"<(script|img|iframe|base|meta|a href='j)", transcript
            )
    text = made.path.read_text(encoding="utf-8")
    [index] = re.findall(r'id="session-index">(.*?)</script>', text, re.DOTALL)
    assert index.isascii() and not set("<>&") & set(index)
    assert "evil/<img" in index_of(text)["models"][0][0]


@given(st.text(st.characters(codec="utf-8") | st.sampled_from('</!-\u2028\u2029\\"')))
def test_a_text_in_a_script_is_that_text(text: str) -> None:
    literal = script_text(text)
    assert json.loads(literal) == text
    assert not any(sign in literal for sign in ("</", "<!", "\u2028", "\u2029", "\n"))


def test_one_shard_is_in_memory_at_a_time(tmp_path: Path) -> None:
    writer = ShardWriter(tmp_path, 1)
    tracemalloc.start()
    try:
        for number in range(1, 201):
            writer.add(number, f"<p>{number}" + "x" * 50_000)
        writer.flush()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(size for _, size in writer.written) == 200 and most < 1_000_000


def test_an_archive_has_the_page_and_its_shards(make: Make, tmp_path: Path) -> None:
    made = page.packed(tmp_path / "packed.html", lambda place: make(str(place), whole=True))
    assert made.path == tmp_path / "packed.zip"
    with ZipFile(made.path) as archive:
        index = index_of(archive.read("packed.html").decode())
        assert archive.namelist() == ["packed.html", *(f"packed.data/{name}" for name, _ in index["shards"])]


def test_one_file_has_dialogues_with_the_sessions_of_all_models(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make("one.html", whole=False)
    text = made.path.read_text(encoding="utf-8")
    assert "All 8 transcripts are in this page." in text
    assert [file.name for file in tmp_path.iterdir()] == ["one.html"] and made.bytes == len(text.encode())
    monkeypatch.setattr(large_page, "MOST_BYTES", made.bytes - 20_000)
    cut = make("one.html", whole=False)
    text = cut.path.read_text(encoding="utf-8")
    keys = re.findall(r'<details class="session" data-key="(sim/\w+)/(\d)/1"', text)
    dialogues = Counter(dialogue for _, dialogue in keys)
    assert 0 < len(dialogues) < 4 and set(dialogues.values()) == {2} and len(keys) == cut.inside
    assert f"{len(dialogues)} of 4 dialogues" in text and f"{len(dialogues)} of 4 dialogues" in cut.note
    assert "Of 4 that were chosen, these are as many as fit" in text and "where models are furthest apart" in text
    assert "--html FOLDER/" in text and cut.bytes < made.bytes - 20_000 and cut.transcripts == 8


def brief(model: str, dialogue: int, turns: int, failed: int = 0, ending: Ending = "censored") -> SessionBrief:
    return SessionBrief(0, 0, Session(model, dialogue, 1, 3, ending), turns, failed)


def test_those_that_tell_most_are_chosen_and_the_others_drawn() -> None:
    sessions = [brief(model, dialogue, 20) for dialogue in range(1, 1001) for model in ("a", "b")]
    for dialogue in range(101, 126):
        sessions[2 * dialogue - 1] = brief("b", dialogue, 20, failed=dialogue)
    for dialogue, turns in ((301, 2), (302, 3)):
        for at in (2 * dialogue - 2, 2 * dialogue - 1):
            sessions[at] = brief("ab"[at % 2], dialogue, turns, ending="finished")
    for at in (998, 999):
        sessions[at] = brief("ab"[at % 2], 500, 30)
    listed = [(("benchmark", one.session.dialogue, 1), one) for one in sessions]
    chosen, total = choose(listed, 7)
    assert total == 1000 and len({one.key for one in chosen}) == len(chosen) == 100
    kinds = {kind: {one.key[1] for one in chosen if one.reason == kind} for kind in ("differ", "early", "long")}
    assert kinds["differ"] == set(range(106, 126)) and kinds["early"] == {301, 302} and 500 in kinds["long"]
    assert len(kinds["long"]) == 15 and all(len(one.sessions) == 2 for one in chosen)
    # Half of them have half of each kind.
    half = Counter(one.reason for one in chosen[:50])
    assert half["differ"] == 10 and abs(half["long"] - 7.5) <= 1
    assert choose(listed, 7) == (chosen, 1000) and choose(listed, 8)[0] != chosen


def test_of_few_dialogues_all_are_chosen() -> None:
    chosen, total = choose([(("benchmark", 3, 1), brief("a", 3, 1))], 0)
    assert total == 1 and [one.key[1] for one in chosen] == [3]
    assert choose([], 0) == ([], 0)


def test_sessions_are_listed_without_their_turns(run: Run) -> None:
    for model in run.models:
        known = [(number, replace(one, turns=())) for number, one in run.store.sessions(model, unbegun=False)]
        assert sessions_of(run, model) == known != []


@pytest.mark.parametrize("name", ["new/", "there"])
def test_a_folder_gets_an_index(folder: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "there").mkdir()
    with closing(load_run(folder, read_only=True)) as run:
        made = write_page(analyse([run], resamples=20), f"{tmp_path}/{name}")
    assert made.path == tmp_path / name / "index.html" and made.path.is_file()
