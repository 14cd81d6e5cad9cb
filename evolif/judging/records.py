"""The parts of a judgement: verdicts, and scores per criterion that a judge decides on; and the cache of scores."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from evolif.types import REPAIR, TOLD, Score, Usage, Verdict
from evolif.util.sqlite_file import SqliteFile

THRESHOLD = 6
"""A score above this, of 10, is accepted (paper §4.1)."""


@dataclass(frozen=True, slots=True)
class JudgeScore:
    """One judge model's score for one criterion."""

    judge: str
    """`provider/name` of the judge model."""
    score: float | None
    """1 to 10; None if there is no score, see `problem`."""
    rationale: str = ""
    """The judge's reason, shortened; hostile text."""
    problem: str = ""
    """Why there is no score."""
    cached: bool = False
    """Taken from the cache: it cost nothing."""
    attempts: int = 1
    """Calls to the model; 0 if cached."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of all calls, including those without a readable score."""
    served_by: str = ""
    """The exact model version the provider named."""
    temperature: float | None = 0.0
    """None if the model accepts none, so that the provider's default was used."""


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """The scores for one criterion, and the verdict they give."""

    group: str
    rule: str
    """`mean`, `majority` or `median` of the panel."""
    satisfied: bool | None
    """None if the panel reached no verdict: the criterion is not judged."""
    score: float | None
    """The mean or median of the scores (with `majority` the mean, for information)."""
    scores: tuple[JudgeScore, ...]
    """One per member of the panel, in its order."""
    rubric: str = ""
    """Version of the rubric."""
    reason: str = ""
    """Why there is no verdict, or why the answer failed without a call."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The effective verdicts, and those of a heuristic, which are reported separately."""

    verdicts: tuple[Verdict, ...]
    """One per requirement, in order; `satisfied` is None if it was not judged."""
    heuristic: tuple[Verdict, ...] = ()
    records: tuple[JudgeRecord, ...] = ()
    """One per criterion that a panel decided on, in the order of their verdicts."""
    scores: tuple[Score, ...] = ()
    """Numbers; unlike verdicts they do not drive patience."""

    @property
    def usage(self) -> Mapping[str, Usage]:
        """Tokens paid for these verdicts, per judge model; cached scores cost nothing."""
        return usage_of(score for record in self.records for score in record.scores)

    @property
    def calls(self) -> Mapping[str, int]:
        """Calls made for these verdicts, per judge model."""
        calls: dict[str, int] = {}
        for score in (s for record in self.records for s in record.scores):
            calls[score.judge] = calls.get(score.judge, 0) + score.attempts
        return calls


def with_feedback(judgement: Judgement, told: Verdict | None, repair: int) -> Judgement:
    """A judgement with what came of the person's reaction (`--feedback`), as scores beside the verdicts.

    Args:
        judgement: Of the answer to a prompt in which the person reacts to the answer before.
        told: The verdict on the requirement that the person said was missed; None if they named none that is still
            in force.
        repair: Which repair of a failed turn the prompt asked for, from 1; 0 if it asked for none.

    Example:
        >>> held = Verdict("bullets", True, "exactly 5", "5")
        >>> [(score.name, score.value) for score in with_feedback(Judgement((held,)), held, 1).scores]
        [('told/bullets', 1.0), ('repair/1', 1.0)]
    """
    scores = []
    if told is not None:
        value = None if told.satisfied is None else float(told.satisfied)
        scores.append(Score(f"{TOLD}/{told.group}", value, told.expected, told.found))
    if repair > 0:
        known = [verdict.satisfied for verdict in judgement.verdicts if verdict.satisfied is not None]
        scores.append(Score(f"{REPAIR}/{repair}", float(all(known)) if known else None))
    return replace(judgement, scores=(*judgement.scores, *scores)) if scores else judgement


def usage_of(scores: Iterable[JudgeScore]) -> Mapping[str, Usage]:
    """Tokens per judge model; models that were not called are left out."""
    spent: dict[str, Usage] = {}
    for score in scores:
        if score.attempts:
            spent[score.judge] = spent.get(score.judge, Usage()) + score.usage
    return spent


def dump_records(records: Iterable[JudgeRecord]) -> str:
    """The records as one line of JSON, for a store; empty for none."""
    objects = [_record_object(record) for record in records]
    return json.dumps(objects, ensure_ascii=True, separators=(",", ":")) if objects else ""


