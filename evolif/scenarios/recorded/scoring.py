"""The scores of one answered turn, one for each metric entry, and the records of a session that are made of them.

A score that cannot be had is None, with the kind of failure and the reason: never a silent zero.

- `generation`, `withheld`: the model gave no answer; the run knows, and `session_records` asks it.
- `judge`: no judge, or its reply has no score. A judge that cannot be reached is a `JudgeError`, and asked again later.
- `no_reference`, `bad_args`, `unknown_metric`, `unsupported`: the entry cannot be scored, whatever the answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from evolif.judging import Judgement, JudgeRecord, Panel
from evolif.runner import TurnRecord
from evolif.scenarios.instructions.constraints import format_of
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.verdicts import criteria_of
from evolif.scenarios.recorded.constraint_checks import Unsupported, checked_constraint, instruction_of
from evolif.scenarios.recorded.judging import LONGEST_REPLY, TemplateFault, judge_question, lacking
from evolif.scenarios.recorded.metrics import HowRead, RecordedMetric, entry_version, metric_name, metric_of
from evolif.scenarios.recorded.prompts import SCORING_VERSION
from evolif.scenarios.recorded.schema import Dialog
from evolif.text import READING_RULES_VERSION, Reading, read_apart, readable
from evolif.types import Message, Prompt, Score, Session, Verdict

Failure: TypeAlias = Literal[
    "generation", "withheld", "judge", "no_reference", "bad_args", "unknown_metric", "unsupported", "invalid"
]
"""Why a record has no score; `invalid` is a score that is no finite number."""
_KINDS: Mapping[str, Failure] = {kind: kind for kind in get_args(Failure)}
CHECKS = frozenset({"evolif_check", "instruction_following"})
"""Metrics whose scores are verdicts, too."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A metric entry with checked arguments."""

    metric: RecordedMetric
    given: Mapping[str, Any]
    args: Mapping[str, Any]

    @property
    def is_judged(self) -> bool:
        return self.metric.is_judged(self.args)

    @property
    def constraint(self) -> Constraint | None:
        """What a check asks for; None for other metrics."""
        if self.metric.class_name == "evolif_check":
            return checked_constraint(self.args["group_name"], self.args["params"])
        if self.metric.class_name == "instruction_following" and not self.args["as_released"]:
            return instruction_of(self.args["inst_name"], self.args["inst_args"]).constraint
        return None


