"""Replies and what is read of them, one file for each kind of turn in `cases/`.

A group has a turn, the rule that its replies defend, and replies: one that is wholly right is a text; of another the
score is told, the items that it satisfies (a sign each, in the order of the checklist) and the gates it triggers.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from reading_turns import TASKS, turn_of

from evolif.scenarios.broadcast import score_reply

FILES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))
PARTS = 4
"""For several processes."""


@cache
def groups_of(path: Path) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return groups


def told_turn(kind: str, *, formatted: bool = False, question: Any = None, **fields: Any) -> dict[str, Any]:
    return turn_of("IF" if formatted else TASKS[kind], kind, **fields, **(question or {}))


def fault_of(turn: dict[str, Any], case: str | dict[str, Any]) -> str:
    """What is wrong with the score of a reply; empty if it is right."""
    found = score_reply(told_turn(**turn), case if isinstance(case, str) else case["reply"])
    signs = "".join("01"[item["satisfied"]] for item in found["items"])
    wanted = {"items": "1" * len(signs), "score": 1.0} if isinstance(case, str) else case
    right = (signs, found["gates"]) == (wanted["items"], wanted.get("gates", []))
    right = right and found["score"] == pytest.approx(wanted["score"], abs=1e-9)
    return "" if right else f"{signs}, {found['gates']}, {found['score']}"


@pytest.mark.sampled
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scores(path: Path, part: int) -> None:
    cases = [(group, reply) for group in groups_of(path) for reply in group["replies"]]
    faults = [
        f"{group['rule']}: {fault}\n  {reply!r}"
        for group, reply in cases[part::PARTS]
        if (fault := fault_of(group["turn"], reply))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_stored_turns_of_the_first_version_satisfy_the_same_items(path: Path) -> None:
    for group in groups_of(path):
        turn = told_turn(**group["turn"])
        stored = [{name: value for name, value in item.items() if name != "precise"} for item in turn["checklist"]]
        for case in group["replies"]:
            found = score_reply(
                {**turn, "checklist": stored, "reading": 1}, case if isinstance(case, str) else case["reply"]
            )
            signs = "".join("01"[item["satisfied"]] for item in found["items"])
            assert signs == (signs.replace("0", "1") if isinstance(case, str) else case["items"])
            assert found["gates"] == ([] if isinstance(case, str) else case.get("gates", []))
            assert found["false"] is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_has_enough_replies_of_both_kinds(path: Path) -> None:
    replies = [reply for group in groups_of(path) for reply in group["replies"]]
    assert sum(isinstance(reply, str) for reply in replies) >= 10
    assert sum(isinstance(reply, dict) for reply in replies) >= 10


def test_no_reply_comes_twice() -> None:
    told = [
        (str(group["turn"]), reply if isinstance(reply, str) else reply["reply"])
        for path in FILES
        for group in groups_of(path)
        for reply in group["replies"]
    ]
    assert len(set(told)) == len(told) > 700
