"""A reader of remarks: what words have to stand in one for it to name a constraint with its value.

It knows neither the bank of remarks nor the code that fills it, only what the constraints mean.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from evolif.scenarios.instructions.turns import Constraint

_UNITS = {"item": "(?:item|bullet)", "paragraph": "paragraph", "line": "line", "sentence": "sentence"}
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth".split()
_RELATIONS = {
    "at_most": "at most {n}", "at_least": "at least {n}", "less_than": "fewer than {n}", "more_than": "more than {n}",
    "exactly": "(?<!at most )(?<!at least )(?:exactly )?{n}", "about": "about {n}",
    "between": "(?:between )?{n} (?:to|and) {upper}",
}  # fmt: skip
_LANGUAGES = {"de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "nl": "Dutch",
              "pt": "Portuguese", "ja": "Japanese", "zh": "Chinese", "ko": "Korean", "pl": "Polish", "ru": "Russian",
              "ar": "Arabic", "tr": "Turkish", "ro": "Romanian", "hi": "Hindi", "no": "Norwegian"}  # fmt: skip
_FORMATS = {"json": "JSON", "xml": "XML", "html": "HTML", "csv": "CSV", "markdown": "Markdown",
            "plain": "plain text", "code": "code", "table": "table",
            "comma_list": "comma-separated", "literal_list": "Python list"}  # fmt: skip
_MARKS = {"!": "exclamation marks", ":": "colons", "—": "em dashes", "(": "parentheses", ";": "semicolons",
          ",": "commas", ".": "(?:full stops|periods)", "?": "question marks"}  # fmt: skip
_PERSONS = {"avoid_first": "no first person", "use_first": "(?<!no )first person", "avoid_second": "no second person"}
_MANNERS = {"answer_only": "just the answer", "no_offer": "no offer", "no_closing_question": "no question at the end",
            "no_disclaimer": "no disclaimer"}  # fmt: skip
_CASES = {"all_upper": "all (?:caps|capitals)", "all_lower": "all lower ?case"}
_LETTERINGS = {"max_letters": "no word over {count} letters", "min_letters": "no word under {count} letters",
               "without": "no letter {letter}\\b", "first": "words starting with {letter}\\b",
               "no_repeat": "no repeated words"}  # fmt: skip


def _amount(params: Mapping[str, Any], noun: str, many: str = "") -> str:
    """A pattern for an amount of something, such as `at most 3 emojis?`."""
    relation = params.get("relation", "exactly")
    if relation in ("none", "some", "title"):
        return {"none": f"no {noun}", "some": f"(?:some |a )?{noun}", "title": "a title"}[relation]
    count = _RELATIONS[relation].format(n=params["count"], upper=params.get("upper"))
    return f"{count} {many or noun}"


def _quoted(values: Sequence[str]) -> list[str]:
    return [re.escape(value.strip()) for value in values]


def _length(p: Mapping[str, Any]) -> list[str]:
    noun = p.get("noun") or f"{p['unit'][:-1]}s?"
    return [rf"{_amount(p, noun)}\b(?! (?:per|in every|in (?:a|bullet|paragraph|line|sentence)\b))"]


def _bullets(p: Mapping[str, Any]) -> list[str]:
    kind = p.get("kind", "bullet")
    nouns = {"bullet": "bullets?", "numbered": "numbered (?:points?|items?|list)", "either": "(?:points?|lists?)"}
    only = ["(?:only|just|nothing else)"] if p.get("only") else []
    return [rf"(?<!per )(?<!in )(?<!every ){_amount(p, p.get('noun') or nouns[kind])}\b", *only]


def _labels(p: Mapping[str, Any]) -> list[str]:
    if "noun" in p:
        return ["label", *_quoted([f"{p['noun']} 1", f"{p['noun']} {p['count']}"])]
    return ["label", *_quoted(p["labels"])]


def _format(p: Mapping[str, Any]) -> list[str]:
    numbers = [str(p[name]) for name in ("column_count", "count") if name in p]
    tags = {"python": "Python", "javascript": "JavaScript", "sql": "SQL", "bash": "Bash", "html": "HTML"}
    tag = [tags.get(p["tag"], p["tag"])] if "tag" in p else []
    return [_FORMATS[p["mode"]], *numbers, *tag, *_quoted([*p.get("keys", ()), *p.get("columns", ())])]


def _edge(place: str, p: Mapping[str, Any]) -> list[str]:
    if p["mode"] == "quotation":
        return [f"between {re.escape(p['left'])} and {re.escape(p['right'])} at the {place}"]
    values = p.get("values") or [p["value"]]
    return [rf"{re.escape(values[-1].strip())}\W* at the {place}", *_quoted(values)]


def _placement(p: Mapping[str, Any]) -> list[str]:
    if p["mode"] == "every_paragraph":
        return [re.escape(p["value"]), "in every paragraph"]
    if p["mode"] == "nth_word":
        return [re.escape(p["value"]), f"as the {_ORDINALS[p['position']]} word"]
    if p["mode"] == "acrostic":
        return [f"{len(p['word'])} paragraphs", f"spell {re.escape(p['word'])}"]
    which = p.get("which", "every")
    where = "every" if which == "every" else f"the {_ORDINALS[which]}"
    values = [f"letter {p['letter']}"] if "letter" in p else p.get("values") or [p["value"]]
    return [f"at the start of {where} {_UNITS[p['unit']]}", *_quoted(values)]


def _existence(p: Mapping[str, Any]) -> list[str]:
    words = [*p.get("counts", {}), *p.get("at_least", {}), *p.get("any_of", ())]
    times = {*p.get("counts", {}).values(), *p.get("at_least", {}).values()} - {1}
    told = {2: "twice", 3: "(?:3|three) times"}
    return ['(?<!no )(?:mention|at least|exactly|in it|“|")', *_quoted(words), *(told.get(n, str(n)) for n in times)]


def _part_length(p: Mapping[str, Any]) -> list[str]:
    return [rf"{_amount(p, p['measure'][:-1] + 's?')} (?:per|in every) {_UNITS[p['unit']]}\b"]


def _headings(p: Mapping[str, Any]) -> list[str]:
    return ["headings of level", *map(str, p["levels"])] if "levels" in p else [rf"{_amount(p, 'headings?')}"]


def _emoji(p: Mapping[str, Any]) -> list[str]:
    places = {"end": "an emoji at the end", "each_item": "an emoji in every item"}
    return [places[p["place"]]] if "place" in p else [rf"{_amount(p, 'emojis?')}\b(?! at the end| in every)"]


def _punctuation(p: Mapping[str, Any]) -> list[str]:
    if p["mode"] == "exclude_all":
        return ["no punctuation"]
    if p["mode"] == "include":
        return [f"{re.escape(p['mark'])}.* at least once"]
    return [f"no (?:{_MARKS.get(p['mark'], re.escape(p['mark']))}|.{re.escape(p['mark'])}.)"]


def _sentences(p: Mapping[str, Any]) -> list[str]:
    if p["mode"] == "questions":
        return [rf"exactly {p['count']} questions?\b"]
    if p["mode"] == "max_words":
        return [rf"at most {p['count']} words? per sentence"]
    return ["different first word" if p["mode"] == "distinct_starts" else "(?:only questions|questions only)"]


def _language(p: Mapping[str, Any]) -> list[str]:
    if "not" in p:
        return [f"but {_LANGUAGES[p['not']]}"]
    return [rf"(?<!but )\b{_LANGUAGES[p['code']]}\b"]


def _choice(p: Mapping[str, Any]) -> list[str]:
    scale = [] if "options" in p else [f"a number from {p['low']} to {p['high']}"]
    return [*_quoted(p.get("options", ())), *scale, *(["the reason below"] if p.get("reason") else [])]


READERS: Mapping[str, Any] = {
    "length": _length,
    "bullets": _bullets,
    "labels": _labels,
    "format": _format,
    "language": _language,
    "start_with": lambda p: _edge("start", p),
    "end_with": lambda p: _edge("end", p),
    "placement": _placement,
    "existence": _existence,
    "forbidden": lambda p: ["no mention of", *_quoted(p["keywords"])],
    "choice": _choice,
    "part_length": _part_length,
    "headings": _headings,
    "emphasis": lambda p: [_amount(p, "bold", "(?:bold )?passages?")],
    "emoji": _emoji,
    "hashtags": lambda p: [_amount(p, "hashtags?")],
    "digits": lambda p: ["no digits"],
    "case": lambda p: [_CASES[p["mode"]]] if p["mode"] in _CASES else [f"about {p['percent']}% capital letters"],
    "punctuation": _punctuation,
    "sentences": _sentences,
    "lettering": lambda p: [_LETTERINGS[p["mode"]].format(**p)],
    "person": lambda p: [_PERSONS["use_first" if "use" in p else f"avoid_{p['avoid']}"]],
    "manner": lambda p: [_MANNERS[p["mode"]]],
    "wrap": lambda p: ["around it all", *(_quoted([p["left"], p["right"]]) if p["left"] != '"' else ["quotation"])],
}
"""Per group, patterns that all stand in a remark that names the constraint."""


def straight(text: str) -> str:
    """A text with straight quotation marks."""
    return re.sub("[“”]", '"', text.replace("’", "'"))


def plain(text: str) -> str:
    """A text without capitals and with straight quotation marks."""
    return straight(text).casefold()


def names(constraint: Constraint, text: str) -> bool:
    """Whether a text names a constraint with its values."""
    said, patterns = straight(text), READERS[constraint.group](constraint.params)
    return all(re.search(straight(pattern), said, re.IGNORECASE) for pattern in patterns)
