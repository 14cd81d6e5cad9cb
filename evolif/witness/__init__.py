"""Witnesses: a text for every instruction that satisfies all its constraints that rules can check."""

from evolif.witness.build import build_witness
from evolif.witness.dense import build_fallback
from evolif.witness.overlaps import may_overlap, overlaps
from evolif.witness.requirements import Refusal

__all__ = [
    "Refusal",
    "build_fallback",
    "build_witness",
    "may_overlap",
    "overlaps",
]
