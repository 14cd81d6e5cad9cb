"""Generate catalogue entries with a chat model: request, lint, send findings back, append what passes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Generic

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.benchmark import append, cut_torn_line, writing
from evolif.errors import ContextOverflowError, InputError, ModelError, OutsideError, UsageError, WithheldError
from evolif.models import ModelOptions, ModelRef, Sampling, resolve_model, stored_name
from evolif.scenarios.instructions.catalogue.entries import EntryRow, RuleFault, next_number, read_rows
from evolif.scenarios.instructions.catalogue.index import E, EntryKind
from evolif.scenarios.instructions.structured import StructuredModel
from evolif.scenarios.instructions.synthesis.chat import read_object
from evolif.scenarios.instructions.synthesis.prompts import fill_slots
from evolif.text import clean, plural
from evolif.types import Message
from evolif.util.resources import complaint, data_path, load_data

ATTEMPTS = 3
"""Maximum attempts per entry, including the first."""
FRUITLESS = 5
"""Generation stops after this many failed entries without a single success."""
_FAULTS_IN_A_ROW = 3
_LOCAL_TOKENS = 500
"""Default maximum answer length of a local model: some never stop on their own."""
_LONGEST_ECHO = 8000
"""Characters of a model's own answer that are sent back to it."""

_Text = Annotated[str, Field(min_length=1)]


class PromptFile(BaseModel):
    """A file of `seeds/prompts/`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    system: _Text
    user: _Text
    mend: _Text
    kinds: tuple[_Text, ...] = ()
    angles: tuple[_Text, ...] = ()

    def opening(self, slots: Mapping[str, str]) -> tuple[Message, ...]:
        """The first messages; braces that name no slot are kept, because the prompts contain JSON."""
        return Message("system", fill_slots(self.system, slots)), Message("user", fill_slots(self.user, slots))

    def again(self, opening: Sequence[Message], answer: str, findings: Sequence[str]) -> tuple[Message, ...]:
        """The conversation that requests the same entry with its findings fixed."""
        listed = "\n".join(f"- {finding}" for finding in findings)
        echo = answer[:_LONGEST_ECHO].strip() or "(nothing)"
        return (*opening, Message("assistant", echo), Message("user", fill_slots(self.mend, {"findings": listed})))


@lru_cache(maxsize=4)
def load_prompts(name: str) -> PromptFile:
    """The prompt file of a kind of entry.

    Raises:
        InputError: the file lacks a part.
    """
    path = data_path("seeds", "prompts", f"{name}.yaml")
    try:
        return PromptFile.model_validate(load_data(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "prompts"), path=path) from None


@dataclass(slots=True)
class GenerationTally:
    """The run's counts so far."""

    kept: int = 0
    given_up: int = 0
    answers: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    last_findings: tuple[str, ...] = ()
    """Of the last rejected answer."""


TallyObserver = Callable[[GenerationTally], None]
"""Called when an entry is kept or given up."""


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """The result of a run."""

    tally: GenerationTally
    have: int
    """Requested entries now in the file, including those of earlier runs."""
    wanted: int
    """Entries that it should contain."""


@dataclass(frozen=True, slots=True)
class Job:
    """One entry to generate."""

    opening: tuple[Message, ...]
    """The messages that request it."""
    take: Callable[[str], tuple[str, ...]]
    """Stores the entry in an answer, or returns what is wrong with it; raises `OutsideError` where the disk fails."""


class EntryGenerator:
    """Generates entries concurrently.

    Args:
        model: The chat model, or its name.
        options: How it is reached and sampled.
        prompts: The prompts that request an entry and ask again.
        schema: The JSON schema of an answer.
        observe: Called when an entry is kept or given up.

    Raises:
        UsageError: no such model, no key, or a simulated one.
    """

    def __init__(
        self,
        model: ModelRef,
        options: ModelOptions | None,
        prompts: PromptFile,
        schema: Mapping[str, Any],
        observe: TallyObserver,
    ) -> None:
        self.name = stored_name(model)
        if self.name.startswith("sim/"):
            raise UsageError(f"{self.name} is a simulated model and cannot write entries; name a chat model")
        options = options or ModelOptions()
        client = resolve_model(model, options)
        self._connections = client.limit.slots
        sampling = options.sampling(model, local=Sampling(max_tokens=_LOCAL_TOKENS))
        self._model = StructuredModel(client.bounded(self._connections), sampling, self.name)
        self._opened_here = isinstance(model, str)
        self._prompts = prompts
        self._schema = schema
        self._observe = observe
        self._tally = GenerationTally()
        self._faults = 0
        """Faults of the provider since the last answer."""

    def run(self, jobs: Iterator[Job], wanted: int) -> GenerationTally:
        """Process jobs until enough entries are kept, or until too many fail at the start.

        Raises:
            ModelError: the provider failed permanently or repeatedly; kept entries stay.
            OutsideError: the disk failed, or the model gave nothing usable.
        """
        asyncio.run(self._run(jobs, wanted))
        tally = self._tally
        if tally.given_up and not tally.kept:
            raise OutsideError(
                f"{self.name} gave no entry that passes the lint in {plural(tally.answers, 'answer')} "
                f"(the last one: {_brief(tally.last_findings)}); nothing was written. Try a larger model"
            )
        return tally

    async def _run(self, jobs: Iterator[Job], wanted: int) -> None:
        running: set[asyncio.Task[None]] = set()
        try:
            while True:
                # Never run more jobs than entries needed: each may succeed.
                while len(running) < min(self._connections, wanted - self._tally.kept) and not self._is_hopeless():
                    job = next(jobs, None)
                    if job is None:
                        break
                    running.add(asyncio.create_task(self._make(job)))
                if not running:
                    return
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            if self._opened_here:
                await self._model.aclose()

    def _is_hopeless(self) -> bool:
        return not self._tally.kept and self._tally.given_up >= FRUITLESS

    async def _make(self, job: Job) -> None:
        kept = False
        try:
            kept = await self._attempt(job)
        except (WithheldError, ContextOverflowError) as refusal:
            self._tally.last_findings = (str(refusal),)
        except ModelError as fault:
            self._faults += 1
            if not fault.retryable or self._faults >= _FAULTS_IN_A_ROW:
                raise
            self._tally.last_findings = (str(fault),)
        self._tally.kept += kept
        self._tally.given_up += not kept
        self._observe(self._tally)

    async def _attempt(self, job: Job) -> bool:
        messages = job.opening
        for _ in range(ATTEMPTS):
            answer = await self._model.ask(messages, self._schema)
            self._faults = 0
            self._tally.answers += 1
            self._tally.prompt_tokens += answer.usage.prompt_tokens
            self._tally.completion_tokens += answer.usage.completion_tokens
            findings = job.take(answer.text)
            if not findings:
                return True
            if answer.truncated:
                findings = ("the answer was cut at the token limit; write less", *findings)
            self._tally.last_findings = findings
            messages = self._prompts.again(job.opening, answer.text, findings)
        return False


