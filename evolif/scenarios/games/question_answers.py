"""Rules 2 for the answers to questions: a number, a truth value, a colour or a shape, with words around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

import regex

from evolif.scenarios.games.asserted import CORRECTION, NUMBER, Sentence, number_of, sentences
from evolif.scenarios.games.reading import parse_question, same_answer

Kind: TypeAlias = Literal["", "number", "truth", "colour", "shape"]
"""What a question asks for; empty where nobody says."""
_KINDS: Final[Mapping[str, Kind]] = {"where": "number", "total": "number", "common": "colour"}
"""By family of the first edition; the others ask whether something is true."""
_CHAIN_KINDS: Final[Mapping[str, Kind]] = {"both": "shape", "every": "colour", "common": "colour"}
"""By family of the second edition; the others ask for a number."""

_FILL: Final = (
    r"^\s*+(?:(?:so|thus|together|in total|i think)[\s,]++)?+"
    r"(?:(?:(?:the|my) )?+(?:final )?+answer(?: is)?+[\s:]++|(?:it is|it's|that is|that makes|there (?:is|are)|"
    r"we have|i count|(?:the|its) (?:[a-z]{1,12} ){1,2}(?:is|are))\s|(?:total|sum)[:=] ?)?+"
    r"(?:an? |the )?+(?:colou?r |shape )?+(?:is )?+(?:in )?+(?:row )?+"
)
"""What may come before an answer."""
_COLOUR: Final = r"(?:red|orange|yellow|green|blue|purple|pink|black)(?!\p{L})"
_SHAPE: Final = (
    r"(?:(?:small|large|plain|striped|dotted|red|orange|yellow|green|blue|purple|pink|black) ){0,4}+"
    r"(?:circle|square|triangle|star|diamond|cross)(?!\p{L})"
)
_TRUTH: Final = r"(?:not (?:true|false)|true|false|yes|no(?! (?:idea|clue|answer|way)))(?!\p{L})"
_VALUES: Final[Mapping[Kind, str]] = {"number": rf"-?{NUMBER}", "truth": _TRUTH, "colour": _COLOUR, "shape": _SHAPE}
_ELSEWHERE: Final = r"(?! (?:[a-z]{1,12} ){0,2}(?:in|on) (?:mine|yours|my|your|the (?:left|right)))"
"""After a number: that it is not what one side holds."""
_JOIN: Final = r"(?: ?(?:\b(?:or|and|nor|to)\b|[/&]) ?|, ?(?=[^\s,]++\s*+$)| ?-(?=[0-9]))"
_SUM: Final = rf"{NUMBER}(?: ?[+*] ?{NUMBER})++"
_FLAGS: Final = regex.IGNORECASE

_LED: Final = {kind: regex.compile(rf"{_FILL}(?P<value>{value})", _FLAGS) for kind, value in _VALUES.items()}
_LONE: Final = {kind: regex.compile(rf"{_FILL}(?P<value>{value})[\s.]*+$", _FLAGS) for kind, value in _VALUES.items()}
_OPEN: Final = {
    kind: regex.compile(rf"{_FILL}(?:{value}){_JOIN}(?:{value})", _FLAGS) for kind, value in _VALUES.items()
}
_INSTEAD: Final = {
    kind: regex.compile(
        rf"(?:^|[\s,.:-]){CORRECTION}(?:[\s,.:-]++{CORRECTION}){{0,3}}+[\s,.:-]++(?P<value>(?!yes|no\b)(?:{value}))",
        _FLAGS,
    )
    for kind, value in _VALUES.items()
}
_ONE_SIDE: Final = regex.compile(NUMBER + _ELSEWHERE, _FLAGS)
_EQUATION: Final = regex.compile(rf"{_FILL}{_SUM}(?: ?= ?(?P<value>{NUMBER}))?+", _FLAGS)
_COUNTED: Final = regex.compile(
    rf"^\s*+(?P<value>{NUMBER})(?: (?!in\b|on\b|here\b|mine\b|my\b|yours?\b|and\b|or\b)[a-z]{{1,12}}+){{0,3}}+[\s.]*+$",
    _FLAGS,
)
"""A number with what it counts, as a whole text."""
_WORD: Final = regex.compile(r"^\s*+(?P<value>\p{L}++)[\s.]*+$")
_MARKED: Final = regex.compile(r"\banswer ?[:=]", _FLAGS)
_STRICT: Final = regex.compile(r"ANSWER:")


def kind_of(public: Any) -> Kind:
    """What the question of an instance asks for; empty where it does not say."""
    program = public.get("program") if isinstance(public, Mapping) else None
    family = program.get("family") if isinstance(program, Mapping) else None
    if not isinstance(program, Mapping) or not isinstance(family, str):
        return ""
    return _CHAIN_KINDS.get(family, "number") if "holder" in program else _KINDS.get(family, "truth")


def spoken_answer(text: str, said: str, is_final: bool, kind: Kind) -> str | None:
    """The answer to a question.

    Args:
        text: As the partner saw it.
        said: The same made plain.
        is_final: Whether it is the last turn; before it, only `ANSWER:` in capitals answers.
        kind: What is asked for. An answer of another kind is read where nothing else stands there: it is wrong.

    Returns:
        In lower case, as it was said where rules 1 read the same; None without an answer.
    """
    found: str | None = None
    told = list(sentences(said))
    marks = [list((_MARKED if is_final else _STRICT).finditer(one.text)) for one in told]
    for sentence, places in zip(told, marks, strict=True):
        for start, tail in _tails(sentence.text, [place.span() for place in places]):
            value = _value(tail, kind)
            if value is not None and not sentence.means(start, len(sentence.text), is_final=is_final):
                value = None
            found = value or found
        if not places and found is not None:
            found = _taken_back(sentence, kind) or found
    if found is None and is_final and told and not any(marks):
        found = _bare(told, kind)
    plain = parse_question(text)
    return plain if found is not None and same_answer("questions", plain, found) else found


def _tails(text: str, places: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """What stands behind each mark, up to the next one, with where the mark begins."""
    for at, (start, end) in enumerate(places):
        yield start, text[end : places[at + 1][0] if at + 1 < len(places) else len(text)]


def _taken_back(sentence: Sentence, kind: Kind) -> str | None:
    for one in _order(kind):
        found = None if sentence.is_question else _INSTEAD[one].match(sentence.text)
        if found is not None:
            return _spoken(found["value"], one)
    return None


def _order(kind: Kind) -> list[Kind]:
    kinds: list[Kind] = ["truth", "number", "colour", "shape"]
    return [kind, *(one for one in kinds if one != kind)] if kind else kinds


def _value(tail: str, kind: Kind) -> str | None:
    """What stands behind the mark: of the kind that is asked for with words around it, of another kind alone."""
    for one in _order(kind):
        found = _of_kind(tail, one) if one == kind or not kind else _lone(tail, one)
        if found is not None:
            return found
    word = None if kind else _WORD.match(tail)
    return None if word is None else str(word["value"]).lower()


def _lone(tail: str, kind: Kind) -> str | None:
    found = _LONE[kind].match(tail)
    return None if found is None else _spoken(found["value"], kind)


def _of_kind(tail: str, kind: Kind) -> str | None:
    """An answer of one kind at the start of a text; the last one that takes the place of another."""
    instead = list(_INSTEAD[kind].finditer(tail))
    if instead:
        return _spoken(instead[-1]["value"], kind)
    if kind == "number" and (found := _EQUATION.match(tail)) is not None:
        return None if found["value"] is None else _spoken(found["value"], kind)
    found = _LED[kind].match(tail)
    if found is None or _OPEN[kind].match(tail):
        return None
    if kind == "number" and not _ONE_SIDE.match(tail, found.start("value")):
        return None
    return _spoken(found["value"], kind)


def _bare(told: list[Sentence], kind: Kind) -> str | None:
    """What the last sentence says without `ANSWER:`."""
    last = told[-1]
    if last.is_question:
        return None
    for one in _order(kind):
        found = _LONE[one].match(last.text) or (
            _COUNTED.match(last.text) if one == "number" and len(told) == 1 else None
        )
        if found is not None:
            return _spoken(found["value"], one)
    equation = _EQUATION.fullmatch(last.text.rstrip(". "))
    return None if equation is None or equation["value"] is None else _spoken(equation["value"], "number")


def _spoken(value: str, kind: Kind) -> str | None:
    """As keys have it."""
    word = value.lower()
    if kind == "truth":
        return "true" if word in ("true", "yes", "not false") else "false"
    if kind in ("colour", "shape"):
        return word.rpartition(" ")[2]
    number = None if word.startswith("-") else number_of(word)
    return None if number is None else str(number)
