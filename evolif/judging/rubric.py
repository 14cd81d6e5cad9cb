"""The scales a judge is given, and the settings of the question: data files, read once and hashed into a version."""

from __future__ import annotations

import hashlib
import json
import math
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.constraints import describe
from evolif.errors import InputError
from evolif.models import ChatRequest
from evolif.resources import complaint, data_path, load_yaml
from evolif.types import Constraint, Message

BANDS = ("1-2", "3-4", "5-6", "7-8", "9-10")
"""Every scale describes a text at these pairs of scores."""


class Scale(BaseModel):
    """A question and what a text at each pair of scores is like."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str
    scale: dict[str, str]


class RubricWording(BaseModel):
    """What stands around question, scale and text, and the bounds of a call."""

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
    """Wording and scales, with a version that any change of either changes."""

    wording: RubricWording
    scales: Mapping[str, Mapping[str, Scale]]
    general: Scale
    version: str

    def scale(self, constraint: Constraint) -> tuple[str, str]:
        """The question and the scale's lines for a constraint; a group without a scale of its own gets the general."""
        value = str(constraint.params.get(constraint.group, ""))
        found = self.scales.get(constraint.group, {}).get(value, self.general)
        question = found.question.replace("{description}", describe(constraint))
        return question, "\n".join(f"{band}: {found.scale[band]}" for band in BANDS)


@lru_cache(maxsize=1)
def load_rubric() -> Rubric:
    """The rubric of this installation.

    Raises:
        InputError: a data file was edited into something that is no rubric.
    """
    wording_path = data_path("seeds", "prompts", "judge.yaml")
    scales_path = data_path("seeds", "prompts", "judge-rubrics.yaml")
    wording, scales = load_yaml(wording_path), load_yaml(scales_path)
    whole = json.dumps([wording, scales], sort_keys=True, ensure_ascii=True)
    try:
        told = RubricWording.model_validate(wording)
    except ValidationError as fault:
        raise InputError(complaint(fault, "the file"), path=wording_path) from None
    try:
        general, groups = _scales(scales)
    except (ValidationError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"“general”, and each value of each group, has a “question” and a “scale” of {', '.join(BANDS)}",
            path=scales_path,
        ) from None
    return Rubric(told, groups, general, hashlib.sha256(whole.encode()).hexdigest()[:8])


def _scales(data: Any) -> tuple[Scale, Mapping[str, Mapping[str, Scale]]]:
    groups = {
        group: {value: _scale(entry) for value, entry in values.items()}
        for group, values in data.items()
        if group != "general"
    }
    return _scale(data["general"]), groups


def _scale(entry: Any) -> Scale:
    scale = Scale.model_validate(entry)
    if set(scale.scale) != set(BANDS):
        raise KeyError("bands")
    return scale


# The question to a judge model: the answer is data between two lines with a number drawn afresh for every call.
#
# No answer can close that fence, since nobody could know the number when the answer was written, and a number that
# stands in the text all the same is drawn again. What fills a slot is never read for slots, so that no text can change
# another part of the messages.

