"""Hears a turn's own demand in words that the table of demands does not list.

People name the thing and leave the rest to common sense: `bullets, no more than 5`, `spare me the as-an-AI bits`,
`Situation: Task: Action:`. That is enough where it is known what is meant and all of it is there: the name of the
thing, every value, the right polarity. It is not enough to hear a demand that nobody expects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from evolif.scenarios.instructions.queries.change import QueryChange
from evolif.scenarios.instructions.queries.counted import lone_numbers
from evolif.scenarios.instructions.queries.demand_table import MARK_NAMES, LenientWording, demands_of
from evolif.scenarios.instructions.queries.demand_values import literals_of
from evolif.scenarios.instructions.queries.numbers import UNBOUNDED, Quantity, quantities
from evolif.scenarios.instructions.queries.reading import MASK, Query
from evolif.scenarios.instructions.turns import Params

Heard = tuple[Params, int, int]
"""What is asked for, and where."""

_DENIAL = re.compile(
    r"(?<!\w)(?:no|not|never|without|w/o|zero|nor|neither|avoid(?:ing)?|skip(?:ping)?|omit|leave\s(?:out|off)|drop|ditch|"
    r"lose|cut|nothing|none\sof|kill|stop|quit|spare\sme|enough\s(?:with|of)|rid\sof|free\sof|minus|sans|dont|do\snot|"
    r"cannot|instead\sof|rather\sthan|ban(?:ning)?|forbid|refrain\sfrom|stay\saway\sfrom|hold|"
    r"\w{1,12}n't(?!\s(?:have|need)\sto))(?!\w)"
)
_VERBS = frozenset(
    "use add make give put keep have include write want say mention start end open close mark label call go see".split()
)
_CHAIN = _VERBS | frozenset("me to ever any more ask asking using adding with on".split())
"""Words right behind a denial that it denies, too."""
_MOST_CHAINED = 3
_TURNS = _VERBS | frozenset("but just only then so with please in as".split())
"""Words at which something else is said."""
_JOINTS = frozenset((",", "/", "and", "or", "nor", "&"))
_TOKEN = re.compile(rf"[,/&]|[\w'{MASK}-]+")
_BREAK = re.compile(r"[.;:!?\n()]")
_MEMBER, _LAST, _MOST_MEMBERS = 2, 3, 4
"""Words of a member, and of the last, of a list that is ruled out (`no emojis or bold print`); its members."""
_DENIED_BEHIND = re.compile(
    r"[\"”'’)\s]{0,4}(?:(?:stuff|things?|bits?|marks?|words?)\s)?(?:(?:[,:-]\s?)?(?:none|no\sthanks?|no\sthank\syou|out)"
    r"|(?:is|are|stays?|remains?)\s(?:out|banned|forbidden|not\s\w{1,12}|off(?:\slimits)?|a\sno-go|unwelcome|unwanted)"
    r"|(?:must|should|may|can|do|does|will|need|is|are)(?:\snot|n't)(?!\s(?:have|need)\sto)|(?:not|never)\s(?:appear|be|occur|show|come)"
    r"|(?:are\s|is\s)?still\s(?:out|off|banned|not)|[^.!?;,]{0,14}\s(?:gone|banned)"
    r"|[^.!?;,]{0,20},\s(?:please\s)?(?:get\srid\sof|lose|drop|skip|cut|avoid|leave)\s(?:them|those|it)"
    r"|[^.!?;,]{0,30}[.!?,;]{1,3}\s(?:so\s|and\s|please\s|but\s)?none(?:\sof\s(?:that|those|them|it))?)(?!\w)"
)
_RELEASED = re.compile(
    r"(?<!\w)(?:any\s?more|no\slonger|(?:is|are|'s|'re|be|totally|also|perfectly)\s(?:ok|okay|fine|allowed|welcome|optional)"
    r"|(?:do|does)(?:n't|\snot)\s(?:have|need)\sto|(?:you|it)\s(?:can|may)\s(?:say|use|write|have|include|mention)"
    r"|(?:don't|do\snot|dont|needn't|need\snot)(?:\s\w+)?\sneed|needn't|no\sneed|does(?:n't|\snot)\smatter|don't\scare|forget|scrap|drop|lose|ditch|stop|up\sto\syou|whatever|"
    r"free\sto|skip|lift(?:ed)?|never\s?mind|not\snecessary|unnecessary|had\senough)(?!\w)"
)
_KEPT = re.compile(
    r"(?<!\w)(?:keep(?:s|ing)?|still|stays?|remains?|not\s(?:ok|okay|fine|allowed)|don't\s(?:drop|forget|lose))(?!\w)"
)
_ONLY_BEFORE = re.compile(r"(?<!\w)(?:just|only|solely|purely|pure|nothing\sbut|entirely|all)\s(?:\w+\s){0,3}$")
_ONLY_BEHIND = re.compile(
    r"[\s,;.!-]{0,4}(?:(?:please|thanks|thx|pls)[\s,;.!-]{1,3})?(?:\w+\s){0,2}(?:only(?!\s(?:one|\d))|alone|nothing\s(?:else|around|more|but|beside)|that's\s(?:it|all)|"
    r"no\s(?:other\s)?(?:text|prose|words|intro)(?!\s(?:before|above|in\sfront)))(?!\w)"
)
_SOME = re.compile(
    r"(?<!\w)(?:put|add|use|throw|give\sme|sprinkle|have|want|there\sare)\s(?:me\s)?(?:some|a\sfew|one\sor\stwo)(?!\w)"
)
_REACH = 90


def heard_leniently(query: Query, change: QueryChange, fits: Callable[[Params], bool]) -> Heard | None:
    """The turn's demand where its thing is named with every value and the right polarity; None if it is not.

    Args:
        query: The query, the change's values masked.
        change: An add or a modification.
        fits: Whether what is asked for is what the turn asks for.
    """
    readers: Sequence[Callable[[Query, QueryChange], Iterator[Heard]]] = (
        _named,
        _labels,
        _words,
        _parts,
        _marks,
        _levels,
        _wrapped,
        _reasoned,
    )
    return next((heard for reader in readers for heard in reader(query, change) if fits(heard[0])), None)


def released_leniently(query: Query, change: QueryChange) -> bool:
    """Whether a sentence that names the turn's constraint lets go of it.

    Args:
        query: The query.
        change: A removal.
    """
    table = demands_of(change.group)
    for wording in table.lenient if table is not None else ():
        for match in wording.of.finditer(query.low if wording.quoted else query.shadow):
            low, high = query.sentence(match.start())
            told = query.shadow[low : match.start()] + query.shadow[match.end() : high]
            if _RELEASED.search(told) and not _KEPT.search(told):
                return True
    return False


def _named(query: Query, change: QueryChange) -> Iterator[Heard]:
    """What the group's names ask for, by their polarity."""
    table = demands_of(change.group)
    for wording in table.lenient if table is not None else ():
        for match in wording.of.finditer(query.low if wording.quoted else query.shadow):
            start, end = match.span()
            for params in _by_polarity(query, wording, start, end):
                yield params, start, end


