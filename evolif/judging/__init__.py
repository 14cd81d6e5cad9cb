"""Judging answers: rule checkers, and the opt-in heuristic for what rules cannot tell."""

from evolif.judging._judge import Judge, judge_answer, judge_turn
from evolif.judging._lexical import THRESHOLD, LexicalJudge
from evolif.judging._open import Opener, open_judge
from evolif.judging._records import Judgement, JudgeRecord, JudgeScore, dump_records, load_records

__all__ = [
    "THRESHOLD",
    "Judge",
    "JudgeRecord",
    "JudgeScore",
    "Judgement",
    "LexicalJudge",
    "Opener",
    "dump_records",
    "judge_answer",
    "judge_turn",
    "load_records",
    "open_judge",
]
