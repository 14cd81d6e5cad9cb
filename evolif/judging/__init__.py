"""Judging answers: rule checkers, and the opt-in heuristic for what rules cannot tell."""

from evolif.judging._judge import Judge, Judgement, judge_answer, open_judge
from evolif.judging._lexical import THRESHOLD, LexicalJudge

__all__ = ["THRESHOLD", "Judge", "Judgement", "LexicalJudge", "judge_answer", "open_judge"]