def _by_polarity(query: Query, wording: LenientWording, start: int, end: int) -> Iterator[Params]:
    if is_denied_here(query, start, end):
        if wording.denied is not None:
            yield wording.denied
        return
    if wording.params is None:
        return
    low, high = query.segment(start)
    if _RELEASED.search(query.shadow, low, high):
        if wording.counted and _SOME.search(query.shadow, end):
            yield {**wording.params, "relation": "some"}
        return
    yield from _counted(query, wording, start, end)


def _counted(query: Query, wording: LenientWording, start: int, end: int) -> Iterator[Params]:
    assert wording.params is not None  # the caller has looked
    sentence = query.sentence(start)
    before = query.shadow[max(sentence[0], start - _REACH) : start]
    only = bool(_ONLY_BEFORE.search(before) or _ONLY_BEHIND.match(query.shadow, end))
    found: dict[str, Any] = {**wording.params, **({"only": only} if wording.only else {})}
    if not wording.counted:
        yield found
        return
    here = [one for one in lone_numbers(query, ranges=True) if sentence[0] <= one.start < sentence[1]]
    if not here:
        yield {**found, "relation": "some"}
    elif len(here) == 1:
        yield {**wording.params, **relation_of(here[0])}


def relation_of(quantity: Quantity) -> dict[str, Any]:
    """A quantity as a relation with its numbers.

    Args:
        quantity: The quantity.
    """
    if quantity.vague:
        return {"relation": "about", "count": quantity.number}
    if quantity.low == quantity.high:
        return {"relation": "exactly", "count": quantity.low}
    if quantity.high == UNBOUNDED:
        return {"relation": "at_least", "count": quantity.low}
    if quantity.low == 0:
        return {"relation": "at_most", "count": quantity.high}
    return {"relation": "between", "count": quantity.low, "upper": quantity.high}


