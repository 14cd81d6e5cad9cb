"""The table of demands (`seeds/demands.yaml`): how people word everyday constraints, and which parameters it asks.

Wordings are patterns as cues are (`vocabulary.py`); what stands in the query itself, such as a number or a quotation,
is named in a pattern and becomes a parameter here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from evolif.errors import InputError
from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.queries.numbers import find_numbers, find_ordinals
from evolif.scenarios.instructions.queries.reading import MASK, Query
from evolif.scenarios.instructions.queries.vocabulary import cues, fragment_source
from evolif.scenarios.instructions.turns import Params
from evolif.util.resources import data_path, load_data

_OPEN, _CLOSE = "[\"“‘'`«]?", "[\"”’'`»]?"
_QUOTED = rf"{_OPEN}{MASK}{{1,120}}{_CLOSE}"
_JOINT = (
    r"(?:\sfirst)?(?:\s{0,4}(?:,|/|and(?!\w)|or(?!\w)|nor(?!\w)|then(?!\w)|plus(?!\w)|followed by(?!\w))){1,3}\s{0,4}"
)
_NUMBER = (
    r"(?:\d{1,5}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty)"
    r"(?!\w)"
)
_ORDINAL = r"(?:\d{1,3}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)(?!\w)"
_CAPTURES: Mapping[str, str] = {
    **dict.fromkeys(("value", "left", "right", "one", "last"), _QUOTED),
    **dict.fromkeys(
        ("values", "labels", "keys", "columns", "options", "words"), rf"{_QUOTED}(?:{_JOINT}{_QUOTED}){{0,9}}"
    ),
    "labels_first": rf"{_QUOTED}\sfirst(?:{_JOINT}{_QUOTED}){{1,9}}",
    **dict.fromkeys(("count", "column_count", "low", "high"), _NUMBER),
    "letter": rf"(?:the\s)?(?:letter\s)?{_OPEN}(?:[a-z]|{MASK}){_CLOSE}(?!\w)",
    "levels": r"\d(?:(?:,|\sand|,\sand|\s&|\sor)\s(?:level\s)?\d){0,5}(?!\d)",
    "nth": _ORDINAL,
    "times": rf"(?:once|twice|thrice|{_NUMBER}\stimes)(?:\seach)?(?!\w)",
    "unit": r"(?:sentence|paragraph|line|(?:list\s)?item|bullet(?:\spoint)?|point|entry)s?(?!\w)",
    "measure": r"(?:word|sentence|character)s?(?!\w)",
    "tag": (
        r"(?!(?:json|the|a|one|single|your|any|this|that|my|just|only|of|in|no|whole)(?!\w))"
        r"[a-z][a-z0-9+#]{0,14}(?![\w+#])"
    ),
}
"""What a name in a pattern stands for; `language` and `mark` have lists of their own."""
_UNITS: Mapping[str, str] = {
    "bullet": "item",
    "bullet point": "item",
    "list item": "item",
    "point": "item",
    "entry": "item",
    "entrie": "item",
}
_NAMED = re.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class DemandWording:
    """One way to ask for something."""

    pattern: re.Pattern[str]
    params: Params
    aside: bool
    """Whether it says nothing where the turn is about another group."""


@dataclass(frozen=True, slots=True)
class Amount:
    """What a number counts."""

    after: re.Pattern[str]
    before: re.Pattern[str] | None
    params: Params
    relation: str
    aside: bool


@dataclass(frozen=True, slots=True)
class LenientWording:
    """A name that is enough where the turn says what is meant (`lenient.py`)."""

    of: re.Pattern[str]
    params: Params | None
    """What it asks for where nothing rules it out; None if it then asks for nothing."""
    denied: Params | None
    """What it asks for where it is ruled out."""
    counted: bool
    """Whether it has a relation, with a number near it."""
    only: bool
    """Whether it says that nothing else may stand beside it, or leaves that out."""
    quoted: bool
    """Whether it is looked for in quotation marks, too."""


@dataclass(frozen=True, slots=True)
class Demands:
    """How people word the constraints of one group."""

    group: str
    wordings: tuple[DemandWording, ...]
    amounts: tuple[Amount, ...]
    tails: tuple[DemandWording, ...]
    unsaid: frozenset[str]
    nouns: re.Pattern[str]
    free: re.Pattern[str] | None
    kin: Mapping[str, Sequence[str]]
    """Modes of other groups that are worded alike, though this table does not read them."""
    lenient: tuple[LenientWording, ...] = ()


@lru_cache(maxsize=64)
def demands_of(group: str) -> Demands | None:
    """How people word the constraints of a group; None if the table has none.

    Raises:
        InputError: the table is broken.
    """
    path, table = data_path("seeds", "demands.yaml"), _table()
    data = table["groups"].get(group)
    if data is None:
        return None
    words = {**cues().words, **table["words"]}
    try:
        wordings = tuple(_wordings(data.get("demands") or (), words))
        amounts = tuple(_amounts(data.get("amounts") or (), words))
        tails = tuple(_wordings(data.get("tails") or (), words))
        nouns, free = _either(data.get("nouns") or (r"(?!)",), words), data.get("free")
        return Demands(
            group,
            wordings,
            amounts,
            tails,
            frozenset(data.get("unsaid") or ()),
            nouns,
            free and _either(free, words),
            data.get("kin") or {},
            tuple(_lenient(data.get("lenient") or (), words)),
        )
    except (re.error, KeyError, TypeError) as fault:
        raise InputError(f"groups.{group}: {fault}; mend the wording", path=path) from None


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Any]:
    path = data_path("seeds", "demands.yaml")
    data = load_data(path)
    if (
        not isinstance(data, dict)
        or not isinstance(data.get("groups"), dict)
        or not isinstance(data.get("words"), dict)
    ):
        raise InputError("needs “words” and “groups”", path=Path(path))
    return data


@lru_cache(maxsize=2)
def reset_words(*, lenient: bool = False) -> re.Pattern[str]:
    """Words by which everything that was asked for before is off.

    Args:
        lenient: Whether it is known that this is meant, so that fewer words are enough.
    """
    table = _table()
    words: dict[str, Sequence[str]] = {name: list(said) for name, said in cues().words.items()}
    return _either(table["reset_lenient" if lenient else "reset"], {**words, **table["words"]})


@lru_cache(maxsize=1)
def carry_words() -> re.Pattern[str]:
    """Words by which what was asked of the task before holds for a new one, too."""
    table = _table()
    words: dict[str, Sequence[str]] = {name: list(said) for name, said in cues().words.items()}
    return _either(table["carry"], {**words, **table["words"]})


def tabled_groups() -> tuple[str, ...]:
    """The groups that the table has wordings for."""
    return tuple(group for group in _table()["groups"] if group != "length")


def _wordings(entries: Sequence[Mapping[str, Any]], words: Mapping[str, Iterable[str]]) -> Iterator[DemandWording]:
    for entry in entries:
        for fragment in entry["as"]:
            yield DemandWording(_compiled(fragment, words), entry["params"], bool(entry.get("aside")))


def _lenient(entries: Sequence[Mapping[str, Any]], words: Mapping[str, Iterable[str]]) -> Iterator[LenientWording]:
    for entry in entries:
        flags = (bool(entry.get(name)) for name in ("counted", "only", "quoted"))
        yield LenientWording(_either(entry["of"], words), entry.get("params"), entry.get("denied"), *flags)


_UP_TO_NOUN = r"[\s-]{0,4}(?:(?!per |each |without |with |no |but |words?\b|max\b|to\b|or\b|and\b)[\w'-]{1,20}\s){0,2}?"
"""Between a number and what it counts: two words at most."""
_UP_TO_NUMBER = (
    r"[\s(\"'“]{0,3}(?:(?:at|no|to|up|than|more|most|max|maximum|exactly|just|of|a|over|longer|only)\W{1,3}){0,5}$"
)
"""Between what is counted and a number behind it."""
_NOTHING_COUNTED = re.compile(
    r"(?=\s{0,2}(?:$|[.!?,;)]|at most|tops|max|at least|or (?:more|fewer|less)|minimum|please|now))"
)
"""Behind a number whose thing stands before it: `emojis: 2 at most`."""


def _amounts(entries: Sequence[Mapping[str, Any]], words: Mapping[str, Iterable[str]]) -> Iterator[Amount]:
    for entry in entries:
        named = entry.get("of")
        after = _compiled("|".join(named), words, left=_UP_TO_NOUN) if named else _NOTHING_COUNTED
        before = entry.get("before")
        yield Amount(
            after,
            _compiled("|".join(before), words, right=_UP_TO_NUMBER) if before else None,
            entry["params"],
            entry.get("relation", ""),
            bool(entry.get("aside")),
        )


def _either(fragments: Sequence[str], words: Mapping[str, Iterable[str]]) -> re.Pattern[str]:
    return _compiled("|".join(fragments), words)


def _compiled(fragment: str, words: Mapping[str, Iterable[str]], left: str = "", right: str = "") -> re.Pattern[str]:
    named: set[str] = set()

    def capture(match: re.Match[str]) -> str:
        name = match[1]
        source = _source(name)
        if source is None:
            return match[0]
        again = name in named
        named.add(name)
        return f"(?:{source})" if again else f"(?P<{name}>{source})"

    fragment = fragment.replace(" ?", "( )?")
    words = {name: [word.replace(" ?", "( )?") for word in listed] for name, listed in words.items()}
    kept = fragment_source(_NAMED.sub(lambda m: m[0] if _source(m[1]) is None else f"@{m[1]}@", fragment), words)
    source = re.sub(r"@(\w+)@", lambda m: capture(re.match(r"<(\w+)>", f"<{m[1]}>") or m), kept)
    return re.compile(rf"{left}(?<![\w{MASK}])(?:{source})(?!\w){right}")


def _source(name: str) -> str | None:
    if name == "language":
        return "|".join(language_codes())
    if name in _JUDGED:
        return "|".join(sorted(judged_values(name), key=len, reverse=True))
    if name == "mark":
        shown = rf"{_OPEN}{MASK}{{1,3}}(?!{MASK}){_CLOSE}(?:\ssigns?)?"
        return "|".join([*(f"(?:{pattern})" for pattern in MARK_NAMES), shown])
    return _CAPTURES.get(name)


_JUDGED: Mapping[str, tuple[str, str]] = {
    "tone": ("tone", "tone"),
    "genre": ("genre", "genre"),
    "voice": ("persona", "as"),
}
"""Names in patterns that stand for a value of a group, with the group and its parameter."""
_ARTICLE = re.compile(r"^(?:an?|the)\s")


@lru_cache(maxsize=8)
def judged_values(name: str) -> Mapping[str, str]:
    """The values of a group that only a judge can check, as they are said: in small letters, without an article.

    Args:
        name: One of the names in patterns, such as `voice`.
    """
    values: Sequence[str] = get_group(_JUDGED[name][0]).data["pool"]["values"]
    return {_ARTICLE.sub("", value.lower()): value for value in values}


@lru_cache(maxsize=1)
def language_codes() -> Mapping[str, str]:
    """The names of languages in small letters, and their codes."""
    names: Mapping[str, str] = get_group("language").data["names"]
    return {name.lower(): code for code, name in names.items()}


MARK_NAMES: Mapping[str, str] = {
    r"em[ -]?dash(?:es)?|long dashes|dashes|dash": "—",
    r"exclamation (?:marks?|points?)|exclamations": "!",
    r"semi-?colons?": ";",
    r"(?<!semi)(?<!semi-)colons?": ":",
    r"parenthes[ei]s|brackets|parens": "(",
    r"commas?": ",",
    r"question marks?": "?",
    r"full stops?|periods?": ".",
    r"ellips[ei]s": "…",
}
"""How people call the marks that they do not want."""


def taken(match: re.Match[str], query: Query, params: Params) -> dict[str, Any]:
    """The parameters that a wording asks for, with what the query itself gives.

    Args:
        match: Of one of the patterns, in the query's shadow.
        query: The query.
        params: Those that the wording has by itself.
    """
    found: dict[str, Any] = dict(params)
    for name, text in match.groupdict().items():
        if text is not None:
            read = _READ.get(name, _READ_NUMBER)
            found |= read(name, query, *match.span(name), params)
    if "one" in found and "last" in found:
        found = _numbered(found)
    return found


_Read = Callable[[str, Query, int, int, Params], Mapping[str, Any]]


def quotations(query: Query, start: int, end: int) -> list[str]:
    """What stands in quotation marks inside a range."""
    runs = re.finditer(f"{MASK}+", query.shadow[start:end])
    return [query.text[start + run.start() : start + run.end()] for run in runs]


def _one(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    return {name: "".join(quotations(query, start, end)[:1])}


def _several(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    values = [_unpunctuated(value) for value in quotations(query, start, end)]
    if name == "values":
        return {"value": values[0]} if len(values) == 1 else {"values": values}
    return {"labels" if name == "labels_first" else name: values}


def _unpunctuated(value: str) -> str:
    """The value without a comma that belongs to the sentence round it."""
    return value[:-1] if value[-1:] == "," and len(value) > 1 else value


def _words(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    """Words that are to occur: each of them, or one of them."""
    words = [value.strip(" ,") for value in quotations(query, start, end)]
    if len(words) > 1 and re.search(r"(?<!\w)or(?!\w)", query.shadow[start:end]):
        return {"any_of": words}
    return {"at_least": dict.fromkeys(words, 1)}


def _times(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    told = query.shadow[start:end].split()[0]
    number = {"once": 1, "twice": 2, "thrice": 3}.get(told) or find_numbers(told)[0].value
    exactly = query.shadow[:start].rstrip().endswith("exactly")
    return {"times": -number if exactly else number}


def _letter(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    told = quotations(query, start, end) or [query.low[start:end].strip("\"“”‘’'`")[-1:]]
    return {"letter": told[0].lower()}


def _levels(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    return {"levels": [int(digit) for digit in re.findall(r"\d", query.low[start:end])]}


def _nth(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    found = find_ordinals(query.low[start:end])
    return {"which": found[0].value if found else "last"}


def _unit(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    told = re.sub(r"\s+", " ", query.low[start:end]).removesuffix("s")
    return {name: _UNITS.get(told, told)}


def _measure(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    return {name: f"{query.low[start:end].removesuffix('s')}s"}


def _language(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    return {str(params["kind"]): language_codes()[query.low[start:end]]}


def _judged(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    return {_JUDGED[name][1]: judged_values(name)[query.low[start:end]]}


def _mark(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    shown = quotations(query, start, end)
    told = next((mark for names, mark in MARK_NAMES.items() if re.fullmatch(names, query.low[start:end])), "")
    return {"mark": shown[0] if shown else told}


def _tag(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    return {"tag": query.low[start:end]}


def _READ_NUMBER(name: str, query: Query, start: int, end: int, params: Params) -> Mapping[str, Any]:
    found = find_numbers(query.low[start:end])
    return {name: found[0].value if found else 0}


_READ: Mapping[str, _Read] = {
    **dict.fromkeys(("value", "left", "right", "one", "last"), _one),
    **dict.fromkeys(("values", "labels", "labels_first", "keys", "columns", "options"), _several),
    "words": _words,
    "times": _times,
    "letter": _letter,
    "levels": _levels,
    "nth": _nth,
    "unit": _unit,
    "measure": _measure,
    "language": _language,
    **dict.fromkeys(_JUDGED, _judged),
    "mark": _mark,
    "tag": _tag,
}


def _numbered(found: Mapping[str, Any]) -> dict[str, Any]:
    """Labels from the first to the last: `“Version 1” to “Version 3”`."""
    first, last = (re.fullmatch(r"(.*\S) (\d{1,4})", str(found[name])) for name in ("one", "last"))
    rest = {key: value for key, value in found.items() if key not in ("one", "last")}
    if first is None or last is None or first[1].casefold() != last[1].casefold() or first[2] != "1":
        return {**rest, "labels": [found["one"], found["last"]]}
    return {**rest, "noun": first[1], "count": rest.get("count", int(last[2]))}
