"""Runs whose every verdict a test plants, and what of them nobody who scores may read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolif.judging import Judgement, JudgeRecord, JudgeScore
from evolif.review import AnswerQueue
from evolif.review.decisions import Request
from evolif.runner import RunSettings, RunStore, SessionKey, load_run
from evolif.runner.records import AnsweredTurn, TurnEntry
from evolif.scenarios.instructions.turns import Constraint
from evolif.types import Message, Prompt, Verdict

MODELS = ("openai/secretone", "google/secrettwo")
VALUES = {"emotion": "happy", "audience": "child", "style": "formal"}
SECRETS = ("secret", "openai", "google", "rationale", "served-by", "thought")
"""Of the model and of the judge; no query and no answer here holds them."""


@dataclass(frozen=True)
class Said:
    """One answer of a model, and what the judge made of it: group to accepted, None for no verdict."""

    model: str
    dialogue: int
    turn: int
    verdicts: Sequence[tuple[str, bool | None]]
    text: str = ""
    query: str = ""
    score: int | None = None
    rationale: str = "The judge's secret rationale."
    asked: bool = True
    heuristic: bool = False
    remark: str = ""
    """What the query begins with, as a remark on the answer before."""


def _constraints(said: Said) -> tuple[Constraint, ...]:
    length = Constraint("bullets", {"count": 3})
    return (length, *(Constraint(group, {group: VALUES[group]}) for group, _ in said.verdicts))


def _record(said: Said, group: str, accepted: bool | None) -> JudgeRecord:
    number = said.score or (9 if accepted else 2)
    score = None if accepted is None else float(number)
    scores = (JudgeScore("google/secret-judge", score, said.rationale, served_by="served-by-x"),) if said.asked else ()
    return JudgeRecord(group, "mean", accepted, score, scores, "12345678")


def _entry(number: int, said: Said) -> TurnEntry:
    records = tuple(_record(said, group, accepted) for group, accepted in said.verdicts)
    told = [Verdict(r.group, r.satisfied, "expected", f"{r.score} of 10: {said.rationale}") for r in records]
    verdicts = (Verdict("bullets", True, "3", "3"), *told)
    judgement = Judgement(verdicts, tuple(told), ()) if said.heuristic else Judgement(verdicts, (), records)
    remark = {"kind": "missed", "text": said.remark, "group": "bullets", "value": {"count": 3}}
    query = said.query or f"Query {said.dialogue}.{said.turn}, please?"
    prompt = Prompt(
        said.dialogue,
        said.turn,
        (Message("user", query),),
        payload={
            "constraints": [{"group": c.group, "params": dict(c.params)} for c in _constraints(said)],
            "witness": None,
            **({} if not said.remark else {"feedback": {"script": said.turn, "repair": 0, "remark": remark}}),
        },
        labels={"topic": "t", "move": "new", "depth": 1, "operation": "", "source": "", "register": ""},
        digest=f"{said.dialogue}.{said.turn}",
    )
    text = said.text or f"Answer number {number}.{said.turn} of many."
    answer = AnsweredTurn(text, "a secret thought", served_by="served-by-y")
    return TurnEntry(number, prompt, answer, judgement)


def plant(path: Path, said: Iterable[Said], models: Sequence[str] = MODELS) -> Path:
    """A run of these answers; sessions are numbered by model and dialogue."""
    all_ = list(said)
    dialogues = tuple(sorted({one.dialogue for one in all_}))
    settings = RunSettings(
        benchmark="b", profile="p", models=tuple(models), judge="google/secret-judge (rubric 1)", patience=3,
        max_turns=9, dialogues=dialogues, reading_rules=1,
    )  # fmt: skip
    with closing(RunStore.create(path, settings)) as store:
        keys = [SessionKey(model, dialogue, 1) for model in models for dialogue in dialogues]
        store.enrol(keys)
        numbers = {(key.model, key.dialogue): number for number, key in enumerate(keys, 1)}
        store.write(_entry(numbers[one.model, one.dialogue], one) for one in all_)
    return path


def small(path: Path, *, flipped: bool = False, models: Sequence[str] = MODELS) -> Path:
    """Two models, three dialogues, two turns: 12 answers with two verdicts each, one in four rejected."""
    said = []
    for place, model in enumerate(models):
        for dialogue in (1, 2, 3):
            for turn in (1, 2):
                rejected = (dialogue + turn + place) % 4 == 0
                accepted = rejected if flipped else not rejected
                said.append(
                    Said(
                        model, dialogue, turn, (("emotion", accepted), ("style", not rejected)),
                        rationale="Another secret rationale." if flipped else "The judge's secret rationale.",
                    )
                )  # fmt: skip
    return plant(path, said, models)


def judge_desk(path: Path, reviewer: str = "ada", **more: Any) -> AnswerQueue:
    with closing(load_run(path)) as run:
        return AnswerQueue(run, reviewer, **more)


def give(desk: AnswerQueue, number: int, score: int | None, note: str = "") -> None:
    """Score an answer, or skip it."""
    kind = "skip" if score is None else "score"
    desk.decide(Request(str(number), kind, desk.seen(str(number)), score=score, note=note))
