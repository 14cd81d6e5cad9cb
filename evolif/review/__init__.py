"""Review: a person clears flagged queries, verifies topics, or scores judged answers blind."""

from evolif.review.agreement import Statistics, statistics
from evolif.review.answers import AnswerQueue
from evolif.review.decisions import Done, EditConflict, Objected, Request
from evolif.review.exchange import apply, export, lines, objects
from evolif.review.filters import Facet, Filter, QueueItem, choose, unknown, values
from evolif.review.queue import ReviewQueue
from evolif.review.text import one_line
from evolif.review.topics import TopicLint, TopicQueue
from evolif.review.turns import BenchmarkQueue, Regenerated, regenerate

__all__ = [
    "AnswerQueue",
    "BenchmarkQueue",
    "Done",
    "EditConflict",
    "Facet",
    "Filter",
    "Objected",
    "QueueItem",
    "Regenerated",
    "Request",
    "ReviewQueue",
    "Statistics",
    "TopicLint",
    "TopicQueue",
    "apply",
    "choose",
    "export",
    "lines",
    "objects",
    "one_line",
    "regenerate",
    "statistics",
    "unknown",
    "values",
]
