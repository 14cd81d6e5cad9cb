"""A judge model's rubric, the question it receives and the score read from its reply."""

from __future__ import annotations

import hashlib
import json
import math
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError
from evolif.models import ChatRequest
from evolif.text import reply_objects
from evolif.types import Message
from evolif.util.resources import complaint, data_path, load_data

BANDS = ("1-2", "3-4", "5-6", "7-8", "9-10")
"""Pairs of scores that every scale describes."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One requirement on an answer that a judge decides on."""

    group: str
    """Its kind, and the group of its verdict."""
    params: Mapping[str, Any]
    """What tells it from others of its group; scores are cached by group and parameters."""
    description: str
    """The requirement as a sentence."""
    rubric: Rubric | None = None
    """Its own wording and scale; None for those of the panel."""
    questions: tuple[str, ...] = ()
    """What is asked in place of a score: questions that must all be answered with yes, each with a quotation."""

    @property
    def value(self) -> str:
        """The parameter named like the group, which selects a scale or word list; empty if there is none."""
        return str(self.params.get(self.group, ""))


class Scale(BaseModel):
    """A question, and a description of a text per pair of scores."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str
    scale: dict[str, str]


class RubricWording(BaseModel):
    """The text around question, scale and answer, and the limits of a call."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tokens: int = Field(ge=1)
    longest_text: int = Field(ge=3)
    longest_rationale: int = Field(ge=1)
    system: str
    user: str
    again: str
    whole: str
    cut: str
    gap: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """Wording and scales, with a version that changes with either."""

    wording: RubricWording
    scales: Mapping[str, Mapping[str, Scale]]
    general: Scale
    version: str

    def scale(self, criterion: Criterion) -> tuple[str, str]:
        """The question and the scale's lines for a criterion; a group without a scale gets the general one."""
        found = self.scales.get(criterion.group, {}).get(criterion.value, self.general)
        question = found.question.replace("{description}", criterion.description)
        return question, "\n".join(f"{band}: {found.scale[band]}" for band in BANDS)


@lru_cache(maxsize=1)
def load_rubric() -> Rubric:
    """The rubric of this installation, read once."""
    return read_rubric(data_path("seeds", "prompts"))


def read_rubric(folder: Path) -> Rubric:
    """Read a rubric from `judge.yaml` and `judge-rubrics.yaml`.

    Raises:
        InputError: one of the files is not a part of a rubric.
    """
    wording_path, scales_path = folder / "judge.yaml", folder / "judge-rubrics.yaml"
    wording, scales = load_data(wording_path), load_data(scales_path)
    whole = json.dumps([wording, scales], sort_keys=True, ensure_ascii=True)
    try:
        parsed = RubricWording.model_validate(wording)
    except ValidationError as fault:
        raise InputError(complaint(fault, "the file"), path=wording_path) from None
    try:
        general, groups = _scales(scales)
    except (ValidationError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"“general” and each value of each group need a “question” and a “scale” of {', '.join(BANDS)}",
            path=scales_path,
        ) from None
    return Rubric(parsed, groups, general, hashlib.sha256(whole.encode()).hexdigest()[:8])


def _scales(data: Any) -> tuple[Scale, Mapping[str, Mapping[str, Scale]]]:
    groups = {
        group: {value: scale_of(entry) for value, entry in values.items()}
        for group, values in data.items()
        if group != "general"
    }
    return scale_of(data["general"]), groups


def scale_of(entry: Any) -> Scale:
    """A question with its scale.

    Raises:
        KeyError: not all pairs of scores are described.
        ValidationError: it is none.
    """
    scale = Scale.model_validate(entry)
    if set(scale.scale) != set(BANDS):
        raise KeyError("bands")
    return scale


_SLOT = re.compile(r"\{([a-z]+)\}")

