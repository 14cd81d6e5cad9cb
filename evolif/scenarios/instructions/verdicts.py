"""Verdicts on an answer: rules for the objective groups, a judge for the subjective ones; and their modes.

A store keeps these parts of a `Judgement`: `verdicts`, `heuristic`, `dump_records(judgement.records)` (one text column,
which `load_records` reads back) and `judgement.usage`, the tokens per judge model for the costs of the role “judge”.
After a `JudgeError` nothing of the turn is judged: keep the answer, suspend the session, call `judge_turn` again on
resuming. Scores received before the error are in the judge's cache and cost nothing on retry; their tokens are in
`error.spent`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from evolif.errors import EvolifError, InternalError, UsageError
from evolif.judging import (
    Criterion,
    Judge,
    Judgement,
    JudgeRecord,
    RelevanceGate,
    assess_all,
    verdict_of,
    with_relevance,
)
from evolif.metrics import UNKNOWN, Breakdown, Key
from evolif.metrics.breakdown import together
from evolif.scenarios.instructions.constraints import check, check_reading, describe, format_of, get_group
from evolif.scenarios.instructions.partition import EDITION, Side, side_of_constraint
from evolif.scenarios.instructions.prompt import requirements_of
from evolif.scenarios.instructions.relevance import Task, lexical_verdict, task_criterion
from evolif.scenarios.instructions.turns import Constraint, Instruction
from evolif.text import READING_RULES_VERSION, Reading, read_apart
from evolif.types import RELEVANCE, JudgedTurn, Prompt, Verdict


def has_subjective(constraints: Iterable[Constraint]) -> bool:
    """Whether one of the constraints is subjective."""
    return any(get_group(constraint.group).subjective for constraint in constraints)


def criteria_of(constraints: Iterable[Constraint]) -> Mapping[int, Criterion]:
    """What a judge is asked: the subjective constraints, by their positions."""
    return {
        position: Criterion(
            constraint.group,
            constraint.params,
            describe(constraint),
            questions=get_group(constraint.group).questions(constraint.params),
        )
        for position, constraint in enumerate(constraints)
        if get_group(constraint.group).subjective
    }


@dataclass(frozen=True, slots=True)
class RelevanceCheck:
    """What a turn's relevance gate needs."""

    gate: RelevanceGate
    task: Task | None
    reason: str = ""
    """Why answers cannot be judged; empty if they can."""
    known: Verdict | None = None
    """An earlier verdict on the same answer, kept if no judge decides."""

    @property
    def criterion(self) -> Criterion | None:
        """What the judge decides on; None if none does."""
        return task_criterion(self.task) if self.gate.by == "judge" and self.task is not None else None

    def by_rules(self, constraints: Instruction, reading: Reading) -> Verdict:
        """The gate's verdict without a judge."""
        if self.gate.by == "judge":
            what = "the run does not have the task" if self.task is None else "not judged"
            return Verdict(RELEVANCE, None, "the answer is about its task", what)
        return self.known or lexical_verdict(self.task, constraints, reading, self.reason)


