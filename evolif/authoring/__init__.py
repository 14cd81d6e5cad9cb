"""Benchmarks made with chat models: synthesizers and checkers opened by their names, and what they came to."""

from evolif.authoring._generate import extend, generate
from evolif.authoring._open import AuthorRole, OpenedNames, Options, open_asked, open_named, open_stored

__all__ = ["AuthorRole", "OpenedNames", "Options", "extend", "generate", "open_asked", "open_named", "open_stored"]
