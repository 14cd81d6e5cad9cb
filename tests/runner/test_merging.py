"""Runs that machines played apart are joined: as if one had played them all, whatever their order, or not at all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, fault_at, good_but
from tables_of_version_2 import TABLES_OF_VERSION_2

import evolif
from evolif import UsageError
from evolif.errors import ModelError
from evolif.models import Reply
from evolif.report import analyse
from evolif.report.comparable import group_comparable
from evolif.report.json import analysis_object
from evolif.runner import Run, RunStore, evaluate, load_run
from evolif.runner.merging import merge_runs
from evolif.runner.records import EarlyEnd
from evolif.runner.run import SAMPLES_OF, locked
from evolif.runner.schema import SCHEMA
from evolif.types import Usage

A, B, C = "fake/a", "fake/b", "fake/c"
FILE = "run.sqlite"


def model(name: str) -> Scripted:
    """Fails at other turns than the others do, and tells what it used."""
    bad = {A: (2,), B: (2, 3, 4), C: (3,)}[name]
    return Scripted(
        lambda request: Reply(str(good_but(*bad)(request)), usage=Usage(100 + request.prompt.turn, 7), seconds=0.5),
        name=name,
    )


@pytest.fixture(scope="module")
def made(made_bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two models over 4 dialogues and 2 epochs, and the parts that three machines played of it."""
    root = tmp_path_factory.mktemp("parts")
    shutil.copytree(made_bench, root / "bench")
    shares: Mapping[str, Mapping[str, Any]] = {
        "whole": {"models": (A, B), "epochs": 2},
        "one": {"models": (A, B), "epochs": 2, "dialogues": "1-2"},
        "two": {"models": (A, B), "dialogues": "3-4"},
        "three": {"models": (B,), "epochs": 2, "dialogues": "3-4"},
        "four": {"models": (A,), "epochs": 2, "dialogues": "3-4"},
    }
    for name, share in shares.items():
        names = share["models"]
        evaluate(
            root / "bench", [model(one) for one in names], root / name, max_turns=5, patience=3,
            epochs=share.get("epochs", 1), dialogues=share.get("dialogues"),
        ).close()  # fmt: skip
    return root


