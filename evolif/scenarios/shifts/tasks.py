"""Task types of dialogues with shifting topics: their slots, values and sentences, read from `seeds/shifts`.

A third of the task types and of each list of sentences is *held out*: dialogues that calibrate a context strategy never
use it, so that what the strategy reaches can be measured on words that the calibration never saw.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from evolif.errors import ArgumentError, InputError
from evolif.scenarios.shifts.dialogue import Value
from evolif.scenarios.shifts.task_words import load_words
from evolif.text import fold
from evolif.util.resources import complaint, data_path, load_data

Hold: TypeAlias = Literal["all", "calibration", "held_out"]
"""Which task types and sentences a dialogue may use: all, or those that are not held out, or those that are."""
SlotKind: TypeAlias = Literal["text", "number", "date", "time", "yes_no", "item"]
FAMILIES = ("planning", "coding")
Groups: TypeAlias = "tuple[str, ...] | dict[bool, tuple[str, ...]]"
"""The sentences of an act; those of a `yes_no` slot by what is wanted."""
T = TypeVar("T")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_ROLE = re.compile(
    r"\b(?:act as|be (?:my|our) |you're |help me, as|maid of honour|my sister and me|i'm a student|solo developer|"
    r"teach psychology|hobby programmer|my students and i)",
    re.IGNORECASE,
)
"""An opening that gives the assistant a role to play, or says more of the user than later sentences agree with."""
_STILTED = re.compile(
    r" and not |\bprefer\b|, okay\?$| is yet another |kind of books we want|a personality that|"
    r"^Everyone can read|^For lunch the helpers get|^I'd file it under"
)
"""Sentences of the first edition that nobody would type; the second has none as far as there are others."""
_MOST_WORDS = 4
"""Words of the longest value or slot word."""
_CONSONANT = re.compile(r"(?:eu|uni|use|usu|uti|one|ur[aeiu]|u[-.])|u[A-Z]", re.IGNORECASE)
"""What is written with a vowel and spoken with a consonant: a unit, a European."""
_LETTERS = re.compile(r"[AEFHILMNORSX](?:[A-Z0-9]|\b)")
"""An abbreviation whose first letter is spoken with a vowel: an SQL file."""


class Slot(BaseModel):
    """One thing that can be agreed on about a task, with the sentences that do it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    """Its key in the final JSON object, with its unit where it has one."""
    type: SlotKind
    fork: bool = False
    """Whether alternatives of it may be tried in branches of their own."""
    words: tuple[str, ...]
    """What it is called in sentences."""
    noun: str
    values: tuple[bool | int | float | str, ...]
    spoken: dict[bool | int | float | str, str] = {}
    """How a user says a value, where that differs from the value."""
    aliases: dict[str, tuple[str, ...]] = {}
    """Other words for a value that an answer may use."""
    set: tuple[str, ...] | dict[bool, tuple[str, ...]] = ()
    refine: tuple[str, ...] | dict[bool, tuple[str, ...]] = ()
    withdraw: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    cancel: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    alternative: tuple[str, ...] = ()

    def say(self, value: Value) -> str:
        """How a user says a value."""
        return self.spoken.get(value, str(value)) if not isinstance(value, bool) else "yes" if value else "no"

    def sentences(self, name: str, value: Value | None = None) -> tuple[str, ...]:
        """The sentences for an act: `set`, `refine`, `withdraw`, `add`, `cancel`, `ask` or `alternative`.

        Args:
            name: The act's.
            value: What is wanted; it chooses among the sentences of a `yes_no` slot.
        """
        found: tuple[str, ...] | dict[bool, tuple[str, ...]] = getattr(self, name)
        return found[value is True] if isinstance(found, dict) else found

    def all_sentences(self) -> dict[str, tuple[str, ...]]:
        """All of its sentences by act, those of a `yes_no` slot in one list."""
        names = ("set", "refine", "withdraw", "add", "cancel", "ask", "alternative")
        found = {name: getattr(self, name) for name in names}
        return {
            name: tuple(s for group in some.values() for s in group) if isinstance(some, dict) else some
            for name, some in found.items()
            if some
        }


class TaskType(BaseModel):
    """A task that a user may want done, such as a trip to be planned."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    """How the user names it: "back to {title}"."""
    nouns: tuple[str, ...]
    openings: tuple[str, ...]
    deliverable: str
    questions: tuple[str, ...]
    remarks: tuple[str, ...]
    replies: tuple[str, ...]
    digressions: tuple[str, ...]
    implicit: tuple[str, ...]
    slots: tuple[Slot, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the final JSON object."""
        return tuple(slot.key for slot in self.slots)

    def slot(self, key: str) -> Slot:
        """The slot of a key."""
        return next(slot for slot in self.slots if slot.key == key)


