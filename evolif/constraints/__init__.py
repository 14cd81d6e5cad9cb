"""The constraint groups: how each is drawn, described and checked, and which may stand together.

A group is one class in one of the modules here and one data file in `constraints/`; `registry` lists them.
"""

from evolif.constraints.base import Conflict, DrawContext, Group, ParamsModel, Saying, lower_limit, upper_limit
from evolif.constraints.compatibility import find_conflict, is_closed, table_version
from evolif.constraints.registry import (
    EXTENDED_GROUPS,
    GROUPS,
    check,
    check_reading,
    describe,
    format_of,
    get_group,
    own_groups,
    parse_constraint,
    parse_constraints,
)

__all__ = [
    "EXTENDED_GROUPS",
    "GROUPS",
    "Conflict",
    "DrawContext",
    "Group",
    "ParamsModel",
    "Saying",
    "check",
    "check_reading",
    "describe",
    "find_conflict",
    "format_of",
    "get_group",
    "is_closed",
    "lower_limit",
    "own_groups",
    "parse_constraint",
    "parse_constraints",
    "table_version",
    "upper_limit",
]
