"""Hand-written cases, one file per group in `cases/`: a response, a constraint, the verdict, the rule it defends.

The key `rules` names the edition of the reading rules where it is not the latest.
"""

from pathlib import Path

import pytest
import yaml

from evolif.scenarios.instructions.constraints import EVERYDAY_GROUPS, EXTENDED_GROUPS, GROUPS, check
from evolif.text import READING_RULES_VERSION

FILES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))
CASES = [
    pytest.param(path.stem, case, id=f"{path.stem}: {case['rule']} ({number})")
    for path in FILES
    for number, case in enumerate(yaml.safe_load(path.read_text(encoding="utf-8")), 1)
]


@pytest.mark.parametrize(("group", "case"), CASES)
def test_case(group, case):
    constraints = [{"group": group, "params": case["params"]}, *case.get("with", [])]
    verdict = check(constraints, case["response"], case.get("rules", READING_RULES_VERSION))[0]
    assert verdict.satisfied is case["satisfied"], verdict


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_has_enough_cases_of_both_kinds(path):
    cases = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert len(cases) >= 20
    assert sum(case["satisfied"] for case in cases) >= 5
    assert sum(not case["satisfied"] for case in cases) >= 5


def test_every_group_that_rules_check_has_a_file():
    groups = {**GROUPS, **EXTENDED_GROUPS, **EVERYDAY_GROUPS}
    assert {path.stem for path in FILES} == {name for name, group in groups.items() if not group.subjective}
