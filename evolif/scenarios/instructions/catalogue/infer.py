"""`evolif personas infer`: speaking styles inferred from messages, without anything that identifies their authors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path

from evolif.errors import InputError
from evolif.models import ModelOptions, ModelRef
from evolif.scenarios.instructions.catalogue.entries import RuleFault
from evolif.scenarios.instructions.catalogue.generate import (
    EntryFile,
    EntryGenerator,
    GenerationResult,
    GenerationTally,
    Job,
    TallyObserver,
    fields_of,
    line_of,
    load_prompts,
    open_entries,
)
from evolif.scenarios.instructions.catalogue.index import RunIndex, function_words, is_number, words
from evolif.scenarios.instructions.catalogue.personas import PERSONAS, PHRASES, names_in
from evolif.scenarios.instructions.synthesis import object_schema, registers
from evolif.scenarios.instructions.turns import Persona
from evolif.text import clean
from evolif.util.rng import Purpose, Stream

FIELDS = ("text", "persona", "sentence")
"""Fields of a JSONL line that may hold the text."""
LONGEST = 4000
"""Characters of a text that are sent to the model."""


@dataclass(frozen=True, slots=True)
class MessageSource:
    """One message, or one line about a person."""

    line: int
    text: str
    mark: str
    """Identifies a persona's source without its text: a digest of this line and all earlier lines."""


def read_sources(path: Path) -> list[MessageSource]:
    """The texts of a file.

    For a JSON object, the field `text`, `persona` or `sentence` is used; any other line is a text itself.

    Raises:
        InputError: not readable, a JSON object without such a field, or no text.
    """
    try:
        if not path.is_file():
            raise InputError("is not a file; name a text or JSONL file with one message per line", path=path)
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
        raise InputError("contains no message", path=path)
    return found


def _text(line: str, number: int, path: Path) -> str:
    is_jsonl = path.suffix.lower() == ".jsonl"
    if not line.strip() or not (is_jsonl or line.lstrip().startswith("{")):
        return line
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        if is_jsonl:
            raise InputError("not JSON; fix or delete the line", path=path, line=number) from None
        return line
    if isinstance(data, str):
        return data
    texts = [data[name] for name in FIELDS if isinstance(data.get(name), str)] if isinstance(data, dict) else []
    if not texts:
        raise InputError(
            f"has none of the fields {', '.join(FIELDS)}; put the text in one of them", path=path, line=number
        )
    return str(texts[0])


QUOTED = 4
"""Consecutive words that a persona must not share with its source."""
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
    """Infer a persona from every text of a file; the same call resumes an interrupted one.

    Args:
        source: A text or JSONL file with one message, or one line about a person, a line.
        out: The JSONL file, new or with personas; every new persona is linted against all others.
        model: The chat model, or its name.
        seed: Draws the marks around the texts.
        limit: Maximum number of texts.
        options: How the model is reached and sampled.
        observe: Called when a persona is kept or given up.

    Returns:
        Counts, and how many texts have a persona.

    Raises:
        UsageError: an unknown model, or another process writes to the file.
        InputError: a file that cannot be read.
        OutsideError: the provider or the disk failed, or the model gave nothing usable; kept personas stay.
    """
    sources = read_sources(source)[:limit]
    schema = object_schema(
        sentence={"type": "string"},
        phrases={"type": "array", "items": {"type": "string"}},
        register={"type": "string", "enum": list(registers())},
    )
    generator = EntryGenerator(model, options, load_prompts("persona"), schema, observe)
    with open_entries(out, PERSONAS) as file:
        done = {str(data["inferred"]) for data in file.objects if "inferred" in data}
        todo = [one for one in sources if one.mark not in done]
        if not todo:
            return GenerationResult(GenerationTally(), len(sources), len(sources))
        tally = generator.run(_jobs(todo, file, generator.name, seed), len(todo))
        return GenerationResult(tally, len(sources) - len(todo) + tally.kept, len(sources))


def _jobs(sources: Sequence[MessageSource], file: EntryFile[Persona], model: str, seed: int) -> Iterator[Job]:
    """One job per text."""
    for source in sources:
        # An unpredictable mark, so that the text cannot fake its end.
        fence = f"=== {Stream(seed, Purpose.PERSONA_WRITING, source.line).below(10**12):012d} ==="
        slots = {"registers": ", ".join(registers()), "text": source.text, "fence": fence}
        yield Job(load_prompts("persona").opening(slots), partial(_take, file, model, source))


def _take(file: EntryFile[Persona], model: str, source: MessageSource, answer: str) -> tuple[str, ...]:
    found = fields_of(answer, "sentence", "phrases", "register")
    if found is None:
        return ("the answer contains no JSON object with sentence, phrases and register",)
    offered = found["phrases"] if isinstance(found["phrases"], list) else []
    phrases = [line_of(phrase).rstrip(".,;!") for phrase in offered]
    phrases = [phrase[:1].lower() + phrase[1:] for phrase in dict.fromkeys(filter(None, phrases))]
    fields = {
        "sentence": line_of(found["sentence"]),
        "phrases": phrases[: PHRASES[1]],
        "register": line_of(found["register"]).lower(),
        "source": model,
        "inferred": source.mark,
    }
    return tuple(map(str, file.append(fields, lambda entry: _identifying(entry, source.text))))


def _identifying(persona: Persona, source: str) -> Iterator[RuleFault]:
    """Overlaps with the source that could identify its author, and a first word that could be a name."""
    quoted = RunIndex(QUOTED)
    quoted.add(source, 0)
    texts = (persona.sentence, *persona.phrases)
    for text in texts:
        for run in quoted.find(text):
            yield RuleFault("quoted", f"“{' '.join(run.words)}” is quoted from the material", "rephrase it")
    used = {word for text in texts for word in words(text)}
    named = {word for name in names_in(source) for word in words(name)} | set(filter(str.isdigit, words(source)))
    for word in sorted(used & named - function_words()):
        yield RuleFault("borrowed", f"“{word}” is taken from the material", "choose other circumstances")
    first = words(persona.sentence)[:1]
    if first and not (first[0] in function_words() or is_number(first[0]) or _OPENING.search(first[0])):
        yield RuleFault(
            "sentence", f"the sentence starts with “{first[0]}”, which could be a name", "start it with “A”"
        )
