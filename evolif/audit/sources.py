"""What can be audited: a benchmark of our own, one of the authors' files, or a folder of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.constraints import parse_constraints
from evolif.errors import InputError, UsageError
from evolif.instructions import load_benchmark, read_turns
from evolif.queries import check_query
from evolif.resources import complaint, read_json_lines
from evolif.types import Constraint, Finding, Move, Topic, Turn

# Queries: which do not say their turn's intention, who mended them, how varied the wording is (paper, App. C).

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_QUOTED = re.compile(r"[“\"][^“”\"]*[”\"]")
_OPENING = 3
"""Words that make the opening of a query."""


@dataclass(frozen=True, slots=True)
class QueryToAudit:
    """A query with what the checkers and people say of it."""

    text: str
    source: str
    attempts: int
    status: str
    findings: tuple[Finding, ...]
    accepted: bool = False
    """Somebody has looked at stored findings and let the query stand."""

    @property
    def is_finding(self) -> bool:
        """Whether somebody should look at it."""
        return bool(self.findings) and not self.accepted


def audited_query(turn: Turn) -> QueryToAudit:
    """The query of a turn of our own."""
    findings = tuple(check_query(turn, turn.query))
    accepted = turn.status in ("verified", "edited") and bool(turn.findings)
    return QueryToAudit(turn.query, turn.source, turn.attempts, turn.status, findings, accepted)


def query_statistics(queries: Sequence[QueryToAudit]) -> dict[str, Any]:
    """Shares that failed the checkers, what was done about them, and diversity; None where there are no queries."""
    total = len(queries)
    topic = sum(any(f.checker == "topic" for f in q.findings) for q in queries)
    constraint = sum(any(f.checker != "topic" for f in q.findings) for q in queries)
    return {
        "checked": total,
        "failing_constraint": constraint,
        "failing_topic": topic,
        "share_failing_constraint": constraint / total if total else None,
        "share_failing_topic": topic / total if total else None,
        "status": dict(Counter(q.status for q in queries)),
        "sources": dict(Counter(q.source for q in queries)),
        "repaired": sum(q.attempts > 1 and q.status != "flagged" for q in queries),
        "adjusted": sum(q.status == "edited" for q in queries),
        "wording": wording([q.text for q in queries]),
    }


def wording(queries: Sequence[str]) -> dict[str, float | int | None]:
    """How varied queries are: what is quoted is masked first, so that other values do not make other words.

    Returns:
        `distinct`: different queries; `distinct_2` and `distinct_4`: different runs of 2 and 4 words, as a share of all
        such runs; `openings`: different first three words, as a share of the queries; `words`: mean length.
    """
    read = [_WORD.findall(_QUOTED.sub(" x ", query).lower()) for query in queries]
    return {
        "distinct": len({" ".join(words) for words in read}),
        "distinct_2": _share(_runs(read, 2)),
        "distinct_4": _share(_runs(read, 4)),
        "openings": _share(tuple(words[:_OPENING]) for words in read),
        "words": sum(map(len, read)) / len(read) if read else None,
    }


def _runs(read: Iterable[Sequence[str]], length: int) -> Iterable[tuple[str, ...]]:
    return (tuple(words[i : i + length]) for words in read for i in range(len(words) - length + 1))


def _share(found: Iterable[tuple[str, ...]]) -> float | None:
    seen = Counter(found)
    return len(seen) / seen.total() if seen else None


# A turn as audits see it, whatever file it comes from.


@dataclass(frozen=True, slots=True)
class TurnToAudit:
    """What a turn asks for, and what its line says about it."""

    file: str
    """Relative to what is audited."""
    dialogue: int | str
    turn: int
    topic: str
    move: Move
    operation: str
    """`add`, `modify`, `remove`, or `other` where more than one thing changed."""
    constraints: tuple[Constraint, ...]
    descriptions: tuple[str, ...]
    """As stored, one per constraint; empty where there is none."""
    keywords: tuple[str, ...] = ()
    witness: str | None = None
    unmapped: str = ""
    """Why a constraint of a foreign line is none of ours."""
    query: QueryToAudit | None = None
    """None where the line holds no words, or more than one thing changed."""


# The two kinds of files that the paper's authors have released, read as hostile input.
#
# A state trajectory (`snapshots_*.jsonl`) and a synthesised dialogue (`dialog_*.jsonl`) hold one turn a line:
# `{"turn", "active_topic", "instructions": [{"id", "args", "description"}], …}`; other keys are not looked at.

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


def read_source(path: Path, progress: Callable[[int, int], None] | None = None) -> Iterator[TurnToAudit]:
    """The turns of everything at `path`, file by file.

    Raises:
        UsageError: there is nothing to audit.
        InputError: a file or a line that cannot be read.
    """
    readers = _readers(path)
    for done, read in enumerate(readers, 1):
        yield from read()
        if progress is not None:
            progress(done, len(readers))


def _readers(path: Path) -> list[Callable[[], Iterator[TurnToAudit]]]:
    if not path.exists():
        raise UsageError(f"{path} does not exist; name a benchmark's folder or a .jsonl file")
    if path.is_dir() and (path / "benchmark.json").exists():
        benchmark = load_benchmark(path)
        files = [(number, path / "dialogues" / f"{number:04d}.jsonl") for number in benchmark.dialogues()]
        return [_bind(_own, file, f"dialogues/{file.name}", number) for number, file in files]
    files_in = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files_in:
        raise UsageError(f"{path} holds neither a benchmark.json nor a .jsonl file; name another folder")
    return [_bind(_one_file, file, file.name) for file in files_in]


def _bind(read: Callable[..., Iterator[TurnToAudit]], *arguments: Any) -> Callable[[], Iterator[TurnToAudit]]:
    return lambda: read(*arguments)


def _one_file(path: Path, name: str) -> Iterator[TurnToAudit]:
    first = next(iter(read_json_lines(path)), None)
    if first is None:
        raise InputError("holds no turn", path=path)
    own = isinstance(first[1], dict) and "constraints" in first[1] and "instructions" not in first[1]
    return _own(path, name, None) if own else read_foreign(path, name)


def _own(path: Path, name: str, dialogue: int | None) -> Iterator[TurnToAudit]:
    stored = (_descriptions(data) for _, data in read_json_lines(path))
    # The lines were read as objects with constraints by the time their descriptions are asked for.
    for turn, descriptions in zip(read_turns(path, dialogue), stored, strict=True):
        yield _to_audit(turn, name, descriptions)


def _to_audit(turn: Turn, name: str, descriptions: tuple[str, ...]) -> TurnToAudit:
    return TurnToAudit(
        file=name,
        dialogue=turn.dialogue,
        turn=turn.turn,
        topic=turn.topic.id,
        move=turn.move,
        operation=turn.operation.kind,
        constraints=turn.constraints,
        descriptions=descriptions,
        keywords=turn.topic.keywords,
        witness=turn.witness,
        query=audited_query(turn),
    )


def _descriptions(data: Any) -> tuple[str, ...]:
    found = (constraint.get("description") for constraint in data["constraints"])
    return tuple(text if isinstance(text, str) else "" for text in found)
