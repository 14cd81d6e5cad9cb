"""Instruction entries as checks: a constraint group where one says the same, else a reading of their own.

The catalogue's names and arguments are those of MT-Eval and of Multi-IF (arXiv 2410.15553), which go back to IFEval
(arXiv 2311.07911). What counts is what the model was told (“all capital letters”), not how the release checks it;
`as_released` gives the release's own verdict, for figures that are to be compared with published ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from evolif.errors import InputError, UsageError
from evolif.scenarios.instructions.constraints import check_reading, format_of, get_group, parse_constraint
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.recorded.instruction_arguments import (
    Arguments,
    Cause,
    Unsupported,
    bad_argument,
    is_at_least,
    number_of,
    text_of,
    texts_of,
)
from evolif.scenarios.recorded.own_readings import OWN_READINGS, OwnReading
from evolif.scenarios.recorded.released_readings import RELEASED_READINGS, released_verdict
from evolif.text import READING_RULES_VERSION, Reading

__all__ = [
    "Cause",
    "Instruction",
    "Unsupported",
    "check_score",
    "checked_constraint",
    "instruction_of",
    "instruction_score",
]


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction of the catalogue, ready to be checked.

    Attributes:
        name: The catalogue's name for it.
        constraint: The constraint that says the same; None if no group does.
        reads: Decides where there is no constraint.
    """

    name: str
    constraint: Constraint | None = None
    reads: OwnReading | None = None


def instruction_score(
    prediction: str | None,
    inst_name: str,
    inst_args: Arguments | None,
    *,
    fmt: str | None = None,
    rules: int = READING_RULES_VERSION,
    as_released: bool = False,
) -> float:
    """1.0 if the answer follows an instruction of the catalogue, else 0.0.

    Args:
        prediction: The answer; None is the empty text, which follows nothing.
        inst_name: A name of the catalogue, such as `length_constraints:number_words`, or IFEval's name for it.
        inst_args: The instruction's arguments, such as `{"relation": "less than", "num_words": 100}`.
        fmt: The format that another instruction of the same turn asks for; it decides what the answer's text is.
        rules: The edition of the reading rules.
        as_released: Whether the verdict is that of UniDial-EvalKit's release, also where it is wrong.

    Raises:
        Unsupported: there is no such instruction, or the arguments do not fit (kind `bad_args`).
        UsageError: an optional package is missing.

    Example:
        >>> instruction_score("Ready? Go!", "keywords:existence", {"keywords": ["go"]})
        1.0
    """
    if as_released:
        return float(released_verdict(prediction or "", released_name(inst_name), inst_args or {}))
    instruction = instruction_of(inst_name, inst_args)
    if instruction.constraint is not None:
        return _score(prediction, instruction.constraint, fmt, rules)
    reading = Reading(prediction or "", fmt, rules=rules)
    return float(not reading.unreadable and instruction.reads is not None and instruction.reads(reading))


def check_score(
    prediction: str | None,
    group_name: str,
    params: Arguments,
    *,
    fmt: str | None = None,
    rules: int = READING_RULES_VERSION,
) -> float:
    """1.0 if the answer satisfies a constraint of evolif (`evolif_check`), else 0.0.

    Args:
        prediction: The answer; None is the empty text, which satisfies nothing.
        group_name: The constraint's group.
        params: Its parameters, as a benchmark stores them.
        fmt: The format that another constraint of the same turn asks for; it decides what the answer's text is.
        rules: The edition of the reading rules.

    Raises:
        Unsupported: unknown group, parameters that do not fit (kind `bad_args`), or a judge has to decide (`judge`).
        UsageError: an optional package is missing.
    """
    return _score(prediction, checked_constraint(group_name, params), fmt, rules)


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


def instruction_of(inst_name: str, inst_args: Arguments | None) -> Instruction:
    """An instruction of the catalogue with its arguments; errors as for `instruction_score`."""
    name = _ALIASES.get(inst_name, inst_name)
    args = inst_args or {}
    translate = _TRANSLATED.get(name)
    translated = None if translate is None else translate(args)
    if isinstance(translated, tuple):
        return Instruction(name, checked_constraint(*translated))
    own = OWN_READINGS.get(name)
    if own is None:
        known = ", ".join(sorted({*_TRANSLATED, *OWN_READINGS}))
        raise Unsupported(f"“{inst_name}” is not supported: the catalogue has no such instruction; it has {known}")
    return Instruction(name, reads=own(args))


def was_read_before(inst_name: str, inst_args: Arguments | None) -> bool:
    """Whether version 1 of the metric read an instruction, and read it as today."""
    try:
        instruction = instruction_of(inst_name, inst_args)
    except Unsupported:
        return True  # it has no score under either
    constraint, args = instruction.constraint, inst_args or {}
    if constraint is None or instruction.name not in _READ_BEFORE:
        return False
    coded = str(args.get("lang", args.get("language", "")))
    return "-" not in coded if constraint.group == "language" else args.get("num_bullets") != 0


def released_name(inst_name: str) -> str:
    """The name under which the release's catalogue has an instruction, which is IFEval's for some.

    Raises:
        Unsupported: neither has such an instruction.
    """
    name = _RELEASED_ALIASES.get(inst_name, inst_name)
    if name not in RELEASED_READINGS:
        raise Unsupported(f"“{inst_name}” is not supported: the release's catalogue has no such instruction")
    return name


