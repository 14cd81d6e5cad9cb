"""Build past the compatibility table: what `audit` asks of instructions that others have made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from evolif.constraints import check_reading, format_of, get_group
from evolif.domain import Constraint, Params
from evolif.text import Reading
from evolif.witness._build import _own_words, _write
from evolif.witness._merges import Arrangement, arrangements
from evolif.witness._needs import Needs, Refusal, RefusedError, needs_of
from evolif.witness._soup import soups
from evolif.witness._vocabulary import vocabulary

Density = Literal["normal", "tight", "soup"]

MAX_KEYWORDS = 400
"""Required keywords beyond these are not looked at: every pair is compared."""

# Other writings of a mark that a keyword comparison makes plain.
_OTHER_WRITING = {"'": "’", "’": "'", "-": "\u2010"}
_UNCOUNTED = {"sentences": frozenset({"json", "csv"}), "paragraphs": frozenset({"json", "csv", "xml"})}


@dataclass(frozen=True, slots=True)
class Built:
    """A text that every rule checker has passed, and how much room it leaves for sense."""

    text: str
    density: Density


def build_past_table(constraints: Iterable[Constraint], keywords: tuple[str, ...]) -> Built | Refusal:
    """A verified text for constraints that the table may exclude; denser ones only where nothing else will do.

    Args:
        constraints: The instruction; subjective constraints are left to the judge.
        keywords: The topic's keywords, where it has some: fillers hold none of their words.
    """
    objective = [c for c in constraints if not get_group(c.group).subjective]
    active = {c.group: c.params for c in objective}
    fmt = format_of(objective)
    if "existence" in active and len(active["existence"]["counts"]) > MAX_KEYWORDS:
        return Refusal("cramped", "too-many-keywords", ("existence",))
    refusal = Refusal("cramped", "no-text-found", tuple(active))
    for built in _candidates(active, (*keywords, *_own_words(active))):
        verdicts = check_reading(objective, Reading(built.text, fmt))
        failed = tuple(v.group for v in verdicts if not v.satisfied)
        if not failed:
            return built
        refusal = Refusal("cramped", "unverified", failed)
    return refusal


def _candidates(active: Mapping[str, Params], taken: tuple[str, ...]) -> Iterator[Built]:
    words = vocabulary(taken)
    ways = [(arrangement, _needs(active, arrangement)) for arrangement in _arrangements(active)]
    plain = _plain_needs(active)
    for density in ("normal", "tight"):
        for needs in [*filter(None, [plain]), *(needs for arrangement, needs in ways if not arrangement.alone)]:
            try:
                yield Built(_write(needs, words, tight=density == "tight"), density)
            except (RefusedError, StopIteration):
                continue
    for arrangement, needs in ways:
        yield from (Built(text, "soup") for text in soups(needs, arrangement))


def _plain_needs(active: Mapping[str, Params]) -> Needs | None:
    try:
        return _without_uncounted(needs_of(active))
    except RefusedError:
        return None


def _without_uncounted(needs: Needs) -> Needs:
    """A limit on what the format has none of is met by itself, or not at all; the builder need not mind it."""
    if needs.fmt in _UNCOUNTED["paragraphs"]:
        needs = replace(needs, items=0)
    if needs.fmt in _UNCOUNTED.get(needs.unit, ()):
        return replace(needs, unit="", low=0, high=None)
    return needs


def _needs(active: Mapping[str, Params], arrangement: Arrangement) -> Needs:
    needs = _without_uncounted(needs_of({g: p for g, p in active.items() if g != "existence"}))
    needs.placements = list(arrangement.inner)
    if arrangement.start is not None:
        needs.start = {"mode": "keyword", "value": arrangement.start}
    if arrangement.end is not None:
        needs.end = {"mode": "keyword", "value": arrangement.end}
    return needs


def _arrangements(active: Mapping[str, Params]) -> list[Arrangement]:
    edges = [active.get(g, {}) for g in ("start_with", "end_with")]
    start, end = (e["value"] if e.get("mode") == "keyword" else None for e in edges)
    counts = active["existence"]["counts"] if "existence" in active else {}
    found = arrangements(counts, start, end, active.get("forbidden", {}).get("keywords", ()))
    punctuation = active.get("punctuation", {})
    excluded = punctuation.get("mark", "") if punctuation.get("mode") == "exclude" else ""
    other = _OTHER_WRITING.get(excluded)
    return found if other is None else [_rewritten(a, excluded, other) for a in found]


def _rewritten(arrangement: Arrangement, mark: str, other: str) -> Arrangement:
    start, end = (t.replace(mark, other) if t else t for t in (arrangement.start, arrangement.end))
    return replace(arrangement, start=start, end=end, inner=tuple(t.replace(mark, other) for t in arrangement.inner))
