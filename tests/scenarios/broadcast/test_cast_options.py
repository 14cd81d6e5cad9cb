"""Options of a benchmark of broadcasts: which dialogue is what, and what does not go together."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from evolif.errors import UsageError
from evolif.scenario.options import options_of, pairs_of
from evolif.scenarios.broadcast.options import BroadcastOptions, BroadcastPlay


def chosen(*texts: str) -> Any:
    options = options_of(BroadcastOptions, pairs_of(texts, BroadcastOptions), "broadcast")
    assert isinstance(options, BroadcastOptions)
    options.check()
    return options


def test_the_usual_120_are_30_a_task_of_which_10_are_hockey() -> None:
    places = [chosen().place(number) for number in range(1, 121)]
    counts = Counter((place.task, place.sport) for place in places)
    assert counts == {
        (task, sport): number
        for task in ("IF", "CR", "IR", "TS")
        for sport, number in (("basketball", 20), ("hockey", 10))
    }
    assert [place.match for place in places] == list(range(120))
    assert {(place.variant, tuple(place.settings)) for place in places} == {("", ())}


def test_one_task_and_one_sport() -> None:
    places = [chosen("task=CR", "sport=hockey").place(number) for number in (1, 2, 3)]
    assert [tuple(place) for place in places] == [(match, "CR", "hockey", "", {}) for match in range(3)]


def test_a_single_value_is_a_setting_and_no_comparison() -> None:
    options = chosen("chunks=10", "switch=chat", "task=TS")
    assert options.place(2) == (1, "TS", "basketball", "chunks=10, switch=chat", {"chunks": 10, "switch": "chat"})


@pytest.mark.parametrize(
    ("texts", "tasks", "variants"),
    [
        (["chunks=1,20"], ("IF", "CR", "IR", "TS"), [("chunks=1", {"chunks": 1}), ("chunks=20", {"chunks": 20})]),
        (["ask_after=1,4"], ("CR", "IR"), [("ask_after=1", {"ask_after": 1}), ("ask_after=4", {"ask_after": 4})]),
        (["switch=math,none"], ("TS",), [("switch=math", {"switch": "math"}), ("switch=none", {"switch": "none"})]),
        (["whole=true"], ("CR", "IR"), [("", {"whole": False}), ("whole", {"whole": True})]),
        (
            ["pair_retrieval=true"],
            ("CR",),
            [("pair=anchored", {"pair": "anchored"}), ("pair=interval", {"pair": "interval"})],
        ),
    ],
    ids=["chunks", "ask_after", "switch", "whole", "pair"],
)
def test_a_comparison_plays_each_match_in_every_variant(
    texts: list[str], tasks: tuple[str, ...], variants: list[tuple[str, dict[str, Any]]]
) -> None:
    options = chosen(*texts)
    assert options.tasks == tasks
    places = [options.place(number) for number in range(1, 2 * len(tasks) + 1)]
    assert [place.match for place in places] == [number // 2 for number in range(2 * len(tasks))]
    assert [place.task for place in places[::2]] == list(tasks)
    for one, other in zip(places[::2], places[1::2], strict=True):
        assert one[:3] == other[:3]
        assert [(one.variant, one.settings), (other.variant, other.settings)] == variants


def test_a_fourth_period_is_basketball_only() -> None:
    assert {chosen("ask_after=1,4").place(number).sport for number in range(1, 13)} == {"basketball"}
    assert {chosen("ask_after=1,3").place(number).sport for number in range(1, 13)} == {"basketball", "hockey"}


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["chunks=1,5", "whole=true"], "--set chunks and --set whole both compare; make a benchmark for each of them"),
        (["whole=true", "task=IF"], "--set whole does not fit the task IF; it fits CR, IR"),
        (["switch=none", "task=TS,IR"], "--set switch does not fit the task IR; it fits TS"),
        (["pair_retrieval=true", "task=IR"], "--set pair_retrieval does not fit the task IR; it fits CR"),
        (["ask_after=4", "sport=hockey"], "ask_after is 4; give 1 to 3"),
        (["ask_after=1", "switch=none"], "no task fits both --set ask_after and --set switch; leave one of them out"),
        (["ask_after=1", "pair_retrieval=true"], "ask_after and pair exclude each other; give one of them"),
        (["whole=true", "chunks=10"], "whole and chunks exclude each other; give one of them"),
        (["task=CR,CR"], "a value stands there twice"),
        (["chunks=0"], "--set chunks"),
        (["ask_after=5"], "--set ask_after"),
        (["switch="], "--set switch"),
        (["task=XX"], "--set task"),
        (["rounds=3"], "--set rounds: the scenario broadcast has no such option"),
    ],
)
def test_what_does_not_go_together_is_refused(texts: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        chosen(*texts)
    assert sentence in str(caught.value)


def test_a_run_may_stop_at_patience() -> None:
    assert options_of(BroadcastPlay, {"stop_at_patience": "true"}, "broadcast") == BroadcastPlay(stop_at_patience=True)
    assert not BroadcastPlay().stop_at_patience
