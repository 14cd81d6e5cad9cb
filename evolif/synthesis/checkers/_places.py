"""Reads places: a word in every paragraph, a word as n-th word, an acrostic; and rules on sentences."""

from __future__ import annotations

import re

from evolif.domain import Finding
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._counted import MAX_WORDS, QUESTIONS, read_counted
from evolif.synthesis.checkers._cues import whole_words
from evolif.synthesis.checkers._numbers import find_ordinals
from evolif.synthesis.checkers._removal import is_lifted, removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._stance import stance_of

_EVERY = whole_words(
    [
        "(each|every|all) of( \\w+){0,3} paragraphs?",
        "(every|each|all)( single| of the| the| my| your| and every)* paragraphs?",
        "paragraph by paragraph",
        "(no|not (a|one)( single)?) paragraph( \\w+){0,3}? without",
        "throughout the paragraphs",
        "all paragraphs",
    ]
)
_ACROSTIC = whole_words(["acrostics?", "spell(s|ed|ing)?( out)?", "first letters?", "initial letters?", "initials"])
_WORD_AT = whole_words(["words?", "place", "position", "spot", "slot"])
_NOUNS = whole_words(
    [
        "acrostics?",
        "position",
        "placement",
        "(every|each|all)( \\w+){0,2} paragraphs?",
        "first letters?",
        "initials",
        "spell\\w*",
        "\\w+(th|st|nd|rd|first|second|third) word",
        "word (number|position|order)",
        "fixed (place|position|spot)",
    ]
)


def read_placement(query: Query, change: Change) -> list[Finding]:
    """Findings on where a word stands."""
    params = change.after if change.kind != "remove" else change.before
    assert params is not None  # one of the two is there
    value = str(params.get("value") or params.get("word"))
    places = query.find(value)
    if params["mode"] == "acrostic" and not places:
        letters = re.compile(r"(?<!\w)" + r"[\W_]{1,4}".join(value.lower()) + r"(?!\w)")
        places = [m.span() for m in letters.finditer(query.low)]
    if change.kind == "remove":
        if any(is_lifted(query, *place) or stance_of(query, *place) == "lift" for place in places):
            return []
        if change.keywords and not places:
            wrong = [(s, e) for q in query.quotations for s, e in [(q.start, q.end)] if is_lifted(query, s, e)]
            if wrong:
                return [missing(change, f"it lifts something else than “{value}”", wrong[0])]
        return removed(query, change, _NOUNS, [])
    same = change.before is not None and value in (change.before.get("value"), change.before.get("word"))
    wanted = [p for p in places if same or role_of(query, *p, in_list=True) != "old"]
    if not wanted:
        return [missing(change, f"it does not name “{value}”", *places)]
    if stance_of(query, *wanted[0]) == "forbid" and not re.search(r"paragraph\s+(?:\w+\s+){0,3}?without", query.shadow):
        return [missing(change, f"it forbids “{value}”", wanted[0])]
    return _mode(query, change, params["mode"], params, wanted) or _others(query, change, value)


def _mode(query: Query, change: Change, mode: str, params: object, wanted: list[tuple[int, int]]) -> list[Finding]:
    same = change.before is not None and change.before.get("mode") == mode
    if mode == "every_paragraph" and not same and not _new(query, _EVERY):
        return [missing(change, "it does not say that the word belongs into every paragraph")]
    if mode == "acrostic" and not same and not _spells(query):
        return [missing(change, "it does not say that the first letters of the paragraphs spell the word")]
    if mode == "nth_word":
        assert change.after is not None
        position = change.after["position"]
        asked = [o for o in find_ordinals(query.shadow) if role_of(query, o.start, o.end) == "new"]
        counted = re.search(
            rf"(?:word|number|position|place)\s+(?:number\s+|no\.?\s+|#\s?)?(\d+|{_SPELLED})(?!\w)", query.shadow
        )
        right = [o for o in asked if o.value == position and _is_place(query, o.end)]
        if not right and not (counted and _as_number(counted[1]) == position):
            return [
                missing(
                    change,
                    f"it does not say that the word is word number {position}",
                    *((o.start, o.end) for o in asked[:1]),
                )
            ]
        wrong = [
            o
            for o in asked
            if o.value != position
            and re.match(r"\s+(?:word|place|position)", query.shadow[o.end :])
            and o.value != (change.before or {}).get("position")
        ]
        if wrong:
            return [missing(change, "it names another position, too", (wrong[0].start, wrong[0].end))]
    return []


def _spells(query: Query) -> bool:
    """An acrostic, or the first letters of the paragraphs."""
    if re.search(r"(?<!\w)(?:last|final)\s+letters?", query.shadow) and not re.search(
        r"(?<!\w)(?:first|initial)", query.shadow
    ):
        return False
    if re.search(r"(?<!\w)acrostic", query.shadow):
        return True
    first = re.search(
        r"(?<!\w)(?:first|initial|opening|starting)\s+(?:letter|character)|(?<!\w)initials|letters?\s+(?:\w+\s+){0,4}(?:start|begin|open)|(?:start|begin|open)\w*\s+(?:\w+\s+){0,8}letters?",
        query.shadow,
    )
    return first is not None and re.search(r"(?<!\w)paragraphs?", query.shadow) is not None


