"""What is kept of a judgement: verdicts, and per subjective constraint who scored what and why."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from evolif.errors import OutsideError
from evolif.types import Usage, Verdict

THRESHOLD = 6
"""A score above this, of 10, is accepted (paper §4.1)."""


@dataclass(frozen=True, slots=True)
class JudgeScore:
    """What one judge model made of one constraint."""

    judge: str
    """`provider/name` of the judge model."""
    score: float | None
    """1 to 10; None where no score could be had, see `problem`."""
    rationale: str = ""
    """The judge's one sentence, cut to a length; hostile text like any other of a model."""
    problem: str = ""
    """Why there is no score."""
    cached: bool = False
    """Taken from an earlier call for the same text and question: it cost nothing."""
    attempts: int = 1
    """Calls it took; 0 where it was cached."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of all its calls, those whose answer could not be read included."""
    served_by: str = ""
    """The exact model version the provider named."""
    temperature: float | None = 0.0
    """None where the model refuses to be told one, so that its provider's own was used."""


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """How the verdict on one subjective constraint came about."""

    group: str
    rule: str
    """`mean`, `majority` or `median` of the panel."""
    satisfied: bool | None
    """None where the panel came to no verdict: the constraint is not judged."""
    score: float | None
    """The mean or median of the scores that were had (with `majority` their mean, for information)."""
    scores: tuple[JudgeScore, ...]
    """One per member of the panel, in its order."""
    rubric: str = ""
    """Version of the rubric that was applied."""
    reason: str = ""
    """Why there is no verdict, or why the answer failed without anybody being asked."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts that count, and those of a heuristic that stand in a table of their own."""

    verdicts: tuple[Verdict, ...]
    """One per constraint, in order; `satisfied` is None where nobody judged a subjective one or no verdict was had."""
    heuristic: tuple[Verdict, ...] = ()
    records: tuple[JudgeRecord, ...] = ()
    """One per subjective constraint that a panel was asked about."""

    @property
    def usage(self) -> Mapping[str, Usage]:
        """Tokens paid for these verdicts, per judge model; what came from the cache costs nothing."""
        return usage_of(self.records)

    @property
    def calls(self) -> Mapping[str, int]:
        """Calls made for these verdicts, per judge model."""
        made: dict[str, int] = {}
        for score in (s for record in self.records for s in record.scores):
            made[score.judge] = made.get(score.judge, 0) + score.attempts
        return made


def usage_of(records: Iterable[JudgeRecord]) -> Mapping[str, Usage]:
    """Tokens per judge model; models that were not asked are left out."""
    spent: dict[str, Usage] = {}
    for score in (s for record in records for s in record.scores if s.attempts):
        spent[score.judge] = add_usage(spent.get(score.judge, Usage()), score.usage)
    return spent


def add_usage(first: Usage, second: Usage) -> Usage:
    """Both together."""
    return Usage(first.prompt_tokens + second.prompt_tokens, first.completion_tokens + second.completion_tokens)


def dump_records(records: Iterable[JudgeRecord]) -> str:
    """The records as one line of JSON, for a store; empty for none."""
    told = [_record_object(record) for record in records]
    return json.dumps(told, ensure_ascii=True, separators=(",", ":")) if told else ""


def load_records(text: str) -> tuple[JudgeRecord, ...]:
    """The records that `dump_records` wrote."""
    return tuple(_record(data) for data in json.loads(text)) if text else ()


def _record_object(record: JudgeRecord) -> dict[str, Any]:
    return {
        "group": record.group,
        "rule": record.rule,
        "satisfied": record.satisfied,
        "score": record.score,
        "rubric": record.rubric,
        "reason": record.reason,
        "scores": [
            {
                "judge": s.judge,
                "score": s.score,
                "rationale": s.rationale,
                "problem": s.problem,
                "cached": s.cached,
                "attempts": s.attempts,
                "tokens": [s.usage.prompt_tokens, s.usage.completion_tokens],
                "served_by": s.served_by,
                "temperature": s.temperature,
            }
            for s in record.scores
        ],
    }


