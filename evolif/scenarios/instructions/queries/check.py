"""`check_query` and `read_claims`: what a query asks for, and whether that is exactly what this turn changes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evolif.errors import EvolifError
from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.constraints.definitions import without_rules
from evolif.scenarios.instructions.queries.change import NO_CHANGE, Claim, Polarity, QueryChange, intention
from evolif.scenarios.instructions.queries.claims import QueryReading, read, reader_of
from evolif.scenarios.instructions.queries.mentions import mentions_of
from evolif.scenarios.instructions.queries.reading import LONGEST_QUERY, Query
from evolif.scenarios.instructions.queries.together import check_changes, lifts_of_all
from evolif.scenarios.instructions.queries.topic import check_topic
from evolif.scenarios.instructions.turns import Finding, Move, ScriptTurn, Topic, Turn

MOST_VALUES = 100
"""Quotations, and numbers, that are read; nobody asks for more, and time stays bounded."""
MOST_MARKS = 400
"""Quotation marks and brackets that are read, and signs of any other kind."""
_QUOTES = re.compile(r"[\"'“”‘’`«»()\[\]{}]")
_QUOTATION = '"“”«»`()[]{}'
_SIGNS = re.compile(r"[^\w\s\"'“”‘’`«»()\[\]{}]")
_NUMBERS = re.compile(r"\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)
_RUN = 5
"""Words in a row that are taken for a quotation of the task."""
_TASK_WORD = re.compile(r"(?!(?:why|how|whether)\b)\b[^\W_]+", re.IGNORECASE)
"""A word of the task, but for those at which a clause of its own starts."""
_LEAST = 3
"""Words that a constraint takes at least."""


def check_query(turn: Turn | ScriptTurn | Mapping[str, Any], query: str, remark: str = "") -> list[Finding]:
    """Check a query by rules: does it state its turn's change completely, and on new and backtrack turns the topic?

    Every value of the change is looked for, with what the query says of it: wanted now, wanted before, given up. Rules
    cannot know whether free text adds something else, they read English only, and a phrasing that they have never heard
    may be refused: `docs/queries.md` has the rates.

    Args:
        turn: A turn, or the object of one line of a benchmark.
        query: What the user says.
        remark: What the query says first about the answer before, as its prompt tells it; it counts as no change.

    Returns:
        Findings, with spans in `query`; empty where the query says exactly this turn's change.

    Raises:
        UsageError: `turn` is no turn.
    """
    if remark:
        return _behind_remark(turn, query, remark)
    meant = intention(turn)
    query = _without_rules(query, meant.changes)
    if not query.strip():
        return [Finding("query", "it is empty", kind="missing")]
    if len(query) > LONGEST_QUERY:
        return [Finding("query", f"it is longer than {LONGEST_QUERY} characters")]
    text = Query(query)
    if _only_announces(query):
        return [Finding("query", "it says what its writer is going to do, and asks for nothing", kind="missing")]
    if _holds_too_much(text):
        return [Finding("query", "it holds more quotations, marks or numbers than can be read")]
    spoken = _spoken(text, meant.topic, meant.move)
    findings = check_changes(spoken, meant)
    return [*findings, *check_topic(text, meant.topic, meant.move, _value_spans(text, meant.changes))]


def _behind_remark(turn: Turn | ScriptTurn | Mapping[str, Any], query: str, remark: str) -> list[Finding]:
    """Findings on a query that begins with a remark: those on the rest, at their places in the whole."""
    if not query.startswith(remark) or query[len(remark) : len(remark) + 1].strip():
        intention(turn)
        return [Finding("query", f"it does not begin with the remark “{remark}”", kind="missing")]
    rest = query[len(remark) :].lstrip()
    start = len(query) - len(rest)
    return [
        replace(found, spans=tuple((first + start, last + start) for first, last in found.spans))
        for found in check_query(turn, rest)
    ]


def read_claims(query: str, turn: Turn | ScriptTurn | Mapping[str, Any] | None = None) -> tuple[Claim, ...]:
    """What a query asks for, of every group, in order: to be shown beside the change of its turn.

    Args:
        query: What the user says.
        turn: Its turn: tells keywords from other words, the task from demands, and what an ellipsis (`make it ten`)
            refers to. Without it only what could stand alone is heard.

    Returns:
        Claims with spans in `query`; empty where it cannot be read. A change that is stated by ellipsis spans it all.

    Raises:
        UsageError: `turn` is no turn.
    """
    text = Query(query)
    if len(query) > LONGEST_QUERY or _holds_too_much(text):
        return ()
    if turn is None:
        return read(text, NO_CHANGE).claims
    meant = intention(turn)
    spoken = _spoken(Query(_without_rules(query, meant.changes)), meant.topic, meant.move)
    claims = list(lifts_of_all(spoken, lenient=True)[:1]) if meant.lifts_all else []
    for change in meant.said:
        reading = read(spoken, change)
        claims += [claim for claim in reading.claims if claim not in claims]
        is_told = any(claim.group == change.group for claim in claims)
        if query.strip() and not is_told and not _stated(spoken, change, reading):
            claims.append(Claim(change.group, _polarity(change), change.params, (0, len(query))))
    return tuple(sorted(claims, key=lambda claim: claim.span))


def _without_rules(query: str, changes: Sequence[QueryChange]) -> str:
    """The query without what it says of counting, where the groups are known here."""
    for change in changes:
        try:
            query = without_rules(query, get_group(change.group))
        except EvolifError:  # a group of a foreign file
            continue
    return query


def _spoken(read: Query, topic: Topic, move: Move) -> Query:
    return read if move == "continue" else _task_masked(read, topic)


def _stated(query: Query, change: QueryChange, reading: QueryReading) -> list[Finding]:
    """Findings on the change itself: what is missing, wrong or reversed."""
    return reader_of(change.group).compare(query, change, reading.own)


def _polarity(change: QueryChange) -> Polarity:
    if change.kind == "remove":
        return "lift"
    ruled_out = change.group in ("forbidden", "digits") or change.params.get("mode") == "exclude"
    return "forbid" if ruled_out else "require"


_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_ANNOUNCED = re.compile(
    r"(?:so |and |then |now )?"
    r"(?:(?:i'm|i am) (?:now )?(?:going to|about to)|(?:i'll|i will) (?:put|use|write|add|make))\b"
)


def _only_announces(query: str) -> bool:
    """Every sentence says what its writer is about to do: `I'm going to put the emoji at the end`."""
    sentences = [s.strip().lower().replace("’", "'") for s in _SENTENCES.split(query) if s.strip()]
    return bool(sentences) and all(_ANNOUNCED.match(sentence) and ", so " not in sentence for sentence in sentences)


def _holds_too_much(query: Query) -> bool:
    quotes, signs, numbers = (sum(1 for _ in p.finditer(query.text)) for p in (_QUOTES, _SIGNS, _NUMBERS))
    return max(len(query.quotations), numbers) > MOST_VALUES or max(quotes, signs) > MOST_MARKS


def _task_masked(query: Query, topic: Topic) -> Query:
    """The query without the words of the task, whose numbers and formats are not constraints."""
    tasks = [[w.casefold() for w in re.findall(r"\w+", prompt)] for prompt in topic.prompts]
    runs = {tuple(task[i : i + _RUN]) for task in tasks for i in range(len(task) - _RUN + 1)}
    words = list(re.finditer(r"\w+", query.low))
    spans = [
        (words[i].start(), words[i + _RUN - 1].end())
        for i in range(len(words) - _RUN + 1)
        if tuple(w.group() for w in words[i : i + _RUN]) in runs
    ]
    spans += [span for name in {topic.title, topic.short} if name for span in query.find(name)]
    masked = {i for i, word in enumerate(words) if any(start <= word.start() < end for start, end in spans)}
    chars = list(query.text)
    for prompt in filter(None, topic.prompts):
        at = query.text.find(prompt)
        if at >= 0:  # a passage in quotation marks must not pair with what the query quotes behind it
            whole = range(at, at + len(prompt))
            chars[at : at + len(prompt)] = ["x" if query.text[i] in _QUOTATION else query.text[i] for i in whole]
    text = "".join(chars)
    for start, end in spans:
        chars[start:end] = _TASK_WORD.sub(lambda m: "x" * len(m.group()), text[start:end])
    # A foreign topic may be nothing but the whole first query, constraint and all: there is no task to tell apart.
    return query if len(words) - len(masked) < _LEAST else Query("".join(chars))


def _value_spans(query: Query, changes: Sequence[QueryChange]) -> list[tuple[int, int]]:
    """Where the constraint's own keywords stand: naming them does not name the topic."""
    words: list[str] = []
    for params in (params for change in changes for params in (change.before, change.after)):
        for key in ("counts", "keywords", "value"):
            held = (params or {}).get(key)
            words += [held] if isinstance(held, str) else list(held or ())
    mentions = mentions_of(query, words)
    quoted = {m.value for m in mentions if query.is_quoted(m.start)}
    return [(m.start, m.end) for m in mentions if m.value not in quoted or query.is_quoted(m.start)]
