"""Build a witness and verify it: a text that proves that an instruction can be satisfied.

A draft is laid out, brought to the required size, then to the required case, rendered and checked. Words are counted;
characters are measured by rendering the draft once. Case comes last, since it changes no length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evolif.scenarios.instructions.constraints import (
    Active,
    check_reading,
    edge_keywords,
    find_conflict,
    format_of,
    get_group,
    rule_checked,
)
from evolif.scenarios.instructions.constraints.base import existence_counts
from evolif.scenarios.instructions.constraints.exclusions import has_everyday_kinds
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.witness.casing import set_case
from evolif.scenarios.instructions.witness.everyday import everyday_texts
from evolif.scenarios.instructions.witness.layout import Draft, Piece, Sentence, lay_out, render
from evolif.scenarios.instructions.witness.requirements import Refusal, RefusedError, Requirements, read_requirements
from evolif.scenarios.instructions.witness.vocabulary import Vocabulary, vocabulary
from evolif.text import Reading, count_graphemes

_STEP = 8  # a filler of seven letters and its space
_LARGEST = 16_000
"""A number in a foreign instruction above which nothing is built; an answer above 64 KiB is not read."""
_LAST = 12  # the most that one filler of 4 to 11 letters takes, with its space


def fit(draft: Draft, requirements: Requirements, words: Vocabulary) -> None:
    """Add words or characters until the lower limit is met.

    Raises:
        RefusedError: the draft is already larger than allowed, or cannot grow.
    """
    if requirements.unit == "words":
        _fit_words(draft, requirements, words)
    elif requirements.unit == "characters":
        _fit_characters(draft, requirements, words)


def _fit_words(draft: Draft, requirements: Requirements, words: Vocabulary) -> None:
    count = draft.words()
    if requirements.high is not None and count > requirements.high:
        raise RefusedError("too-many-words", "length")
    missing = requirements.low - count
    if not draft.longest:
        _spread(missing, draft, words.run)
        return
    homes = draft.homes("length")
    for _ in range(missing):
        next(homes).insert(draft.filler(words))


def _spread(number: int, draft: Draft, run: Callable[[int, int], str | None]) -> None:
    """Distribute that many words evenly over the sentences that may grow, as one piece per sentence."""
    homes = draft.roomy()
    for index, home in enumerate(homes):
        share = number // len(homes) + (index < number % len(homes))
        if share > 0:
            text = run(draft.fillers + 1, share)
            if text is None:
                raise RefusedError("no-filler-of-length", "length")
            draft.fillers += share
            home.insert(Piece(text, words=share))


def _fit_characters(draft: Draft, requirements: Requirements, words: Vocabulary) -> None:
    missing = requirements.low - count_graphemes(render(draft, requirements))
    if requirements.high is not None and requirements.low - missing > requirements.high:
        raise RefusedError("too-many-characters", "length")
    homes = draft.homes("length")
    if missing > _LAST and not draft.longest:
        steps = -(-(missing - _LAST) // _STEP)
        _spread(steps, draft, lambda number, count: words.of_length(_STEP - 1, number, count))
        missing -= steps * _STEP
    while missing > _LAST:
        missing -= _grow(next(homes), _STEP - 1, draft, words)
    if missing <= 0:
        return
    if missing >= 5:
        _grow(next(homes), missing - 1, draft, words)
    elif requirements.low != requirements.high:
        _grow(next(homes), 4, draft, words)
    else:
        _stretch(draft, missing, words)


def _grow(sentence: Sentence, letters: int, draft: Draft, words: Vocabulary) -> int:
    """Insert a filler with that many letters; returns the number of added characters."""
    draft.fillers += 1
    word = words.of_length(letters, draft.fillers)
    if word is None:
        raise RefusedError("no-filler-of-length", "length")
    sentence.insert(Piece(word))
    return letters + 1


def _stretch(draft: Draft, letters: int, words: Vocabulary) -> None:
    """Replace one filler with another that is longer by 1 to 4 letters."""
    for piece in draft.pieces():
        if piece.role == "filler" and not piece.pinned:
            longer = words.of_length(len(piece.text) + letters, draft.fillers)
            if longer is not None:
                piece.text = longer
                return
    raise RefusedError("no-filler-of-length", "length")


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
    if has_everyday_kinds(active):
        return build_everyday(objective, keywords)
    text = _build(active, keywords)
    return text if isinstance(text, Refusal) else _verified(objective, text)


def _verified(objective: Sequence[Constraint], text: str) -> str | Refusal:
    """The text with what other groups make of it, if it passes every checker."""
    fmt = format_of(objective)
    for constraint in objective:
        text = get_group(constraint.group).fulfil(text, constraint.params, fmt)
    verdicts = check_reading(objective, Reading(text, fmt))
    failed = tuple(v.group for v in verdicts if not v.satisfied)
    return Refusal("cramped", "unverified", failed) if failed else text


def has_large(values: Iterable[Any]) -> bool:
    """Whether a number is too large to build a text from, also in a mapping such as that of keywords."""
    return any(
        has_large(value.values()) if isinstance(value, Mapping) else isinstance(value, int) and value > _LARGEST
        for value in values
    )


def build_everyday(objective: Sequence[Constraint], keywords: tuple[str, ...]) -> str | Refusal:
    """The same for instructions with everyday constraints, whatever the compatibility table says."""
    active = {c.group: c.params for c in objective}
    refusal = Refusal("cramped", "no-text-found", tuple(active))
    if any(has_large(params.values()) for params in active.values()):
        return refusal
    for number, text in enumerate(everyday_texts(active, tuple(dict.fromkeys((*keywords, *given_words(active)))))):
        if isinstance(text, str):
            built = _verified(objective, text)
            if isinstance(built, str):
                return built
            refusal = built
        elif not number or refusal.code != "unverified":
            refusal = replace(text.refusal, groups=tuple(g for g in text.refusal.groups if g in active))
    return refusal


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
    yield from existence_counts(active.get("existence"))
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