class _Failed(Exception):
    def __init__(self, kind: Failure, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


def failure_of(score: Score) -> tuple[Failure, str] | None:
    """Why a score of a turn is None: the kind and the reason; None if it is a number."""
    if score.value is not None:
        return None
    kind, _, reason = score.found.partition(": ")
    known = _KINDS.get(kind)
    return ("invalid", score.found) if known is None else (known, reason)


def needs_judge(payload: Mapping[str, Any]) -> bool:
    """Whether an entry of a turn is scored by a judge.

    Args:
        payload: Of the turn's prompt.
    """
    return any(judged_entries(payload))


def judged_entries(payload: Mapping[str, Any]) -> list[bool]:
    """Per metric entry of a turn, whether a judge scores it; False for those that cannot be scored."""
    return [_is_judged(one, payload) for one in payload["metrics"]]


def unscorable(payload: Mapping[str, Any]) -> list[tuple[Failure, str]]:
    """The kind and the reason of each metric entry of a turn that has no score, whatever the answer."""
    found: list[tuple[Failure, str]] = []
    for one in payload["metrics"]:
        try:
            _entry(one, payload)
        except _Failed as failed:
            found.append((failed.kind, str(failed)))
    return found


def _is_judged(one: Mapping[str, Any], payload: Mapping[str, Any]) -> bool:
    try:
        return _entry(one, payload).is_judged
    except _Failed:
        return False


async def score_turn(
    prompt: Prompt,
    answer: str,
    history: Sequence[Message],
    panel: Panel | None,
    stored: Judgement | None = None,
    rules: int = READING_RULES_VERSION,
    *,
    as_released: bool = False,
) -> Judgement:
    """A score for each metric entry of a turn, in their order, and a verdict for each that is a check.

    Args:
        prompt: The turn.
        answer: As received; an empty one is scored as it stands, and one of more than 64 KiB like it.
        history: What the model was shown, with the prompt.
        panel: Scores what rules cannot; None if nobody does.
        stored: An earlier judgement on the same answer: what rules found is kept.
        rules: The edition of the reading rules.
        as_released: Whether metrics that the release of UniDial-EvalKit has wrong are computed as it does.

    Raises:
        JudgeError: a judge could not be called.
    """
    payload = prompt.payload
    how = HowRead(_format(payload), rules)
    scores: list[Score] = []
    verdicts: list[Verdict] = []
    records: list[JudgeRecord] = []
    for place, one in enumerate(payload["metrics"]):
        name = metric_name(one["class_name"], one["args"])
        try:
            entry = _entry(one, payload, as_released=as_released)
            if not entry.is_judged:
                _refuse_newer(one, payload)
                score = stored.scores[place] if stored else await _by_rule(name, entry, answer, payload, how)
            elif entry.metric.scorer is None:
                score = await _by_template(name, entry, answer, history, payload, how, panel)
            else:
                score, record = await _by_criterion(name, entry, answer, how, panel)
                records.append(record)
        except _Failed as failed:
            score = Score(name, None, found=f"{failed.kind}: {failed}")
        scores.append(score)
        if one["class_name"] in CHECKS:
            verdicts.append(
                Verdict(
                    name.partition("->")[2] or name,
                    None if score.value is None else score.value >= 1,
                    name,
                    score.found,
                )
            )
    return Judgement(tuple(verdicts), records=tuple(records), scores=tuple(scores))


def _entry(one: Mapping[str, Any], payload: Mapping[str, Any], *, as_released: bool = False) -> _Entry:
    """An entry that can be scored.

    Raises:
        _Failed: it cannot.
    """
    try:
        metric = metric_of(one["class_name"])
        args = metric.check({**one["args"], "as_released": True} if as_released and metric.is_reread else one["args"])
    except Unsupported as fault:
        raise _Failed(fault.kind, str(fault)) from None
    if metric.needs_reference and payload["reference"] in (None, []):
        raise _Failed("no_reference", f"{metric.class_name} needs a reference; give the turn one")
    if metric.scorer is None and (missing := lacking(one["args"], payload)):
        name = metric_name(metric.class_name, one["args"])
        kind: Failure = "no_reference" if missing == ["reference"] else "bad_args"
        raise _Failed(kind, f"{name} needs {' and '.join(missing)}, which the turn or its entry does not have")
    return _Entry(metric, one["args"], args)


def _refuse_newer(one: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
    """Check that a rule is not newer than the run that the turn is of, whose figures would mix two versions.

    Raises:
        _Failed: it is; the run stored the same failure.
    """
    if entry_version(one["class_name"], one["args"]) > payload.get("scoring", 1):
        name = metric_name(one["class_name"], one["args"])
        raise _Failed("unsupported", f"{name} could not be scored when the run began; evaluate into a new folder")


def _format(payload: Mapping[str, Any]) -> str | None:
    """The format that a check of the turn asks for, which decides how all checks read the answer."""
    constraints = []
    for one in payload["metrics"]:
        if one["class_name"] in CHECKS:
            try:
                constraints.append(_entry(one, payload).constraint)
            except _Failed:
                continue
    return format_of([constraint for constraint in constraints if constraint is not None])


async def _by_rule(name: str, entry: _Entry, answer: str, payload: Mapping[str, Any], how: HowRead) -> Score:
    def read() -> float:
        return entry.metric.score(readable(answer), payload["reference"], entry.args, fmt=how.fmt, rules=how.rules)

    try:
        return Score(name, await read_apart(answer, read))
    except Unsupported as fault:
        raise _Failed(fault.kind, str(fault)) from None


async def _by_template(
    name: str,
    entry: _Entry,
    answer: str,
    history: Sequence[Message],
    payload: Mapping[str, Any],
    how: HowRead,
    panel: Panel | None,
) -> Score:
    try:
        question = judge_question(
            entry.given, history, answer, payload, how.rules, as_released=entry.args.get("as_released") is True
        )
    except TemplateFault as fault:
        raise _Failed("bad_args", str(fault)) from None
    value, scores = await _required(panel).rate(question.messages, question.read, LONGEST_REPLY, question.scale)
    if value is None:
        raise _Failed("judge", "; ".join(f"{score.judge}: {score.problem}" for score in scores if score.problem))
    return Score(name, value, found="; ".join(score.rationale for score in scores if score.score is not None))


async def _by_criterion(
    name: str, entry: _Entry, answer: str, how: HowRead, panel: Panel | None
) -> tuple[Score, JudgeRecord]:
    constraint = entry.constraint
    assert constraint is not None, "only checks are criteria"
    record = await _required(panel).assess(criteria_of([constraint])[0], Reading(answer, how.fmt, rules=how.rules))
    if record.satisfied is None:
        raise _Failed("judge", record.reason)
    return Score(name, float(record.satisfied), found=record.reason), record


def _required(panel: Panel | None) -> Panel:
    if panel is None:
        raise _Failed("judge", "no model judges; name one with --judge PROVIDER/NAME")
    return panel


def session_records(
    outline: Mapping[str, Any], session: Session, number: int | None = None, answers: Sequence[TurnRecord] = ()
) -> list[dict[str, Any]]:
    """The records of a session: a score for each entry of its answered turns, and a failure where a fault ended it.

    Turns after that one have no records.

    Args:
        outline: Of its dialogue.
        session: The session; an answer that is not judged yet ends it.
        number: Stands for the id of the dialogue; its own if None.
        answers: Its turns as stored; records of empty and of cut answers then say so.
    """
    turns = outline["turns"]
    flags = {answer.turn: _flags(answer) for answer in answers}
    records: list[dict[str, Any]] = []

    def add(place: int, name: str, score: float | None, details: dict[str, Any]) -> None:
        records.append(
            {
                "dialog_id": outline["dialog_id"] if number is None else number,
                "turn_id": turns[place][0],
                "metric_name": name,
                "score": score,
                "details": details,
                "dialog_labels": outline["labels"],
                "turn_labels": turns[place][2],
            }
        )

    for turn in session.turns:
        for score in turn.scores:
            add(turn.turn - 1, score.name, score.value, {**_details(score), **flags.get(turn.turn, {})})
    kind, place = failure_of_end(session), len(session.turns)
    if kind is not None and place < len(turns):
        for name in turns[place][1]:
            add(place, name, None, {"failure": kind, "reason": session.reason})
    return records


def failure_of_end(session: Session) -> Failure | None:
    """The failure of the turn at which a session ended; None if no fault ended it."""
    if session.ending == "withheld":
        return "withheld"
    if session.ending == "suspended":
        return "judge" if session.cause == "judge" else "generation"
    return "generation" if session.cause == "context" else None


def _details(score: Score) -> dict[str, Any]:
    failed = failure_of(score)
    if failed is not None:
        return {"failure": failed[0], "reason": failed[1]}
    return {"found": score.found} if score.found else {}


def _flags(answer: TurnRecord) -> dict[str, bool]:
    empty = {} if answer.answer.strip() else {"empty": True}
    return {**empty, "cut": True} if answer.truncated else empty


def reuse_key(
    *, model: str, endpoint: str, sampling: Mapping[str, Any], strategy: str, dialog: Dialog, entry: Mapping[str, Any]
) -> str:
    """Under which key a score may be taken from an earlier run: 32 hex digits that change with anything it depends on.

    Args:
        model: `provider/name`.
        endpoint: Where it was asked; empty for the provider's own address.
        sampling: Temperature, longest answer, seed.
        strategy: The context strategy or memory.
        dialog: The whole dialogue, as it came.
        entry: `class_name` and `args` of the metric entry.
    """
    parts = [
        model,
        endpoint,
        sampling,
        strategy,
        dialog.written(),
        entry,
        entry_version(entry["class_name"], entry.get("args") or {}),
        SCORING_VERSION,
        READING_RULES_VERSION,
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
