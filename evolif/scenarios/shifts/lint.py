"""Lint of task types: what the data under `seeds/shifts` must keep to, so that every dialogue made of it is right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache

from evolif.scenarios.shifts.read_back import act_sentences, said
from evolif.scenarios.shifts.tasks import Slot, TaskType, grams, plain
from evolif.text import fold, plural
from evolif.util.resources import data_path, load_data

_LEAST_LISTS = {"openings": 6, "questions": 12, "remarks": 8, "replies": 30, "digressions": 8, "implicit": 6}
_LEAST_SENTENCES = {"set": 6, "refine": 5, "withdraw": 3, "add": 6, "cancel": 4, "alternative": 6, "ask": 3}
_LEAST_YES_NO = 4
_LEAST_VALUES = {"text": 12, "number": 12, "date": 12, "time": 12, "item": 14, "yes_no": 2}
_NEUTRAL = ("openings", "questions", "remarks", "replies", "digressions", "implicit")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_SHORTEST = 13
"""Characters of a sentence; fewer could not be looked up (evolif/scenarios/shifts/read_back.py)."""


def lint(task: TaskType) -> list[str]:
    """What is wrong with a task type, a sentence each; empty if all is well."""
    return [
        *_counts(task),
        *(fault for slot in task.slots for fault in (*_slot_counts(slot), *_values(slot), *_templates(slot))),
        *_collisions(task),
        *_neutral(task),
        *_readable(task),
    ]


def _counts(task: TaskType) -> Iterator[str]:
    for name, least in _LEAST_LISTS.items():
        found: Sequence[str] = getattr(task, name)
        if len(found) < least:
            yield f"{name} has {plural(len(found), 'sentence')}; at least {least}"
        if len(set(map(fold, found))) < len(found):
            yield f"{name} has a sentence twice"
    kinds = [slot.type for slot in task.slots]
    forks = sum(slot.fork for slot in task.slots)
    rules = {
        "8 to 10 slots": 8 <= len(kinds) <= 10,
        "one or two fork slots": 1 <= forks <= 2,
        "an item slot": "item" in kinds,
        "a number": "number" in kinds,
        "at most two yes_no": kinds.count("yes_no") <= 2,
        "a date or time": "date" in kinds or "time" in kinds,
        "a title of at most four words": len(task.title.split()) <= 4,
        "keys that differ": len(set(task.keys)) == len(task.keys),
    }
    yield from (f"it needs {rule}" for rule, holds in rules.items() if not holds)


def _slot_counts(slot: Slot) -> Iterator[str]:
    if slot.fork and slot.type != "text":
        yield f"{slot.key} forks, so its type is text"
    if slot.type == "item":
        needed = {"add", "cancel", "ask"}
    else:
        needed = {"set", "refine", "ask", "alternative" if slot.fork else "withdraw"}
    found = slot.all_sentences()
    if set(found) - {"withdraw"} != needed - {"withdraw"} or needed - set(found):
        yield f"{slot.key} has sentences for {sorted(found)}, not for {sorted(needed)}"
    for name, sentences in found.items():
        groups = list(getattr(slot, name).values()) if isinstance(getattr(slot, name), dict) else [sentences]
        least = _LEAST_YES_NO if slot.type == "yes_no" and name in ("set", "refine") else _LEAST_SENTENCES[name]
        if any(len(group) < least for group in groups):
            yield f"{slot.key}.{name} has fewer than {plural(least, 'sentence')}"


def _values(slot: Slot) -> Iterator[str]:
    least = 10 if slot.fork else _LEAST_VALUES[slot.type]
    if len(slot.values) < least:
        yield f"{slot.key} has {plural(len(slot.values), 'value')}; at least {least}"
    for value in slot.values:
        if not _is_typed(slot, value):
            yield f"{slot.key}: {value!r} is no {slot.type}"
    for known in (*slot.spoken, *slot.aliases):
        if known not in slot.values:
            yield f"{slot.key}: {known!r} is spoken or has an alias, and is no value"


def _is_typed(slot: Slot, value: object) -> bool:
    if slot.type in ("text", "item"):
        return isinstance(value, str) and 1 <= len(value.split()) <= 3 and value == value.strip()
    if slot.type == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if slot.type == "yes_no":
        return isinstance(value, bool)
    if not isinstance(value, str):
        return False
    if slot.type == "time":
        return bool(_TIME.fullmatch(value))
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _templates(slot: Slot) -> Iterator[str]:
    for name, sentences in slot.all_sentences().items():
        wanted = 0 if slot.type == "yes_no" or name in ("ask", "withdraw") else 1
        for sentence in sentences:
            where = f"{slot.key}.{name}: “{sentence}”"
            if sentence.count("{value}") != wanted:
                yield f"{where} holds {{value}} {sentence.count('{value}')} times, not {wanted}"
            if not _has_right_old(name, sentence):
                yield f"{where} holds {{old}} too often or not at all"
            if "{" in sentence.replace("{value}", "").replace("{old}", "") or len(sentence) < _SHORTEST:
                yield f"{where} has another brace or is too short"
            if sentence[-1] not in ".?!":
                yield f"{where} does not end like a sentence"
            if (name == "alternative") != _has_cue(sentence, "alternative"):
                yield f"{where} {'needs a cue' if name == 'alternative' else 'has the cue'} of an alternative"
            if _has_cue(sentence, "return"):
                yield f"{where} has the cue of a return"
        if name == "refine" and slot.type != "yes_no" and sum("{old}" not in s for s in sentences) < 2:
            yield f"{slot.key}.refine needs two sentences without {{old}}"


def _has_right_old(name: str, sentence: str) -> bool:
    count = sentence.count("{old}")
    if name == "alternative":
        return count == 1
    return count <= (name in ("refine", "withdraw"))


def _has_cue(sentence: str, kind: str) -> bool:
    words = " ".join(_WORD.findall(fold(sentence)))
    return any(cue.search(words) for cue in _cues(kind))


@cache
def _cues(kind: str) -> list[re.Pattern[str]]:
    cues: list[str] = load_data(data_path("seeds", "context-cues.yaml"))[kind]
    parts = ([re.escape(fold(part).strip()) for part in cue.split("…")] for cue in cues)
    return [re.compile(r"(?<!\S)" + r" (?:\S+ ){1,6}?".join(some) + r"(?!\S)") for some in parts]


def _forms(slot: Slot) -> set[str]:
    """All ways to say its values, as `grams` has them."""
    if slot.type == "yes_no":
        return set()
    aliases = [alias for some in slot.aliases.values() for alias in some]
    return {plain(one) for value in slot.values for one in (str(value), slot.say(value), *aliases)}


def _collisions(task: TaskType) -> Iterator[str]:
    """Values that occur in other values or in another slot's words; words that two slots share."""
    for slot in task.slots:
        values = [value for value in slot.values if slot.type != "yes_no"]
        for value in values:
            form = plain(str(value))
            for other in values:
                if other != value and form in grams(str(other)):
                    yield f"{slot.key}: “{value}” occurs in “{other}”"
        for other_slot in task.slots:
            if other_slot is not slot:
                yield from _between(slot, _forms(slot), other_slot)


