"""A persona as the lint sees it, and the rules that need no other persona."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from evolif._json_lines import complaint
from evolif.catalogue._findings import Fault
from evolif.catalogue._patterns import load_patterns
from evolif.catalogue._rows import text_of, texts_of
from evolif.catalogue._words import words
from evolif.synthesis import PersonaModel, registers
from evolif.text import sentences

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


def read_persona(data: Mapping[str, Any]) -> tuple[PersonaEntry | None, list[Fault]]:
    """The persona of an object, None where a field is missing; and what is wrong with its fields."""
    faults: list[Fault] = []
    identity, sentence = text_of(data, "id", faults), text_of(data, "sentence", faults)
    phrases, register = texts_of(data, "phrases", faults), text_of(data, "register", faults)
    return (None if faults else PersonaEntry(identity, sentence, phrases, register)), faults


def persona_faults(persona: PersonaEntry) -> list[Fault]:
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


def _id(persona: PersonaEntry) -> Iterator[Fault]:
    if len(persona.id) > LONGEST_ID or persona.id != persona.id.strip():
        yield Fault("id", f"the id “{persona.id[:LONGEST_ID]}” is long or has spaces around it", "give it a short name")


def _register(persona: PersonaEntry) -> Iterator[Fault]:
    known = registers()
    if persona.register not in known:
        yield Fault("register", f"the register “{persona.register[:40]}” is unknown", f"use {', '.join(known)}")


def _sentence(persona: PersonaEntry) -> Iterator[Fault]:
    low, high = SENTENCE_WORDS
    text = persona.sentence.strip()
    found = len(sentences(text))
    if found != 1:
        yield Fault("sentence", f"the sentence is {found} sentences", "say who speaks in one sentence")
    if text[-1] not in ".!":
        yield Fault("sentence", "the sentence has no end", "end it with a full stop")
    if not text[0].isupper() and not text[0].isdigit():
        yield Fault("sentence", "the sentence starts with a small letter", "start it with a capital letter")
    count = len(text.split())
    if not low <= count <= high:
        yield Fault("sentence", f"the sentence has {count} words", f"write {low} to {high} words")


def _phrases(persona: PersonaEntry) -> Iterator[Fault]:
    least, most = PHRASES
    if not least <= len(persona.phrases) <= most:
        yield Fault("phrases", f"has {len(persona.phrases)} phrases", f"give {least} or {most}")
    if len({tuple(words(phrase)) for phrase in persona.phrases}) < len(persona.phrases):
        yield Fault("phrases", "has one phrase twice", "replace one of them")
    low, high = PHRASE_WORDS
    for phrase in persona.phrases:
        count = len(phrase.split())
        if not low <= count <= high:
            yield Fault("phrases", f"the phrase “{phrase[:60]}” has {count} words", f"write {low} to {high}")
        if not phrase.strip()[-1].isalnum():
            yield Fault("phrases", f"the phrase “{phrase[:60]}” ends with a mark", "leave the mark out")


def _names(persona: PersonaEntry) -> Iterator[Fault]:
    found = names_in(persona.sentence)
    for phrase in persona.phrases:
        found += names_in(f"_ {phrase}")  # a phrase starts in mid-sentence
    for word in dict.fromkeys(found):
        yield Fault("name", f"“{word[:40]}” looks like a name", "leave names out; write other words small")


def _contacts(persona: PersonaEntry) -> Iterator[Fault]:
    for text in (persona.sentence, *persona.phrases):
        if contact := _CONTACT.search(text):
            yield Fault("contact", f"“{contact[0][:40]}” could identify somebody", "leave it out")


def _unwanted(persona: PersonaEntry) -> Iterator[Fault]:
    patterns = load_patterns("personas", "unwanted-words.yaml")
    for text in (persona.sentence, *persona.phrases):
        for match in patterns.search(text):
            mend = _MENDS.get(match.category, "describe the person by what they do")
            yield Fault(match.category, f"“{match.found}” is about {match.category}", mend)


def _loading(persona: PersonaEntry) -> list[Fault]:
    """Whatever else keeps `evolif generate` from reading the persona."""
    fields = {"id": persona.id, "sentence": persona.sentence, "phrases": list(persona.phrases)}
    try:
        PersonaModel.model_validate({**fields, "register": persona.register})
    except ValidationError as fault:
        return [Fault("fields", complaint(fault, "persona"), "mend that field")]
    return []


_RULES: tuple[Callable[[PersonaEntry], Iterator[Fault]], ...] = (
    _id,
    _register,
    _sentence,
    _phrases,
    _names,
    _contacts,
    _unwanted,
)
