"""Witnesses for foreign instructions, including those that the compatibility table excludes.

If no readable text satisfies all constraints, the last attempt is a word salad of keywords and signs. It shows only
that an instruction is awkward rather than impossible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from itertools import product
from typing import Literal

from evolif.scenarios.instructions.constraints import Active, check_reading, edge_keywords, format_of, rule_checked
from evolif.scenarios.instructions.constraints.base import existence_counts
from evolif.scenarios.instructions.constraints.exclusions import has_everyday_kinds
from evolif.scenarios.instructions.turns import Constraint, Params
from evolif.scenarios.instructions.witness.build import build_everyday, given_words, write
from evolif.scenarios.instructions.witness.casing import set_case
from evolif.scenarios.instructions.witness.layout import Draft, DraftBlock, Piece, Sentence, csv_cell
from evolif.scenarios.instructions.witness.overlaps import Arrangement, arrangements
from evolif.scenarios.instructions.witness.requirements import Refusal, RefusedError, Requirements, read_requirements
from evolif.scenarios.instructions.witness.vocabulary import vocabulary
from evolif.text import Reading, count_graphemes, count_words

Density = Literal["normal", "tight", "salad"]

MAX_KEYWORDS = 400
"""An instruction with more required keywords is refused, since every pair is compared."""

# Other spellings of a mark that the comparison of keywords treats as the same.
_OTHER_SPELLING = {"'": "’", "’": "'", "-": "\u2010"}
_UNCOUNTED = {"sentences": frozenset({"json", "csv"}), "paragraphs": frozenset({"json", "csv", "xml"})}
_FILLER = "o"
_EXTRA_LETTERS = (0, 3, 7, 17, 33, 100)
"""Numbers of letters to add in case the rest has too few for the share of upper case."""


@dataclass(frozen=True, slots=True)
class Built:
    """A text that passes every rule checker, and how readable it is."""

    text: str
    density: Density


def build_fallback(constraints: Iterable[Constraint], keywords: tuple[str, ...]) -> Built | Refusal:
    """A verified text for constraints that the table may exclude, as readable as possible.

    Args:
        constraints: The instruction; subjective constraints are ignored.
        keywords: The topic's keywords, if any; fillers avoid their words.
    """
    objective = rule_checked(constraints)
    active = {c.group: c.params for c in objective}
    fmt = format_of(objective)
    if len(existence_counts(active.get("existence"))) > MAX_KEYWORDS:
        return Refusal("cramped", "too-many-keywords", ("existence",))
    if has_everyday_kinds(active):
        text = build_everyday(objective, keywords)
        return text if isinstance(text, Refusal) else Built(text, "normal")
    refusal = Refusal("cramped", "no-text-found", tuple(active))
    for built in _candidates(active, (*keywords, *given_words(active))):
        verdicts = check_reading(objective, Reading(built.text, fmt))
        failed = tuple(v.group for v in verdicts if not v.satisfied)
        if not failed:
            return built
        refusal = Refusal("cramped", "unverified", failed)
    return refusal


def _candidates(active: Active, taken: tuple[str, ...]) -> Iterator[Built]:
    """Texts to verify, the most readable ones first."""
    words = vocabulary(taken)
    arranged = [(arrangement, _arranged(active, arrangement)) for arrangement in _arrangements(active)]
    readable = [requirements for arrangement, requirements in arranged if not arrangement.alone]
    with suppress(RefusedError):
        readable.insert(0, _without_uncounted(read_requirements(active)))
    densities: tuple[Density, ...] = ("normal", "tight")
    for density, requirements in product(densities, readable):
        with suppress(RefusedError, StopIteration):
            yield Built(write(requirements, words, tight=density == "tight"), density)
    for arrangement, requirements in arranged:
        yield from (Built(text, "salad") for text in _word_salads(requirements, arrangement))


def _without_uncounted(requirements: Requirements) -> Requirements:
    """Without limits on units that the format does not have: they are met automatically, or never."""
    if requirements.fmt in _UNCOUNTED["paragraphs"]:
        requirements = replace(requirements, items=0)
    if requirements.fmt in _UNCOUNTED.get(requirements.unit, ()):
        return replace(requirements, unit="", low=0, high=None)
    return requirements


def _arranged(active: Active, arrangement: Arrangement) -> Requirements:
    """The requirements with the keywords as arranged."""
    others = {group: params for group, params in active.items() if group != "existence"}
    requirements = _without_uncounted(read_requirements(others))
    requirements.placements = list(arrangement.inner)
    if arrangement.start is not None:
        requirements.start = {"mode": "keyword", "value": arrangement.start}
    if arrangement.end is not None:
        requirements.end = {"mode": "keyword", "value": arrangement.end}
    return requirements


def _arrangements(active: Active) -> list[Arrangement]:
    edges = edge_keywords(active)
    counts = existence_counts(active.get("existence"))
    forbidden = active.get("forbidden", {}).get("keywords", ())
    found = arrangements(counts, edges.get("start_with"), edges.get("end_with"), forbidden)
    punctuation = active.get("punctuation", {})
    excluded = punctuation.get("mark", "") if punctuation.get("mode") == "exclude" else ""
    other = _OTHER_SPELLING.get(excluded)
    return found if other is None else [_rewritten(a, excluded, other) for a in found]


def _rewritten(arrangement: Arrangement, mark: str, other: str) -> Arrangement:
    start, end = (t.replace(mark, other) if t else t for t in (arrangement.start, arrangement.end))
    return replace(arrangement, start=start, end=end, inner=tuple(t.replace(mark, other) for t in arrangement.inner))


@dataclass(slots=True)
class _Pieces:
    head: list[Piece]
    inner: list[Piece]
    tail: list[Piece]

    def all(self) -> list[Piece]:
        return [*self.head, *self.inner, *self.tail]


def _word_salads(requirements: Requirements, arrangement: Arrangement) -> Iterator[str]:
    """All keywords and signs and little else, side by side or joined by slashes."""
    extras = _EXTRA_LETTERS if requirements.case and requirements.case["mode"] == "share" else (0,)
    for glue, extra in product((" ", "/"), extras):
        with suppress(RefusedError):
            yield _write_salad(requirements, _pieces(requirements, arrangement, extra, glue), glue)


def _pieces(requirements: Requirements, arrangement: Arrangement, extra: int, glue: str) -> _Pieces:
    if arrangement.alone:
        return _Pieces([Piece(arrangement.start or "", "keyword")], [], [])
    inner = [Piece(text, "keyword") for text in arrangement.inner]
    inner += [Piece(requirements.include, "sign")] if requirements.include else []
    if glue == "/" and inner:
        inner = [Piece("/".join(map(str, inner)), "keyword")]  # `kyoto/kyoto` is one word with two occurrences
    inner += [Piece(_FILLER * extra)] if extra else []
    pieces = _Pieces(
        _edge(requirements.start, arrangement.start, requirements),
        inner,
        _edge(requirements.end, arrangement.end, requirements),
    )
    if all(piece.role == "sign" for piece in pieces.all()):
        pieces.inner.append(Piece(_FILLER))
    return pieces


def _edge(params: Params | None, keyword: str | None, requirements: Requirements) -> list[Piece]:
    if params is None:
        return []
    if params["mode"] == "quotation":
        return [Piece(_FILLER, before=params["left"], after=params["right"])]
    if params["mode"] == "keyword":
        return [Piece(keyword or params["value"], "keyword")]
    if params["mode"] == "letter":
        return [Piece(params["value"], pinned=True)]
    words = [Piece(_FILLER)] if requirements.unit == "sentences" else []  # an emoji alone is no sentence
    emoji = Piece(params["value"], "sign")
    return [emoji, *words] if params is requirements.start else [*words, emoji]


def _write_salad(requirements: Requirements, pieces: _Pieces, glue: str) -> str:
    for _ in range(2 if requirements.unit == "words" else 0):
        # The first filler separates what was joined, so the missing words are counted again.
        missing = requirements.low - count_words("\n".join(_slots(pieces, requirements, glue)))
        if missing > 0:
            glue = " "
            missing = requirements.low - count_words("\n".join(_slots(pieces, requirements, glue)))
            pieces.inner += [Piece(_FILLER) for _ in range(missing)]
    if requirements.unit == "characters":
        _fill_characters(requirements, pieces, glue)
    return _compose(_slots(pieces, requirements, glue), requirements)


def _fill_characters(requirements: Requirements, pieces: _Pieces, glue: str) -> None:
    def missing() -> int:
        return requirements.low - count_graphemes(_compose(_slots(pieces, requirements, glue), requirements))

    if missing() > 1:
        filler = Piece(_FILLER)
        pieces.inner.append(filler)
        filler.text = _FILLER * (1 + max(0, missing()))
    elif missing() == 1:
        pieces.all()[0].after += "," if requirements.exclude != "," else ";"


def _slots(pieces: _Pieces, requirements: Requirements, glue: str) -> list[str]:
    """The texts of sentences, items or paragraphs, in the required case.

    Slots that need no word hold a lone mark, which is no sentence and which the edges skip. If possible, two slots hold
    words, so that there is one for a quotation at either edge.
    """
    filled = max(1, requirements.low) if requirements.unit == "sentences" else 1
    total = max(filled, requirements.items, requirements.low if requirements.unit == "paragraphs" else 1)
    if requirements.unit == "sentences" and total > filled and (requirements.high is None or requirements.high > 1):
        filled = max(2, filled)
    short = filled - sum(piece.role != "sign" for piece in pieces.all())
    middle = [*pieces.inner, *(Piece(_FILLER) for _ in range(short))]
    copies = [replace(piece) for piece in _Pieces(pieces.head, middle, pieces.tail).all()]
    if requirements.unit != "sentences":
        filled = min(2, len(copies), total)
    if requirements.case is not None:
        set_case(Draft([DraftBlock(False, [Sentence(copies)])]), requirements.case)
    first, rest = _cut(copies, filled, glue)
    blanks = ["!" if requirements.exclude != "!" else "?"] * (total - 1 - len(rest))
    return [*blanks, first] if not rest and pieces.tail else [first, *blanks, *rest]


def _cut(pieces: list[Piece], count: int, glue: str) -> tuple[str, list[str]]:
    """The first of `count` slots, with all surplus pieces, and the others; a sign stays with a word beside it."""
    texts: list[str] = []
    for piece in pieces:
        if texts and (
            piece.role == "sign" or (len(texts) == 1 and pieces[0].role == "sign" and texts[0] == str(pieces[0]))
        ):
            texts[-1] += f"{glue}{piece}"
        else:
            texts.append(str(piece))
    at = max(1, len(texts) - count + 1)
    return glue.join(texts[:at]), texts[at:]


def _compose(slots: list[str], requirements: Requirements) -> str:
    stop = "!" if requirements.exclude == "." else "."
    joined = " ".join([f"{s}{stop}" for s in slots[:-1]] + slots[-1:] if requirements.unit == "sentences" else slots)
    if requirements.fmt == "json":
        return json.dumps([joined], ensure_ascii=False)
    if requirements.fmt == "csv":
        return f"{csv_cell(joined)},\n,"
    if requirements.fmt == "xml":
        return f"<a>{escape(joined, quote=False)}</a>"
    outside = slots[: len(slots) - requirements.items] if requirements.items else []
    if requirements.fmt == "html":
        return _html(slots, outside, joined, requirements)
    return _markdown(slots, outside, joined, requirements)


def _html(slots: list[str], outside: list[str], joined: str, requirements: Requirements) -> str:
    texts = slots if requirements.items or requirements.unit == "paragraphs" else [joined]
    paragraphs = "".join(f"<p>{escape(s, quote=False)}" for s in (outside if requirements.items else texts))
    items = "".join(f"<li>{escape(s, quote=False)}" for s in texts[len(outside) :])
    return f"{paragraphs}<ul>{items}</ul>" if requirements.items else f"{paragraphs}</p>"


def _markdown(slots: list[str], outside: list[str], joined: str, requirements: Requirements) -> str:
    if requirements.items:
        return "\n".join([*(f"{text}\n" for text in outside), *(f"- {text}" for text in slots[len(outside) :])])
    text = "\n\n".join(slots) if requirements.unit == "paragraphs" else joined
    if requirements.unit == "sentences" and requirements.high == 0:
        return f"# {text}"
    return f"> {text}" if requirements.fmt == "markdown" else text
