"""Reading rules 2 for the answers of games: answers as people write them; talk about an answer is none.

Before the last turn only an answer in its fixed words ends a game, and only where it is meant: no question, no
condition, no doubt. On the last turn everything is an answer that can be read as one: in words or in digits, in a
sentence, a table or LaTeX, corrected, with the working behind it. What leaves two answers open is none.

`evolif.scenarios.games.reading` has rules 1, by which older benchmarks are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import regex

from evolif.scenarios.games.arguments import text_of
from evolif.scenarios.games.asserted import CORRECTION, NUMBER, Sentence, number_of, plain, sentences
from evolif.scenarios.games.question_answers import Kind, spoken_answer
from evolif.scenarios.games.reading import Answer

Choice: TypeAlias = int | Literal["none"] | None

_LEAD: Final = (
    r"(?:(?:so|thus|hence|therefore|well|ok|okay)[\s,:]{1,3}+)?+"
    r"(?:(?:(?:the|my|our) )?+(?:final )?+answer(?: is)?+|it is|it's|i (?:choose|pick|select|take|say|guess)|"
    r"it must be|my (?:guess|choice)(?: is)?+|select(?:ing)?+|i'll (?:choose|pick|select|take|say)|final|"
    r"the (?:correct|matching|right|same|shared) (?:image|scene|picture|figure|shape|row|one|person) is(?: in)?+)?+"
    r"[\s:=-]*+"
)
"""What may come before an answer without its fixed words."""
_OPEN: Final = (
    r"(?:,? ?(?:\b(?:or|and|nor|to|vs)\b(?: (?:else|maybe|perhaps|possibly))?+|[/&]|"
    rf",(?= ?{NUMBER}\s*+$)) ?| ?-(?=[0-9]))"
)
"""What joins two answers between which nobody chooses."""
_NO_MATCH: Final = (
    r"(?:there(?: is|'s) )?+(?:no[ -]?match|no image matches|no matching (?:image|scene|figure|shape)|"
    r"none(?: of (?:them|the (?:images|scenes|figures|shapes)))?+)"
    r"(?!\p{L})"
)


@dataclass(frozen=True, slots=True)
class _Form:
    """How the answers of one game look; each pattern has the answer as `value`, or is one without."""

    fixed: regex.Pattern[str]
    """With the fixed words."""
    strict: regex.Pattern[str]
    """As it must be before the last turn."""
    instead: regex.Pattern[str]
    """What takes the place of an answer before it."""
    open: regex.Pattern[str]
    """Several answers, between which nobody chooses."""
    bare: regex.Pattern[str]
    """A sentence that answers without the fixed words."""


def _form(fixed: str, strict: str, value: str, name: str, joined: str = _OPEN) -> _Form:
    """The patterns of a game.

    Args:
        fixed: The fixed words.
        strict: With all that must come before the value before the last turn; case counts.
        value: The answer itself.
        name: What may come before it, such as `row`.
        joined: As `_OPEN`.
    """
    named = rf"(?:{name})?+\s?#?(?P<value>-?(?:{value}))"
    mention = rf"(?:{fixed})?+(?:{name})?+\s?#?-?(?:{value})"
    correction = rf"(?:^|[\s,.:-]){CORRECTION}(?:[\s,.:-]++{CORRECTION}){{0,3}}+[\s,.:-]++"
    return _Form(
        regex.compile(rf"{fixed}{named}", regex.IGNORECASE),
        regex.compile(rf"{strict}#?(?P<value>-?(?i:{value}))"),
        regex.compile(rf"{correction}(?:{fixed})?+{named}", regex.IGNORECASE),
        regex.compile(rf"(?<![\p{{L}}0-9]){mention}(?:{joined}{mention})++", regex.IGNORECASE),
        regex.compile(
            rf"^\s*+{_LEAD}{named}(?: (?:matches|fits|is the (?:match|one|answer|same)))?+[\s.]*+$", regex.IGNORECASE
        ),
    )


_IMAGE: Final = _form(
    r"answer ?[:=-]? ?(?:it is |it's |i think (?:it is |it's )?+|my guess is )?+",
    r"(?i:answer: ?(?:image[ :]?|(?=no match)))",
    rf"{NUMBER}|{_NO_MATCH}",
    r"(?:the )?+(?:image|scene|picture|figure|shape)(?:[\s:]++|-?(?=[0-9]))",
)
_FORMS: Final[Mapping[str, _Form]] = {
    "names": _form(r"select(?:ing|ed)?+ row[\s:=#]*+", r"SELECT ROW[\s:=#]*+", NUMBER, r"row[\s:=]++"),
    "scenes": _IMAGE,
    "shapes": _IMAGE,
    "chess": _form("", "", r"(?<!\p{L})(?-i:MINE|YOURS)(?!\p{L})", "", r" ?(?:\bor\b|\band\b|\bnor\b|/) ?"),
}
_NOT_BUT: Final = regex.compile(r"\bnot (?:\p{L}{1,12} ){0,2}(?:\p{L}{1,12}|[0-9]{1,3}),? but\b", regex.IGNORECASE)
_SMALL: Final = regex.compile(r"\b(?:earlier|first|answer|guess|say|choose|pick)\b[^\n]{0,40}+$", regex.IGNORECASE)
_LAST_WORD: Final = regex.compile(r"(?:^|[\s:])(?P<value>mine|yours)\s*+$", regex.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Mention:
    """An answer somewhere in a text."""

    value: str
    is_meant: bool
    takes_back: bool
    """Whether it takes the place of those before it."""


def final_answer(game: str, text: str, n: int = 1, *, is_final: bool = True, kind: Kind = "") -> Answer | None:
    """Read what a text answers, by rules 2.

    Args:
        game: Its name.
        text: What a player said, as the partner saw it; of a long one the end is read.
        n: How many rows or images there are; of no account in chess and questions.
        is_final: Whether it is the last turn.
        kind: What a question asks for.

    Returns:
        The answer as `read_answer` has it; None without one that is meant and can be read.

    Example:
        >>> final_answer("names", "Not row 3. Select row seven", 9)
        7
        >>> final_answer("names", "If yes I SELECT ROW 3", 9) is None
        True
    """
    said = _NOT_BUT.sub("", plain(text_of(text)))
    if game == "questions":
        return spoken_answer(text, said, is_final, kind)
    form, told = _FORMS[game], list(sentences(said))
    mentions = _mentions(form, told, is_final)
    if mentions:
        return _board(mentions) if game == "chess" else _choice(game, _last(mentions), n)
    if not is_final or not told or told[-1].is_question or form.fixed.search(said):
        return None
    return _small_word(told[-1]) if game == "chess" else _choice(game, _bare(form, told), n)


def _mentions(form: _Form, told: list[Sentence], is_final: bool) -> list[_Mention]:
    """All answers in their fixed words, and those that take their place, in order."""
    found: list[_Mention] = []
    pattern = form.fixed if is_final else form.strict
    for sentence in told:
        text = form.open.sub(lambda match: " " * len(match[0]), sentence.text)
        held = Sentence(text, sentence.is_question)
        places = {
            match.start("value"): _Mention(
                match["value"], held.means(match.start(), match.end(), is_final=is_final), False
            )
            for match in pattern.finditer(text)
        }
        for match in form.instead.finditer(text):
            if found or any(place < match.start() for place in places):
                places[match.start("value")] = _Mention(match["value"], not sentence.is_question, True)
        found += [places[place] for place in sorted(places)]
    return found


def _last(mentions: list[_Mention]) -> str | None:
    """The last one that is meant."""
    return next((one.value for one in reversed(mentions) if one.is_meant), None)


def _board(mentions: list[_Mention]) -> Answer | None:
    """The one board that is meant; None if both are."""
    meant: set[str] = set()
    for one in mentions:
        if one.is_meant:
            meant = {one.value} if one.takes_back else meant | {one.value}
    return meant.pop() if len(meant) == 1 else None


def _small_word(last: Sentence) -> Answer | None:
    """`mine` or `yours` in any case, at the end of a sentence about which board it is."""
    found = _LAST_WORD.search(last.text)
    if found is None or not last.means(found.start(), found.end(), is_final=True):
        return None
    return str(found["value"]).upper() if not found.start() or _SMALL.search(last.text) else None


def _bare(form: _Form, told: list[Sentence]) -> str | None:
    """What the last sentence says without the fixed words; after another sentence it is no lone number."""
    text = form.open.sub("", told[-1].text)
    found = form.bare.match(text)
    if found is None or (len(told) > 1 and not text[: found.start("value")].strip()):
        return None
    return str(found["value"])


def _choice(game: str, value: str | None, n: int) -> Choice:
    """A row or an image; None if it is out of range."""
    if value is None or value.startswith("-"):
        return None
    if value[0].lower() in "nt" and regex.fullmatch(_NO_MATCH, value, regex.IGNORECASE):
        return "none"
    first = int(game == "names")
    number = number_of(value)
    return number if number is not None and first <= number < n + first else None
