"""The constraint groups: one module and one data file each."""

from evolif.constraints._base import DrawContext, Group, ParamsModel, Saying
from evolif.constraints._check import (
    check,
    check_reading,
    describe,
    format_of,
    parse_constraint,
    parse_constraints,
)
from evolif.constraints._compatibility import find_conflict, is_closed, table_version
from evolif.constraints._limits import Conflict, lower_limit, upper_limit
from evolif.constraints._registry import EXTENDED_GROUPS, GROUPS, get_group, own_groups

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
