"""Catalogues of topics and personas: check entries, and write new ones with a chat model."""

from evolif.scenarios.instructions.catalogue.lint import lint_topics

__all__ = ["lint_topics"]