async def judge_turn(
    constraints: Sequence[Constraint],
    answer: str,
    judge: Judge | None,
    *,
    stored: Sequence[Verdict] | None = None,
    relevance: RelevanceCheck | None = None,
    rules: int = READING_RULES_VERSION,
) -> Judgement:
    """Judge an answer as received; the module's docstring says what to store.

    Args:
        constraints: The turn's instruction.
        answer: The model's answer; hostile input.
        judge: For subjective constraints; they are not judged without one. An unreadable answer (empty, longer than 64
            KiB) fails without a call.
        stored: Earlier verdicts on the same answer; those of rules are reused.
        relevance: How to tell whether the answer is about its task; None if the run does not ask.
        rules: The edition of the reading rules.

    Raises:
        JudgeError: a judge model failed; calls for the turn's other constraints were allowed to finish.
        InternalError: a checker broke; the answer is not to blame.
        EvolifError: any other error of a judge's client, such as a spent budget, unchanged.
    """
    try:
        criteria = dict(criteria_of(constraints))

        def read() -> tuple[Reading, list[Verdict]]:
            fmt = format_of(constraints)
            reading = _read_again(answer, fmt, rules) if len(answer) <= _SHORT else Reading(answer, fmt, rules=rules)
            verdicts = _by_rules(constraints, criteria, reading, stored)
            if relevance is not None:
                # Judged together with the rest, so that a failing judge loses no call; taken apart below.
                verdicts.append(relevance.by_rules(tuple(constraints), reading))
            return reading, verdicts

        reading, verdicts = await read_apart(answer, read)
        if relevance is not None and relevance.criterion is not None:
            criteria[len(constraints)] = relevance.criterion
        if judge is None:
            judgement = Judgement(tuple(verdicts))
        else:
            judgement = await _with_judge(criteria, verdicts, reading, judge)
        if relevance is None:
            return judgement
        *own, last = judgement.verdicts
        return with_relevance(replace(judgement, verdicts=tuple(own)), last, counts=relevance.gate.counts)
    except EvolifError:
        raise
    except Exception as fault:
        raise InternalError(f"an answer could not be judged: {type(fault).__name__}: {fault}") from fault


_SHORT = 300
"""Characters up to which an answer is read once, as long as it comes again: that of somebody who follows nothing."""


@lru_cache(maxsize=64)
def _read_again(answer: str, fmt: str | None, rules: int) -> Reading:
    return Reading(answer, fmt, rules=rules)


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


def witness_verdicts(prompt: Prompt, rules: int = READING_RULES_VERSION) -> tuple[Verdict, ...]:
    """The verdicts of rules on a prompt's witness, in the order of its constraints, by an edition of the reading rules.

    None if rules cannot judge a constraint, otherwise False without a witness.
    """
    asked = requirements_of(prompt)
    by_rules = [c for c in asked.constraints if not get_group(c.group).subjective]
    if asked.witness is None:
        verdicts = iter([Verdict(c.group, False, "", "no witness") for c in by_rules])
    else:
        verdicts = iter(check(by_rules, asked.witness, rules))
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


def seen_breakdown(side: Side) -> Breakdown:
    """The verdicts of a turn by whether training on one side of the partition shows their kinds.

    Args:
        side: What was trained on.
    """

    def key(constraint: Constraint) -> Key:
        own = side_of_constraint(constraint)
        return "both" if own is None else "seen" if own == side else "unseen"

    def split(turn: JudgedTurn, prompt: Prompt | None) -> Iterable[tuple[Key, Sequence[Verdict]]]:
        return together(_by_constraint(turn, prompt, key, "both"))

    title = (
        f"CSR % on the kinds that a model trained on the split {side} has seen, and on the others (edition {EDITION} "
        "of the partition), of the given number of turns"
    )
    return Breakdown("seen", "kinds", title, split=split)


def _by_constraint(
    turn: JudgedTurn, prompt: Prompt | None, key: Callable[[Constraint], Key], relevance: Key
) -> Iterator[tuple[Key, Verdict]]:
    """The verdicts of a turn with a key of their constraints, or of the verdict on relevance."""
    constraints = () if prompt is None else requirements_of(prompt).constraints
    # Where relevance counts, its verdict is the last.
    extra = len(turn.verdicts) == len(constraints) + 1 and turn.verdicts[-1].group == RELEVANCE
    own = turn.verdicts[:-1] if extra else turn.verdicts
    same = [constraint.group for constraint in constraints] == [verdict.group for verdict in own]
    keys = (*map(key, constraints), *([relevance] if extra else [])) if same else (UNKNOWN for _ in turn.verdicts)
    return zip(keys, turn.verdicts, strict=True)


def _modes(turn: JudgedTurn, prompt: Prompt | None) -> Iterator[tuple[Key, Verdict]]:
    for mode, verdict in _by_constraint(turn, prompt, mode_of, "all"):
        yield f"{verdict.group}/{mode}", verdict
