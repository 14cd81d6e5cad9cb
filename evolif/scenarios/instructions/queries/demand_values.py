"""Everyday parameters as queries are compared with them: their kinds, what is said word for word, what is alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evolif.scenarios.instructions.constraints import EVERYDAY_GROUPS
from evolif.scenarios.instructions.queries.change import QueryChange
from evolif.scenarios.instructions.queries.demand_table import demands_of
from evolif.scenarios.instructions.turns import Params

_NEW_MODES: Mapping[str, frozenset[str]] = {
    "format": frozenset({"code", "plain", "comma_list", "literal_list"}),
    "start_with": frozenset({"phrase"}),
    "end_with": frozenset({"phrase"}),
    "placement": frozenset({"unit_start"}),
    "sentences": frozenset({"all_questions"}),
    "punctuation": frozenset({"exclude_all"}),
}
_NEW_MARKS = frozenset("—!;(")
"""Marks that only the everyday pool excludes."""
_NEW_KEYS: Mapping[str, frozenset[str]] = {
    "bullets": frozenset({"relation"}),
    "headings": frozenset({"relation", "levels"}),
    "emphasis": frozenset({"relation"}),
    "existence": frozenset({"at_least", "any_of"}),
    "language": frozenset({"not"}),
    "format": frozenset({"fence", "only", "column_count"}),
}
LITERALS = ("value", "values", "labels", "keys", "columns", "options", "left", "right", "any_of")
"""Parameters that a query says word for word."""


def is_everyday(group: str, params: Params | None) -> bool:
    """Whether parameters are of a kind that the readers of single groups do not know.

    Args:
        group: The group's name.
        params: The parameters; None is of no kind.
    """
    if params is None:
        return False
    if group in EVERYDAY_GROUPS or not _NEW_KEYS.get(group, frozenset()).isdisjoint(params):
        return True
    if group == "format" and params.get("mode") == "table" and "columns" not in params:
        return True
    if group == "punctuation" and params.get("mode") == "exclude" and params.get("mark") in _NEW_MARKS:
        return True
    return params.get("mode") in _NEW_MODES.get(group, ())


def hears_asides(change: QueryChange) -> bool:
    """Whether the turn has everyday constraints, so that what sounds like one is meant as one.

    Args:
        change: The turn's change.
    """
    held = [(change.group, change.before), (change.group, change.after), *change.others]
    return any(is_everyday(group, params) or _is_everyday_length(group, params) for group, params in held)


def _is_everyday_length(group: str, params: Params | None) -> bool:
    if group != "length" or params is None:
        return False
    return params.get("unit") == "lines" or params.get("relation") in ("at_most", "at_least", "about")


PRONOUNS = ("i", "me", "my", "mine", "we", "us", "our", "ours", "you", "your", "yours", "let's")
MOST_NUMBERED = 100


def literals_of(params: Params) -> Iterator[str]:
    """The values of parameters that a query says word for word.

    Args:
        params: The parameters.
    """
    for key in LITERALS:
        value = params.get(key)
        if isinstance(value, str):
            yield value
        elif value:
            yield from value
    for key in ("at_least", "counts", "keywords"):
        yield from params.get(key) or ()
    if "noun" in params and "relation" not in params:
        yield from (f"{params['noun']} {number}" for number in range(1, min(params["count"], MOST_NUMBERED) + 1))


def says_demand(group: str, told: Params, params: Params) -> bool:
    """Whether what a wording asks for is what parameters demand; keys that it may leave open may be missing.

    Args:
        group: The group.
        told: What the wording asks for.
        params: The parameters.
    """
    table = demands_of(group)
    unsaid = table.unsaid if table is not None else frozenset[str]()
    mine, theirs = normal(group, told), _whole(group, params)
    for key in mine.keys() | theirs.keys():
        if key not in mine and key in unsaid:
            continue
        if mine.get(key) != theirs.get(key):
            return False
    return True


def _whole(group: str, params: Params) -> dict[str, Any]:
    """A constraint's parameters with the keys that it leaves out but that people may say."""
    found = normal(group, params)
    if (group == "bullets" and params.get("relation") == "some") or params.get("mode") == "table":
        found.setdefault("only", False)
    return found


_DEFAULTS: Mapping[str, Any] = {"repeat": False, "order": "given", "which": "every"}
_ONE_IS_SOME = ("emoji", "hashtags", "headings", "emphasis")
_UNORDERED = ("keys", "any_of", "options", "values")
_TAGS: Mapping[str, str] = {"py": "python", "js": "javascript", "shell": "bash"}


def normal(group: str, params: Params) -> dict[str, Any]:
    """Parameters as they can be compared: no defaults, no capitals, lists without order in order."""
    given = {key: value for key, value in params.items() if value is not None}
    given = {key: value for key, value in given.items() if key not in _DEFAULTS or value != _DEFAULTS[key]}
    if group == "bullets":
        given.setdefault("kind", "bullet")
        given.pop("noun", None)
    if group == "choice":
        given.setdefault("reason", False)
    if len(given.get("values", ())) == 1:
        given["value"] = given.pop("values")[0]
    if isinstance(given.get("value"), str):  # a comma before the closing mark may be the sentence's
        given["value"] = given["value"].rstrip(",") or given["value"]
    if group in _ONE_IS_SOME and given.get("relation") == "at_least" and given.get("count") == 1:
        given = {**given, "relation": "some"}
        del given["count"]
    found = {key: _plain(value) for key, value in given.items()}
    found |= {key: sorted(found[key]) for key in _UNORDERED if isinstance(found.get(key), list)}
    if group == "labels" and "noun" in found:
        noun, count = found.pop("noun"), min(found.pop("count"), MOST_NUMBERED)
        found["labels"] = [f"{noun} {number}" for number in range(1, count + 1)]
    if isinstance(found.get("labels"), list):
        found["labels"] = [label.rstrip(":.… ") for label in found["labels"]]  # the colon may be told with the label
    if "tag" in found:
        found["tag"] = _TAGS.get(found["tag"], found["tag"])
    return found


_QUOTE_KINDS = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'"})


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.casefold().translate(_QUOTE_KINDS).strip()
    if isinstance(value, Mapping):
        return {_plain(key): number for key, number in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
