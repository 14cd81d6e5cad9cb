"""Build a witness and have it verified: a text that proves that an instruction can be followed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from evolif.constraints import check_reading, find_conflict, format_of, get_group
from evolif.text import Reading
from evolif.types import Constraint, Params
from evolif.witness.fit import fit, set_case
from evolif.witness.layout import lay_out
from evolif.witness.render import render
from evolif.witness.requirements import Refusal, RefusedError, Requirements, needs_of
from evolif.witness.vocabulary import Vocabulary, vocabulary


def build_witness(constraints: Iterable[Constraint], keywords: tuple[str, ...]) -> str | Refusal:
    """A text that satisfies every rule-checked constraint, verified by the checkers, or why there is none.

    Args:
        constraints: The instruction; subjective constraints are left to the judge.
        keywords: The topic's keywords: fillers hold none of their words.
    """
    objective = [c for c in constraints if not get_group(c.group).subjective]
    active = {c.group: c.params for c in objective}
    conflict = find_conflict(active)
    if conflict is not None:
        return Refusal("awkward", conflict.code, conflict.groups)
    text = _build(active, keywords)
    if isinstance(text, Refusal):
        return text
    fmt = format_of(objective)
    for constraint in objective:
        text = get_group(constraint.group).fulfil(text, constraint.params, fmt)
    verdicts = check_reading(objective, Reading(text, fmt))
    failed = tuple(v.group for v in verdicts if not v.satisfied)
    return Refusal("cramped", "unverified", failed) if failed else text


def _build(active: Mapping[str, Params], keywords: tuple[str, ...]) -> str | Refusal:
    try:
        needs = needs_of(active)
        words = vocabulary(tuple(dict.fromkeys((*keywords, *_own_words(active)))), needs.more.language)
        try:
            return _write(needs, words, tight=False)
        except RefusedError:
            return _write(needs, words, tight=True)
    except RefusedError as refused:
        named = refused.refusal
        return replace(named, groups=tuple(group for group in named.groups if group in active))


def _own_words(active: Mapping[str, Params]) -> Iterable[str]:
    """Words of constraints that may not be among the topic's keywords (foreign benchmarks)."""
    yield from active.get("existence", {}).get("counts", ())
    yield from active.get("forbidden", {}).get("keywords", ())
    for edge in ("start_with", "end_with"):
        if active.get(edge, {}).get("mode") == "keyword":
            yield active[edge]["value"]
    if "value" in active.get("placement", {}):
        yield active["placement"]["value"]
    yield from active.get("format", {}).get("keys", ())
    yield from active.get("format", {}).get("columns", ())


def _write(needs: Requirements, words: Vocabulary, *, tight: bool) -> str:
    draft = lay_out(needs, words, tight=tight)
    fit(draft, needs, words)
    set_case(draft, needs.case)
    return render(draft, needs)
