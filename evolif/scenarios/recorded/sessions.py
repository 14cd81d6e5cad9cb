"""Dialogues and records, as `runs.py` writes them, read back as sessions, with all that metrics and reports need.

The files may come from anywhere: whatever does not fit is refused, with the dialogue, the turn and the mend.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import ArgumentError, UsageError
from evolif.judging import Judgement, with_relevance
from evolif.scenarios.instructions import requirements_of
from evolif.scenarios.instructions.constraints import parse_constraint
from evolif.scenarios.instructions.reactions import with_reaction
from evolif.scenarios.recorded.metrics import metric_name
from evolif.scenarios.recorded.runs import CHECK, INFO, MORE, SYSTEM_ID, answer_id, query_id
from evolif.scenarios.recorded.schema import Dialog, Turn
from evolif.types import RELEVANCE, Ending, JudgedTurn, Message, Prompt, Session, Span, Verdict
from evolif.util.resources import complaint

MOST_DIALOGUES = 999_999
MOST_EPOCHS = 10_000
_MOST_TURNS = 100_000
_MEND = "export the run again"
_Text = Annotated[str, Field(max_length=10_000)]


class SessionInfo(BaseModel):
    """Which session a dialogue was (`dialog_raw_info.evolif`)."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    benchmark: _Text
    settings: _Text
    """The hash of the run's settings."""
    model: Annotated[str, Field(min_length=1, max_length=1000)]
    dialogue: Annotated[int, Field(ge=0, le=MOST_DIALOGUES)]
    epoch: Annotated[int, Field(ge=1, le=MOST_EPOCHS)]
    patience: Annotated[int, Field(ge=1, le=_MOST_TURNS)] | None
    ending: Ending | None
    reason: _Text = ""


