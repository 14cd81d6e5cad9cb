"""Topics: reading an entry leniently, and the rules of the lint."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from evolif.scenarios.instructions.catalogue.entries import RuleFault, id_faults, text_of, texts_of
from evolif.scenarios.instructions.catalogue.index import (
    NUMBER_WORDS,
    EntryIndex,
    EntryKind,
    OverlapIndex,
    contains,
    function_words,
    listed,
    runs,
    shape_runs,
    singular,
    stem,
    words,
)
from evolif.scenarios.instructions.catalogue.personas import load_patterns
from evolif.scenarios.instructions.catalogue.similarity import similar_pairs
from evolif.scenarios.instructions.catalogue.wordings import read_wordings, wording_faults
from evolif.scenarios.instructions.tracker import TopicModel
from evolif.scenarios.instructions.tracker.lives import load_facts
from evolif.scenarios.instructions.turns import Topic
from evolif.text import plural
from evolif.util.resources import complaint

KEYWORDS = 20
SINGLE_WORDS = 14
LONGEST_KEYWORD = 22
"""Characters."""
MOST_WORDS = 3
FIRST_LETTERS = 10
"""Minimum number of different first letters."""
SAME_LETTER = 4
"""Maximum number of keywords with the same first letter."""
RARE_LETTERS = frozenset("jkquvxyz")

_SMALL_NUMBERS = NUMBER_WORDS - {"hundred", "thousand", "million", "dozen"}
_LOOSE = frozenset(
    "a an the this that these those of to for with from by at and or but nor if as my your his her its our their not no"
    " is are was were be".split()
)
"""Words that a phrase must not start or end with; *lower back* and *watering can* are complete."""
_FILLERS = frozenset(
    "keep keeps keeping useful year years good better best bad new nice great important different".split()
)
"""Words that fit any task, and so none in particular."""
_CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february april june july august september october"
    " november december christmas easter".split()
)
"""Days, months and feasts; *may* and *march* are other words, too."""
_FORM = re.compile(r"[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*")


def form_faults(keyword: str) -> Iterator[RuleFault]:
    """The faults of one keyword."""
    what = f"the keyword “{keyword[:60]}”"
    if not _FORM.fullmatch(keyword):
        yield RuleFault(
            "keyword-form",
            f"{what} is not in plain letters",
            "use a–z, A–Z in names, 0–9, single spaces and hyphens inside",
        )
    if len(keyword) > LONGEST_KEYWORD:
        yield RuleFault(
            "keyword-form", f"{what} has {plural(len(keyword), 'character')}", f"use at most {LONGEST_KEYWORD}"
        )
    parts = words(keyword)
    if not parts:
        return
    if len(keyword.split()) > MOST_WORDS:
        yield RuleFault("keyword-form", f"{what} has more than {MOST_WORDS} words", "shorten it")
    if all(part.isdigit() or part in _SMALL_NUMBERS for part in parts):
        yield RuleFault("keyword-form", f"{what} is only a number", "take a word that an answer would repeat")
    elif len(keyword) == 1:
        yield RuleFault("keyword-form", f"{what} is a single letter", "take a word")
    elif keyword.lower() in function_words():
        yield RuleFault("keyword-common", f"{what} is a word that almost every text uses", "use a word of the subject")
    elif keyword.lower() in _FILLERS:
        yield RuleFault("keyword-common", f"{what} says nothing of the subject", "use a word of the subject")
    elif " " in keyword and (loose := [part for part in (parts[0], parts[-1]) if part in _LOOSE]):
        yield RuleFault(
            "keyword-common", f"{what} starts or ends with “{loose[0]}”", "cut it down to its content words"
        )


@lru_cache(maxsize=50_000)
def stems_of(keyword: str) -> tuple[str, ...]:
    """The stems of a keyword's words."""
    return tuple(map(stem, words(keyword)))


@lru_cache(maxsize=50_000)
def singulars_of(keyword: str) -> tuple[str, ...]:
    """A keyword's words without plural."""
    return tuple(map(singular, words(keyword)))


