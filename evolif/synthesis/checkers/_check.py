"""`check_query`: does a query state exactly this turn's change, and which topic is meant?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif._errors import UsageError
from evolif._json_lines import complaint
from evolif.domain import Finding, ScriptTurn, Topic, Turn
from evolif.synthesis.checkers._case import read_case
from evolif.synthesis.checkers._choice import read_choice
from evolif.synthesis.checkers._claims import Change
from evolif.synthesis.checkers._counted import read_bullets, read_emphasis, read_headings
from evolif.synthesis.checkers._edges import read_edge
from evolif.synthesis.checkers._format import read_format
from evolif.synthesis.checkers._generic import read_generic
from evolif.synthesis.checkers._keywords import mentions_of, read_existence, read_forbidden
from evolif.synthesis.checkers._length import read_length
from evolif.synthesis.checkers._marks import read_digits, read_punctuation
from evolif.synthesis.checkers._others import unasked
from evolif.synthesis.checkers._places import read_placement, read_sentences
from evolif.synthesis.checkers._shadow import LONGEST_QUERY, Query
from evolif.synthesis.checkers._topic import check_topic

Reader = Callable[[Query, Change], list[Finding]]

_READERS: Mapping[str, Reader] = {
    "start_with": read_edge,
    "end_with": read_edge,
    "format": read_format,
    "bullets": read_bullets,
    "length": read_length,
    "existence": read_existence,
    "forbidden": read_forbidden,
    "case": read_case,
    "punctuation": read_punctuation,
    "emotion": lambda query, change: read_choice(query, change, "emotion"),
    "audience": lambda query, change: read_choice(query, change, "audience"),
    "style": lambda query, change: read_choice(query, change, "style"),
    "language": lambda query, change: read_choice(query, change, "code"),
    "placement": read_placement,
    "sentences": read_sentences,
    "headings": read_headings,
    "emphasis": read_emphasis,
    "digits": read_digits,
}


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Topic(_Model):
    id: str | int = ""
    prompt: str = ""
    keywords: tuple[str, ...] = ()
    title: str = ""


class _Operation(_Model):
    kind: Literal["add", "modify", "remove"]
    group: Annotated[str, Field(min_length=1)]
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


class _Constraint(_Model):
    group: str
    params: dict[str, Any]


class _Line(_Model):
    topic: _Topic = _Topic()
    move: Literal["new", "continue", "backtrack"]
    operation: _Operation
    constraints: tuple[_Constraint, ...] = ()


def check_query(turn: Turn | ScriptTurn | Mapping[str, Any], query: str) -> list[Finding]:
    """Check a query by rules: does it state the change of its turn completely, and on new and backtrack turns the topic?

    What rules cannot know is whether free text adds something else (see `docs/synthesis.md`).

    Args:
        turn: A turn, or the object of one line of a benchmark.
        query: What the user says.

    Returns:
        Findings; empty where the query says exactly this turn's change.

    Raises:
        UsageError: `turn` is no turn.
    """
    topic, move, change = _intention(turn)
    if not query.strip():
        return [Finding("query", "it is empty")]
    if len(query) > LONGEST_QUERY:
        return [Finding("query", f"it is longer than {LONGEST_QUERY} characters")]
    read = Query(query)
    if (
        len(read.quotations) > MOST_VALUES
        or sum(c in _QUOTES for c in query) > 4 * MOST_VALUES
        or _DIGITS.subn("", query)[1] > MOST_VALUES
    ):
        return [Finding("query", "it holds more quotations or numbers than can be read")]
    spoken = _task_masked(read, topic) if move != "continue" else read
    findings = _READERS.get(change.group, read_generic)(spoken, change)
    if not findings and change.others:
        findings = unasked(spoken, change)
    return [*findings, *check_topic(read, topic, move, _value_spans(read, change))]


def _intention(
    turn: Turn | ScriptTurn | Mapping[str, Any],
) -> tuple[Topic, Literal["new", "continue", "backtrack"], Change]:
    if isinstance(turn, Mapping):
        try:
            line = _Line.model_validate(dict(turn))
        except ValidationError as fault:
            raise UsageError(f"{complaint(fault, 'turn')}; give the object of one line of a benchmark") from None
        topic = Topic(str(line.topic.id), line.topic.prompt, line.topic.keywords, title=line.topic.title)
        operation: Any = line.operation
        constraints = [(c.group, c.params) for c in line.constraints]
        move = line.move
    else:
        topic, operation, move = turn.topic, turn.operation, turn.move
        constraints = [(c.group, dict(c.params)) for c in turn.constraints]
    kind, before, after = operation.kind, operation.before, operation.after
    if (kind == "remove" and before is None) or (kind != "remove" and after is None):
        raise UsageError("operation: an add or a modification needs “after”, a removal “before”")
    others = tuple((group, params) for group, params in constraints if group != operation.group)
    return topic, move, Change(kind, operation.group, before, after, topic.keywords, others)


MOST_VALUES = 100
"""Quotations, and numbers, that are read; nobody asks for more, and time stays bounded."""
_QUOTES = frozenset("\"'“”‘’`«»()[]{}")
_DIGITS = re.compile(r"\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)
_RUN = 5
"""Words in a row that are taken for a quotation of the task."""
_LEAST = 3
"""Words that a constraint takes at least."""


def _task_masked(query: Query, topic: Topic) -> Query:
    """The query without the words of the task, whose numbers and formats are not constraints."""
    task = [w.casefold() for w in re.findall(r"\w+", topic.prompt)]
    runs = {tuple(task[i : i + _RUN]) for i in range(len(task) - _RUN + 1)}
    words = list(re.finditer(r"\w+", query.low))
    chars = list(query.text)
    masked: set[int] = set()
    for i in range(len(words) - _RUN + 1):
        if tuple(w.group() for w in words[i : i + _RUN]) in runs:
            masked.update(range(i, i + _RUN))
            start, end = words[i].start(), words[i + _RUN - 1].end()
            chars[start:end] = ["x" if c.isalnum() else c for c in query.text[start:end]]
    # A foreign topic may be nothing but the whole first query, constraint and all: there is no task to tell apart.
    return query if len(words) - len(masked) < _LEAST else Query("".join(chars))


def _value_spans(query: Query, change: Change) -> list[tuple[int, int]]:
    """Where the constraint's own keywords stand: naming them does not name the topic."""
    words: list[str] = []
    for params in (change.before, change.after):
        for key in ("counts", "keywords", "value"):
            held = (params or {}).get(key)
            words += [held] if isinstance(held, str) else list(held or ())
    mentions = mentions_of(query, words)
    quoted = {m.value for m in mentions if _in_quotes(query, m.start)}
    return [(m.start, m.end) for m in mentions if m.value not in quoted or _in_quotes(query, m.start)]


def _in_quotes(query: Query, at: int) -> bool:
    return any(q.start <= at < q.end for q in query.quotations)
