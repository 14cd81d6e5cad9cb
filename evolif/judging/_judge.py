"""Verdicts on an answer: rules for the objective groups, a judge apart for the subjective ones.

What a store keeps of a `Judgement`: `verdicts` and `heuristic` as ever; `dump_records(judgement.records)`, one text
column beside them, from which `load_records` makes the records again; and `judgement.usage`, tokens per judge model,
for the money of the role “judge”. With a `JudgeError` nothing of the turn is judged: keep the answer, suspend the
session, call `judge_turn` again on resuming. Scores that were had by then lie in the judge's cache and cost nothing a
second time; their tokens are in `error.spent`.

What a run's settings keep of a `Judge`: its `name` (panel, rule and rubric version: a resume with another one is
refused) and its `endpoints`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from evolif._errors import EvolifError, InternalError
from evolif.constraints import check_reading, describe, format_of, get_group
from evolif.domain import Constraint, Usage, Verdict
from evolif.judging._panel import verdict_of
from evolif.judging._records import Judgement, JudgeRecord, usage_of
from evolif.judging._together import together
from evolif.text import Reading


class Judge(Protocol):
    """Scores what rules cannot check: `LexicalJudge`, or a `Panel` of models. Made by `open_judge`."""

    @property
    def name(self) -> str:
        """What settings and reports call it: for a panel its rule, its models and the rubric's version."""
        ...

    @property
    def endpoints(self) -> tuple[str, ...]:
        """Per model of a panel, where it is asked, without user and key; empty for the provider's own endpoint."""
        ...

    async def assess(self, constraint: Constraint, reading: Reading) -> Verdict | JudgeRecord:
        """A verdict that stands apart (a heuristic's), or a record whose verdict counts.

        Raises:
            JudgeError: a model could not be asked.
        """
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...


async def judge_turn(
    constraints: Sequence[Constraint],
    answer: str,
    judge: Judge | None,
    *,
    stored: Sequence[Verdict] | None = None,
) -> Judgement:
    """Judge an answer as received; the module's docstring says what to store.

    Args:
        constraints: The turn's instruction.
        answer: The model's answer; hostile input.
        judge: For what rules cannot tell; the subjective constraints are not judged where None. An answer that cannot
            be read (empty, longer than 64 KiB) fails without anybody being asked.
        stored: The verdicts of an earlier judging of the same answer, where only the judge is another one: those of
            rules are taken as they are.

    Raises:
        JudgeError: a verdict that is needed could not be had; calls for the turn's other constraints were let finish.
        InternalError: a checker broke; the answer is not to blame.
        EvolifError: what else a judge's client raises that is no `ModelError` (a spent budget, say), as it is.
    """
    try:
        reading = Reading(answer, format_of(constraints))
        verdicts = _by_rules(constraints, reading) if stored is None else _as_stored(constraints, stored)
        if judge is None:
            return Judgement(verdicts)
        return await _with_judge(constraints, verdicts, reading, judge)
    except EvolifError:
        raise
    except Exception as fault:
        raise InternalError(f"an answer could not be judged: {type(fault).__name__}: {fault}") from fault


async def _with_judge(
    constraints: Sequence[Constraint], verdicts: tuple[Verdict, ...], reading: Reading, judge: Judge
) -> Judgement:
    asked = [i for i, constraint in enumerate(constraints) if get_group(constraint.group).subjective]
    told = await together((judge.assess(constraints[i], reading) for i in asked), _usage)
    final = list(verdicts)
    heuristic = []
    for i, answer in zip(asked, told, strict=True):
        if isinstance(answer, JudgeRecord):
            final[i] = verdict_of(answer, constraints[i])
        else:
            heuristic.append(answer)
    return Judgement(tuple(final), tuple(heuristic), _records(told))


def _records(told: Iterable[Verdict | JudgeRecord]) -> tuple[JudgeRecord, ...]:
    return tuple(one for one in told if isinstance(one, JudgeRecord))


def _usage(told: Iterable[Verdict | JudgeRecord]) -> Mapping[str, Usage]:
    return usage_of(_records(told))


def _by_rules(constraints: Sequence[Constraint], reading: Reading) -> tuple[Verdict, ...]:
    # Without a judge, a subjective constraint is out of the count, whatever the rules could say of an empty answer.
    return tuple(
        _unjudged(c) if get_group(c.group).subjective else check_reading((c,), reading)[0] for c in constraints
    )


def _as_stored(constraints: Sequence[Constraint], stored: Sequence[Verdict]) -> tuple[Verdict, ...]:
    if [c.group for c in constraints] != [v.group for v in stored]:
        raise ValueError("the stored verdicts are of other constraints")
    pairs = zip(constraints, stored, strict=True)
    return tuple(_unjudged(c) if get_group(c.group).subjective else v for c, v in pairs)


def _unjudged(constraint: Constraint) -> Verdict:
    return Verdict(constraint.group, None, describe(constraint), "not judged")