def _between(slot: Slot, forms: set[str], other: Slot) -> Iterator[str]:
    shared = set(map(plain, slot.words)) & set(map(plain, other.words))
    if shared:
        yield f"{slot.key} and {other.key} share the words {sorted(shared)}"
    sentences = [sentence for group in other.all_sentences().values() for sentence in group]
    values = [] if other.type == "yes_no" else [form for v in other.values for form in (str(v), other.say(v))]
    for text in (*values, *other.words, other.noun, *sentences):
        found = grams(text) & forms
        if found:
            yield f"{slot.key}: {sorted(found)} occurs in {other.key}: “{text}”"


def _neutral(task: TaskType) -> Iterator[str]:
    forms = {form for slot in task.slots for form in _forms(slot)}
    words = {plain(word) for slot in task.slots for word in slot.words}
    nouns = set(map(plain, task.nouns))
    for name in (*_NEUTRAL, "title", "deliverable"):
        texts = getattr(task, name)
        for text in [texts] if isinstance(texts, str) else texts:
            found = grams(text)
            if found & forms or re.search(r"\d", text):
                yield f"{name}: “{text}” holds a value or a digit: {sorted(found & forms)}"
            if name == "digressions" and found & (words | nouns):
                yield f"{name}: “{text}” holds {sorted(found & (words | nouns))}"
            if name == "implicit" and not found & (words | nouns):
                yield f"{name}: “{text}” holds neither a noun nor a slot word"
            if name != "replies" and any(_has_cue(text, cue) for cue in ("return", "alternative")):
                yield f"{name}: “{text}” has the cue of a return or an alternative"
    for reply in task.replies:
        if not 8 <= len(reply.split()) <= 27:
            yield f"replies: “{reply}” has {plural(len(reply.split()), 'word')}"


def _readable(task: TaskType) -> Iterator[str]:
    """Each sentence is read as the act that it does, and no neutral one as any."""
    for slot in task.slots:
        for sentence, act in act_sentences(slot):
            if said(sentence, task) != [act]:
                yield f"{slot.key}: “{sentence}” is read as {said(sentence, task)}, not as {act}"
    for name in _NEUTRAL:
        for text in getattr(task, name):
            if said(text, task):
                yield f"{name}: “{text}” is read as {said(text, task)}"