def _capitals(topic: Topic) -> Iterator[RuleFault]:
    """Names and words of the calendar are written as in print; the user quotes keywords as they stand here."""
    for keyword in topic.keywords:
        small = sorted(_CALENDAR & set(keyword.split()))
        if small or _only_as_name(keyword, topic.prompt):
            what = f"the keyword “{keyword[:60]}” is a name, or a word of the calendar, without its capital"
            yield RuleFault("keyword-case", what, "write it as in print, or take another word")
        elif keyword[:1].isupper() and re.search(rf"\b{re.escape(keyword.lower())}\b", topic.prompt):
            what = f"the keyword “{keyword[:60]}” has a capital, which it has not in the prompt"
            yield RuleFault("keyword-case", what, "write it as in the prompt")


def _only_as_name(keyword: str, prompt: str) -> bool:
    """Whether the prompt has a small keyword only as a name: in mid-sentence, capitalised, alone of its neighbours.

    *King Solomon* and *the Great Vowel Shift* say nothing of *king* and *vowel*, nor does *LEFT JOIN* of *join*.
    """
    if not keyword.islower():
        return False
    found = list(re.finditer(rf"\b{re.escape(keyword)}\b", prompt, re.IGNORECASE))
    if any(match.group() == keyword or match.group().isupper() for match in found):
        return False
    return any(_is_name(prompt, match) for match in found)


def _is_name(prompt: str, match: re.Match[str]) -> bool:
    before = _BEFORE.search(prompt[max(0, match.start() - LONGEST_KEYWORD) : match.start()])
    after = _AFTER.match(prompt, match.end())
    return before is not None and not before["word"][:1].isupper() and not after


def _number(keywords: Sequence[str]) -> Iterator[RuleFault]:
    if len(keywords) != KEYWORDS:
        yield RuleFault("keywords", f"has {plural(len(keywords), 'keyword')}", f"give it {KEYWORDS}")
    single = sum(" " not in keyword for keyword in keywords)
    if single < SINGLE_WORDS:
        yield RuleFault(
            "keywords",
            f"only {plural(single, 'keyword')} {'is a single word' if single == 1 else 'are single words'}",
            f"have at least {SINGLE_WORDS}",
        )


def _inside(keywords: Sequence[str]) -> Iterator[RuleFault]:
    """A keyword inside another could be forbidden while the other is required."""
    by_words: dict[tuple[str, ...], str] = {}
    for keyword in keywords:
        parts = singulars_of(keyword)
        if parts in by_words:
            other = by_words[parts]
            same = "twice" if keyword == other else f"and “{other}”, which differ only in the plural"
            yield RuleFault("keyword-inside", f"has the keyword “{keyword}” {same}", "replace one of them")
        by_words.setdefault(parts, keyword)
    for outer, keyword in by_words.items():
        for inner in _parts(outer):
            if inner in by_words:
                what = f"the keyword “{by_words[inner]}” is inside “{keyword}”"
                yield RuleFault("keyword-inside", what, "replace one of them")


