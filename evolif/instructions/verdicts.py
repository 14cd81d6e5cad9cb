"""Verdicts on an answer: rules for the objective groups, a judge for the subjective ones; and their modes.

A store keeps these parts of a `Judgement`: `verdicts`, `heuristic`, `dump_records(judgement.records)` (one text column,
which `load_records` reads back) and `judgement.usage`, the tokens per judge model for the costs of the role “judge”.
After a `JudgeError` nothing of the turn is judged: keep the answer, suspend the session, call `judge_turn` again on
resuming. Scores received before the error are in the judge's cache and cost nothing on retry; their tokens are in
`error.spent`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from evolif.constraints import check, check_reading, describe, format_of, get_group
from evolif.errors import EvolifError, InternalError, UsageError
from evolif.instructions.prompt import requirements_of
from evolif.judging import Criterion, Judge, Judgement, JudgeRecord, assess_all, verdict_of
from evolif.metrics import UNKNOWN, Key, together
from evolif.text import Reading
from evolif.turns import Constraint
from evolif.types import JudgedTurn, Prompt, Verdict


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


def witness_verdicts(prompt: Prompt) -> tuple[Verdict, ...]:
    """The verdicts of rules on a prompt's witness, in the order of its constraints.

    None if rules cannot judge a constraint, otherwise False without a witness.
    """
    asked = requirements_of(prompt)
    by_rules = [c for c in asked.constraints if not get_group(c.group).subjective]
    if asked.witness is None:
        verdicts = iter([Verdict(c.group, False, "", "no witness") for c in by_rules])
    else:
        verdicts = iter(check(by_rules, asked.witness))
    return tuple(
        Verdict(c.group, None, "", "not judged by rules") if get_group(c.group).subjective else next(verdicts)
        for c in asked.constraints
    )


def mode_of(constraint: Constraint) -> str:
    """Which mode of its group a constraint has.

    For example `letter` for `start_with`, `json_keys` for `format`, `words.less_than` for `length`, `happy` for
    `emotion`, `numbered` for `bullets`. A group with one mode has `all`, `count` or `none`. `unknown` if the group is
    not installed here or its parameters have another form.
    """
    try:
        return get_group(constraint.group).key(constraint.params)
    except (UsageError, KeyError, TypeError):
        return UNKNOWN


def by_mode(turn: JudgedTurn, prompt: Prompt | None) -> Iterable[tuple[Key, Sequence[Verdict]]]:
    """The verdicts of a turn per group and mode, such as `length/words.less_than`."""
    return together(_modes(turn, prompt))


def _modes(turn: JudgedTurn, prompt: Prompt | None) -> Iterator[tuple[Key, Verdict]]:
    constraints = () if prompt is None else requirements_of(prompt).constraints
    same = [constraint.group for constraint in constraints] == [verdict.group for verdict in turn.verdicts]
    modes = map(mode_of, constraints) if same else (UNKNOWN for _ in turn.verdicts)
    for mode, verdict in zip(modes, turn.verdicts, strict=True):
        yield f"{verdict.group}/{mode}", verdict
