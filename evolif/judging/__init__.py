"""Judging answers: rule checkers, panels of judge models, and an opt-in heuristic for what rules cannot check."""

from evolif.judging.judge import Judge, JudgeComparison, LexicalJudge, judge_turn, open_judge
from evolif.judging.panel import RULES, Panel
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
from evolif.judging.rubric import load_rubric

__all__ = [
    "CACHE_FILE",
    "RULES",
    "THRESHOLD",
    "CachedScore",
    "Judge",
    "JudgeCache",
    "JudgeComparison",
    "JudgeRecord",
    "JudgeScore",
    "Judgement",
    "LexicalJudge",
    "MemoryJudgeCache",
    "Panel",
    "SqliteJudgeCache",
    "dump_records",
    "judge_turn",
    "load_records",
    "load_rubric",
    "open_judge",
]
