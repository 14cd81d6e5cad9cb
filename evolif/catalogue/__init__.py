"""The text catalogues: lint of topics and personas, and making new ones with a chat model."""

from evolif.catalogue._findings import LintFinding, LintReport, Pair
from evolif.catalogue._infer import infer_personas
from evolif.catalogue._lint import lint_personas, lint_topics
from evolif.catalogue._loop import Made, Reach, Tally
from evolif.catalogue._write import write_topics

__all__ = [
    "LintFinding",
    "LintReport",
    "Made",
    "Pair",
    "Reach",
    "Tally",
    "infer_personas",
    "lint_personas",
    "lint_topics",
    "write_topics",
]
