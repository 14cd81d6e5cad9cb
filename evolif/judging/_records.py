"""What is kept of a judgement: verdicts, and per subjective constraint who scored what and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evolif.domain import Usage, Verdict

THRESHOLD = 6
"""A score above this, of 10, is accepted (paper §4.1)."""


@dataclass(frozen=True, slots=True)
class JudgeScore:
    """What one judge model made of one constraint."""

    judge: str
    """`provider/name` of the judge model."""
    score: float | None
    """1 to 10; None where no score could be had, see `problem`."""
    rationale: str = ""
    """The judge's one sentence, cut to a length; hostile text like any other of a model."""
    problem: str = ""
    """Why there is no score."""
    cached: bool = False
    """Taken from an earlier call for the same text and question: it cost nothing."""
    attempts: int = 1
    """Calls it took; 0 where it was cached."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of all its calls, those whose answer could not be read included."""
    served_by: str = ""
    """The exact model version the provider named."""
    temperature: float | None = 0.0
    """None where the model refuses to be told one, so that its provider's own was used."""


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """How the verdict on one subjective constraint came about."""

    group: str
    rule: str
    """`mean`, `majority` or `median` of the panel."""
    satisfied: bool | None
    """None where the panel came to no verdict: the constraint is not judged."""
    score: float | None
    """The mean or median of the scores that were had (with `majority` their mean, for information)."""
    scores: tuple[JudgeScore, ...]
    """One per member of the panel, in its order."""
    rubric: str = ""
    """Version of the rubric that was applied."""
    reason: str = ""
    """Why there is no verdict, or why the answer failed without anybody being asked."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts that count, and those of a heuristic that stand in a table of their own."""

    verdicts: tuple[Verdict, ...]
    """One per constraint, in order; `satisfied` is None where nobody judged a subjective one or no verdict was had."""
    heuristic: tuple[Verdict, ...] = ()
    records: tuple[JudgeRecord, ...] = ()
    """One per subjective constraint that a panel was asked about."""

    @property
    def usage(self) -> Mapping[str, Usage]:
        """Tokens paid for these verdicts, per judge model; what came from the cache costs nothing."""
        return usage_of(self.records)

    @property
    def calls(self) -> Mapping[str, int]:
        """Calls made for these verdicts, per judge model."""
        made: dict[str, int] = {}
        for score in (s for record in self.records for s in record.scores):
            made[score.judge] = made.get(score.judge, 0) + score.attempts
        return made


def usage_of(records: Iterable[JudgeRecord]) -> Mapping[str, Usage]:
    """Tokens per judge model; models that were not asked are left out."""
    spent: dict[str, Usage] = {}
    for score in (s for record in records for s in record.scores if s.attempts):
        spent[score.judge] = add_usage(spent.get(score.judge, Usage()), score.usage)
    return spent


def add_usage(first: Usage, second: Usage) -> Usage:
    """Both together."""
    return Usage(first.prompt_tokens + second.prompt_tokens, first.completion_tokens + second.completion_tokens)


def dump_records(records: Iterable[JudgeRecord]) -> str:
    """The records as one line of JSON, for a store; empty for none."""
    told = [_record_object(record) for record in records]
    return json.dumps(told, ensure_ascii=True, separators=(",", ":")) if told else ""


def load_records(text: str) -> tuple[JudgeRecord, ...]:
    """The records that `dump_records` wrote."""
    return tuple(_record(data) for data in json.loads(text)) if text else ()


def _record_object(record: JudgeRecord) -> dict[str, Any]:
    return {
        "group": record.group,
        "rule": record.rule,
        "satisfied": record.satisfied,
        "score": record.score,
        "rubric": record.rubric,
        "reason": record.reason,
        "scores": [
            {
                "judge": s.judge,
                "score": s.score,
                "rationale": s.rationale,
                "problem": s.problem,
                "cached": s.cached,
                "attempts": s.attempts,
                "tokens": [s.usage.prompt_tokens, s.usage.completion_tokens],
                "served_by": s.served_by,
                "temperature": s.temperature,
            }
            for s in record.scores
        ],
    }


def _record(data: Mapping[str, Any]) -> JudgeRecord:
    scores = tuple(
        JudgeScore(
            s["judge"],
            s["score"],
            s["rationale"],
            s["problem"],
            s["cached"],
            s["attempts"],
            Usage(*s["tokens"]),
            s["served_by"],
            s["temperature"],
        )
        for s in data["scores"]
    )
    return JudgeRecord(
        data["group"], data["rule"], data["satisfied"], data["score"], scores, data["rubric"], data["reason"]
    )
