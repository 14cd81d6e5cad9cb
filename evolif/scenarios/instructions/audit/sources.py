"""Read audit input: one of our benchmarks or dialogue files, a file of the paper's authors, or a folder.

The authors have released two kinds of files, which are read as hostile input. A state trajectory (`snapshots_*.jsonl`)
and a synthesised dialogue (`dialog_*.jsonl`) hold one turn per line: `{"turn", "active_topic", "instructions": [{"id",
"args", "description"}], …}`; other keys are ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError, UsageError
from evolif.scenarios.instructions import InstructionBenchmark
from evolif.scenarios.instructions.constraints import parse_constraints
from evolif.scenarios.instructions.queries import check_query
from evolif.scenarios.instructions.turn_lines import read_turns
from evolif.scenarios.instructions.turns import Constraint, Finding, Move
from evolif.util.resources import complaint, read_json_lines
from evolif.util.suggestions import near_path

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_QUOTED = re.compile(r"[“\"][^“”\"]*[”\"]")
_OPENING = 3
"""Number of words that form the opening of a query."""


@dataclass(frozen=True, slots=True)
class QueryToAudit:
    """A query with the findings of the checkers and the decision of a person."""

    text: str
    source: str
    attempts: int
    status: str
    findings: tuple[Finding, ...]
    accepted: bool = False
    """A person has looked at the stored findings and accepted the query."""

    @property
    def is_finding(self) -> bool:
        """Whether a person should look at it."""
        return bool(self.findings) and not self.accepted


@dataclass(frozen=True, slots=True)
class TurnToAudit:
    """A turn from any source: its instruction and the other data of its line."""

    file: str
    """Relative to the audited path."""
    dialogue: int | str
    turn: int
    topic: str
    move: Move
    operation: str
    """`add`, `modify`, `remove`, `replace_all`, `carry`, or `several` kinds; in foreign files `other` if several
    constraints changed, or none."""
    constraints: tuple[Constraint, ...]
    descriptions: tuple[str, ...]
    """As stored, one per constraint; empty if there is none."""
    keywords: tuple[str, ...] = ()
    witness: str | None = None
    unmapped: str = ""
    """Why a constraint of a foreign line cannot be mapped to ours."""
    query: QueryToAudit | None = None
    """None if the line has no query, or several constraints changed, or none."""


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
    """One lazy reader per file."""
    if not path.exists():
        raise UsageError(f"{path} does not exist{near_path(path)}; use a benchmark's folder or a .jsonl file")
    if path.is_dir() and (path / "benchmark.json").exists():
        benchmark = InstructionBenchmark(path)
        files = [(number, path / "dialogues" / f"{number:04d}.jsonl") for number in benchmark.dialogues()]
        return [partial(_read_own, file, f"dialogues/{file.name}", number) for number, file in files]
    files_in = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files_in:
        raise UsageError(f"{path} contains neither a benchmark.json nor a .jsonl file; choose another folder")
    return [partial(_read_file, file, file.name) for file in files_in]


def _read_file(path: Path, name: str) -> Iterator[TurnToAudit]:
    first = next(iter(read_json_lines(path)), None)
    if first is None:
        raise InputError("contains no turns", path=path)
    own = isinstance(first[1], dict) and "constraints" in first[1] and "instructions" not in first[1]
    return _read_own(path, name, None) if own else read_foreign(path, name)


def _read_own(path: Path, name: str, dialogue: int | None) -> Iterator[TurnToAudit]:
    descriptions = (_descriptions(data) for _, data in read_json_lines(path))
    # Call `read_turns` first: it validates each line before its descriptions are read.
    for turn, texts in zip(read_turns(path, dialogue), descriptions, strict=True):
        accepted = turn.status in ("verified", "edited") and bool(turn.findings)
        findings = tuple(check_query(turn, turn.query))
        yield TurnToAudit(
            file=name,
            dialogue=turn.dialogue,
            turn=turn.turn,
            topic=turn.topic.id,
            move=turn.move,
            operation=turn.kind,
            constraints=turn.constraints,
            descriptions=texts,
            keywords=turn.topic.keywords,
            witness=turn.witness,
            query=QueryToAudit(turn.query, turn.source, turn.attempts, turn.status, findings, accepted),
        )


def _descriptions(data: Any) -> tuple[str, ...]:
    found = (constraint.get("description") for constraint in data["constraints"])
    return tuple(text if isinstance(text, str) else "" for text in found)


_Args = Mapping[str, Any]
_State = tuple[tuple[str, Any], ...]
"""The constraints of a foreign line: pairs of name and arguments."""


class _SourceModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class ForeignEntry(_SourceModel):
    """One constraint of a line."""

    id: Annotated[str, Field(max_length=200)]
    args: dict[str, Any] | list[Any]
    description: str | None = None


class ForeignLine(_SourceModel):
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
    # Its name says *at least* but its description *approximately*, so our share is the closest match.
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
    """A foreign constraint as one of ours: `{"group": …, "params": {…}}`, not yet validated.

    Raises:
        UsageError: there is no equivalent.
    """
    known = _MAPPED.get(name)
    if known is None:
        raise UsageError(f"“{name}” is not a known constraint")
    group, convert = known
    try:
        return {"group": group, "params": convert(args)}
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"the arguments of “{name}” have an unexpected form") from None


def read_foreign(path: Path, name: str) -> Iterator[TurnToAudit]:
    """The turns of one of the authors' files, in order.

    Args:
        path: The file.
        name: The file's name in reports.

    Raises:
        InputError: a line is not a valid turn or is out of order; names the line and the remedy.
    """
    history: dict[str, _State] = {}
    prompts: dict[str, str] = {}
    """The description of each topic: the given one, or its first query."""
    before, last_topic = 0, None
    for number, data in read_json_lines(path):
        line = _line(data, path, number)
        if line.turn <= before:
            message = f"turn {line.turn} comes after turn {before}; put the lines in order"
            raise InputError(message, path=path, line=number)
        topic = str(line.active_topic)
        move: Move = "continue" if topic == last_topic else "backtrack" if topic in history else "new"
        state, previous = tuple((entry.id, entry.args) for entry in line.instructions), history.get(topic, ())
        constraints, unmapped = _constraints(line.instructions)
        words = line.user_query_verified or line.user_query or ""
        prompts.setdefault(topic, line.topic_query or words)
        yield TurnToAudit(
            file=name,
            dialogue=path.stem,
            turn=line.turn,
            topic=topic,
            move=move,
            operation=_operation(previous, state),
            constraints=constraints,
            descriptions=tuple(entry.description or "" for entry in line.instructions),
            unmapped=unmapped,
            query=_query({"id": topic, "prompt": prompts[topic]}, move, previous, state, words),
        )
        history[topic], before, last_topic = state, line.turn, topic


def _query(topic: _Args, move: Move, before: _State, after: _State, words: str) -> QueryToAudit | None:
    """The query of a line, checked against its turn's single change; None without a query or a single change."""
    kind = _operation(before, after)
    if not words or kind == "other":
        return None
    old, new = dict(before), dict(after)
    name = next(name for name in {**old, **new} if old.get(name) != new.get(name))
    try:
        mapped = [map_constraint(name, state[name]) if name in state else None for state in (old, new)]
    except UsageError:
        return None
    group = next(m["group"] for m in mapped if m is not None)
    old_params, new_params = (m and m["params"] for m in mapped)
    change = {"kind": kind, "group": group, "before": old_params, "after": new_params}
    turn = {"topic": topic, "move": move, "operation": change}
    return QueryToAudit(words, "foreign", 1, "verified", tuple(check_query(turn, words)))


