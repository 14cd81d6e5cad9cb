"""`sentences`: how each sentence is built. Not in the paper."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from evolif.constraints.base import DrawContext, Group, ParamsModel, plural, shorten
from evolif.rng import Stream
from evolif.text import Reading, count_words, fold, words
from evolif.types import Params, Span, Verdict

MIN_DISTINCT = 3
"""Fewer sentences than these say nothing about how sentences begin."""

_CLOSERS = " \t\n\"'”’»›)]}」』）》】*_`"
_OUTER = re.compile(r"^[\W_]+|[\W_]+$")
_LOOKED_AT = 64
"""A first word is looked for in so much of a sentence; longer runs without one are read on."""


class _MaxWords(ParamsModel):
    mode: Literal["max_words"]
    count: Annotated[int, Field(ge=1)]


class _DistinctStarts(ParamsModel):
    mode: Literal["distinct_starts"]


class _Questions(ParamsModel):
    mode: Literal["questions"]
    count: Annotated[int, Field(ge=0)]


def first_word(sentence: str) -> str:
    """The first word as it is compared: case and the punctuation around it ignored."""
    found = words(sentence[:_LOOKED_AT])
    if len(found) < 2:  # one word may have been cut
        found = words(sentence)
    return _OUTER.sub("", fold(found[0])) if found else ""


class Sentences(Group):
    """No long sentence, no beginning twice, or so many questions."""

    name = "sentences"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[_MaxWords | _DistinctStarts | _Questions, Field(discriminator="mode")]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of three modes, all alike, then its number."""
        mode = stream.choice(("max_words", "distinct_starts", "questions"))
        if mode == "distinct_starts":
            return {"mode": mode}
        pool = context.pool[mode]
        return {"mode": mode, "count": stream.between(pool["min"], pool["max"])}

    def check(self, params: Params, reading: Reading) -> Verdict:
        """Look at every sentence."""
        spans = [Span(start, end) for start, end in reading.sentence_spans]
        if params["mode"] == "questions":
            return self._questions(params["count"], spans, reading)
        if params["mode"] == "max_words":
            return self._max_words(params["count"], spans, reading)
        return self._distinct(spans, reading)

    def _max_words(self, limit: int, spans: list[Span], reading: Reading) -> Verdict:
        expected = f"sentences of at most {plural(limit, 'word')}"
        if not spans:
            return self.verdict(False, expected, "no sentence")
        counts = [count_words(reading.content_text[s.start : s.end]) for s in spans]
        long = [span for span, count in zip(spans, counts, strict=True) if count > limit]
        found = f"the longest of {plural(len(spans), 'sentence')} has {plural(max(counts), 'word')}"
        return self.verdict(not long, expected, found, long)

    def _distinct(self, spans: list[Span], reading: Reading) -> Verdict:
        expected = f"at least {MIN_DISTINCT} sentences, no two of which begin with the same word"
        if len(spans) < MIN_DISTINCT:
            return self.verdict(False, expected, plural(len(spans), "sentence"))
        seen: dict[str, Span] = {}
        for span in spans:
            word = first_word(reading.content_text[span.start : span.end])
            if word in seen:
                return self.verdict(False, expected, f"two begin with “{shorten(word)}”", [seen[word], span])
            seen[word] = span
        return self.verdict(True, expected, f"{len(spans)} sentences with {len(seen)} beginnings")

    def _questions(self, count: int, spans: list[Span], reading: Reading) -> Verdict:
        text = reading.content_text
        asked = [s for s in spans if text[s.start : s.end].rstrip(_CLOSERS).endswith(("?", "？"))]
        expected = f"exactly {plural(count, 'sentence')} with a question mark at the end"
        return self.verdict(len(asked) == count, expected, plural(len(asked), "question"), asked)