_SPELLED = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"


def _is_place(query: Query, end: int) -> bool:
    """Whether an ordinal counts words, not paragraphs or sentences."""
    return (
        re.match(
            r"(?:\s+[\w-]+){0,3}?\s+(?:words?|place|position|spot|slot)(?!\w)|\s*[,.;:!?]|\s*$|\s+(?:now|instead|rather|from|in)(?!\w)",
            query.shadow[end:],
        )
        is not None
    )


def _as_number(text: str) -> int:
    return int(text) if text.isdigit() else _SPELLED.split("|").index(text) + 1


def _new(query: Query, pattern: re.Pattern[str]) -> bool:
    return any(role_of(query, *m.span()) == "new" for m in pattern.finditer(query.shadow))


def _others(query: Query, change: Change, value: str) -> list[Finding]:
    """Another keyword of the topic in the same place."""
    old = str((change.before or {}).get("value") or (change.before or {}).get("word") or "")
    elsewhere = " ".join(str(p).casefold() for _, p in change.others)
    known = {k.casefold() for k in change.keywords}
    for q in query.quotations:
        text = q.text.casefold()
        if (
            text in known
            and text not in (value.casefold(), old.casefold())
            and text not in elsewhere
            and role_of(query, q.start, q.end) == "new"
        ):
            return [missing(change, f"it also places “{q.text}”", (q.start, q.end))]
    return []


_DIFFERENT = whole_words(
    [
        "share( \\w+){0,3} (words?|start|beginning|opening)",
        "different( \\w+){0,3} words?",
        "new( \\w+)? word",
        "same (first |opening |initial |starting )?word",
        "distinct( \\w+){0,3} words?",
        "unique( \\w+){0,3} words?",
        "(another|own|fresh)( \\w+){0,2} word",
        "not repeat( \\w+){0,4}",
        "never repeat( \\w+){0,4}",
        "(differ|vary|varied|differently|alike|the same way|repeat\\w*|twice|repetition)",
        "word (that )?no other( \\w+)?",
        "must(n't| not) (begin|start|open)( with)? (another|a second|any other)( \\w+)?",
        "different (starts?|starters?|openers?|openings?|beginnings?)",
        "(unique|distinct|own|different) (starts?|starters?|openers?|openings?|beginnings?)",
    ]
)
_STARTS = whole_words(
    [
        "start(s|ed|ing|ers?)?",
        "beg(in|ins|an|inning|innings)",
        "open(s|ing|ings|ers?)?",
        "commenc\\w+",
        "first words?",
        "lead(s|ing)?( with)?",
        "kick(s)? off",
        "opening words?",
    ]
)
_SENTENCE = whole_words(["sentences?"])
_DISTINCT_NOUNS = whole_words(
    [
        "different( \\w+){0,3} (words?|starts?|starters?|openers?|beginnings?|openings?)",
        "(sentence|distinct|unique)( \\w+)? (starts?|starters?|openers?|beginnings?|openings?)",
        "same( \\w+)? word",
        "vary\\w*",
        "first words?",
        "how( \\w+){0,2} sentences? (start|begin|open)s?",
        "repeat\\w*",
    ]
)


_ALIKE = whole_words(
    [
        "(fine|ok|okay|allowed|right|alright) (for|if)( \\w+){0,3} (start|begin|open)( \\w+){0,3} (same|alike|however|any)( \\w+)?",
        "(may|can|could|might)( \\w+){0,2} (start|begin|open)( \\w+){0,3} (same|alike|however|any)( \\w+)?",
    ]
)


def read_sentences(query: Query, change: Change) -> list[Finding]:
    """Findings on rules about sentences."""
    params = change.after if change.kind != "remove" else change.before
    assert params is not None  # one of the two is there
    if params["mode"] == "max_words":
        return read_counted(query, change, MAX_WORDS)
    if params["mode"] == "questions":
        return read_counted(query, change, QUESTIONS)
    if change.kind == "remove":
        return removed(query, change, _DISTINCT_NOUNS, [], _ALIKE)
    shadow = query.shadow
    said = [
        m
        for m in _DIFFERENT.finditer(shadow)
        if _STARTS.search(shadow, *query.sentence(m.start())) and _SENTENCE.search(shadow, *query.sentence(m.start()))
    ]
    fine = ("new", "was") if change.kind == "add" else ("new",)
    if not any(role_of(query, *m.span()) in fine for m in said):
        return [missing(change, "it does not say that every sentence starts with a different word")]
    for match in said:
        same = re.match(r"same|alike|repeat|twice|the same|share", match.group()) is not None
        denied = (
            re.search(
                r"(?:\bno\b|\bnot\b|n't|\bnever\b|\bwithout\b|\bnor\b|\bavoid)",
                shadow[query.sentence(match.start())[0] : match.end()],
            )
            is not None
        )
        if same != denied and same:
            return [missing(change, "it asks for the same word, not for different ones", match.span())]
        if (
            denied
            and not same
            and not re.match(r"not|never|must|word (?:that )?no", match.group())
            and re.search(r"(?:no|not|n't|never)\s+(?:\w+\s+){0,5}(?:different|new|distinct|unique)", shadow)
        ):
            return [missing(change, "it does not ask for different words", match.span())]
    return []
