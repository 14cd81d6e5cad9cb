"""Goals without a type, as in released files: a judge answers each with yes or no."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evolif.judging import Criterion, Judgement, JudgeRecord, Panel, assess_all, load_rubric, verdict_of
from evolif.judging.rubric import Rubric, scale_of
from evolif.scenarios.shifts.results import GOAL, judged_score
from evolif.text import Reading
from evolif.types import Verdict
from evolif.util.resources import data_path, load_data


@lru_cache(maxsize=1)
def goal_rubric() -> Rubric:
    """What a panel is told where it decides on a goal, with a version of its own."""
    data = load_data(data_path("seeds", "prompts", "goal.yaml"))
    wording = load_rubric().wording.model_copy(update={"system": data["system"]})
    whole = json.dumps([wording.model_dump(), data], sort_keys=True, ensure_ascii=True)
    scale = scale_of({"question": data["question"], "scale": data["scale"]})
    return Rubric(wording, {}, scale, hashlib.sha256(whole.encode()).hexdigest()[:8])


def goal_criteria(payload: Mapping[str, Any]) -> dict[int, Criterion]:
    """What a judge decides on in a final answer, by the positions of the verdicts; empty for other turns.

    Args:
        payload: Of the turn's prompt.
    """
    return {
        at: Criterion(GOAL, {GOAL: goal["statement"]}, goal["statement"], goal_rubric())
        for at, goal in enumerate(payload.get("goals", ()))
    }


async def judge_goals(payload: Mapping[str, Any], answer: str, panel: Panel | None) -> Judgement:
    """A verdict and a score for each goal of a final answer; undecided without a panel.

    Args:
        payload: Of the prompt of the final turn.
        answer: As received.
        panel: Decides on the goals; None if nobody does.

    Raises:
        JudgeError: a judge could not be called.
    """
    criteria = goal_criteria(payload)
    records: list[JudgeRecord] = []
    if panel is not None:
        results = await assess_all(panel, criteria.values(), Reading(answer, None))
        records = [result for result in results if isinstance(result, JudgeRecord)]
        verdicts = [verdict_of(*pair) for pair in zip(records, criteria.values(), strict=True)]
    else:
        verdicts = [Verdict(GOAL, None, one.description, "not judged") for one in criteria.values()]
    scores = (
        judged_score(goal["number"], verdict.satisfied, goal["statement"], verdict.found)
        for goal, verdict in zip(payload["goals"], verdicts, strict=True)
    )
    return Judgement(tuple(verdicts), records=tuple(records), scores=tuple(scores))
