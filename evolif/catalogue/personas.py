"""A persona as the lint sees it, and the rules that need no other persona."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evolif.catalogue.entries import NearestPairs, Pair, RuleFault, text_of, texts_of
from evolif.catalogue.index import (
    NUMBER_WORDS,
    Near,
    OverlapIndex,
    RunIndex,
    content_stems,
    function_words,
    listed,
    words,
)
from evolif.errors import InputError
from evolif.resources import complaint, data_path, load_yaml
from evolif.synthesis import PersonaModel, registers
from evolif.text import sentences

# The small pattern language of the lint's data files, which people who write no regular expressions can extend.
#
# word that word, whatever its case; a capital first letter stands for itself. Hyphens count as spaces word* that word
# with any ending (a|b c|d) one of these; [a|b] the same, or nothing <name> one of a named set # ## a number, in digits
# or as a word; ## is two or more _ any one word ~3 up to three words of the same sentence; ~3!to none of which is *to*
# . the start or the end of a sentence
#
# A pattern becomes a regular expression without nested repetition, tried only on texts that hold one of its own words.

_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'"})
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+(?:'[^\W_]+)*|[.!?;:]+(?=\s|\Z|[\"”)])")
_PART = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]|<(\w+)>|(##?)|(_)(?!\w)|~(\d{1,2})(?:!([a-z]+))?|([\w']+\*?|\.)")
_OPTION = re.compile(r"[\w'* #-]*[\w'*#]|\.")
_NUMBER = rf"(?:(?:\d\S*|(?i:{'|'.join(sorted(NUMBER_WORDS))})) ){{1,3}}"
_ONE = r"(?!(?:1|(?i:one)) )"
_WORD = r"(?!\. )\S+ "


@dataclass(frozen=True, slots=True)
class Match:
    """Words of a text that a pattern of a category fits."""

    category: str
    found: str


@dataclass(frozen=True, slots=True)
class _Pattern:
    category: str
    expression: re.Pattern[str]
    words: frozenset[str]
    """Whole words of which a text must hold one, in lower case."""
    prefixes: tuple[str, ...]


class PatternFile:
    """The patterns of a YAML file: `sets: {name: [words]}` and `patterns: {category: [patterns]}`."""

    def __init__(self, path: Path) -> None:
        """Read and compile a file.

        Raises:
            InputError: not of that form; names the pattern.
        """
        self._by_word: dict[str, list[_Pattern]] = {}
        self._by_prefix: list[_Pattern] = []
        data = load_yaml(path)
        if not isinstance(data, dict) or not isinstance(data.get("patterns"), dict):
            raise InputError("needs “patterns”: a mapping of categories to lists", path=path)
        sets = {str(name): tuple(map(str, words)) for name, words in (data.get("sets") or {}).items()}
        for category, patterns in data["patterns"].items():
            for source in patterns:
                try:
                    self._add(_compile(str(category), str(source), sets))
                except ValueError as fault:
                    raise InputError(f"the pattern “{source}” {fault}", path=path) from None

    def _add(self, pattern: _Pattern) -> None:
        if pattern.prefixes:
            self._by_prefix.append(pattern)
        for word in () if pattern.prefixes else pattern.words:
            self._by_word.setdefault(word, []).append(pattern)

    def search(self, text: str) -> list[Match]:
        """What fits, the first match of every category, in the order of the file's categories as far as they met."""
        tokens = [token if token[0].isalnum() else "." for token in _TOKEN.findall(text.translate(_PLAIN))]
        line = " ".join([".", *tokens, ". "])
        held = {token.lower() for token in tokens}
        found: dict[str, Match] = {}
        for pattern in self._candidates(held):
            if pattern.category not in found and (match := pattern.expression.search(line)):
                found[pattern.category] = Match(pattern.category, match[0].replace(".", " ").strip())
        return list(found.values())

    def _candidates(self, held: set[str]) -> Iterator[_Pattern]:
        for word in sorted(held & self._by_word.keys()):
            yield from self._by_word[word]
        for pattern in self._by_prefix:
            if pattern.words & held or any(token.startswith(pattern.prefixes) for token in held):
                yield pattern


@lru_cache(maxsize=8)
def load_patterns(*parts: str) -> PatternFile:
    """The pattern file of the catalogues at that place, read once."""
    return PatternFile(data_path(*parts))


