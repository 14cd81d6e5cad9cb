"""`check_query` on 960 everyday turns that were worded without knowing it: right, with an error, with a demand more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evolif import check_query

CASES = Path(__file__).parent / "query_cases"
LEAST = {"right": 0.96, "error": 0.98, "added": 0.96}
"""Shares of right queries that pass, and of errors and added demands that are found."""


@cache
def topics() -> dict[str, dict[str, Any]]:
    return dict(json.loads((CASES / "everyday-topics.json").read_text(encoding="utf-8")))


def cases(sets: str) -> Iterator[dict[str, Any]]:
    for line in (CASES / "everyday.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["id"][0] in sets:
            yield {**case, "turn": {**case["turn"], "topic": topics()[case["turn"]["topic"]]}}


@pytest.mark.parametrize("sets", ["D", pytest.param("ABCEFGHIJKL", marks=pytest.mark.slow)])
def test_right_queries_pass_and_others_are_found(sets: str) -> None:
    misread: dict[str, list[str]] = {kind: [] for kind in LEAST}
    number = 0
    for case in cases(sets):
        number += 1
        for kind, ids in misread.items():
            if bool(check_query(case["turn"], case[kind])) == (kind == "right"):
                ids.append(case["id"])
    assert number >= 80
    wrong = {kind: ids for kind, ids in misread.items() if len(ids) > (1 - LEAST[kind]) * number}
    assert wrong == {}
