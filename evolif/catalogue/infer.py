"""`evolif personas infer`: speaking styles out of messages, without anything that identifies who wrote them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from evolif.catalogue.entries import RuleFault, next_number
from evolif.catalogue.generate import (
    EntryGenerator,
    GenerationResult,
    Job,
    OutFile,
    Tally,
    TallyObserver,
    fields_of,
    line_of,
    load_prompts,
    open_writer,
    opened,
    run,
)
from evolif.catalogue.index import RunIndex, function_words, is_number, words
from evolif.catalogue.personas import PHRASES, PersonaEntry, PersonaIndex, names_in, persona_faults, read_persona
from evolif.errors import InputError
from evolif.models import ModelOptions, ModelRef
from evolif.rng import Purpose, Stream
from evolif.synthesis import registers
from evolif.text import clean
from evolif.types import Message

# What personas are inferred from: a file of messages or of lines about people, one a line.

FIELDS = ("text", "persona", "sentence")
"""Fields of a JSONL line that may hold the text."""
LONGEST = 4000
"""Characters of a text that a model is shown."""


@dataclass(frozen=True, slots=True)
class MessageSource:
    """One text."""

    line: int
    text: str
    mark: str
    """Tells what a persona came from without telling the text: a digest of this line and all lines before it."""


def read_sources(path: Path) -> list[MessageSource]:
    """The texts of a file.

    A line that is a JSON object gives its field `text`, `persona` or `sentence`; any other line is a text itself.

    Raises:
        InputError: not readable, a JSON object without such a field, or no text at all.
    """
    try:
        if not path.is_file():
            raise InputError("is no file; name a text or JSONL file with one message a line", path=path)
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8; save it as UTF-8", path=path) from None
    found: list[MessageSource] = []
    mark = b""
    for number, line in enumerate(lines, 1):
        text = " ".join(clean(_text(line, number, path)).split())[:LONGEST]
        if text:
            mark = blake2b(mark + text.encode(), digest_size=8).digest()
            found.append(MessageSource(number, text, mark.hex()))
    if not found:
        raise InputError("holds no message", path=path)
    return found


def _text(line: str, number: int, path: Path) -> str:
    is_jsonl = path.suffix.lower() == ".jsonl"
    if not line.strip() or not (is_jsonl or line.lstrip().startswith("{")):
        return line
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        if is_jsonl:
            raise InputError("not JSON; mend or delete the line", path=path, line=number) from None
        return line
    if isinstance(data, str):
        return data
    texts = [data[name] for name in FIELDS if isinstance(data.get(name), str)] if isinstance(data, dict) else []
    if not texts:
        raise InputError(
            f"has none of the fields {', '.join(FIELDS)}; name the text by one of them", path=path, line=number
        )
    return str(texts[0])


QUOTED = 4
"""Words in a row that a persona may not have in common with its source."""
_OPENING = re.compile(r"(?:ing|ed|ly)\Z")


def infer_personas(
    source: Path,
    out: Path,
    model: ModelRef,
    *,
    seed: int,
    limit: int | None = None,
    options: ModelOptions | None = None,
    observe: TallyObserver = lambda _: None,
) -> GenerationResult:
    """Infer a persona from every text of a file; the same call goes on where one was broken off.

    Args:
        source: A text or JSONL file with one message, or one line about a person, a line.
        out: The JSONL file, new or of personas; every new persona is linted against all that are there.
        model: The chat model, or its name.
        seed: Draws the marks that fence the texts off.
        limit: Only the first so many texts.
        options: How the model is reached and sampled.
        observe: Told whenever a persona was kept or given up.

    Returns:
        What became of the texts.

    Raises:
        UsageError: an unknown model, or somebody else is writing to the file.
        InputError: a file that cannot be read.
        OutsideError: the provider or the disk failed, or the model gave nothing usable; what was kept is kept.
    """
    sources = read_sources(source)[:limit]
    options = options or ModelOptions()
    asked = open_writer(model, options)
    with opened(out, "personas") as file:
        desk = _PersonaQueue(file, asked.name, seed)
        todo = [one for one in sources if one.mark not in desk.done]
        if not todo:
            return GenerationResult(Tally(), len(sources), len(sources))
        schema = _schema()
        workshop = EntryGenerator(asked, load_prompts("persona"), schema, asked.connections, observe)
        tally = run(workshop, desk.jobs(todo), len(todo))
        return GenerationResult(tally, len(sources) - len(todo) + tally.kept, len(sources))


def _schema() -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {
            "sentence": {"type": "string"},
            "phrases": {"type": "array", "items": {"type": "string"}},
            "register": {"type": "string", "enum": list(registers())},
        },
        "required": ["sentence", "phrases", "register"],
        "additionalProperties": False,
    }


class _PersonaQueue:
    """The personas of the file, and the next one's number."""

    def __init__(self, file: OutFile, model: str, seed: int) -> None:
        self._file = file
        self._model = model
        self._seed = seed
        self._index = PersonaIndex()
        for row in file.rows:
            entry, _ = read_persona(row.data or {})
            if entry is not None:
                self._index.add(entry, row.line)
        self.done = {str(row.data["inferred"]) for row in file.rows if row.data and "inferred" in row.data}
        """Marks of the texts that have their persona."""
        self._next = next_number("P", file.rows)

    def jobs(self, sources: list[MessageSource]) -> Iterator[Job]:
        """One job a text."""
        for source in sources:
            yield _PersonaJob(self, source, Stream(self._seed, Purpose.PERSONA_WRITING, source.line))

    def take(self, source: MessageSource, sentence: str, phrases: list[str], register: str) -> tuple[str, ...]:
        data = {
            "id": f"P{self._next:03d}",
            "sentence": sentence,
            "phrases": phrases,
            "register": register,
            "source": self._model,
            "inferred": source.mark,
        }
        entry, faults = read_persona(data)
        if entry is not None:
            faults += [*persona_faults(entry), *self._index.clashes(entry), *_identifying(entry, source.text)]
        if entry is None or faults:
            return tuple(f"{fault.message}; {fault.mend}" for fault in faults)
        self._index.add(entry, self._file.append(data))
        self._next += 1
        return ()


