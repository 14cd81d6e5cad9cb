"""Parameters of every everyday kind, for tests that word them and read them back."""

from __future__ import annotations

from itertools import product
from typing import Any

from evolif.scenarios.instructions.constraints import get_group
from evolif.util.rng import Stream

Params = dict[str, Any]
NOUNS = ("tips", "reasons", "ideas", "facts", "examples")
PHRASES = ("Right away!", "[QQ]", "Note:", "Good news", "KAI:", "(KAI)", "Thanks for asking.", "Listen up")
ENDINGS = ("Ready?", "Stay safe", "[STOP]", "Over and out.", "What do you think?", "That is all")
WORDS = ("ferry", "harvest moon", "lamp", "oven", "north", "ticket")
PAIRS = (("<answer>", "</answer>"), ("<<", ">>"), ("[START]", "[END]"), ('"', '"'))
UPPER = {"sentences": (2, 3, 5), "words": (30, 80, 150), "paragraphs": (2, 3, 5), "characters": (280, 300, 500)}


def _length() -> list[Params]:
    units = {"words": (10, 50, 100, 250), "sentences": (1, 2, 4, 10), "paragraphs": (1, 2, 3), "lines": (1, 4, 8)}
    units["characters"] = (150, 280, 500)
    found: list[Params] = []
    for unit, counts in units.items():
        for relation, count in product(("at_most", "exactly", "at_least", "about"), counts):
            if not (relation in ("about", "at_least", "at_most") and count == 1):
                found.append({"unit": unit, "relation": relation, "count": count})
        found += [{"unit": unit, "relation": "between", "count": n, "upper": n + n // 2 + 1} for n in counts if n > 1]
    return found


def _bullets() -> list[Params]:
    found: list[Params] = [{"kind": "either", "relation": "none"}]
    for kind in ("bullet", "numbered", "either"):
        found += [{"kind": kind, "relation": "some"}, {"kind": kind, "relation": "some", "only": True}]
    for count in (2, 3, 5, 7, 10, 12):
        found += [{"kind": kind, "relation": "exactly", "count": count} for kind in ("bullet", "numbered")]
        found += [{"kind": "bullet", "relation": relation, "count": count} for relation in ("at_most", "at_least")]
        found += [{"kind": "either", "relation": "exactly", "count": count, "noun": noun} for noun in NOUNS]
        found.append({"kind": "bullet", "relation": "between", "count": count, "upper": count + 2})
    return found


def _labels() -> list[Params]:
    pool, found = get_group("labels").data["pool"], []
    for labels in pool["sets"]:
        found += [{"labels": labels}, {"labels": labels, "only": True}]
        found += [{"labels": labels, "order": "any", "repeat": True}] if len(labels) > 1 else []
    for noun, count in product(pool["nouns"], (2, 3, 5, 10)):
        found += [{"noun": noun, "count": count}, {"noun": noun, "count": count, "only": True}]
    return found


def _format() -> list[Params]:
    found: list[Params] = [{"mode": mode} for mode in ("table", "json", "html", "markdown", "plain", "code")]
    found += [{"mode": "table", "only": True}, {"mode": "json", "fence": True}]
    found += [{"mode": mode} for mode in ("comma_list", "literal_list")]
    for count in (2, 3, 4):
        found += [{"mode": "table", "column_count": count}, {"mode": "table", "column_count": count, "only": True}]
    found += [{"mode": mode, "count": count} for mode in ("comma_list", "literal_list") for count in (5, 10)]
    found += [{"mode": "code", "tag": tag} for tag in ("python", "javascript", "sql", "bash")]
    found += [{"mode": "json", "keys": keys} for keys in (["name", "age"], ["title", "steps", "cost"])]
    return [*found, {"mode": "table", "columns": ["Name", "Cost"]}]


def _edges(phrases: tuple[str, ...], several: list[str]) -> list[Params]:
    return [*({"mode": "phrase", "value": phrase} for phrase in phrases), {"mode": "phrase", "values": several}]


def _existence() -> list[Params]:
    found: list[Params] = [{"at_least": {word: 1}} for word in WORDS]
    found += [{"at_least": dict.fromkeys(WORDS[:number], 1)} for number in (2, 3)]
    found += [{"at_least": {word: number}} for word in WORDS for number in (2, 3)]
    return [*found, {"any_of": ["bus", "tram"]}, {"any_of": ["lamp", "oven", "ferry"]}]


def _parts() -> list[Params]:
    drawn = [params for params, _ in get_group("part_length").data["pool"]["drawn"]]
    return [*drawn, {"unit": "item", "measure": "sentences", "relation": "at_most", "count": 1}]


def _placement() -> list[Params]:
    found: list[Params] = []
    for unit, value in product(("sentence", "paragraph", "line", "item"), PHRASES[:4]):
        found.append({"mode": "unit_start", "unit": unit, "which": "every", "value": value})
    for letter in "stpe":
        found.append({"mode": "unit_start", "unit": "sentence", "which": "every", "letter": letter})
        found.append({"mode": "unit_start", "unit": "sentence", "which": 2, "letter": letter})
        found.append({"mode": "unit_start", "unit": "paragraph", "which": 3, "value": PHRASES[2]})
    return found


def _choice() -> list[Params]:
    found: list[Params] = []
    for reason in ({}, {"reason": True}):
        found += [
            {"mode": "options", "options": options, **reason} for options in (["Yes", "No"], ["red", "blue", "green"])
        ]
        found += [{"mode": "scale", "low": 1, "high": high, **reason} for high in (5, 10)]
    return found


def _drawn(group: str) -> list[Params]:
    data = get_group(group).data
    return [params for params, _ in (data.get("everyday") or data["pool"])["drawn"]]


VALUES: dict[str, list[Params]] = {
    "length": _length(),
    "bullets": _bullets(),
    "labels": _labels(),
    "language": _drawn("language"),
    "format": _format(),
    "start_with": _edges(PHRASES, ["Yes", "No"]),
    "end_with": _edges(ENDINGS, ["Bye", "Cheers"]),
    "emoji": _drawn("emoji"),
    "hashtags": [*_drawn("hashtags"), {"relation": "at_most", "count": 3}],
    "headings": _drawn("headings"),
    "emphasis": _drawn("emphasis"),
    "existence": _existence(),
    "forbidden": [{"keywords": list(WORDS[:number])} for number in (1, 2, 3)]
    + [{"keywords": [word]} for word in WORDS],
    "choice": _choice(),
    "part_length": _parts(),
    "placement": _placement(),
    "lettering": _drawn("lettering"),
    "person": _drawn("person"),
    "manner": _drawn("manner"),
    "wrap": [{"left": left, "right": right} for left, right in PAIRS],
    "sentences": [{"mode": "all_questions"}],
    "punctuation": [{"mode": "exclude_all"}, *({"mode": "exclude", "mark": mark} for mark in "—!;:(")],
    "digits": [{"mode": "none"}],
    "case": [{"mode": "all_lower"}, {"mode": "all_upper"}],
}


def some_of(group: str, stream: Stream, number: int) -> list[Params]:
    """So many of a group's parameters, drawn one after the other."""
    return [dict(stream.choice(VALUES[group])) for _ in range(number)]
