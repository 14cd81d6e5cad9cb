"""Where a run keeps what became of the goals, and the figures that are made of it.

The final answer, the last turn of a session, has one score a goal, called `goal ID`: 1 or 0, or None where a judge was
to decide and there was none. In an unmet one, `found` begins with the reason. One more score, `invented`, counts the
keys that got a value though nothing was agreed. By reading rules 2 there is another, `form`: 1 if the answer kept the
form that was asked for, else 0. Other turns have no scores.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from evolif.metrics import MetricTable, PlainName
from evolif.scenarios.shifts.checking import GoalResult, Reason
from evolif.types import JudgedTurn, Score, Session

GOAL = "goal"
"""The first word of a goal's score, and the group of its verdict where a judge decides."""
INVENTED = "invented"
FORM = "form"
_LONGEST = 200
"""Characters of a value that are kept; an answer may put 64 KiB under one key."""
TYPED_REASONS: tuple[Reason, ...] = get_args(Reason)
"""Why a goal can be unmet, in the order of precedence."""


@dataclass(frozen=True, slots=True)
class GoalOutcome:
    """What became of one goal of a final answer, as a run stores it."""

    id: str
    satisfied: bool | None
    """None if nobody judged it."""
    reason: Reason | None
    """Why it is unmet; None if it is met, or if a judge found it unmet."""


def goal_scores(checkpoints: Sequence[Mapping[str, Any]], results: Sequence[GoalResult]) -> tuple[Score, ...]:
    """A score for each goal that rules checked.

    Args:
        checkpoints: The goals.
        results: What `check_answer` found of them.
    """
    return tuple(
        Score(_name(goal["id"]), float(result["satisfied"]), _expected(goal), _found(result))
        for goal, result in zip(checkpoints, results, strict=True)
    )


def invented_score(keys: Sequence[str]) -> Score:
    """How many keys got a value though nothing was agreed on them."""
    return Score(INVENTED, float(len(keys)), "no value where nothing was agreed", ", ".join(keys))


def form_score(fault: str) -> Score:
    """Whether the answer kept the form that was asked for.

    Args:
        fault: As `form_fault` gives it; empty if it did.
    """
    return Score(FORM, float(not fault), "one JSON object at the end with exactly the keys asked for", fault)


def judged_score(number: int, satisfied: bool | None, statement: str, found: str) -> Score:
    """The score of an untyped goal, which a judge decided on; `number` counts from 1."""
    return Score(_name(number), None if satisfied is None else float(satisfied), statement, found)


def outcomes_of(turn: JudgedTurn) -> list[GoalOutcome]:
    """What became of the goals of a stored turn, in their order; empty for any turn but the final one."""
    return [_outcome(score) for score in turn.scores if score.name.startswith(f"{GOAL} ")]


def goals_met(scores: Sequence[Score]) -> tuple[float, ...]:
    """Whether each goal of a final answer that was judged is met, 1 or 0; nothing for other turns."""
    goals = (score.value for score in scores if score.name.startswith(f"{GOAL} "))
    return tuple(value for value in goals if value is not None)


def final_turn(session: Session) -> JudgedTurn | None:
    """The turn of a session with the final answer; None if it did not get there, or its goals are not judged yet."""
    last = session.turns[-1] if session.turns else None
    return last if last is not None and outcomes_of(last) else None


def count_met(session: Session) -> tuple[int, int]:
    """Satisfied goals of a session's final answer, and all goals that were judged: an item of `tcr`."""
    last = final_turn(session)
    judged = [one.satisfied for one in outcomes_of(last) if one.satisfied is not None] if last is not None else []
    return sum(judged), len(judged)


def _terms(session: Session) -> tuple[float, ...]:
    met, goals = count_met(session)
    counted = (*_counted(session, INVENTED), *_counted(session, FORM))
    return (met / goals if goals else 0.0, float(goals > 0), float(met), float(goals), *counted)


def _counted(session: Session, name: str) -> tuple[float, float]:
    """The value of a score of the final answer, and whether there is one."""
    last = final_turn(session)
    counts = [score.value for score in last.scores if score.name == name] if last is not None else []
    return next(((value, 1.0) for value in counts if value is not None), (0.0, 0.0))


TCR_TABLE = MetricTable(
    ("share", "scored", "met", "goals", "invented", "counted", "kept_form", "with_form"),
    _terms,
    {
        "tcr": ("share", "scored"),
        "tcr_micro": ("met", "goals"),
        "invented": ("invented", "counted"),
        "form": ("kept_form", "with_form"),
    },
    {"tcr": "TCR", "tcr_micro": "TCR micro", "invented": "Invented keys", "form": "Form kept"},
    {"invented": "count"},
    {
        "tcr": "goals met by the final answer, mean over dialogues",
        "tcr_micro": "goals met, over all goals",
        "invented": "keys of a final answer that nobody asked for",
        "form": "final answers in the form that was asked for",
    },
    headline="tcr",
    beside=frozenset({"tcr_micro", "invented", "form"}),
    lower=frozenset({"invented"}),
    scored_in_both=True,
    optional=frozenset({"form"}),
    kept="shifts/1",
    plain={
        "tcr": PlainName("goals met, mean over dialogues", "goals met"),
        "tcr_micro": PlainName("goals met, of all goals", "of all goals"),
    },
)
"""The task completion rate: macro, over dialogues, and micro, over all goals. Dialogues without goals are left out."""


def _name(goal: Any) -> str:
    return f"{GOAL} {goal}"


def _expected(goal: Mapping[str, Any]) -> str:
    value = goal["value"] if isinstance(goal["value"], str) else json.dumps(goal["value"], default=str)
    is_list = goal["type"] == "item"
    if goal.get("polarity", "present") == "present":
        return f"{goal['key']} {'holds' if is_list else 'is'} {value}"
    return f"{goal['key']} does not hold {value}" if is_list else f"{goal['key']} has no value"


def _found(result: GoalResult) -> str:
    value = result["found"]
    short = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    return short if result["satisfied"] else f"{result['reason']}: {short}"


def _outcome(score: Score) -> GoalOutcome:
    satisfied = None if score.value is None else score.value > 0
    said = score.found.partition(":")[0]
    reason = next((one for one in TYPED_REASONS if one == said), None) if satisfied is False else None
    return GoalOutcome(score.name.removeprefix(f"{GOAL} "), satisfied, reason)


def reasons_of(session: Session) -> Iterator[Reason]:
    """Why goals of a session's final answer are unmet, one reason each, as far as rules decided."""
    last = final_turn(session)
    for one in outcomes_of(last) if last is not None else ():
        if one.reason is not None:
            yield one.reason
