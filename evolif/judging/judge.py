"""Judges: models or word lists that decide on what rules cannot check.

A run's settings store a judge's `name` (panel, rule and rubric version: resuming with another one is refused) and its
`endpoints`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from evolif.errors import UsageError
from evolif.judging.panel import RULES, Member, Panel, finish_all
from evolif.judging.records import THRESHOLD, JudgeCache, JudgeRecord, MemoryJudgeCache, usage_of
from evolif.judging.rubric import Criterion, load_rubric
from evolif.models import ChatModel, address_of, managed, open_model, parse_model_name, shown_address
from evolif.models.endpoint import shown
from evolif.text import Reading, plural, words
from evolif.types import Usage, Verdict
from evolif.util.resources import data_path, load_data
from evolif.util.suggestions import did_you_mean


class Judge(Protocol):
    """Scores what rules cannot check: `LexicalJudge`, or a `Panel` of models. Opened by `open_judge`."""

    @property
    def name(self) -> str:
        """Its name in settings and reports; for a panel its rule, models and rubric version."""
        ...

    @property
    def endpoints(self) -> tuple[str, ...]:
        """Address per model of a panel, without user and key; empty for the provider's own endpoint."""
        ...

    async def assess(self, criterion: Criterion, reading: Reading) -> Verdict | JudgeRecord:
        """A heuristic's verdict, which is reported separately, or a record whose verdict counts.

        Raises:
            JudgeError: a model could not be called.
        """
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...


async def assess_all(
    judge: Judge, criteria: Iterable[Criterion], reading: Reading
) -> tuple[Verdict | JudgeRecord, ...]:
    """The judge's results on several criteria, in order, asked at the same time.

    Raises:
        JudgeError: a model could not be called; the other calls were allowed to finish.
    """
    return tuple(await finish_all((judge.assess(criterion, reading) for criterion in criteria), _usage))


def _usage(results: Iterable[Verdict | JudgeRecord]) -> Mapping[str, Usage]:
    records = (result for result in results if isinstance(result, JudgeRecord))
    return usage_of(score for record in records for score in record.scores)


_CONTRACTION = re.compile(r"\b\w+['’](?:t|s|re|ve|ll|d|m)\b", re.IGNORECASE)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)(?:\s+\w+ly)?\s+(?:\w+ed|made|done|given|taken|found|seen|known|built|kept|sent)\b",
    re.IGNORECASE,
)
# Usual bands of words per sentence: a writer for children keeps sentences short.
_SENTENCE_BANDS = {"child": (0, 13), "youth": (8, 20), "adult": (12, 30), "senior": (8, 24)}


@lru_cache(maxsize=1)
def _lists() -> Mapping[str, Any]:
    lists: Mapping[str, Any] = load_data(data_path("constraints", "lexical.yaml"))
    return lists


class LexicalJudge:
    """Scores emotion, audience and style from 1 to 10 by word lists and counts, offline.

    It is a heuristic to opt into: its verdicts never enter the headline figures.
    """

    name = "lexical"
    endpoints: tuple[str, ...] = ()

    async def assess(self, criterion: Criterion, reading: Reading) -> Verdict:
        """The verdict on one criterion; an unreadable answer fails."""
        group, value = criterion.group, criterion.value
        expected = f"{group}: {value}, scored above {THRESHOLD} of 10"
        if reading.unreadable:
            return Verdict(group, False, expected, reading.unreadable)
        score, why = self._score(group, value, reading)
        score = max(1, min(10, score))
        return Verdict(group, score > THRESHOLD, expected, f"{score} of 10: {why}")

    async def aclose(self) -> None:
        """Nothing to release."""

    def _score(self, group: str, value: str, reading: Reading) -> tuple[int, str]:
        text = reading.content_text.lower().replace("’", "'")
        if group == "style" and value in ("active voice", "passive voice"):
            return _voice(value, reading)
        if group == "style" and value == "formal":
            return _formal(text)
        if group == "emotion" and value == "neutral":
            hits = sum(_hits(text, _lists()["emotion"][name]) for name in _lists()["emotion"])
            marks = text.count("!")
            return 9 - hits - marks, f"{hits} emotional words, {marks} exclamation marks"
        listed = _lists().get(group, {}).get(value)
        if listed is None:
            return 1, f"no word list for “{value}”"
        hits = _hits(text, listed)
        per_hundred = 100 * hits / max(1, reading.words)
        score = 3 + round(2 * per_hundred)
        if group == "audience":
            score += _band(value, reading)
        return score, f"{plural(hits, 'word')} of the list in {reading.words}"


def _hits(text: str, listed: list[str]) -> int:
    tokens = words(text)
    bare = {token.strip(".,;:!?()\"'*_") for token in tokens}
    return sum(1 for entry in listed if (entry in text if " " in entry else entry in bare))


def _formal(text: str) -> tuple[int, str]:
    contractions = len(_CONTRACTION.findall(text))
    informal = _hits(text, _lists()["style"]["informal"])
    formal = _hits(text, _lists()["style"]["formal"])
    return (
        6 + formal - 2 * contractions - informal,
        f"{plural(formal, 'formal word')}, {plural(contractions, 'contraction')}",
    )


