"""A topic as the lint sees it: read leniently, and the rules that need no other topic."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from evolif.catalogue.entries import NearestPairs, Pair, RuleFault, text_of, texts_of
from evolif.catalogue.index import (
    ALIKE_SHAPE,
    NUMBER_WORDS,
    Near,
    OverlapIndex,
    RunIndex,
    contains,
    content_stems,
    function_words,
    listed,
    shape_runs,
    singular,
    stem,
    words,
)
from evolif.catalogue.personas import load_patterns
from evolif.resources import complaint
from evolif.tracker import TopicModel

# Rules on the keywords of one topic: what constraints can count, forbid, and put at an edge.

KEYWORDS = 20
SINGLE_WORDS = 14
LONGEST_KEYWORD = 22
"""Characters."""
MOST_WORDS = 3
FIRST_LETTERS = 10
"""Different first letters that a topic needs."""
SAME_LETTER = 4
"""Keywords that may share a first letter."""
RARE_LETTERS = frozenset("jkquvxyz")

_SMALL_NUMBERS = NUMBER_WORDS - {"hundred", "thousand", "million", "dozen"}
_LOOSE = frozenset(
    "a an the this that these those of to for with from by at and or but nor if as my your his her its our their not no"
    " is are was were be".split()
)
"""Words at whose side a phrase is cut off; *lower back* and *watering can* are whole."""
_FORM = re.compile(r"[a-z0-9]+(?:[ -][a-z0-9]+)*")


def keyword_faults(keywords: Sequence[str]) -> Iterator[RuleFault]:
    """What the keywords of a topic have wrong, one by one and together."""
    for keyword in dict.fromkeys(keywords):
        yield from form_faults(keyword)
    yield from _number(keywords)
    yield from _inside(keywords)
    yield from _letters(keywords)


def form_faults(keyword: str) -> Iterator[RuleFault]:
    """What one keyword has wrong."""
    said = f"the keyword “{keyword[:60]}”"
    if not _FORM.fullmatch(keyword):
        yield RuleFault(
            "keyword-form", f"{said} is not in plain small letters", "use a–z, 0–9, single spaces and hyphens inside"
        )
    if len(keyword) > LONGEST_KEYWORD:
        yield RuleFault("keyword-form", f"{said} has {len(keyword)} characters", f"keep to {LONGEST_KEYWORD}")
    parts = words(keyword)
    if not parts:
        return
    if len(keyword.split()) > MOST_WORDS:
        yield RuleFault("keyword-form", f"{said} has more than {MOST_WORDS} words", "shorten it")
    if all(part.isdigit() or part in _SMALL_NUMBERS for part in parts):
        yield RuleFault("keyword-form", f"{said} is only a number", "take a word that an answer would repeat")
    elif len(keyword) == 1:
        yield RuleFault("keyword-form", f"{said} is a single letter", "take a word")
    elif keyword in function_words():
        yield RuleFault("keyword-common", f"{said} is a word that no text can do without", "take a word of the subject")
    elif " " in keyword and (loose := [part for part in (parts[0], parts[-1]) if part in _LOOSE]):
        yield RuleFault(
            "keyword-common", f"{said} starts or ends with “{loose[0]}”", "cut it down to its content words"
        )


@lru_cache(maxsize=50_000)
def stems_of(keyword: str) -> tuple[str, ...]:
    """The stems of a keyword's words."""
    return tuple(map(stem, words(keyword)))


@lru_cache(maxsize=50_000)
def singulars_of(keyword: str) -> tuple[str, ...]:
    """A keyword's words without plural."""
    return tuple(map(singular, words(keyword)))


def _number(keywords: Sequence[str]) -> Iterator[RuleFault]:
    if len(keywords) != KEYWORDS:
        yield RuleFault("keywords", f"has {len(keywords)} keywords", f"give it {KEYWORDS}")
    single = sum(" " not in keyword for keyword in keywords)
    if single < SINGLE_WORDS:
        yield RuleFault("keywords", f"only {single} keywords are single words", f"have at least {SINGLE_WORDS}")


def _inside(keywords: Sequence[str]) -> Iterator[RuleFault]:
    """A keyword inside another could be forbidden where the other is asked for."""
    by_words: dict[tuple[str, ...], str] = {}
    for keyword in keywords:
        parts = singulars_of(keyword)
        if parts in by_words:
            other = by_words[parts]
            same = "twice" if keyword == other else f"and “{other}”, which differ by the plural only"
            yield RuleFault("keyword-inside", f"there is the keyword “{keyword}” {same}", "replace one of them")
        by_words.setdefault(parts, keyword)
    for outer, keyword in by_words.items():
        for inner in _parts(outer):
            if inner in by_words:
                said = f"the keyword “{by_words[inner]}” is inside “{keyword}”"
                yield RuleFault("keyword-inside", said, "replace one of them")


