"""What a constraint is called in short demands: its kind, and the values that go into their slots.

The plans of `seeds/plans/everyday/` have a section for each kind named here. Numbers up to ten may be written as words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.constraints.base import quoted
from evolif.scenarios.instructions.turns import Params

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MOST_IN_WORDS = 10
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_SHAPES: Mapping[str, str] = {
    "at_most": "most",
    "at_least": "least",
    "exactly": "exact",
    "between": "between",
    "about": "about",
    "some": "some",
    "none": "none",
    "title": "title",
}
PAIR = 2
"""Labels that are named one by one, where more are named from the first to the last."""
LITERAL_SLOTS = frozenset(
    "value labels first_then either one last range cols keys tag words options left right letter lang noun".split()
)
"""Slots whose values no style touches."""


@dataclass(frozen=True, slots=True)
class ShortForm:
    """The kind of a constraint, and what its plans have to say."""

    shape: str
    slots: Mapping[str, str]
    tails: tuple[str, ...] = field(default=())
    """Kinds of tails that a plan needs beside its own words, such as `only`."""


Numeral = Callable[[int], str]
"""How a number is written."""


def numeral(value: int, *, in_words: bool) -> str:
    """A number in digits, or as a word up to ten.

    >>> numeral(3, in_words=True)
    'three'
    """
    return _WORDS[value] if in_words and 0 < value <= _MOST_IN_WORDS else str(value)


def short_form(group: str, params: Params, *, in_words: bool = False) -> ShortForm | None:
    """What the plans of a group say of a constraint; None where they have no words for it.

    Args:
        group: The group's name.
        params: The constraint's parameters.
        in_words: Write numbers up to ten as words.
    """
    form = _FORMS.get(group)
    return form(params, lambda value: numeral(value, in_words=in_words)) if form else None


def _numbers(params: Params, number: Numeral) -> dict[str, str]:
    count, upper = params.get("count"), params.get("upper")
    if upper is None:
        return {"n": number(count)} if count is not None else {}
    write = number if upper <= _MOST_IN_WORDS else str  # “eight to 12” is written by nobody
    return {"n": write(params["count"]), "upper": write(upper), "range": f"{count}-{upper}"}


def _length(params: Params, number: Numeral) -> ShortForm | None:
    relation = params["relation"]
    if relation not in _SHAPES:
        return None
    unit, last = params["unit"][:-1], params.get("upper", params["count"])
    noun = params.get("noun") or params["unit"]
    one = noun.removesuffix("s")
    slots = _numbers(params, number) | {"u": one if last == 1 else noun, "unit": unit}
    return ShortForm(_SHAPES[relation], slots)


_ITEMS: Mapping[str, tuple[str, str]] = {
    "bullet": ("bullet", "bullets"),
    "numbered": ("numbered point", "numbered points"),
    "either": ("point", "points"),
}


def _bullets(params: Params, number: Numeral) -> ShortForm | None:
    relation, kind = params.get("relation"), params.get("kind", "bullet")
    if relation is None:
        return None
    only = bool(params.get("only"))
    if relation == "none":
        return ShortForm("none", {}) if kind == "either" else None
    if relation == "some":
        return ShortForm(f"some.{kind}" + ".only" * only, {})
    if only:
        return None
    one, many = _ITEMS[kind]
    noun = params.get("noun") or many
    single = params.get("upper", params["count"]) == 1
    items = one if single and "noun" not in params else noun
    return ShortForm(_SHAPES[relation], _numbers(params, number) | {"items": items})


def _labels(params: Params, number: Numeral) -> ShortForm | None:
    tails = ("only",) if params.get("only") else ()
    if "noun" in params:
        noun, count = params["noun"], params["count"]
        slots = {"n": number(count), "noun": noun, "versions": _plural(noun, count)}
        slots |= {name: f"“{noun} {at}”" for name, at in (("one", 1), ("two", 2), ("last", count))}
        slots["range"] = f"{slots['one']} {'and' if count == PAIR else 'to'} {slots['last']}"
        return ShortForm("numbered", slots, tails) if count > 1 else None
    labels, turns = params["labels"], (params.get("order", "given"), bool(params.get("repeat")))
    slots = {"labels": quoted(labels, "and"), "either": quoted(labels, "or")}
    slots["first_then"] = f"“{labels[0]}” first, then {quoted(labels[1:], 'and')}" if len(labels) > 1 else ""
    if len(labels) == 1:
        return ShortForm("one", slots, tails) if not turns[1] else None
    shape = {("given", False): "several", ("any", True): "turns"}.get(turns)
    return ShortForm(shape, slots, tails) if shape else None


def _plural(noun: str, count: int) -> str:
    return noun.lower() if count == 1 else f"{noun.lower()}s"


def _language(params: Params, number: Numeral) -> ShortForm | None:
    shape = "not" if "not" in params else "code"
    name = get_group("language").data["names"].get(params[shape])
    return ShortForm(shape, {"lang": name}) if name else None


_TAGS: Mapping[str, str] = {
    "python": "Python",
    "javascript": "JavaScript",
    "sql": "SQL",
    "bash": "Bash",
    "html": "HTML",
}


def _format(params: Params, number: Numeral) -> ShortForm | None:
    mode = params["mode"]
    if mode == "table":
        if "columns" in params:
            return (
                None if params.get("only") else ShortForm("table.columns", {"cols": quoted(params["columns"], "and")})
            )
        count = params.get("column_count")
        shape = "table" + ".count" * (count is not None) + ".only" * bool(params.get("only"))
        return ShortForm(shape, {"n": number(count)} if count is not None else {})
    if mode == "json" and "keys" in params:
        return None if params.get("fence") else ShortForm("json_keys", {"keys": quoted(params["keys"], "and")})
    if mode == "json":
        return ShortForm("json_fence" if params.get("fence") else "json", {})
    if mode == "code" and "tag" in params:
        return ShortForm("code_tag", {"tag": _TAGS.get(params["tag"], params["tag"])})
    if params.get("count") is not None:
        return ShortForm(f"{mode}_count", {"n": number(params["count"])})
    return ShortForm(mode, {})


def _edge(params: Params, number: Numeral) -> ShortForm | None:
    if params["mode"] != "phrase":
        return None
    values = params.get("values") or [params["value"]]
    return ShortForm("phrases" if len(values) > 1 else "phrase", {"value": _marked(values, "or")})


def _marked(values: Sequence[str], joint: str) -> str:
    """The values in quotation marks that none of them has inside."""
    marks = "“”" if not any("“" in value or "”" in value for value in values) else "``"
    shown = [f"{marks[0]}{value}{marks[1]}" for value in values]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {joint} {shown[-1]}"


def _related(params: Params, number: Numeral) -> ShortForm | None:
    """Groups with a relation and a place, such as `emoji`."""
    if "place" in params:
        return ShortForm(params["place"], {})
    if "levels" in params:
        levels = [str(level) for level in params["levels"]]
        return ShortForm(
            "levels", {"levels": " and ".join([", ".join(levels[:-1]), levels[-1]] if levels[1:] else levels)}
        )
    return ShortForm(_SHAPES[params.get("relation", "exactly")], _numbers(params, number))


def _existence(params: Params, number: Numeral) -> ShortForm | None:
    given = [key for key in ("counts", "at_least", "any_of") if params.get(key)]
    if len(given) != 1:
        return None
    if given[0] == "any_of":
        options = params["any_of"]
        return ShortForm("any", {"either": _marked(options, "or"), "words": _marked(options, "and")})
    counts = params[given[0]]
    words, times = list(counts), set(counts.values())
    if len(times) > 1:
        return None
    count = times.pop()
    # What follows {word} in a plan is in the plural for two words or more.
    slots = {"words": _marked(words, "and"), "word": "1" if len(words) == 1 else str(len(words))}
    if given[0] == "at_least" and count == 1:
        return ShortForm("once", slots)
    slots["times"] = {1: "once", 2: "twice"}.get(count, f"{number(count)} times")
    if len(words) > 1:
        slots["times"] += " each"
    return ShortForm("exact" if given[0] == "counts" else "times", slots)


def _forbidden(params: Params, number: Numeral) -> ShortForm | None:
    words = params["keywords"]
    count = "1" if len(words) == 1 else str(len(words))
    return ShortForm("words", {"words": _marked(words, "and"), "either": _marked(words, "or"), "word": count})


def _choice(params: Params, number: Numeral) -> ShortForm | None:
    reason = ".reason" * bool(params.get("reason"))
    if params["mode"] == "options":
        return ShortForm(f"options{reason}", {"options": _marked(params["options"], "or")})
    return ShortForm(f"scale{reason}", {"low": str(params["low"]), "high": str(params["high"])})


def _part_length(params: Params, number: Numeral) -> ShortForm | None:
    shape, count = _SHAPES[params["relation"]], params.get("count")
    if shape not in ("most", "exact"):
        return None
    measure = params["measure"]
    part = {"item": "bullet"}.get(params["unit"], params["unit"])
    slots = _numbers(params, number)
    return ShortForm(shape, slots | {"m": measure[:-1] if count == 1 else measure, "part": part, "parts": f"{part}s"})


def _placement(params: Params, number: Numeral) -> ShortForm | None:
    if params["mode"] != "unit_start":
        return None
    which = params.get("which", "every")
    part = {"item": "bullet"}.get(params["unit"], params["unit"])
    kind = "letter" if "letter" in params else "value"
    slots = {"part": part, "letter": params.get("letter", "").upper()}
    if kind == "value":
        slots["value"] = _marked(params.get("values") or [params["value"]], "or")
    if which == "every":
        return ShortForm(f"every.{kind}", slots)
    return ShortForm(f"nth.{kind}", slots | {"nth": _ORDINALS[which]}) if which < len(_ORDINALS) else None


def _lettering(params: Params, number: Numeral) -> ShortForm | None:
    return ShortForm(params["mode"], _numbers(params, number) | {"letter": params.get("letter", "").upper()})


def _person(params: Params, number: Numeral) -> ShortForm | None:
    return ShortForm(get_group("person").key(params), {})


def _wrap(params: Params, number: Numeral) -> ShortForm | None:
    left, right = params["left"], params["right"]
    if left == right == '"':
        return ShortForm("quotation", {})
    return ShortForm("pair", {"left": f"“{left}”", "right": f"“{right}”"})


def _punctuation(params: Params, number: Numeral) -> ShortForm | None:
    if params["mode"] == "exclude_all":
        return ShortForm("exclude_all", {})
    if params["mode"] != "exclude":
        return None
    values = get_group("punctuation").values(params)
    return ShortForm("exclude", {"names": _MARK_NAMES.get(params["mark"], values["names"])})


_MARK_NAMES: Mapping[str, str] = {"—": "em dashes", "!": "exclamation marks", "(": "parentheses"}


def _voiced(params: Params, number: Numeral) -> ShortForm | None:
    """Groups with one free value, said in the same words whatever it is."""
    return ShortForm("all", {"value": str(next(iter(params.values())))})


def _by_value(params: Params, number: Numeral) -> ShortForm | None:
    """Groups with one value, each with words of its own."""
    return ShortForm(str(next(iter(params.values()))), {})


def _by_mode(params: Params, number: Numeral) -> ShortForm | None:
    return ShortForm(params["mode"], {})


_FORMS: Mapping[str, Callable[[Params, Numeral], ShortForm | None]] = {
    "length": _length,
    "bullets": _bullets,
    "labels": _labels,
    "language": _language,
    "format": _format,
    "start_with": _edge,
    "end_with": _edge,
    "emoji": _related,
    "hashtags": _related,
    "headings": _related,
    "emphasis": _related,
    "existence": _existence,
    "forbidden": _forbidden,
    "choice": _choice,
    "part_length": _part_length,
    "placement": _placement,
    "lettering": _lettering,
    "person": _person,
    "manner": _by_mode,
    "wrap": _wrap,
    "sentences": _by_mode,
    "punctuation": _punctuation,
    "digits": _by_mode,
    "case": _by_mode,
    "persona": _voiced,
    "tone": _voiced,
    "genre": _voiced,
    "emotion": _voiced,
    "audience": _by_value,
    "style": _by_value,
}
