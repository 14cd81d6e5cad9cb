"""Judging what rules cannot check: panels of judge models, and an opt-in heuristic."""

from evolif.judging.judge import Judge, JudgeComparison, LexicalJudge, assess_all, open_judge
from evolif.judging.panel import Panel, verdict_of
from evolif.judging.records import (
    CACHE_FILE,
    THRESHOLD,
    Judgement,
    JudgeRecord,
    JudgeScore,
    SqliteJudgeCache,
    with_feedback,
)
from evolif.judging.relevance import RelevanceGate, with_relevance
from evolif.judging.rubric import Criterion, load_rubric

__all__ = [
    "CACHE_FILE",
    "THRESHOLD",
    "Criterion",
    "Judge",
    "JudgeComparison",
    "JudgeRecord",
    "JudgeScore",
    "Judgement",
    "LexicalJudge",
    "Panel",
    "RelevanceGate",
    "SqliteJudgeCache",
    "assess_all",
    "load_rubric",
    "open_judge",
    "verdict_of",
    "with_feedback",
    "with_relevance",
]
