"""Verdicts and other values as the store's columns hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from evolif.domain import Constraint, Span, Verdict

_MOST_SPANS = 64
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def storable(text: str) -> str:
    """SQLite takes no lone surrogates, which a hostile answer may hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def dump_constraints(constraints: Iterable[Constraint]) -> str:
    """An instruction, as in a benchmark's line but without descriptions."""
    return _ENCODER.encode([{"group": c.group, "params": dict(c.params)} for c in constraints])


def load_constraints(text: str) -> tuple[Constraint, ...]:
    """The instruction that `dump_constraints` wrote."""
    return tuple(Constraint(told["group"], told["params"]) for told in json.loads(text))


def dump_verdicts(verdicts: Sequence[Verdict]) -> str:
    """Verdicts with what was expected and found."""
    if not verdicts:
        return "[]"
    return _ENCODER.encode(
        [
            {
                "group": v.group,
                "satisfied": v.satisfied,
                "expected": v.expected,
                "found": v.found,
                "spans": [[s.start, s.end, s.view] for s in v.spans[:_MOST_SPANS]],
            }
            for v in verdicts
        ]
    )


def load_verdicts(text: str | None) -> tuple[Verdict, ...]:
    """The verdicts that `dump_verdicts` wrote; none where the turn is not judged yet."""
    if text is None:
        return ()
    return tuple(
        Verdict(v["group"], v["satisfied"], v["expected"], v["found"], tuple(Span(*span) for span in v["spans"]))
        for v in json.loads(text)
    )


class BareVerdicts:
    """Reads verdicts for the figures alone: groups and outcomes, each combination held once in memory."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[str, bool | None], ...], tuple[Verdict, ...]] = {}

    def __call__(self, text: str) -> tuple[Verdict, ...]:
        """The verdicts without their texts."""
        key = tuple((v["group"], v["satisfied"]) for v in json.loads(text))
        if key not in self._known:
            self._known[key] = tuple(Verdict(group, satisfied, "", "") for group, satisfied in key)
        return self._known[key]
