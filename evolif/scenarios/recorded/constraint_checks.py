"""Instruction entries as constraints: the catalogue of UniDial-EvalKit where a constraint group says the same.

The catalogue's names and arguments are those of MT-Eval and of Multi-IF (arXiv 2410.15553), which go back to IFEval
(arXiv 2311.07911). What counts is what the model was told (“all capital letters”), not how the release checks it. Where
no group says the same, the entry is unsupported and the reason is given; it is never scored by something similar.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

from evolif.errors import ArgumentError, InputError, UsageError
from evolif.scenarios.instructions.constraints import check_reading, format_of, get_group, parse_constraint
from evolif.scenarios.instructions.turns import Constraint
from evolif.text import Reading

Cause = Literal["unsupported", "bad_args", "unknown_metric", "judge"]
"""Kinds of failures that a metric entry itself can have, as records name them."""
Arguments = Mapping[str, Any]
MOST_COUNT = 10**9
"""The largest number that an instruction may ask for."""


class Unsupported(ArgumentError):
    """A metric entry cannot be scored here; the message says why.

    Args:
        message: One sentence.
        kind: The kind of failure that the record gets.
    """

    def __init__(self, message: str, *, kind: Cause = "unsupported") -> None:
        super().__init__(message)
        self.kind: Cause = kind


def instruction_score(
    prediction: str | None, inst_name: str, inst_args: Arguments | None, *, fmt: str | None = None
) -> float:
    """1.0 if the answer follows an instruction of the catalogue, else 0.0.

    Args:
        prediction: The answer; None is the empty text, which follows nothing.
        inst_name: A name of the catalogue, such as `length_constraints:number_words`.
        inst_args: The instruction's arguments, such as `{"relation": "less than", "num_words": 100}`.
        fmt: The format that another instruction of the same turn asks for; it decides what the answer's text is.

    Raises:
        Unsupported: no constraint group says the same, or the arguments do not fit (kind `bad_args`).
        UsageError: an optional package is missing.
    """
    return _score(prediction, constraint_of(inst_name, inst_args), fmt)


def check_score(prediction: str | None, group_name: str, params: Arguments, *, fmt: str | None = None) -> float:
    """1.0 if the answer satisfies a constraint of evolif (`evolif_check`), else 0.0.

    Args:
        prediction: The answer; None is the empty text, which satisfies nothing.
        group_name: The constraint's group.
        params: Its parameters, as a benchmark stores them.
        fmt: The format that another constraint of the same turn asks for; it decides what the answer's text is.

    Raises:
        Unsupported: unknown group, parameters that do not fit (kind `bad_args`), or a judge has to decide (`judge`).
        UsageError: an optional package is missing.
    """
    return _score(prediction, checked_constraint(group_name, params), fmt)


def checked_constraint(group_name: str, params: Arguments) -> Constraint:
    """The constraint of an entry `evolif_check`, validated.

    Raises:
        Unsupported: unknown group (kind `unsupported`) or parameters that do not fit (`bad_args`).
        UsageError: an optional package is missing.
    """
    try:
        group = get_group(group_name)
    except UsageError as fault:
        raise Unsupported(str(fault)) from None
    try:
        constraint = parse_constraint({"group": group_name, "params": params}, stored=True)
    except InputError as fault:
        raise Unsupported(str(fault), kind="bad_args") from None
    group.require()
    return constraint


def constraint_of(inst_name: str, inst_args: Arguments | None) -> Constraint:
    """The constraint that says the same as an instruction of the catalogue; errors as for `instruction_score`."""
    name = _ALIASES.get(inst_name, inst_name)
    translate = _TRANSLATED.get(name)
    if translate is None:
        reason = _UNTRANSLATED.get(name, "the catalogue has no such instruction")
        raise Unsupported(f"“{inst_name}” is not supported: {reason}")
    group, params = translate(inst_args or {})
    return checked_constraint(group, params)


def _score(prediction: str | None, constraint: Constraint, fmt: str | None) -> float:
    reading = Reading(prediction or "", format_of([constraint]) or fmt)
    [verdict] = check_reading([constraint], reading)
    if verdict.satisfied is None:
        raise Unsupported(f"the group {constraint.group} needs a judge", kind="judge")
    return float(verdict.satisfied)


_Translation = tuple[str, dict[str, Any]]


def _bad(message: str) -> Unsupported:
    return Unsupported(message, kind="bad_args")


def _text(args: Arguments, *keys: str) -> str:
    """The first of some arguments that is there, a text, without white space around it."""
    value = next((args[key] for key in keys if key in args), None)
    if not isinstance(value, str) or not value.strip():
        raise _bad(f"inst_args needs “{keys[0]}”, a text")
    return value.strip()


def _number(args: Arguments, key: str) -> int:
    """A whole number; tables of data may have turned it into a float."""
    value = args.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_COUNT:
        raise _bad(f"inst_args needs “{key}”, a whole number from 0 to {MOST_COUNT}")
    if value != int(value):
        raise _bad(f"inst_args has “{key}” {value}; give a whole number")
    return int(value)


def _length(unit: str, key: str) -> Callable[[Arguments], _Translation]:
    def translate(args: Arguments) -> _Translation:
        count, relation = _number(args, key), args.get("relation")
        if relation == "at least":
            if not count:
                raise Unsupported(f"“at least 0 {unit}” asks for nothing")
            count -= 1  # of whole numbers, at least 5 are more than 4
        elif relation not in ("less than", "more than"):
            raise _bad("inst_args needs “relation”, one of “less than”, “at least” and “more than”")
        return "length", {
            "unit": unit,
            "relation": "less_than" if relation == "less than" else "more_than",
            "count": count,
        }

    return translate


def _start_char(args: Arguments) -> _Translation:
    letter = _text(args, "letter")
    if not (len(letter) == 1 and letter.isascii() and letter.isalpha()):
        raise Unsupported("the group start_with knows the letters A to Z only")
    return "start_with", {"mode": "letter", "value": letter}


def _end_phrase(args: Arguments) -> _Translation:
    return "end_with", {"mode": "keyword", "value": _text(args, "end_phrase")}


def _language(args: Arguments) -> _Translation:
    named = _text(args, "lang", "language")
    names: dict[str, str] = get_group("language").data["names"]
    code = next((code for code, name in names.items() if named in (code, name)), None)
    if code is None:
        raise Unsupported(f"the group language knows {', '.join(names.values())} only")
    return "language", {"code": code}


def _bullets(args: Arguments) -> _Translation:
    count = _number(args, "num_bullets")
    if not count:
        raise Unsupported("“only bullet points” is not a number of bullets, which the group bullets asks for")
    return "bullets", {"count": count}


def _forbidden(args: Arguments) -> _Translation:
    words = args.get("forbidden_words")
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word.strip() for word in words):
        raise _bad("inst_args needs “forbidden_words”, a list of words")
    return "forbidden", {"keywords": [word.strip() for word in words]}


def _always(group: str, **params: str) -> Callable[[Arguments], _Translation]:
    return lambda args: (group, dict(params))


_TRANSLATED: Mapping[str, Callable[[Arguments], _Translation]] = MappingProxyType(
    {
        # MT-Eval asks models for the case alone; that the text be English, too, is a condition of the release's check.
        "change_case:capital_letter": _always("case", mode="all_upper"),
        "change_case:lowercase": _always("case", mode="all_lower"),
        "format:bullet_list": _bullets,
        "format:json_format": _always("format", mode="json"),
        "keywords:forbidden_words": _forbidden,
        "language:response_language": _language,
        "length_constraints:number_sentences": _length("sentences", "num_sentences"),
        "length_constraints:number_words": _length("words", "num_words"),
        "punctuation:no_comma": _always("punctuation", mode="exclude", mark=","),
        "startend:end_phrase": _end_phrase,
        "startend:start_char": _start_char,
    }
)

_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "detectable_format:json_format": "format:json_format",
        "detectable_format:number_bullet_lists": "format:bullet_list",
        "startend:end_checker": "startend:end_phrase",
    }
)
"""Names of Multi-IF that the catalogue renames, where a group says the same; `english_capital` wants English, too."""

_NO_GROUP = "no constraint group asks for this"
_UNTRANSLATED: Mapping[str, str] = MappingProxyType(
    {
        "change_case:capital_word_frequency": "the group case counts letters, not words",
        "combination:repeat_prompt": _NO_GROUP,
        "combination:two_responses": _NO_GROUP,
        "content:placeholder": _NO_GROUP,
        "content:postscript": _NO_GROUP,
        "format:constrained_response": _NO_GROUP,
        "format:multiple_sections": "the group headings asks for an exact number, of headings with any words",
        "format:number_highlighted_sections": "the group emphasis asks for an exact number, not for a minimum",
        "format:title": _NO_GROUP,
        "keywords:existence": "the group existence asks for an exact number, not whether the keyword occurs",
        "keywords:frequency": "the group existence asks for an exact number, not for a minimum or a limit",
        "keywords:letter_frequency": _NO_GROUP,
        "length_constraints:nth_paragraph_first_word": "the group placement counts words of the whole text",
        "length_constraints:number_paragraphs": "its paragraphs are what *** separates, not blocks of text",
        "startend:quotation": "the groups start_with and end_with ask for a quotation at one end, not around all",
        "startend:start_emoji": "the group start_with asks for one given emoji",
    }
)  # fmt: skip
"""The rest of the catalogue, and why no group says the same."""
