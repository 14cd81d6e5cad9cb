"""Queries: which do not say their turn's intention, who mended them, how varied the wording is (paper, App. C)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evolif.domain import Finding, Turn
from evolif.synthesis import check_query

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
