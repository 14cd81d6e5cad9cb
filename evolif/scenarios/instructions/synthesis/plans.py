"""The bank of utterance plans: what a person types for one change of one constraint, with slots (`seeds/plans/`).

A file belongs to a group: acts, in them kinds of constraints, in them plans, and under `old` noun phrases for what is
given up. A plan is a text with tags before a bar: registers (c n f b w; none means all five), `S` and `L` (small or
large values only), `U` and `D` (the new value is above or below the old one), `R` (brings its own reason), `T`
(places the task itself), `A` (speaks to an answer that is there), `P` (a question or complaint that needs no
“please”). Others count only where persons are to fit (`Profile.persons`). Left out there is what has `M` (says how the
last answer turned out, which nobody knows when a set is made: “still missing”), `O` (an odd motive: somebody not
mentioned, a bet, a game, a life that the person may not have) or `K` (`check_query` takes words of it for another
demand). Formal persons say only what has `f` or `E` (everybody says it). Reasons of short plans may have `Q` or `G`:
only where the task is a question, or a text that goes to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from evolif.errors import InputError
from evolif.scenarios.instructions.constraints import Change
from evolif.scenarios.instructions.partition import ALL_WORDINGS, Wordings
from evolif.util.resources import data_path, load_data

REGISTER_LETTERS: Mapping[str, str] = {"c": "casual", "n": "neutral", "f": "formal", "b": "brisk", "w": "warm"}
ACTS = ("state", "add", "adjust", "replace", "lift", "back")
SMALL, LARGE, UP, DOWN, REASONED, TASK, ANSWER, POLITE, OUTCOME, ODD, EVERYBODY, QUESTION, TEXT, MISHEARD = (
    "SLUDRTAPMOEQGK"
)
_UNSAID = frozenset((OUTCOME, ODD, MISHEARD))
OWN_TAGS = _UNSAID | {EVERYBODY, QUESTION, TEXT}
"""Tags that count only where persons are to fit."""
_TAGS = frozenset((SMALL, LARGE, UP, DOWN, REASONED, TASK, ANSWER, POLITE)) | OWN_TAGS
_TAGGED = re.compile(r"([a-zA-Z]{1,16})\|")
_SLOT = re.compile(r"\{([A-Za-z_]+)(?:\|([^{}|]*)\|([^{}|]*))?\}")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_NEVER_SIZED = (-1, 1 << 62)


Reference = Literal["name", "value", "pronoun", "none"]


@dataclass(frozen=True, slots=True)
class PlanPiece:
    """A piece of a plan: words, or a slot."""

    text: str
    """The words; of a slot, its name in small letters."""
    slot: bool = False
    capital: bool = False
    """The slot's value begins with a capital: {Old}, {Topic}."""
    forms: tuple[str, str] | None = None
    """Of {count|bullet|bullets}: what stands for 1, and for other numbers."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One thing that a person might type."""

    key: str
    """Group, act, shape and number: `bullets/add/count/7`."""
    text: str
    registers: frozenset[str]
    tags: frozenset[str]
    pieces: tuple[PlanPiece, ...] = field(repr=False)
    length: int
    """Words; a slot counts as one."""
    beginning: str
    """Its first words, by which two plans sound alike."""
    slots: frozenset[str]
    """The names of its slots."""
    reference: Reference
    """How it refers to what was asked before."""
    echoes: frozenset[str]
    """The beginnings of its telling words: a sentence beside it that has one of them, too, would sound like an echo."""
    formal: bool = False
    """Whether its line says that formal persons type it; one without registers does not."""

    def fits_person(self, register: str) -> bool:
        """Whether somebody of a register would type it, whatever the last answer was like.

        >>> parse_plan("k", "Too many. {count} bullets.").fits_person("formal")
        False
        >>> parse_plan("k", "M|Where are the bullets?").fits_person("casual")
        False
        """
        if not self.tags.isdisjoint(_UNSAID):
            return False
        return self.formal if register == "formal" else register in self.registers


def _reference(text: str, slots: frozenset[str]) -> Reference:
    if "old" in slots or "oname" in slots:
        return "name"
    if any(slot.startswith("o_") or slot in ("on", "ou") for slot in slots):
        return "value"
    return "pronoun" if _PRONOUN.search(text) else "none"