@cache
def task_types() -> dict[str, tuple[str, ...]]:
    """The ids of all task types by family, sorted."""
    folder = data_path("seeds", "shifts")
    return {family: tuple(sorted(path.stem for path in (folder / family).glob("*.yaml"))) for family in FAMILIES}


@cache
def load_task(task: str) -> TaskType:
    """Read a task type, with the sentences of all editions.

    Args:
        task: Its id.

    Raises:
        ArgumentError: there is none of this id.
        InputError: its file is not valid.
    """
    first = first_task(task)
    words = load_words(task)
    if words is None:
        return first
    slots = []
    for slot in first.slots:
        own = words.slots[slot.key]
        asks = (*slot.ask, *(question for question, _ in own.asks))
        refine = (
            {v: (*slot.refine[v], *own.all_changes()[v]) for v in slot.refine}
            if (isinstance(slot.refine, dict) and isinstance(own.all_changes(), dict))
            else (*slot.refine, *own.all_changes())
        )
        slots.append(slot.model_copy(update={"ask": asks, "refine": refine}))
    return first.model_copy(update={"slots": tuple(slots)})


@cache
def first_task(task: str) -> TaskType:
    """Read a task type with the sentences of the first edition.

    Args:
        task: Its id.

    Raises:
        ArgumentError: there is none of this id.
        InputError: its file is not valid.
    """
    for family, ids in task_types().items():
        if task in ids:
            path = data_path("seeds", "shifts", family, f"{task}.yaml")
            try:
                return TaskType.model_validate(load_data(path))
            except ValidationError as fault:
                raise InputError(complaint(fault, "task type"), path=path) from None
    raise ArgumentError(f"there is no task type {task!r}; there are {', '.join(sum(task_types().values(), ()))}")


def kept(options: Sequence[T], hold: Hold) -> tuple[T, ...]:
    """The options that dialogues may use; which third is held out depends on the options' texts alone.

    Of a single option none is.
    """
    count = round(len(options) / 3)
    if hold == "all" or not count:
        return tuple(options)
    held = set(sorted(range(len(options)), key=lambda at: _rank(options[at]))[:count])
    return tuple(option for at, option in enumerate(options) if (at in held) == (hold == "held_out"))


def _rank(option: object) -> bytes:
    return blake2b(str(option).encode(), digest_size=8).digest()


@cache
def usable_tasks(hold: Hold, edition: int) -> tuple[str, ...]:
    """The ids of the task types that dialogues of an edition may use."""
    found = (task for ids in task_types().values() for task in kept(ids, hold))
    return tuple(task for task in found if edition == 1 or load_words(task) is not None)


@cache
def usable_task(task: str, hold: Hold, edition: int) -> TaskType:
    """A task type with the sentences that may be used: all of a held-out one, whose words are all new.

    In the second edition calibration and measurement share no task type, so each has all sentences of its own ones.
    """
    if edition > 1:
        return _second_task(task)
    whole = first_task(task)
    if hold != "calibration":
        return whole
    lists = ("openings", "questions", "remarks", "replies", "digressions", "implicit")
    changed: dict[str, object] = {name: kept(getattr(whole, name), hold) for name in lists}
    changed["slots"] = tuple(_reduced(slot, hold) for slot in whole.slots)
    return whole.model_copy(update=changed)


@cache
def _second_task(task: str) -> TaskType:
    """A task type with the sentences of the second edition: what it adds replaces what the first has of the kind."""
    first, words = first_task(task), load_words(task)
    if words is None:
        raise ArgumentError(f"the task type {task} is in the first edition only")
    slots = []
    for slot in first.slots:
        own = words.slots[slot.key]
        # "Under the desk" fits no sentence that gives its value an article.
        values = tuple(value for value in slot.values if not str(value).startswith("under the "))
        changed: dict[str, object] = {"ask": tuple(question for question, _ in own.asks), "values": values}
        for name in ("set", "add", "alternative"):
            changed[name] = _natural(getattr(slot, name))
        if own.all_changes():
            changed["refine"] = own.all_changes()
        slots.append(slot.model_copy(update=changed))
    return first.model_copy(
        update={
            "slots": tuple(slots),
            "openings": tuple(s for s in first.openings if not _ROLE.search(s)),
            "implicit": tuple(question for question, _ in words.implicit),
        }
    )


def _natural(sentences: Groups) -> Groups:
    """The sentences that somebody would type, all if there are none."""
    if isinstance(sentences, dict):
        return sentences
    return tuple(s for s in sentences if not _STILTED.search(s)) or sentences


