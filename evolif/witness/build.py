"""Build a witness and verify it: a text that proves that an instruction can be satisfied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from evolif.constraints import Active, check_reading, edge_keywords, find_conflict, format_of, get_group, rule_checked
from evolif.text import Reading
from evolif.types import Constraint
from evolif.witness.fit import fit, set_case
from evolif.witness.layout import lay_out
from evolif.witness.render import render
from evolif.witness.requirements import Refusal, RefusedError, Requirements, read_requirements
from evolif.witness.vocabulary import Vocabulary, vocabulary


def build_witness(constraints: Iterable[Constraint], keywords: tuple[str, ...]) -> str | Refusal:
    """A text that satisfies every rule-checked constraint, verified by the checkers, or why there is none.

    Args:
        constraints: The instruction; subjective constraints are ignored.
        keywords: The topic's keywords; fillers avoid their words.
    """
    objective = rule_checked(constraints)
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


def _build(active: Active, keywords: tuple[str, ...]) -> str | Refusal:
    try:
        requirements = read_requirements(active)
        words = vocabulary(tuple(dict.fromkeys((*keywords, *given_words(active)))), requirements.language)
        try:
            return write(requirements, words, tight=False)
        except RefusedError:
            return write(requirements, words, tight=True)
    except RefusedError as error:
        refusal = error.refusal
        return replace(refusal, groups=tuple(group for group in refusal.groups if group in active))


def given_words(active: Active) -> Iterator[str]:
    """The words in constraints; in foreign benchmarks they may not be among the topic's keywords."""
    yield from active.get("existence", {}).get("counts", ())
    yield from active.get("forbidden", {}).get("keywords", ())
    yield from edge_keywords(active).values()
    if "value" in active.get("placement", {}):
        yield active["placement"]["value"]
    yield from active.get("format", {}).get("keys", ())
    yield from active.get("format", {}).get("columns", ())


def write(requirements: Requirements, words: Vocabulary, *, tight: bool) -> str:
    """A text that should satisfy the requirements, not yet verified.

    Args:
        requirements: What the text must satisfy.
        words: The fillers.
        tight: Make sentences as few and as short as possible.

    Raises:
        RefusedError: there is no room.
    """
    draft = lay_out(requirements, words, tight=tight)
    fit(draft, requirements, words)
    set_case(draft, requirements.case)
    return render(draft, requirements)