def is_denied_here(query: Query, start: int, end: int) -> bool:
    """Whether the words next to a thing rule it out.

    Args:
        query: The query.
        start: Where the thing starts.
        end: Where it ends.
    """
    low, high = query.sentence(start)
    if _DENIED_BEHIND.match(query.shadow, end, high + _REACH):
        return True
    before = query.shadow[max(low, start - _REACH) : start]
    return any(_governs(before[denial.end() :]) for denial in _DENIAL.finditer(before))


def _governs(between: str) -> bool:
    """Whether a denial still holds behind these words: a list of short members, of which the last one follows."""
    if _BREAK.search(between):
        return False
    tokens = _TOKEN.findall(between)
    chained = next((n for n, token in enumerate(tokens[:_MOST_CHAINED]) if token not in _CHAIN), _MOST_CHAINED)
    tokens = _behind_like(tokens[chained:])
    words = members = 0
    for token in tokens:
        if token in _JOINTS:
            members += words > 0
            if words > _MEMBER or members > _MOST_MEMBERS:
                return False
            words = 0
        elif token in _TURNS or words == _LAST:
            return False
        else:
            words += 1
    return True


def _behind_like(tokens: list[str]) -> list[str]:
    """What follows `lines such as` or `like`; all of the words without them."""
    if "like" in tokens[:2]:
        return tokens[tokens.index("like") + 1 :]
    return tokens[3:] if tokens[1:3] == ["such", "as"] else tokens


_ANY_ORDER = re.compile(
    r"(?<!\w)(?:any\sorder|in\sturns?|tak(?:e|ing)\sturns|alternat\w{1,4}|as\soften|repeat\w{0,4}|order\sdoesn't)(?!\w)"
)
_NOTHING_FIRST = re.compile(
    r"(?<!\w)(?:nothing|no\s(?:other\s)?(?:text|words?|intro)|not\sa\sword|don't\swrite\sanything|without\sanything)"
    r"[\w\s]{0,20}(?:before|above|ahead|in\sfront|on\stop|preceding|first)(?!\w)"
    r"|(?<!\w)no\s(?:lead-in|intro(?:duction)?|preamble)(?!\w)|(?<!\w)(?:begin|start)\s(?:straight|right|directly)(?!\w)"
)
_MARKED = r"[\"”'’`:\]]"
_MOST_APART = 24
_GOES_ON = re.compile(r"[\s\"”'’`:\]]{0,4}(?:,|and|then|/|\+)[\s\"“]{0,3}[A-Z][\w ]{0,20}:")
"""Behind the last label, another one."""


def _labels(query: Query, change: QueryChange) -> Iterator[Heard]:
    """The labels one after the other, with their colons or in their own capitals."""
    if change.group != "labels":
        return
    params = change.params
    spans = _in_a_row(query.text, list(literals_of(params))) or _from_first_to_last(query.text, params)
    if not spans or is_denied_here(query, spans[0][0], spans[0][0]) or _GOES_ON.match(query.text, spans[-1][1]):
        return
    if "noun" in params and f"{params['noun']} {params['count'] + 1}".casefold() in query.low:
        return
    told = {key: params[key] for key in ("labels", "noun", "count") if key in params}
    if _ANY_ORDER.search(query.shadow):
        told |= {"order": "any", "repeat": True}
    if _NOTHING_FIRST.search(query.shadow):
        told |= {"only": True}
    yield told, spans[0][0], spans[-1][1]


