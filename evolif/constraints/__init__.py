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
from evolif.constraints._registry import GROUPS, get_group

__all__ = [
    "GROUPS",
    "DrawContext",
    "Group",
    "Saying",
    "check",
    "check_reading",
    "describe",
    "format_of",
    "get_group",
    "parse_constraint",
    "parse_constraints",
]
