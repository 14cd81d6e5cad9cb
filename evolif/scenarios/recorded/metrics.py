"""The metrics of the dialogue schema: overlap of words, exact and numeric matches, and what entries may ask for.

Every score lies in [0, 1]. Words are runs of letters, digits and underscores of the lower-cased text. The functions
compute what UniDial-EvalKit (arXiv 2603.23160) computes where its release is right; `as_released=True` repeats what it
does where it is wrong. Answers are hostile input: for a given reference, time is linear in the answer's length.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from types import MappingProxyType
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.recorded.code_rules import code_rules, code_score
from evolif.scenarios.recorded.constraint_checks import (
    Unsupported,
    check_score,
    checked_constraint,
    instruction_of,
    instruction_score,
    released_name,
    was_read_before,
)
from evolif.scenarios.recorded.published_questions import published_question
from evolif.text import READING_RULES_VERSION
from evolif.util.resources import complaint

Reference = str | Sequence[str] | None
"""The gold answer, or several of which any will do; None is the empty text."""

START, END = "<final_answer>", "</final_answer>"
TOLERANCE = Decimal("0.000001")
"""Numbers that differ by less are equal."""

_WORD = re.compile(r"\w+")
_UNSIGNED = re.compile(r"\d+(?:,\d{3}(?!\d))*(?:\.\d+)?")
_RELEASED = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")
_MINUS = "-−"


def word_precision(prediction: str | None, reference: Reference) -> float:
    """The share of the answer's words that the reference has, too; of several references, the best."""
    words = _words(prediction)
    return max((_share(_overlap(words, gold), words) for gold in _golds(reference)), default=0.0)


def word_recall(prediction: str | None, reference: Reference, *, binary: bool = False) -> float:
    """The share of the reference's words that the answer has, too; of several references, the best.

    Args:
        prediction: The answer.
        reference: The gold answer, or several.
        binary: Whether only a full recall counts: 1.0 or 0.0.
    """
    words = _words(prediction)
    best = max((_share(_overlap(words, gold), gold) for gold in _golds(reference)), default=0.0)
    return float(best >= 1) if binary else best


def word_f1(prediction: str | None, reference: Reference, *, multi_answer: bool = False) -> float:
    """The harmonic mean of word precision and recall; of several references, the best.

    Args:
        prediction: The answer.
        reference: The gold answer, or several.
        multi_answer: Whether both are lists of answers, separated by commas: the mean over the reference's answers of
            the best F1 that one of the prediction's reaches.
    """
    if not multi_answer:
        words = _words(prediction)
        return max((_f1(words, gold) for gold in _golds(reference)), default=0.0)
    parts = [_words(part) for part in dict.fromkeys(_parts(prediction or ""))]
    return max((_mean_best(parts, _parts(gold)) for gold in _texts(reference)), default=0.0)


def exact_match(prediction: str | None, reference: Reference, *, start: str = START, end: str = END) -> float:
    """1.0 if the final answer is the reference, case and white space around it ignored, else 0.0.

    Args:
        prediction: The answer. Its final answer follows the last start token; without one, all of it is.
        reference: The gold answer, or several of which one has to match.
        start: The start token; empty for none.
        end: The end token, which may close the final answer; empty for none.
    """
    final = prediction or ""
    if start:
        final = final.rpartition(start)[2]
    final = final.strip()
    if end:
        final = final.removesuffix(end).strip()
    return float(final.casefold() in {gold.strip().casefold() for gold in _texts(reference)})


def numeric_match(prediction: str | None, reference: Reference, *, as_released: bool = False) -> float:
    """1.0 if the last number of the answer equals that of the reference, else 0.0.

    Numbers may have groups of three digits and a fraction (`-1,250.75`). A minus is a sign only directly before a digit
    and not directly after a letter, digit or closing bracket. Numbers are equal when they differ by less than
    `TOLERANCE`. If one of the texts has no number, the texts have to be equal.

    Args:
        prediction: The answer.
        reference: The gold answer, or several of which one has to match.
        as_released: As UniDial-EvalKit's release does: a minus directly before a digit always counts, and a group's
            three digits may be followed by more.
    """
    return float(any(_same_number(prediction or "", gold, as_released) for gold in _texts(reference)))


def metric_name(class_name: str, args: Mapping[str, Any] | None) -> str:
    """The metric's name in records: its class name, and the first text among the arguments called a name.

    `llm_judge->clarity` from `llm_judge` and `{"scale": 5, "template_name": "clarity"}`.
    """
    named = (value for key, value in (args or {}).items() if "name" in key.lower() and isinstance(value, str))
    first = next(named, None)
    return class_name if first is None else f"{class_name}->{first}"


