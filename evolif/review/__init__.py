"""Review: a person clears flagged queries, vouches for topics, or scores judged answers blind."""

from evolif.review._benchmark_desk import BenchmarkDesk, Regenerated
from evolif.review._decision import Conflict, Decision, Done, Objected, Request
from evolif.review._desk import Desk
from evolif.review._exchange import Applied, apply, export
from evolif.review._judge_desk import JudgeDesk
from evolif.review._listing import lines, objects
from evolif.review._models import regenerate
from evolif.review._queue import Entry, Facet, Filter, choose, unknown, values
from evolif.review._safe import one_line, typed
from evolif.review._statistics import statistics, told
from evolif.review._topic_desk import TopicChecker, TopicDesk
from evolif.review._topic_lint import TopicLint

__all__ = [
    "Applied",
    "BenchmarkDesk",
    "Conflict",
    "Decision",
    "Desk",
    "Done",
    "Entry",
    "Facet",
    "Filter",
    "JudgeDesk",
    "Objected",
    "Regenerated",
    "Request",
    "TopicChecker",
    "TopicDesk",
    "TopicLint",
    "apply",
    "choose",
    "export",
    "lines",
    "objects",
    "one_line",
    "regenerate",
    "statistics",
    "told",
    "typed",
    "unknown",
    "values",
]
