"""The relevance gate: is an answer about its task?

A run opts into it (`--relevance`). Its verdict stands apart, as a score of 1 or 0, unless the run says that it counts;
then it is one more requirement of every turn. How an answer is compared with its task is up to the scenario: by words,
or by a judge with the criterion of this module.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from evolif.judging.records import Judgement
from evolif.judging.rubric import Criterion, Rubric, load_rubric, scale_of
from evolif.types import RELEVANCE, Score, Verdict
from evolif.util.resources import data_path, load_data


@dataclass(frozen=True, slots=True)
class RelevanceGate:
    """How a run asks whether answers are about their tasks."""

    by: Literal["lexical", "judge"]
    counts: bool = False
    """Whether its verdict is one more requirement: of CSR, ISR and patience."""


@lru_cache(maxsize=1)
def relevance_rubric() -> Rubric:
    """What a panel is told where it judges relevance, with a version of its own."""
    data = load_data(data_path("seeds", "prompts", "relevance.yaml"))
    wording = load_rubric().wording.model_copy(update={"system": data["system"]})
    whole = json.dumps([wording.model_dump(), data], sort_keys=True, ensure_ascii=True)
    scale = scale_of({"question": data["question"], "scale": data["scale"]})
    return Rubric(wording, {}, scale, hashlib.sha256(whole.encode()).hexdigest()[:8])


def relevance_criterion(task: str) -> Criterion:
    """What a panel decides on.

    Args:
        task: The task in the user's words.
    """
    return Criterion(RELEVANCE, {"task": task}, f"it answers this task: {task}", relevance_rubric())


def relevance_verdict(judgement: Judgement) -> Verdict | None:
    """The gate's verdict in a judgement; None if the run has no gate."""
    for score in judgement.scores:
        if score.name == RELEVANCE:
            satisfied = None if score.value is None else score.value > 0
            return Verdict(RELEVANCE, satisfied, score.expected, score.found)
    return None


def with_relevance(judgement: Judgement, verdict: Verdict, *, counts: bool) -> Judgement:
    """A judgement with the gate's verdict: as a score, and among the verdicts if it counts."""
    value = None if verdict.satisfied is None else float(verdict.satisfied)
    score = Score(RELEVANCE, value, verdict.expected, verdict.found)
    verdicts = (*judgement.verdicts, verdict) if counts else judgement.verdicts
    return replace(judgement, verdicts=verdicts, scores=(*judgement.scores, score))