def _from_first_to_last(text: str, params: Params) -> list[tuple[int, int]]:
    """`Option 1 all the way to Option 10`; empty if it is not said."""
    if "noun" not in params:
        return []
    noun = re.escape(params["noun"])
    found = re.search(
        rf"(?<!\w){noun}\s1(?!\d).{{0,60}}?(?:to|through|till|until|–|-|…|\.\.)\W{{0,6}}(?:{noun}\s)?{params['count']}(?!\d)",
        text,
        re.IGNORECASE,
    )
    return [found.span()] if found else []


def _in_a_row(text: str, labels: Sequence[str]) -> list[tuple[int, int]]:
    """Where the labels stand one after the other, each marked as one or in its own capitals; empty if they do not."""
    spans: list[tuple[int, int]] = []
    at = 0
    for label in labels:
        bare = label.rstrip(":")
        found = re.compile(rf"(?<!\w){re.escape(bare)}(?!\w){_MARKED}{{0,3}}").search(text, at)
        if found is None:
            found = re.compile(rf"(?<!\w){re.escape(bare)}{_MARKED}{{1,3}}", re.IGNORECASE).search(text, at)
        if found is None:
            return []
        spans.append(found.span())
        at = found.end()
    close = all(low - high <= _MOST_APART for (_, high), (low, _) in pairwise(spans))
    return spans if close and (len(spans) > 1 or text[spans[0][1] - 1] in ':"”]') else []


_ONE_OF = re.compile(r"(?<!\w)(?:one\sof|either|or|any\sof)(?!\w)")
_AT_AN_EDGE = re.compile(r"(?<!\w)(?:closing|last|final|first|opening)\s(?:words?|thing)(?!\w)")
_BUT_NOT = re.compile(r"(?<!\w)(?:not|no|without|except|never|minus)(?!\w)")
_TIMES = re.compile(r"(?<!\w)(?:(?<!at least )once|twice|thrice|times|\d{1,2}x)(?!\w)")
_TO_OCCUR = re.compile(
    r"(?<!\w)(?:words?|terms?|phrases?|mention(?:s|ed|ing)?|includ(?:e|es|ing)|use|using|say|work|get|put|appear|show|come|have|has|fit|"
    r"feature|in\s(?:it|there|somewhere)|must|slip|drop|name)(?!\w)"
)
_MORE_WORDS = re.compile(
    rf"[\"”'’`\s]{{0,3}},?\s{{1,3}}(?:and|plus|&)\s{{1,3}}[\"“'‘`]?[\w{MASK}-]{{2,30}}[\"”'’`]?\s{{0,3}}(?:$|[.;!?]|(?:have|has|must|should|somewhere|too)(?!\w))"
)


def _words(query: Query, change: QueryChange) -> Iterator[Heard]:
    """Words that are to occur, quoted or not, next to a verb that says so."""
    if change.group != "existence" or len(change.params) != 1:
        return
    counts = change.params.get("at_least") or dict.fromkeys(change.params.get("any_of", ()), 1)
    if set(counts.values()) != {1}:
        return
    spans = [next(iter(query.find(word)), None) for word in counts]
    found = sorted(span for span in spans if span is not None)
    gaps = [(high, low) for (_, high), (low, _) in pairwise(found)]
    if len(found) < len(counts) or any(low - high > _MOST_APART for high, low in gaps):
        return
    if any(_BUT_NOT.search(query.shadow, high, low) for high, low in gaps):
        return
    start, end = found[0][0], found[-1][1]
    low, high = query.sentence(start)
    around = query.shadow[max(low, start - _REACH) : min(high, end + _REACH)]
    if _TIMES.search(around) or not _TO_OCCUR.search(around) or _MORE_WORDS.match(query.shadow, end):
        return
    if is_denied_here(query, start, end) or _AT_AN_EDGE.search(around):
        return
    is_choice = len(counts) > 1 and _ONE_OF.search(around)
    yield {"any_of": list(counts)} if is_choice else {"at_least": dict(counts)}, start, end