_PRONOUN = re.compile(r"\b(?:it|that|this|those|these|them|one|ones|same)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GroupPlans:
    """The plans of one group."""

    group: str
    acts: Mapping[str, Mapping[str, tuple[Plan, ...]]]
    old: Mapping[str, tuple[str, ...]]
    """Noun phrases that name a constraint which is given up, by its kind."""
    sizes: Mapping[str, tuple[int, int]]
    """By what is counted: numbers up to the first are small, from the second on large."""

    def of(self, act: str, shape: str) -> tuple[Plan, ...]:
        """The plans of an act and a kind of constraint; those of another act where both say the same."""
        for name in (act, *_INSTEAD.get((act, shape), ())):
            plans = self.acts.get(name, {}).get(shape)
            if plans:
                return plans
        return ()

    def fits_size(self, plan: Plan, size: tuple[str, int] | None) -> bool:
        """Whether a plan for small or large values suits the number; without one, only plans without such tags do."""
        if plan.tags.isdisjoint((SMALL, LARGE)):
            return True
        if size is None:
            return False
        only = next(iter(self.sizes.values())) if len(self.sizes) == 1 else _NEVER_SIZED
        low, high = self.sizes.get(size[0], only)
        return size[1] <= low if SMALL in plan.tags else size[1] >= high


_INSTEAD: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("adjust", "add"): ("add",),
    ("adjust", "release"): ("lift", "replace"),
    ("adjust", "recount"): ("replace",),
}
"""Where writers of plans may have put changes of a part of a constraint."""


def parse_plan(key: str, line: str) -> Plan:
    """The plan of a line.

    Raises:
        ValueError: an unknown tag, or a brace that belongs to no slot.
    """
    registers, tags, text, formal = frozenset(REGISTER_LETTERS.values()), frozenset[str](), line, False
    if tagged := _TAGGED.match(line):
        letters, text = frozenset(tagged[1]), line[tagged.end() :]
        unknown = sorted(letters - _TAGS - REGISTER_LETTERS.keys())
        if unknown:
            known = f"{''.join(REGISTER_LETTERS)} and {''.join(sorted(_TAGS))}"
            raise ValueError(f"the tag “{unknown[0]}” is unknown; use {known}")
        tags, formal = letters & _TAGS, not letters.isdisjoint("fE")
        registers = frozenset(REGISTER_LETTERS[letter] for letter in letters - _TAGS) or registers
    text = text.strip()
    words = _WORD.findall(_SLOT.sub(" x ", text))
    if not words:
        raise ValueError("it has no words")
    pieces = _pieces(text)
    slots = frozenset(piece.text for piece in pieces if piece.slot)
    begins, refers = beginning_of(text), _reference(text, slots)
    return Plan(key, text, registers, tags, pieces, len(words), begins, slots, refers, echoes(text), formal)


_TELLING = 4
"""Letters by which words are told apart as echoes: “correct” and “correction” are one."""
_COMMON = frozenset(
    "that this with have what would could from when your them there then than will just some been were".split()
)


def echoes(text: str) -> frozenset[str]:
    """The beginnings of a text's telling words, in small letters."""
    words = (word.casefold() for word in _WORD.findall(_SLOT.sub(" ", text)))
    return frozenset(word[:_TELLING] for word in words if len(word) >= _TELLING and word not in _COMMON)


def _pieces(text: str) -> tuple[PlanPiece, ...]:
    found, at = [], 0
    for match in _SLOT.finditer(text):
        if match.start() > at:
            found.append(PlanPiece(text[at : match.start()]))
        name, forms = match[1], (match[2], match[3]) if match[2] is not None else None
        found.append(PlanPiece(name[0].lower() + name[1:], True, name[0].isupper(), forms))
        at = match.end()
    if at < len(text):
        found.append(PlanPiece(text[at:]))
    for piece in found:
        if not piece.slot and ("{" in piece.text or "}" in piece.text):
            raise ValueError(f"a brace of “{piece.text}” belongs to no slot")
    return tuple(found)


def beginning_of(text: str) -> str:
    """The first three words of a text, in small letters: what makes two openings sound alike."""
    return " ".join(_WORD.findall(text)[:3]).casefold()


@lru_cache(maxsize=64)
def load_plans(group: str) -> GroupPlans | None:
    """The packaged plans of a group; None if it has none.

    Raises:
        InputError: the file is not a bank of plans.
    """
    path = data_path("seeds", "plans") / f"{group}.yaml"
    return read_plans(path) if path.is_file() else None


def read_plans(path: Path) -> GroupPlans:
    """The plans of a file.

    Raises:
        InputError: it is not a bank of plans; the first fault is named.
    """
    data = load_data(path)
    if not isinstance(data, dict) or data.get("group") != path.stem:
        raise InputError(f"needs “group: {path.stem}”, as its name says", path=path)
    unknown = sorted(str(name) for name in data.keys() - {"group", "old", "sizes", *ACTS})
    if unknown:
        raise InputError(f"“{unknown[0]}” is unknown; use {', '.join(ACTS)}, old and sizes", path=path)
    acts: dict[str, dict[str, tuple[Plan, ...]]] = {}
    for act in ACTS:
        for shape, lines in _lists(data.get(act) or {}, act, path):
            plans = []
            for number, line in enumerate(lines, 1):
                try:
                    plans.append(parse_plan(f"{path.stem}/{act}/{shape}/{number}", line))
                except ValueError as fault:
                    raise InputError(f"{act}.{shape}, plan {number}: {fault}", path=path) from None
            acts.setdefault(act, {})[shape] = tuple(plans)
    old = {shape: tuple(lines) for shape, lines in _lists(data.get("old") or {}, "old", path)}
    return GroupPlans(path.stem, acts, old, _sizes(data.get("sizes") or {}, path))


