"""The reading rules: what body, content, words, sentences, occurrences and edges of a response are.

The law is the constraint specification; `READING_RULES_VERSION` names the edition.
"""

from evolif.text._blocks import MAX_DEPTH, Block, Content, FormatFaultError
from evolif.text._edges import Edge, is_skippable, outer_block
from evolif.text._formality import Formality, formality, formality_score
from evolif.text._graphemes import count_graphemes, first_grapheme, last_grapheme, without_selectors
from evolif.text._normalise import clean, normalise, strip_reasoning
from evolif.text._occurrences import find_all, fold
from evolif.text._reading import MAX_BODY_BYTES, READING_RULES_VERSION, Reading
from evolif.text._sentences import sentences
from evolif.text._words import count_words, words

__all__ = [
    "MAX_BODY_BYTES",
    "MAX_DEPTH",
    "READING_RULES_VERSION",
    "Block",
    "Content",
    "Edge",
    "Formality",
    "FormatFaultError",
    "Reading",
    "clean",
    "count_graphemes",
    "count_words",
    "find_all",
    "first_grapheme",
    "fold",
    "formality",
    "formality_score",
    "is_skippable",
    "last_grapheme",
    "normalise",
    "outer_block",
    "sentences",
    "strip_reasoning",
    "without_selectors",
    "words",
]