class _PersonaJob:
    """One persona to be made."""

    def __init__(self, desk: _PersonaQueue, source: MessageSource, stream: Stream) -> None:
        self._desk = desk
        self._source = source
        # A mark that the text cannot know, so that it cannot pretend to end.
        fence = f"=== {stream.below(10**12):012d} ==="
        slots = {"registers": ", ".join(registers()), "text": source.text, "fence": fence}
        self._opening = load_prompts("persona").opening(slots)

    @property
    def opening(self) -> tuple[Message, ...]:
        return self._opening

    def take(self, answer: str) -> tuple[str, ...]:
        found = fields_of(answer, "sentence", "phrases", "register")
        if found is None:
            return ("the answer holds no JSON object with sentence, phrases and register",)
        offered = found["phrases"] if isinstance(found["phrases"], list) else []
        phrases = [line_of(phrase).rstrip(".,;!") for phrase in offered]
        phrases = [phrase[:1].lower() + phrase[1:] for phrase in dict.fromkeys(filter(None, phrases))]
        register = line_of(found["register"]).lower()
        return self._desk.take(self._source, line_of(found["sentence"]), phrases[: PHRASES[1]], register)


def _identifying(persona: PersonaEntry, source: str) -> Iterator[RuleFault]:
    """What a persona has from its source and should not, and what could be a name at its beginning."""
    quoted = RunIndex(QUOTED)
    quoted.add(source, 0)
    own = (persona.sentence, *persona.phrases)
    for text in own:
        for run_ in quoted.find(text):
            yield RuleFault("quoted", f"“{' '.join(run_.words)}” is quoted from the material", "say it in other words")
    held = {word for text in own for word in words(text)}
    named = {word for name in names_in(source) for word in words(name)} | set(filter(str.isdigit, words(source)))
    for word in sorted(held & named - function_words()):
        yield RuleFault("borrowed", f"“{word}” is taken from the material", "choose other circumstances")
    first = words(persona.sentence)[:1]
    if first and not (first[0] in function_words() or is_number(first[0]) or _OPENING.search(first[0])):
        yield RuleFault(
            "sentence", f"the sentence starts with “{first[0]}”, which could be a name", "start it with “A”"
        )