def _lists(shapes: object, act: str, path: Path) -> Iterator[tuple[str, Sequence[str]]]:
    if not isinstance(shapes, dict):
        raise InputError(f"{act}: needs kinds of constraints with a list of plans each", path=path)
    for shape, lines in shapes.items():
        if not isinstance(shape, str):
            raise InputError(f"{act}: “{shape}” is read as something else; put it in quotation marks", path=path)
        if not isinstance(lines, list) or not lines or not all(isinstance(line, str) for line in lines):
            raise InputError(f"{act}.{shape}: needs a list of texts; put each in quotation marks", path=path)
        yield shape, lines


def _sizes(data: object, path: Path) -> dict[str, tuple[int, int]]:
    if not isinstance(data, dict):
        raise InputError("sizes: needs a mapping such as {count: [4, 9]}", path=path)
    sizes: dict[str, tuple[int, int]] = {}
    for name, limits in data.items():
        if not isinstance(limits, list) or len(limits) != 2 or not all(isinstance(limit, int) for limit in limits):
            raise InputError(f"sizes.{name}: needs two numbers: up to which, and from which on", path=path)
        sizes[str(name)] = (limits[0], limits[1])
    return sizes


SEAL, UNSEAL = "\ue000", "\ue001"
"""Around a literal value, so that no change of style touches it."""
_PLAIN_SLOTS = frozenset({"n", "u", "upper", "count", "on", "ou", "oname", "old", "name", "a_name", "names", "percent"})
"""Slots whose values are ordinary words and numbers."""


def seal(text: str) -> str:
    """The text as a literal that no change of style touches."""
    return f"{SEAL}{text}{UNSEAL}"


def fill(pieces: Sequence[PlanPiece], slots: Mapping[str, str]) -> str:
    """The text of a plan, its slots filled and literals sealed; grammar that depends on a value is made right.

    Raises:
        KeyError: a slot that has no value.
    """
    text = ""
    for piece in pieces:
        if not piece.slot:
            text += piece.text
            continue
        value = slots[piece.text]
        if piece.forms is not None:
            text += piece.forms[0 if value == "1" else 1]
            continue
        if piece.capital or (value[:1].islower() and starts_sentence(text)):
            value = capitalised(value)
        literal = piece.text.removeprefix("o_") not in _PLAIN_SLOTS
        text = _with_article(text, value) + (seal(value) if literal else value)
    return text


def capitalised(text: str) -> str:
    """The text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def starts_sentence(text: str) -> bool:
    """Whether what follows this text begins a sentence, in words that begin sentences with capitals."""
    before = text.rstrip()
    return not before or (before[-1] in ".?!" and not text[:1].islower())


_ARTICLE = re.compile(r"\b([Aa])n? $")
_VOWEL_NUMBER = re.compile(r"8|11(?!\d)|18(?!\d)|11\d{3}(?!\d)|18\d{3}(?!\d)")
_SPOKEN_LIKE_A_CONSONANT = re.compile(r"(?:uni|use|usu|euro|one\b|once\b|ut[ie])", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)


def _with_article(text: str, value: str) -> str:
    """The text with “a” or “an” at its end as the value behind it asks for."""
    if not (match := _ARTICLE.search(text)):
        return text
    bare = value.lstrip(f"{SEAL}“‘\"'")
    if bare[:1].isdigit():
        vowel = _VOWEL_NUMBER.match(bare) is not None
    elif len(bare) == 1 or (bare[:3].isupper() and not bare[:1].isdigit()):
        vowel = bare[0].upper() in "AEFHILMNORSX"  # a letter, or letters that are spelled out
    else:
        vowel = (bare[:1].casefold() in "aeiou" and not _SPOKEN_LIKE_A_CONSONANT.match(bare)) or bool(
            _SILENT_H.match(bare)
        )
    return f"{text[: match.start()]}{match[1]}{'n' if vowel else ''} "


_PLACE = re.compile(r"\b(?:start|begin|open|first|end|finish|clos|last)", re.IGNORECASE)


def named_old(
    plans: GroupPlans, change: Change, plan: Plan | None = None, wordings: Wordings = ALL_WORDINGS
) -> tuple[str, ...]:
    """The noun phrases for what a change gives up, their slots filled.

    Args:
        plans: Of the group.
        change: What changes.
        plan: Where the phrase is to stand: if it says that something is at the start or at the end, the phrase does not
            say so again, as long as there is another.
        wordings: Of which those are left out that are on the other side, as long as there are others.
    """
    phrases = tuple(wordings.some_of(plans.old.get(change.old_shape, ())))
    if plan is not None and _PLACE.search(plan.text):
        phrases = tuple(phrase for phrase in phrases if not _PLACE.search(phrase)) or phrases
    return tuple(fill(_pieces(phrase), change.old) for phrase in phrases)
