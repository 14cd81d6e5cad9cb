"""The two kinds of files that the paper's authors have released, read as hostile input.

A state trajectory (`snapshots_*.jsonl`) and a synthesised dialogue (`dialog_*.jsonl`) hold one turn a line:
`{"turn", "active_topic", "instructions": [{"id", "args", "description"}], …}`; other keys are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif._errors import InputError, UsageError
from evolif._json_lines import complaint, read_json_lines
from evolif.audit._queries import QueryToAudit
from evolif.audit._turns import TurnToAudit
from evolif.constraints import parse_constraints
from evolif.domain import Constraint, Move, Topic
from evolif.synthesis import check_query

_Args = Mapping[str, Any]


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class ForeignEntry(_Model):
    """One instruction of a line."""

    id: Annotated[str, Field(max_length=200)]
    args: dict[str, Any] | list[Any]
    description: str | None = None


class ForeignLine(_Model):
    """One turn of either kind of file."""

    turn: Annotated[int, Field(ge=1)]
    active_topic: int | str
    instructions: list[ForeignEntry]
    user_query: str | None = None
    user_query_verified: str | None = None
    topic_query: str | None = None


def _length(args: _Args) -> dict[str, Any]:
    units = {"word": "words", "sentence": "sentences", "paragraph": "paragraphs", "characters": "characters"}
    return {"unit": units[args["mode"]], "relation": args["relation"], "count": args["number"]}


def _case(args: _Args) -> dict[str, Any]:
    # No exact equal: its name says *at least*, its own description *approximately*; taken as what people were told.
    return {"mode": "share", "percent": args["min"]} if args["mode"] == "min_upper" else dict(args)


def _punctuation(args: _Args) -> dict[str, Any]:
    modes = {"must_include": "include", "must_not_include": "exclude"}
    return {"mode": modes[args["mode"]], "mark": args["value"]}


_MAPPED: Mapping[str, tuple[str, Callable[[Any], dict[str, Any]]]] = {
    "startwith": ("start_with", dict),
    "endwith": ("end_with", dict),
    "countableItems": ("bullets", lambda args: {"count": args["num"]}),
    "format": ("format", dict),
    "length": ("length", _length),
    "existence": ("existence", lambda args: {"counts": dict(args)}),
    "forbidden": ("forbidden", lambda args: {"keywords": list(args) if isinstance(args, list) else args["keywords"]}),
    "case": ("case", _case),
    "punctuation": ("punctuation", _punctuation),
    "emotion": ("emotion", dict),
    "reader_age": ("audience", lambda args: {"audience": args["reader_age"]}),
    "style": ("style", dict),
}


def map_constraint(name: str, args: object) -> dict[str, Any]:
    """A constraint in our own words: `{"group": …, "params": {…}}`, not yet validated.

    Raises:
        UsageError: one that has no equal here.
    """
    known = _MAPPED.get(name)
    if known is None:
        raise UsageError(f"“{name}” is no constraint that is known here")
    group, convert = known
    try:
        return {"group": group, "params": convert(args)}
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"the arguments of “{name}” are of another form") from None


def read_foreign(path: Path, name: str) -> Iterator[TurnToAudit]:
    """The turns of one of the authors' files, in order.

    Args:
        path: The file.
        name: What reports call it.

    Raises:
        InputError: a line that is no turn of theirs, or out of order; names the line and the mend.
    """
    history: dict[str, tuple[tuple[str, Any], ...]] = {}
    prompts: dict[str, str] = {}
    """What a topic is: given, or its first query."""
    before, last_topic = 0, None
    for number, data in read_json_lines(path):
        line = _line(data, path, number)
        if line.turn <= before:
            raise InputError(
                f"turn {line.turn} comes after turn {before}; put the lines in order", path=path, line=number
            )
        topic = str(line.active_topic)
        move: Move = "continue" if topic == last_topic else "backtrack" if topic in history else "new"
        state = tuple((entry.id, entry.args) for entry in line.instructions)
        constraints, unmapped = _constraints(line.instructions)
        words = line.user_query_verified or line.user_query or ""
        prompts.setdefault(topic, line.topic_query or words)
        yield TurnToAudit(
            file=name,
            dialogue=path.stem,
            turn=line.turn,
            topic=topic,
            move=move,
            operation=operation(history.get(topic, ()), state),
            constraints=constraints,
            descriptions=tuple(entry.description or "" for entry in line.instructions),
            unmapped=unmapped,
            query=_query(Topic(topic, prompts[topic], ()), move, history.get(topic, ()), state, words),
        )
        history[topic], before, last_topic = state, line.turn, topic


def _query(
    topic: Topic, move: Move, before: tuple[tuple[str, Any], ...], after: tuple[tuple[str, Any], ...], words: str
) -> QueryToAudit | None:
    """The query of a line, checked against the one change of its turn; None where there is none, or more than one."""
    kind = operation(before, after)
    if not words or kind == "other":
        return None
    old, new = dict(before), dict(after)
    name = next(name for name in {**old, **new} if old.get(name) != new.get(name))
    try:
        mapped = [map_constraint(name, state[name]) if name in state else None for state in (old, new)]
    except UsageError:
        return None
    group = next(m["group"] for m in mapped if m is not None)
    change = {
        "kind": kind,
        "group": group,
        "before": mapped[0] and mapped[0]["params"],
        "after": mapped[1] and mapped[1]["params"],
    }
    turn = {"topic": {"id": topic.id, "prompt": topic.prompt}, "move": move, "operation": change}
    return QueryToAudit(words, "foreign", 1, "verified", tuple(check_query(turn, words)))


def _line(data: object, path: Path, number: int) -> ForeignLine:
    try:
        return ForeignLine.model_validate(data)
    except ValidationError as fault:
        raise InputError(
            f'{complaint(fault, "line")}; a line is {{"turn", "active_topic", "instructions": [{{"id", "args"}}], …}}, '
            "or one of a benchmark of our own",
            path=path,
            line=number,
        ) from None


def _constraints(entries: list[ForeignEntry]) -> tuple[tuple[Constraint, ...], str]:
    """The constraints in order, or why one of them could not be mapped."""
    try:
        found = parse_constraints([map_constraint(entry.id, entry.args) for entry in entries])
        if len({c.group for c in found}) < len(found):
            raise UsageError("a group is active twice")
    except UsageError as fault:
        return (), str(fault)
    return found, ""


def operation(before: tuple[tuple[str, Any], ...], after: tuple[tuple[str, Any], ...]) -> str:
    """What changed between two states of one topic."""
    old, new = dict(before), dict(after)
    changes = [("add", new.keys() - old.keys()), ("remove", old.keys() - new.keys())]
    changes.append(("modify", {name for name in old.keys() & new.keys() if old[name] != new[name]}))
    if sum(len(names) for _, names in changes) != 1:
        return "other"
    return next(kind for kind, names in changes if names)
