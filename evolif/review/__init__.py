"""Review: a person clears flagged queries, verifies topics, or scores judged answers blind."""

from evolif.review.answers import AnswerQueue
from evolif.review.decisions import Done, EditConflict, Objected, Request
from evolif.review.desk import ReviewQueue, State, TextBlock
from evolif.review.exchange import apply, export, lines, objects
from evolif.review.queue import (
    FACETS,
    UNDECIDED,
    Facet,
    Filter,
    QueueItem,
    Statistics,
    choose,
    statistics,
    told,
    unknown,
    values,
)
from evolif.review.text import Marked, Style, joined, one_line, said, typed, visible
from evolif.review.topics import TopicLint, TopicQueue
from evolif.review.turn_view import findings_text, query_text
from evolif.review.turns import BenchmarkQueue, Regenerated, regenerate

__all__ = [
    "FACETS",
    "UNDECIDED",
    "AnswerQueue",
    "BenchmarkQueue",
    "Done",
    "EditConflict",
    "Facet",
    "Filter",
    "Marked",
    "Objected",
    "QueueItem",
    "Regenerated",
    "Request",
    "ReviewQueue",
    "State",
    "Statistics",
    "Style",
    "TextBlock",
    "TopicLint",
    "TopicQueue",
    "apply",
    "choose",
    "export",
    "findings_text",
    "joined",
    "lines",
    "objects",
    "one_line",
    "query_text",
    "regenerate",
    "said",
    "statistics",
    "told",
    "typed",
    "unknown",
    "values",
    "visible",
]
