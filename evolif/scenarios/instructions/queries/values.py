"""Reads one value out of a short list: a tone, an audience, a style, a language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from evolif.scenarios.instructions.queries.change import Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import Said, compare, finding, removed
from evolif.scenarios.instructions.queries.numbers import find_ages, find_numbers, find_shares, is_measured
from evolif.scenarios.instructions.queries.polarity import is_denied, role_of
from evolif.scenarios.instructions.queries.reader import Reader
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import cues, heard, whole_words
from evolif.scenarios.instructions.turns import Finding, Params


class ChoiceReader(Reader):
    """Reads a value out of a list.

    Args:
        group: The group.
        key: The parameter that holds the value.
    """

    def __init__(self, group: str, key: str) -> None:
        super().__init__(group)
        self._key = key

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every value that is named; a number alone is an age where the audience changes and only the old is named."""
        named = choices(query, self.group)
        if self.group != "audience" or not change.is_known or change.kind == "remove":
            return named
        old = (change.before or {}).get(self._key)
        if any(one.value != old for one in named):
            return named
        return sorted({one.span: one for one in (*named, *find_ages(query, alone=True))}.values(), key=_order)

    def claim(self, query: Query, said: Said) -> Claim | None:
        """A value in a frame that asks for it, or one that is ruled out."""
        if said.role == "old" and _is_ruled_out(query, self.group, said.start):
            return Claim(self.group, "forbid", {self._key: said.value}, said.span)
        framed = said.role == "new" and is_framed(query, self.group, *said.span) and not query.is_quoted(said.start)
        return Claim(self.group, "require", {self._key: said.value}, said.span) if framed else None

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on a value."""
        return _compare_choice(query, change, said, self._key)


def _is_ruled_out(query: Query, group: str, start: int) -> bool:
    vocabulary = heard(group)
    if "plain" not in vocabulary or "ruled_out" not in vocabulary.keys("plain"):
        return False
    return vocabulary.before("plain", "ruled_out").search(query.shadow, max(0, start - _NEAR), start) is not None


def _compare_choice(query: Query, change: QueryChange, claims: Sequence[Said], key: str) -> list[Finding]:
    def says(value: str, params: Params) -> bool:
        return bool(value == params[key])

    demand = f"“{change.params[key]}” ({change.group})"
    if change.kind != "remove":
        claims = _without_asides(query, change, claims, says)
        return compare(query, change, claims, says, demand)
    vocabulary = heard(change.group)
    free = vocabulary.anywhere("free") if "free" in vocabulary else None
    return removed(query, change, vocabulary.anywhere("nouns"), claims, free, says, demand)


def _without_asides(
    query: Query, change: QueryChange, claims: Sequence[Said], says: Callable[[str, Params], bool]
) -> list[Said]:
    """The claims without those that only tell why: `for teens. I'm reading it out at my nan's birthday`."""
    wanted = {query.sentence_number(c.start) for c in claims if c.role == "new" and says(c.value, change.params)}
    known = (change.params, change.before or change.params)
    return [
        c
        for c in claims
        if not wanted
        or query.sentence_number(c.start) in wanted
        or any(says(c.value, params) for params in known)
        or is_framed(query, change.group, *c.span)
    ]


_NEAR = 60
"""Characters in front of a value that belong to its frame."""


def is_framed(query: Query, group: str, start: int, end: int) -> bool:
    """Whether the words before a value of a list, or those behind it, make it a demand on the text.

    Args:
        query: The query.
        group: The value's group.
        start: Where the value starts.
        end: Where it ends.
    """
    vocabulary = heard(group)
    low = max(query.sentence(start)[0], start - _NEAR)
    if "plain" not in vocabulary:  # a group that comes from elsewhere
        return True
    if "unless" in vocabulary.keys("plain") and vocabulary.after("plain", "unless").match(query.shadow, end):
        return False
    before = vocabulary.framed("plain", "before", right="( <plain_fill>){0,5}( )?[\"'“‘]?$")
    if before.search(query.shadow, low, start):
        return True
    if group == "audience":
        later = vocabulary.framed("plain", "later", left="[,;]?( )")
        if _opens_for(query, start, end) or later.match(query.shadow, end):
            return True
    elif _is_alone(query, start, end) or _is_joined(query, start, end):
        return True
    after = vocabulary.framed("plain", "after", left="[\"'”’]?( )?")
    return after.match(query.shadow, end) is not None


def _opens_for(query: Query, start: int, end: int) -> bool:
    """Whether a whole segment only says for whom the text is: `For the little ones, please`."""
    first, last = query.segment(start)
    lead = cues().framed("beside", "readers", left=r"\W*", right=r"\W*")
    rest = cues().framed("beside", "alone", left=r"\W*", right=r"\W*")
    behind = query.shadow[end:last]
    told = not behind.strip(" .,;:!?-") or rest.fullmatch(behind) is not None
    return told and lead.fullmatch(query.shadow, first, start) is not None


def _is_alone(query: Query, start: int, end: int) -> bool:
    """Whether a value makes up a whole segment: `Markdown, for adults, under six paragraphs`."""
    low, high = query.segment(start)
    before, behind = query.shadow[low:start], query.shadow[end:high]
    around = cues().framed("beside", "alone", left=r"\W*(", right=r"\W*){1,3}")
    return all(not part.strip(" .,;:!?-") or around.fullmatch(part) for part in (before, behind))


def _is_joined(query: Query, start: int, end: int) -> bool:
    """Whether a value ends a segment as a demand of its own: `ten lines and super formal`, `… n formal pls`."""
    low, high = query.segment(start)
    if cues().anywhere("beside", "somebody").search(query.shadow, max(low, start - _NEAR), start):
        return False
    behind = query.shadow[end:high].strip(" .,;:!?-")
    asked = cues().framed("beside", "please", left=r"\W*", right=r"\W*").fullmatch(behind) is not None
    if behind and not asked:
        return False
    lead = cues().before("beside", "joined").search(query.shadow, low, start)
    return lead is not None or (
        asked and cues().before("beside", "joined_please").search(query.shadow, low, start) is not None
    )


def choices(query: Query, group: str) -> list[Said]:
    """The values of a group that the query names, in order, each with its role."""
    vocabulary = heard(group)
    claims = []
    for value in vocabulary.keys("values"):
        for match in vocabulary.anywhere("values", value).finditer(query.low):
            if not _is_somebody(query, group, match):
                role = "old" if is_denied(query, *match.span()) else role_of(query, *match.span())
                claims.append(Said(value, *match.span(), role))
    if group == "audience":
        claims = _denied_whole(query, [*claims, *find_ages(query)])
    claims.sort(key=_order)
    outermost: list[Said] = []
    for claim in claims:  # "older adults" is one audience, not two
        if not outermost or claim.start >= outermost[-1].end:
            outermost.append(claim)
    return outermost


def _order(said: Said) -> tuple[int, int]:
    return said.start, -said.end


def _is_somebody(query: Query, group: str, match: re.Match[str]) -> bool:
    """`a happy child` is somebody, not a tone."""
    people = heard(group)
    return "bearers" in people and people.after("bearers").match(query.shadow, match.end()) is not None


def _denied_whole(query: Query, claims: Sequence[Said]) -> list[Said]:
    """`not for young people of 15 to 24`: the ages are denied with the people."""
    denied = {(c.value, query.sentence_number(c.start)) for c in claims if is_denied(query, *c.span)}
    return [replace(c, role="old") if (c.value, query.sentence_number(c.start)) in denied else c for c in claims]


# Reads upper and lower case.


class CaseReader(Reader):
    """Reads letter case: of the whole text, or a share of capitals."""

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every case that is named, and every share."""
        shares = find_shares(query, lone=(change.before or {}).get("mode") == "share")
        whole = [c for c in _whole(query, change) if not any(is_measured(query, c, share) for share in shares)]
        return sorted([*shares, *whole], key=lambda claim: claim.start)

    def claim(self, query: Query, said: Said) -> Claim | None:
        """A share, or a case of the whole text; not a word on capitals in passing."""
        mode, percent = said.value
        if said.role != "new" or (mode != "share" and not _is_of_all(query, said)):
            return None
        return Claim("case", "require", {"mode": mode} | ({} if percent is None else {"percent": percent}), said.span)

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on letter case."""
        plain = {c.span for c in said if self.claim(query, c) is not None}
        return _compare_case(query, change, list(said), plain)


def _compare_case(query: Query, change: QueryChange, claims: list[Said], plain: set[tuple[int, int]]) -> list[Finding]:
    params = change.params
    if change.kind == "remove":
        vocabulary = heard("case")
        claims = [c for c in claims if c.value[0] == "share" or params["mode"] != "share"]
        claims = [c for c in claims if _says(c.value, params) or not _is_permitted(query, c.start)]
        return removed(
            query, change, vocabulary.anywhere("nouns"), claims, vocabulary.anywhere("free"), _says, _demand(params)
        )
    if any(c.span in plain and c.role == "new" and _says(c.value, params) for c in claims):
        claims = [
            c for c in claims if c.span in plain or _says(c.value, params)
        ]  # "caps read as angry. All lower case."
    if params["mode"] == "share":  # a case is then what the share is one of
        claims = [c for c in claims if c.value[0] == "share" or c.role == "old"]
    return compare(query, change, claims, _says, _demand(params))


def _whole(query: Query, change: QueryChange) -> list[Said]:
    """Cases of the whole text; a case that is denied asks for the other one, if the query asks for any."""
    vocabulary, shadow = heard("case"), query.shadow
    claims = []
    for case, other in (("upper", "lower"), ("lower", "upper")):
        for match in vocabulary.anywhere("values", case).finditer(shadow):
            start, end = match.span()
            if vocabulary.before("both").search(shadow, max(0, start - 24), start):
                continue
            if vocabulary.after("both_after").match(shadow, end):
                continue  # "upper and lower case" names the thing, not a value
            dropped = change.kind != "remove" and _is_dropped(query, start, end)
            denied = dropped or (change.kind != "remove" and is_denied(query, start, end))
            role = "new" if dropped else role_of(query, start, end)
            if denied and vocabulary.before("none_of").search(shadow, max(0, start - 30), start):
                role = "new"
            claims.append(Said((f"all_{other if denied else case}", None), start, end, role))
    return claims


def _is_permitted(query: Query, start: int) -> bool:
    """`feel free to use small letters again`: not the case that is lifted, but what it ruled out."""
    vocabulary = heard("case")
    if vocabulary.anywhere("ban").match(query.shadow, start):
        return True
    return vocabulary.before("permitted").search(query.shadow, max(0, start - 40), start) is not None


def _is_dropped(query: Query, start: int, end: int) -> bool:
    """`lose the capitals`, `those capitals have to go`: asks for the other case."""
    vocabulary = heard("case")
    if vocabulary.before("needless").search(query.shadow, max(0, start - 40), start):
        return False
    if vocabulary.before("dropped").search(query.shadow, max(0, start - 60), start):
        return True
    return vocabulary.after("dropped_after").match(query.shadow, end) is not None


def _says(value: tuple[str, object], params: Params) -> bool:
    kind, share = value
    return bool(params["mode"] == kind and (kind != "share" or share == params["percent"]))


def _is_of_all(query: Query, said: Said) -> bool:
    """Whether a case is said to be that of the whole text."""
    vocabulary = heard("case")
    if vocabulary.anywhere("either").search(query.shadow, max(0, said.start - 16), said.end + 8):
        return False
    low = max(query.sentence(said.start)[0], said.start - 24)
    return vocabulary.anywhere("whole").search(query.shadow, low, _end(query, said)) is not None


def _end(query: Query, claim: Said) -> int:
    """A few words behind a claim, within its sentence."""
    return max(claim.end, min(claim.end + 24, query.sentence(claim.start)[1]))


def _demand(params: Params) -> str:
    if params["mode"] == "share":
        return f"about {params['percent']} % capitals"
    return "every letter in upper case" if params["mode"] == "all_upper" else "every letter in lower case"


# Reads groups that come from elsewhere: every value of the constraint has to be named.


class ForeignReader(Reader):
    """Reads a group that has no reader of its own.

    A group whose vocabulary lists its values (`heard: values:` in its data file) is read like a tone or a style. Of any
    other, all numbers and texts of its new parameters have to be named; a removal names the group or a text of it.
    """

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """The values of a list that are named; of other parameters nobody knows what they sound like."""
        return choices(query, self.group) if change.is_known and _listed(change) else []

    def claim(self, query: Query, said: Said) -> Claim | None:
        """Nothing: what makes a value of such a group a demand is not known."""
        return None

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on a value of a list, or on the parameters."""
        key = _listed(change)
        return _compare_choice(query, change, said, key) if key else _compare_values(query, change)


