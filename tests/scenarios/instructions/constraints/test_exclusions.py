"""Which everyday constraints exclude each other, and which go together."""

from pathlib import Path

import pytest

from evolif.scenarios.instructions.constraints import find_conflict, get_group, parse_constraint
from evolif.util.resources import load_data

CASES = load_data(Path(__file__).parent / "exclusions.yaml")


def _active(data):
    return {name: parse_constraint({"group": name, "params": params}).params for name, params in data.items()}


@pytest.mark.parametrize("case", CASES["excluded"], ids=lambda case: f"{case['id']}: {', '.join(case['active'])}")
def test_excluded(case):
    conflict = find_conflict(_active(case["active"]))
    assert conflict is not None
    assert conflict.code == case["id"]
    assert set(conflict.groups) <= set(case["active"])


@pytest.mark.parametrize("active", CASES["together"], ids=lambda active: ", ".join(active))
def test_together(active):
    assert find_conflict(_active(active)) is None


@pytest.mark.parametrize("name", ["hashtags", "person", "manner", "lettering", "language"])
def test_what_is_drawn_is_valid_and_described(name):
    data = get_group(name).data
    drawn = (data.get("everyday") or data["pool"])["drawn"]
    assert sum(weight for _, weight in drawn) == {"language": 103}.get(name, 100)
    for params, _ in drawn:
        assert parse_constraint({"group": name, "params": params}).params == params
        assert get_group(name).key(params) in data["describe"]
