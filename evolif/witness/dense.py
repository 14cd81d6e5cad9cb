"""Build past the compatibility table: what `audit` asks of instructions that others have made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from itertools import product
from typing import Literal

from evolif.constraints import check_reading, format_of, get_group
from evolif.text import Reading, count_graphemes, count_words
from evolif.types import Constraint, Params
from evolif.witness.build import _own_words, _write
from evolif.witness.fit import set_case
from evolif.witness.layout import Draft, DraftBlock, Piece, Sentence
from evolif.witness.overlaps import Arrangement, arrangements
from evolif.witness.render import _cell
from evolif.witness.requirements import Refusal, RefusedError, Requirements, needs_of
from evolif.witness.vocabulary import vocabulary

# The last density: a text with no room for sense, only to tell *awkward* from *impossible*.

_FILLER = "o"
_EXTRA_LETTERS = (0, 3, 7, 17, 33, 100)
"""Letters added where the share of upper case needs more of them than the rest has."""


@dataclass(slots=True)
class _Pieces:
    head: list[Piece]
    inner: list[Piece]
    tail: list[Piece]

    def all(self) -> list[Piece]:
        return [*self.head, *self.inner, *self.tail]


def word_salads(needs: Requirements, arrangement: Arrangement) -> Iterator[str]:
    """Candidates, unverified: words side by side, or run together by slashes; all keywords and signs, little else."""
    extras = _EXTRA_LETTERS if needs.case and needs.case["mode"] == "share" else (0,)
    for glue, extra in product((" ", "/"), extras):
        try:
            yield _write_salad(needs, _pieces(needs, arrangement, extra, glue), glue)
        except RefusedError:
            continue


def _pieces(needs: Requirements, arrangement: Arrangement, extra: int, glue: str) -> _Pieces:
    if arrangement.alone:
        return _Pieces([Piece(arrangement.start or "", "keyword")], [], [])
    inner = [Piece(text, "keyword") for text in arrangement.inner]
    inner += [Piece(needs.include, "sign")] if needs.include else []
    if glue == "/" and inner:
        inner = [Piece("/".join(map(str, inner)), "keyword")]  # `kyoto/kyoto` is one word with two occurrences
    inner += [Piece(_FILLER * extra)] if extra else []
    pieces = _Pieces(_edge(needs.start, arrangement.start, needs), inner, _edge(needs.end, arrangement.end, needs))
    if all(piece.role == "sign" for piece in pieces.all()):
        pieces.inner.append(Piece(_FILLER))
    return pieces


def _edge(params: Params | None, keyword: str | None, needs: Requirements) -> list[Piece]:
    if params is None:
        return []
    if params["mode"] == "quotation":
        return [Piece(_FILLER, before=params["left"], after=params["right"])]
    if params["mode"] == "keyword":
        return [Piece(keyword or params["value"], "keyword")]
    if params["mode"] == "letter":
        return [Piece(params["value"], pinned=True)]
    words = [Piece(_FILLER)] if needs.unit == "sentences" else []  # an emoji alone is no sentence
    emoji = Piece(params["value"], "sign")
    return [emoji, *words] if params is needs.start else [*words, emoji]


def _write_salad(needs: Requirements, pieces: _Pieces, glue: str) -> str:
    for _ in range(2 if needs.unit == "words" else 0):
        # The first filler parts what was run together, so what is missing is counted again.
        missing = needs.low - count_words("\n".join(_slots(pieces, needs, glue)))
        if missing > 0:
            glue = " "
            missing = needs.low - count_words("\n".join(_slots(pieces, needs, glue)))
            pieces.inner += [Piece(_FILLER) for _ in range(missing)]
    if needs.unit == "characters":
        _fill_characters(needs, pieces, glue)
    return _compose(_slots(pieces, needs, glue), needs)


def _fill_characters(needs: Requirements, pieces: _Pieces, glue: str) -> None:
    def missing() -> int:
        return needs.low - count_graphemes(_compose(_slots(pieces, needs, glue), needs))

    if missing() > 1:
        filler = Piece(_FILLER)
        pieces.inner.append(filler)
        filler.text = _FILLER * (1 + max(0, missing()))
    elif missing() == 1:
        pieces.all()[0].after += "," if needs.exclude != "," else ";"


def _slots(pieces: _Pieces, needs: Requirements, glue: str) -> list[str]:
    """The texts of sentences, items or paragraphs, in the case asked for.

    Slots that need no word hold a lone mark: it is no sentence, and the edges skip it. Two hold words where they may,
    so that a quotation at either edge has the slot there.
    """
    told = max(1, needs.low) if needs.unit == "sentences" else 1
    wanted = max(told, needs.items, needs.low if needs.unit == "paragraphs" else 1)
    if needs.unit == "sentences" and wanted > told and (needs.high is None or needs.high > 1):
        told = max(2, told)
    short = told - sum(piece.role != "sign" for piece in pieces.all())
    middle = [*pieces.inner, *(Piece(_FILLER) for _ in range(short))]
    copies = [replace(piece) for piece in _Pieces(pieces.head, middle, pieces.tail).all()]
    if needs.unit != "sentences":
        told = min(2, len(copies), wanted)
    if needs.case is not None:
        set_case(Draft([DraftBlock(False, [Sentence(copies)])]), needs.case)
    first, rest = _cut(copies, told, glue)
    blanks = ["!" if needs.exclude != "!" else "?"] * (wanted - 1 - len(rest))
    return [*blanks, first] if not rest and pieces.tail else [first, *blanks, *rest]


def _cut(pieces: list[Piece], told: int, glue: str) -> tuple[str, list[str]]:
    """The first slot, which takes what is left over, and the others; a sign stays with the word beside it."""
    texts: list[str] = []
    for piece in pieces:
        if texts and (
            piece.role == "sign" or (len(texts) == 1 and pieces[0].role == "sign" and texts[0] == str(pieces[0]))
        ):
            texts[-1] += f"{glue}{piece}"
        else:
            texts.append(str(piece))
    at = max(1, len(texts) - told + 1)
    return glue.join(texts[:at]), texts[at:]


def _compose(slots: list[str], needs: Requirements) -> str:
    stop = "!" if needs.exclude == "." else "."
    joined = " ".join([f"{s}{stop}" for s in slots[:-1]] + slots[-1:] if needs.unit == "sentences" else slots)
    if needs.fmt == "json":
        return json.dumps([joined], ensure_ascii=False)
    if needs.fmt == "csv":
        return f"{_cell(joined)},\n,"
    if needs.fmt == "xml":
        return f"<a>{escape(joined, quote=False)}</a>"
    outside = slots[: len(slots) - needs.items] if needs.items else []
    if needs.fmt == "html":
        return _html(slots, outside, joined, needs)
    return _markdown(slots, outside, joined, needs)


def _html(slots: list[str], outside: list[str], joined: str, needs: Requirements) -> str:
    texts = slots if needs.items or needs.unit == "paragraphs" else [joined]
    paragraphs = "".join(f"<p>{escape(s, quote=False)}" for s in (outside if needs.items else texts))
    items = "".join(f"<li>{escape(s, quote=False)}" for s in texts[len(outside) :])
    return f"{paragraphs}<ul>{items}</ul>" if needs.items else f"{paragraphs}</p>"


def _markdown(slots: list[str], outside: list[str], joined: str, needs: Requirements) -> str:
    if needs.items:
        return "\n".join([*(f"{text}\n" for text in outside), *(f"- {text}" for text in slots[len(outside) :])])
    text = "\n\n".join(slots) if needs.unit == "paragraphs" else joined
    if needs.unit == "sentences" and needs.high == 0:
        return f"# {text}"
    return f"> {text}" if needs.fmt == "markdown" else text


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


def build_fallback(constraints: Iterable[Constraint], keywords: tuple[str, ...]) -> Built | Refusal:
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
        yield from (Built(text, "soup") for text in word_salads(needs, arrangement))


def _plain_needs(active: Mapping[str, Params]) -> Requirements | None:
    try:
        return _without_uncounted(needs_of(active))
    except RefusedError:
        return None


def _without_uncounted(needs: Requirements) -> Requirements:
    """A limit on what the format has none of is met by itself, or not at all; the builder need not mind it."""
    if needs.fmt in _UNCOUNTED["paragraphs"]:
        needs = replace(needs, items=0)
    if needs.fmt in _UNCOUNTED.get(needs.unit, ()):
        return replace(needs, unit="", low=0, high=None)
    return needs


def _needs(active: Mapping[str, Params], arrangement: Arrangement) -> Requirements:
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