def _compare_values(query: Query, change: QueryChange) -> list[Finding]:
    vocabulary = heard(change.group)
    if change.kind == "remove":
        values = [_pattern(v) for v in _values(change.params) if isinstance(v, str)]
        nouns = vocabulary.fragments("nouns") if "nouns" in vocabulary else ()
        names = whole_words([change.group.replace("_", "[ _-]"), *values, *nouns])
        return removed(query, change, names, free=vocabulary.anywhere("free") if "free" in vocabulary else None)
    old = list(_values(change.before or {}))
    for value in _values(change.params):
        if value not in old and not _named(query, value):
            return [finding("missing", change, f"it does not name “{value}”")]
    return []


def _listed(change: QueryChange) -> str | None:
    """The parameter whose value the group's vocabulary lists."""
    vocabulary = heard(change.group)
    if "values" not in vocabulary or "nouns" not in vocabulary:
        return None
    values = vocabulary.keys("values")
    return next((key for key, value in change.params.items() if value in values), None)


def _named(query: Query, value: object) -> bool:
    if isinstance(value, int):
        spans = [(n.start, n.end) for n in find_numbers(query.low) if n.value == value]
    else:
        spans = query.find(str(value).replace("_", " "))
    return any(role_of(query, *span) != "old" for span in spans)


