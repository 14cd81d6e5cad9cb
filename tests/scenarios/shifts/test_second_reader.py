"""Final answers read by a second reader, which must give every goal the same reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_reader import Goal, reasons

from evolif.scenarios.shifts import check_answer
from evolif.scenarios.shifts.checking import Rules


def goal(key: str, type_: str, value: Any, **fields: Any) -> Goal:
    """A checkpoint; superseded values and those of other branches are given bare."""
    known = {"id": f"{key}-{value}", "key": key, "type": type_, "value": value, "polarity": "present"}
    others = {
        name: [{"value": value, "turn": turn} for turn, value in enumerate(fields.pop(name, ()), 1)]
        for name in ("superseded", "other_branch")
    }
    return {**known, **others, **fields}


CITIES = ["Lisbon", "Ghent", "Riga", "Porto", "Turin"]
SIGHTS = ["castle", "market", "old tram", "tower"]
SUMS = [500, 900, 1200, 2000]


def fields(values: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A goal's value, and others that were superseded or belong to another branch."""
    return st.permutations(values).flatmap(
        lambda order: st.tuples(st.integers(0, 1), st.integers(0, 1)).map(
            lambda n: {"value": order[0], "superseded": order[1 : 1 + n[0]], "other_branch": order[2 : 2 + n[1]]}
        )
    )


POLARITY = st.sampled_from(["present", "present", "absent"])
ONE_CITY = st.builds(lambda f, p: goal("destination", "text", polarity=p, **f), fields(CITIES), POLARITY)
ONE_SUM = st.builds(lambda f, p: goal("budget_eur", "number", polarity=p, **f), fields(SUMS), POLARITY)
ONE_YES = st.builds(lambda v: goal("breakfast", "yes_no", v, superseded=[not v]), st.booleans())
ITEMS = st.dictionaries(st.sampled_from(SIGHTS), POLARITY, max_size=3).map(
    lambda found: [goal("sights", "item", v, polarity=p) for v, p in found.items()]
)
GOALS = st.builds(lambda a, b, c, d: [a, *d, b, c], ONE_CITY, ONE_SUM, ONE_YES, ITEMS)
CITY_VALUES = st.one_of(st.sampled_from([None, "", *CITIES]), st.permutations(CITIES).map(lambda c: " or ".join(c[:2])))
SUM_VALUES = st.one_of(st.none(), st.sampled_from(SUMS), st.sampled_from(SUMS).map(lambda n: f"{n:,} euros"))
YES_VALUES = st.sampled_from([None, True, False, "yes", "no", "perhaps"])
LISTS = st.lists(st.sampled_from([*SIGHTS, "the Castle hill", "river"]), max_size=3)
SIGHT_VALUES = st.one_of(st.none(), LISTS, LISTS.map("; ".join), LISTS.map("\n".join))
ANSWERS = st.fixed_dictionaries(
    {}, optional={"destination": CITY_VALUES, "budget_eur": SUM_VALUES, "breakfast": YES_VALUES, "sights": SIGHT_VALUES}
)


@pytest.mark.slow
@settings(max_examples=300)
@given(GOALS, ANSWERS)
def test_both_readers_agree(goals: list[Goal], answer: dict[str, Any]) -> None:
    is_open = " or " in (answer.get("destination") or "")
    editions: list[Rules] = [1] if is_open else [1, 2]  # they differ in what they make of “Lisbon or Ghent”
    for rules in editions:
        results = check_answer(goals, f"```json\n{json.dumps(answer)}\n```", rules=rules)
        assert [r["reason"] for r in results] == reasons(goals, answer)
        assert [r["satisfied"] for r in results] == [r is None for r in reasons(goals, answer)]
