"""The text catalogues: lint of topics and personas, and making new ones with a chat model."""

from evolif.catalogue._findings import LintFinding, LintReport, Pair
from evolif.catalogue._lint import lint_personas, lint_topics

__all__ = ["LintFinding", "LintReport", "Pair", "lint_personas", "lint_topics"]
