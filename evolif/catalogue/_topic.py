"""A topic as the lint sees it: read leniently, and the rules that need no other topic."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from evolif._json_lines import complaint
from evolif.catalogue._findings import Fault
from evolif.catalogue._keywords import keyword_faults, stems_of
from evolif.catalogue._patterns import load_patterns
from evolif.catalogue._rows import text_of, texts_of
from evolif.catalogue._words import contains, stem, words
from evolif.tracker import TopicModel

PROMPT_WORDS = (12, 50)
LONGEST_TITLE = 80
"""Characters."""
KEYWORDS_IN_PROMPT = 2
LONGEST_ID = 40

_TITLE_END = re.compile(r"[.!?,;:]\Z")


@dataclass(frozen=True, slots=True)
class TopicEntry:
    """A topic whose fields could be read."""

    id: str
    domain: str
    title: str
    prompt: str
    keywords: tuple[str, ...]


def read_topic(data: Mapping[str, Any]) -> tuple[TopicEntry | None, list[Fault]]:
    """The topic of an object, None where a field is missing; and what is wrong with its fields."""
    faults: list[Fault] = []
    texts = {name: text_of(data, name, faults) for name in ("id", "domain", "title", "prompt")}
    keywords = texts_of(data, "keywords", faults)
    whole = not faults
    faults += _verification(data)
    return (TopicEntry(**texts, keywords=keywords) if whole else None), faults


def topic_faults(topic: TopicEntry) -> list[Fault]:
    """What a topic has wrong, looked at alone."""
    faults = [fault for rule in _RULES for fault in rule(topic)]
    return faults or _loading(topic)


def _verification(data: Mapping[str, Any]) -> list[Fault]:
    """`verified_by`, where it is given, names different people."""
    if "verified_by" not in data:
        return []
    faults: list[Fault] = []
    names = texts_of(data, "verified_by", faults)
    if len({name.casefold().strip() for name in names}) < len(names):
        faults.append(
            Fault("verified", "“verified_by” names one person twice", "have a second person verify the topic")
        )
    return faults


def _id(topic: TopicEntry) -> Iterator[Fault]:
    if len(topic.id) > LONGEST_ID or topic.id != topic.id.strip():
        yield Fault("id", f"the id “{topic.id[:LONGEST_ID]}” is long or has spaces around it", "give it a short name")


def _title(topic: TopicEntry) -> Iterator[Fault]:
    first = topic.title.strip().split()[0]
    mend = "write a noun phrase that can follow “back to”, such as “the fog in the valley”"
    if _TITLE_END.search(topic.title.strip()):
        yield Fault("title", "the title ends like a sentence", mend)
    if first[0].isupper() and first[1:].islower():
        yield Fault("title", f"the title starts with a capital letter (“{first}”)", mend)
    if len(topic.title) > LONGEST_TITLE:
        yield Fault("title", f"the title has {len(topic.title)} characters (at most {LONGEST_TITLE})", mend)


def _prompt(topic: TopicEntry) -> Iterator[Fault]:
    low, high = PROMPT_WORDS
    count = len(topic.prompt.split())
    if not low <= count <= high:
        yield Fault("prompt", f"the prompt has {count} words", f"write {low} to {high} words")
    if topic.prompt.strip()[-1] not in ".?!":
        yield Fault("prompt", "the prompt does not end like a sentence", "end it with a full stop or a question mark")


def _constraints(topic: TopicEntry) -> Iterator[Fault]:
    for match in load_patterns("seeds", "constraint-words.yaml").search(topic.prompt):
        said = f"the prompt holds a constraint on the answer ({match.category}): “{match.found}”"
        yield Fault("constraint", said, "leave it out; the constraints are drawn and said turn by turn")


def _keywords(topic: TopicEntry) -> Iterator[Fault]:
    yield from keyword_faults(topic.keywords)


def _use(topic: TopicEntry) -> Iterator[Fault]:
    """Keywords belong to the task: some of them stand in its own words."""
    prompt, title = (tuple(map(stem, words(text))) for text in (topic.prompt, topic.title))
    keywords = {keyword: stems_of(keyword) for keyword in topic.keywords}
    used = [keyword for keyword, stems in keywords.items() if stems and contains(prompt, stems)]
    if len(used) < KEYWORDS_IN_PROMPT:
        said = f"{len(used) or 'none'} of the keywords in the prompt" + (f" (“{used[0]}”)" if used else "")
        yield Fault("keyword-use", said, f"take at least {KEYWORDS_IN_PROMPT} keywords from the prompt's own words")
    if not any(stems and contains(title, stems) for stems in keywords.values()):
        yield Fault("keyword-use", "none of the keywords in the title", "take a keyword from the title's own words")


def _loading(topic: TopicEntry) -> list[Fault]:
    """Whatever else keeps `evolif generate` from reading the topic."""
    try:
        TopicModel.model_validate(
            {"id": topic.id, "prompt": topic.prompt, "keywords": list(topic.keywords), "title": topic.title}
        )
    except ValidationError as fault:
        return [Fault("fields", complaint(fault, "topic"), "mend that field")]
    return []


_RULES: tuple[Callable[[TopicEntry], Iterator[Fault]], ...] = (
    _id,
    _title,
    _prompt,
    _constraints,
    _keywords,
    _use,
)
