"""Cases by a reader who knew the specification and not the code; a file per group under `reader_cases/`.

`reading.yaml` has those of the mends of reading, in which each case names its group.

Each has the answer, the parameters, other constraints that stand beside (`with`), the verdict and the reader's reason;
`rules` names the edition of the reading rules where it is not the latest. Those under `refused_params/` have
parameters, and whether they are refused.
"""

from pathlib import Path

import pytest
import yaml

from evolif.errors import InputError
from evolif.scenarios.instructions.constraints import check, describe, parse_constraint
from evolif.text import READING_RULES_VERSION

FILES = sorted((Path(__file__).parent / "reader_cases").glob("*.yaml"))
CASES = [
    pytest.param(case.get("group", file.stem), case, id=f"{file.stem}-{number}")
    for file in FILES
    for number, case in enumerate(yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader), 1)
]
REFUSED = [
    pytest.param(file.stem, case, id=f"{file.stem}-{number}")
    for file in sorted((Path(__file__).parent / "refused_params").glob("*.yaml"))
    for number, case in enumerate(yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader), 1)
]


def test_there_are_cases_of_every_rule_checked_group():
    assert len(FILES) >= 9
    assert len(CASES) > 1000


@pytest.mark.parametrize(("group", "case"), CASES)
def test_verdict(group, case):
    constraints = [{"group": group, "params": case["params"]}, *case.get("with", [])]
    verdict = check(constraints, case["response"], case.get("rules", READING_RULES_VERSION))[0]
    assert verdict.satisfied is case["satisfied"], f"{case['rule']}: found {verdict.found}"


@pytest.mark.parametrize(("group", "case"), REFUSED)
def test_parameters_are_refused_or_stored_as_given(group, case):
    asked = {"group": group, "params": case["params"]}
    if case["refused"]:
        with pytest.raises(InputError, match=f"^{group}: "):
            parse_constraint(asked)
        return
    constraint = parse_constraint(asked)
    assert constraint.params.items() <= case["params"].items()
    assert describe(constraint).rstrip().endswith(".")
