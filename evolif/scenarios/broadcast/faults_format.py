"""Faults of replies in the fixed format: one tag, a word or a sentence more, a wrong letter, a wrong number.

A reply of the fixed format has parts: a line of tags, a body, statistics, a summary. A fault changes one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Any, Final, TypeAlias

from evolif.scenarios.broadcast.acrostic import LEAD, acrostic_sentence, spelled, words_of
from evolif.scenarios.broadcast.arguments import one_of
from evolif.scenarios.broadcast.checklist import MOST_WORDS, OTHER_QUESTION, UPDATE_SCORE
from evolif.scenarios.broadcast.faults import neighbor_of, unmet_scores, wrong_scores
from evolif.scenarios.broadcast.witness import (
    LETTERS,
    Turn,
    acrostic_body,
    brings_summary,
    intent_of_turn,
    score_body,
    statistics_body,
    statistics_line,
    summary_block,
    supported_team,
    tag_line,
)

FormatFault: TypeAlias = tuple[str, str, tuple[int, ...], tuple[str, ...]]
"""What is wrong, the reply, the places of the items that it fails, the gates that it triggers."""

MOST_SUMMARY_WORDS: Final = 49
MOST_SENTENCE_WORDS: Final = 20
_RUN: Final = re.compile(r"[A-Za-z]+")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")
_PADDING: Final = ("again", "and", "again", "as", "so", "often", "before")
_OTHER_LETTERS: Final = {None: "A", "A": "B", "B": "A"}
_ARTICLES: Final = ("the", "our")


@dataclass(frozen=True, slots=True)
class Parts:
    """A reply in parts.

    Attributes:
        tags: Its first line.
        body: What it says.
        lines: Its statistics, a line each; None for no block.
        summary: With its tags; empty for none.
    """

    tags: str
    body: str
    lines: Sequence[str] | None = None
    summary: str = ""

    def reply(self) -> str:
        """The whole."""
        block = [] if self.lines is None else ["\n".join(["<Stats>", *self.lines, "</Stats>"])]
        return "\n".join(part for part in [self.tags, self.body, *block, self.summary] if part)


def format_faults_of(turn: Turn) -> Iterator[FormatFault]:
    """What can be wrong with a reply in the fixed format.

    Raises:
        ArgumentError: no reply in the fixed format to a turn of this kind is judged.
    """
    return _FAULTS[one_of("kind", turn["kind"], tuple(_FAULTS))](turn)


def _places(turn: Turn, **values: Any) -> tuple[int, ...]:
    """The places of the items that hold such values."""
    return tuple(
        place
        for place, item in enumerate(turn["checklist"])
        if all(item.get(name) == value for name, value in values.items())
    )


def _tag_faults(turn: Turn, right: Parts) -> Iterator[FormatFault]:
    number, intent = turn["number"], intent_of_turn(turn)
    first, second = (_places(turn, kind="tag", which=which) for which in ("first", "second"))
    other = OTHER_QUESTION if intent == UPDATE_SCORE else UPDATE_SCORE
    yield "the other first tag", replace(right, tags=tag_line(number, other)).reply(), first, ()
    yield "a first tag in lower case", replace(right, tags=tag_line(number, intent.lower())).reply(), first, ()
    yield "text beside the tags", replace(right, tags=f"{right.tags} Here you are.").reply(), first, ()
    letter = LETTERS.get(number % 4)
    wrong = f"[{intent}] [Tag {_OTHER_LETTERS[letter]}]"
    yield "a wrong letter", replace(right, tags=wrong).reply(), second, ()
    yield "both letters", replace(right, tags=f"[{intent}] [Tag A] [Tag B]").reply(), second, ()
    if letter is not None:
        yield "a letter left out", replace(right, tags=f"[{intent}]").reply(), second, ()


def _body_faults(turn: Turn, right: Parts) -> Iterator[FormatFault]:
    sentences = _places(turn, kind="sentences")
    first, second, third = _SENTENCE_END.split(right.body)
    missing = MOST_WORDS + 1 - len(_RUN.findall(right.body))
    padded = f"{_padding(missing).capitalize()}, {third}"
    yield "one word more", _with_body(right, first, second, padded), _places(turn, kind="words"), ()
    yield "a sentence more", _with_body(right, first, second, third, third), sentences, ()
    yield "a sentence left out", _with_body(right, first, third), sentences, ()
    yield "another last letter", _with_body(right, first, second, f"{third[:-1]} again."), sentences, ()


def _with_body(right: Parts, *sentences: str) -> str:
    return replace(right, body=" ".join(sentences)).reply()


def _padding(count: int) -> str:
    """So many words."""
    return " ".join(islice(cycle(_PADDING), count))


def _scores(turn: Turn) -> Iterator[FormatFault]:
    summary = summary_block(turn) if brings_summary(turn) else ""
    right = Parts(tag_line(turn["number"], intent_of_turn(turn)), score_body(turn), summary=summary)
    yield from _tag_faults(turn, right)
    yield from _body_faults(turn, right)
    for name, claim in wrong_scores(turn["key"]):
        body = score_body({**turn, "key": claim})
        yield name, replace(right, body=body).reply(), unmet_scores(turn["checklist"], claim), ()
    yield from _summary_faults(turn, right)


def _acrostic(turn: Turn) -> Iterator[FormatFault]:
    team, sentence = supported_team(turn), acrostic_body(turn)
    right = Parts(tag_line(turn["number"], intent_of_turn(turn)), sentence)
    yield from _tag_faults(turn, right)
    parts = {part: _places(turn, kind="acrostic", part=part) for part in ("starts", "complete", "max20")}
    for name, wrong, failed in _wrong_sentences(turn, team, sentence):
        costs = tuple(sorted(place for part in failed for place in parts[part]))
        yield name, replace(right, body=wrong).reply(), costs, ()


def _wrong_sentences(turn: Turn, team: str, sentence: str) -> Iterator[tuple[str, str, list[str]]]:
    """Sentences with one fault each, and the parts of the acrostic that they fail."""
    words, sequence = sentence[:-1].split(" "), spelled(team)
    lead, rest = words[:LEAD], words[LEAD:]
    article = next(word for word in _ARTICLES if word[0].upper() != sequence[0])
    yield "a word before the spelling", " ".join([*lead, article, *rest]) + "!", ["starts", "complete"]
    yield "a word inside the spelling", " ".join([*words[:-2], "very", *words[-2:]]) + "!", ["complete"]
    yield "the last word left out", " ".join(words[:-1]) + "!", ["complete"]
    missing = MOST_SENTENCE_WORDS + 1 - len(words_of(sentence))
    yield "one word more", f"{sentence[:-1]} {_padding(missing)}!", ["max20"]
    other = next(str(name) for name in turn["names"]["teams"] if name != team)
    said = spelled(other)
    failed = [] if said[0] == sequence[0] else ["starts"]
    failed += [] if said.startswith(sequence) else ["complete"]
    yield "the other team", acrostic_sentence(other, turn["number"]), failed


def _statistics(turn: Turn) -> Iterator[FormatFault]:
    key: list[Mapping[str, Any]] = list(turn["key"])
    summary = summary_block(turn) if brings_summary(turn) else ""
    lines = [statistics_line(line) for line in key]
    right = Parts(tag_line(turn["number"], intent_of_turn(turn)), statistics_body(turn), lines, summary)
    yield from _tag_faults(turn, right)
    yield from _body_faults(turn, right)
    places = _places(turn, kind="statistics")
    for name, claim in _wrong_statistics(turn, key):
        wrong = [statistics_line(line) for line in claim]
        costs = tuple(place for place in places if turn["checklist"][place]["line"] not in claim)
        yield name, replace(right, lines=wrong).reply(), costs, ()
    yield "no block", replace(right, lines=None).reply(), places, ()
    yield from _summary_faults(turn, right)


def _summary_faults(turn: Turn, right: Parts) -> Iterator[FormatFault]:
    if right.summary:
        short = _places(turn, kind="summary", part="lt50")
        yield "no summary", replace(right, summary="").reply(), short, ("no_summary",)
        yield "a summary of one word more", replace(right, summary=_long(right.summary)).reply(), short, ()


def _wrong_statistics(turn: Turn, key: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    named = {line["player"] for line in key}
    for place, line in enumerate(key):
        before, after = key[:place], key[place + 1 :]
        for field, value in line.items():
            if isinstance(value, int):
                yield "a wrong number", [*before, {**line, field: value + 1}, *after]
        foreign = neighbor_of(turn, line["player"], named)
        yield "a neighbor's name", [*before, {**line, "player": foreign}, *after]
        yield "a line left out", [*before, *after]
    people = [{name: line[name] for name in ("player", "team")} for line in reversed(key)]
    yield "exchanged names", [{**line, **person} for line, person in zip(key, people, strict=True)]


def _long(summary: str) -> str:
    """A summary of one word more than is allowed, in its tags."""
    inside = summary.removeprefix("<Summary>").removesuffix("</Summary>")
    missing = MOST_SUMMARY_WORDS + 1 - len(_RUN.findall(inside))
    return f"<Summary>{inside} {_padding(missing).capitalize()}.</Summary>"


_FAULTS: Final[Mapping[str, Callable[[Turn], Iterator[FormatFault]]]] = {"S": _scores, "K": _acrostic, "Q": _statistics}
