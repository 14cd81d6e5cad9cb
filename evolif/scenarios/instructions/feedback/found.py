"""What came instead of what was asked for, as a person would put it in a few words: “7 bullets”, “French”.

It is made from what the verdict found, by fixed forms; of the answer's own words at most three plain ones are repeated.
Where there is no short and safe phrase, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.constraints.base import quoted
from evolif.scenarios.instructions.feedback.misses import Miss
from evolif.scenarios.instructions.synthesis.short_values import short_form
from evolif.scenarios.instructions.turns import Params
from evolif.text import plural

LONGEST = 40
"""Characters of what came; anything longer is left out."""
_MOST_WORDS = 3
_UNREAD = "the answer is longer than "
"""What a verdict says of an answer that rules do not look at."""
_FEW_LETTERS = 30
"""Letters in the wrong case that somebody would count."""
_WORD = re.compile(r"[^\W_]{1,24}(?:['’-][^\W_]{1,24}){0,3}[.,!?:;]?")
_COUNTED = re.compile(r"(\d{1,9}) (?:top-level )?([a-z]+(?: [a-z]+)?)")
_SHARE = re.compile(r"(\d{1,9}) of (\d{1,9}) ([a-z]+)")
_NUMBER = re.compile(r"\d{1,9}")


def found_of(miss: Miss) -> str:
    """What came, as a short phrase that can stand behind “I got” and alone; empty where there is none.

    >>> from evolif.scenarios.instructions.turns import Constraint
    >>> from evolif.types import Verdict
    >>> asked = Constraint("length", {"unit": "words", "relation": "at_most", "count": 50})
    >>> found_of(Miss(asked, Verdict("length", False, "at most 50 words", "134 words")))
    '134 words'
    """
    make = _FORMS.get(miss.constraint.group)
    if make is None or miss.verdict.found.startswith(_UNREAD):
        return ""
    phrase = make(miss.constraint.params, miss.verdict.found)
    return phrase if len(phrase) <= LONGEST and phrase.isprintable() else ""


def _count(number: int, one: str, many: str = "", *, none: str = "") -> str:
    """`no bullets`, `1 bullet`, `7 bullets`."""
    many = many or f"{one}s"
    return (none or f"no {many}") if not number else plural(number, one, many)


def _counted(found: str) -> tuple[int, str] | None:
    """The number at the beginning of what a verdict found, and what it counts."""
    match = _COUNTED.match(found)
    return (int(match[1]), match[2]) if match else None


def _number(found: str) -> int | None:
    match = _NUMBER.search(found)
    return int(match[0]) if match else None


def _between(found: str) -> str:
    """What a verdict shows in quotation marks, up to the last one."""
    return found[found.find("“") + 1 : found.rfind("”")] if "“" in found else ""


def _said(text: str, *, last: bool = False) -> str:
    """The first plain words of a piece of an answer, or the last ones, in quotation marks; empty if there are none."""
    cut = text.endswith("…")
    words = text.rstrip("…").split()
    if last:
        words = list(reversed(words[1:]))  # the first one may be the end of a longer one
    elif cut:
        words = words[:-1]
    plain: list[str] = []
    for word in words[:_MOST_WORDS]:
        if not _WORD.fullmatch(word):
            break
        plain.append(word)
    said = " ".join(reversed(plain) if last else plain).rstrip(".,!?:;")
    return f"“{said}”" if said else ""


def _length(params: Params, found: str) -> str:
    counted = _counted(found)
    if counted is None:
        return ""
    noun = str(params.get("noun") or params["unit"])
    return _count(counted[0], noun.removesuffix("s"), noun)


def _sentences(params: Params, found: str) -> str:
    mode = params["mode"]
    if mode == "max_words":
        longest = re.fullmatch(r"the longest of \d+ sentences? has (\d+) words?", found)
        return f"a sentence of {plural(int(longest[1]), 'word')}" if longest else ""
    if mode == "distinct_starts":
        said = _said(_between(found)) if found.startswith("two begin with “") else ""
        return f"two that begin with {said}" if said else ""
    if mode == "questions":
        counted = _counted(found)
        return _count(counted[0], "question") if counted else ""
    share = _SHARE.fullmatch(found)
    return f"{_count(int(share[1]), 'question')} in {plural(int(share[2]), 'sentence')}" if share else ""


_POINTS: Mapping[str, str] = {"bullet": "bullet", "numbered": "numbered point", "either": "point"}


def _bullets(params: Params, found: str) -> str:
    if found.endswith("text outside the list"):
        return "text outside the list"
    if "lines with a list mark" in found or "line with a list mark" in found:
        counted = _counted(found)
        return _count(counted[0], "point") if counted else ""
    counted = _counted(found)
    noun = str(params.get("noun") or "").removesuffix("s") or _POINTS[params.get("kind", "bullet")]
    return _count(counted[0], noun) if counted else ""


def _labels(params: Params, found: str) -> str:
    if found.startswith("no label"):
        return "no labels"
    if found.endswith("text stands before the first"):
        return "text before the first label"
    counted = _counted(found)
    wanted = params["count"] if "noun" in params else len(params["labels"])
    if counted is None or counted[0] == wanted or params.get("repeat"):
        return ""
    return _count(counted[0], "label")


def _language(params: Params, found: str) -> str:
    match = re.fullmatch(r"it reads as (\w+(?: \w+)?)", found)
    if match:
        asked = get_group("language").data["names"][params.get("code") or params["not"]]
        return "" if "code" in params and match[1] == asked else match[1]
    return "another language" if found.startswith("it reads as another language") else ""


_FORMATS: Mapping[str, str] = {
    "plain text without Markdown": "plain text",
    "a JSON array": "a JSON array",
    "an empty code block": "an empty code block",
    "a code block without a tag": "a code block without a tag",
}


def _format(params: Params, found: str) -> str:
    if found in _FORMATS:
        return _FORMATS[found]
    tables = re.match(r"(\d{1,9}) Markdown tables?(?!.*row)", found)
    if tables and tables[1] != "1":
        return _count(int(tables[1]), "table", none="no table")
    columns = re.fullmatch(r"tables of (\d{1,9}) columns", found)
    if columns:
        return f"a table with {plural(int(columns[1]), 'column')}"
    entries = re.fullmatch(r"(\d{1,9}) (?:entry|entries)", found)
    if entries and params.get("count") is not None:
        return _count(int(entries[1]), "item")
    if params["mode"] == "plain" and found.startswith("a list line"):
        return "a list"
    return ""


def _start(params: Params, found: str) -> str:
    return _edge(params, found, "starts with ", last=False)


def _end(params: Params, found: str) -> str:
    return _edge(params, found, "ends with ", last=True)


def _edge(params: Params, found: str, verb: str, *, last: bool) -> str:
    if not found.startswith(verb) or params["mode"] == "quotation":
        return ""
    what, place = found.removeprefix(verb), "at the end" if last else "at the start"
    if params["mode"] in ("letter", "emoji"):
        return f"“{what}” {place}" if len(what) == 1 and what.isalnum() else ""
    said = _said(_between(found), last=last)
    asked = " ".join(map(str, params.get("values") or [params["value"]])).casefold()
    # Half of what was asked for would read as if it had come.
    return f"{said} {place}" if said and said.strip("“”").casefold() not in asked else ""


def _part_name(unit: str) -> str:
    return {"item": "bullet"}.get(unit, unit)


def _placement(params: Params, found: str) -> str:
    mode = params["mode"]
    only = re.fullmatch(r"only (\d{1,9}) (\w+?)s?", found)
    if only:
        return f"only {plural(int(only[1]), _part_name(only[2]))}"
    if mode == "every_paragraph":
        share = re.fullmatch(r"it is in (\d{1,9}) of (\d{1,9})", found)
        return f"it in {share[1]} of {plural(int(share[2]), 'paragraph')}" if share and share[1] != share[2] else ""
    if mode == "nth_word":
        return _said(_between(found))
    if mode == "unit_start":
        share = _SHARE.match(found)
        if share is None or share[2] == "1":
            return ""
        return f"{share[1]} of {plural(int(share[2]), _part_name(params['unit']))}"
    return ""


def _part_length(params: Params, found: str) -> str:
    match = re.match(r"[a-z]+ (\d{1,9}) of \d{1,9} has (\d{1,9}) ([a-z]+)", found)
    part = _part_name(params["unit"])
    if match is None:
        return f"no {part}s" if found == f"no {params['unit']}" else ""
    return f"{match[2]} {match[3]} in {part} {match[1]}"


def _emoji(params: Params, found: str) -> str:
    if params.get("place") == "end":
        return "no emoji at the end" if found.startswith("it ends with") else ""
    if params.get("place") == "each_item":
        return "no items" if found == "no item" else found
    counted = _counted(found)
    return _count(counted[0], "emoji") if counted else ""


def _hashtags(params: Params, found: str) -> str:
    counted = _counted(found)
    return _count(counted[0], "hashtag") if counted else ""


def _headings(params: Params, found: str) -> str:
    if params.get("relation") == "title":
        return "no title" if found != "no text" else ""
    if "levels" in params:
        return f"no level {found.removeprefix('none of level ')} headings" if found.startswith("none of") else ""
    counted = _counted(found)
    return _count(counted[0], "heading") if counted else ""


def _emphasis(params: Params, found: str) -> str:
    counted = _counted(found)
    return _count(counted[0], "bold passage", none="no bold") if counted else ""


def _digits(params: Params, found: str) -> str:
    number = _number(found)
    return _count(number, "digit") if number else ""


def _times(word: str, number: int) -> str:
    how = {1: "once", 2: "twice"}.get(number, f"{number} times")
    return f"“{word}” {how}" if number else f"no “{word}”"


def _occurrences(words: Sequence[str], found: str) -> list[tuple[str, int]]:
    """How often each word came, of those that a verdict tells."""
    counts = []
    for word in words:
        match = re.search(rf"“{re.escape(word)}” (never|(\d{{1,9}})×)", found)
        if match:
            counts.append((word, int(match[2] or 0)))
    return counts


def _existence(params: Params, found: str) -> str:
    exact, least = params.get("counts") or {}, params.get("at_least") or {}
    counts = dict(_occurrences([*exact, *least], found))
    wrong = [word for word, count in counts.items() if (count != exact[word] if word in exact else count < least[word])]
    if wrong:
        return _times(wrong[0], counts[wrong[0]])
    return "none of them" if params.get("any_of") and not exact and not least else ""


def _forbidden(params: Params, found: str) -> str:
    counts = _occurrences(params["keywords"], found)
    if len(counts) == 1:
        return _times(*counts[0])
    return quoted([word for word, _ in counts], "and") if counts else ""


def _case(params: Params, found: str) -> str:
    if params["mode"] == "share":
        share = re.match(r"(\d{1,3}\.\d) % \(", found)
        if share is None:
            return ""
        percent = round(float(share[1]))
        return {0: "no capital letters", 100: "all capital letters"}.get(percent, f"{percent}% capital letters")
    wrong = re.fullmatch(r"(\d{1,9}) of \d{1,9} letters are not", found)
    if wrong is None:
        return ""
    if params["mode"] == "all_lower":
        return _count(int(wrong[1]), "capital letter")
    return _count(int(wrong[1]), "small letter") if int(wrong[1]) <= _FEW_LETTERS else ""


def _punctuation(params: Params, found: str) -> str:
    number = _number(found)
    if params["mode"] == "exclude_all":
        return _count(number, "punctuation mark") if number else ""
    form = short_form("punctuation", params)
    if not number or form is None or params["mode"] != "exclude":
        return ""
    names = form.slots["names"]
    if "“" in names:
        return f"“{params['mark']}” {plural(number, 'time')}" if number > 2 else _times(params["mark"], number)
    return f"{number} {names}" if number > 1 else get_group("punctuation").values(params).get("a_name", "")


def _lettering(params: Params, found: str) -> str:
    words = re.findall(r"“([^”]{1,30})”( \d{1,9}×)?", found[:200])
    if not words or not _WORD.fullmatch(words[0][0]):
        return ""
    word, count = words[0][0].rstrip(".,!?:;"), _NUMBER.search(words[0][1])
    return _times(word, int(count[0])) if params["mode"] == "no_repeat" and count else f"“{word}”"


def _person(params: Params, found: str) -> str:
    if "use" in params:
        return "no first person"
    said = [word for word in re.findall(r"“([^”]{1,20})”", found[:200]) if _WORD.fullmatch(word)]
    return quoted(said[:_MOST_WORDS], "and") if said else ""


_MANNERS: Mapping[str, str] = {
    "it opens with": "an intro",
    "an offer": "an offer at the end",
    "it ends with a question": "a question at the end",
    "it says": "a disclaimer",
}


def _manner(params: Params, found: str) -> str:
    return next((phrase for beginning, phrase in _MANNERS.items() if found.startswith(beginning)), "")


def _wrap(params: Params, found: str) -> str:
    for verb, place, last in (("begins", "at the start", False), ("ends", "at the end", True)):
        if found.startswith(f"the answer {verb} with “"):
            shown = _between(found)  # a piece of the answer, which may begin or end inside a word
            said = _said(shown if last or shown.endswith("…") else f"{shown}…", last=last)
            return f"{said} {place}" if said else ""
    return ""


def _choice(params: Params, found: str) -> str:
    lines = re.fullmatch(r"“.*” and (\d{1,9}) more lines?", found)
    if lines:
        return plural(int(lines[1]), "more line")
    if found.endswith(" and nothing else"):
        return "no reason"
    text = _between(found) if found.endswith(" on the first line") else ""
    said = _said(text)
    whole = text if text.endswith("…") else text.strip(" .,!?:;")
    return said if said and (said.strip("“”") == whole or text.endswith("…")) else ""


_FORMS: Mapping[str, Callable[[Params, str], str]] = MappingProxyType(
    {
        "length": _length,
        "sentences": _sentences,
        "bullets": _bullets,
        "labels": _labels,
        "language": _language,
        "format": _format,
        "start_with": _start,
        "end_with": _end,
        "placement": _placement,
        "part_length": _part_length,
        "emoji": _emoji,
        "hashtags": _hashtags,
        "headings": _headings,
        "emphasis": _emphasis,
        "digits": _digits,
        "existence": _existence,
        "forbidden": _forbidden,
        "case": _case,
        "punctuation": _punctuation,
        "lettering": _lettering,
        "person": _person,
        "manner": _manner,
        "wrap": _wrap,
        "choice": _choice,
    }
)
