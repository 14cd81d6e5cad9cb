"""`evolif topics write`: topics of a domain, made with a chat model and linted one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
from evolif.catalogue.index import contains, stem, words
from evolif.catalogue.topics import (
    KEYWORDS,
    RARE_LETTERS,
    SAME_LETTER,
    SINGLE_WORDS,
    TopicIndex,
    form_faults,
    read_topic,
    singulars_of,
    stems_of,
    topic_faults,
)
from evolif.errors import UsageError
from evolif.models import ModelOptions, ModelRef
from evolif.rng import Purpose, Stream
from evolif.types import Message

# Twenty keywords out of those that a model offered: what is plainly wrong is left out before anybody complains.

_PLAIN = str.maketrans({"’": "'", "‘": "'", "‐": "-", "‑": "-", "–": "-", "_": " "})
_MOST_OFFERED = 60


def pick(offered: object, prompt: str, title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The best twenty keywords, or all that are any good; and what is wrong with the others.

    Args:
        offered: What stood under `keywords`: a list of texts, or one text with commas.
        prompt: The prompt; keywords out of it go first.
        title: The title, likewise.
    """
    good, faults = _good(_texts(offered))
    said = (tuple(map(stem, words(title))), tuple(map(stem, words(prompt))))
    used = [word for text in said for word in good if contains(text, stems_of(word))]
    rare = [word for word in good if word[0] in RARE_LETTERS]
    firsts = list({word[0]: word for word in reversed(good)}.values())[::-1]
    return _within_limits([*used, *rare[:1], *firsts, *good]), tuple(faults)


def _texts(offered: object) -> list[str]:
    if isinstance(offered, str):
        offered = offered.split(",")
    items = offered[:_MOST_OFFERED] if isinstance(offered, list) else []
    texts = [" ".join(item.translate(_PLAIN).lower().split()) for item in items if isinstance(item, str)]
    return list(dict.fromkeys(filter(None, (text.strip(" .,;:!?\"'*") for text in texts))))