def _brief(findings: Sequence[str]) -> str:
    first = findings[0] if findings else "nothing at all"
    more = f", and {len(findings) - 1} more findings" if len(findings) > 1 else ""
    return first[:300] + more


class EntryFile(Generic[E]):
    """A JSONL file of entries; each new entry is checked against the existing ones.

    Args:
        path: The file.
        kind: The kind of its entries.
        rows: Its lines.
    """

    def __init__(self, path: Path, kind: EntryKind[E], rows: Sequence[EntryRow]) -> None:
        self._path = path
        self._kind = kind
        self._index = kind.index()
        self._line = max((row.line for row in rows), default=0)
        self._letter = kind.name[0].upper()
        self._number = next_number(self._letter, rows)
        self.objects = [row.data for row in rows if row.data is not None]
        """The objects in the file when it was opened."""
        self.entries: list[E] = []
        """The entries in the file."""
        for row in rows:
            entry, _ = kind.read(row.data or {})
            if entry is not None:
                self._add(entry, row.line)

    def append(
        self, fields: Mapping[str, Any], further: Callable[[E], Iterable[RuleFault]] = lambda _: ()
    ) -> list[RuleFault]:
        """Append an entry durably under the next id, or return its faults.

        Args:
            fields: Its fields except the id.
            further: Rules in addition to the lint's.

        Raises:
            OutsideError: the disk failed.
        """
        data = {"id": f"{self._letter}{self._number:03d}", **fields}
        entry, faults = self._kind.read(data)
        if entry is not None:
            faults += [*self._kind.faults(entry), *self._index.clashes(entry), *further(entry)]
        if entry is None or faults:
            return faults
        with writing(self._path, "free disk space or fix permissions"):
            append(self._path, json.dumps(data, ensure_ascii=False) + "\n")
        self._line += 1
        self._number += 1
        self._add(entry, self._line)
        return []

    def _add(self, entry: E, line: int) -> None:
        self._index.add(entry, line)
        self.entries.append(entry)


@contextmanager
def open_entries(path: Path, kind: EntryKind[E]) -> Iterator[EntryFile[E]]:
    """Open a file to append to, for one process at a time; a missing one is created with its first entry.

    Raises:
        InputError: it contains something other than entries.
        UsageError: another process writes to it.
        OutsideError: the file or its folder cannot be written.
    """
    from filelock import FileLock, Timeout

    with writing(path.parent, "choose another location"):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise UsageError(
                f"another evolif process is writing to {path}; wait for it, or name another file"
            ) from None
    try:
        yield EntryFile(path, kind, _whole_rows(path, kind) if path.exists() else [])
    finally:
        lock.release()


def _whole_rows(path: Path, kind: EntryKind[E]) -> list[EntryRow]:
    """The lines of a file; an incomplete last line is cut."""
    rows = list(read_rows(path))
    broken = next((row for row in rows if row.data is None), None)
    if broken is None:
        return rows
    if broken is rows[-1] and path.read_bytes().rpartition(b"\n")[2].startswith(b'{"id"'):
        try:
            cut_torn_line(path)
        except OSError as fault:
            raise OutsideError(f"{path} cannot be repaired ({fault.strerror}); make it writable") from None
        return rows[:-1]
    raise InputError(
        f"{broken.faults[0].message}; fix it (evolif {kind.name}s lint shows all problems) or name another file",
        path=path,
        line=broken.line,
    )


_WRAPPERS = ("topic", "topics", "persona", "personas", "task", "tasks", "result", "answer", "output", "data")
_PLAIN = str.maketrans({"’": "'", "‘": "'"})


def fields_of(answer: str, *names: str) -> Mapping[str, Any] | None:
    """The object with all these fields in a model's answer, which is hostile input; also looks inside wrappers."""
    candidates: list[object] = [read_object(answer, names[0])]
    for wrapper in _WRAPPERS:
        inner = (read_object(answer, wrapper) or {}).get(wrapper)
        candidates.append(inner[0] if isinstance(inner, list) and inner else inner)
    objects = (found for found in candidates if isinstance(found, dict))
    return next((found for found in objects if found.keys() >= set(names)), None)


def line_of(value: object) -> str:
    """A string as one clean line; empty for other values."""
    if not isinstance(value, str):
        return ""
    return " ".join(clean(value).translate(_PLAIN).split()).strip(' "“”')