def _values(params: Params) -> Iterator[Any]:
    """Numbers and texts inside parameters, depth first."""
    for value in params.values():
        yield from _flat(value)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _flat(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _flat(inner)
    elif isinstance(value, (int, str)) and not isinstance(value, bool):
        yield value


def _pattern(value: str) -> str:
    return re.escape(value.casefold()).replace(r"\ ", " ")


# Reads the keys or columns that go with a format: all of them, no other, columns in their order.

_ITEM = re.compile(r"(?!(?:though|please|thanks|too|then|only|complete)\b)[^\W_][\w-]*")
_TASK_ONLY = re.compile(r"[x\W\d_]+")
"""What is left of words of the task."""
_CONTINUES = re.compile(r"[\"'”’\s]{0,4}(?:,|,?\s{1,4}and|&)\s{1,4}(?:an?\s{1,4}|the\s{1,4})?[\"'“‘]?")
_ENDS = re.compile(r"[\"'”’]?\s{0,4}(?:[.;!?)]|$)")
_COMMA_BEFORE = re.compile(r"(?:,|(?<!\w)and|&)[\s\"'“‘]{0,6}$")
_COMMA_BEHIND = re.compile(r"[\s\"'”’]{0,6}(?:,|and(?!\w)|&|[.;!?)]|$)")
_TAIL = 40
"""Characters behind the last known name in which another one may follow."""


def read_parts(query: Query, change: QueryChange, names: Sequence[str]) -> list[Finding]:
    """Findings on the names of keys or columns.

    Args:
        query: The query.
        change: The change of the turn.
        names: All of them, in order.
    """
    places = [_place(query, name) for name in names]
    absent = [f"“{name}”" for name, place in zip(names, places, strict=True) if place is None]
    if absent:
        return [finding("missing", change, f"it does not name {', '.join(absent)}")]
    found = [place for place in places if place is not None]
    before = change.before or {}
    known = {name.casefold() for name in [*names, *(before.get("keys") or before.get("columns") or ())]}
    extra = _also_quoted(query, known) or _also_listed(query, found, known)
    if extra:
        return [finding("extra", change, f"it also names “{query.text[slice(*extra)]}”", extra)]
    if change.params["mode"] == "table" and found != sorted(found):
        return [finding("wrong", change, "it names the columns in another order", *found)]
    return []


def unasked_parts(query: Query, change: QueryChange) -> list[Finding]:
    """Names of keys or columns where the format has none to name; those of the format given up may be named."""
    before = change.before or {}
    old = {name.casefold() for name in (before.get("keys") or before.get("columns") or ())}
    if old and all(q.text.casefold().strip(" ,.;:") in old for q in query.quotations):
        return []
    for match in heard("format").anywhere("parts").finditer(query.shadow):
        if role_of(query, *match.span()) == "new":
            return [finding("extra", change, "it also names keys or columns", match.span())]
    return []


def _place(query: Query, name: str) -> tuple[int, int] | None:
    places = query.find(name)
    return next((p for p in places if role_of(query, *p, in_list=True) != "old"), None)


def _also_quoted(query: Query, known: set[str]) -> tuple[int, int] | None:
    for q in query.quotations:
        named = q.text.casefold().strip(" ,.;:") not in known and not _TASK_ONLY.fullmatch(q.text)
        if named and role_of(query, q.start, q.end, in_list=True) == "new":
            return q.start, q.end
    return None


def _also_listed(query: Query, found: Sequence[tuple[int, int]], known: set[str]) -> tuple[int, int] | None:
    """Another name inside the list of names, or at its end: `method, cost and smell`."""
    low, high = min(found)[0], max(found)[1]
    for match in _ITEM.finditer(query.low, low, min(len(query.low), high + _TAIL)):
        if match.group() in known or not _in_commas(query.low, match):
            continue
        last = match.start() > high
        if not last:
            return match.span()
        if _CONTINUES.fullmatch(query.low, high, match.start()) and _ENDS.match(query.low, match.end()):
            return match.span()
    return None


def _in_commas(text: str, item: re.Match[str]) -> bool:
    """Whether a word stands alone between the commas of a list."""
    before = _COMMA_BEFORE.search(text, max(0, item.start() - 12), item.start())
    return before is not None and _COMMA_BEHIND.match(text, item.end()) is not None


# Reads formats by their names.


class FormatReader(Reader):
    """Reads formats by their names, and the keys or columns that go with them."""

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every format that is named; tables only where the change knows them, as they may be part of the task."""
        modes = [(params or {}).get("mode") for params in (change.before, change.after)]
        headed = (modes[0] if change.kind == "remove" else modes[1]) == "table"
        return _formats(query, table="table" in modes, headed=headed)

    def claims(self, query: Query, said: Sequence[Said]) -> Iterator[Claim]:
        """Formats by name, and tables that are plainly asked for."""
        yield from super().claims(query, said)
        for match in heard("format").anywhere("table").finditer(query.shadow):
            if role_of(query, *match.span()) == "new" and not is_denied(query, *match.span()):
                yield Claim("format", "require", {"mode": "table"}, match.span())

    def claim(self, query: Query, said: Said) -> Claim | None:
        """A format in a frame that asks for it."""
        framed = said.role == "new" and is_framed(query, "format", *said.span) and not query.is_quoted(said.start)
        return Claim("format", "require", {"mode": said.value}, said.span) if framed else None

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on a format, and on its keys or columns."""
        return _compare_format(query, change, said)


def _compare_format(query: Query, change: QueryChange, claims: Sequence[Said]) -> list[Finding]:
    params, before = change.params, change.before or {}
    demand = f"the format {params['mode']}"
    if change.kind == "remove":
        vocabulary = heard("format")
        nouns, free = vocabulary.anywhere("nouns"), vocabulary.anywhere("free")
        return removed(query, change, nouns, claims, free, _says_format, demand)
    names = list(params.get("keys") or params.get("columns") or ())
    if change.kind == "modify" and names and before.get("mode") == params["mode"]:
        return read_parts(query, change, names)  # other keys of the same format: its name need not be said again
    findings = compare(query, change, claims, _says_format, demand)
    if findings:
        return findings
    return read_parts(query, change, names) if names else unasked_parts(query, change)


def _says_format(value: str, params: Params) -> bool:
    return bool(value == params["mode"])


def _formats(query: Query, *, table: bool, headed: bool) -> list[Said]:
    """Formats that the query names.

    Args:
        query: The query.
        table: Whether tables are read: elsewhere they may be part of the task.
        headed: Whether a table is asked for, which is a Markdown table.
    """
    vocabulary = heard("format")
    claims = []
    for mode in vocabulary.keys("values"):
        if (mode == "table" and not table) or (mode == "markdown" and headed):
            continue
        for match in vocabulary.anywhere("values", mode).finditer(query.low):
            role = "old" if is_denied(query, *match.span()) else role_of(query, *match.span())
            claims.append(Said(mode, *match.span(), role))
    return sorted(claims, key=lambda claim: claim.start)