def _compile(category: str, source: str, sets: Mapping[str, Sequence[str]]) -> _Pattern:
    pieces: list[str] = []
    anchors: list[tuple[str, ...]] = []
    at = 0
    source = source.replace("-", " ")
    for part in _PART.finditer(source):
        if source[at : part.start()].strip():
            raise ValueError(f"has “{source[at : part.start()].strip()}”, which means nothing here")
        at = part.end()
        piece, options = _piece(part, sets)
        pieces.append(piece)
        if options:
            anchors.append(options)
    if source[at:].strip() or not anchors:
        raise ValueError("cannot be read to its end" if source[at:].strip() else "holds no word of its own")
    chosen = min(anchors, key=_commonness)
    first = [_first_word(option).lower() for option in chosen]
    return _Pattern(
        category,
        re.compile(r"(?<!\S)" + "".join(pieces)),
        frozenset(word for word in first if not word.endswith("*")),
        tuple(word[:-1] for word in first if word.endswith("*")),
    )


def _piece(part: re.Match[str], sets: Mapping[str, Sequence[str]]) -> tuple[str, tuple[str, ...]]:
    """The expression of a part, and the words of which it needs one."""
    group, optional, name, number, any_word, gap, without, word = part.groups()
    if number:
        return (_ONE if number == "##" else "") + _NUMBER, ()
    if any_word:
        return _WORD, ()
    if gap:
        barred = rf"(?!(?i:{without}) )" if without else ""
        return rf"(?:{barred}{_WORD}){{0,{gap}}}", ()
    if name is not None and name not in sets:
        raise ValueError(f"names the set <{name}>, which is not there")
    options = sets[name] if name else (word,) if word else _options(group or optional or "", sets)
    either = "|".join(map(_literal, options))
    if optional is not None:
        return f"(?:{either})?", ()
    return f"(?:{either})", tuple(options) if all(map(_first_word, options)) else ()


