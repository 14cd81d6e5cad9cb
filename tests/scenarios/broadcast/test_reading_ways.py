"""Right and wrong replies in the ways models write: right ones score 1, and no wrong one does.

The replies of `known_ways.yaml` were at hand when the second version of the reading rules was written; those of
`fresh_ways.yaml` were written afterwards, and those of them that it then read wrongly were mended.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from reading_turns import TASKS, turn_of

from evolif.scenarios.broadcast import score_reply

FILES = sorted((Path(__file__).parent / "cases" / "models").glob("*.yaml"))
FIRST_VERSION_READS = {"known_ways": 0.80, "fresh_ways": 0.73}
"""What share of the right ones stored turns get right; they are read as ever."""


@cache
def groups_of(path: Path) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return groups


def told_turn(kind: str, *, formatted: bool = False, question: Any = None, **fields: Any) -> dict[str, Any]:
    return turn_of("IF" if formatted else TASKS[kind], kind, **fields, **(question or {}))


def scores_of(path: Path, kind: str, **more: Any) -> list[tuple[str, float]]:
    return [
        (reply, score_reply({**told_turn(**group["turn"]), **more}, reply)["score"])
        for group in groups_of(path)
        for reply in group.get(kind, ())
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_right_replies_are_right(path: Path) -> None:
    scores = scores_of(path, "right")
    assert not [reply for reply, score in scores if score < 0.999999]
    assert len(scores) > 200


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_wrong_replies_are_not(path: Path) -> None:
    scores = scores_of(path, "wrong")
    assert not [reply for reply, score in scores if score >= 0.999999]
    assert len(scores) > 150


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_turns_stored_before_are_read_as_they_were_then(path: Path) -> None:
    scores = scores_of(path, "right", reading=1)
    share = sum(score >= 0.999999 for _, score in scores) / len(scores)
    assert share == pytest.approx(FIRST_VERSION_READS[path.stem], abs=0.03)
