"""Verdicts on an answer: rules for the objective groups, a judge apart for the subjective ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from evolif._errors import EvolifError, InternalError, UsageError
from evolif.constraints import check_reading, format_of, get_group
from evolif.domain import Constraint, Instruction, Verdict
from evolif.judging._lexical import LexicalJudge
from evolif.text import Reading


class Judge(Protocol):
    """Scores what rules cannot check."""

    name: str

    def judge(self, constraint: Constraint, reading: Reading) -> Verdict:
        """The verdict on one subjective constraint."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts that count, and those of a heuristic that stand in a table of their own."""

    verdicts: tuple[Verdict, ...]
    """One per constraint; subjective ones are not judged (`satisfied` is None) without a judge that counts."""
    heuristic: tuple[Verdict, ...] = ()


def open_judge(name: str) -> Judge | None:
    """The judge of that name; None for `none`.

    Raises:
        UsageError: no such judge.
    """
    if name == "none":
        return None
    if name == "lexical":
        return LexicalJudge()
    raise UsageError(f"the judge “{name}” is not there yet (model judges come later); use none or lexical")


def judge_answer(instruction: Instruction, answer: str, judge: Judge | None) -> Judgement:
    """Judge an answer as received.

    Raises:
        InternalError: a checker broke; the answer is not to blame.
    """
    try:
        return _judged(instruction, Reading(answer, format_of(instruction)), judge)
    except EvolifError:
        raise
    except Exception as fault:
        raise InternalError(f"an answer could not be judged: {type(fault).__name__}: {fault}") from fault


def _judged(instruction: Instruction, reading: Reading, judge: Judge | None) -> Judgement:
    subjective = [c for c in instruction if get_group(c.group).subjective]
    # Without a judge, a subjective constraint is out of the count, whatever the rules could say of an empty answer.
    verdicts = tuple(
        Verdict(v.group, None, v.expected, "not judged") if get_group(v.group).subjective else v
        for v in check_reading(instruction, reading)
    )
    heuristic = tuple(judge.judge(c, reading) for c in subjective) if judge is not None else ()
    return Judgement(verdicts, heuristic)
