"""What players of names say about their tables, sentence by sentence, read by rules.

Each value belongs to one column, so a mention is never ambiguous. A sentence ends at `.`, `?` or `!` before white space
and at a line break. Texts are hostile: reading takes time that grows only with their length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from evolif.scenarios.games.arguments import text_of

Kind: TypeAlias = Literal["have", "lack", "ask", "closed", "yes", "no", "unread"]
"""What a sentence does: claims a row, denies one, asks for one, lists a column, answers, or none of these."""
Mention: TypeAlias = tuple[int, str]
"""A column by its place, and a value of it in lower case."""
Claim: TypeAlias = frozenset[Mention]
"""Values of different columns, said of one row."""

_SENTENCE_END: Final = re.compile(r"(?<=[.?!])\s+|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_NEGATION: Final = re.compile(r"(?<!\w)(?:no|not|none|nobody|without)(?!\w)|n['’]t(?!\w)")
_WORD: Final = re.compile(r"\w+")
_ITEM_END: Final = re.compile(r",|(?<!\w)and(?!\w)")
_MARKS: Final = " \t\"'`’*_-.!?"
_NO_OTHERS: Final = "no others"


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """One sentence, read."""

    kind: Kind
    values: tuple[Mention, ...] = ()
    """What it mentions, without repetitions; of `closed`, the values listed."""
    column: int = -1
    """Of `closed`."""
    odd: bool = False
    """Whether a list holds something that is no value of its column."""

    def claims(self) -> list[Claim]:
        """What is said of rows: values of different columns of one row; several of one column of several rows."""
        if len({column for column, _ in self.values}) == len(self.values):
            return [frozenset(self.values)]
        return [frozenset([mention]) for mention in self.values]

    def denials(self) -> list[dict[int, set[str]]]:
        """What is denied: for each denial, by column, the values that no row has together."""
        by_column: dict[int, set[str]] = {}
        for column, value in self.values:
            by_column.setdefault(column, set()).add(value)
        if len(by_column) == 1:
            return [{column: {value}} for column, value in self.values]
        return [by_column]


class SentenceReader:
    """Reads sentences about tables.

    Args:
        columns: Their names.
        values: What may stand in each of them.
    """

    def __init__(self, columns: Sequence[str], values: Sequence[Iterable[str]]) -> None:
        self._columns = {column.lower(): at for at, column in enumerate(columns)}
        self._values: Mapping[str, int] = {value.lower(): at for at, own in enumerate(values) for value in own}
        self._mention = _pattern(tuple(sorted(self._values, key=lambda value: (-len(value), value))))

    def read(self, text: str) -> list[ParsedSentence]:
        """The sentences of a text that hold a word."""
        parts = _SENTENCE_END.split(text_of(text).lower())
        return [self._sentence(part) for part in parts if part and _WORD.search(part)]

    def _sentence(self, said: str) -> ParsedSentence:
        listed = self._list(said)
        if listed:
            return listed
        words = [match[0] for match, _ in zip(_WORD.finditer(said), range(2), strict=False)]
        if words == ["yes"]:
            return ParsedSentence("yes")
        if words == ["no"]:
            return ParsedSentence("no")
        values = tuple(dict.fromkeys((self._values[match[0]], match[0]) for match in self._mention.finditer(said)))
        if not values:
            return ParsedSentence("unread")
        if said.rstrip(_MARKS[:-1]).endswith("?"):
            return ParsedSentence("ask", values)
        return ParsedSentence("lack" if _NEGATION.search(said) else "have", values)

    def _list(self, said: str) -> ParsedSentence | None:
        """`column: v1, v2, …; no others`; None if it is something else."""
        head, colon, rest = said.partition(":")
        body, mark, tail = rest.rpartition(";")
        column = self._columns.get(head.strip(_MARKS))
        if not (colon and mark) or column is None or " ".join(tail.strip(_MARKS).split()) != _NO_OTHERS:
            return None
        items = [item.strip(_MARKS) for item in _ITEM_END.split(body)]
        items = [item for item in dict.fromkeys(items) if item]
        values = tuple((column, item) for item in items if self._values.get(item) == column)
        return ParsedSentence("closed", values, column, odd=len(values) < len(items))


@lru_cache(maxsize=256)
def _pattern(values: tuple[str, ...]) -> re.Pattern[str]:
    """Finds whole words of these values, the longest first."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, values)) or '(?!)'})(?!\w)")
