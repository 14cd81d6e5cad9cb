"""The loop that makes entries with a chat model: ask, lint, feed the findings back, keep what is good."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.catalogue.entries import EntryRow, read_rows
from evolif.errors import ContextOverflowError, InputError, ModelError, OutsideError, UsageError, WithheldError
from evolif.instructions import append, cut_torn_line
from evolif.models import ModelOptions, ModelRef, Sampling, StructuredModel, resolve_model, stored_name
from evolif.resources import complaint, data_path, load_yaml
from evolif.synthesis import read_object
from evolif.text import clean
from evolif.types import Message

# The prompt files for making entries, and their slots filled.

_Text = Annotated[str, Field(min_length=1)]
_SLOT = re.compile(r"\{([a-z]+)\}")
_BLANK_LINES = re.compile(r"\n{3,}")
_LONGEST_ECHO = 8000
"""Characters of its own answer that a model is shown again."""


class PromptFile(BaseModel):
    """A file of `seeds/prompts/`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    system: _Text
    user: _Text
    mend: _Text
    kinds: tuple[_Text, ...] = ()
    angles: tuple[_Text, ...] = ()

    def opening(self, slots: Mapping[str, str]) -> tuple[Message, ...]:
        """The first messages; what fills a slot is never read for slots again."""
        return Message("system", _fill(self.system, slots)), Message("user", _fill(self.user, slots))

    def again(self, opening: Sequence[Message], answer: str, findings: Sequence[str]) -> tuple[Message, ...]:
        """The conversation that asks for the same entry with its findings mended."""
        told = "\n".join(f"- {finding}" for finding in findings)
        said = answer[:_LONGEST_ECHO].strip() or "(nothing)"
        return (*opening, Message("assistant", said), Message("user", _fill(self.mend, {"findings": told})))


@lru_cache(maxsize=4)
def load_prompts(name: str) -> PromptFile:
    """The prompt file of a kind of entry.

    Raises:
        InputError: the file lacks a part.
    """
    path = data_path("seeds", "prompts", f"{name}.yaml")
    try:
        return PromptFile.model_validate(load_yaml(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "prompts"), path=path) from None


def _fill(text: str, slots: Mapping[str, str]) -> str:
    """Braces that name no slot stay: the prompts show JSON."""
    filled = _SLOT.sub(lambda match: slots.get(match[1], match[0]), text)
    return _BLANK_LINES.sub("\n\n", filled).strip()


ATTEMPTS = 3
"""Answers that a model may give for one entry, the first included."""
FRUITLESS = 5
"""Entries given up from the start on, without one that was kept, after which nothing more is asked."""
_FAULTS_IN_A_ROW = 3
_LOCAL_TOKENS = 500
"""Longest answer of a local model where nothing else is asked for: some never come to an end of themselves."""


def open_writer(model: ModelRef, options: ModelOptions) -> StructuredModel:
    """Open the model that writes entries.

    Raises:
        UsageError: no such model, no key, or a simulated one.
    """
    name = stored_name(model)
    if name.startswith("sim/"):
        raise UsageError(f"{name} does not chat and can write nothing; name a chat model")
    client = resolve_model(model, options)
    sampling = options.sampling(model, local=Sampling(max_tokens=_LOCAL_TOKENS))
    return StructuredModel(client.bounded(client.limit.places), sampling, name)


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
class GenerationResult:
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


TallyObserver = Callable[[Tally], None]
"""Told whenever an entry was kept or given up."""


@dataclass(slots=True)
class EntryGenerator:
    """Makes entries side by side.

    Args:
        asked: The model.
        prompts: The file whose `mend` asks again.
        schema: The JSON schema of an answer.
        connections: Entries asked for at a time.
        observe: Told of each that is done with.
    """

    asked: StructuredModel
    prompts: PromptFile
    schema: Mapping[str, Any]
    connections: int
    observe: TallyObserver
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


def run(workshop: EntryGenerator, jobs: Iterator[Job], wanted: int) -> Tally:
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


# The file that new entries go to: one writer at a time, every entry on disk as soon as it is had.


class OutFile:
    """A JSONL file that entries are appended to."""

    def __init__(self, path: Path, rows: tuple[EntryRow, ...]) -> None:
        self.path = path
        self.rows = rows
        """What stood in it when it was opened."""
        self._line = max((row.line for row in rows), default=0)

    def append(self, entry: Mapping[str, Any]) -> int:
        """Append an entry durably; returns its line.

        Raises:
            OutsideError: the disk failed.
        """
        try:
            append(self.path, json.dumps(entry, ensure_ascii=False) + "\n")
        except OSError as fault:
            raise OutsideError(f"{self.path} cannot be written ({fault.strerror}); free or mend that place") from None
        self._line += 1
        return self._line


@contextmanager
def opened(path: Path, kind: str) -> Iterator[OutFile]:
    """Open a file to go on with, or one that is not there yet: it is made with its first entry.

    Args:
        path: The file.
        kind: `topics` or `personas`, as the command line calls them.

    Raises:
        InputError: it holds something else than entries.
        UsageError: another process writes to it.
        OutsideError: it, or its folder, cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0)
        lock.acquire()
    except Timeout:
        raise UsageError(f"another evolif writes to {path} just now; wait for it, or name another file") from None
    except OSError as fault:
        raise OutsideError(f"{path.parent} cannot be written ({fault.strerror}); name another place") from None
    try:
        yield OutFile(path, tuple(_whole(path, kind)) if path.exists() else ())
    finally:
        lock.release()


def _whole(path: Path, kind: str) -> list[EntryRow]:
    """The lines that are there; a last one that was torn by a crash is cut."""
    rows = list(read_rows(path))
    broken = [row for row in rows if row.data is None]
    if broken and broken[0] is rows[-1] and _is_torn(path):
        try:
            cut_torn_line(path)
        except OSError as fault:
            raise OutsideError(f"{path} cannot be mended ({fault.strerror}); make it writable") from None
        return rows[:-1]
    if broken:
        raise InputError(
            f"{broken[0].faults[0].message}; mend it (evolif {kind} lint shows all) or name another file",
            path=path,
            line=broken[0].line,
        )
    return rows


def _is_torn(path: Path) -> bool:
    """Whether the last line is the beginning of an entry and has no end."""
    tail = path.read_bytes().rpartition(b"\n")[2]
    return tail.startswith(b'{"id"')


# From a model's answer to the fields that were asked for; it is hostile input, and nothing is evaluated.

_WRAPPERS = ("topic", "topics", "persona", "personas", "task", "tasks", "result", "answer", "output", "data")
_PLAIN = str.maketrans({"’": "'", "‘": "'"})


def fields_of(answer: str, *names: str) -> Mapping[str, Any] | None:
    """The object of an answer that has all these fields, also one layer down; None where there is none."""
    candidates: list[object] = [read_object(answer, names[0])]
    for wrapper in _WRAPPERS:
        inner = (read_object(answer, wrapper) or {}).get(wrapper)
        candidates.append(inner[0] if isinstance(inner, list) and inner else inner)
    objects = (found for found in candidates if isinstance(found, dict))
    return next((found for found in objects if found.keys() >= set(names)), None)


def line_of(value: object) -> str:
    """A text as one clean line; empty where it is no text."""
    if not isinstance(value, str):
        return ""
    return " ".join(clean(value).translate(_PLAIN).split()).strip(' "“”')
