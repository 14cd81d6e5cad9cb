"""Sessions of instruction following in the dialogue schema: what was said, what was in force, and each verdict.

A constraint in force is a metric entry `evolif_check`, and its verdict is that entry's record. So three aggregations of
the records are figures of a report: mean-mean-turn is CSR, min-mean-turn is ISR, and min-mean-dialog is ROB, over the
sessions that a report counts (`counted`). `evolif.scenarios.recorded.sessions` reads the dialogues back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evolif.errors import UsageError
from evolif.runner import STOP_RULE, Run, TurnRecord
from evolif.runner.records import WITHHELD
from evolif.runner.settings import EXTENT
from evolif.scenarios.instructions import requirements_of
from evolif.scenarios.instructions.turns import NAME as INSTRUCTIONS
from evolif.scenarios.instructions.turns import Instruction
from evolif.scenarios.recorded.metrics import metric_name
from evolif.scenarios.recorded.recorded_runs import RECORDED, recorded_dialogs, recorded_records
from evolif.scenarios.recorded.schema import Dialog
from evolif.types import Session, Verdict

CHECK = "evolif_check"
"""The metric of a constraint in force."""
INFO, MORE = "evolif", "evolif_session"
"""Keys of `dialog_raw_info`: which session it is; and what the schema has no place for, so that nothing has to be
guessed when the session is read back."""
LEFT_OUT = "left_out"
"""Marks dialogues that a stop rule did not decide from; figures then leave them out, whatever their ending."""
SYSTEM_ID = 0
_ENDPOINTS = ("judge_endpoints", "other_endpoints")
"""Settings that describe this machine."""


def dialogs_of_run(run: Run, model: str, *, with_witness: bool = False) -> list[Dialog]:
    """The sessions of a model as dialogues with its answers in them.

    Args:
        run: Of instruction following, or of recorded dialogues, which `recorded_dialogs` gives back.
        model: One of its models.
        with_witness: Give each evaluated turn its witness as the reference. It is an answer key.

    Returns:
        Every session that began, in the order of dialogues and epochs, with ids from 0. The system turn has the id 0;
        turn k of a session is the user turn 2k - 1 and the assistant turn 2k. `reference_document` has, for each
        constraint, the user turn that last added or modified it.

    Raises:
        UsageError: The run has another scenario, or no such model.
    """
    if run.settings.scenario == RECORDED:
        return recorded_dialogs(run, model)
    shared = _Shared(run, model)
    return [
        Dialog.model_validate(_dialog(number, session, records, shared, with_witness))
        for number, (session, records) in enumerate(_transcripts(run, model))
    ]


def records_of_run(run: Run, model: str) -> list[dict[str, Any]]:
    """The verdicts on a model's answers as records, in the order of `dialogs_of_run`.

    Args:
        run: Of instruction following.
        model: One of its models.

    Returns:
        A record for each constraint of each answered turn: 1.0 if it is satisfied, 0.0 if not, and null with the
        failure `judge` if it was not judged.

    Raises:
        UsageError: The run has another scenario, or no such model.
    """
    if run.settings.scenario == RECORDED:
        return recorded_records(run, model)
    return [
        record
        for number, (session, turns) in enumerate(_transcripts(run, model))
        for record in _session_records(number, session, turns)
    ]


def left_out(dialog: Dialog) -> str:
    """Why reports leave a session out: its ending, `running`, or `stop rule`; empty if they count it, or it is none."""
    info, more = (dialog.dialog_raw_info.get(key) for key in (INFO, MORE))
    if not isinstance(info, Mapping):
        return ""
    ending = info.get("ending")
    if ending not in ("finished", "censored"):
        return str(ending or "running")
    return str(more.get(LEFT_OUT, "")) if isinstance(more, Mapping) else ""


def counted(
    dialogs: Iterable[Dialog], records: Iterable[Mapping[str, Any]]
) -> tuple[list[Dialog], list[Mapping[str, Any]]]:
    """Dialogues and records without those of sessions that reports leave out.

    That is what was suspended, withheld or still running, and what a stop rule did not decide from.

    Args:
        dialogs: Of one model; those that are no sessions stay.
        records: Theirs.
    """
    found = list(dialogs)
    without = {dialog.dialog_id for dialog in found if left_out(dialog)}
    kept = [dialog for dialog in found if dialog.dialog_id not in without]
    return kept, [record for record in records if record.get("dialog_id") not in without]


def _transcripts(run: Run, model: str) -> list[tuple[Session, list[TurnRecord]]]:
    settings = run.settings
    if settings.scenario != INSTRUCTIONS:
        raise UsageError(
            f"{run.path} is a run of the scenario {settings.scenario}; only runs of instruction following and of "
            "recorded dialogues have this schema, so export it as jsonl"
        )
    if model not in run.models:
        raise UsageError(f"{run.path} has no model {model}; it has {', '.join(run.models)}")
    return sorted(run.transcripts(model), key=lambda pair: (pair[0].dialogue, pair[0].epoch))


class _Shared:
    """What all dialogues of a model have in common."""

    def __init__(self, run: Run, model: str) -> None:
        settings = run.settings
        outline = json.loads(run.outline() or "{}")
        self.benchmark = settings.benchmark
        self.hash = outline.get("imported") or settings.hash()
        """Of an imported run, that of the run that was exported."""
        self.settings = settings.model_dump(mode="json", exclude={"benchmark", "patience", *EXTENT, *_ENDPOINTS})
        self.has_system = settings.system_prompt
        self.system = outline.get("system")
        """Runs of earlier versions do not say it."""
        self.early = run.early_end()
        self.unbegun = [
            {"dialogue": session.dialogue, "epoch": session.epoch, "cause": session.cause}
            for _, session in run.store.sessions(model)
            if session.ending is None and session.cause
        ]

    def of_run(self) -> dict[str, Any]:
        """What the first dialogue says of the run: the stop rule that ended it, and sessions that never began."""
        early = {} if self.early is None else {"early_end": json.loads(self.early.dump())}
        return {**early, **({"unbegun": self.unbegun} if self.unbegun else {})}


def _dialog(
    number: int, session: Session, records: Sequence[TurnRecord], shared: _Shared, with_witness: bool
) -> dict[str, Any]:
    turns: list[dict[str, Any]] = []
    if shared.has_system:
        turns.append({"turn_id": SYSTEM_ID, "role": "system", "content": shared.system})
    evidence = _Evidence()
    for record in records:
        turns += _turns(record, evidence, with_witness)
    withheld = [answer_id(record.turn) for record in records if record.withheld]
    more = {
        "cause": session.cause,
        "settings": shared.settings,
        "turns": [_more(record) for record in records],
        **({WITHHELD: withheld} if withheld else {}),
        **(shared.of_run() if number == 0 else {}),
    }
    if shared.early is not None and session.dialogue not in shared.early.dialogues:
        more[LEFT_OUT] = STOP_RULE
    info = {
        "benchmark": shared.benchmark,
        "settings": shared.hash,
        "model": session.model,
        "dialogue": session.dialogue,
        "epoch": session.epoch,
        "patience": session.patience,
        "ending": session.ending,
        "reason": session.reason,
    }
    return {
        "dialog_id": number,
        "dialog_raw_info": {INFO: info, MORE: more},
        "dialog_labels": _dialog_labels(session, records),
        "dialog_eval_config": {"use_reference_history": False},
        "dialog_turns": turns,
    }


def query_id(turn: int) -> int:
    """The id of the user turn of a session's turn, which counts from 1."""
    return 2 * turn - 1


