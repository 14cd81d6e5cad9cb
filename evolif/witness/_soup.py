"""The last density: a text with no room for sense, only to tell *awkward* from *impossible*."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import product

from evolif.domain import Params
from evolif.text import count_graphemes, count_words
from evolif.witness._case import set_case
from evolif.witness._draft import Draft, DraftBlock, Piece, Sentence
from evolif.witness._merges import Arrangement
from evolif.witness._needs import Needs, RefusedError
from evolif.witness._render import _cell

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


def soups(needs: Needs, arrangement: Arrangement) -> Iterator[str]:
    """Candidates, unverified: words side by side, or run together by slashes; all keywords and signs, little else."""
    extras = _EXTRA_LETTERS if needs.case and needs.case["mode"] == "share" else (0,)
    for glue, extra in product((" ", "/"), extras):
        try:
            yield _write(needs, _pieces(needs, arrangement, extra, glue), glue)
        except RefusedError:
            continue


def _pieces(needs: Needs, arrangement: Arrangement, extra: int, glue: str) -> _Pieces:
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


def _edge(params: Params | None, keyword: str | None, needs: Needs) -> list[Piece]:
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


def _write(needs: Needs, pieces: _Pieces, glue: str) -> str:
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


def _fill_characters(needs: Needs, pieces: _Pieces, glue: str) -> None:
    def missing() -> int:
        return needs.low - count_graphemes(_compose(_slots(pieces, needs, glue), needs))

    if missing() > 1:
        filler = Piece(_FILLER)
        pieces.inner.append(filler)
        filler.text = _FILLER * (1 + max(0, missing()))
    elif missing() == 1:
        pieces.all()[0].after += "," if needs.exclude != "," else ";"


def _slots(pieces: _Pieces, needs: Needs, glue: str) -> list[str]:
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


def _compose(slots: list[str], needs: Needs) -> str:
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


def _html(slots: list[str], outside: list[str], joined: str, needs: Needs) -> str:
    texts = slots if needs.items or needs.unit == "paragraphs" else [joined]
    paragraphs = "".join(f"<p>{escape(s, quote=False)}" for s in (outside if needs.items else texts))
    items = "".join(f"<li>{escape(s, quote=False)}" for s in texts[len(outside) :])
    return f"{paragraphs}<ul>{items}</ul>" if needs.items else f"{paragraphs}</p>"


def _markdown(slots: list[str], outside: list[str], joined: str, needs: Needs) -> str:
    if needs.items:
        return "\n".join([*(f"{text}\n" for text in outside), *(f"- {text}" for text in slots[len(outside) :])])
    text = "\n\n".join(slots) if needs.unit == "paragraphs" else joined
    if needs.unit == "sentences" and needs.high == 0:
        return f"# {text}"
    return f"> {text}" if needs.fmt == "markdown" else text
