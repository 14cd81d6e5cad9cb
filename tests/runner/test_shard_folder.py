"""What processes of a cluster write beside a run, and how the run takes it over; how sessions are dealt to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from scripted import Scripted, fault_at, witness

from evolif import UsageError
from evolif.errors import ModelError
from evolif.runner import Run, RunStore, SessionKey
from evolif.runner.ray_dealer import Dealer, _Hand, shares
from evolif.runner.records import EndEntry
from evolif.runner.session_copy import begin_in_shard
from evolif.runner.shard_folder import SHARDS, collect_shards, new_shard

Play = Callable[..., Run]
KEY = SessionKey("fake/model", 1, 1)


@pytest.fixture
def begun(play: Play, tmp_path: Path) -> Path:
    """A run whose only session was suspended after two turns."""
    play(Scripted(fault_at(3, ModelError("down"))), max_retries=0).close()
    return tmp_path / "run"


def fill(root: Path) -> None:
    """A closed shard that goes on with the session and ends it."""
    folder, lock = new_shard(root, "1-")
    with closing(RunStore.open(root, read_only=True)) as run, closing(RunStore.create(folder, run.settings)) as shard:
        state = begin_in_shard(shard, run, KEY)
        shard.write((EndEntry(state.id, "censored", "cap", "enough"),))
    lock.release()


def test_a_shard_goes_on_with_a_session_as_the_run_has_it(begun: Path) -> None:
    folder, lock = new_shard(begun, "1-")
    with closing(RunStore.open(begun, read_only=True)) as run, closing(RunStore.create(folder, run.settings)) as shard:
        state = begin_in_shard(shard, run, KEY)
        assert (state.id, len(state.records), state.ending) == (1, 2, "suspended")
        assert shard.turns(1) == run.turns(run.state(KEY).id)
        found = shard.integrity()
        assert (found.sealed, found.not_sealed, found.edited) == (2, 0, ())
        assert shard.costs() == []
    lock.release()


def test_shards_are_taken_over_once_and_removed(begun: Path) -> None:
    fill(begun)
    fill(begun)
    with closing(RunStore.open(begun)) as run:
        costs = run.costs()
        assert collect_shards(run, wait=0) == 0
        assert (run.state(KEY).ending, run.costs()) == ("censored", costs)
        assert run.integrity().edited == () and not (begun / SHARDS).exists()
        assert collect_shards(run, wait=0) == 0


def test_a_shard_that_is_being_written_is_waited_for_and_named(begun: Path) -> None:
    folder, lock = new_shard(begun, "2-")
    with closing(RunStore.open(begun)) as run:
        assert collect_shards(run, "1-", wait=0) == 0
        with pytest.raises(UsageError, match=f"{folder.name} is still being written"):
            collect_shards(run, wait=0)
        lock.release()
        assert collect_shards(run, wait=0) == 0 and not folder.exists()


def test_what_is_no_shard_stays(begun: Path, tmp_path: Path) -> None:
    (begun / SHARDS / "mine").mkdir(parents=True)
    (begun / SHARDS / "mine" / "note.txt").write_text("kept", encoding="utf-8")
    with closing(RunStore.open(begun)) as run:
        assert collect_shards(run, wait=0) == 0
    assert (begun / SHARDS / "mine" / "note.txt").read_text(encoding="utf-8") == "kept"
    (tmp_path / "elsewhere").mkdir()
    (begun / SHARDS / "out").symlink_to(tmp_path / "elsewhere")
    with closing(RunStore.open(begun)) as run, pytest.raises(UsageError, match="leads out of the folder"):
        collect_shards(run, wait=0)


def test_another_run_is_not_taken_over(begun: Path, play: Play) -> None:
    play(Scripted(witness), out="other", max_turns=2).close()
    folder, lock = new_shard(begun, "1-")
    (begun.parent / "other" / "run.sqlite").rename(folder / "run.sqlite")
    lock.release()
    with closing(RunStore.open(begun)) as run, pytest.raises(UsageError, match="are no parts of one run"):
        collect_shards(run, wait=0)
    assert (folder / "run.sqlite").exists()


@pytest.mark.parametrize(("whole", "parts", "expected"), [(7, 3, [3, 2, 2]), (1, 3, [1, 0, 0]), (6, 2, [3, 3])])
def test_connections_are_divided(whole: int, parts: int, expected: list[int]) -> None:
    assert shares(whole, parts) == expected


def test_everyone_is_dealt_enough_and_nobody_hoards() -> None:
    ray = SimpleNamespace(remote=lambda **_: lambda actor: actor)
    shutdown = SimpleNamespace(stopped=lambda model: model == "b")
    context = SimpleNamespace(shutdown=shutdown)
    dealer = Dealer(ray, cast(Any, context), cast(Any, None), cast(Any, None), Path("bench"), lambda _: None)
    dealer._left = {"a": deque(SessionKey("a", n, 1) for n in range(100)), "b": deque([SessionKey("b", 1, 1)])}
    slow, fast = (_Hand(None, n, {"a": 4, "b": 4}, None, rate=rate) for n, rate in ((1, 0.0), (2, 20.0)))
    dealer._hands = [slow, fast]
    assert len(dealer._deal(slow)) == 4 + 2  # as many as it plays at once, and two more
    first = dealer._deal(fast)
    assert len(first) == 4 + 24 and {key.model for key in first} == {"a"}  # a quarter of what is left, not two seconds
    fast.sessions = dict.fromkeys(first)
    assert len(dealer._deal(fast)) == 0
    fast.sessions = {}
    dealt = [len(dealer._deal(fast)) for _ in range(9)]
    assert sum(dealt) == 66 and dealt == sorted(dealt, reverse=True) and dealt[-1] <= 5
