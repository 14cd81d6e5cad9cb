"""Catalogues of topics and personas: check entries, and write new ones with a chat model."""

from evolif.catalogue.entries import LintReport, Pair
from evolif.catalogue.generate import GenerationResult, Tally
from evolif.catalogue.infer import infer_personas
from evolif.catalogue.lint import lint_personas, lint_topics
from evolif.catalogue.registers import lint_registers
from evolif.catalogue.topics import read_topic, topic_faults
from evolif.catalogue.write import write_topics

__all__ = [
    "GenerationResult",
    "LintReport",
    "Pair",
    "Tally",
    "infer_personas",
    "lint_personas",
    "lint_registers",
    "lint_topics",
    "read_topic",
    "topic_faults",
    "write_topics",
]