@pytest.fixture
def parts(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(made, tmp_path / "made")
    monkeypatch.chdir(tmp_path / "made")
    return tmp_path / "made"


PARTS = ("one", "two", "three", "four")


def merged(*shards: str, out: str = "joined") -> bytes:
    merge_runs([Path(shard) for shard in shards], Path(out))
    return (Path(out) / FILE).read_bytes()


def content(root: Path) -> dict[str, tuple[tuple[int, ...], bytes]]:
    return {path.name: ((path.stat().st_mtime_ns, path.stat().st_size), path.read_bytes()) for path in root.iterdir()}


def figures(path: str) -> dict[str, Any]:
    """Everything that a report tells, besides the folder's name and the moment."""
    with closing(load_run(path)) as run:
        told = analysis_object(group_comparable(analyse([run], resamples=200)))
        costs, ends = run.costs(), run.store.endings()
    text = json.dumps(told, sort_keys=True).replace(run.path.name, "RUN")
    return {"told": json.loads(text), "costs": costs, "ends": ends}


def test_the_joined_run_is_the_run_that_one_machine_would_have_played(parts: Path) -> None:
    merged(*PARTS)
    assert figures("joined") == figures("whole")
    with closing(load_run("joined")) as run, closing(load_run("whole")) as whole:
        assert run.settings == whole.settings and run.settings.hash() == whole.settings.hash()
        assert run.integrity() == whole.integrity() and run.integrity().edited == ()
        assert run.origin() == whole.origin() and run.outline() == whole.outline()
        assert [list(run.transcripts(one)) for one in (A, B)] == [list(whole.transcripts(one)) for one in (A, B)]


def test_any_order_gives_the_same_bytes_and_the_parts_are_only_read(parts: Path) -> None:
    before = {name: content(parts / name) for name in PARTS}
    found = {merged(*order, out=f"out{place}") for place, order in enumerate(permutations(PARTS[:3]))}
    assert len(found) == 1
    assert merged("./two", "one", "../made/three", "two", out="other") in found
    assert {name: content(parts / name) for name in PARTS} == before
    assert [path.name for path in (parts / "other").iterdir()] == [FILE]


def test_the_same_merge_again_changes_nothing(parts: Path) -> None:
    first = merged(*PARTS)
    again = merge_runs([Path(name) for name in reversed(PARTS)], Path("joined"))
    assert not again.is_new and (again.sessions, again.turns) == (16, 8 * 5 + 8 * 4)
    assert (parts / "joined" / FILE).read_bytes() == first
    with pytest.raises(UsageError, match="joined holds a run already, which was not made from exactly these"):
        merged("one", "two")
    with pytest.raises(UsageError, match="whole holds a run already"):
        merged("one", "two", out="whole")
    Path("full").mkdir()
    Path("full/notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="full already exists; choose another folder"):
        merged("one", "two", out="full")
    assert sorted(path.name for path in parts.iterdir()) == sorted(["bench", "whole", "joined", "full", *PARTS])


def test_nothing_is_asked_again_and_what_is_left_is(parts: Path) -> None:
    merged(*PARTS)
    a, b = model(A), model(B)
    settings: dict[str, Any] = {"max_turns": 5, "patience": 3, "epochs": 2}
    said: list[str] = []
    evaluate("bench", [a, b], "joined", notify=said.append, **settings).close()
    assert a.asked == b.asked == [] and any("is complete" in line for line in said)
    merged("one", "two", out="lacking")
    with closing(load_run("lacking")) as run:
        assert run.suspended() == 4  # the second epoch of dialogues 3 and 4
    with closing(evaluate("bench", [a, b], "lacking", **settings)) as run:
        assert run.suspended() == 0
    assert {(r.prompt.dialogue, r.epoch) for r in (*a.asked, *b.asked) if r.prompt} == {(3, 2), (4, 2)}
    assert figures("lacking") == figures("whole")


def test_models_stand_in_the_order_of_their_places(parts: Path) -> None:
    evaluate("bench", [model(C), model(A)], "other", max_turns=5, patience=3, limit=2).close()
    with closing(evolif.merge(["one", "other"], "joined")) as run:
        assert run.models == (A, C, B)
        assert {session.model for session in run.sessions()} == {A, B, C}


def test_two_copies_of_a_run_count_once_and_the_longer_state_wins(play: Callable[..., Run], tmp_path: Path) -> None:
    busy = Scripted(fault_at(3, ModelError("busy")))
    play(busy, out="short", patience=9, max_turns=4).close()
    shutil.copytree(tmp_path / "short", tmp_path / "long")
    play(Scripted(good_but()), out="long", patience=9, max_turns=4).close()
    told = merge_runs([tmp_path / "short", tmp_path / "long"], tmp_path / "joined")
    assert (told.sessions, told.turns, told.in_several) == (1, 4, 1)
    whole, joined = figures(str(tmp_path / "long")), figures(str(tmp_path / "joined"))
    assert joined == whole
    assert (tmp_path / "joined" / FILE).read_bytes() == merged(
        str(tmp_path / "long"), str(tmp_path / "short"), out=str(tmp_path / "again")
    )


def test_what_a_killed_run_has_not_taken_over_of_its_shards_counts(parts: Path) -> None:
    Path("two/shards").mkdir()
    shutil.move("three", "two/shards/0-a")
    shutil.copytree("four", "two/shards/1-b")
    for name, size in (("empty", 0), ("begun", 4096)):
        (parts / "two" / "shards" / name).mkdir()
        with closing(sqlite3.connect(parts / "two" / "shards" / name / FILE)) as file:
            file.executescript(SCHEMA if size else "")
    told = merge_runs([Path("two"), Path("one")], Path("joined"))
    assert {str(part.root) for part in told.parts} == {"one", "two", "two/shards/0-a", "two/shards/1-b"}
    assert figures("joined") == figures("whole")
    with locked(parts / "two" / "shards" / "1-b"), pytest.raises(UsageError, match="1-b is being evaluated by another"):
        merged("one", "two", out="again")
    with pytest.raises(UsageError, match="begun is a run whose process was killed before it began; leave it out"):
        merged("one", "two/shards/begun", out="again")


def test_the_date_is_the_latest(parts: Path) -> None:
    for name, year in (("one", 2024), ("two", 2026), ("three", 2025)):
        with closing(RunStore.open(parts / name)) as store:
            store.note_played(datetime(year, 1, 2, tzinfo=UTC))
    with closing(RunStore.open(parts / "three")) as store:
        store.note("played", "9999 long ago")
        store.note("forecast", "{}")
        store.note("live", "{}")
    merged("one", "two", "three")
    with closing(load_run("joined")) as run:
        assert run.played() == datetime(2026, 1, 2, tzinfo=UTC)
        assert run.store.noted("forecast") == run.store.noted("live") == ""


def test_parts_of_earlier_versions_join_those_of_this_one(parts: Path) -> None:
    for name in ("three", "one"):
        with closing(sqlite3.connect(parts / name / FILE)) as file, file:
            file.executescript(f"{TABLES_OF_VERSION_2} ALTER TABLE session DROP COLUMN seal;")
    assert merged(*PARTS) == merged(*reversed(PARTS), out="again")
    with closing(load_run("joined")) as run, closing(load_run("whole")) as whole:
        assert run.integrity().edited == () and run.integrity().not_sealed == 36 + 8  # without what “two” has, too
        assert run.costs() == whole.costs() and run.store.endings() == whole.store.endings()
        for one in (A, B):
            told, wanted = (
                [[record.answer for record in records] for _, records in each.transcripts(one)] for each in (run, whole)
            )
            assert told == wanted


def edit(name: str, statement: str) -> None:
    with closing(sqlite3.connect(Path(name) / FILE)) as file, file:
        file.execute(statement)


def ended_early(name: str) -> None:
    with closing(RunStore.open(Path(name))) as store:
        store.note_early_end(EarlyEnd("isr=.03", (3,), 30))
    edit(name, "UPDATE session SET ending = NULL, cause = 'stop rule', seal = NULL WHERE id = 1")


def played_otherwise(name: str) -> None:
    shutil.rmtree(name)
    evaluate("bench", [model(A), model(B)], name, max_turns=5, patience=2, dialogues="3-4").close()


def played_on_others(name: str) -> None:
    shutil.rmtree(name)
    evolif.generate("others", dialogues=4, turns=4, seed=9, profile="objective")
    evaluate("others", [model(A), model(B)], name, max_turns=5, patience=3, dialogues="3-4").close()


def asked_elsewhere(name: str) -> None:
    told = '"endpoints":["","http://other.example/v1"]'
    edit(name, f"""UPDATE run SET value = replace(value, '"endpoints":["",""]', '{told}') WHERE key = 'settings'""")


def vast(name: str) -> None:
    edit(name, """UPDATE run SET value = json_set(value, '$.epochs', 1000000000000) WHERE key = 'settings'""")


def linked_elsewhere(name: str) -> None:
    (Path(name) / "shards").mkdir()
    (Path(name) / "shards" / "0").symlink_to(Path("three").resolve())


def answered_otherwise(name: str) -> None:
    shutil.rmtree(name)
    other = Scripted(lambda request: Reply("another", usage=Usage(1, 1)), name=A)
    evaluate("bench", other, name, max_turns=5, patience=3, dialogues="2-3").close()


REFUSED: Mapping[str, tuple[Callable[[str], object], str]] = {
    "other settings": (played_otherwise, "one and two are no parts of one run: the patience is 3 in one and 2 in two"),
    "another benchmark": (played_on_others, "one and two are no parts of one run: the benchmark differs"),
    "another address": (
        asked_elsewhere,
        "fake/b was called at the provider's own address in one and http://other.example/v1 in two",
    ),
    "other answers": (
        answered_otherwise,
        r"two has another answer of fake/a, dialogue 2, turn 1, than the runs before",
    ),
    "no end of sessions": (vast, "two has settings of 8,000,000,000,000 sessions, which its file does not have"),
    "a link": (linked_elsewhere, "a link that leads out of the folder"),
    "a stop rule": (ended_early, r"two was ended early by --stop-when isr=\.03, so its figures hold for the dialogues"),
    "edited": (lambda name: edit(name, "UPDATE turn SET answer = 'x' WHERE turn = 2"), "run.sqlite was edited after"),
    "samples": (lambda name: edit(name, f"INSERT INTO run VALUES ('{SAMPLES_OF}', 'x')"), "two holds more answers to"),
    "no run": (lambda name: (Path(name) / FILE).unlink(), "two is not a run"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_what_is_refused_leaves_nothing(parts: Path, fault: str) -> None:
    make, told = REFUSED[fault]
    make("two")
    there = sorted(path.name for path in parts.iterdir())
    with pytest.raises(UsageError, match=told):
        merged("two", "one")
    assert sorted(path.name for path in parts.iterdir()) == there


def test_a_run_that_is_being_evaluated_is_refused(parts: Path) -> None:
    with locked(parts / "two"), pytest.raises(UsageError, match="two is being evaluated by another process; wait"):
        merged("one", "two")
    assert not Path("joined").exists()
    with pytest.raises(UsageError, match="one is one of the runs that are merged; name a new folder"):
        merged("one", "two", out="./one")
    with pytest.raises(UsageError, match="there is no run to merge"):
        merge_runs([], Path("joined"))


KILLED = """
import os, signal, sys
from pathlib import Path
from evolif.runner import merging, store, shards
from evolif.util import files

def deadly(owner, name, at, after):
    real, calls = getattr(owner, name), [0]
    def wrapped(*args, **settings):
        calls[0] += 1
        if calls[0] == at and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        found = real(*args, **settings)
        if calls[0] == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return found
    setattr(owner, name, wrapped)

point, at, after = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "after"
owner = {"enrol": store.RunStore, "absorb_opened": merging, "note": store.RunStore, "_wordings": shards._Copy,
         "replace": files.os, "_faults": shards._Copy, "rmtree": files.shutil, "close": store.RunStore}[point]
deadly(owner, point, at, after)
merging.merge_runs([Path("one"), Path("two"), Path("three")], Path("joined"))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there")
@pytest.mark.parametrize(
    ("point", "at", "when"),
    [
        ("enrol", 1, "before"),
        ("absorb_opened", 1, "after"),
        ("_faults", 2, "before"),
        ("_wordings", 3, "after"),
        ("note", 2, "after"),
        ("close", 1, "before"),
        ("replace", 1, "before"),
        ("replace", 1, "after"),
    ],
)
def test_a_killed_merge_leaves_nothing_or_what_the_same_command_completes(
    parts: Path, point: str, at: int, when: str
) -> None:
    whole = merged("one", "two", "three", out="unhurt")
    told = subprocess.run([sys.executable, "-c", KILLED, point, str(at), when], cwd=parts, capture_output=True)
    assert told.returncode == -signal.SIGKILL, told.stderr
    is_there = os.path.exists("joined")
    assert is_there == ((point, when) == ("replace", "after"))
    assert not is_there or (parts / "joined" / FILE).read_bytes() == whole
    assert merged("three", "one", "two") == whole
    assert [path.name for path in (parts / "joined").iterdir()] == [FILE]
    assert not [path for path in parts.iterdir() if path.name.startswith(".")]
