"""From a missed requirement to what the person says of it: a line, what was asked, what came, in their own style."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal
from zlib import crc32

from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.feedback.bank import (
    TONES,
    RemarkMode,
    Tone,
    Trouble,
    family_of,
    has_found,
    load_general,
    load_remarks,
)
from evolif.scenarios.instructions.feedback.found import found_of
from evolif.scenarios.instructions.feedback.misses import Miss
from evolif.scenarios.instructions.synthesis.plans import PlanPiece, capitalised, parse_plan, seal
from evolif.scenarios.instructions.synthesis.render import styled, styled_opening
from evolif.scenarios.instructions.synthesis.short_plans import going_on
from evolif.scenarios.instructions.synthesis.short_values import LITERAL_SLOTS, short_form
from evolif.scenarios.instructions.synthesis.style import style_of
from evolif.scenarios.instructions.turns import Constraint, Params, Persona
from evolif.util.rng import Purpose, Stream

RemarkKind = Literal["missed", "thanks", "unreadable"]
LONGEST_ASKED = 160
"""Characters of what was asked; of anything longer, nobody would say it all again."""
_LITERALS = LITERAL_SLOTS | {"columns", "items", "language", "mark"}
_ONE = ("1", "one")
_QUOTES = re.compile("[“”]")
_SLOT = re.compile(r"\{([aA]sked|[fF]ound)\}")


@dataclass(frozen=True, slots=True)
class Remark:
    """What the person says of the answer before."""

    kind: RemarkKind
    text: str
    """As it stands at the beginning of the query; of a repair it is the query."""
    key: str = field(compare=False)
    """Its line in the bank."""
    group: str = ""
    """The missed requirement's, where one is named."""
    params: Params = field(default_factory=dict)

    def as_object(self) -> dict[str, Any]:
        """The remark as a payload holds it."""
        return {"kind": self.kind, "text": self.text, "group": self.group, "value": dict(self.params)}


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who makes a remark, and from which lines."""

    persona: Persona
    mode: RemarkMode
    tone: Tone
    used: Set[str]
    """The lines that the dialogue has heard already."""
    stream: Stream

    def miss(self, miss: Miss) -> Remark | None:
        """Names a missed requirement; None if nobody has words for it."""
        constraint = miss.constraint
        bank, asked = load_remarks(constraint.group), asked_of(constraint)
        if bank is None or asked is None:
            return None
        found = telling(found_of(miss), constraint.group)
        lines = bank.lines(self.mode).of(family_of(self.persona.register))
        by_tone = {
            tone: [(f"{tone}/{n}", line) for n, line in enumerate(lines.of(tone)) if found or not has_found(line)]
            for tone in TONES
        }
        key, line = self._choose(f"{constraint.group}/{self.mode}", by_tone)
        values = {"asked": asked, "found": seal(found) if "“" in found else found}
        said = going_on(_SLOT.sub(lambda match: _slotted(match[1], values), line))
        text = self._styled(said, constraint.params)
        return Remark("missed", text, key, constraint.group, constraint.params)

    def trouble(self, trouble: Trouble) -> Remark:
        """Says that the answer cannot be read."""
        lines = load_general().troubled(family_of(self.persona.register), trouble, self.mode)
        by_tone = {tone: [(f"{tone}/{n}", line) for n, line in enumerate(lines[tone])] for tone in TONES}
        key, line = self._choose(f"{trouble}/{self.mode}", by_tone)
        return Remark("unreadable", self._styled(line), key)

    def thanks(self) -> Remark:
        """A word of thanks."""
        lines = load_general().thanking(family_of(self.persona.register))
        key, line = self._choose("thanks", {self.tone: [(str(n), line) for n, line in enumerate(lines)]})
        return Remark("thanks", self._styled(line), key)

    def moving_on(self, remark: Remark, number: int) -> Remark:
        """The remark and what leads from it to another task, by the number of the turn."""
        lines = load_general().bridging(family_of(self.persona.register))
        order = Stream(Purpose.REMARKS, crc32(self.persona.id.encode())).sample(lines, len(lines))
        return replace(remark, text=f"{remark.text} {self._styled(order[number % len(lines)])}")

    def _choose(self, where: str, by_tone: Mapping[Tone, Sequence[tuple[str, str]]]) -> tuple[str, str]:
        """A line of the tone that the dialogue has not heard, or else of another tone, or else one that it has."""
        at = TONES.index(self.tone)
        for tone in sorted(by_tone, key=lambda tone: abs(TONES.index(tone) - at)):
            fresh = [(key, line) for key, line in by_tone[tone] if f"{where}/{key}" not in self.used]
            if fresh:
                key, line = self.stream.choice(fresh)
                return f"{where}/{key}", line
        key, line = self.stream.choice(by_tone[self.tone])
        return f"{where}/{key}", line

    def _styled(self, text: str, params: Params | None = None) -> str:
        style = style_of(self.persona)
        if _QUOTES.search(str(params)):  # one mark would become another
            style = style.model_copy(update={"quotes": "curly"})
        return styled(text, style) if self.mode == "repair" else styled_opening(text, style)


_LETTERS_COUNTED = 12
"""Letters and marks beyond which nobody counts them."""
_BY_SIGNS = frozenset({"case", "digits", "lettering", "punctuation"})
_COUNT = re.compile(r"\d{1,9}(?= )")


def telling(found: str, group: str) -> str:
    """What came, where somebody would say it: neither “no emojis”, which sounds like an order, nor 3,096 capitals."""
    if found.startswith(("no ", "some", "first ", "second ")):
        return ""
    count = _COUNT.match(found)
    return "" if group in _BY_SIGNS and count and int(count[0]) > _LETTERS_COUNTED else found


def _slotted(slot: str, values: Mapping[str, str]) -> str:
    value = values[slot.lower()]
    return capitalised(value) if slot[0].isupper() else value


def asked_of(constraint: Constraint) -> str | None:
    """What was asked, as a phrase that can follow “I said”, its literal values sealed; None where there are no words.

    >>> asked_of(Constraint("bullets", {"kind": "bullet", "relation": "exactly", "count": 5}))
    '5 bullets'
    """
    bank = load_remarks(constraint.group)
    if bank is None:
        return None
    keys, slots = _kinds(constraint)
    for key in keys:
        phrase = bank.asked.get(key)
        pieces = () if phrase is None else _pieces(phrase)
        if pieces and all(piece.text in slots for piece in pieces if piece.slot):
            text = " ".join("".join(_filled(piece, slots) for piece in pieces).split())
            return text if len(text) <= LONGEST_ASKED else None
    return None


def _kinds(constraint: Constraint) -> tuple[Sequence[str], Mapping[str, str]]:
    """The names under which the bank may have a constraint, the most telling first, and the values of its slots."""
    params = constraint.params
    short, saying = short_form(constraint.group, params), get_group(constraint.group).lifted(params)
    keys: list[str] = []
    if short is not None:
        keys += [".".join((short.shape, *short.tails)), short.shape]
    keys += [f"{saying.key}.only"] if params.get("only") else []
    return [*keys, saying.key], {**saying.slots, **({} if short is None else short.slots)}


@lru_cache(maxsize=1024)
def _pieces(phrase: str) -> Collection[PlanPiece]:
    return parse_plan("asked", phrase).pieces


def _filled(piece: PlanPiece, slots: Mapping[str, str]) -> str:
    if not piece.slot:
        return piece.text
    value = slots[piece.text]
    if piece.forms is not None:
        return piece.forms[0 if value in _ONE else 1]
    return seal(value) if piece.text in _LITERALS and value else value