_SLOT = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True)
class Question:
    """One constraint and the text it is about.

    Attributes:
        constraint: What the text should be.
        text: The answer after the reading rules' first step: without reasoning, in NFC, line breaks made plain.
        rubric: Wording and scales.
    """

    constraint: Constraint
    text: str
    rubric: Rubric

    def request(self, *, again: bool = False) -> ChatRequest:
        """One call, with a fence of its own; how it is sampled is for others to say.

        Args:
            again: Whether an earlier reply could not be read.
        """
        wording = self.rubric.wording
        text = self._text
        number = secrets.token_hex(12)
        while number in text:
            number = secrets.token_hex(12)
        shown, body = self._shown(text, number)
        question, scale = self.rubric.scale(self.constraint)
        fence = f"==== {number} ===="
        slots = {"fence": fence, "question": question, "scale": scale, "shown": shown, "text": body}
        user = wording.user + (wording.again if again else "")
        messages = (Message("system", _fill(wording.system, slots)), Message("user", _fill(user, slots)))
        return ChatRequest(messages, drawn=number)

    def key(self, judge: str) -> str:
        """What a score is kept under: judge, rubric, constraint and text, hashed."""
        asked = [judge, self.rubric.version, self.constraint.group, dict(self.constraint.params), self._text]
        return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    @cached_property
    def _text(self) -> str:
        """The text as any provider takes it: without the half surrogates that JSON can carry and UTF-8 cannot."""
        return self.text.encode("utf-8", "replace").decode("utf-8")

    def _shown(self, text: str, number: str) -> tuple[str, str]:
        """What is said of the text's wholeness, and the part of it that is shown."""
        wording = self.rubric.wording
        if len(text) <= wording.longest_text:
            return wording.whole, text
        tail = wording.longest_text // 3
        head = wording.longest_text - tail
        counts = {"length": f"{len(text):,}", "head": f"{head:,}", "tail": f"{tail:,}"}
        gap = _fill(wording.gap, {"length": f"{len(text) - wording.longest_text:,}"})
        return _fill(wording.cut, counts), f"{text[:head]}\n---- {number}: {gap} ----\n{text[-tail:]}"


def _fill(template: str, slots: dict[str, str]) -> str:
    return _SLOT.sub(lambda match: slots.get(match[1], match[0]), template).strip("\n")


# From a judge's reply to a score: JSON, or else prose with one score in it; nothing is guessed.
#
# A reply is hostile input, and it may quote the answer it is about, scores in it included. So a reply that holds two
# different scores holds none, and nothing is looked for inside of an object that cannot be read: what is found there
# could be the quotation.

LONGEST_REPLY = 20_000
"""Characters of a reply that are read; a longer one is no reply to this question."""

_MOST_OBJECTS = 16
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
    """The score in a reply; None with a reason where it has none, several, or one outside of 1 to 10."""
    if not reply.strip():
        return Read(None, problem="the reply is empty")
    if len(reply) > LONGEST_REPLY:
        return Read(None, problem="the reply is too long")
    try:
        objects = _objects(reply)
    except ValueError as fault:
        return Read(None, problem=str(fault))
    if "{" in reply:
        return _from_objects(objects, longest_rationale)
    return _from_prose(reply, longest_rationale)


def _objects(reply: str) -> list[Mapping[str, Any]]:
    """The JSON objects with a score that stand side by side in a reply.

    Raises:
        ValueError: there is an object that cannot be read, or there are too many.
    """
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_once, parse_constant=_refuse)
    found: list[Any] = []
    at = reply.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            return [item for item in found if isinstance(item, dict) and "score" in item]
        try:
            item, end = decoder.raw_decode(reply, at)
        except (ValueError, RecursionError):
            raise ValueError("the reply holds JSON that cannot be read") from None
        found.append(item)
        at = reply.find("{", end)
    raise ValueError("the reply holds too many objects")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = {key.lower(): value for key, value in pairs}
    if len(made) != len(pairs):
        raise ValueError("a key comes twice")
    return made


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no score")


def _from_objects(objects: list[Mapping[str, Any]], longest: int) -> Read:
    read = [_value(item["score"]) for item in objects]
    rationale = next((r for item in objects if isinstance(r := item.get("rationale"), str)), "")
    return _one(read, rationale, longest)


def _from_prose(reply: str, longest: int) -> Read:
    alone = _ALONE.fullmatch(reply.strip())
    matches = [alone] if alone else [*_LABELLED.finditer(reply), *_FRACTION.finditer(reply)]
    return _one([_number(match[1], match[2]) for match in matches], "" if alone else reply, longest)


def _one(values: list[float | None], rationale: str, longest: int) -> Read:
    """The one score that all of these are."""
    if not values:
        return Read(None, problem="the reply holds no score")
    if None in values:
        return Read(None, problem="the reply's score is no number from 1 to 10")
    if len(set(values)) > 1:
        return Read(None, problem="the reply holds different scores")
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
    """On one line, cut to a length, and without the half surrogates that no file can hold."""
    line = " ".join(text[: 4 * longest].encode("utf-8", "replace").decode("utf-8").split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