def answer_id(turn: int) -> int:
    """The id of the assistant turn of a session's turn, which counts from 1."""
    return 2 * turn


def _turns(record: TurnRecord, evidence: _Evidence, with_witness: bool) -> Iterator[dict[str, Any]]:
    asked = requirements_of(record.prompt)
    yield {
        "turn_id": query_id(record.turn),
        "role": "user",
        "content": record.query,
        "turn_labels": _turn_labels(record),
    }
    reference = {"reference": asked.witness} if with_witness and asked.witness is not None else {}
    topic = str(record.prompt.labels["topic"])
    yield {
        "turn_id": answer_id(record.turn),
        "role": "assistant",
        "content": None if record.withheld else record.answer,
        **reference,
        "reference_document": evidence.after(topic, asked.constraints, query_id(record.turn)),
        "eval_config": {
            "do_eval": True,
            "metrics": [{"class_name": CHECK, "args": args} for args, _ in _checks(record)],
        },
    }


class _Evidence:
    """The user turns that introduced the constraints in force, followed from turn to turn."""

    def __init__(self) -> None:
        self._topics: dict[str, dict[str, tuple[dict[str, Any], int]]] = {}
        """Per topic and group: the parameters, and the turn that gave them."""

    def after(self, topic: str, constraints: Instruction, turn_id: int) -> list[int]:
        """The turns of the constraints in force, in their order, once this turn was said."""
        before = self._topics.get(topic, {})
        now = {}
        for constraint in constraints:
            params = dict(constraint.params)
            known = before.get(constraint.group)
            now[constraint.group] = known if known is not None and known[0] == params else (params, turn_id)
        self._topics[topic] = now
        return list(dict.fromkeys(turn for _, turn in now.values()))


