"""What synthesizing one turn came to, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from evolif.domain import Finding, TurnStatus, Usage

Outcome = Literal["accepted", "repaired", "flagged"]
Role = Literal["synthesizer", "checker"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The words of one turn after at most k attempts."""

    query: str
    findings: tuple[Finding, ...]
    """What is held against the words; empty where they passed."""
    attempts: int
    usage: Usage
    """Tokens of the synthesizer and the checker together."""
    note: str = ""
    """What a reader should know of words that passed all the same."""

    @property
    def status(self) -> TurnStatus:
        """Flagged where something is held against the words."""
        return "flagged" if self.findings else "verified"

    @property
    def outcome(self) -> Outcome:
        """Accepted at first try, repaired, or flagged."""
        if self.findings:
            return "flagged"
        return "accepted" if self.attempts == 1 else "repaired"

    @property
    def told(self) -> tuple[str, ...]:
        """Findings, or else the note, as a benchmark line keeps them."""
        if self.findings:
            return tuple(f"{finding.checker}: {finding.message}" for finding in self.findings)
        return (self.note,) if self.note else ()


@dataclass(slots=True)
class Meter:
    """Counts what one turn costs and what was found on the way; kept by whoever pays, also where a call fails."""

    calls: dict[Role, int] = field(default_factory=dict)
    usage: dict[Role, Usage] = field(default_factory=dict)
    failed: list[tuple[str, ...]] = field(default_factory=list)
    """Per failed attempt the checkers that found something."""

    def add(self, role: Role, usage: Usage) -> None:
        """Count one call."""
        before = self.usage.get(role, Usage())
        self.calls[role] = self.calls.get(role, 0) + 1
        self.usage[role] = Usage(
            before.prompt_tokens + usage.prompt_tokens, before.completion_tokens + usage.completion_tokens
        )

    def failed_attempt(self, findings: tuple[Finding, ...]) -> None:
        """Count an attempt that did not pass."""
        self.failed.append(tuple(sorted({finding.checker for finding in findings})))

    @property
    def total(self) -> Usage:
        """Tokens of all roles."""
        return Usage(
            sum(usage.prompt_tokens for usage in self.usage.values()),
            sum(usage.completion_tokens for usage in self.usage.values()),
        )