def _line(data: object, path: Path, number: int) -> ForeignLine:
    try:
        return ForeignLine.model_validate(data)
    except ValidationError as fault:
        raise InputError(
            f'{complaint(fault, "line")}; a line is {{"turn", "active_topic", "instructions": [{{"id", "args"}}], …}}, '
            "or a line of an evolif benchmark",
            path=path,
            line=number,
        ) from None


def _constraints(entries: list[ForeignEntry]) -> tuple[tuple[Constraint, ...], str]:
    """The constraints in order, or why one of them cannot be mapped."""
    try:
        found = parse_constraints([map_constraint(entry.id, entry.args) for entry in entries], stored=True)
        if len({c.group for c in found}) < len(found):
            raise UsageError("a group is active twice")
    except UsageError as fault:
        return (), str(fault)
    return found, ""


def _operation(before: _State, after: _State) -> str:
    old, new = dict(before), dict(after)
    changes = [("add", new.keys() - old.keys()), ("remove", old.keys() - new.keys())]
    changes.append(("modify", {name for name in old.keys() & new.keys() if old[name] != new[name]}))
    if sum(len(names) for _, names in changes) != 1:
        return "other"
    return next(kind for kind, names in changes if names)


def query_statistics(queries: Sequence[QueryToAudit]) -> dict[str, Any]:
    """How many queries fail the checkers or were corrected, and how varied they are (paper, App. C)."""
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
        "wording": _wording([q.text for q in queries]),
    }


def _wording(queries: Sequence[str]) -> dict[str, float | int | None]:
    """How varied queries are; quoted text is masked first, so that different values do not count as different words.

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
