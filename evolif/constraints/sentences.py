"""`sentences` (not in the paper): no long sentence, no two with the same beginning, or a number of questions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from evolif.constraints.base import DrawContext, Group, ParamsModel, bare, plural, shorten
from evolif.rng import Stream
from evolif.text import Reading, count_words, words
from evolif.types import Params, Span, Verdict

MIN_DISTINCT = 3
"""Fewer sentences than these say nothing about how sentences begin."""

_CLOSERS = " \t\n\"'”’»›)]}」』）》】*_`"
_PREFIX = 64
"""Characters of a sentence in which its first word is sought, before the whole sentence is read."""


class _MaxWords(ParamsModel):
    mode: Literal["max_words"]
    count: Annotated[int, Field(ge=1)]


class _DistinctStarts(ParamsModel):
    mode: Literal["distinct_starts"]


class _Questions(ParamsModel):
    mode: Literal["questions"]
    count: Annotated[int, Field(ge=0)]


def _first_word(sentence: str) -> str:
    found = words(sentence[:_PREFIX])
    if len(found) < 2:  # a single word may be cut off
        found = words(sentence)
    return bare(found[0]) if found else ""


class Sentences(Group):
    """How the sentences are built."""

    name = "sentences"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[_MaxWords | _DistinctStarts | _Questions, Field(discriminator="mode")]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """One of three modes, then its number."""
        mode = stream.choice(("max_words", "distinct_starts", "questions"))
        if mode == "distinct_starts":
            return {"mode": mode}
        pool = context.pool[mode]
        return {"mode": mode, "count": stream.between(pool["min"], pool["max"])}

    def check(self, params: Params, reading: Reading) -> Verdict:
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
            word = _first_word(reading.content_text[span.start : span.end])
            if word in seen:
                return self.verdict(False, expected, f"two begin with “{shorten(word)}”", [seen[word], span])
            seen[word] = span
        return self.verdict(True, expected, f"{len(spans)} sentences with {len(seen)} beginnings")

    def _questions(self, count: int, spans: list[Span], reading: Reading) -> Verdict:
        text = reading.content_text
        questions = [s for s in spans if text[s.start : s.end].rstrip(_CLOSERS).endswith(("?", "？"))]
        expected = f"exactly {plural(count, 'sentence')} with a question mark at the end"
        return self.verdict(len(questions) == count, expected, plural(len(questions), "question"), questions)