_UNITS = (("sentence", r"sentences?"), ("paragraph", r"paragraphs?|paras?"), ("line", r"lines?|rows?"),
          ("item", r"(?:list\s)?items?|bullets?(?:\spoints?)?|points?|entry|entries"))  # fmt: skip
_A_UNIT = re.compile("|".join(rf"(?P<{name}>(?<!\w)(?:{words})(?!\w))" for name, words in _UNITS))
_MEASURE = re.compile(r"\s?(word|sentence|character)s?(?!\w)")


def _parts(query: Query, change: QueryChange) -> Iterator[Heard]:
    """A number of words, sentences or characters beside the part that keeps it."""
    if change.group != "part_length":
        return
    for quantity in quantities(query):
        measure = _MEASURE.match(query.shadow, quantity.end)
        if measure is None:
            continue
        for part in _A_UNIT.finditer(query.shadow, *query.sentence(quantity.start)):
            if not quantity.start <= part.start() < measure.end():
                told = {"unit": part.lastgroup, "measure": f"{measure[1]}s", **relation_of(quantity)}
                yield told, min(part.start(), quantity.start), max(part.end(), measure.end())


def _marks(query: Query, change: QueryChange) -> Iterator[Heard]:
    """The very mark that is not wanted: `no — dashes`."""
    if change.group != "punctuation" or change.params.get("mode") != "exclude":
        return
    mark = change.params["mark"]
    names = "|".join(name for name, called in MARK_NAMES.items() if called == mark) or r"(?!)"
    shown = rf"(?<!\S)[\"“'‘(]?{re.escape(mark)}[\"”'’)]?s?(?!\S)"
    for match in re.finditer(rf"{shown}|(?<!\w)(?:{names})(?!\w)", query.low):
        if is_denied_here(query, *match.span()):
            yield {"mode": "exclude", "mark": mark}, *match.span()


_HASHES = re.compile(r"(?<!\S)[\"“'`]?(#{1,6}|h[1-6])[\"”'`]?(?!\w)", re.IGNORECASE)


def _levels(query: Query, change: QueryChange) -> Iterator[Heard]:
    """Levels of headings as they are marked: `use ## and ###`."""
    if change.group != "headings" or "levels" not in change.params:
        return
    found = list(_HASHES.finditer(query.text))
    if found and not is_denied_here(query, *found[0].span()):
        levels = {len(one[1]) if one[1][0] == "#" else int(one[1][1]) for one in found}
        yield {"levels": sorted(levels)}, found[0].start(), found[-1].end()


_AROUND = re.compile(
    r"(?<!\w)(?:between|around|wrap(?:ped)?|enclosed?|surround(?:ed)?|in\sfront\sof\s(?:it|everything|all)|"
    r"before\s(?:it|everything)|front\sand|open\swith|both\sends)(?!\w)"
)


def _wrapped(query: Query, change: QueryChange) -> Iterator[Heard]:
    """The two that everything stands between, in that order: `put BEGIN in front of everything and END after it`."""
    if change.group != "wrap":
        return
    left, right = change.params["left"], change.params["right"]
    start = query.text.find(left)
    end = query.text.find(right, start + len(left)) if start >= 0 else -1
    if end < 0 or left == right or is_denied_here(query, start, start + len(left)):
        return
    if _AROUND.search(query.shadow, *query.sentence(start)):
        yield {"left": left, "right": right}, start, end + len(right)


_REASON = re.compile(r"(?<!\w)(?:reasons?|why|explain|explanation|justify|justification|because)(?!\w)")
_BELOW = re.compile(
    r"(?<!\w)(?:below|beneath|under(?:neath)?|next\sline|second\sline|new\sline|after(?:wards)?|then)(?!\w)"
)


def _reasoned(query: Query, change: QueryChange) -> Iterator[Heard]:
    """The options with a reason below them."""
    params = change.params
    if change.group != "choice" or not params.get("reason") or params.get("mode") != "options":
        return
    spans = [next(iter(query.find(option)), None) for option in params["options"]]
    found = [span for span in spans if span is not None]
    if len(found) == len(params["options"]) and _REASON.search(query.shadow) and _BELOW.search(query.shadow):
        yield dict(params), min(found)[0], max(found)[1]
