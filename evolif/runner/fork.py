"""Start a run from the part of another that fits its settings.

A conversation depends on the model, its endpoint, the prompts and the sampling; the judge, the patience and the cap
only determine its length. So answers are copied up to the first edited prompt of the benchmark, and judgements if judge
and reading rules are the same; answers without them are judged again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolif.runner.hash_chain import Sealer
from evolif.runner.records import AnsweredTurn, AskedKey, EndEntry, StoredPrompt, TurnEntry, TurnRecord, store
from evolif.runner.session import step
from evolif.runner.settings import (
    RunSettings,
    different_fields,
    moved_models,
    reparameterised_models,
    reweighted_models,
)
from evolif.runner.store import RunStore
from evolif.scenario import get_scenario
from evolif.types import Ending, Session

_ANSWER_SETTINGS = frozenset(
    {"system_prompt", "context", "context_model", "temperature", "max_tokens", "seed", "scenario", "partner", "options"}
    | {"other_endpoints", "feedback"}
)
_VERDICT_SETTINGS = frozenset(
    {"judge", "judge_endpoints", "reading_rules", "own_code", "relevance", "relevance_counts"}
)

_REACTED_TO = _VERDICT_SETTINGS | {"patience"}
"""What the person reacts to, and how much of patience is left: where there is feedback, it decides what is asked."""

_End = tuple[Ending | None, str, str]
"""Ending, cause, reason."""
_NOT_ENDED: _End = (None, "", "")


@dataclass(slots=True)
class Shared:
    """What a fork took over."""

    turns: int = 0
    sessions: int = 0
    judged: bool = True
    """Whether judgements were taken over too."""


def fork(source: RunStore, root: Path, settings: RunSettings, edited: Mapping[int, int]) -> Shared:
    """Start a run in `root`.

    Args:
        source: The run to start from.
        root: The folder of the new run.
        settings: Of the new run.
        edited: Per dialogue, the first turn that differs from the one `source` used.
    """
    different = set(different_fields(source.settings, settings))
    shared = Shared(judged=not different & _VERDICT_SETTINGS)
    others = {*moved_models(source.settings, settings), *reparameterised_models(source.settings, settings)}
    reweighted = set(reweighted_models(source.settings, settings))
    others |= reweighted
    shared.judged &= not any(model in settings.judge for model in reweighted)
    models = set(settings.models) & set(source.settings.models) - others
    scenario = get_scenario(settings.scenario)
    if "options" in different and scenario.keeps_answers(source.settings.options, settings.options):
        different.discard("options")
        shared.judged = False
    decides = _ANSWER_SETTINGS if settings.feedback == "none" else _ANSWER_SETTINGS | _REACTED_TO
    if different & decides or reweighted & {settings.partner, settings.context_model}:
        models = set()

    def fill(connection: sqlite3.Connection) -> None:
        known: dict[AskedKey, StoredPrompt] = {}
        sealer = Sealer(connection)
        for number, session in source.sessions():
            if session.model not in models or session.dialogue not in settings.dialogues:
                continue
            if session.epoch > settings.epochs:
                continue
            answered = source.turns(number)
            kept = [r for r in answered if r.turn < edited.get(session.dialogue, r.turn + 1)]
            kept = _within_cap(kept, settings)
            end = _NOT_ENDED
            if shared.judged:
                kept, end = _new_end(session, kept, settings, session.cause if len(kept) == len(answered) else "")
            _copy(connection, session, kept, end, known, sealer, judged=shared.judged)
            shared.turns += len(kept)
            shared.sessions += bool(kept)

    RunStore.create(root, settings, fill).close()
    return shared


def _within_cap(records: Sequence[TurnRecord], settings: RunSettings) -> list[TurnRecord]:
    """The turns up to the last one that the cap allows the model under test."""
    kept: list[TurnRecord] = []
    own = judged = 0
    for record in records:
        if settings.cap_reached(own, judged):
            break
        kept.append(record)
        if record.prompt.seat == "target":
            own += 1
            judged += bool(record.judged.judged)
    return kept


def _new_end(
    session: Session, kept: list[TurnRecord], settings: RunSettings, cause: str
) -> tuple[list[TurnRecord], _End]:
    """What a session keeps of these turns under the new settings, and its end, if any.

    `cause` says why it ended in the source; it is empty if its last turns are not shared.
    """
    patience, own, judged = settings.patience, 0, 0
    for position, record in enumerate(kept, 1):
        if not record.is_judged:
            break
        if record.prompt.seat == "target":
            outcomes = record.judged.judged
            own, judged = own + 1, judged + bool(outcomes)
            patience = step(patience, settings.patience, outcomes)
            if patience == 0 and settings.cut == "during":
                return kept[:position], ("finished", "patience", "patience exhausted")
    cap = settings.cap_reached(own, judged)
    if cap:
        return kept, ("censored", "cap", cap)
    outside = cause in ("context", "content filter") or (session.ending == "finished" and cause != "patience")
    return kept, (session.ending, cause, session.reason) if outside and cause else _NOT_ENDED


def _copy(
    connection: sqlite3.Connection,
    session: Session,
    records: Sequence[TurnRecord],
    end: _End,
    known: dict[AskedKey, StoredPrompt],
    sealer: Sealer,
    *,
    judged: bool,
) -> None:
    copy = connection.execute(
        "INSERT INTO session (model, dialogue, epoch) VALUES (?, ?, ?)",
        (session.model, session.dialogue, session.epoch),
    ).lastrowid
    assert copy is not None
    for record in records:
        answer = AnsweredTurn(record.answer, record.reasoning, record.truncated, record.served_by, record.seconds)
        judgement = record.judgement if judged else None
        entry = TurnEntry(copy, record.prompt, answer, judgement, (), record.notes, record.context_tokens, record.built)
        store(connection, entry, known, sealer)
    store(connection, EndEntry(copy, *end), known, sealer)