SCORE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "rationale": {"type": "string", "description": "one sentence that points at the text"},
        "score": {"type": "integer", "description": "from 1 to 10"},
    },
    "required": ["rationale", "score"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class CriterionQuestion:
    """Asks whether a text satisfies one criterion, by a scale; `QuestionList` asks by yes or no.

    The text is data between two lines with a number drawn for every call. No text can close that fence: its author
    could not know the number, and a number that occurs in the text is redrawn. Slots are filled in the template only,
    so no text can change another part of the messages.

    Attributes:
        criterion: The criterion.
        text: The answer after the reading rules' first step: without reasoning, in NFC, with plain line breaks.
        rubric: Wording and scales.
        draw: Draws a hexadecimal number of the given number of bytes.
    """

    criterion: Criterion
    text: str
    rubric: Rubric
    draw: Callable[[int], str] = secrets.token_hex

    def request(self, *, again: bool = False) -> ChatRequest:
        """One call with a new fence; the caller sets the sampling.

        Args:
            again: Whether an earlier reply could not be read.
        """
        wording = self.wording
        text = self._text
        number = self.draw(12)
        while number in text:
            number = self.draw(12)
        shown, body = self._shown(text, number)
        fence = f"==== {number} ===="
        slots = {"fence": fence, "shown": shown, "text": body, **self._asked()}
        user = wording.user + (wording.again if again else "")
        messages = (Message("system", _fill(wording.system, slots)), Message("user", _fill(user, slots)))
        return ChatRequest(messages, drawn=number)

    @property
    def wording(self) -> RubricWording:
        """The text around what is asked."""
        return self.rubric.wording

    @property
    def version(self) -> str:
        """What changes with anything that is asked."""
        return self.rubric.version

    @property
    def schema(self) -> Mapping[str, Any]:
        """What a reply looks like, as a JSON Schema."""
        return SCORE_SCHEMA

    def read(self, reply: str) -> Read:
        """The score in a reply, or why there is none."""
        return read_score(reply, self.wording.longest_rationale)

    def _asked(self) -> dict[str, str]:
        question, scale = self.rubric.scale(self.criterion)
        return {"question": question, "scale": scale}

    def key(self, judge: str) -> str:
        """The cache key of a score: judge, rubric, criterion and text, hashed."""
        # Without parameters, only the description tells criteria of a group apart.
        params = dict(self.criterion.params) or self.criterion.description
        parts = [judge, self.rubric.version, self.criterion.group, params, self._text]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    @cached_property
    def _text(self) -> str:
        """The text without half surrogates, which JSON can hold and UTF-8 cannot."""
        return self.text.encode("utf-8", "replace").decode("utf-8")

    def _shown(self, text: str, number: str) -> tuple[str, str]:
        """A sentence about the text's length, and the part sent to the judge."""
        wording = self.wording
        if len(text) <= wording.longest_text:
            return wording.whole, text
        tail = wording.longest_text // 3
        head = wording.longest_text - tail
        counts = {"length": f"{len(text):,}", "head": f"{head:,}", "tail": f"{tail:,}"}
        gap = _fill(wording.gap, {"length": f"{len(text) - wording.longest_text:,}"})
        return _fill(wording.cut, counts), f"{text[:head]}\n---- {number}: {gap} ----\n{text[-tail:]}"


def _fill(template: str, slots: dict[str, str]) -> str:
    return _SLOT.sub(lambda match: slots.get(match[1], match[0]), template).strip("\n")


LONGEST_REPLY = 20_000
"""Characters; a longer reply is not read."""

_NUMBER = r"(?<![\w.,/-])(-?[0-9]{1,6}(?:[.,][0-9]{1,6})?)(?!\w|[.,][0-9])"
_OF = r"(?:\s{0,3}(?:/|out of|of)\s{0,3}([0-9]{1,6}))"
_LABELLED = re.compile(
    r"\b(?:score|rating|grade)\b(?:\s(?:is|of|would be)\b)?"
    rf"[^\w\n-]{{0,12}}{_NUMBER}(?!\s{{0,3}}(?:-|–|to)\s{{0,3}}[0-9]){_OF}?",
    re.IGNORECASE,
)
"""“Score: 8”, “**Rating** 8/10”, but not the “score (1–10)” of a heading."""
_FRACTION = re.compile(rf"{_NUMBER}\s{{0,3}}/\s{{0,3}}([0-9]{{1,6}})")
_ALONE = re.compile(rf"[^\w-]{{0,8}}{_NUMBER}{_OF}?\W{{0,8}}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Read:
    """A score with its rationale, or why there is none."""

    score: float | None
    rationale: str = ""
    problem: str = ""


def read_score(reply: str, longest_rationale: int = 300) -> Read:
    """The score in a reply (JSON or prose); None with a problem if there is none, several, or not 1 to 10.

    A reply is hostile input and may quote the answer with its scores. So a reply with two different scores has none,
    and an object that cannot be parsed is not searched, since it could contain the quotation.
    """
    if not reply.strip():
        return Read(None, problem="the reply is empty")
    if len(reply) > LONGEST_REPLY:
        return Read(None, problem="the reply is too long")
    try:
        objects = reply_objects(reply, "score")
    except ValueError as fault:
        return Read(None, problem=str(fault))
    if "{" in reply:
        return _from_objects(objects, longest_rationale)
    return _from_prose(reply, longest_rationale)


def _from_objects(objects: list[Mapping[str, Any]], longest: int) -> Read:
    read = [_value(item["score"]) for item in objects]
    rationale = next((r for item in objects if isinstance(r := item.get("rationale"), str)), "")
    return _only_score(read, rationale, longest)


def _from_prose(reply: str, longest: int) -> Read:
    alone = _ALONE.fullmatch(reply.strip())
    matches = [alone] if alone else [*_LABELLED.finditer(reply), *_FRACTION.finditer(reply)]
    return _only_score([_number(match[1], match[2]) for match in matches], "" if alone else reply, longest)


def _only_score(values: list[float | None], rationale: str, longest: int) -> Read:
    if not values:
        return Read(None, problem="the reply contains no score")
    if None in values:
        return Read(None, problem="the reply's score is not a number from 1 to 10")
    if len(set(values)) > 1:
        return Read(None, problem="the reply contains different scores")
    return Read(values[0], shorten(rationale, longest))


def _value(value: object) -> float | None:
    if isinstance(value, str):
        match = _ALONE.fullmatch(value.strip())
        return _number(match[1], match[2]) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 1 <= value <= 10 and math.isfinite(value) else None


def _number(digits: str, scale: str | None) -> float | None:
    value = float(digits.replace(",", "."))
    return value if 1 <= value <= 10 and scale in (None, "10") else None


def shorten(text: str, longest: int) -> str:
    """Cut a text to one line of a length, without half surrogates, which no file can hold."""
    line = " ".join(text[: 4 * longest].encode("utf-8", "replace").decode("utf-8").split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
