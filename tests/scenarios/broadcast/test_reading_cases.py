"""Replies and what is read of them, one file for each kind of turn in `cases/`.

A group has a turn, the rule that its replies defend, and replies: one that is wholly right is a text; of another the
score is told, the items that it satisfies (a sign each, in the order of the checklist) and the gates it triggers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from reading_turns import TASKS, turn_of

from evolif.scenarios.broadcast import score_reply

FILES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))


def groups_of(path: Path) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return groups


def cases() -> Iterator[Any]:
    for path in FILES:
        for group in groups_of(path):
            for number, reply in enumerate(group["replies"], 1):
                yield pytest.param(group["turn"], reply, id=f"{path.stem}: {group['rule']} ({number})")


def told_turn(kind: str, *, formatted: bool = False, question: Any = None, **fields: Any) -> dict[str, Any]:
    return turn_of("IF" if formatted else TASKS[kind], kind, **fields, **(question or {}))


@pytest.mark.parametrize(("turn", "case"), list(cases()))
def test_case(turn: dict[str, Any], case: str | dict[str, Any]) -> None:
    reply = case if isinstance(case, str) else case["reply"]
    found = score_reply(told_turn(**turn), reply)
    signs = "".join("01"[item["satisfied"]] for item in found["items"])
    if isinstance(case, str):
        assert (found["score"], signs, found["gates"]) == (1.0, "1" * len(signs), [])
    else:
        assert (signs, found["gates"]) == (case["items"], case.get("gates", []))
        assert found["score"] == pytest.approx(case["score"], abs=1e-9)


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