def _good(offered: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those of good form that neither hold an earlier one nor are held by it."""
    good: list[str] = []
    faults: list[str] = []
    reduced: list[tuple[str, ...]] = []
    for keyword in offered:
        wrong = [fault.message for fault in form_faults(keyword)]
        parts = singulars_of(keyword)
        near = next((word for word, other in zip(good, reduced, strict=True) if _touch(parts, other)), None)
        if near is not None:
            wrong.append(f"the keywords “{keyword}” and “{near}” hold the same word")
        if wrong:
            faults += wrong
        else:
            good.append(keyword)
            reduced.append(parts)
    return good, faults


def _touch(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return contains(some, others) or contains(others, some)


def _within_limits(ordered: Sequence[str]) -> tuple[str, ...]:
    chosen: list[str] = []
    letters: Counter[str] = Counter()
    phrases = 0
    for keyword in dict.fromkeys(ordered):
        is_phrase = " " in keyword
        if letters[keyword[0]] >= SAME_LETTER or phrases + is_phrase > KEYWORDS - SINGLE_WORDS:
            continue
        if len(chosen) < KEYWORDS:
            chosen.append(keyword)
            letters[keyword[0]] += 1
            phrases += is_phrase
    return tuple(chosen)


_TITLES_SHOWN = 40
_LONGEST_DOMAIN = 60
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "prompt": {"type": "string"},
        "keywords": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["title", "prompt", "keywords"],
    "additionalProperties": False,
}


def write_topics(
    out: Path,
    domain: str,
    count: int,
    model: ModelRef,
    *,
    seed: int,
    options: ModelOptions | None = None,
    observe: TallyObserver = lambda _: None,
) -> GenerationResult:
    """Write topics until the file holds `count` of the domain; the same call goes on where one was broken off.

    Args:
        out: The JSONL file, new or of topics; every new topic is linted against all that are there.
        domain: What the topics are about, such as “beekeeping”.
        count: Topics of the domain that the file should hold in the end.
        model: The chat model, or its name.
        seed: What kind of task each call asks for is drawn with it.
        options: How the model is reached and sampled.
        observe: Told whenever a topic was kept or given up.

    Returns:
        What became of the topics asked for.

    Raises:
        UsageError: an unknown model, an empty domain, or somebody else is writing to the file.
        InputError: the file holds something else than topics.
        OutsideError: the provider or the disk failed, or the model gave nothing usable; what was kept is kept.
    """
    domain = " ".join(domain.split())
    if not domain or not domain.isprintable() or len(domain) > _LONGEST_DOMAIN:
        raise UsageError(f"a domain is a few words, {_LONGEST_DOMAIN} characters at most, such as “beekeeping”")
    options = options or ModelOptions()
    asked = open_writer(model, options)
    with opened(out, "topics") as file:
        desk = _TopicQueue(file, domain, asked.name, seed)
        wanted = count - desk.have
        if wanted < 1:
            return GenerationResult(Tally(), desk.have, desk.have)
        workshop = EntryGenerator(asked, load_prompts("topic"), _SCHEMA, asked.connections, observe)
        # Some will be given up: as many again may be tried before the rest is left to another call.
        tally = run(workshop, desk.jobs(2 * wanted), wanted)
        return GenerationResult(tally, desk.have, count)


class _TopicQueue:
    """The topics of the file, and the next one's number."""

    def __init__(self, file: OutFile, domain: str, model: str, seed: int) -> None:
        self.domain = domain
        self._file = file
        self._model = model
        self._seed = seed
        self._index = TopicIndex()
        self._titles: list[str] = []
        for row in file.rows:
            entry, _ = read_topic(row.data or {})
            if entry is not None:
                self._index.add(entry, row.line)
                if " ".join(entry.domain.split()).casefold() == domain.casefold():
                    self._titles.append(entry.title)
        self._next = next_number("T", file.rows)

    @property
    def have(self) -> int:
        """Topics of the domain so far."""
        return len(self._titles)

    def jobs(self, most: int) -> Iterator[Job]:
        """Jobs one after the other, each opened with the titles that are there when it begins."""
        start = self.have
        for number in range(start, start + most):
            yield _TopicJob(self, Stream(self._seed, Purpose.TOPIC_WRITING, start, number))

    def opening(self, stream: Stream) -> tuple[Message, ...]:
        prompts = load_prompts("topic")
        shown = self._titles if len(self._titles) <= _TITLES_SHOWN else stream.sample(self._titles, _TITLES_SHOWN)
        told = "\n".join(f"- {title}" for title in shown)
        slots = {
            "domain": self.domain,
            "kind": stream.choice(prompts.kinds),
            "angle": stream.choice(prompts.angles),
            "titles": f"There are these already; invent something else:\n{told}" if told else "",
        }
        return prompts.opening(slots)

    def take(self, title: str, prompt: str, offered: object) -> tuple[str, ...]:
        keywords, dropped = pick(offered, prompt, title)
        data = {
            "id": f"T{self._next:03d}",
            "domain": self.domain,
            "title": title,
            "prompt": prompt,
            "keywords": list(keywords),
            "verified_by": [],
            "source": self._model,
        }
        entry, faults = read_topic(data)
        if entry is not None:
            faults += [*topic_faults(entry), *self._index.clashes(entry)]
        if entry is None or faults:
            few = dropped if len(keywords) < KEYWORDS else ()
            return (*map(_told, faults), *few)
        self._index.add(entry, self._file.append(data))
        self._titles.append(title)
        self._next += 1
        return ()


class _TopicJob:
    """One topic to be made."""

    def __init__(self, desk: _TopicQueue, stream: Stream) -> None:
        self._desk = desk
        self._opening = desk.opening(stream)

    @property
    def opening(self) -> tuple[Message, ...]:
        return self._opening

    def take(self, answer: str) -> tuple[str, ...]:
        found = fields_of(answer, "prompt", "title", "keywords")
        if found is None:
            return ("the answer holds no JSON object with title, prompt and keywords",)
        title = line_of(found["title"]).rstrip(".")
        first = title.split(" ")[0]
        if first in {"The", "A", "An", "My", "Our"}:
            title = first.lower() + title[len(first) :]
        return self._desk.take(title, line_of(found["prompt"]), found["keywords"])


def _told(fault: RuleFault) -> str:
    return f"{fault.message}; {fault.mend}"
