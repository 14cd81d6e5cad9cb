"""What a judge is asked about answers to known benchmarks: their scales and fields, in words of our own.

The questions stand in `seeds/prompts/recorded.yaml`. A template that came with the dialogues goes before them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evolif.errors import InternalError
from evolif.scenarios.recorded.judge_reply import NoScore, judge_score
from evolif.text import reply_objects
from evolif.util.resources import data_path, load_data

_MARKED = re.compile(
    r"\bScore\**+:\**+\s{0,3}\[\[(\d{1,2})\]\]\s{0,3}/\s{0,3}\[\[(\d{1,2})\]\]\s{0,3}/\s{0,3}\[\[(\d{1,2})\]\]",
    re.IGNORECASE,
)
_LONGMEMEVAL = "longmemeval"
_UNREAD = (4, 5, 6)
"""What the release takes where it finds no three marks."""


@dataclass(frozen=True, slots=True)
class PublishedQuestion:
    """One question, with the scale and the fields of its benchmark.

    Attributes:
        name: As templates are named in entries; of LongMemEval, by the type of the question.
        benchmark: The benchmark, as the release names it.
        low: The worst score.
        high: The best.
        released: The scale from which the release computes.
        whole: Whether only the worst and the best score exist.
        task: What is asked.
        shows: What the judge sees: a heading and the field.
        optional: Fields that may be missing.
        marks: Names of several marks that stand in place of a score.
        above: Each mark has to be above it.
    """

    name: str
    benchmark: str
    low: float
    high: float
    released: tuple[float, float]
    whole: bool
    task: str
    shows: tuple[tuple[str, str], ...]
    optional: frozenset[str]
    marks: tuple[str, ...]
    above: int

    def missing(self, fields: Mapping[str, Any]) -> list[str]:
        """The fields that it needs and that are not there, or empty."""
        needed = (field for _, field in self.shows if field not in self.optional and field != "response")
        return [field for field in needed if fields.get(field) in (None, "", [])]

    def reply(self) -> str:
        """How the judge is to put its score, as JSON."""
        if self.marks:
            return ", ".join(f'"{mark}": an integer from 1 to 10' for mark in self.marks)
        return f'"Score": {"0 or 1" if self.whole else f"an integer from {self.low:g} to {self.high:g}"}'

    def score(self, reply: str, *, as_released: bool = False) -> float:
        """The score in a judge's reply, from 0 to 1.

        Args:
            reply: As received.
            as_released: Whether scale and leniency are those of the release.

        Raises:
            NoScore: There is none, or one outside the scale.

        Example:
            >>> published_question({"template_name": "multi_challenge_evaluation"}).score('{"Score": 1}')
            1.0
        """
        if self.marks:
            return self._passed(reply, as_released)
        low, high = self.released if as_released else (self.low, self.high)
        score = judge_score(reply, low, high, as_released=as_released)
        if self.whole and not as_released and score not in (0.0, 1.0):
            raise NoScore(f"the judge's score is neither {self.low:g} nor {self.high:g}")
        return score

    def _passed(self, reply: str, as_released: bool) -> float:
        marks = self._marks_of(reply)
        if marks is None:
            if not as_released:
                raise NoScore(f"the judge's reply does not give {len(self.marks)} marks from 1 to 10")
            marks = _UNREAD
        return float(all(mark > self.above for mark in marks))

    def _marks_of(self, reply: str) -> Sequence[float] | None:
        """The marks, from JSON, else behind `Score:` as `[[8]]/[[9]]/[[8]]`, which templates of the benchmark ask for.

        JSON goes first, because a rationale before it may quote an answer that gives itself marks.
        """
        names = [name.lower() for name in self.marks]
        try:
            objects = list(reply_objects(reply, names[0]))
        except ValueError:
            return None
        if len({str([one.get(name) for name in names]) for one in objects}) > 1:
            return None
        given = [objects[0].get(name) for name in names] if objects else _behind_score(reply)
        marks = [_mark(one) for one in given]
        valid = [mark for mark in marks if mark is not None]
        return valid if valid and len(valid) == len(marks) else None


def _behind_score(reply: str) -> Sequence[str]:
    """The last marks in double brackets behind `Score:`; empty without any."""
    found = list(_MARKED.finditer(reply))
    return found[-1].groups() if found else ()


def _mark(value: Any) -> float | None:
    """A whole number from 1 to 10, also one that is a text; None for anything else."""
    try:
        mark = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        return None
    return mark if 1 <= mark <= 10 and mark.is_integer() else None


def published_question(args: Mapping[str, Any]) -> PublishedQuestion | None:
    """The question of a known benchmark that the arguments of an entry ask for; None if they ask for another.

    Args:
        args: Of an entry `llm_judge`: `template_name`, or what LongMemEval's entries have instead.
    """
    known = _questions()
    name = args.get("template_name")
    if isinstance(name, str):
        return None if name.startswith(_LONGMEMEVAL) else known.get(name)
    if name is None and isinstance(args.get("question_type"), str) and "raw_question" in args:
        kind = "abstention" if args.get("abstention") else args["question_type"]
        return known.get(f"{_LONGMEMEVAL}_{kind}", known[_LONGMEMEVAL])
    return None


def frame() -> str:
    """The text around a question: the slots `task`, `shown` and `reply`."""
    text: str = _data()["frame"]
    return text


def questions_of(benchmark: str) -> Mapping[str, PublishedQuestion]:
    """The questions of a benchmark, by name."""
    return {name: one for name, one in _questions().items() if one.benchmark == benchmark}


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    data = load_data(data_path("seeds", "prompts", "recorded.yaml"))
    if not isinstance(data, Mapping):
        raise InternalError("seeds/prompts/recorded.yaml is not a mapping; reinstall evolif")
    return data


@lru_cache(maxsize=1)
def _questions() -> Mapping[str, PublishedQuestion]:
    return {
        name: _question(benchmark, name, {**family, **own})
        for benchmark, family in _data()["benchmarks"].items()
        for name, own in family["questions"].items()
    }


def _question(benchmark: str, name: str, data: Mapping[str, Any]) -> PublishedQuestion:
    low, high = data["scale"]
    return PublishedQuestion(
        name,
        benchmark,
        low,
        high,
        tuple(data.get("released", (low, high))),
        bool(data.get("whole")),
        f"{data['lead']}\n{data['task']}".strip(),
        tuple((heading, field) for heading, field in data["shows"]),
        frozenset(data.get("optional", ())),
        tuple(data.get("marks", ())),
        data.get("above", 0),
    )
