"""Witnesses: every instruction that is asked for carries a text that satisfies its rule-checked part."""

from evolif.witness._build import build_witness
from evolif.witness._needs import Refusal

__all__ = ["Refusal", "build_witness"]
