"""Review: a person clears flagged queries, verifies topics, or scores judged answers blind."""

from evolif.review.answers import AnswerQueue
from evolif.review.queue import ReviewQueue
from evolif.review.turns import BenchmarkQueue

__all__ = ["AnswerQueue", "BenchmarkQueue", "ReviewQueue"]