def _texts(reference: Reference) -> list[str]:
    """The references, at least one unless the list is empty."""
    return [reference or ""] if isinstance(reference, str | None) else list(reference)


def _words(text: str | None) -> Counter[str]:
    return Counter(_WORD.findall((text or "").strip().lower()))


def _golds(reference: Reference) -> Iterable[Counter[str]]:
    return map(_words, _texts(reference))


def _overlap(first: Counter[str], second: Counter[str]) -> int:
    if len(first) > len(second):
        first, second = second, first
    return sum(min(count, second.get(word, 0)) for word, count in first.items())


def _share(overlap: int, words: Counter[str]) -> float:
    total = words.total()
    return overlap / total if total else 0.0


def _f1(words: Counter[str], gold: Counter[str]) -> float:
    overlap = _overlap(words, gold)
    precision, recall = _share(overlap, words), _share(overlap, gold)
    return 2 * precision * recall / (precision + recall) if overlap else 0.0


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _mean_best(parts: Sequence[Counter[str]], golds: Sequence[str]) -> float:
    scores = [max((_f1(part, words) for part in parts), default=0.0) for words in map(_words, golds)]
    return sum(scores) / len(scores) if scores else 0.0


def _same_number(text: str, gold: str, as_released: bool) -> bool:
    last = _last_released if as_released else _last_number
    found, wanted = last(text), last(gold)
    if found is None or wanted is None:
        return text.strip() == gold.strip()
    # Exact, however many digits there are.
    exact = Context(prec=len(text) + len(gold) + 2, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return exact.abs(exact.subtract(found, wanted)) < TOLERANCE


def _last_number(text: str) -> Decimal | None:
    match = None
    for match in _UNSIGNED.finditer(text):  # noqa: B007, the last one counts
        pass
    if match is None:
        return None
    number = Decimal(match[0].replace(",", ""))
    return number.copy_negate() if _has_sign(text, match.start()) else number


def _has_sign(text: str, digit: int) -> bool:
    """Whether a minus stands before this digit as its sign, rather than as a hyphen or between two numbers."""
    if digit == 0 or text[digit - 1] not in _MINUS:
        return False
    if digit == 1:
        return True
    before = text[digit - 2]
    return not before.isalnum() and unicodedata.category(before) != "Pe"


def _last_released(text: str) -> Decimal | None:
    found: list[str] = _RELEASED.findall(text)
    return Decimal(found[-1].replace(",", "")) if found else None


class _Arguments(BaseModel):
    """The arguments of a metric entry: exact types, and none that the metric does not know."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Recall(_Arguments):
    binary: bool = False


class _F1(_Arguments):
    multi_answer: bool = False


class _Exact(_Arguments):
    # The longer names are those of the release's entries, where null stands for no token.
    start: str | None = Field(START, validation_alias=AliasChoices("start", "split_special_start_token"))
    end: str | None = Field(END, validation_alias=AliasChoices("end", "split_special_end_token"))


class _Numeric(_Arguments):
    as_released: bool = False


class _Instruction(_Arguments):
    inst_name: str
    inst_args: dict[str, Any] | None = None
    as_released: bool = False


class _Code(_Arguments):
    regex: Any = None
    """The rules, as `code_rules` reads them."""


class _Check(_Arguments):
    group_name: str
    params: dict[str, Any]


class _Judge(_Arguments):
    """The scale that the judge is told; everything else, such as a rubric, belongs to the template."""

    model_config = ConfigDict(extra="allow")

    template_name: str | None = None
    min_score: float = Field(1, allow_inf_nan=False)
    max_score: float = Field(10, allow_inf_nan=False)

    @model_validator(mode="after")
    def _in_order(self) -> _Judge:
        if self.min_score >= self.max_score:
            raise ValueError("“max_score” has to be above “min_score”")
        return self


@dataclass(frozen=True, slots=True)
class HowRead:
    """How checks of constraints read the answers of a turn."""

    fmt: str | None
    """The format that an instruction of the turn asks for."""
    rules: int
    """The edition of the reading rules."""


_Scorer = Callable[[str | None, Reference, Mapping[str, Any], HowRead], float]
"""Takes the answer, the reference, the arguments, and how the answer is read."""


@dataclass(frozen=True, slots=True)
class RecordedMetric:
    """A metric as entries name it."""

    class_name: str
    arguments: type[_Arguments]
    scorer: _Scorer | None
    """None if a judge scores every answer."""
    needs_reference: bool = False
    version: int = 1
    """Raised when the same answer can get another score; part of the key under which a score is reused."""

    def check(self, args: Mapping[str, Any] | None) -> dict[str, Any]:
        """The arguments of an entry, complete and validated, before anything is asked of a model.

        Raises:
            Unsupported: they do not fit (kind `bad_args`), or ask for what cannot be scored here (`unsupported`).
            UsageError: an optional package is missing.
        """
        try:
            checked = self.arguments.model_validate(dict(args or {})).model_dump()
        except ValidationError as fault:
            raise Unsupported(f"{self.class_name}: {complaint(fault, 'args')}", kind="bad_args") from None
        if self.arguments is _Instruction:
            if checked["as_released"]:
                released_name(checked["inst_name"])
            else:
                instruction_of(checked["inst_name"], checked["inst_args"])
        elif self.arguments is _Check:
            checked_constraint(checked["group_name"], checked["params"])
        elif self.arguments is _Code:
            code_rules(checked["regex"])
        return checked

    @property
    def is_reread(self) -> bool:
        """Whether the release computes it in another way, which the argument `as_released` asks for."""
        return self.scorer is None or "as_released" in self.arguments.model_fields

    def is_judged(self, args: Mapping[str, Any]) -> bool:
        """Whether a judge has to score an entry with these checked arguments."""
        return self.scorer is None or (self.arguments is _Check and get_group(args["group_name"]).subjective)

    def score(
        self,
        prediction: str | None,
        reference: Reference,
        args: Mapping[str, Any],
        *,
        fmt: str | None = None,
        rules: int = READING_RULES_VERSION,
    ) -> float:
        """The score of an answer in [0, 1].

        Args:
            prediction: The answer; None is the empty text.
            reference: The gold answer or answers.
            args: The entry's arguments, as `check` returns them.
            fmt: The format that an instruction of the same turn asks for; only checks of constraints read it.
            rules: The edition of the reading rules; only those checks read by them.

        Raises:
            Unsupported: a judge has to score it (kind `judge`).
        """
        if self.scorer is None:
            raise Unsupported(f"{self.class_name} needs a judge", kind="judge")
        return self.scorer(prediction, reference, args, HowRead(fmt, rules))


_METRICS: Mapping[str, RecordedMetric] = MappingProxyType(
    {
        metric.class_name: metric
        for metric in (
            RecordedMetric("precision", _Arguments, lambda text, gold, args, _: word_precision(text, gold), True),
            RecordedMetric("recall", _Recall, lambda text, gold, args, _: word_recall(text, gold, **args), True),
            RecordedMetric("f1_score", _F1, lambda text, gold, args, _: word_f1(text, gold, **args), True),
            RecordedMetric("exact_match", _Exact, lambda text, gold, args, _: _exact(text, gold, args), True),
            RecordedMetric(
                "numeric_match", _Numeric, lambda text, gold, args, _: numeric_match(text, gold, **args), True
            ),
            RecordedMetric("llm_judge", _Judge, None),
            RecordedMetric(
                "instruction_following", _Instruction, lambda text, _, args, how: _followed(text, args, how), version=2
            ),
            RecordedMetric("code_match", _Code, lambda text, _, args, how: _code(text, args), version=2),
            RecordedMetric("evolif_check", _Check, lambda text, _, args, how: _satisfied(text, args, how)),
        )
    }
)


def entry_version(class_name: str, args: Mapping[str, Any]) -> int:
    """Which version scores an entry: an answer may get another score under another one."""
    metric = _METRICS.get(class_name)
    if metric is None:
        return 1
    if class_name == "llm_judge":
        return 2 if published_question(args) is not None else metric.version
    name, given = args.get("inst_name"), args.get("inst_args")
    if class_name == "instruction_following" and isinstance(name, str) and isinstance(given, dict | None):
        return 1 if not args.get("as_released") and was_read_before(name, given) else metric.version
    return metric.version


def metric_of(class_name: str) -> RecordedMetric:
    """The metric of that class name.

    Raises:
        Unsupported: there is none (kind `unknown_metric`).
    """
    metric = _METRICS.get(class_name)
    if metric is not None:
        return metric
    known = ", ".join(_METRICS)
    raise Unsupported(f"unknown metric “{class_name}”; known metrics are {known}", kind="unknown_metric")


def _exact(text: str | None, gold: Reference, args: Mapping[str, Any]) -> float:
    return exact_match(text, gold, start=args["start"] or "", end=args["end"] or "")


def _followed(text: str | None, args: Mapping[str, Any], how: HowRead) -> float:
    name, given, released = args["inst_name"], args["inst_args"], args["as_released"]
    return instruction_score(text, name, given, fmt=how.fmt, rules=how.rules, as_released=released)


def _code(text: str | None, args: Mapping[str, Any]) -> float:
    return code_score(text, code_rules(args["regex"]))


def _satisfied(text: str | None, args: Mapping[str, Any], how: HowRead) -> float:
    return check_score(text, args["group_name"], args["params"], fmt=how.fmt, rules=how.rules)
