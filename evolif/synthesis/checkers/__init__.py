"""Query checkers: whether the words of a turn say its intention, by rules (paper §3.2.2)."""

from evolif.synthesis.checkers._check import check_query

__all__ = ["check_query"]
