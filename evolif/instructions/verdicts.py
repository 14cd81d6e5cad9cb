"""Verdicts on an answer: rules for the objective groups, a judge for the subjective ones.

A store keeps these parts of a `Judgement`: `verdicts`, `heuristic`, `dump_records(judgement.records)` (one text column,
which `load_records` reads back) and `judgement.usage`, the tokens per judge model for the costs of the role “judge”.
After a `JudgeError` nothing of the turn is judged: keep the answer, suspend the session, call `judge_turn` again on
resuming. Scores received before the error are in the judge's cache and cost nothing on retry; their tokens are in
`error.spent`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evolif.constraints import check_reading, describe, format_of, get_group
from evolif.errors import EvolifError, InternalError
from evolif.judging import Criterion, Judge, Judgement, JudgeRecord, assess_all, verdict_of
from evolif.text import Reading
from evolif.turns import Constraint
from evolif.types import Verdict


def has_subjective(constraints: Iterable[Constraint]) -> bool:
    """Whether one of the constraints is subjective."""
    return any(get_group(constraint.group).subjective for constraint in constraints)


def criteria_of(constraints: Iterable[Constraint]) -> Mapping[int, Criterion]:
    """What a judge is asked: the subjective constraints, by their positions."""
    return {
        position: Criterion(constraint.group, constraint.params, describe(constraint))
        for position, constraint in enumerate(constraints)
        if get_group(constraint.group).subjective
    }


async def judge_turn(
    constraints: Sequence[Constraint], answer: str, judge: Judge | None, *, stored: Sequence[Verdict] | None = None
) -> Judgement:
    """Judge an answer as received; the module's docstring says what to store.

    Args:
        constraints: The turn's instruction.
        answer: The model's answer; hostile input.
        judge: For subjective constraints; they are not judged without one. An unreadable answer (empty, longer than 64
            KiB) fails without a call.
        stored: Earlier verdicts on the same answer; those of rules are reused.

    Raises:
        JudgeError: a judge model failed; calls for the turn's other constraints were allowed to finish.
        InternalError: a checker broke; the answer is not to blame.
        EvolifError: any other error of a judge's client, such as a spent budget, unchanged.
    """
    try:
        reading = Reading(answer, format_of(constraints))
        criteria = criteria_of(constraints)
        verdicts = _by_rules(constraints, criteria, reading, stored)
        if judge is None:
            return Judgement(tuple(verdicts))
        return await _with_judge(criteria, verdicts, reading, judge)
    except EvolifError:
        raise
    except Exception as fault:
        raise InternalError(f"an answer could not be judged: {type(fault).__name__}: {fault}") from fault


async def _with_judge(
    criteria: Mapping[int, Criterion], verdicts: list[Verdict], reading: Reading, judge: Judge
) -> Judgement:
    heuristic: list[Verdict] = []
    records: list[JudgeRecord] = []
    results = await assess_all(judge, criteria.values(), reading)
    for (position, criterion), result in zip(criteria.items(), results, strict=True):
        if isinstance(result, JudgeRecord):
            records.append(result)
            verdicts[position] = verdict_of(result, criterion)
        else:
            heuristic.append(result)
    return Judgement(tuple(verdicts), tuple(heuristic), tuple(records))


def _by_rules(
    constraints: Sequence[Constraint],
    criteria: Mapping[int, Criterion],
    reading: Reading,
    stored: Sequence[Verdict] | None,
) -> list[Verdict]:
    """The verdicts of rules; a subjective constraint does not count without a judge, even if the answer is empty."""
    if stored is not None and [c.group for c in constraints] != [v.group for v in stored]:
        raise ValueError("the stored verdicts belong to other constraints")
    verdicts = []
    for position, constraint in enumerate(constraints):
        if position in criteria:
            verdicts.append(Verdict(constraint.group, None, criteria[position].description, "not judged"))
        elif stored is not None:
            verdicts.append(stored[position])
        else:
            verdicts += check_reading((constraint,), reading)
    return verdicts
