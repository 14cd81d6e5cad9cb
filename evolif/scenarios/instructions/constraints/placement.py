"""`placement` (not in the paper): a keyword in every paragraph, a keyword as n-th word, or an acrostic."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, ParamsModel, bare, quoted, shorten
from evolif.scenarios.instructions.constraints.compatibility import find_declared
from evolif.scenarios.instructions.constraints.relations import draw_weighted
from evolif.scenarios.instructions.constraints.unit_start import UnitStart, check_unit_start
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, count_words, first_grapheme, is_skippable, plural, words
from evolif.text.blocks import Block
from evolif.types import Span, Verdict
from evolif.util.rng import Stream

MIN_PARAGRAPHS = 2
"""One paragraph is not every paragraph."""

_ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh", 8: "eighth",
             9: "ninth", 10: "tenth", 11: "eleventh", 12: "twelfth"}  # fmt: skip
_Word = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^\S*\w\S*$")]


class _EveryParagraph(ParamsModel):
    mode: Literal["every_paragraph"]
    value: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class _NthWord(ParamsModel):
    mode: Literal["nth_word"]
    position: Annotated[int, Field(ge=1)]
    value: _Word


class _Acrostic(ParamsModel):
    mode: Literal["acrostic"]
    word: Annotated[str, Field(pattern=r"^[A-Za-z]{2,40}$")]


def _ordinal(number: int) -> str:
    if number in _ORDINALS:
        return _ORDINALS[number]
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


class Placement(Group):
    """Where keywords and letters are placed."""

    name = "placement"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[_EveryParagraph | _NthWord | _Acrostic | UnitStart, Field(discriminator="mode")]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of three modes; keywords that no other constraint counts."""
        if "drawn" in context.pool:
            return draw_weighted(stream, context)
        modes = ("every_paragraph", "nth_word", "acrostic")
        opened = [m for m in modes if not find_declared({**context.active, self.name: {"mode": m}})]
        if not opened:
            return None
        mode = stream.choice(opened)
        if mode == "acrostic":
            return {"mode": mode, "word": stream.choice(context.pool["words"])}
        counted = context.active.get("existence", {}).get("counts", ())
        free = [k for k in context.allowed_keywords if k not in counted]
        if mode == "nth_word":
            free = [k for k in free if count_words(k) == 1 and " " not in k]
        if not free:
            return None
        value = stream.choice(free)
        if mode == "every_paragraph":
            return {"mode": mode, "value": value}
        pool = context.pool["position"]
        return {"mode": mode, "position": stream.between(pool["min"], pool["max"]), "value": value}

    def drawn_keys(self, pool: Mapping[str, Any]) -> Collection[str]:
        if "drawn" in pool:
            return sorted({self.key(params) for params, _ in pool["drawn"]})
        return ("every_paragraph", "nth_word", "acrostic")

    def key(self, params: Params) -> str:
        if params["mode"] != "unit_start":
            return super().key(params)
        which = "every" if params.get("which", "every") == "every" else "nth"
        return f"unit_start.{which}.{'letter' if 'letter' in params else 'phrase'}"

    def slots(self, params: Params) -> dict[str, str]:
        """The position as an ordinal, the acrostic's word in capitals with the number of its letters."""
        if params["mode"] == "unit_start":
            which, letter = params.get("which", "every"), params.get("letter", "")
            values = params.get("values") or [params["value"]] if not letter else []
            return {
                "unit": params["unit"],
                "position": which if isinstance(which, str) else _ordinal(which),
                "value": letter.upper() or quoted(values, "or"),
            }
        slots = super().slots(params)
        if params["mode"] == "nth_word":
            slots |= {"position": _ordinal(params["position"]), "position_number": str(params["position"])}
        elif params["mode"] == "acrostic":
            slots |= {"word": params["word"].upper(), "letters": str(len(params["word"]))}
        return slots

    def values(self, params: Params) -> dict[str, str]:
        """The same, the keyword in quotation marks."""
        slots = self.slots(params)
        if "value" not in params or params["mode"] == "unit_start":
            return slots
        return {**slots, "value": quoted([params["value"]], "and")}

    def note(self, params: Params, fmt: str | None) -> str:
        """What counts as text in a data format."""
        notes = {"json": "In JSON, keys count as text.", "csv": "In CSV, the header row counts as text."}
        return notes.get(fmt or "", "") if params["mode"] == "nth_word" else ""

    def check(self, params: Params, reading: Reading) -> Verdict:
        if params["mode"] == "unit_start":
            return self.verdict(*check_unit_start(params, reading))
        if params["mode"] == "every_paragraph":
            return self._every_paragraph(params["value"], reading)
        if params["mode"] == "nth_word":
            return self._nth_word(params["position"], params["value"], reading)
        return self._acrostic(params["word"], reading)

    def _every_paragraph(self, keyword: str, reading: Reading) -> Verdict:
        places = [place for place in reading.occurrences(keyword) if reading.blocks[place[0]].paragraph >= 0]
        holding = {reading.blocks[block].paragraph for block, _, _ in places}
        total = reading.paragraphs
        expected = f"at least {MIN_PARAGRAPHS} paragraphs, “{keyword}” in each"
        spans = [span for place in places for span in reading.folded_spans(*place)]
        satisfied = total >= MIN_PARAGRAPHS and len(holding) == total
        return self.verdict(satisfied, expected, f"it is in {len(holding)} of {total}", spans)

    def _nth_word(self, position: int, keyword: str, reading: Reading) -> Verdict:
        expected = f"“{keyword}” as the {_ordinal(position)} word"
        found = words(reading.content_text)
        if len(found) < position:
            return self.verdict(False, expected, f"only {plural(len(found), 'word')}")
        at = 0
        for word in found[:position]:
            at = reading.content_text.find(word, at) + len(word)
        word = found[position - 1]
        return self.verdict(bare(word) == bare(keyword), expected, f"“{shorten(word)}”", [Span(at - len(word), at)])

    def _acrostic(self, word: str, reading: Reading) -> Verdict:
        expected = f"{len(word)} paragraphs whose first letters spell {word.upper()}"
        letters: dict[int, str] = {}
        spans: list[Span] = []
        for index, block in enumerate(reading.blocks):
            if block.paragraph >= 0 and not letters.get(block.paragraph):
                letter, at = _first_letter(block)
                letters[block.paragraph] = letter
                spans.extend(reading.spans(index, at, at + len(letter)) if at >= 0 else ())
        spelled = "".join(letter or "·" for letter in letters.values())
        return self.verdict(spelled.lower() == word.lower(), expected, f"they spell “{shorten(spelled)}”", spans)


def _first_letter(block: Block) -> tuple[str, int]:
    """The first content character of a block and its offset; an ordered list's number counts as one (offset -1)."""
    if block.number:
        return block.number, -1
    for at, char in enumerate(block.text):
        if not is_skippable(char):
            return first_grapheme(block.text, at), at
    return "", -1
