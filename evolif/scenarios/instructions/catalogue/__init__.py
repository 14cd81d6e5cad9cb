"""Catalogues of topics and personas: check entries, and write new ones with a chat model."""

from evolif.scenarios.instructions.catalogue.entries import LintReport, Pair
from evolif.scenarios.instructions.catalogue.generate import GenerationResult, Tally
from evolif.scenarios.instructions.catalogue.infer import infer_personas
from evolif.scenarios.instructions.catalogue.lint import lint_personas, lint_topics
from evolif.scenarios.instructions.catalogue.registers import lint_registers
from evolif.scenarios.instructions.catalogue.topics import read_topic, topic_faults
from evolif.scenarios.instructions.catalogue.write import write_topics

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