class _Remark(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    kind: Literal["missed", "thanks", "unreadable"]
    text: _Text
    group: Annotated[str, Field(max_length=1000)] = ""
    value: dict[str, Any] = Field(default_factory=dict)


class _Feedback(BaseModel):
    """How the query reacts to the answer before, as payloads of instruction following say it."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    script: Annotated[int, Field(ge=1, le=_MOST_TURNS)]
    repair: Annotated[int, Field(ge=0, le=_MOST_TURNS)] = 0
    remark: _Remark | None = None


class _TurnMore(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    feedback: _Feedback | None = None
    """None in a run without feedback."""
    digest: Annotated[str, Field(max_length=100)] = ""
    source: _Text = ""
    served_by: _Text = ""
    seconds: Annotated[float, Field(ge=0, le=1e9)] = 0.0


class Unbegun(BaseModel):
    """A session that a budget or stop rule prevented."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    dialogue: Annotated[int, Field(ge=0, le=MOST_DIALOGUES)]
    epoch: Annotated[int, Field(ge=1, le=MOST_EPOCHS)]
    cause: Annotated[str, Field(min_length=1, max_length=100)]


class RuleEnd(BaseModel):
    """The stop rule that ended a run early."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    rule: _Text
    dialogues: Annotated[list[int], Field(max_length=MOST_DIALOGUES)]
    batch: Annotated[int, Field(ge=0, le=MOST_DIALOGUES)]
    method: Annotated[str, Field(max_length=100)] = "batches"
    sessions: Annotated[int, Field(ge=0, le=2**31)] = 0


class SessionMore(BaseModel):
    """What the schema has no place for (`dialog_raw_info.evolif_session`)."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    cause: _Text = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Of the run, without its extent and its addresses."""
    turns: list[_TurnMore] = Field(default_factory=list, max_length=_MOST_TURNS)
    withheld: list[int] = Field(default_factory=list, max_length=_MOST_TURNS)
    """Ids of the turns whose answer was left out."""
    early_end: RuleEnd | None = None
    """Of the run; the first dialogue of a model says it."""
    unbegun: list[Unbegun] = Field(default_factory=list, max_length=MOST_DIALOGUES)
    """Sessions of the model that never began; the first dialogue says it."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """An answered turn.

    Attributes:
        prompt: What was asked.
        answer: As received; empty if it was left out.
        judgement: None if it was not judged.
        truncated: Whether the answer was cut.
        withheld: Whether the answer was left out.
        served_by: The exact version of the model.
        seconds: How long it took.
    """

    prompt: Prompt
    answer: str
    judgement: Judgement | None
    truncated: bool
    withheld: bool
    served_by: str
    seconds: float


@dataclass(frozen=True, slots=True)
class PlayedSession:
    """A session with what was said in it.

    Attributes:
        info: Which it is.
        more: What the schema has no place for.
        system: The system prompt; None if there was none, or if it is not known.
        has_system: Whether there was one.
        turns: The answered turns.
    """

    info: SessionInfo
    more: SessionMore
    system: str | None
    has_system: bool
    turns: tuple[PlayedTurn, ...]

    @property
    def session(self) -> Session:
        """The session as metrics read it."""
        info = self.info
        judged = tuple(
            JudgedTurn(turn.prompt.turn, turn.judgement.verdicts, turn.prompt.labels, turn.judgement.scores)
            for turn in self.turns
            if turn.judgement is not None
        )
        return Session(
            info.model, info.dialogue, info.epoch, info.patience, info.ending, info.reason, judged, self.more.cause
        )


def is_session(dialog: Dialog) -> bool:
    """Whether a dialogue says that it was a session of evolif."""
    return INFO in dialog.dialog_raw_info


def sessions_of(dialogs: Iterable[Dialog], records: Iterable[Mapping[str, Any]]) -> list[PlayedSession]:
    """The sessions that dialogues were made of, in their order.

    Args:
        dialogs: As `dialogs_of_run` returns them.
        records: As `records_of_run` returns them, in any order of turns.

    Raises:
        ArgumentError: A dialogue is no session, or does not fit its records.
    """
    by_turn: dict[tuple[Any, Any], list[Mapping[str, Any]]] = {}
    for record in records:
        by_turn.setdefault((record.get("dialog_id"), record.get("turn_id")), []).append(record)
    return [_session(dialog, by_turn) for dialog in dialogs]


_Records = Mapping[tuple[Any, Any], Sequence[Mapping[str, Any]]]
_Model = TypeVar("_Model", bound=BaseModel)


def _session(dialog: Dialog, records: _Records) -> PlayedSession:
    info = _parsed(SessionInfo, dialog, INFO, dialog.dialog_raw_info.get(INFO))
    more = _parsed(SessionMore, dialog, MORE, dialog.dialog_raw_info.get(MORE, {}))
    system, *turns = dialog.dialog_turns if _has_system(dialog) else [None, *dialog.dialog_turns]
    if len(turns) % 2:
        raise _error(dialog, turns[-1], "it is not followed by an answer")
    register = dialog.dialog_labels.get("register", "")
    if not isinstance(register, str):
        raise ArgumentError(f"dialogue {dialog.dialog_id}: its label register is no text; {_MEND}")
    played = []
    for number, (query, answer) in enumerate(zip(turns[::2], turns[1::2], strict=True), 1):
        assert query is not None and answer is not None, "only the system turn may be missing"
        about = more.turns[number - 1] if number <= len(more.turns) else _TurnMore()
        _check_place(dialog, query, "user", query_id(number))
        _check_place(dialog, answer, "assistant", answer_id(number))
        prompt = _prompt(dialog, info.dialogue, number, query, answer, {"source": about.source, "register": register})
        prompt = prompt if about.feedback is None else _reacting(prompt, about.feedback)
        own = records.get((dialog.dialog_id, answer.turn_id), ())
        played.append(
            PlayedTurn(
                prompt=prompt if not about.digest else _with_digest(prompt, about.digest),
                answer=answer.text,
                judgement=_judgement(dialog, answer, own, prompt),
                truncated=any(_details(dialog, answer, record).get("cut") is True for record in own),
                withheld=answer.turn_id in more.withheld,
                served_by=about.served_by,
                seconds=about.seconds,
            )
        )
    text = None if system is None or system.content is None else system.text
    return PlayedSession(info, more, text, system is not None, tuple(played))


def _parsed(model: type[_Model], dialog: Dialog, key: str, data: object) -> _Model:
    try:
        return model.model_validate(data)
    except ValidationError as fault:
        raise ArgumentError(
            f"dialogue {dialog.dialog_id}: dialog_raw_info.{key} cannot be used: {complaint(fault, key)}; {_MEND}"
        ) from None


def _has_system(dialog: Dialog) -> bool:
    turns = dialog.dialog_turns
    return bool(turns) and turns[0].role == "system" and turns[0].turn_id == SYSTEM_ID


def _check_place(dialog: Dialog, turn: Turn, role: Literal["user", "assistant"], turn_id: int) -> None:
    if (turn.role, turn.turn_id, turn.evaluated) != (role, turn_id, role == "assistant"):
        evaluated = "evaluated " if role == "assistant" else ""
        raise _error(dialog, turn, f"an {evaluated}turn {turn_id} of the {role} is expected here")


def _error(dialog: Dialog, turn: Turn | None, problem: str) -> ArgumentError:
    place = "" if turn is None else f", turn {turn.turn_id}"
    return ArgumentError(f"dialogue {dialog.dialog_id}{place}: {problem}; {_MEND}")


def _prompt(
    dialog: Dialog, dialogue: int, number: int, query: Turn, answer: Turn, further: Mapping[str, str]
) -> Prompt:
    labels = query.turn_labels
    for name, kind in _LABELS.items():
        if type(labels.get(name)) is not kind:
            raise _error(dialog, query, f"its label {name} is missing, or is no {_KINDS[kind]}")
    if len(answer.references) > 1 or isinstance(answer.reference, list):
        raise _error(dialog, answer, "its reference is no text")
    return Prompt(
        dialogue,
        number,
        (Message("user", query.text),),
        payload={"constraints": list(_constraints(dialog, answer)), "witness": answer.reference},
        labels={name: labels[name] for name in _LABELS} | dict(further),
    )


_LABELS = {"topic": str, "move": str, "depth": int, "operation": str}
_KINDS = {str: "text", int: "whole number"}


def _with_digest(prompt: Prompt, digest: str) -> Prompt:
    return replace(prompt, digest=digest)


def _constraints(dialog: Dialog, answer: Turn) -> Iterator[dict[str, Any]]:
    """The constraints in force; relevance, which stands behind them, is none."""
    entries = answer.eval_config.metrics
    for place, entry in enumerate(entries):
        group, params = entry.args.get("group_name"), entry.args.get("params")
        if entry.class_name != CHECK or not isinstance(group, str) or not isinstance(params, dict):
            raise _error(dialog, answer, f"metric entry {place + 1} is no {CHECK} with group_name and params")
        if group == RELEVANCE and not params and place == len(entries) - 1:
            continue
        try:
            parse_constraint({"group": group, "params": params}, stored=True)
        except UsageError as fault:
            raise ArgumentError(f"dialogue {dialog.dialog_id}, turn {answer.turn_id}: {fault}") from None
        yield {"group": group, "params": params}


def _reacting(prompt: Prompt, told: _Feedback) -> Prompt:
    """The prompt of a run with feedback, which depends on the answers before."""
    remark = "none" if told.remark is None else told.remark.kind
    payload = {**prompt.payload, "feedback": told.model_dump()}
    return replace(prompt, payload=payload, labels={**prompt.labels, "remark": remark}, fixed=False)


def _judgement(dialog: Dialog, answer: Turn, records: Sequence[Mapping[str, Any]], prompt: Prompt) -> Judgement | None:
    """What was found of an answer; None where no record says what was expected of it."""
    entries = answer.eval_config.metrics
    if not records or all("expected" not in _details(dialog, answer, record) for record in records):
        return None if entries else Judgement(())
    names = [metric_name(entry.class_name, entry.args) for entry in entries]
    for name, record in zip_longest(names, records):
        if record is None or record.get("metric_name") != name:
            raise _error(dialog, answer, "its records are not those of its metric entries, in their order")
    verdicts = [
        _verdict(dialog, answer, str(entry.args["group_name"]), record)
        for entry, record in zip(entries, records, strict=True)
    ]
    judgement = Judgement(tuple(verdicts))
    if verdicts[-1].group == RELEVANCE:
        judgement = with_relevance(Judgement(tuple(verdicts[:-1])), verdicts[-1], counts=True)
    return with_reaction(judgement, prompt, requirements_of(prompt).constraints)


def _verdict(dialog: Dialog, answer: Turn, group: str, record: Mapping[str, Any]) -> Verdict:
    score, details = record.get("score"), _details(dialog, answer, record)
    if score is not None and (type(score) not in (int, float) or score not in (0, 1)):
        raise _error(dialog, answer, f"the score of {group} is neither 1.0 nor 0.0 nor null")
    texts = [details.get(name, "") for name in ("expected", "found")]
    if not all(isinstance(text, str) for text in texts):
        raise _error(dialog, answer, f"what was expected of {group}, or found, is no text")
    spans = details.get("spans", [])
    if not isinstance(spans, list) or not all(map(_is_span, spans)):
        raise _error(dialog, answer, f"the spans of {group} are no list of [start, end, view]")
    satisfied = None if score is None else bool(score)
    return Verdict(group, satisfied, texts[0], texts[1], tuple(Span(*span) for span in spans))


def _is_span(span: object) -> bool:
    if not isinstance(span, list) or len(span) != 3 or span[2] not in ("content", "body"):
        return False
    start, end = span[:2]
    return type(start) is int and type(end) is int and 0 <= start <= end < 2**31


def _details(dialog: Dialog, answer: Turn, record: Mapping[str, Any]) -> Mapping[str, Any]:
    details = record.get("details", {})
    if not isinstance(details, Mapping):
        raise _error(dialog, answer, "the details of a record are no object")
    return details
