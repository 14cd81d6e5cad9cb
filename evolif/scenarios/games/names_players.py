"""Simulated players of names: guess-and-check, a scripted one that says parts of rows, and one that answers at once.

What they say is read by the rules of `sentences`. All of them propose a row as its five values. The scripted one
says parts of rows where whole ones take too long: whoever has rows that such a part fits proposes these. How long the
parts are follows from the odds; with whole rows only, both do what guess-and-check does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final

from evolif.scenarios.games.information import Rows, open_reader
from evolif.scenarios.games.names import typical_row
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.sentences import Claim, ParsedSentence
from evolif.scenarios.games.speech import Speech
from evolif.scenarios.games.telling import ask_back, is_meta

_LABEL: Final = re.compile(r"(?<!\w)row ([0-9]{1,3})(?![0-9])", re.IGNORECASE)
_ANSWER: Final = "SELECT ROW"
_KNOWN_TO_BOTH: Final = 0.8
"""About the share of values that stand in both tables."""


@dataclass(slots=True)
class Notes:
    """What a player knows at its turn."""

    own: Rows
    shown: list[list[str]]
    """Its rows, as they are written."""
    name: int
    """The column of names; -1 without one."""
    parts: list[Claim] = field(default_factory=list)
    """What the partner said of single rows, short of whole ones; each once."""
    met: set[int] = field(default_factory=set)
    """Own rows that the partner named as a whole."""
    named: set[int] = field(default_factory=set)
    """Own rows that were named as a whole, and not selected."""
    told: set[int] = field(default_factory=set)
    """Own rows of which a part was told."""
    question: ParsedSentence | None = None
    """The partner's, if its last turn ends with one."""
    is_lost: bool = False
    """Whether nothing of the partner's last turn could be read."""


def _notes(view: View) -> Notes:
    columns, rows = view.private["columns"], view.private["rows"]
    reader = open_reader(columns, rows)
    name = columns.index("name") if "name" in columns else -1
    notes = Notes(Rows(rows), [[str(value) for value in row] for row in rows], name)
    asked: ParsedSentence | None = None
    for turn, text in enumerate(view.said):
        sentences = reader.read(text)
        if turn % 2 == view.player:
            asked = _remember(notes, sentences)
        else:
            _hear(notes, sentences, asked)
    notes.parts = list(dict.fromkeys(notes.parts))
    return notes


def _remember(notes: Notes, sentences: Iterable[ParsedSentence]) -> ParsedSentence | None:
    """What was said oneself; returns the last question."""
    asked = None
    for sentence in sentences:
        asked = sentence if sentence.kind == "ask" else asked
        if sentence.kind in ("have", "ask"):
            for claim in sentence.claims():
                rows = notes.own.having(claim)
                (notes.named if _is_whole(notes, claim) else notes.told).update(rows)
    return asked


def _hear(notes: Notes, sentences: list[ParsedSentence], asked: ParsedSentence | None) -> None:
    """What the partner said."""
    for sentence in sentences:
        if sentence.kind in ("yes", "no") and asked:
            sentence = ParsedSentence("have" if sentence.kind == "yes" else "lack", asked.values)
        if sentence.kind == "lack":
            for denial in sentence.denials():
                notes.own.hear_lack(denial)
        elif sentence.kind == "closed" and not sentence.odd:
            notes.own.hear_closed(sentence)
        elif sentence.kind in ("have", "ask"):
            _hear_claims(notes, sentence)
    notes.question = sentences[-1] if sentences and sentences[-1].kind == "ask" else None
    notes.is_lost = bool(sentences) and all(sentence.kind == "unread" for sentence in sentences)


def _hear_claims(notes: Notes, sentence: ParsedSentence) -> None:
    for claim in sentence.claims():
        if _is_whole(notes, claim):
            notes.met |= notes.own.having(claim)
        elif sentence.kind == "have":
            notes.parts.append(claim)


def _is_whole(notes: Notes, claim: Claim) -> bool:
    return len(claim) == len(notes.shown[0])


def _select(row: int) -> str:
    return f"{_ANSWER} {row + 1}"


def floor(view: View) -> str:
    """Select the row that the own table makes likeliest, before anything was said."""
    return _select(typical_row(view.private["rows"]))


def guess_and_check(view: View) -> str:
    """Propose one own row a turn; select one that the partner proposed; at the end select one not proposed."""
    notes = _notes(view)
    if notes.met:
        return _answer(view, notes, min(notes.met))
    proposed = {int(match[1]) - 1 for text in view.said[view.player :: 2] for match in _LABEL.finditer(text)}
    left = [row for row in range(len(notes.shown)) if row not in proposed] or [0]
    if view.is_final:
        # Where turns are so short that the partner could only say parts of its rows, these are all there is.
        fits = Counter(row for part in notes.parts for row in notes.own.having(part))
        return _select(max(left, key=lambda row: fits[row]))
    return _proposal(view, notes, left[0])


def _answer(view: View, notes: Notes, row: int) -> str:
    """Select a row; where that was refused as too early, name it, so that the partner can select it in the end."""
    refused = any(text.startswith(_ANSWER) for text in view.said[view.player :: 2])
    return _proposal(view, notes, row) if refused and not view.is_final else _select(row)


