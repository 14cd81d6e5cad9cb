"""What a query asks for beside its change: plain demands of other groups, lists of what stays, `read_claims`."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

import evolif
from evolif.scenarios.instructions.constraints import EXTENDED_GROUPS, GROUPS
from evolif.scenarios.instructions.queries import read_claims
from evolif.scenarios.instructions.queries.change import Claim
from evolif.util.rng import Stream

DEMANDS: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "demands.yaml").read_text(encoding="utf-8"))
SPOKEN: dict[str, list[str]] = yaml.safe_load(
    (Path(__file__).parent / "spoken_demands.yaml").read_text(encoding="utf-8")
)
SENTENCES = re.compile(r"(?<=[.!?])\s+")
PLACES = ("front", "middle", "end")
WORDINGS = 5


def put(query: str, demand: str, place: str) -> str:
    """The query with a sentence more."""
    sentences = SENTENCES.split(query)
    at = {"front": 0, "middle": len(sentences) // 2, "end": len(sentences)}[place]
    return " ".join([*sentences[:at], demand, *sentences[at:]])


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Template queries of every profile, right as they stand."""
    found: list[dict[str, Any]] = []
    for profile in ("objective", "extended", "paper"):
        folder = tmp_path_factory.mktemp("sets") / profile
        evolif.generate(folder, dialogues=10, turns=12, seed=31, profile=profile)
        for file in sorted((folder / "dialogues").glob("*.jsonl")):
            read = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            found += [line for line in read if "query" in line]
    return found


@pytest.mark.slow
def test_a_plain_demand_of_another_group_is_found(lines: list[dict[str, Any]]) -> None:
    stream = Stream(8, "demands")
    asked: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for line in [stream.choice(lines) for _ in range(100)]:
        known = json.dumps([line["constraints"], line["operation"]], ensure_ascii=False)
        free = [keyword for keyword in line["topic"]["keywords"] if keyword not in known]
        active = {line["operation"]["group"], *(c["group"] for c in line["constraints"])}
        for number, group in enumerate(sorted(DEMANDS.keys() - active)):
            demand = stream.choice(DEMANDS[group]).replace("{w}", free[0]).replace("{v}", free[1])
            asked[group] += 1
            found[group] += bool(evolif.check_query(line, put(line["query"], demand, PLACES[number % 3])))
    assert asked.keys() == {*GROUPS, *EXTENDED_GROUPS}
    assert sum(found.values()) >= 0.97 * sum(asked.values())
    assert [group for group in asked if found[group] < 0.9 * asked[group]] == []


def test_every_group_has_demands_enough() -> None:
    assert {group: len(demands) >= WORDINGS for group, demands in DEMANDS.items()} == dict.fromkeys(DEMANDS, True)


@pytest.mark.sampled
@pytest.mark.parametrize("group", SPOKEN)
@pytest.mark.parametrize("joint", [". ", ", and "])
def test_a_demand_in_passing_is_found(group: str, joint: str) -> None:
    asked = turn({"mode": "include", "mark": "※"}, {}, "punctuation")
    query = "Put a ※ in it"
    if group not in ("bullets", "length"):
        asked, query = turn(LENGTH, {}, "length"), "Under 300 words"
    asked["topic"]["keywords"] = ["lamp", "oven", "perch", "loaf"]
    missed = [demand for demand in SPOKEN[group] if not evolif.check_query(asked, f"{query}{joint}{demand}")]
    assert len(missed) <= 0.1 * len(SPOKEN[group]), missed


def turn(after: dict[str, Any], others: dict[str, Any], group: str = "bullets") -> dict[str, Any]:
    held = [{"group": g, "params": p} for g, p in {**others, group: after}.items()]
    return {
        "topic": {
            "id": "x",
            "prompt": "Explain how to bake a loaf.",
            "keywords": ["loaf", "oven"],
            "title": "the loaf",
        },
        "move": "continue",
        "operation": {"kind": "add", "group": group, "before": None, "after": after},
        "constraints": held,
    }


LENGTH = {"unit": "words", "relation": "less_than", "count": 300}
OTHERS = {"length": LENGTH, "case": {"mode": "all_lower"}, "emotion": {"emotion": "happy"}}


@pytest.mark.parametrize(
    "query",
    [
        "Ten bullets now, with fewer than 300 words, all in lower case and in a happy tone.",
        "Ten bullets. Remember: under 300 words, lower case only.",
        "So that makes ten bullets, under 300 words, written in lower case, sounding happy.",
        "Keep it under 300 words, keep it all lower case, and give me ten bullets.",
        "Ten bullets, please. Under 300 words and all lower case, that stays as it was.",
    ],
)
def test_what_is_in_force_is_not_listed_again(query: str) -> None:
    [finding] = evolif.check_query(turn({"count": 10}, OTHERS), query)
    assert "again what stays in force" in finding.message
    assert len(finding.spans) >= 2


@pytest.mark.parametrize(
    "query",
    [
        "Ten bullets, please.",
        "Ten bullets, please, still under 300 words.",
        "Ten bullets. The length and the tone are fine as they are.",
    ],
)
def test_a_word_on_what_stays_is_no_list(query: str) -> None:
    assert evolif.check_query(turn({"count": 10}, OTHERS), query) == []


def test_another_constraint_in_force_is_not_lifted() -> None:
    asked = turn(LENGTH, {"bullets": {"count": 10}}, "length")
    assert evolif.check_query(asked, "Under 300 words, please.") == []
    assert evolif.check_query(asked, "Under 300 words, please, and drop the bullets.")


def test_claims_name_group_polarity_values_and_place() -> None:
    query = "Under 300 words, as JSON, without any commas."
    claims = read_claims(query)
    assert [(c.group, c.polarity, query[slice(*c.span)]) for c in claims] == [
        ("length", "require", "300 words"),
        ("format", "require", "JSON"),
        ("punctuation", "forbid", "commas"),
    ]
    assert claims[0].params["unit"] == "words"
    assert (claims[0].params["relation"], claims[0].params["count"]) == ("less_than", 300)
    assert claims[2].params == {"mode": "exclude", "mark": ","}


def test_an_ellipsis_is_read_by_its_turn() -> None:
    asked = turn({"count": 10}, {})
    asked["operation"] = {"kind": "modify", "group": "bullets", "before": {"count": 7}, "after": {"count": 10}}
    assert read_claims("Make it ten.") == ()
    assert read_claims("Make it ten.", asked) == (Claim("bullets", "require", {"count": 10}, (8, 11)),)
    assert read_claims("Make it nine.", asked) == (Claim("bullets", "require", {"count": 9}, (8, 12)),)


@pytest.mark.parametrize("query", ["", "x" * 9000, "'" * 500, "1 " * 2000])
def test_what_cannot_be_read_makes_no_claims(query: str) -> None:
    assert read_claims(query) == ()
