"""The reading rules: what body, content, words, sentences, occurrences and edges of a response are.

The constraint specification is authoritative; `READING_RULES_VERSION` names the edition.
"""

from evolif.text.answers import MAX_BODY_BYTES, is_too_long, read_apart, readable
from evolif.text.blocks import Block
from evolif.text.display import clip, csv_cell, plain, plural, spell_out, unhidden, visible_html
from evolif.text.editions import EDITIONS, FIRST_RULES, READING_RULES_VERSION
from evolif.text.formality import formality, formality_score
from evolif.text.objects import reply_objects
from evolif.text.reading import Edge, Reading, is_skippable, outer_block
from evolif.text.sentences import sentences
from evolif.text.tokens import (
    clean,
    count_graphemes,
    count_words,
    find_all,
    first_grapheme,
    fold,
    last_grapheme,
    normalise,
    strip_reasoning,
    without_selectors,
    words,
)

__all__ = [
    "EDITIONS",
    "FIRST_RULES",
    "MAX_BODY_BYTES",
    "READING_RULES_VERSION",
    "Block",
    "Edge",
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
    "formality_score",
    "is_skippable",
    "is_too_long",
    "last_grapheme",
    "normalise",
    "outer_block",
    "plain",
    "plural",
    "read_apart",
    "readable",
    "reply_objects",
    "sentences",
    "spell_out",
    "strip_reasoning",
    "unhidden",
    "visible_html",
    "without_selectors",
    "words",
]
