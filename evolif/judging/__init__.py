"""Judging what rules cannot check: panels of judge models, and an opt-in heuristic."""

from evolif.judging.judge import Judge, JudgeComparison, LexicalJudge, assess_all, open_judge
from evolif.judging.panel import RULES, Panel, verdict_of
from evolif.judging.records import (
    CACHE_FILE,
    THRESHOLD,
    CachedScore,
    JudgeCache,
    Judgement,
    JudgeRecord,
    JudgeScore,
    MemoryJudgeCache,
    SqliteJudgeCache,
    dump_records,
    load_records,
)
from evolif.judging.relevance import (
    RelevanceGate,
    relevance_criterion,
    relevance_rubric,
    relevance_verdict,
    with_relevance,
)
from evolif.judging.rubric import Criterion, load_rubric

__all__ = [
    "CACHE_FILE",
    "RULES",
    "THRESHOLD",
    "CachedScore",
    "Criterion",
    "Judge",
    "JudgeCache",
    "JudgeComparison",
    "JudgeRecord",
    "JudgeScore",
    "Judgement",
    "LexicalJudge",
    "MemoryJudgeCache",
    "Panel",
    "RelevanceGate",
    "SqliteJudgeCache",
    "assess_all",
    "dump_records",
    "load_records",
    "load_rubric",
    "open_judge",
    "relevance_criterion",
    "relevance_rubric",
    "relevance_verdict",
    "verdict_of",
    "with_relevance",
]
