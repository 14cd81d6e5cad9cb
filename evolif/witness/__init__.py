"""Witnesses: every instruction that is asked for carries a text that satisfies its rule-checked part."""

from evolif.witness._build import build_witness
from evolif.witness._merges import may_overlap, overlaps
from evolif.witness._needs import Refusal
from evolif.witness._past_table import Built, build_past_table

__all__ = ["Built", "Refusal", "build_past_table", "build_witness", "may_overlap", "overlaps"]