def _checks(record: TurnRecord) -> Iterator[tuple[dict[str, Any], Verdict | None]]:
    """The arguments and the verdict of each requirement of a turn: its constraints, and what was judged besides.

    Relevance stands behind the constraints where it counts. A turn that is not judged yet has no verdicts.
    """
    constraints, verdicts = requirements_of(record.prompt).constraints, record.verdicts
    for place in range(max(len(constraints), len(verdicts))):
        verdict = verdicts[place] if place < len(verdicts) else None
        if place < len(constraints):
            group, params = constraints[place].group, dict(constraints[place].params)
        else:
            group, params = verdicts[place].group, {}
        yield {"group_name": group, "params": params}, verdict


def _session_records(number: int, session: Session, turns: Sequence[TurnRecord]) -> Iterator[dict[str, Any]]:
    labels = _dialog_labels(session, turns)
    for turn in turns:
        for args, verdict in _checks(turn):
            satisfied = None if verdict is None else verdict.satisfied
            yield {
                "dialog_id": number,
                "turn_id": answer_id(turn.turn),
                "metric_name": metric_name(CHECK, args),
                "score": None if satisfied is None else float(satisfied),
                "details": _details(turn, verdict),
                "dialog_labels": labels,
                "turn_labels": _turn_labels(turn),
            }


def _details(turn: TurnRecord, verdict: Verdict | None) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if verdict is None or verdict.satisfied is None:
        details["failure"] = "judge"
    if verdict is not None:
        details |= {"expected": verdict.expected, "found": verdict.found}
        if verdict.spans:
            details["spans"] = [[span.start, span.end, span.view] for span in verdict.spans]
    if not turn.answer.strip() and not turn.withheld:
        details["empty"] = True
    if turn.truncated:
        details["cut"] = True
    return details


def _dialog_labels(session: Session, records: Sequence[TurnRecord]) -> dict[str, Any]:
    labels = [record.prompt.labels for record in records]
    return {
        "scenario": INSTRUCTIONS,
        "ending": session.ending,
        "topics": len({label["topic"] for label in labels}),
        "register": str(labels[0].get("register", "")) if labels else "",
    }


def _turn_labels(record: TurnRecord) -> dict[str, Any]:
    labels = {name: record.prompt.labels[name] for name in ("move", "operation", "topic", "depth")}
    return {**labels, "constraints": len(requirements_of(record.prompt).constraints)}


def _more(record: TurnRecord) -> dict[str, Any]:
    told = record.prompt.payload.get("feedback")
    return {
        **({} if told is None else {"feedback": told}),
        "digest": record.prompt.digest,
        "source": record.prompt.labels.get("source", ""),
        "served_by": record.served_by,
        "seconds": record.seconds,
    }
