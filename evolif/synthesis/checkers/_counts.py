"""Binds the counts of a query to the keywords they belong to: `“x” twice, and three times “y”`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evolif.synthesis.checkers._numbers import find_numbers
from evolif.synthesis.checkers._relations import _BEFORE
from evolif.synthesis.checkers._roles import Role, role_of
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._stance import Mention

_ADVERB = re.compile(r"(?<!\w)(once|twice|thrice)(?!\w)")
_ADVERBS = {"once": 1, "twice": 2, "thrice": 3}
_TIMES = re.compile(
    r"^[\s-]*(?:separate\s+|different\s+|distinct\s+|individual\s+|total\s+)?(?:times?|uses?|mentions?|occurrences?|instances?|appearances?|repetitions?|repeats|×|x(?!\w))(?!\w)"
)
_NOT_ONCE = re.compile(r"(?:\bat|\ball\s+at|\bfor|\bmore\s+than)\s+$")
_AGAIN = re.compile(r"\s+(?:more|again|upon|i|you|we|it|that)(?!\w)")
_LOOSE = {"most", "least", "less", "more", "vague"}


@dataclass(frozen=True, slots=True)
class Count:
    """A number of times, where the query says it."""

    start: int
    end: int
    value: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """A mention of a keyword with its count, if it has one."""

    mention: Mention
    count: int | None
    exact: bool
    role: Role
    start: int
    end: int
    direct: bool
    """Said right beside the keyword."""


def find_counts(query: Query) -> list[Count]:
    """All numbers of times, in order."""
    found = []
    for match in _ADVERB.finditer(query.shadow):
        if match[1] == "once" and (
            _AGAIN.match(query.shadow, match.end())
            or _NOT_ONCE.search(query.shadow, max(0, match.start() - 12), match.start())
        ):
            continue
        if match:
            found.append(
                Count(match.start(), match.end(), _ADVERBS[match[1]], _exact(query, match.start(), match.end()))
            )
    for number in find_numbers(query.shadow):
        if re.match(
            r"\s+(?:more|last|final|further)\s+(?:time|thing|word|request|point|go)", query.shadow[number.end :]
        ):
            continue
        times = _TIMES.match(query.shadow[number.end : number.end + 30])
        end = number.end + (times.end() if times else 0)
        found.append(Count(number.start, end, number.value, _exact(query, number.start, end)))
    return sorted(found, key=lambda count: count.start)


def _exact(query: Query, start: int, end: int) -> bool:
    before = _BEFORE.search(query.shadow[max(0, start - 40) : start])
    after = re.match(
        r"(?:\s+\w+){0,3}?\s*(?:or\s+(?:even\s+)?(?:more|fewer|less|so)|at\s+(?:least|most|a\s+minimum)|and\s+up|minimum|max(?:imum)?|tops)(?!\w)",
        query.shadow[end : end + 24],
    )
    return (before is None or before.lastgroup not in _LOOSE) and after is None


_PRE = re.compile(
    r"\s*(?:(?:full|different|separate|more|exact|such)\s+)?(?:(?:of|for|to|as|the|a|an|our|my|word|words|term|terms|phrase|phrases|keyword|keywords|expression|expressions|uses?|mentions?|times?|occurrences?|instances?|appearances?|editions?|repetitions?|in\s+total|both|each)\s*)*[\"'“‘`:]?\s*"
)
_BARE_PRE = re.compile(r"\s*[\"'“‘`]?\s*")
_LIST = re.compile(
    r"[\s,&\"'“”‘’`]*(?:(?:and|or|plus|as\s+well\s+as|the|words?|terms?|phrases?|keywords?|both|also)[\s,\"'“”‘’`]*)*"
)
_EACH = re.compile(r"^[\s\"'”’,]*(?:each|apiece|both|all)?[^.!?;]{0,30}?")
_POST_GAP = 70


def bind_counts(query: Query, mentions: Sequence[Mention]) -> list[Bound]:
    """Every mention with the counts that belong to it; one that has several appears several times."""
    counts = [c for c in find_counts(query) if not any(m.start <= c.start < m.end for m in mentions)]
    used: set[int] = set()
    pairs: dict[int, list[tuple[Count, bool]]] = {i: [] for i in range(len(mentions))}
    for i, mention in enumerate(mentions):  # "three uses of “x”"
        left = [c for c in counts if c.end <= mention.start and c.start not in used]
        if left and _adjacent(query, left[-1], mention):
            pairs[i].append((left[-1], True))
            used.add(left[-1].start)
    for i, mention in enumerate(mentions):  # "“x” exactly twice", "“x” from three times to five"
        stop = mentions[i + 1].start if i + 1 < len(mentions) else len(query.text)
        for count in counts:
            if (
                mention.end <= count.start < stop
                and count.start not in used
                and _reaches(query, mention.end, count.start)
            ):
                if pairs[i] and not _further(query, pairs[i][-1][0], count):
                    continue
                pairs[i].append((count, True))
                used.add(count.start)
    _share(query, mentions, pairs)
    _from_afar(query, mentions, counts, used, pairs)
    return [bound for i, mention in enumerate(mentions) for bound in _bounds(query, mention, pairs[i])]


def _adjacent(query: Query, count: Count, mention: Mention) -> bool:
    gap = query.shadow[count.end : mention.start]
    word = query.shadow[count.start : count.end]
    named = re.search(r"times?|uses?|mention|occurr|instanc|appear|repet|once|twice|thrice|×", word) is not None
    if named and not re.search(r"(?<!\w)of(?!\w)", gap):
        # "use “a” twice “b” once": without `of` the count may belong to what stands before it
        return re.fullmatch(
            r"\s*(?:for\s+)?(?:the\s+)?(?:word|term|phrase|keyword)s?\s*[\"'“‘`]?|\s*[\"'“‘`]?\s*", gap
        ) is not None and _opens(query, count)
    return (
        _PRE if named else re.compile(r"\s*(?:(?:of|the|word|words|times|uses|mentions)\s*)*[\"'“‘`]?\s*")
    ).fullmatch(gap) is not None


def _opens(query: Query, count: Count) -> bool:
    """No keyword stands right before the count."""
    return not re.search(
        r"[\"'”’\ue000]\s*,?\s*(?:exactly\s+|just\s+|precisely\s+)?$",
        query.shadow[max(0, count.start - 20) : count.start],
    )


def _reaches(query: Query, start: int, end: int) -> bool:
    gap = query.shadow[start:end]
    return len(gap) <= _POST_GAP and not re.search(r"[.!?;](?:\s|$)|\n", gap)


def _further(query: Query, first: Count, second: Count) -> bool:
    """Whether a second count stands against the first: `three times instead of five`, `from three to five`."""
    gap = query.shadow[first.end : second.start]
    return (
        len(gap) <= 60
        and re.search(
            r"(?<!\w)(?:not|instead|rather|to|into|but|from|now|than|was|were|make|up|down|old|was|had|earlier|before)(?!\w)|→",
            gap,
        )
        is not None
    )


def _share(query: Query, mentions: Sequence[Mention], pairs: dict[int, list[tuple[Count, bool]]]) -> None:
    """A list with one count at its end: `“x” and “y” twice each`."""
    for i in range(len(mentions) - 2, -1, -1):
        gap = query.low[mentions[i].end : mentions[i + 1].start]
        if not pairs[i] and pairs[i + 1] and _LIST.fullmatch(gap) and pairs[i + 1][-1][0].start > mentions[i + 1].start:
            pairs[i] = [(count, False) for count, _ in pairs[i + 1]]


def _from_afar(
    query: Query,
    mentions: Sequence[Mention],
    counts: Sequence[Count],
    used: set[int],
    pairs: dict[int, list[tuple[Count, bool]]],
) -> None:
    """A count that leads a list: `twice each: “x” and “y”`, `mention twice the words “x” and “y”`."""
    for i, mention in enumerate(mentions):
        if pairs[i]:
            continue
        if (
            i
            and pairs[i - 1]
            and _LIST.fullmatch(query.low[mentions[i - 1].end : mention.start])
            and pairs[i - 1][-1][0].end <= mentions[i - 1].start
        ):
            pairs[i] = [(count, False) for count, _ in pairs[i - 1]]
            continue
        low, high = query.sentence(mention.start)
        left = [
            c
            for c in counts
            if low <= c.start and c.end <= mention.start and c.start not in used and mention.start - c.end <= 60
        ]
        right = [
            c for c in counts if mention.end <= c.start < high and c.start not in used and c.start - mention.end <= 90
        ]
        if left or right:
            chosen = left[-1] if left else right[0]
            used.add(chosen.start)
            pairs[i] = [(chosen, False)]


def _bounds(query: Query, mention: Mention, counts: Sequence[tuple[Count, bool]]) -> list[Bound]:
    if not counts:
        return [
            Bound(
                mention,
                None,
                True,
                role_of(query, mention.start, mention.end, in_list=True),
                mention.start,
                mention.end,
                True,
            )
        ]
    found = []
    for count, direct in counts:
        role = role_of(query, count.start, count.end, in_list=True)
        found.append(Bound(mention, count.value, count.exact, role, count.start, count.end, direct))
    return found
