"""Reads formats: the format's name, and the keys or columns that go with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, Claim, compare, missing
from evolif.synthesis.checkers._cues import whole_words
from evolif.synthesis.checkers._removal import is_lifted, removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query

_NAMES: Mapping[str, re.Pattern[str]] = {
    "json": whole_words(["json"]),
    "xml": whole_words(["xml"]),
    "html": whole_words(["html5?", "hypertext markup( language)?"]),
    "csv": whole_words(["csv", "comma[- ]separated( values?| file| data| rows?)?"]),
    "markdown": whole_words(["markdown(?! tables?)", "md"]),
    "table": whole_words(
        [
            "markdown tables?",
            "tables?(?= (with|whose|headed|that|of|in|having|where|containing|made|called|titled|named)|[,:;.!?])",
        ]
    ),
}
_NOUNS = whole_words(
    [
        "formats?",
        "formatting",
        "mark-?up",
        "data format",
        "file format",
        "structured (output|format|data)",
        "(code )?fences?",
        "syntax",
        "tags?",
        "keys?",
        "columns?",
        "tables?",
    ]
)
_FREE = whole_words(
    [
        "(any|whatever) format",
        "format( is)? up to you",
        "(plain|ordinary|normal|regular) (text|prose|writing)( again| is fine)?",
        "however you like",
    ]
)
_DENIED = re.compile(
    r"(?:\bnot|n't|\bno|\bnever|\bwithout|\bavoid(?:ing)?|\bnon-?|\banything\s+(?:but|except)|\bexcept)(?:\s+(?:be|in|use|using|as|an?|any|the|valid|write|written|it|need|give|me|return|real|format|render|present|deliver|output|answer|reply|respond|response|provide|text|whole|entire|into|contain|giving|me|answer|except))*\s*[\"'“‘]?$"
)


def read_format(query: Query, change: Change) -> list[Finding]:
    """Findings on a format."""
    params = change.after if change.kind != "remove" else change.before
    assert params is not None  # one of the two is there
    claims = _claims(query, table=_is_table(change.before) or _is_table(change.after), headed=_is_table(change.after))
    if change.kind == "remove":
        findings = removed(query, change, _NOUNS, claims, _FREE, _says)
        lifted = [c for c in claims if is_lifted(query, c.start, c.end)]
        if not findings and lifted and not any(c.value == params["mode"] for c in lifted):
            return [
                missing(change, f"it lifts {lifted[0].value}, not {params['mode']}", (lifted[0].start, lifted[0].end))
            ]
        return findings
    names = list(params.get("keys") or params.get("columns") or ())
    if change.kind == "modify" and names and (change.before or {}).get("mode") == params["mode"]:
        return _names(query, change, names)  # other keys of the same format: its name need not be said again
    return (
        compare(query, change, claims, _says, f"the format {params['mode']}")
        or _names(query, change, names)
        or _unasked(query, change, names)
    )


def _is_table(params: Params | None) -> bool:
    return params is not None and params.get("mode") == "table"


def _says(value: str, params: Params) -> bool:
    return bool(value == params["mode"])


def _claims(query: Query, *, table: bool, headed: bool) -> list[Claim]:
    claims = []
    for mode, pattern in _NAMES.items():
        if (mode == "table" and not table) or (mode == "markdown" and headed):
            continue  # a table is a Markdown table
        for match in pattern.finditer(query.low):
            role = role_of(query, *match.span())
            if _DENIED.search(query.shadow, max(0, match.start() - 50), match.start()):
                role = "old"
            claims.append(Claim(mode, match.start(), match.end(), role))
    return sorted(claims, key=lambda claim: claim.start)


def _names(query: Query, change: Change, names: Sequence[str]) -> list[Finding]:
    """Whether all keys or columns are named, and no other in quotation marks."""
    if not names:
        return []
    absent = [name for name in names if not _wanted(query, name)]
    if absent:
        return [missing(change, f"it does not name {', '.join(f'“{name}”' for name in absent)}")]
    known = {
        name.casefold()
        for name in [*names, *((change.before or {}).get("keys") or (change.before or {}).get("columns") or ())]
    }
    extra = [
        q
        for q in query.quotations
        if q.text.casefold().strip(" ,.;:") not in known
        and any(c.isalnum() for c in q.text)
        and role_of(query, q.start, q.end, in_list=True) == "new"
    ]
    if extra:
        return [missing(change, f"it also names “{extra[0].text}”", (extra[0].start, extra[0].end))]
    unquoted = _listed_too(query, names, known)
    if unquoted:
        return [missing(change, f"it also names “{query.text[slice(*unquoted)]}”", unquoted)]
    if change.after is not None and change.after.get("mode") == "table":
        places = [next(p for p in query.find(name) if role_of(query, *p, in_list=True) != "old") for name in names]
        if places != sorted(places):
            return [missing(change, "it names the columns in another order", *places)]
    return []


def _listed_too(query: Query, names: Sequence[str], known: set[str]) -> tuple[int, int] | None:
    """Another name inside the list of names, or at its end: `method, cost and smell`."""
    places = [next((p for p in query.find(n) if role_of(query, *p, in_list=True) != "old"), None) for n in names]
    found = [p for p in places if p is not None]
    if not found:
        return None
    low, high = min(found)[0], max(found)[1]
    for match in _ITEM.finditer(query.low, low, min(len(query.low), high + 40)):
        last = match.start() > high
        if last and not _CONTINUES.fullmatch(query.low, high, match.start()):
            continue
        if (
            match.group() not in known
            and (not last or _ENDS.match(query.low, match.end()))
            and _in_commas(query.low, match)
        ):
            return match.span()
    return None


def _plain_claims(query: Query, change: Change) -> list[Claim]:
    return [
        c
        for c in _claims(query, table=False, headed=False)
        if _ASKED.search(query.shadow, max(0, c.start - 40), c.start)
    ]


_ASKED = re.compile(
    r"(?<!\w)(?:in|as|to|be|into|use|make\s+it|valid|proper|well-formed|and|with|strict|want|it's)(?:\s+(?:an?|the|valid|proper|strict|well-formed|clean|pure|plain|it))*\s*$"
)
format_claims = (_plain_claims, _says)
"""The claims on formats that are plainly demands, and what compares them."""
_CONTINUES = re.compile(r"[\"'”’\s]*(?:,|,?\s+and|&)\s+(?:an?\s+|the\s+)?[\"'“‘]?")
_ENDS = re.compile(r"[\"'”’]?\s*(?:[.;!?)]|$)")


def _in_commas(text: str, item: re.Match[str]) -> bool:
    """Whether a word stands alone between the commas of a list."""
    before, after = text[: item.start()].rstrip(" \"'“‘"), text[item.end() :].lstrip(" \"'”’")
    return bool(re.search(r"(?:,|(?<!\w)and|&)$", before)) and bool(re.match(r"(?:,|and(?!\w)|&|[.;!?)]|$)", after))


_ITEM = re.compile(r"[^\W_][\w-]*")
_KEYED = re.compile(r"(?<!\w)(?:keys?|columns?|headers?)(?!\w)[^.!?]{0,30}[\"“'‘]\ue000")


def _unasked(query: Query, change: Change, names: Sequence[str]) -> list[Finding]:
    """Names of keys or columns where the format has none to name."""
    for match in _KEYED.finditer(query.shadow):
        if not names and role_of(query, *match.span()) == "new":
            return [missing(change, "it also names keys or columns", match.span())]
    return []


def _wanted(query: Query, name: str) -> bool:
    return any(role_of(query, start, end, in_list=True) != "old" for start, end in query.find(name))
