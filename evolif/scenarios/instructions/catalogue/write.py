"""`evolif topics write`: topics of a domain, written by a chat model and linted one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from evolif.errors import UsageError
from evolif.models import ModelOptions, ModelRef
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
from evolif.scenarios.instructions.catalogue.index import contains, stem, words
from evolif.scenarios.instructions.catalogue.topics import (
    KEYWORDS,
    RARE_LETTERS,
    SAME_LETTER,
    SINGLE_WORDS,
    TOPICS,
    form_faults,
    singulars_of,
    stems_of,
)
from evolif.scenarios.instructions.synthesis import object_schema
from evolif.scenarios.instructions.tracker.lives import load_facts
from evolif.scenarios.instructions.turns import Topic
from evolif.types import Message
from evolif.util.rng import Purpose, Stream

_PLAIN = str.maketrans({"’": "'", "‘": "'", "‐": "-", "‑": "-", "–": "-", "_": " "})
_MOST_OFFERED = 60


def pick(offered: object, prompt: str, title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The best twenty keywords, or all good ones if fewer, and the faults of the rest.

    Args:
        offered: The model's `keywords`: a list of texts, or one text with commas.
        prompt: The prompt; its keywords come first.
        title: The title; its keywords come next.
    """
    good, faults = _good(_texts(offered))
    texts = (tuple(map(stem, words(title))), tuple(map(stem, words(prompt))))
    used = [word for text in texts for word in good if contains(text, stems_of(word))]
    rare = [word for word in good if word[0] in RARE_LETTERS]
    firsts = list({word[0]: word for word in reversed(good)}.values())[::-1]
    return _within_limits([*used, *rare[:1], *firsts, *good]), tuple(faults)


def _texts(offered: object) -> list[str]:
    if isinstance(offered, str):
        offered = offered.split(",")
    items = offered[:_MOST_OFFERED] if isinstance(offered, list) else []
    texts = [" ".join(item.translate(_PLAIN).lower().split()) for item in items if isinstance(item, str)]
    return list(dict.fromkeys(filter(None, (text.strip(" .,;:!?\"'*") for text in texts))))


def _facts(offered: object) -> list[str]:
    items = offered[:_MOST_OFFERED] if isinstance(offered, list) else []
    return [item.strip() for item in items if isinstance(item, str)]


def _good(offered: Sequence[str]) -> tuple[list[str], list[str]]:
    """Well-formed keywords that neither contain an earlier one nor are contained in it, and the faults of the rest."""
    good: list[str] = []
    faults: list[str] = []
    reduced: list[tuple[str, ...]] = []
    for keyword in offered:
        wrong = [fault.message for fault in form_faults(keyword)]
        parts = singulars_of(keyword)
        pairs = zip(good, reduced, strict=True)
        near = next((word for word, other in pairs if contains(parts, other) or contains(other, parts)), None)
        if near is not None:
            wrong.append(f"the keywords “{keyword}” and “{near}” contain the same word")
        if wrong:
            faults += wrong
        else:
            good.append(keyword)
            reduced.append(parts)
    return good, faults


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
_SCHEMA = object_schema(
    title={"type": "string"},
    prompt={"type": "string"},
    keywords={"type": "array", "items": {"type": "string"}},
    asker={"type": "array", "items": {"type": "string"}},
)


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
    """Write topics until the file holds `count` of the domain; the same call resumes an interrupted one.

    Args:
        out: The JSONL file, new or with topics; every new topic is linted against all others.
        domain: What the topics are about, such as “beekeeping”.
        count: Topics of the domain that the file should contain.
        model: The chat model, or its name.
        seed: Draws the kind of task that each call requests.
        options: How the model is reached and sampled.
        observe: Called when a topic is kept or given up.

    Returns:
        Counts, and how many topics of the domain the file contains.

    Raises:
        UsageError: an unknown model, an empty domain, or another process writes to the file.
        InputError: the file contains something other than topics.
        OutsideError: the provider or the disk failed, or the model gave nothing usable; kept topics stay.
    """
    domain = " ".join(domain.split())
    if not domain or not domain.isprintable() or len(domain) > _LONGEST_DOMAIN:
        raise UsageError(f"a domain is a few words, {_LONGEST_DOMAIN} characters at most, such as “beekeeping”")
    generator = EntryGenerator(model, options, load_prompts("topic"), _SCHEMA, observe)
    with open_entries(out, TOPICS) as file:
        writer = _TopicWriter(file, domain, generator.name, seed)
        have = len(writer.titles)
        if have >= count:
            return GenerationResult(GenerationTally(), have, have)
        tally = generator.run(writer.jobs(count - have), count - have)
        return GenerationResult(tally, len(writer.titles), count)


class _TopicWriter:
    """Requests topics of a domain and stores them."""

    def __init__(self, file: EntryFile[Topic], domain: str, model: str, seed: int) -> None:
        self._file = file
        self._domain = domain
        self._model = model
        self._seed = seed
        same = (topic for topic in file.entries if " ".join(topic.domain.split()).casefold() == domain.casefold())
        self.titles = [topic.title for topic in same]
        """Titles of the domain's topics so far."""

    def jobs(self, wanted: int) -> Iterator[Job]:
        """Jobs in sequence, each with the titles known when it starts."""
        start = len(self.titles)
        # Some will fail: twice the number is tried at most; another call can resume.
        for number in range(start, start + 2 * wanted):
            yield Job(self._opening(Stream(self._seed, Purpose.TOPIC_WRITING, start, number)), self._take)

    def _opening(self, stream: Stream) -> tuple[Message, ...]:
        prompts = load_prompts("topic")
        shown = self.titles if len(self.titles) <= _TITLES_SHOWN else stream.sample(self.titles, _TITLES_SHOWN)
        titles = "\n".join(f"- {title}" for title in shown)
        slots = {
            "domain": self._domain,
            "kind": stream.choice(prompts.kinds),
            "angle": stream.choice(prompts.angles),
            "facts": "\n".join(f"- {name}: {means}" for name, means in load_facts().means.items()),
            "titles": f"There are these already; invent something else:\n{titles}" if titles else "",
        }
        return prompts.opening(slots)

    def _take(self, answer: str) -> tuple[str, ...]:
        found = fields_of(answer, "prompt", "title", "keywords")
        if found is None:
            return ("the answer contains no JSON object with title, prompt and keywords",)
        prompt, title = line_of(found["prompt"]), line_of(found["title"]).rstrip(".")
        first = title.split(" ")[0]
        if first in {"The", "A", "An", "My", "Our"}:
            title = first.lower() + title[len(first) :]
        keywords, dropped = pick(found["keywords"], prompt, title)
        faults = self._file.append(
            {
                "domain": self._domain,
                "title": title,
                "prompt": prompt,
                "keywords": list(keywords),
                "asker": load_facts().going_together(_facts(found.get("asker"))),
                "verified_by": [],
                "source": self._model,
            }
        )
        if faults:
            return (*map(str, faults), *(dropped if len(keywords) < KEYWORDS else ()))
        self.titles.append(title)
        return ()
