"""`synthesis.jsonl`: what wording each turn came to and cost; apart from what the models under test cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.benchmark._files import append, cut_torn_line
from evolif.domain import Usage
from evolif.synthesis.agent import Attempt, Meter

FILE = "synthesis.jsonl"

_Count = Annotated[int, Field(ge=0, lt=2**53)]


class _Tokens(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    calls: _Count = 0
    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0


class SynthesisRecord(BaseModel):
    """One line: one turn worded, or broken off by a fault."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    dialogue: _Count
    turn: _Count
    synthesizer: str
    outcome: Literal["accepted", "repaired", "flagged", "broken off"]
    """Accepted at first try, repaired, flagged; or a fault came between and the turn is asked for again."""
    attempts: _Count
    played: Literal["as worded", "template"] = "as worded"
    """`template` where a turn that was needed at once was flagged, and the template's words were stored instead."""
    failed: tuple[tuple[str, ...], ...] = ()
    """Per failed attempt the checkers that found something."""
    cost: dict[Literal["synthesizer", "checker"], _Tokens] = {}

    @classmethod
    def of(
        cls, where: tuple[int, int], name: str, attempt: Attempt | None, meter: Meter, *, template: bool = False
    ) -> SynthesisRecord:
        """The record of a turn.

        Args:
            where: Dialogue and turn.
            name: The synthesizer.
            attempt: What came of it; None where a fault broke it off.
            meter: What it cost.
            template: Whether the template's words were stored instead.
        """
        return cls(
            dialogue=where[0],
            turn=where[1],
            synthesizer=name,
            outcome="broken off" if attempt is None else attempt.outcome,
            attempts=len(meter.failed) if attempt is None else attempt.attempts,
            played="template" if template else "as worded",
            failed=tuple(meter.failed),
            cost={
                role: _Tokens(
                    calls=meter.calls[role],
                    prompt_tokens=usage.prompt_tokens,
                    completion_tokens=usage.completion_tokens,
                )
                for role, usage in meter.usage.items()
            },
        )

    def usage(self, role: Literal["synthesizer", "checker"]) -> Usage:
        """Tokens of a role."""
        cost = self.cost.get(role, _Tokens())
        return Usage(cost.prompt_tokens, cost.completion_tokens)


def add_record(root: Path, record: SynthesisRecord) -> None:
    """Append a record durably; the caller holds the benchmark's lock."""
    path = root / FILE
    if path.exists():
        cut_torn_line(path)
    append(path, json.dumps(record.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":")) + "\n")


def read_records(root: Path) -> Iterator[SynthesisRecord]:
    """The records of a benchmark; lines that cannot be read are passed over, for nothing is decided by them."""
    path = root / FILE
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                yield SynthesisRecord.model_validate(json.loads(line))
            except (ValidationError, ValueError, RecursionError):
                continue


@dataclass(slots=True)
class Rates:
    """What a synthesizer's turns came to: counts, and tokens with those of broken-off turns."""

    turns: int = 0
    accepted: int = 0
    repaired: int = 0
    flagged: int = 0
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    checker_calls: int = 0
    checker_usage: Usage = field(default_factory=Usage)


def rates(records: Iterable[SynthesisRecord]) -> dict[str, Rates]:
    """Rates per synthesizer; of a turn that was worded twice the last record counts, and the cost of both."""
    told: dict[str, Rates] = {}
    last: dict[tuple[int, int], SynthesisRecord] = {}
    for record in records:
        sums = told.setdefault(record.synthesizer, Rates())
        sums.calls += record.cost.get("synthesizer", _Tokens()).calls
        sums.usage = _plus(sums.usage, record.usage("synthesizer"))
        sums.checker_calls += record.cost.get("checker", _Tokens()).calls
        sums.checker_usage = _plus(sums.checker_usage, record.usage("checker"))
        if record.outcome != "broken off":
            last[record.dialogue, record.turn] = record
    for record in last.values():
        sums = told[record.synthesizer]
        sums.turns += 1
        setattr(sums, record.outcome, getattr(sums, record.outcome) + 1)
    return told


def _plus(one: Usage, other: Usage) -> Usage:
    return Usage(one.prompt_tokens + other.prompt_tokens, one.completion_tokens + other.completion_tokens)
