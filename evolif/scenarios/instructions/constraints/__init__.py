"""The constraint groups: how each is drawn, described and checked, and which exclude each other.

Each group is a class in one of the modules here and a data file in `constraints/`; `registry` lists them, and `base`
explains how to add one.
"""

from evolif.scenarios.instructions.constraints.base import (
    OTHER_VALUES,
    Active,
    Change,
    Conflict,
    DrawContext,
    Group,
    ParamsModel,
    Saying,
    edge_keywords,
    lower_limit,
    upper_limit,
)
from evolif.scenarios.instructions.constraints.compatibility import find_conflict, is_closed, table_version
from evolif.scenarios.instructions.constraints.definitions import definition, rules_of, without_rules
from evolif.scenarios.instructions.constraints.registry import (
    EVERYDAY_GROUPS,
    EXTENDED_GROUPS,
    GROUPS,
    OwnModule,
    check,
    check_reading,
    code_of,
    describe,
    format_of,
    get_group,
    on_own_module,
    own_groups,
    own_modules,
    parse_constraint,
    parse_constraints,
    rule_checked,
)

__all__ = [
    "EVERYDAY_GROUPS",
    "EXTENDED_GROUPS",
    "GROUPS",
    "OTHER_VALUES",
    "Active",
    "Change",
    "Conflict",
    "DrawContext",
    "Group",
    "OwnModule",
    "ParamsModel",
    "Saying",
    "check",
    "check_reading",
    "code_of",
    "definition",
    "describe",
    "edge_keywords",
    "find_conflict",
    "format_of",
    "get_group",
    "is_closed",
    "lower_limit",
    "on_own_module",
    "own_groups",
    "own_modules",
    "parse_constraint",
    "parse_constraints",
    "rule_checked",
    "rules_of",
    "table_version",
    "upper_limit",
    "without_rules",
]