def _options(text: str, sets: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    options: list[str] = []
    for option in text.split("|"):
        name = option.strip().removeprefix("<").removesuffix(">")
        options += sets[name] if option.strip().startswith("<") and name in sets else [option.strip()]
    wrong = next((option for option in options if not _OPTION.fullmatch(option)), None)
    if wrong is not None:
        raise ValueError(f"has the alternative “{wrong}”; alternatives are words, # or a <set>")
    return tuple(options)


def _literal(option: str) -> str:
    """Words as an expression: each ends at a space, or goes on where a star stands."""
    return "".join(map(_word, option.replace("-", " ").split()))


def _word(word: str) -> str:
    if word == ".":
        return r"\. "
    if word in "_#":
        return _WORD if word == "_" else _NUMBER
    bare = word.removesuffix("*")
    written = re.escape(bare) if bare[:1].isupper() else f"(?i:{re.escape(bare)})"
    return written + (r"\S* " if word.endswith("*") else " ")


def _commonness(options: Iterable[str]) -> tuple[int, int]:
    """How often texts will hold one of these words: function words first, then their number."""
    first = [_first_word(option) for option in options]
    return sum(word in function_words() for word in first), len(first)


def _first_word(option: str) -> str:
    """The first word of an option that is no sign; empty where there is none."""
    return next((word for word in option.replace("-", " ").split() if word not in "#_."), "")


SENTENCE_WORDS = (6, 40)
PHRASES = (4, 5)
PHRASE_WORDS = (2, 9)
LONGEST_ID = 40

_CAPITAL = re.compile(r"(?<![\w'’])[^\W\d_a-z][\w'’]*")
_CONTACT = re.compile(r"[^\s@]{0,40}@\S{1,40}|\w{0,12}://\S{0,80}|www\.\S{1,80}|\d(?:[ ().-]?\d){3,}")
_MENDS = {
    "demand": "say how the person writes, not what the answer should be",
    "dialect": "describe the manner, not where somebody comes from",
}


@dataclass(frozen=True, slots=True)
class PersonaEntry:
    """A persona whose fields could be read."""

    id: str
    sentence: str
    phrases: tuple[str, ...]
    register: str


def read_persona(data: Mapping[str, Any]) -> tuple[PersonaEntry | None, list[RuleFault]]:
    """The persona of an object, None where a field is missing; and what is wrong with its fields."""
    faults: list[RuleFault] = []
    identity, sentence = text_of(data, "id", faults), text_of(data, "sentence", faults)
    phrases, register = texts_of(data, "phrases", faults), text_of(data, "register", faults)
    return (None if faults else PersonaEntry(identity, sentence, phrases, register)), faults


def persona_faults(persona: PersonaEntry) -> list[RuleFault]:
    """What a persona has wrong, looked at alone."""
    faults = [fault for rule in _RULES for fault in rule(persona)]
    return faults or _loading(persona)


def names_in(text: str) -> list[str]:
    """Words with a capital letter in mid-sentence, but for *I*, single letters and abbreviations such as *TV*."""
    found = list(_CAPITAL.finditer(text))
    begun = [match for match in found if text[: match.start()].strip(" \"'“‘(")]
    return [match[0] for match in begun if not _is_plain(match[0])]


def _is_plain(word: str) -> bool:
    bare = re.sub(r"['’](?:s|m|d|ll|ve|re)?\Z", "", word)
    return len(bare) == 1 or (bare.isupper() and len(bare) <= 5)


def _id(persona: PersonaEntry) -> Iterator[RuleFault]:
    if len(persona.id) > LONGEST_ID or persona.id != persona.id.strip():
        yield RuleFault(
            "id", f"the id “{persona.id[:LONGEST_ID]}” is long or has spaces around it", "give it a short name"
        )


def _register(persona: PersonaEntry) -> Iterator[RuleFault]:
    known = registers()
    if persona.register not in known:
        yield RuleFault("register", f"the register “{persona.register[:40]}” is unknown", f"use {', '.join(known)}")


def _sentence(persona: PersonaEntry) -> Iterator[RuleFault]:
    low, high = SENTENCE_WORDS
    text = persona.sentence.strip()
    found = len(sentences(text))
    if found != 1:
        yield RuleFault("sentence", f"the sentence is {found} sentences", "say who speaks in one sentence")
    if text[-1] not in ".!":
        yield RuleFault("sentence", "the sentence has no end", "end it with a full stop")
    if not text[0].isupper() and not text[0].isdigit():
        yield RuleFault("sentence", "the sentence starts with a small letter", "start it with a capital letter")
    count = len(text.split())
    if not low <= count <= high:
        yield RuleFault("sentence", f"the sentence has {count} words", f"write {low} to {high} words")


def _phrases(persona: PersonaEntry) -> Iterator[RuleFault]:
    least, most = PHRASES
    if not least <= len(persona.phrases) <= most:
        yield RuleFault("phrases", f"has {len(persona.phrases)} phrases", f"give {least} or {most}")
    if len({tuple(words(phrase)) for phrase in persona.phrases}) < len(persona.phrases):
        yield RuleFault("phrases", "has one phrase twice", "replace one of them")
    low, high = PHRASE_WORDS
    for phrase in persona.phrases:
        count = len(phrase.split())
        if not low <= count <= high:
            yield RuleFault("phrases", f"the phrase “{phrase[:60]}” has {count} words", f"write {low} to {high}")
        if not phrase.strip()[-1].isalnum():
            yield RuleFault("phrases", f"the phrase “{phrase[:60]}” ends with a mark", "leave the mark out")


def _names(persona: PersonaEntry) -> Iterator[RuleFault]:
    found = names_in(persona.sentence)
    for phrase in persona.phrases:
        found += names_in(f"_ {phrase}")  # a phrase starts in mid-sentence
    for word in dict.fromkeys(found):
        yield RuleFault("name", f"“{word[:40]}” looks like a name", "leave names out; write other words small")


def _contacts(persona: PersonaEntry) -> Iterator[RuleFault]:
    for text in (persona.sentence, *persona.phrases):
        if contact := _CONTACT.search(text):
            yield RuleFault("contact", f"“{contact[0][:40]}” could identify somebody", "leave it out")


def _unwanted(persona: PersonaEntry) -> Iterator[RuleFault]:
    patterns = load_patterns("personas", "unwanted-words.yaml")
    for text in (persona.sentence, *persona.phrases):
        for match in patterns.search(text):
            mend = _MENDS.get(match.category, "describe the person by what they do")
            yield RuleFault(match.category, f"“{match.found}” is about {match.category}", mend)


def _loading(persona: PersonaEntry) -> list[RuleFault]:
    """Whatever else keeps `evolif generate` from reading the persona."""
    fields = {"id": persona.id, "sentence": persona.sentence, "phrases": list(persona.phrases)}
    try:
        PersonaModel.model_validate({**fields, "register": persona.register})
    except ValidationError as fault:
        return [RuleFault("fields", complaint(fault, "persona"), "mend that field")]
    return []


_RULES: tuple[Callable[[PersonaEntry], Iterator[RuleFault]], ...] = (
    _id,
    _register,
    _sentence,
    _phrases,
    _names,
    _contacts,
    _unwanted,
)


# Rules between personas: each new one is compared with those before it, by indexes.

SHARED_RUN = 4
"""Words in a row that no two sentences may share."""
PHRASE_USES = 3
"""Personas that may have the same phrase."""
SHARED_PHRASES = 1
"""Phrases that two personas may share."""
ALIKE_SENTENCES = 0.5
"""Shared content words over all content words, from which on two sentences are one."""


class PersonaIndex:
    """The personas so far, and what a further one has in common with them."""

    def __init__(self) -> None:
        self._personas: list[tuple[str, int]] = []
        self._ids: dict[str, int] = {}
        self._uses: Counter[str] = Counter()
        self._runs = RunIndex(SHARED_RUN)
        self._sentences = OverlapIndex()
        self._phrases = OverlapIndex()
        self._by_sentence = NearestPairs(self._personas.__getitem__)
        self._by_phrases = NearestPairs(self._personas.__getitem__, by_count=True)
        self._compared: tuple[PersonaEntry, int, list[Near], list[Near]] | None = None

    def __len__(self) -> int:
        return len(self._personas)

    def clashes(self, persona: PersonaEntry) -> list[RuleFault]:
        """What the persona has in common with an earlier one and should not."""
        return [*self._names(persona), *self._wordings(persona), *self._nearness(persona)]

    def add(self, persona: PersonaEntry, line: int) -> None:
        """Take a persona in."""
        at = len(self._personas)
        sentence, phrases = self._neighbours(persona)
        self._personas.append((persona.id, line))
        self._ids.setdefault(persona.id, at)
        self._by_sentence.offer(sentence, at)
        self._by_phrases.offer(phrases, at)
        self._uses.update(_phrase_set(persona))
        self._runs.add(persona.sentence, at)
        self._sentences.add(content_stems(persona.sentence), at)
        self._phrases.add(_phrase_set(persona), at)

    def nearest(self) -> dict[str, tuple[Pair, ...]]:
        """The nearest pairs, by the words of the sentences and by shared phrases."""
        return {"sentences": self._by_sentence.pairs(), "phrases": self._by_phrases.pairs()}

    def _said(self, at: int) -> str:
        name, line = self._personas[at]
        return f"{name[:40]} (line {line})"

    def _names(self, persona: PersonaEntry) -> Iterator[RuleFault]:
        if persona.id in self._ids:
            line = self._personas[self._ids[persona.id]][1]
            yield RuleFault("id", f"the id {persona.id[:40]} stands in line {line} already", "give it another")

    def _wordings(self, persona: PersonaEntry) -> Iterator[RuleFault]:
        for run in self._runs.find(persona.sentence):
            said = f"the sentence shares “{' '.join(run.words[:20])}” with {self._said(run.at)}"
            yield RuleFault("shared-words", said, f"say it otherwise: no {SHARED_RUN} words in a row may be shared")
        for phrase in sorted(_phrase_set(persona)):
            if self._uses[phrase] >= PHRASE_USES:
                said = f"the phrase “{phrase[:60]}” is in {self._uses[phrase]} personas already"
                yield RuleFault("phrases", said, "find another")

    def _nearness(self, persona: PersonaEntry) -> Iterator[RuleFault]:
        sentences, phrases = self._neighbours(persona)
        if sentences and sentences[0].jaccard >= ALIKE_SENTENCES:
            said = f"the sentence is made of the words of {self._said(sentences[0].at)}"
            yield RuleFault("alike", said, "describe somebody else")
        for near in phrases:
            if len(near.shared) > SHARED_PHRASES:
                said = f"{len(near.shared)} phrases are those of {self._said(near.at)}"
                held = listed(sorted(map(str, near.shared)))
                yield RuleFault("alike", f"{said}: {held}", f"replace all but {SHARED_PHRASES} of them")

    def _neighbours(self, persona: PersonaEntry) -> tuple[list[Near], list[Near]]:
        """The nearest by sentence and the nearest by phrases; a persona is added just after it was compared."""
        if self._compared is None or self._compared[:2] != (persona, len(self)):
            sentence = self._sentences.near(content_stems(persona.sentence))
            phrases = self._phrases.near(_phrase_set(persona), by_count=True)
            self._compared = (persona, len(self), sentence, phrases)
        return self._compared[2:]


def _phrase_set(persona: PersonaEntry) -> frozenset[str]:
    return frozenset(" ".join(words(phrase)) for phrase in persona.phrases)
