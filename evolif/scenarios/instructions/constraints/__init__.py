"""The constraint groups: how each is drawn, described and checked, and which exclude each other.

Each group is a class in one of the modules here and a data file in `constraints/`; `registry` lists them, and `base`
explains how to add one.
"""

from evolif.scenarios.instructions.constraints.base import (
    Active,
    Change,
    DrawContext,
    Group,
    ParamsModel,
    Saying,
    edge_keywords,
    lower_limit,
    upper_limit,
)
from evolif.scenarios.instructions.constraints.compatibility import find_conflict
from evolif.scenarios.instructions.constraints.registry import (
    EVERYDAY_GROUPS,
    EXTENDED_GROUPS,
    GROUPS,
    JUDGED_GROUPS,
    check,
    check_reading,
    code_of,
    describe,
    format_of,
    get_group,
    own_groups,
    parse_constraint,
    parse_constraints,
    rule_checked,
)

__all__ = [
    "EVERYDAY_GROUPS",
    "EXTENDED_GROUPS",
    "GROUPS",
    "JUDGED_GROUPS",
    "Active",
    "Change",
    "DrawContext",
    "Group",
    "ParamsModel",
    "Saying",
    "check",
    "check_reading",
    "code_of",
    "describe",
    "edge_keywords",
    "find_conflict",
    "format_of",
    "get_group",
    "lower_limit",
    "own_groups",
    "parse_constraint",
    "parse_constraints",
    "rule_checked",
    "upper_limit",
]
