"""Answers with the verdict that they get, one file per group: `cases/` was written beside the checkers, `reader_cases/`
by readers who knew the specification and not the code.

Each case has the answer, the parameters, other constraints that stand beside (`with`), the verdict and its reason.
`group` names the group where it is not the file's, as in `reading.yaml` for the mends of reading; `rules` names the
edition of the reading rules where it is not the latest. Those under `refused_params/` have parameters, and whether
they are refused.
"""

from functools import cache
from pathlib import Path

import pytest
import yaml

from evolif.errors import InputError
from evolif.scenarios.instructions.constraints import (
    EVERYDAY_GROUPS,
    EXTENDED_GROUPS,
    GROUPS,
    check,
    describe,
    parse_constraint,
)
from evolif.text import READING_RULES_VERSION

HERE = Path(__file__).parent
OWN = sorted((HERE / "cases").glob("*.yaml"))
READERS = sorted((HERE / "reader_cases").glob("*.yaml"))
PARTS = 4
"""For several processes."""


@cache
def cases_in(file):
    return yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)


def fault_of(group, case):
    """What is wrong with the verdict of a case; empty if it is right."""
    constraints = [{"group": group, "params": case["params"]}, *case.get("with", [])]
    try:
        verdict = check(constraints, case["response"], case.get("rules", READING_RULES_VERSION))[0]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "" if verdict.satisfied is case["satisfied"] else f"found {verdict.found}"


def name_of(file):
    return f"{file.parent.stem}/{file.stem}"


@pytest.mark.sampled
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("file", [*OWN, *READERS], ids=name_of)
def test_verdicts(file, part):
    faults = [
        f"{number}, {case['rule']}: {fault}\n  {case['params']}\n  {case['response']!r}"
        for number, case in list(enumerate(cases_in(file), 1))[part::PARTS]
        if (fault := fault_of(case.get("group", file.stem), case))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("file", sorted((HERE / "refused_params").glob("*.yaml")), ids=name_of)
def test_parameters_are_refused_or_stored_as_given(file):
    for case in cases_in(file):
        asked = {"group": file.stem, "params": case["params"]}
        try:
            constraint = parse_constraint(asked)
        except InputError as refusal:
            assert case["refused"] and str(refusal).startswith(f"{file.stem}: "), f"{case}: {refusal}"
            continue
        assert not case["refused"], case
        assert constraint.params.items() <= case["params"].items()
        assert describe(constraint).rstrip().endswith(".")


@pytest.mark.parametrize("file", OWN, ids=name_of)
def test_every_file_has_enough_cases_of_both_kinds(file):
    cases = cases_in(file)
    assert len(cases) >= 20
    assert sum(case["satisfied"] for case in cases) >= 5
    assert sum(not case["satisfied"] for case in cases) >= 5


def test_every_group_that_rules_check_has_a_file():
    groups = {**GROUPS, **EXTENDED_GROUPS, **EVERYDAY_GROUPS}
    assert {file.stem for file in OWN} == {name for name, group in groups.items() if not group.subjective}


def test_readers_wrote_many_cases():
    assert len(READERS) >= 20
    assert sum(len(cases_in(file)) for file in READERS) > 3000
