"""The editions of the reading rules: a run keeps the one it began with, and new ones take the latest."""

from __future__ import annotations

from typing import Final

FIRST_RULES: Final = 1
READING_RULES_VERSION: Final = 2
"""Of the latest rules. Every run stores the edition that its answers are read by; a change of any rule is a new one."""
EDITIONS: Final = (FIRST_RULES, READING_RULES_VERSION)
"""All that this version can read by."""