def _reduced(slot: Slot, hold: Hold) -> Slot:
    changed: dict[str, object] = {}
    for name in slot.all_sentences():
        some = getattr(slot, name)
        by_value = isinstance(some, dict)
        changed[name] = {value: kept(group, hold) for value, group in some.items()} if by_value else kept(some, hold)
    return slot.model_copy(update=changed)


def filled(template: str, value: str = "", old: str = "") -> str:
    """A sentence with its values: `a` becomes `an` where the value wants it, and the first letter is a capital."""
    text = _filled_in(_filled_in(template, "{value}", value), "{old}", old)
    return text[:1].upper() + text[1:]


def _filled_in(template: str, mark: str, value: str) -> str:
    at = template.find(mark)
    if at < 0:
        return template
    before = template[:at]
    article = re.search(r"\b([Aa])n? $", before)
    if article:
        before = before[: article.start()] + article[1] + ("n " if _begins_with_vowel(value) else " ")
    return before + value + template[at + len(mark) :]


def _begins_with_vowel(value: str) -> bool:
    if value[:2].isupper() or len(value) == 1:
        return bool(_LETTERS.match(value))
    return (value[:1].lower() in set("aeiou8") and not _CONSONANT.match(value)) or value.lower().startswith("hour")


@cache
def grams(text: str) -> frozenset[str]:
    """The words of a text, and each run of up to four of them, folded; `{value}` and the like are left out."""
    words = _words(re.sub(r"\{\w+\}", " . ", text))
    return frozenset(
        " ".join(words[at : at + n]) for n in range(1, _MOST_WORDS + 1) for at in range(len(words) - n + 1)
    )


def plain(text: str) -> str:
    """A value or slot word as `grams` has it."""
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return [word.removesuffix("'s") for word in _WORD.findall(fold(text))]


@cache
def own_words(task: str) -> frozenset[str]:
    """What another topic must not say beside a task: its slot words, nouns and values, as `grams` has them."""
    whole = load_task(task)
    texts: set[str] = set(whole.nouns)
    for slot in whole.slots:
        texts |= {slot.noun, *slot.words}
        if slot.type != "yes_no":
            texts |= {str(value) for value in slot.values} | {slot.say(value) for value in slot.values}
            texts |= {alias for aliases in slot.aliases.values() for alias in aliases}
    return frozenset(map(plain, texts))


@cache
def beside(main: str, other: str, hold: Hold, edition: int) -> TaskType | None:
    """A task type as another topic of a dialogue: only what shares no slot word and no value with the main one.

    Returns:
        It; None if too little is left.
    """
    taken = own_words(main)
    whole = usable_task(other, hold, edition)
    lists = ("openings", "questions", "remarks", "replies", "digressions", "implicit")
    changed: dict[str, object] = {name: _apart(getattr(whole, name), taken) for name in lists}
    slots = [reduced for slot in whole.slots if (reduced := _slot_apart(slot, taken)) is not None]
    if edition > 1:  # every slot can be asked about
        slots = [slot for slot in slots if slot.ask]
    changed["slots"] = tuple(slots)
    enough = (
        main != other
        and grams(whole.title).isdisjoint(taken)
        and len(slots) > 2
        and all(len(_apart(getattr(whole, name), taken)) >= least for name, least in _LEAST[edition].items())
    )
    return whole.model_copy(update=changed) if enough else None


_LEAST: Mapping[int, Mapping[str, int]] = {
    1: {"openings": 1, "questions": 3, "remarks": 1, "replies": 8, "digressions": 0, "implicit": 1},
    2: {"openings": 1, "implicit": 1},
}
"""Sentences that are left at least, by edition."""


def _apart(sentences: Sequence[str], taken: frozenset[str]) -> tuple[str, ...]:
    return tuple(sentence for sentence in sentences if grams(sentence).isdisjoint(taken))


def _slot_apart(slot: Slot, taken: frozenset[str]) -> Slot | None:
    if not taken.isdisjoint(map(plain, slot.words)):
        return None
    changed: dict[str, object] = {"alternative": ()}
    for name in slot.all_sentences():
        some = getattr(slot, name)
        groups = {v: _apart(s, taken) for v, s in (some if isinstance(some, dict) else {None: some}).items()}
        if name not in ("alternative", "ask") and not all(groups.values()):
            return None
        if name != "alternative":
            changed[name] = groups if isinstance(some, dict) else groups[None]
    if slot.type != "yes_no":
        values = [v for v in slot.values if (grams(str(v)) | grams(slot.say(v))).isdisjoint(taken)]
        if len(values) < 3:
            return None
        changed["values"] = tuple(values)
    return slot.model_copy(update=changed)
