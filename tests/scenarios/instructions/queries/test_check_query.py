"""`check_query` on queries that people who did not know it have written."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import evolif
from evolif.scenarios.instructions.constraints import EXTENDED_GROUPS, GROUPS

CASES = Path(__file__).parent / "query_cases"
SETS = ("asides", "nominal", "persona", "inverted", "plain", "fresh", "voices", "talk", "chat")
TOPICS = json.loads((CASES / "topics.json").read_text(encoding="utf-8"))
BEYOND = {
    line.split()[0] for line in (CASES / "beyond.txt").read_text(encoding="utf-8").splitlines() if line[:1] not in "#"
}


def cases(name: str) -> Iterator[dict[str, Any]]:
    for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


ALL = {name: list(cases(name)) for name in SETS}


def turn(case: dict[str, Any]) -> dict[str, Any]:
    active = [*case["others"]]
    if case["after"] is not None:
        active.append({"group": case["group"], "params": case["after"]})
    operation = {key: case[key] for key in ("kind", "group", "before", "after")}
    return {"topic": TOPICS[case["topic"]], "move": case["move"], "operation": operation, "constraints": active}


@cache
def rejected(query: str, turn: str) -> bool:
    return bool(evolif.check_query(json.loads(turn), query))


def misread(case: dict[str, Any]) -> bool:
    return rejected(case["query"], json.dumps(turn(case))) == case["right"]


@pytest.mark.sampled
@pytest.mark.parametrize("group", [*GROUPS, *EXTENDED_GROUPS])
@pytest.mark.parametrize("name", SETS)
def test_right_queries_pass_and_planted_errors_are_caught(name: str, group: str) -> None:
    mine = [case for case in ALL[name] if case["group"] == group]
    wrong = [(c["id"], c["planted"] or "right", c["query"]) for c in mine if misread(c) and c["id"] not in BEYOND]
    assert wrong == []


@pytest.mark.sampled
@pytest.mark.parametrize("group", GROUPS)
def test_every_group_has_twenty_planted_errors_that_are_all_caught(group: str) -> None:
    planted = [c for name in SETS for c in ALL[name] if c["group"] == group and not c["right"]]
    caught = [c for c in planted if not misread(c)]
    assert len(caught) >= 20
    assert len({c["planted"] for c in caught}) >= 5


@pytest.mark.slow
def test_of_the_right_queries_at_most_one_in_a_hundred_is_rejected() -> None:
    right = [c for name in SETS for c in ALL[name] if c["right"]]
    wrong = [c["id"] for c in right if misread(c)]
    assert len(right) >= 1500
    assert len(wrong) <= len(right) // 100, wrong


def test_the_list_of_what_is_beyond_the_rules_stays_short() -> None:
    known = {c["id"] for name in SETS for c in ALL[name]}
    assert known >= BEYOND
    assert len(BEYOND) <= 41


CONVERSATION = [case for name in ("talk", "chat") for case in ALL[name]]
LEAST_READ = {"p": 0.98, "c": 0.88, "w": 0.99, "f": 0.97}
"""By the kind that ends an id: plain and chatty right queries, planted errors, demands of another group."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEAST_READ)
def test_queries_of_conversations_are_read(kind: str) -> None:
    mine = [case for case in CONVERSATION if case["id"].endswith(kind)]
    wrong = [case["id"] for case in mine if misread(case)]
    assert len(mine) >= 240
    assert len(wrong) <= (1 - LEAST_READ[kind]) * len(mine), wrong


@pytest.mark.slow
def test_no_query_of_plain_wording_is_rejected() -> None:
    assert [c["id"] for c in ALL["plain"] if c["right"] and misread(c)] == []


ADD = {"move": "continue", "operation": {"kind": "add", "group": "bullets", "after": {"count": 4}}}


@pytest.mark.parametrize("query", ["", "   ", "x" * 9000, "\x1b[31m", "'" * 500, "1 " * 2000, "“a” " * 500])
def test_what_cannot_be_read_is_a_finding(query: str) -> None:
    assert evolif.check_query(ADD, query)


@pytest.mark.sampled
@pytest.mark.parametrize("token", ["bold the ", "begin with S ", "kids ", "keep it short ", "oven ", "comma "])
def test_a_query_that_repeats_itself_costs_little(token: str) -> None:
    start = time.process_time()
    evolif.check_query({**ADD, "topic": TOPICS["asides-X002"]}, (token * 8000)[:7900])
    assert time.process_time() - start < 1.5


def test_a_finding_points_at_the_wrong_words() -> None:
    query = "Could you put that into five bullet points?"
    [finding] = evolif.check_query(ADD, query)
    assert finding.checker == "bullets"
    assert [query[start:end] for start, end in finding.spans] == ["five bullet points"]


LONGER = {"unit": "words", "relation": "less_than", "count": 400}
SHORTER = {"unit": "words", "relation": "less_than", "count": 200}
CHANGE = {"kind": "modify", "group": "length", "before": LONGER, "after": SHORTER}
OTHERS = [{"group": "case", "params": {"mode": "all_lower"}}, {"group": "format", "params": {"mode": "json"}}]


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("Please carry on.", "missing"),
        ("Make it fewer than 300 words instead of 400.", "wrong"),
        ("Under 400 words instead of under 200.", "reversed"),
        ("Fewer than 200 words instead of 400, in a happy tone.", "extra"),
        ("Fewer than 200 words instead of 400, as JSON, all in lower case.", "restates"),
    ],
)
def test_a_finding_says_how_the_query_differs(query: str, kind: str) -> None:
    active = [*OTHERS, {"group": "length", "params": SHORTER}]
    asked = {"topic": TOPICS["asides-X002"], "move": "continue", "operation": CHANGE, "constraints": active}
    assert [found.kind for found in evolif.check_query(asked, query)] == [kind]
    back = evolif.check_query({**asked, "move": "backtrack"}, "Fewer than 200 words instead of 400.")
    assert [found.kind for found in back] == ["topic"]


def test_what_is_no_turn_is_told_so() -> None:
    with pytest.raises(evolif.UsageError, match="operation"):
        evolif.check_query({"move": "continue"}, "Four bullets, please.")
    with pytest.raises(evolif.UsageError, match="after"):
        evolif.check_query({"move": "continue", "operation": {"kind": "add", "group": "bullets"}}, "Four, please.")


def test_a_group_without_a_reader_needs_all_its_values_named() -> None:
    operation = {"kind": "add", "group": "rhyme", "after": {"scheme": "abab", "lines": 8}}
    turn = {"move": "continue", "operation": operation}
    assert evolif.check_query(turn, "Make it eight lines that rhyme abab.") == []
    assert evolif.check_query(turn, "Make it nine lines that rhyme abab.")


@pytest.mark.parametrize("word", ["Kew", "Bali", "garden"])
def test_the_first_letter_of_a_quoted_word_is_no_letter_by_itself(word: str) -> None:
    operation = {
        "kind": "modify",
        "group": "start_with",
        "before": {"mode": "letter", "value": "p"},
        "after": {"mode": "keyword", "value": word},
    }
    asked = {"topic": TOPICS[next(iter(TOPICS))], "move": "continue", "operation": operation}
    assert evolif.check_query(asked, f"Start with “{word}” and not with the letter P.") == []
    assert evolif.check_query(asked, "Start with “Q” and not with the letter P.") != []
