"""What a reply takes back in the same breath, since version 2 of the reading rules: `not Herons by 5 but Herons by 8`.

Of a denial that goes on with what holds instead, only what holds is read. Of several scores in a line the one is read
that is neither denied nor said to be an earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from evolif.scenarios.broadcast.reading import StatedNumber, numbers_in, without
from evolif.scenarios.broadcast.reading_names import Mention, NameTable
from evolif.scenarios.broadcast.reading_score import only_points

_ANY_MORE: Final = r"(?:any ?more|any longer)"
_NOT_BUT: Final = re.compile(
    r"(?<![a-z])(?:(?:it|that|this|they) )?(?:not|no longer|(?:is|was|are|were)n't|(?:is|was|are|were) not) "
    r"(?P<denied>(?!only |just |merely )[^;|]{1,120}?)"
    r"(?:,? but(?: rather)? |[,.-] ?(?:-+ )?(?:it's|it is|it was|that's|they're|they are|rather|instead) )"
)
"""`not Herons by 5 but `, in a folded line; what follows holds."""
_AT_ONCE: Final = re.compile(r"^(?:(?:the|by|at|for|in|to|on|a|just|exactly|it's|[a-z]{1,20}:|[qp][1-9]) ?){0,3}$")
"""What may stand between `not` and the first name or number."""
_NOT_THE: Final = re.compile(
    r"(?<![a-z])not (?:the|that|his|her|their)(?: [a-z0-9:.'-]{1,20}){0,4}? "
    r"(?:ones?|baskets?|buckets?|shots?|scores?|goals?"
    r"|faceoffs?|draws?|rows?|lay-?ups?|dunks?|jumpers?|throws?|threes?|twos?|wins?|events?|plays?)(?![a-z])"
    r"(?:[^.;)!?]|\.(?=[0-9]))*+"
)
"""`not the 8:38 one, that was Ana Lima`, in a folded line."""
_NOT_A_PLAYER: Final = re.compile(r"[(\[] ?not (?:the |that |by )?")
_CLOSED: Final = re.compile(r"[)\]]")
_FILLED: Final = r"(?: (?:at|be|a|the|just|still|exactly|score(?:d|line)?|yet|longer|of|being|it|is|was))*+"
_DENIED: Final = re.compile(
    rf"(?<![a-z])(?:not|no longer|[a-z]+n't|instead of|rather than|never){_FILLED} ?[:'(]? ?(?:the )?$"
)
"""What stands before a score that does not hold."""
_DENIED_AFTER: Final = re.compile(
    rf"[^a-z0-9]{{0,3}}(?:{_ANY_MORE}|(?:is|was|are|were)(?:n't| not| no longer)|(?:is|was) (?:wrong|before)|no longer)"
    r"(?![a-z])"
)
_EARLIER: Final = re.compile(
    r"(?<![a-z])(?:was|were|stood|been|before|earlier|previous(?:ly)?|half-?time|half|break|last time|from|until"
    r"|started|up to|(?:[qp]|quarter |period )(?P<number>[1-9])|(?P<word>[1-4](?:st|nd|rd|th)|first|second|third"
    r"|fourth))"
    r"(?![a-z0-9])"
)
"""That a score was an earlier one, or one of a single period."""
_PRESENT: Final = re.compile(
    r"(?<![a-z])(?:now|currently|final|finally|total|totals|overall|updated|new|it's|it is|they're|that makes|makes it"
    r"|everything|since then|altogether|in all|so far)(?![a-z])"
)
_ORDER: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_ENDS: Final = re.compile(r"[,.;!?()\[\]|]|->| - ")
_BEFORE: Final = 80
"""Characters before or after a score that may say what it is."""
_BOTH: Final = 2


class _ToldScore(NamedTuple):
    """A score in a line: where its words begin, where its names and numbers stand, where its words end."""

    words: int
    start: int
    end: int
    stop: int


def without_denied(lines: Iterable[str], table: NameTable) -> list[str]:
    """Lines without names, numbers and moments that are denied for the sake of what holds instead.

    Args:
        lines: Folded.
        table: The names of the match.
    """
    return [_without_denied(line, table) if "not " in line or "n't " in line else line for line in lines]


def _without_denied(line: str, table: NameTable) -> str:
    spans = [found.span() for found in _NOT_BUT.finditer(line) if _is_told(found["denied"], table)]
    bare = _NOT_THE.sub(" ", _joined(without(line, spans)))
    starts = {player.start: player.end for player in table.players_in(bare)}
    places = [found.end() for found in _NOT_A_PLAYER.finditer(bare) if found.end() in starts]
    closed = [(place, end.start()) for place in places if (end := _CLOSED.search(bare, place, place + _BEFORE))]
    return without(bare, closed)


def _joined(line: str) -> str:
    return " ".join(line.split())


def _is_told(denied: str, table: NameTable) -> bool:
    """Whether it begins with a name or a number, as an answer would."""
    named = [mention.start for mention in (*table.teams_in(denied), *table.players_in(denied))]
    starts = [*named, *(number.start for number in numbers_in(denied)[:1])]
    return bool(starts) and _AT_ONCE.match(denied[: min(starts)]) is not None


def with_latest_scores(lines: Iterable[str], table: NameTable, sport: str) -> list[str]:
    """Lines in which the score that holds is the only one; a line whose only scores are denied is left out.

    Args:
        lines: Folded.
        table: The names of the match.
        sport: How the clock counts.
    """
    kept: list[str] = []
    for line in lines:
        scores = _scores_in(line, table, sport)
        if not scores:
            kept.append(line)
        elif holding := [score for score in scores if not _is_denied(line, score)]:
            latest = max(holding, key=lambda score: (_age(line, score), score.start))
            kept.append(line if len(scores) == 1 else line[latest.start : latest.end])
    return kept


def _scores_in(line: str, table: NameTable, sport: str) -> list[_ToldScore]:
    """The places in a line that name both teams and two numbers."""
    mentions = table.teams_in(line)
    if len(mentions) < _BOTH:
        return []
    numbers = numbers_in(only_points(line, sport))
    starts = [mention.start for mention in mentions[2:]] + [len(line)]
    found: list[_ToldScore] = []
    free = words = at = 0
    for (first, second), bound in zip(pairwise(mentions), starts, strict=True):
        while at < len(numbers) and numbers[at].start < first.end:
            at += 1
        if first.name == second.name or first.start < free or not _has_two(numbers, at, bound):
            continue
        end = max(numbers[at + 1].end, second.end)
        stop = _end_of_words(line, end, bound)
        found.append(_ToldScore(words, _start_of(line, first), end, stop))
        free, words = end, stop
    return found


def _has_two(numbers: Sequence[StatedNumber], at: int, bound: int) -> bool:
    return at + 1 < len(numbers) and numbers[at + 1].start < bound


def _start_of(line: str, first: Mention) -> int:
    return first.start - 4 if line.startswith("the ", max(0, first.start - 4)) else first.start


def _end_of_words(line: str, end: int, bound: int) -> int:
    found = _ENDS.search(line, end, bound)
    return found.start() if found else bound


def _is_denied(line: str, score: _ToldScore) -> bool:
    before = line[max(score.words, score.start - _BEFORE) : score.start]
    return _DENIED.search(before) is not None or _DENIED_AFTER.match(line, score.end, score.stop) is not None


def _age(line: str, score: _ToldScore) -> int:
    """How late a score is: the number of its period, or 0 for an earlier one, or 10 for the present one."""
    before = line[max(score.words, score.start - _BEFORE) : score.start]
    after = line[score.end : min(score.stop, score.end + _BEFORE)]
    earlier = [found for words in (before, after) for found in _EARLIER.finditer(words)]
    if not earlier or _PRESENT.search(before):
        return 10
    return max(_period(found) for found in earlier)


def _period(found: re.Match[str]) -> int:
    word = found["number"] or found["word"] or "0"
    return _ORDER.get(word) or int(word[0])
