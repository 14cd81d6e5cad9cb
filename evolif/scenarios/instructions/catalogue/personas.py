"""Personas: reading entries, lint rules, and patterns of words that a catalogue must not contain."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evolif.errors import InputError
from evolif.scenarios.instructions.catalogue.entries import Pair, RuleFault, id_faults, text_of, texts_of
from evolif.scenarios.instructions.catalogue.index import NUMBER_WORDS, EntryIndex, EntryKind, function_words, words
from evolif.scenarios.instructions.synthesis import PersonaModel, registers
from evolif.scenarios.instructions.tracker.lives import load_facts
from evolif.scenarios.instructions.turns import Persona
from evolif.text import plural, sentences
from evolif.util.resources import complaint, data_path, load_data

# The pattern language of the lint's data files:
#
#     word        that word in any case; a capital first letter stands for itself; a hyphen counts as a space
#     word*       that word with any ending
#     (a|b c|d)   one of these
#     [a|b]       one of these, or nothing
#     <name>      one of a named set
#     #  ##       a number, in digits or as a word; ## is two or more
#     _           any one word
#     ~3  ~3!to   up to three words of the same sentence; none of them is *to*
#     .           the start or the end of a sentence
#
# A pattern becomes a regular expression without nested repetition, tried only on texts that contain one of its words.

_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'"})
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+(?:'[^\W_]+)*|(?<![.!?;:])[.!?;:]+(?=\s|\Z|[\"”)])")
_PART = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]|<(\w+)>|(##?)|(_)(?!\w)|~(\d{1,2})(?:!([a-z]+))?|([\w']+\*?|\.)")
_OPTION = re.compile(r"[\w'* #-]*[\w'*#]|\.")
_NUMBER = rf"(?:(?:\d\S*|(?i:{'|'.join(sorted(NUMBER_WORDS))})) ){{1,3}}"
_ONE = r"(?!(?:1|(?i:one)) )"
_WORD = r"(?!\. )\S+ "


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """Words of a text that match a pattern of a category."""

    category: str
    found: str


@dataclass(frozen=True, slots=True)
class _Pattern:
    category: str
    expression: re.Pattern[str]
    words: frozenset[str]
    """Whole words, in lower case; a matching text contains at least one."""
    prefixes: tuple[str, ...]


class PatternFile:
    """The patterns of a YAML file: `sets: {name: [words]}` and `patterns: {category: [patterns]}`."""

    def __init__(self, path: Path) -> None:
        """Read and compile a file.

        Raises:
            InputError: the file is malformed; names the pattern.
        """
        self._by_word: dict[str, list[_Pattern]] = {}
        self._by_prefix: list[_Pattern] = []
        data = load_data(path)
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

    def search(self, text: str) -> list[PatternMatch]:
        """The first match of every category."""
        tokens = [token if token[0].isalnum() else "." for token in _TOKEN.findall(text.translate(_PLAIN))]
        line = " ".join([".", *tokens, ". "])
        present = {token.lower() for token in tokens}
        found: dict[str, PatternMatch] = {}
        for pattern in self._candidates(present):
            if pattern.category not in found and (match := pattern.expression.search(line)):
                found[pattern.category] = PatternMatch(pattern.category, match[0].replace(".", " ").strip())
        return list(found.values())

    def _candidates(self, present: set[str]) -> Iterator[_Pattern]:
        for word in sorted(present & self._by_word.keys()):
            yield from self._by_word[word]
        for pattern in self._by_prefix:
            if pattern.words & present or any(token.startswith(pattern.prefixes) for token in present):
                yield pattern


@lru_cache(maxsize=8)
def load_patterns(*parts: str) -> PatternFile:
    """A pattern file, read once."""
    return PatternFile(data_path(*parts))


def _compile(category: str, source: str, sets: Mapping[str, Sequence[str]]) -> _Pattern:
    pieces: list[str] = []
    anchors: list[tuple[str, ...]] = []
    at = 0
    source = source.replace("-", " ")
    for part in _PART.finditer(source):
        if source[at : part.start()].strip():
            raise ValueError(f"has “{source[at : part.start()].strip()}”, which is not allowed here")
        at = part.end()
        piece, options = _piece(part, sets)
        pieces.append(piece)
        if options:
            anchors.append(options)
    if source[at:].strip() or not anchors:
        raise ValueError("cannot be read to its end" if source[at:].strip() else "contains no word of its own")
    chosen = min(anchors, key=_commonness)
    first = [_first_word(option).lower() for option in chosen]
    return _Pattern(
        category,
        re.compile(r"(?<!\S)" + "".join(pieces)),
        frozenset(word for word in first if not word.endswith("*")),
        tuple(word[:-1] for word in first if word.endswith("*")),
    )


def _piece(part: re.Match[str], sets: Mapping[str, Sequence[str]]) -> tuple[str, tuple[str, ...]]:
    """The expression of a part, and words of which it requires at least one."""
    group, optional, name, number, any_word, gap, excluded, word = part.groups()
    if number:
        return (_ONE if number == "##" else "") + _NUMBER, ()
    if any_word:
        return _WORD, ()
    if gap:
        lookahead = rf"(?!(?i:{excluded}) )" if excluded else ""
        return rf"(?:{lookahead}{_WORD}){{0,{gap}}}", ()
    if name is not None and name not in sets:
        raise ValueError(f"uses the set <{name}>, which does not exist")
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
    """Words as an expression: each ends at a space, or continues if it has a star."""
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
    """Ranks word sets by how many texts contain one of them: by function words, then by size."""
    first = [_first_word(option) for option in options]
    return sum(word in function_words() for word in first), len(first)


def _first_word(option: str) -> str:
    """The first word of an option, skipping signs; empty if there is none."""
    return next((word for word in option.replace("-", " ").split() if word not in "#_."), "")


SENTENCE_WORDS = (6, 40)
PHRASES = (4, 5)
PHRASE_WORDS = (2, 9)
PHRASE_USES = 3
"""Maximum number of personas with the same phrase."""

_CAPITAL = re.compile(r"(?<![\w'’])[^\W\d_a-z][\w'’]*")
_CONTACT = re.compile(r"[^\s@]{0,40}@\S{1,40}|\w{0,12}://\S{0,80}|www\.\S{1,80}|\d(?:[ ().-]?\d){3,}")
_MENDS = {
    "demand": "say how the person writes, not what the answer should be",
    "dialect": "describe the manner, not where the person comes from",
}


def read_persona(data: Mapping[str, Any]) -> tuple[Persona | None, list[RuleFault]]:
    """The persona of an object, None if a field is missing, and the faults of its fields."""
    faults: list[RuleFault] = []
    identity, sentence = text_of(data, "id", faults), text_of(data, "sentence", faults)
    phrases, register = texts_of(data, "phrases", faults), text_of(data, "register", faults)
    facts, cannot = (frozenset(texts_of(data, name, faults) if name in data else ()) for name in ("facts", "cannot"))
    return (None if faults else Persona(identity, sentence, phrases, register, facts, cannot)), faults


def persona_faults(persona: Persona) -> list[RuleFault]:
    """The faults of a single persona."""
    faults = [fault for rule in _RULES for fault in rule(persona)]
    return faults or _loading(persona)


def names_in(text: str) -> list[str]:
    """Capitalised words in mid-sentence, except *I*, single letters and abbreviations such as *TV*."""
    found = list(_CAPITAL.finditer(text))
    begun = [match for match in found if text[: match.start()].strip(" \"'“‘(")]
    return [match[0] for match in begun if not _is_plain(match[0])]


def _is_plain(word: str) -> bool:
    bare = re.sub(r"['’](?:s|m|d|ll|ve|re)?\Z", "", word)
    return len(bare) == 1 or (bare.isupper() and len(bare) <= 5)


def _register(persona: Persona) -> Iterator[RuleFault]:
    known = registers()
    if persona.register not in known:
        yield RuleFault("register", f"the register “{persona.register[:40]}” is unknown", f"use {', '.join(known)}")


def _facts(persona: Persona) -> Iterator[RuleFault]:
    facts = load_facts()
    unknown = facts.unknown(sorted(persona.facts | persona.cannot))
    if unknown:
        yield RuleFault("facts", unknown, "take facts from the list in docs/how-to/domain.md")
    clash = sorted(persona.facts & (facts.ruled_out(persona.facts) | persona.cannot))
    if clash:
        yield RuleFault("facts", f"“{clash[0]}” is ruled out by the rest", "leave out what is wrong")


def _sentence(persona: Persona) -> Iterator[RuleFault]:
    low, high = SENTENCE_WORDS
    text = persona.sentence.strip()
    found = len(sentences(text))
    if found != 1:
        yield RuleFault("sentence", f"the sentence is {plural(found, 'sentence')}", "say who speaks in one sentence")
    if text[-1] not in ".!":
        yield RuleFault("sentence", "the sentence has no end", "end it with a full stop")
    if not text[0].isupper() and not text[0].isdigit():
        yield RuleFault("sentence", "the sentence starts with a lower-case letter", "start it with a capital letter")
    count = len(text.split())
    if not low <= count <= high:
        yield RuleFault(
            "sentence", f"the sentence has {plural(count, 'word')}", f"write {low} to {plural(high, 'word')}"
        )


def _phrases(persona: Persona) -> Iterator[RuleFault]:
    least, most = PHRASES
    if not least <= len(persona.phrases) <= most:
        yield RuleFault("phrases", f"has {len(persona.phrases)} phrases", f"give {least} or {most}")
    if len({tuple(words(phrase)) for phrase in persona.phrases}) < len(persona.phrases):
        yield RuleFault("phrases", "has the same phrase twice", "replace one of them")
    low, high = PHRASE_WORDS
    for phrase in persona.phrases:
        count = len(phrase.split())
        if not low <= count <= high:
            yield RuleFault(
                "phrases", f"the phrase “{phrase[:60]}” has {plural(count, 'word')}", f"write {low} to {high}"
            )
        if not phrase.strip()[-1].isalnum():
            yield RuleFault("phrases", f"the phrase “{phrase[:60]}” ends with punctuation", "remove the punctuation")


def _names(persona: Persona) -> Iterator[RuleFault]:
    found = names_in(persona.sentence)
    for phrase in persona.phrases:
        found += names_in(f"_ {phrase}")  # a phrase starts in mid-sentence
    for word in dict.fromkeys(found):
        yield RuleFault("name", f"“{word[:40]}” looks like a name", "leave out names; write other words in lower case")


def _contacts(persona: Persona) -> Iterator[RuleFault]:
    for text in (persona.sentence, *persona.phrases):
        if contact := _CONTACT.search(text):
            yield RuleFault("contact", f"“{contact[0][:40]}” could identify a person", "leave it out")


def _unwanted(persona: Persona) -> Iterator[RuleFault]:
    patterns = load_patterns("personas", "unwanted-words.yaml")
    for text in (persona.sentence, *persona.phrases):
        for match in patterns.search(text):
            mend = _MENDS.get(match.category, "describe the person by what they do")
            yield RuleFault(match.category, f"“{match.found}” is about {match.category}", mend)


def _loading(persona: Persona) -> list[RuleFault]:
    """Any other fault that prevents `evolif generate` from reading the persona."""
    fields = {"id": persona.id, "sentence": persona.sentence, "phrases": list(persona.phrases)}
    try:
        PersonaModel.model_validate({**fields, "register": persona.register})
    except ValidationError as fault:
        return [RuleFault("fields", complaint(fault, "persona"), "fix that field")]
    return []


_RULES: tuple[Callable[[Persona], Iterator[RuleFault]], ...] = (
    lambda persona: id_faults(persona.id),
    _register,
    _facts,
    _sentence,
    _phrases,
    _names,
    _contacts,
    _unwanted,
)


def _phrase_set(persona: Persona) -> frozenset[str]:
    return frozenset(" ".join(words(phrase)) for phrase in persona.phrases)


class PersonaIndex(EntryIndex[Persona]):
    """The personas so far, and what a new one shares with them."""

    text_name, item_name, shared_items = "sentence", "phrases", 1

    def __init__(self) -> None:
        super().__init__(lambda persona: persona.sentence, _phrase_set)
        self._uses: Counter[str] = Counter()

    def clashes(self, entry: Persona) -> list[RuleFault]:
        """Forbidden overlaps of a persona with earlier ones."""
        return [
            *self.same_id(entry),
            *self.shared_runs(entry),
            *self._worn_phrases(entry),
            *self.alike_text(entry, "describe somebody else"),
            *self.too_many_shared_items(entry, "alike"),
        ]

    def add(self, entry: Persona, line: int) -> None:
        """Add a persona."""
        super().add(entry, line)
        self._uses.update(_phrase_set(entry))

    def nearest(self) -> dict[str, tuple[Pair, ...]]:
        """The nearest pairs, by the words of the sentences and by shared phrases."""
        return dict(reversed(super().nearest().items()))

    def _worn_phrases(self, entry: Persona) -> Iterator[RuleFault]:
        for phrase in sorted(_phrase_set(entry)):
            if self._uses[phrase] >= PHRASE_USES:
                what = f"the phrase “{phrase[:60]}” is already in {plural(self._uses[phrase], 'persona')}"
                yield RuleFault("phrases", what, "find another")


PERSONAS = EntryKind(
    "persona",
    read_persona,
    persona_faults,
    PersonaIndex,
    texts=lambda persona: (persona.sentence, *persona.phrases),
    group=lambda persona: persona.register,
)