def _proposal(view: View, notes: Notes, row: int) -> str:
    """`row 7: …?` with the values of the row; only those of its rarest columns where a turn is too short."""
    speech = Speech(view)
    values = notes.shown[row]
    for count in range(len(values), 0, -1):
        kept = _rarest(notes, row, count)
        text = f"row {row + 1}: {' '.join(values[at] for at in kept)}?"
        if speech.fits(text):
            return text
    return f"row {row + 1}?"


def _rarest(notes: Notes, row: int, count: int) -> list[int]:
    """The name, and the columns in which the row's values are rarest in the own table, in the table's order."""
    often = [sum(other[at] == value for other in notes.shown) for at, value in enumerate(notes.shown[row])]
    return sorted(sorted(range(len(often)), key=lambda at: (at != notes.name, often[at]))[:count])


def scripted(view: View) -> str:
    """Select where it is certain; else answer, propose rows that fit the partner's words, and tell more of the own."""
    notes = _notes(view)
    sure = notes.met or (notes.own.candidates if len(notes.own.candidates) == 1 else None)
    if sure:
        return _answer(view, notes, min(sure))
    weights = _weights(notes)
    order = sorted(weights, key=lambda row: (-weights[row], row))
    if view.is_final:
        return _select(order[0] if order else 0)
    speech = Speech(view)
    if notes.is_lost and not is_meta(view.said[-1]):
        ask_back(speech, view.said[view.player :: 2])
    if notes.question:
        speech.add(_reply(notes, notes.question))
    for item in _items(view, notes, order, speech):
        speech.add(item)
    return speech.text


def _reply(notes: Notes, question: ParsedSentence) -> str:
    """A yes or no to a question; where it asks for several rows, and only some are there, these."""
    claims = question.claims()
    held = [claim for claim in claims if notes.own.having(claim)]
    if held and len(held) < len(claims):
        return f"I have {', '.join(value for claim in held for _, value in sorted(claim))}."
    return "Yes." if held else "No."


def _items(view: View, notes: Notes, order: list[int], speech: Speech) -> Iterator[str]:
    """What is worth saying, the most useful first: rows that fit the partner's words, then parts, then whole rows."""
    columns = len(notes.shown[0])
    fitting = {row for part in notes.parts for row in notes.own.having(part)}
    fresh = [row for row in order if row not in fitting and row not in notes.told]
    yield from (_say(notes, row, columns) for row in order if row in fitting)
    if fresh:
        count = _length(view, notes, speech)
        yield from (_say(notes, row, count) for row in fresh)
    yield from (_say(notes, row, columns) for row in order if row in notes.told and row not in fitting)


def _length(view: View, notes: Notes, speech: Speech) -> int:
    """How many values of a row to tell, so that the odds are best; all of them where proposing whole rows is best."""
    columns = len(notes.shown[0])
    return max(range(columns, 0, -1), key=lambda count: _odds(view, notes, speech, count))


def _odds(view: View, notes: Notes, speech: Speech, count: int) -> float:
    """About how likely it is that the shared row is found, if both tell parts of so many values.

    The own table stands for the partner's, too: two rows are about as likely to agree in a column there as here.
    """
    rows = len(notes.shown)
    turns = view.turns // 2
    told = min(rows, turns * (view.tokens // speech.cost(_say(notes, 0, count))))
    checked = 1 + (turns - 1) * (view.tokens // speech.cost(_say(notes, 0, len(notes.shown[0]))))
    alike = fmean(sum(n * n for n in Counter(values).values()) for values in zip(*notes.shown, strict=True)) / rows**2
    doubles = (rows - 1) * (_KNOWN_TO_BOTH * alike) ** count
    found = told / rows * min(1.0, checked / (1 + told * doubles))
    return found if turns == 1 else 1 - (1 - found) ** 2


def _say(notes: Notes, row: int, count: int) -> str:
    """A row, or a part of it, the name first (`Alwen: Ashholm marfox`)."""
    kept = _rarest(notes, row, count)
    if notes.name in kept:
        kept.remove(notes.name)
        told = " ".join(notes.shown[row][at] for at in kept)
        return f"{notes.shown[row][notes.name]}: {told}." if told else f"{notes.shown[row][notes.name]}."
    return " ".join(notes.shown[row][at] for at in kept) + "."


def _weights(notes: Notes) -> dict[int, float]:
    """How likely each own row is, of those that may still be the shared one.

    Each row of the partner's is as likely as any other. One of which a part is known stands for the own rows that the
    part fits; the others stand for all rows that no part fits.
    """
    rows = notes.own.candidates - notes.named or set(range(len(notes.shown)))
    weights = dict.fromkeys(sorted(rows), 0.0)
    for part in notes.parts:
        fit = [row for row in notes.own.having(part) if row in weights]
        for row in fit:
            weights[row] += 1 / len(fit)
    cold = [row for row, weight in weights.items() if not weight]
    unknown = max(0, len(notes.shown) - len(notes.parts))
    for row in cold:
        weights[row] = unknown / len(cold)
    return weights