def load_records(text: str) -> tuple[JudgeRecord, ...]:
    """The records that `dump_records` wrote."""
    return tuple(_record(data) for data in json.loads(text)) if text else ()


_RECORD_FIELDS = ("group", "rule", "satisfied", "score", "rubric", "reason")
_SCORE_FIELDS = ("judge", "score", "rationale", "problem", "cached", "attempts", "served_by", "temperature")


def _record_object(record: JudgeRecord) -> dict[str, Any]:
    fields = {name: getattr(record, name) for name in _RECORD_FIELDS}
    return {**fields, "scores": [_score_object(score) for score in record.scores]}


def _score_object(score: JudgeScore) -> dict[str, Any]:
    return {
        "judge": score.judge,
        "score": score.score,
        "rationale": score.rationale,
        "problem": score.problem,
        "cached": score.cached,
        "attempts": score.attempts,
        "tokens": [score.usage.prompt_tokens, score.usage.completion_tokens],
        "served_by": score.served_by,
        "temperature": score.temperature,
    }


def _record(data: Mapping[str, Any]) -> JudgeRecord:
    scores = tuple(
        JudgeScore(usage=Usage(*score["tokens"]), **{name: score[name] for name in _SCORE_FIELDS})
        for score in data["scores"]
    )
    return JudgeRecord(scores=scores, **{name: data[name] for name in _RECORD_FIELDS})


CACHE_FILE = "judgements.sqlite"
"""The cache of scores in a run's folder."""


@dataclass(frozen=True, slots=True)
class CachedScore:
    """A cached score; missing scores are never cached."""

    score: float
    rationale: str
    served_by: str
    temperature: float | None


class JudgeCache(Protocol):
    """Stores scores by a hash of judge, rubric, criterion and text, so that no call is paid twice."""

    def get(self, key: str) -> CachedScore | None:
        """The score stored under a key."""
        ...

    def put(self, key: str, score: CachedScore) -> None:
        """Store a score durably."""
        ...

    def close(self) -> None:
        """Release resources."""
        ...


class MemoryJudgeCache:
    """Keeps scores in memory."""

    def __init__(self) -> None:
        self._scores: dict[str, CachedScore] = {}

    def get(self, key: str) -> CachedScore | None:
        return self._scores.get(key)

    def put(self, key: str, score: CachedScore) -> None:
        self._scores[key] = score

    def close(self) -> None:
        """Nothing to release."""


class SqliteJudgeCache:
    """Keeps scores in one small SQLite file; used by one thread at a time.

    Args:
        path: The file; created, in an existing folder, when the first score is looked up.
        earlier: Such a file of another run, whose scores are copied when `path` is opened. If it cannot be read, its
            scores are asked for again.

    Its calls raise `OutsideError` where the file cannot be used.
    """

    def __init__(self, path: Path, earlier: Path | None = None) -> None:
        self._earlier = earlier
        self._file = SqliteFile(
            path, _SCHEMA, lambda fault: f"the judge's scores cannot be stored in {path} ({fault})", self._copy_earlier
        )

    def get(self, key: str) -> CachedScore | None:
        with self._file.connection() as connection:
            row = connection.execute(
                "SELECT score, rationale, served_by, temperature FROM score WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else CachedScore(*row)

    def put(self, key: str, score: CachedScore) -> None:
        row = (key, score.score, score.rationale, score.served_by, score.temperature)
        with self._file.connection() as connection, connection:
            connection.execute("INSERT OR REPLACE INTO score VALUES (?, ?, ?, ?, ?)", row)

    def close(self) -> None:
        self._file.close()

    def _copy_earlier(self, connection: sqlite3.Connection) -> None:
        if self._earlier is None or not self._earlier.is_file():
            return
        with suppress(sqlite3.Error):  # a finished run on a medium that cannot be written, or a damaged file
            connection.execute("ATTACH DATABASE ? AS earlier", (f"{self._earlier.resolve().as_uri()}?mode=ro",))
            with connection:
                connection.execute("INSERT OR IGNORE INTO main.score SELECT * FROM earlier.score")
            connection.execute("DETACH DATABASE earlier")


_SCHEMA = """
CREATE TABLE IF NOT EXISTS score (
    key TEXT PRIMARY KEY,
    score REAL NOT NULL,
    rationale TEXT NOT NULL,
    served_by TEXT NOT NULL,
    temperature REAL
) WITHOUT ROWID
"""
