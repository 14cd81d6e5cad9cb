"""The reading rules: what body, content, words, sentences, occurrences and edges of a response are.

The constraint specification is authoritative; `READING_RULES_VERSION` names the edition.
"""

from evolif.text.answers import (
    EDITIONS,
    FIRST_RULES,
    MAX_BODY_BYTES,
    READING_RULES_VERSION,
    known_editions,
    read_apart,
    readable,
)
from evolif.text.display import clip, csv_cell, plain, plural, unhidden
from evolif.text.formality import formality
from evolif.text.objects import reply_objects
from evolif.text.reading import Reading, is_skippable
from evolif.text.sentences import sentences
from evolif.text.tokens import clean, count_graphemes, count_words, find_all, first_grapheme, fold, normalise, words

__all__ = [
    "EDITIONS",
    "FIRST_RULES",
    "MAX_BODY_BYTES",
    "READING_RULES_VERSION",
    "Reading",
    "clean",
    "clip",
    "count_graphemes",
    "count_words",
    "csv_cell",
    "find_all",
    "first_grapheme",
    "fold",
    "formality",
    "is_skippable",
    "known_editions",
    "normalise",
    "plain",
    "plural",
    "read_apart",
    "readable",
    "reply_objects",
    "sentences",
    "unhidden",
    "words",
]