def _parts(whole: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for size in range(1, min(len(whole), MOST_WORDS + 1)):
        yield from dict.fromkeys(runs(whole, size))


def _letters(keywords: Sequence[str]) -> Iterator[RuleFault]:
    letters = Counter(keyword[0].lower() for keyword in keywords)
    if len(letters) < FIRST_LETTERS:
        yield RuleFault(
            "keyword-letters",
            f"the keywords start with only {len(letters)} different letters",
            f"have at least {FIRST_LETTERS}",
        )
    for letter, count in letters.items():
        if count > SAME_LETTER:
            examples = listed(keyword for keyword in keywords if keyword[0].lower() == letter)
            yield RuleFault(
                "keyword-letters",
                f"{plural(count, 'keyword')} {'starts' if count == 1 else 'start'} with {letter} ({examples})",
                f"replace some: at most {SAME_LETTER} may share a first letter",
            )
    if keywords and not RARE_LETTERS & letters.keys():
        yield RuleFault(
            "keyword-letters",
            "no keyword starts with a rare letter",
            f"add one that starts with {', '.join(sorted(RARE_LETTERS))}",
        )


PROMPT_WORDS = (5, 150)
LONGEST_TITLE = 80
"""Characters."""
KEYWORDS_IN_PROMPT = 2

_BEFORE = re.compile(r"(?P<word>[^\W_]+),? \Z")
"""The word that stands before another in mid-sentence."""
_AFTER = re.compile(r" [A-Z]")
_TITLE_END = re.compile(r"[.!?,;:]\Z")


def read_topic(data: Mapping[str, Any]) -> tuple[Topic | None, list[RuleFault]]:
    """The topic of an object, None if a field is missing, and the faults of its fields."""
    faults: list[RuleFault] = []
    texts = {name: text_of(data, name, faults) for name in ("id", "domain", "title", "prompt")}
    keywords = texts_of(data, "keywords", faults)
    complete = not faults
    faults += _verification(data)
    asker, apart = (texts_of(data, name, faults) if name in data else () for name in ("asker", "apart"))
    wordings, short = read_wordings(data, faults)
    if not complete:
        return None, faults
    named = (texts["id"], texts["prompt"], keywords, texts["domain"], texts["title"])
    return Topic(*named, asker=asker, apart=apart, wordings=wordings, short=short), faults


def topic_faults(topic: Topic) -> list[RuleFault]:
    """The faults of a single topic."""
    faults = [fault for rule in _RULES for fault in rule(topic)]
    return faults or _loading(topic)


def _verification(data: Mapping[str, Any]) -> list[RuleFault]:
    """`verified_by`, if present, must name different people."""
    if "verified_by" not in data:
        return []
    faults: list[RuleFault] = []
    names = texts_of(data, "verified_by", faults)
    if len({name.casefold().strip() for name in names}) < len(names):
        faults.append(
            RuleFault("verified", "“verified_by” names the same person twice", "have a second person verify the topic")
        )
    return faults


def _title(topic: Topic) -> Iterator[RuleFault]:
    first = topic.title.strip().split()[0]
    mend = "write a noun phrase that can follow “back to”, such as “the fog in the valley”"
    if _TITLE_END.search(topic.title.strip()):
        yield RuleFault("title", "the title ends like a sentence", mend)
    if first[0].isupper() and first[1:].islower():
        yield RuleFault("title", f"the title starts with a capital letter (“{first}”)", mend)
    if len(topic.title) > LONGEST_TITLE:
        yield RuleFault(
            "title", f"the title has {plural(len(topic.title), 'character')} (at most {LONGEST_TITLE})", mend
        )


def _prompt(topic: Topic) -> Iterator[RuleFault]:
    low, high = PROMPT_WORDS
    count = len(topic.prompt.split())
    if not low <= count <= high:
        yield RuleFault("prompt", f"the prompt has {plural(count, 'word')}", f"write {low} to {plural(high, 'word')}")
    if topic.prompt.strip()[-1] not in ".?!":
        yield RuleFault(
            "prompt", "the prompt does not end like a sentence", "end it with a full stop or a question mark"
        )


def _constraints(topic: Topic) -> Iterator[RuleFault]:
    for match in load_patterns("seeds", "constraint-words.yaml").search(topic.prompt):
        what = f"the prompt contains a constraint on the answer ({match.category}): “{match.found}”"
        yield RuleFault("constraint", what, "leave it out; constraints are added turn by turn")


def _keywords(topic: Topic) -> Iterator[RuleFault]:
    for keyword in dict.fromkeys(topic.keywords):
        yield from form_faults(keyword)
    yield from _number(topic.keywords)
    yield from _inside(topic.keywords)
    yield from _letters(topic.keywords)


def _use(topic: Topic) -> Iterator[RuleFault]:
    """Keywords belong to the task, so some of them occur in its prompt."""
    prompt, title = (tuple(map(stem, words(text))) for text in (topic.prompt, topic.title))
    keywords = {keyword: stems_of(keyword) for keyword in topic.keywords}
    used = [keyword for keyword, stems in keywords.items() if stems and contains(prompt, stems)]
    if len(used) < KEYWORDS_IN_PROMPT:
        what = f"{len(used) or 'none'} of the keywords in the prompt" + (f" (“{used[0]}”)" if used else "")
        yield RuleFault("keyword-use", what, f"take at least {KEYWORDS_IN_PROMPT} keywords from the prompt's own words")
    if not any(stems and contains(title, stems) for stems in keywords.values()):
        yield RuleFault("keyword-use", "none of the keywords in the title", "take a keyword from the title's own words")


def _loading(topic: Topic) -> list[RuleFault]:
    """Any other fault that prevents `evolif generate` from reading the topic."""
    try:
        TopicModel.model_validate(
            {"id": topic.id, "prompt": topic.prompt, "keywords": list(topic.keywords), "title": topic.title}
        )
    except ValidationError as fault:
        return [RuleFault("fields", complaint(fault, "topic"), "fix that field")]
    return []


def _asker(topic: Topic) -> Iterator[RuleFault]:
    """What a topic presupposes of whoever asks has to be in the list of facts, and possible."""
    facts = load_facts()
    unknown = facts.unknown(topic.asker)
    if unknown:
        yield RuleFault("asker", unknown, "take facts from the list in docs/how-to/domain.md")
    clash = sorted(facts.ruled_out(topic.asker) & set(topic.asker))
    if clash:
        yield RuleFault("asker", f"nobody is both {' and '.join(clash[:2])}", "leave out one of them")


_RULES: tuple[Callable[[Topic], Iterator[RuleFault]], ...] = (
    lambda topic: id_faults(topic.id),
    _title,
    _prompt,
    _constraints,
    _keywords,
    _capitals,
    _use,
    _asker,
    wording_faults,
)


_ALIKE_SHAPE = 0.4
"""Share of common runs above which two shapes count as one. Among some 200,000 pairs of individually written prompts,
none exceeded 0.25; prompts that differ in three words stay above 0.6."""
SIMILAR = 0.35
"""Cosine from which two prompts count as too near."""
_FIRST_SIMILAR = 50
"""Topics from which the cosine is taken: among a few, all words are as rare."""
_KEYWORD_CAP = 1000
"""Far more than the topics that share a keyword in a varied catalogue, so the shared-keyword rule misses none there."""


class TopicIndex(EntryIndex[Topic]):
    """The topics so far, and what a new one shares with them."""

    text_name, item_name, shared_items = "prompt", "keywords", 4

    def __init__(self) -> None:
        super().__init__(
            lambda topic: topic.prompt, lambda topic: frozenset(map(str.lower, topic.keywords)), _KEYWORD_CAP
        )
        self._prompts: list[str] = []
        self._titles: dict[str, int] = {}
        self._shapes = OverlapIndex()

    def clashes(self, entry: Topic) -> list[RuleFault]:
        """Forbidden overlaps of a topic with earlier ones."""
        alike = list(self.alike_text(entry, "ask for something else"))
        return [
            *self.same_id(entry),
            *self._same_title(entry),
            *self.shared_runs(entry),
            *self.too_many_shared_items(entry, "keyword-shared"),
            *(alike or self._same_shape(entry)),
        ]

    def add(self, entry: Topic, line: int) -> None:
        """Add a topic."""
        at = len(self)
        super().add(entry, line)
        self._titles.setdefault(_plain(entry.title), at)
        self._shapes.add(shape_runs(entry.prompt), at)
        self._prompts.append(entry.prompt)

    def late_clashes(self) -> Iterator[tuple[int, RuleFault]]:
        """Prompts too near to an earlier one; how rare a word is shows only in a catalogue of some size."""
        if len(self) < _FIRST_SIMILAR:
            return
        for pair in similar_pairs(self._prompts, SIMILAR):
            what = f"the prompt has a TF-IDF cosine of {pair.cosine:.2f} to that of {self.label(pair.first)}"
            yield pair.second, RuleFault("similar", what, "ask for something else, or in other words")

    def _same_title(self, entry: Topic) -> Iterator[RuleFault]:
        same = self._titles.get(_plain(entry.title))
        if same is not None:
            yield RuleFault(
                "title", f"the title is the same as that of {self.label(same)}", "say what is special about this task"
            )

    def _same_shape(self, entry: Topic) -> Iterator[RuleFault]:
        shapes = self._shapes.near(shape_runs(entry.prompt))
        if shapes and shapes[0].jaccard >= _ALIKE_SHAPE:
            what = f"the prompt is the same as that of {self.label(shapes[0].at)} with other words filled in"
            yield RuleFault("fill-in", what, "restructure the sentences")


def _plain(title: str) -> str:
    return " ".join(words(title))


TOPICS = EntryKind(
    "topic",
    read_topic,
    topic_faults,
    TopicIndex,
    texts=lambda topic: (*topic.prompts, topic.title),
    group=lambda topic: topic.domain,
)