def _score(prediction: str | None, constraint: Constraint, fmt: str | None, rules: int) -> float:
    reading = Reading(prediction or "", format_of([constraint]) or fmt, rules=rules)
    [verdict] = check_reading([constraint], reading)
    if verdict.satisfied is None:
        raise Unsupported(f"the group {constraint.group} needs a judge", kind="judge")
    return float(verdict.satisfied)


_Translation = tuple[str, dict[str, Any]]
"""A group and its parameters."""


def _length(unit: str, key: str) -> Callable[[Arguments], _Translation]:
    def translate(args: Arguments) -> _Translation:
        count, relation = number_of(args, key), args.get("relation")
        if relation == "at least":
            if not count:
                raise Unsupported(f"“at least 0 {unit}” asks for nothing")
            count -= 1  # of whole numbers, at least 5 are more than 4
        elif relation not in ("less than", "more than"):
            raise bad_argument("inst_args needs “relation”, one of “less than”, “at least” and “more than”")
        return "length", {
            "unit": unit,
            "relation": "less_than" if relation == "less than" else "more_than",
            "count": count,
        }

    return translate


def _start_char(args: Arguments) -> _Translation | None:
    letter = text_of(args, "letter")
    if len(letter) > 1:
        raise bad_argument("inst_args needs “letter”, one letter or sign")
    return ("start_with", {"mode": "letter", "value": letter}) if letter.isascii() and letter.isalpha() else None


def _end_phrase(args: Arguments) -> _Translation:
    return "end_with", {"mode": "keyword", "value": text_of(args, "end_phrase")}


def _language(args: Arguments) -> _Translation | None:
    named = text_of(args, "lang", "language")
    names: dict[str, str] = get_group("language").data["names"]
    code = next((code for code, name in names.items() if named.partition("-")[0] in (code, name)), None)
    return None if code is None else ("language", {"code": code})


def _bullets(args: Arguments) -> _Translation:
    count = number_of(args, "num_bullets")
    # The catalogue's “bullet points” without a number is 0 of them.
    return "bullets", {"count": count} if count else {"kind": "bullet", "relation": "at_least", "count": 1}


def _forbidden(args: Arguments) -> _Translation:
    return "forbidden", {"keywords": texts_of(args, "forbidden_words", "words")}


def _existence(args: Arguments) -> _Translation | None:
    words = texts_of(args, "keywords", "words")
    return ("existence", {"at_least": dict.fromkeys(words, 1)}) if all(map(_has_word, words)) else None


def _has_word(keyword: str) -> bool:
    return any(map(str.isalnum, keyword))


def _frequency(args: Arguments) -> _Translation | None:
    keyword, count = text_of(args, "keyword", longest=200), number_of(args, "frequency")
    wanted = is_at_least(args) and count > 0 and _has_word(keyword)
    return ("existence", {"at_least": {keyword: count}}) if wanted else None


def _sections(args: Arguments) -> _Translation:
    count = number_of(args, "num_sections")
    return "labels", {"noun": text_of(args, "section_spliter", "section_splitter", longest=200), "count": max(1, count)}


def _always(group: str, **params: str) -> Callable[[Arguments], _Translation]:
    return lambda args: (group, dict(params))


_TRANSLATED: Mapping[str, Callable[[Arguments], _Translation | None]] = MappingProxyType(
    {
        # MT-Eval asks models for the case alone; that the text be English, too, is a condition of the release's check.
        "change_case:capital_letter": _always("case", mode="all_upper"),
        "change_case:lowercase": _always("case", mode="all_lower"),
        "format:bullet_list": _bullets,
        "format:json_format": _always("format", mode="json"),
        "format:multiple_sections": _sections,
        "keywords:existence": _existence,
        "keywords:forbidden_words": _forbidden,
        "keywords:frequency": _frequency,
        "language:response_language": _language,
        "length_constraints:number_sentences": _length("sentences", "num_sentences"),
        "length_constraints:number_words": _length("words", "num_words"),
        "startend:end_phrase": _end_phrase,
        "startend:start_char": _start_char,
    }
)
"""By the catalogue's name. None where the arguments ask for what no group says, so that an own reading decides."""

_READ_BEFORE = frozenset(
    {
        "change_case:capital_letter", "change_case:lowercase", "format:bullet_list", "format:json_format",
        "keywords:forbidden_words", "language:response_language", "length_constraints:number_sentences",
        "length_constraints:number_words", "startend:end_phrase", "startend:start_char",
    }
)  # fmt: skip

_SHARED_ALIASES = {
    "detectable_content:number_placeholders": "content:placeholder",
    "detectable_content:postscript": "content:postscript",
    "detectable_format:constrained_response": "format:constrained_response",
    "detectable_format:json_format": "format:json_format",
    "detectable_format:multiple_sections": "format:multiple_sections",
    "detectable_format:number_bullet_lists": "format:bullet_list",
    "detectable_format:number_highlighted_sections": "format:number_highlighted_sections",
    "detectable_format:title": "format:title",
    "startend:end_checker": "startend:end_phrase",
}
"""IFEval's names of what the release's catalogue renames."""
_ALIASES: Mapping[str, str] = MappingProxyType(_SHARED_ALIASES)
_RELEASED_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        **_SHARED_ALIASES,
        "change_case:english_capital": "change_case:capital_letter",
        "change_case:english_lowercase": "change_case:lowercase",
    }
)
"""Here IFEval's demand for English stays a demand; the release's reading of either name wants English."""
