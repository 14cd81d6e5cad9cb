"""Lint of what is said about task types in the second edition: replies give nothing away, side questions stay apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from evolif.scenarios.shifts.details import TaskDetails, load_details
from evolif.scenarios.shifts.read_back import said
from evolif.scenarios.shifts.task_words import SlotWords, TaskWords, load_words, sentences_of
from evolif.scenarios.shifts.tasks import Slot, TaskType, filled, grams, own_words, plain

_LEAST_ASIDES = 4
_LEAST_DETAILS = 5
_NEEDED = {
    "item": ("added", "cancelled", "asks"),
    "fork": ("set", "alternative", "asks"),
    "other": ("set", "all_changes", "changed", "dropped", "asks"),
}


def lint_words(task: TaskType, words: TaskWords | None = None) -> list[str]:
    """What is wrong with what is said about a task type, a sentence each; empty if all is well.

    Args:
        task: With its slots and values.
        words: What is said; None for what is stored.
    """
    words = words or load_words(task.id)
    if words is None or set(words.slots) != set(task.keys):
        return [f"{task.id} has no words, or not for each of its slots"]
    asides = [question for slot in words.slots.values() for question, _ in slot.asides]
    faults = [f"{task.id} has too few side questions"] * (len(asides) < _LEAST_ASIDES)
    faults += [f"“{one}” holds a word of the task" for one in asides if not grams(one).isdisjoint(own_words(task.id))]
    forms = {plain(f) for s in task.slots if s.type != "yes_no" for v in s.values for f in (str(v), s.say(v))}
    texts = [answer for _, answer in words.implicit]
    for slot in task.slots:
        own = words.slots[slot.key]
        faults += [f"{slot.key} lacks {name}" for name in _needed(slot) if not getattr(own, name)]
        faults += [f"{slot.key}: “{text}” holds {{old}}" for text in _replies(own) if "{old}" in text]
        faults += [f"{slot.key}: “{text}” is read as a wish" for text in _filled(slot, own) if said(text, task)]
        texts += [*_replies(own), own.alternative, *(answer for _, answer in (*own.asks, *own.asides))]
    texts += load_details(task.id).everything()
    faults += _lint_details(task, words, load_details(task.id))
    return faults + [f"“{text}” holds a value" for text in texts if not grams(text).isdisjoint(forms)]


def _lint_details(task: TaskType, words: TaskWords, details: TaskDetails) -> Iterator[str]:
    if set(details.slots) != set(words.slots):
        yield f"{task.id} has no details, or not for each of its slots"
        return
    try:
        details.continued(words)
    except ValueError:
        yield f"{task.id} continues other answers than there are"
    for slot in task.slots:
        own = details.slots[slot.key]
        groups = own.details.values() if isinstance(own.details, dict) else [own.details]
        if any(len(group) < _LEAST_DETAILS for group in groups) or not own.dropped or (slot.fork and not own.compared):
            yield f"{slot.key} has too few details"
    for text in details.everything():
        if said(text, task) or "{" in text or len(sentences_of(text)) != 1 or any(map(str.isdigit, text)):
            yield f"“{text}” is no detail: it is read as a wish, or is more than one sentence, or has a digit"
    yield from (f"“{text}” stands there twice" for text, times in Counter(details.everything()).items() if times > 1)


def _needed(slot: Slot) -> tuple[str, ...]:
    return _NEEDED["item" if slot.type == "item" else "fork" if slot.fork else "other"]


def _filled(slot: Slot, words: SlotWords) -> Iterator[str]:
    """The replies with two of the slot's values each, which is enough: all values stand in the same sentences."""
    first, second = map(slot.say, slot.values[:2])
    for text in (*_replies(words), words.alternative):
        yield filled(text, first, second)


def _replies(words: SlotWords) -> Iterator[str]:
    """The replies to acts that name at most one value."""
    for one in (words.set, words.changed):
        yield from [one] if isinstance(one, str) else one.values()
    yield from (words.dropped, words.cancelled, *words.added)
