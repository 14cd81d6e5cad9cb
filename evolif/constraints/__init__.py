"""The constraint groups: one module and one data file each."""

from evolif.constraints._base import DrawContext, Group, Saying
from evolif.constraints._check import (
    check,
    check_reading,
    describe,
    format_of,
    parse_constraint,
    parse_constraints,
)
from evolif.constraints._compatibility import (
    Conflict,
    find_conflict,
    is_closed,
    lower_limit,
    table_version,
    upper_limit,
)
from evolif.constraints._registry import GROUPS, get_group

__all__ = [
    "GROUPS",
    "Conflict",
    "DrawContext",
    "Group",
    "Saying",
    "check",
    "check_reading",
    "describe",
    "find_conflict",
    "format_of",
    "get_group",
    "is_closed",
    "lower_limit",
    "parse_constraint",
    "parse_constraints",
    "table_version",
    "upper_limit",
]
