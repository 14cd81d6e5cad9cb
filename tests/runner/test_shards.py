"""What a run takes over of another run: every row once, with its seal, and nothing of a file that is not whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, good_but

from evolif import UsageError
from evolif.errors import ModelError
from evolif.models import Reply
from evolif.runner import Run, RunStore, load_run
from evolif.runner.settings import sessions_of
from evolif.runner.shards import Absorbed, absorb
from evolif.types import Usage

Play = Callable[..., Run]
NAMED = "SELECT model, session.dialogue, epoch, turn.turn, digest, answer, seconds, verdicts, turn.seal"
ALL_TURNS = f"{NAMED} FROM turn JOIN session ON session.id = session JOIN asked ON asked.id = asked ORDER BY 1, 2, 3, 4"
ENDS = "SELECT model, dialogue, epoch, ending, cause, reason, seal FROM session ORDER BY 1, 2, 3"
CALLS = "SELECT dialogue, turn, role, model, calls, prompt_tokens, state, bound FROM call ORDER BY 1, 2, 3, 4, 5, 6, 7"


def rows(root: Path, *queries: str) -> list[list[Any]]:
    with closing(sqlite3.connect(root / "run.sqlite")) as file:
        return [file.execute(query).fetchall() for query in queries]


def change(root: Path, script: str) -> None:
    with closing(sqlite3.connect(root / "run.sqlite")) as file, file:
        file.executescript(script)


def target(root: Path, of: Path) -> RunStore:
    """A run with the settings of another and none of its turns."""
    with closing(load_run(of)) as run:
        store = RunStore.create(root, run.settings)
        for model in run.models:
            store.enrol(sessions_of(run.settings, model))
    return store


def test_everything_is_taken_over_once_with_its_seals(play: Play, tmp_path: Path) -> None:
    whole = play(Scripted(good_but(1, 2, 3)), limit=2).path
    with closing(target(tmp_path / "new", whole)) as store:
        assert absorb(store, whole) == Absorbed(sessions=2, turns=6)
        assert absorb(store, whole) == Absorbed(known=2)
        assert store.integrity().edited == () and store.integrity().sealed == 6
    told = (ALL_TURNS, ENDS, CALLS)
    assert rows(tmp_path / "new", *told) == rows(whole, *told)


def test_a_longer_state_replaces_a_shorter_one_and_no_call_is_counted_twice(play: Play, tmp_path: Path) -> None:
    def paid(request: Any) -> Reply | Exception:
        if request.prompt.turn == 3 and not mended:
            return ModelError("busy")
        return Reply("", usage=Usage(100, 7))

    mended: list[bool] = []
    early = play(Scripted(paid), patience=9, max_turns=4)
    with closing(target(tmp_path / "new", early.path)) as store:
        assert absorb(store, early.path) == Absorbed(sessions=1, turns=2)
        early.close()
        mended.append(True)
        later = play(Scripted(paid), patience=9, max_turns=4).path
        assert absorb(store, later) == Absorbed(sessions=1, turns=2)
        assert absorb(store, later) == Absorbed(known=1)
        told = (ALL_TURNS, ENDS, CALLS, "SELECT turn, role, kind, message FROM fault ORDER BY id")
        assert rows(store.root, *told) == rows(later, *told)
        assert store.integrity().edited == ()


def test_another_answer_is_refused_and_nothing_is_taken_over(play: Play, tmp_path: Path) -> None:
    one = play(Scripted(lambda _: "a"), out="one", patience=9, max_turns=2).path
    other = play(Scripted(lambda request: "ab"[request.prompt.turn - 1]), out="two", patience=9, max_turns=2, limit=2)
    with closing(target(tmp_path / "new", other.path)) as store:
        absorb(store, one)
        before = rows(store.root, ALL_TURNS, ENDS, CALLS)
        with pytest.raises(
            UsageError, match=r"two has another answer of fake/model, dialogue 1, turn 2, than the runs"
        ):
            absorb(store, other.path)
        assert rows(store.root, ALL_TURNS, ENDS, CALLS) == before