def _parts(whole: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The runs of some words that are shorter than the whole, as far as a keyword may be long."""
    for size in range(1, min(len(whole), MOST_WORDS + 1)):
        yield from dict.fromkeys(whole[i : i + size] for i in range(len(whole) - size + 1))


def _letters(keywords: Sequence[str]) -> Iterator[RuleFault]:
    letters = Counter(keyword[0] for keyword in keywords)
    if len(letters) < FIRST_LETTERS:
        yield RuleFault(
            "keyword-letters",
            f"the keywords start with only {len(letters)} different letters",
            f"have at least {FIRST_LETTERS}",
        )
    for letter, count in letters.items():
        if count > SAME_LETTER:
            held = listed(keyword for keyword in keywords if keyword[0] == letter)
            yield RuleFault(
                "keyword-letters",
                f"{count} keywords start with {letter} ({held})",
                f"replace some: at most {SAME_LETTER} may share a first letter",
            )
    if keywords and not RARE_LETTERS & letters.keys():
        yield RuleFault(
            "keyword-letters",
            "no keyword starts with a rare letter",
            f"add one that starts with {', '.join(sorted(RARE_LETTERS))}",
        )


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


def read_topic(data: Mapping[str, Any]) -> tuple[TopicEntry | None, list[RuleFault]]:
    """The topic of an object, None where a field is missing; and what is wrong with its fields."""
    faults: list[RuleFault] = []
    texts = {name: text_of(data, name, faults) for name in ("id", "domain", "title", "prompt")}
    keywords = texts_of(data, "keywords", faults)
    whole = not faults
    faults += _verification(data)
    return (TopicEntry(**texts, keywords=keywords) if whole else None), faults


def topic_faults(topic: TopicEntry) -> list[RuleFault]:
    """What a topic has wrong, looked at alone."""
    faults = [fault for rule in _RULES for fault in rule(topic)]
    return faults or _loading(topic)


def _verification(data: Mapping[str, Any]) -> list[RuleFault]:
    """`verified_by`, where it is given, names different people."""
    if "verified_by" not in data:
        return []
    faults: list[RuleFault] = []
    names = texts_of(data, "verified_by", faults)
    if len({name.casefold().strip() for name in names}) < len(names):
        faults.append(
            RuleFault("verified", "“verified_by” names one person twice", "have a second person verify the topic")
        )
    return faults


def _id(topic: TopicEntry) -> Iterator[RuleFault]:
    if len(topic.id) > LONGEST_ID or topic.id != topic.id.strip():
        yield RuleFault(
            "id", f"the id “{topic.id[:LONGEST_ID]}” is long or has spaces around it", "give it a short name"
        )


def _title(topic: TopicEntry) -> Iterator[RuleFault]:
    first = topic.title.strip().split()[0]
    mend = "write a noun phrase that can follow “back to”, such as “the fog in the valley”"
    if _TITLE_END.search(topic.title.strip()):
        yield RuleFault("title", "the title ends like a sentence", mend)
    if first[0].isupper() and first[1:].islower():
        yield RuleFault("title", f"the title starts with a capital letter (“{first}”)", mend)
    if len(topic.title) > LONGEST_TITLE:
        yield RuleFault("title", f"the title has {len(topic.title)} characters (at most {LONGEST_TITLE})", mend)


def _prompt(topic: TopicEntry) -> Iterator[RuleFault]:
    low, high = PROMPT_WORDS
    count = len(topic.prompt.split())
    if not low <= count <= high:
        yield RuleFault("prompt", f"the prompt has {count} words", f"write {low} to {high} words")
    if topic.prompt.strip()[-1] not in ".?!":
        yield RuleFault(
            "prompt", "the prompt does not end like a sentence", "end it with a full stop or a question mark"
        )


def _constraints(topic: TopicEntry) -> Iterator[RuleFault]:
    for match in load_patterns("seeds", "constraint-words.yaml").search(topic.prompt):
        said = f"the prompt holds a constraint on the answer ({match.category}): “{match.found}”"
        yield RuleFault("constraint", said, "leave it out; the constraints are drawn and said turn by turn")


def _keywords(topic: TopicEntry) -> Iterator[RuleFault]:
    yield from keyword_faults(topic.keywords)


def _use(topic: TopicEntry) -> Iterator[RuleFault]:
    """Keywords belong to the task: some of them stand in its own words."""
    prompt, title = (tuple(map(stem, words(text))) for text in (topic.prompt, topic.title))
    keywords = {keyword: stems_of(keyword) for keyword in topic.keywords}
    used = [keyword for keyword, stems in keywords.items() if stems and contains(prompt, stems)]
    if len(used) < KEYWORDS_IN_PROMPT:
        said = f"{len(used) or 'none'} of the keywords in the prompt" + (f" (“{used[0]}”)" if used else "")
        yield RuleFault("keyword-use", said, f"take at least {KEYWORDS_IN_PROMPT} keywords from the prompt's own words")
    if not any(stems and contains(title, stems) for stems in keywords.values()):
        yield RuleFault("keyword-use", "none of the keywords in the title", "take a keyword from the title's own words")


def _loading(topic: TopicEntry) -> list[RuleFault]:
    """Whatever else keeps `evolif generate` from reading the topic."""
    try:
        TopicModel.model_validate(
            {"id": topic.id, "prompt": topic.prompt, "keywords": list(topic.keywords), "title": topic.title}
        )
    except ValidationError as fault:
        return [RuleFault("fields", complaint(fault, "topic"), "mend that field")]
    return []


_RULES: tuple[Callable[[TopicEntry], Iterator[RuleFault]], ...] = (
    _id,
    _title,
    _prompt,
    _constraints,
    _keywords,
    _use,
)


# Rules between topics: each new one is compared with those before it, by indexes.

SHARED_RUN = 4
"""Words in a row that no two prompts may share."""
SHARED_KEYWORDS = 4
"""Keywords that two topics may share."""
ALIKE_PROMPTS = 0.5
"""Shared content words over all content words, from which on two prompts are one. The nearest two of some 600 that were
written one by one come to 0.25."""
_KEYWORD_CAP = 1000
"""Far above what a keyword of a varied catalogue is used: the rule on shared keywords misses nothing there."""


class TopicIndex:
    """The topics so far, and what a further one has in common with them."""

    def __init__(self) -> None:
        self._topics: list[tuple[str, int]] = []
        self._ids: dict[str, int] = {}
        self._titles: dict[str, int] = {}
        self._runs = RunIndex(SHARED_RUN)
        self._keywords = OverlapIndex(cap=_KEYWORD_CAP)
        self._prompts = OverlapIndex()
        self._shapes = OverlapIndex()
        self._compared: tuple[TopicEntry, int, list[Near], list[Near]] | None = None
        self._by_keywords = NearestPairs(self._topics.__getitem__, by_count=True)
        self._by_prompt = NearestPairs(self._topics.__getitem__)

    def __len__(self) -> int:
        return len(self._topics)

    def clashes(self, topic: TopicEntry) -> list[RuleFault]:
        """What the topic has in common with an earlier one and should not."""
        return [*self._names(topic), *self._wordings(topic), *self._nearness(topic)]

    def add(self, topic: TopicEntry, line: int) -> None:
        """Take a topic in."""
        at = len(self._topics)
        keywords, prompt = self._neighbours(topic)
        self._topics.append((topic.id, line))
        self._ids.setdefault(topic.id, at)
        self._titles.setdefault(_plain(topic.title), at)
        self._by_keywords.offer(keywords, at)
        self._by_prompt.offer(prompt, at)
        self._runs.add(topic.prompt, at)
        self._prompts.add(content_stems(topic.prompt), at)
        self._shapes.add(shape_runs(topic.prompt), at)
        self._keywords.add(frozenset(topic.keywords), at)

    def nearest(self) -> dict[str, tuple[Pair, ...]]:
        """The nearest pairs, by shared keywords and by the words of the prompts."""
        return {"keywords": self._by_keywords.pairs(), "prompts": self._by_prompt.pairs()}

    def _said(self, at: int) -> str:
        name, line = self._topics[at]
        return f"{name[:40]} (line {line})"

    def _neighbours(self, topic: TopicEntry) -> tuple[list[Near], list[Near]]:
        """The nearest topics by keywords and by prompt; a topic is added just after it was compared."""
        if self._compared is None or self._compared[:2] != (topic, len(self)):
            keywords = self._keywords.near(frozenset(topic.keywords), by_count=True)
            self._compared = (topic, len(self), keywords, self._prompts.near(content_stems(topic.prompt)))
        return self._compared[2:]

    def _names(self, topic: TopicEntry) -> Iterator[RuleFault]:
        if topic.id in self._ids:
            line = self._topics[self._ids[topic.id]][1]
            yield RuleFault("id", f"the id {topic.id[:40]} stands in line {line} already", "give it another")
        same = self._titles.get(_plain(topic.title))
        if same is not None:
            yield RuleFault("title", f"the title is that of {self._said(same)}", "name what is special about this task")

    def _wordings(self, topic: TopicEntry) -> Iterator[RuleFault]:
        for run in self._runs.find(topic.prompt):
            said = f"the prompt shares “{' '.join(run.words[:20])}” with {self._said(run.at)}"
            yield RuleFault("shared-words", said, f"say it otherwise: no {SHARED_RUN} words in a row may be shared")

    def _nearness(self, topic: TopicEntry) -> Iterator[RuleFault]:
        keywords, prompts = self._neighbours(topic)
        for near in keywords:
            if len(near.shared) > SHARED_KEYWORDS:
                said = f"{len(near.shared)} keywords are those of {self._said(near.at)}"
                held = listed(sorted(map(str, near.shared)))
                yield RuleFault("keyword-shared", f"{said}: {held}", f"replace all but {SHARED_KEYWORDS} of them")
        if prompts and prompts[0].jaccard >= ALIKE_PROMPTS:
            said = f"the prompt is made of the words of {self._said(prompts[0].at)}"
            yield RuleFault("alike", said, "ask for something else")
            return
        shapes = self._shapes.near(shape_runs(topic.prompt))
        if shapes and shapes[0].jaccard >= ALIKE_SHAPE:
            said = f"the prompt is that of {self._said(shapes[0].at)} with other words filled in"
            yield RuleFault("fill-in", said, "build the sentences anew")


def _plain(title: str) -> str:
    return " ".join(words(title))
