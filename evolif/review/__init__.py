"""Review: a person clears flagged queries, verifies topics, or scores judged answers blind."""

from evolif.review.answers import JudgeDesk
from evolif.review.decisions import Conflict, Decision, Done, Drafts, Kind, Objected, Request, told_time
from evolif.review.desk import Block, Desk, State
from evolif.review.exchange import apply, export, lines, objects
from evolif.review.queue import (
    FACETS,
    UNDECIDED,
    Entry,
    Facet,
    Filter,
    Statistics,
    choose,
    statistics,
    told,
    unknown,
    values,
)
from evolif.review.text import Look, Marked, joined, one_line, said, typed, visible
from evolif.review.topics import TopicDesk, TopicLint
from evolif.review.turn_view import findings_text, query_text
from evolif.review.turns import BenchmarkDesk, Regenerated, regenerate

__all__ = [
    "FACETS",
    "UNDECIDED",
    "BenchmarkDesk",
    "Block",
    "Conflict",
    "Decision",
    "Desk",
    "Done",
    "Drafts",
    "Entry",
    "Facet",
    "Filter",
    "JudgeDesk",
    "Kind",
    "Look",
    "Marked",
    "Objected",
    "Regenerated",
    "Request",
    "State",
    "Statistics",
    "TopicDesk",
    "TopicLint",
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
    "told_time",
    "typed",
    "unknown",
    "values",
    "visible",
]
