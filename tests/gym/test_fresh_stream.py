"""Streams of benchmarks: the same for the same seed, made ahead, and nothing is left of them."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import evolif
from evolif.gym import Stream, seed_of

SMALL: dict[str, Any] = {"turns": 1, "profile": "paper"}


def test_seeds_differ_by_everything_and_stay_what_they_are() -> None:
    found = {seed_of(epoch, worker, seed) for epoch in range(20) for worker in range(4) for seed in range(4)}
    assert len(found) == 320 and min(found) >= 2**32 and max(found) < 2**53
    assert seed_of(3, 1, 7) == 3517564239499015


def identities(folder: Path, **more: Any) -> list[str]:
    with Stream(dialogues=2, options=SMALL, folder=folder, **more) as stream:
        found = [bench.identity for bench in islice(stream, 3)]
    assert list(folder.iterdir()) == []
    return found


@pytest.mark.slow
def test_the_same_seed_gives_the_same_stream_however_it_is_made(tmp_path: Path) -> None:
    one = identities(tmp_path, seed=7)
    assert len(set(one)) == 3
    assert identities(tmp_path, seed=7, processes=2, ahead=3) == one
    assert identities(tmp_path, seed=7, start=1)[:2] == one[1:]
    assert set(identities(tmp_path, seed=7, worker=1)).isdisjoint(one)


def test_benchmarks_are_those_of_generate_and_old_ones_go(tmp_path: Path) -> None:
    with Stream(dialogues=2, options=SMALL, folder=tmp_path, seed=7) as stream:
        first = next(stream)
        by_hand = evolif.generate(tmp_path / "hand", dialogues=2, seed=seed_of(0, 0, 7), **SMALL)
        assert first.identity == by_hand.identity
        given = [first, *islice(stream, 2)]
        assert [bench.path.exists() for bench in given] == [False, True, True]
        for process in list(stream._makers._started):  # a maker that is lost costs no benchmark
            process.kill()
            process.wait()
        assert [next(stream).path.name for _ in range(3)] == ["epoch-3", "epoch-4", "epoch-5"]
        assert len(stream._makers._started) == 2
    with pytest.raises(evolif.UsageError, match="the stream is closed"):
        list(islice(stream, 9))


def test_what_is_wrong_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(evolif.UsageError, match="dialogues must be at least 1, not 0"):
        Stream(dialogues=0)
    with pytest.raises(evolif.UsageError, match="nonsense"):
        Stream(scenario="nonsense")
    wrong = Stream(scenario="games", options={"game": "nonsense"}, folder=tmp_path)
    with wrong as stream, pytest.raises(evolif.UsageError, match="nonsense"):
        next(stream)
