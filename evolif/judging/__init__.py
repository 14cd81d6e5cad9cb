"""Judging answers: rule checkers, panels of judge models, and the opt-in heuristic for what rules cannot tell."""

from evolif.judging._agreement import Agreement
from evolif.judging._cache import CACHE_FILE, CachedScore, JudgeCache, MemoryJudgeCache, SqliteJudgeCache
from evolif.judging._judge import Judge, judge_turn
from evolif.judging._lexical import LexicalJudge
from evolif.judging._open import Opener, open_judge
from evolif.judging._panel import RULES, Panel
from evolif.judging._records import (
    THRESHOLD,
    Judgement,
    JudgeRecord,
    JudgeScore,
    dump_records,
    load_records,
)

__all__ = [
    "CACHE_FILE",
    "RULES",
    "THRESHOLD",
    "Agreement",
    "CachedScore",
    "Judge",
    "JudgeCache",
    "JudgeRecord",
    "JudgeScore",
    "Judgement",
    "LexicalJudge",
    "MemoryJudgeCache",
    "Opener",
    "Panel",
    "SqliteJudgeCache",
    "dump_records",
    "judge_turn",
    "load_records",
    "open_judge",
]
