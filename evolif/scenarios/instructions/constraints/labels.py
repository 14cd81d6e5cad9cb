"""`labels` (not in the paper): given labels, or a noun with numbers from 1, each at the start of a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, TypeAdapter

from evolif.scenarios.instructions.constraints.base import DrawContext, Group, quoted, shorten
from evolif.scenarios.instructions.constraints.relations import ClosedParams
from evolif.scenarios.instructions.turns import Params
from evolif.text import Reading, plural
from evolif.text.emoji import find_emoji
from evolif.text.labels import LabelLine, comparable, given_labels, label_lines, numbered_labels
from evolif.types import Verdict
from evolif.util.rng import Stream

_ASIDE = re.compile(r"[ *_]*+[(（][^()（）\n]*+[)）]")
"""A bracket right behind a label (`Version 1 (short)`), which is no text of its own."""
_SHOWN = 6
"""Labels that a verdict names."""


def _readable(label: str) -> str:
    label = label.strip()
    if not (any(map(str.isalnum, label)) or find_emoji(label)):
        raise ValueError("a label needs a letter, a digit or an emoji")
    return label


def _no_doubles(labels: list[str]) -> list[str]:
    if len({comparable(label) for label in labels}) < len(labels):
        raise ValueError("a label is given twice; capitals make no difference")
    return labels


_Label = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\n]*$"), AfterValidator(_readable)]


class _GivenLabels(ClosedParams):
    misfits = dict.fromkeys(("noun", "count"), "numbered labels, without “labels”,")
    labels: Annotated[list[_Label], Field(min_length=1, max_length=50), AfterValidator(_no_doubles)]
    order: Literal["given", "any"] | None = None
    repeat: bool | None = None
    only: bool | None = None


class _NumberedLabels(ClosedParams):
    misfits = dict.fromkeys(("order", "repeat"), "given labels")
    noun: _Label
    count: Annotated[int, Field(ge=1, le=1000)]
    only: bool | None = None


def _kind(params: Any) -> str:
    return "numbered" if isinstance(params, dict) and "noun" in params and "labels" not in params else "given"


class Labels(Group):
    """Labels that open a line, with text behind each."""

    name = "labels"
    adapter: TypeAdapter[Any] = TypeAdapter(
        Annotated[
            Annotated[_GivenLabels, Tag("given")] | Annotated[_NumberedLabels, Tag("numbered")], Discriminator(_kind)
        ]
    )

    def draw(self, stream: Stream, context: DrawContext) -> Params | None:
        """Numbered labels, or one of the sets of a drawn size; then whether they turn, or must open the answer."""
        pool = context.pool
        params: dict[str, Any]
        if stream.below(100) < pool["numbered"]:
            params = {"noun": stream.choice(pool["nouns"]), "count": stream.weighted(_pairs(pool["counts"]))}
        else:
            size = stream.weighted(_pairs(pool["sizes"]))
            params = {"labels": list(stream.choice([labels for labels in pool["sets"] if len(labels) == size]))}
            if size > 1 and stream.below(100) < pool["turns"]:
                params |= {"order": "any", "repeat": True}
        return params | {"only": True} if stream.below(100) < pool["only"] else params

    def key(self, params: Params) -> str:
        return _kind(params)

    def slots(self, params: Params) -> dict[str, str]:
        only = " No text stands before the first." if params.get("only") else ""
        if "noun" in params:
            return {"noun": params["noun"], "count": str(params["count"]), "only": only}
        labels = params["labels"]
        one, several = _HOW_OFTEN[params.get("order", "given"), bool(params.get("repeat"))]
        return {"labels": quoted(labels, "and"), "often": one if len(labels) == 1 else several, "only": only}

    def size(self, params: Params) -> tuple[str, int] | None:
        return ("labels", params["count"]) if "noun" in params else None

    def check(self, params: Params, reading: Reading) -> Verdict:
        numbered = "noun" in params
        names = [str(number) for number in range(1, params["count"] + 1)] if numbered else params["labels"]
        lines = label_lines(reading.blocks, numbered_labels(params["noun"]) if numbered else given_labels(names))
        expected = _expected(params)
        found = [line.name for line in lines]
        spans = [span for line in lines for span in reading.spans(line.block, line.start, line.end)]
        fault = _order_fault(names, found, params.get("order", "given"), repeat=bool(params.get("repeat")))
        fault = fault or _text_fault(lines, reading, only=bool(params.get("only")))
        shown = f"{params['noun']} " if numbered else ""
        text = _told([f"{shown}{name}" for name in found])
        return self.verdict(not fault, expected, f"{text}; {fault}" if fault else text, spans)


_HOW_OFTEN = {
    ("given", False): ("occurs once", "occur once each, in that order"),
    ("any", False): ("occurs once", "occur once each, in any order"),
    ("given", True): ("occurs once or more", "occur in that order, the whole row once or more"),
    ("any", True): ("occurs once or more", "all occur, once or more, in any order"),
}


def _pairs(pool: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    return [(value, weight) for value, weight in pool]


def _expected(params: Params) -> str:
    only = ", with no text before the first" if params.get("only") else ""
    if "noun" in params:
        last = f"{params['noun']} {params['count']}"
        return f"the labels {params['noun']} 1 to {last} in order, with text behind each{only}"
    often = _HOW_OFTEN[params.get("order", "given"), bool(params.get("repeat"))][len(params["labels"]) > 1]
    return f"{quoted(params['labels'], 'and')} at line starts: {often}, with text behind each{only}"


def _told(found: Sequence[str]) -> str:
    if not found:
        return "no label at the start of a line"
    names = ", ".join(f"“{shorten(name)}”" for name in found[:_SHOWN])
    return f"{plural(len(found), 'label')}: {names}{' …' if len(found) > _SHOWN else ''}"


def _order_fault(names: Sequence[str], found: Sequence[str], order: str, *, repeat: bool) -> str:
    """What is wrong with the labels found, as the end of a sentence; empty if nothing is."""
    missing = [name for name in names if name not in set(found)]
    if missing:
        return f"{quoted([shorten(missing[0])], 'and')} is missing"
    if repeat:
        whole = order == "any" or list(names) * (len(found) // len(names)) == list(found)
        return "" if whole else "they do not run through as a whole"
    if len(found) > len(names):
        return "there are more than that"
    return "" if order == "any" or list(names) == list(found) else "they are in another order"


def _text_fault(lines: Sequence[LabelLine], reading: Reading, *, only: bool) -> str:
    """Whether text is missing behind a label, or stands before the first."""
    text, offsets = reading.content_text, reading.offsets
    before = text[: offsets[lines[0].block] + lines[0].line]
    if only and before.strip():
        return "text stands before the first"
    nexts = [*(offsets[line.block] + line.line for line in lines[1:]), len(text)]
    for line, end in zip(lines, nexts, strict=True):
        start = offsets[line.block] + line.end
        aside = _ASIDE.match(text, start, end)
        start = aside.end() if aside else start
        if not (any(map(str.isalnum, text[start:end])) or find_emoji(text[start:end])):
            label = reading.blocks[line.block].text[line.start : line.end]
            return f"nothing stands behind “{shorten(label or line.name)}”"
    return ""