def _record(data: Mapping[str, Any]) -> JudgeRecord:
    scores = tuple(
        JudgeScore(
            s["judge"],
            s["score"],
            s["rationale"],
            s["problem"],
            s["cached"],
            s["attempts"],
            Usage(*s["tokens"]),
            s["served_by"],
            s["temperature"],
        )
        for s in data["scores"]
    )
    return JudgeRecord(
        data["group"], data["rule"], data["satisfied"], data["score"], scores, data["rubric"], data["reason"]
    )


# Scores kept by content: the same judge asked the same about the same text costs nothing a second time.

CACHE_FILE = "judgements.sqlite"
"""The cache's file in a run's folder."""


@dataclass(frozen=True, slots=True)
class CachedScore:
    """A score that was had; only scores are kept, never that there was none."""

    score: float
    rationale: str
    served_by: str
    temperature: float | None


class JudgeCache(Protocol):
    """Where scores are kept. The key is a hash of judge, rubric, constraint and text."""

    def get(self, key: str) -> CachedScore | None:
        """The score kept under a key."""
        ...

    def put(self, key: str, score: CachedScore) -> None:
        """Keep a score, durably before the call returns."""
        ...

    def close(self) -> None:
        """Release what is held."""
        ...


class MemoryJudgeCache:
    """Keeps scores for as long as the program runs."""

    def __init__(self) -> None:
        self._scores: dict[str, CachedScore] = {}

    def get(self, key: str) -> CachedScore | None:
        """The score kept under a key."""
        return self._scores.get(key)

    def put(self, key: str, score: CachedScore) -> None:
        """Keep a score."""
        self._scores[key] = score

    def close(self) -> None:
        """Nothing is held."""


class SqliteJudgeCache:
    """Keeps scores in one small SQLite file; used by one thread at a time.

    Args:
        path: The file; made, in a folder that is there, when the first score is looked for.
        earlier: Such a file of another run; what it holds is taken over when `path` is opened. Where it cannot be read,
            scores are asked for again.

    Its calls raise `OutsideError` where the file cannot be used.
    """

    def __init__(self, path: Path, earlier: Path | None = None) -> None:
        self._path = path
        self._earlier = earlier
        self._opened: sqlite3.Connection | None = None

    def get(self, key: str) -> CachedScore | None:
        """The score kept under a key."""
        with self._faults() as connection:
            row = connection.execute(
                "SELECT score, rationale, served_by, temperature FROM score WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else CachedScore(*row)

    def put(self, key: str, score: CachedScore) -> None:
        """Keep a score; committed before this returns."""
        row = (key, score.score, score.rationale, score.served_by, score.temperature)
        with self._faults() as connection, connection:
            connection.execute("INSERT OR REPLACE INTO score VALUES (?, ?, ?, ?, ?)", row)

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            connection = sqlite3.connect(self._path.resolve().as_uri(), timeout=30, check_same_thread=False, uri=True)
            try:
                for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", _SCHEMA):
                    connection.execute(statement)
                self._take_over(connection)
            except BaseException:
                connection.close()
                raise
            self._opened = connection
        return self._opened

    def _take_over(self, connection: sqlite3.Connection) -> None:
        if self._earlier is None or not self._earlier.is_file():
            return
        with suppress(sqlite3.Error):  # a finished run on a medium that cannot be written, or a damaged file
            connection.execute("ATTACH DATABASE ? AS earlier", (f"{self._earlier.resolve().as_uri()}?mode=ro",))
            with connection:
                connection.execute("INSERT OR IGNORE INTO main.score SELECT * FROM earlier.score")
            connection.execute("DETACH DATABASE earlier")

    @contextmanager
    def _faults(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection()
        except (sqlite3.Error, OSError) as fault:
            raise OutsideError(f"the judge's scores cannot be kept in {self._path} ({fault})") from None


_SCHEMA = """
CREATE TABLE IF NOT EXISTS score (
    key TEXT PRIMARY KEY,
    score REAL NOT NULL,
    rationale TEXT NOT NULL,
    served_by TEXT NOT NULL,
    temperature REAL
) WITHOUT ROWID
"""
