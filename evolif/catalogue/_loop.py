"""The loop that makes entries with a chat model: ask, lint, feed the findings back, keep what is good."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Protocol

from evolif._errors import ContextOverflowError, ModelError, OutsideError, UsageError, WithheldError
from evolif.catalogue._prompts import PromptFile
from evolif.domain import Message
from evolif.models import DEFAULT_RETRIES, Asked, Sampling, open_model, parse_model_name

ATTEMPTS = 3
"""Answers that a model may give for one entry, the first included."""
FRUITLESS = 5
"""Entries given up from the start on, without one that was kept, after which nothing more is asked."""
_FAULTS_IN_A_ROW = 3
_LOCAL_TOKENS = 500
"""Longest answer of a local model where nothing else is asked for: some never come to an end of themselves."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Which model is asked and how; None leaves a value to the provider."""

    model: str
    base_url: str | None = None
    max_retries: int = DEFAULT_RETRIES
    timeout: float | None = None
    """Seconds for one request."""
    temperature: float | None = None
    max_tokens: int | None = None
    max_connections: int | None = None

    def open(self) -> tuple[Asked, int]:
        """The model, and how many entries it is worth asking for at a time.

        Raises:
            UsageError: no such model, no key, or a simulated one.
        """
        name = parse_model_name(self.model)
        if name.provider == "sim":
            raise UsageError(f"{name} does not chat and can write nothing; name a chat model")
        client = open_model(self.model, base_url=self.base_url, max_retries=self.max_retries, timeout=self.timeout)
        longest = self.max_tokens or (_LOCAL_TOKENS if name.provider == "local" else None)
        connections = self.max_connections or client.connections
        # The name is stored with what the model writes: of a local file only its own name, not its folder.
        stored = f"local/{PurePath(name.name).name}" if name.provider == "local" else name.label
        return Asked(client, Sampling(self.temperature, longest), connections, stored), connections


@dataclass(slots=True)
class Tally:
    """What became of the entries asked for."""

    kept: int = 0
    given_up: int = 0
    answers: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    last_findings: tuple[str, ...] = ()
    """Of the last answer that was not kept."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a run came to."""

    tally: Tally
    have: int
    """Entries asked for that the file holds now, those of earlier runs included."""
    wanted: int
    """Entries that it should hold."""


class Job(Protocol):
    """One entry to be made."""

    @property
    def opening(self) -> tuple[Message, ...]:
        """The messages that ask for it."""
        ...

    def take(self, answer: str) -> tuple[str, ...]:
        """Keep the entry in a model's answer, or say what is wrong with it.

        Raises:
            OutsideError: it is good but could not be stored.
        """
        ...


Observer = Callable[[Tally], None]
"""Told whenever an entry was kept or given up."""


@dataclass(slots=True)
class Workshop:
    """Makes entries side by side.

    Args:
        asked: The model.
        prompts: The file whose `mend` asks again.
        schema: The JSON schema of an answer.
        connections: Entries asked for at a time.
        observe: Told of each that is done with.
    """

    asked: Asked
    prompts: PromptFile
    schema: Mapping[str, Any]
    connections: int
    observe: Observer
    tally: Tally = field(default_factory=Tally)
    _faults: int = 0
    """Faults of the provider since the last answer."""

    async def make(self, jobs: Iterator[Job], wanted: int) -> None:
        """Work through the jobs until enough entries are kept, or it is no use.

        Raises:
            ModelError: the provider failed for good, or again and again; what was kept is kept.
            OutsideError: the disk failed.
        """
        flying: set[asyncio.Task[None]] = set()
        try:
            while True:
                # Never more at a time than are wanted still: each of them may turn out well.
                while len(flying) < min(self.connections, wanted - self.tally.kept) and not self._is_no_use():
                    job = next(jobs, None)
                    if job is None:
                        break
                    flying.add(asyncio.create_task(self._one(job)))
                if not flying:
                    return
                done, flying = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in flying:
                task.cancel()
            await asyncio.gather(*flying, return_exceptions=True)

    def _is_no_use(self) -> bool:
        return not self.tally.kept and self.tally.given_up >= FRUITLESS

    async def _one(self, job: Job) -> None:
        kept = False
        try:
            kept = await self._attempts(job)
        except (WithheldError, ContextOverflowError) as refusal:
            self.tally.last_findings = (str(refusal),)
        except ModelError as fault:
            self._faults += 1
            if not fault.retryable or self._faults >= _FAULTS_IN_A_ROW:
                raise
            self.tally.last_findings = (str(fault),)
        self.tally.kept += kept
        self.tally.given_up += not kept
        self.observe(self.tally)

    async def _attempts(self, job: Job) -> bool:
        messages: tuple[Message, ...] = job.opening
        for _ in range(ATTEMPTS):
            heard = await self.asked.ask(messages, self.schema)
            self._faults = 0
            self.tally.answers += 1
            self.tally.prompt_tokens += heard.usage.prompt_tokens
            self.tally.completion_tokens += heard.usage.completion_tokens
            findings = job.take(heard.text)
            if not findings:
                return True
            if heard.truncated:
                findings = ("the answer was cut at the token limit; write less", *findings)
            self.tally.last_findings = findings
            messages = self.prompts.again(job.opening, heard.text, findings)
        return False


def run(workshop: Workshop, jobs: Iterator[Job], wanted: int) -> Tally:
    """Run a workshop to its end, and close the model.

    Raises:
        ModelError: the provider failed; what was kept is kept.
        OutsideError: the disk failed, or the model gave nothing that could be kept.
    """

    async def main() -> None:
        try:
            await workshop.make(jobs, wanted)
        finally:
            await workshop.asked.aclose()

    asyncio.run(main())
    tally = workshop.tally
    if tally.given_up and not tally.kept:
        raise OutsideError(
            f"{workshop.asked.name} gave nothing that passes the lint in {tally.answers} answers "
            f"(the last one: {_brief(tally.last_findings)}); nothing was written. Try a larger model"
        )
    return tally


def _brief(findings: Sequence[str]) -> str:
    first = findings[0] if findings else "nothing at all"
    more = f", and {len(findings) - 1} more findings" if len(findings) > 1 else ""
    return first[:300] + more