def _voice(value: str, reading: Reading) -> tuple[int, str]:
    passive = len(_PASSIVE.findall(reading.content_text))
    total = max(1, len(reading.sentence_spans))
    share = min(1.0, passive / total)
    score = round(1 + 9 * share) if value == "passive voice" else round(10 - 9 * share)
    return score, f"{plural(passive, 'passive form')} in {plural(total, 'sentence')}"


def _band(value: str, reading: Reading) -> int:
    low, high = _SENTENCE_BANDS[value]
    average = reading.words / max(1, len(reading.sentence_spans))
    return 3 if low <= average <= high else -1


def open_judge(
    names: str | ChatModel | Sequence[str | ChatModel],
    *,
    rule: str = "mean",
    opener: Callable[[str], ChatModel] | None = None,
    cache: JudgeCache | None = None,
) -> Judge | None:
    """The judge of these names; None for `none`.

    Args:
        names: `none`, `lexical`, or models, which together are a panel: names (`provider/name`), or objects, which are
            used unchanged.
        rule: The panel's decision rule: `mean`, `majority` or `median`.
        opener: Opens the client of a named judge model, so that a run can limit, meter and budget its calls;
            `managed(open_model(name))` if None.
        cache: Keeps scores by content; only in memory if None. A run keeps them in
            `SqliteJudgeCache(run / CACHE_FILE)`, opened after the run's own file. It is closed with the judge.

    Raises:
        UsageError: no such judge or rule, a model named twice, a missing key.
    """
    given = list(names) if isinstance(names, Sequence) and not isinstance(names, str) else [names]
    if given in ([], ["none"]):
        return None
    if given == ["lexical"]:
        return LexicalJudge()
    alone = [name for name in given if name in ("none", "lexical")]
    for name in given:
        _refuse_odd(name)
    if alone:
        raise UsageError(f"“{alone[0]}” cannot be part of a panel; name it alone")
    if rule not in RULES:
        raise UsageError(f"the judge rule “{rule}” is unknown{did_you_mean(rule, RULES)}; use {', '.join(RULES)}")
    scores = cache if cache is not None else MemoryJudgeCache()
    open_named = opener or (lambda name: managed(open_model(name)))
    members = [
        Member(open_named(model), _endpoint(model), scores)
        if isinstance(model, str)
        else Member(managed(model), "", scores)
        for model in given
    ]
    labels = [member.name for member in members]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise UsageError(f"the judge {twice[0]} is named twice; name each judge once")
    return Panel(members, rule, load_rubric(), scores)


def _refuse_odd(name: str | ChatModel) -> None:
    """Refuse a word that is no judge, and a simulated model, which cannot judge.

    Raises:
        UsageError: it is one.
    """
    if not isinstance(name, str) or name in ("none", "lexical"):
        return
    if "/" not in name:
        near = did_you_mean(name, ("none", "lexical"))
        raise UsageError(f"there is no judge “{shown(name, '')}”{near}; use none, lexical, or a model as PROVIDER/NAME")
    if name.strip().startswith("sim/"):
        raise UsageError(
            f"{shown(name, '')} is a simulated model and cannot judge; use lexical, or a model as PROVIDER/NAME"
        )


def _endpoint(name: str) -> str:
    """The model's address, without user and key; empty for the provider's own endpoint."""
    return shown_address(address_of(parse_model_name(name)) or "")


NEAR_THRESHOLD = (6.0, 7.0)
"""Scores for which one point more or less changes the verdict."""


@dataclass(slots=True)
class JudgeComparison:
    """How far two sets of verdicts on the same answers agree, over what a panel decided in shared turns."""

    shared: Counter[str] = field(default_factory=Counter)
    """Requirements per group with both verdicts."""
    differ: Counter[str] = field(default_factory=Counter)
    """Of these, those with opposite verdicts."""
    one_sided: int = 0
    """Requirements with a verdict in only one."""
    scores: int = 0
    """Scores in the new judging."""
    near: int = 0
    """Of these, those from 6 to 7."""
    kept: int = 0
    """Of these, those taken from the cache of scores."""

    def add(
        self,
        old: Sequence[Verdict],
        new: Sequence[Verdict],
        old_records: Sequence[JudgeRecord],
        new_records: Sequence[JudgeRecord],
    ) -> None:
        """Count one turn.

        Args:
            old: Its verdicts in the first judging.
            new: Its verdicts in the second, in the same order.
            old_records: The panel's scores in the first judging; none if it had no panel.
            new_records: Those in the second.
        """
        groups = {record.group for record in (*old_records, *new_records)}
        for before, after in zip(old, new, strict=True):
            if after.group not in groups:
                continue
            if before.satisfied is None or after.satisfied is None:
                self.one_sided += before.satisfied is not after.satisfied
                continue
            self.shared[after.group] += 1
            self.differ[after.group] += before.satisfied is not after.satisfied
        for score in (s for record in new_records for s in record.scores):
            if score.score is not None:
                self.scores += 1
                self.near += NEAR_THRESHOLD[0] <= score.score <= NEAR_THRESHOLD[1]
                self.kept += score.cached
