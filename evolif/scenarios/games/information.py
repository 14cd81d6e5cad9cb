"""Information that is exchanged in names, exactly: which own rows may still be the shared one after each turn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from evolif.errors import ArgumentError
from evolif.scenarios.games.arguments import texts_of
from evolif.scenarios.games.names import read_pools
from evolif.scenarios.games.sentences import Claim, Mention, ParsedSentence, SentenceReader


class Gain(TypedDict):
    """What one turn tells.

    Attributes:
        turn: From 1.
        bits: log2 of the listener's candidates before ÷ after.
        candidates: How many rows of player 1's, and of player 2's, may be the shared one after the turn.
        false: Claims that are false of the speaker's table; they are not applied.
        unread: Sentences that no rule reads.
    """

    turn: int
    bits: float
    candidates: list[int]
    false: int
    unread: int


class Rows:
    """The rows of a table, and which of them may still be the shared one.

    Args:
        rows: As they are shown.
    """

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self.rows: list[list[Mention]] = [[(at, str(v).lower()) for at, v in enumerate(row)] for row in rows]
        self.candidates: set[int] = set(range(len(rows)))

    def having(self, claim: Claim) -> set[int]:
        """The rows that a claim fits."""
        return {at for at, row in enumerate(self.rows) if claim.issubset(row)}

    def denied(self, denial: Mapping[int, set[str]]) -> set[int]:
        """The rows that a denial rules out."""
        return {at for at, row in enumerate(self.rows) if all(row[c][1] in values for c, values in denial.items())}

    def column(self, column: int) -> set[str]:
        """The values of a column."""
        return {row[column][1] for row in self.rows}

    def hear_have(self, claim: Claim) -> None:
        """The partner has a row that the claim fits: where it is whole and an own row, no other is a candidate."""
        if self.rows and len(claim) == len(self.rows[0]):
            found = self.having(claim)
            if found:
                self.candidates &= found

    def hear_lack(self, denial: Mapping[int, set[str]]) -> None:
        """The partner has no row that the denial fits."""
        self.candidates -= self.denied(denial)

    def hear_closed(self, sentence: ParsedSentence) -> None:
        """The partner has the listed values of a column and no others."""
        listed = {value for _, value in sentence.values}
        self.candidates = {at for at in self.candidates if self.rows[at][sentence.column][1] in listed}


def open_reader(columns: Sequence[str], *tables: Iterable[Sequence[Any]]) -> SentenceReader:
    """What reads sentences about tables: it knows the generator's values of these columns, and those of the tables."""
    pools = read_pools()
    shown = [row for table in tables for row in table]
    return SentenceReader(
        columns, [{*pools.get(column, ()), *(str(row[at]) for row in shown)} for at, column in enumerate(columns)]
    )


def information_gain(instance: Mapping[str, Any], texts: Iterable[str]) -> list[Gain]:
    """Measure what each turn of a dialogue about names tells the listener.

    Args:
        instance: Of the game `names`.
        texts: What was said, one text a turn, player 1 first.

    Returns:
        One entry a turn. Added up, the bits ÷ log2 of the rows are the share of the needed information.

    Raises:
        ArgumentError: one of them is something else.
    """
    try:
        columns = list(instance["private"][0]["columns"])
        tables = [[list(row) for row in part["rows"]] for part in instance["private"]]
    except (KeyError, TypeError, IndexError):
        raise ArgumentError("information is measured in the game names; give an instance of it") from None
    if len(tables) != 2 or any(len(row) != len(columns) for table in tables for row in table):
        raise ArgumentError("the tables do not have the columns that the instance names; give what `generate` returns")
    reader = open_reader(columns, *tables)
    dialogue = _Dialogue([Rows(table) for table in tables])
    return [dialogue.turn(at, reader.read(text)) for at, text in enumerate(texts_of(texts))]


class _Dialogue:
    """Both tables and the last question of each player."""

    def __init__(self, tables: Sequence[Rows]) -> None:
        self._tables = tables
        self._asked: list[ParsedSentence | None] = [None, None]
        self._false = self._unread = 0

    def turn(self, at: int, sentences: Iterable[ParsedSentence]) -> Gain:
        """What the listener learns from the sentences of a turn, counted from 0."""
        speaker = at % 2
        listener = self._tables[1 - speaker]
        before = len(listener.candidates)
        self._false = self._unread = 0
        for sentence in sentences:
            self._hear(speaker, sentence)
        after = len(listener.candidates)
        return {
            "turn": at + 1,
            "bits": math.log2(before / after) if after else 0.0,
            "candidates": [len(table.candidates) for table in self._tables],
            "false": self._false,
            "unread": self._unread,
        }

    def _hear(self, speaker: int, sentence: ParsedSentence) -> None:
        own = self._tables[speaker]
        question = self._asked[1 - speaker]
        if sentence.kind in ("yes", "no") and question:
            sentence = ParsedSentence("have" if sentence.kind == "yes" else "lack", question.values)
        if sentence.kind == "ask":
            self._asked[speaker] = sentence
            if is_proposal(sentence, own):
                self._have(speaker, sentence)
        elif sentence.kind == "have":
            self._have(speaker, sentence)
        elif sentence.kind == "lack":
            self._lack(speaker, sentence)
        elif sentence.kind == "closed":
            self._closed(speaker, sentence)
        else:
            self._unread += 1

    def _have(self, speaker: int, sentence: ParsedSentence) -> None:
        for claim in sentence.claims():
            if self._tables[speaker].having(claim):
                self._tables[1 - speaker].hear_have(claim)
            else:
                self._false += 1

    def _lack(self, speaker: int, sentence: ParsedSentence) -> None:
        for denial in sentence.denials():
            if self._tables[speaker].denied(denial):
                self._false += 1
            else:
                self._tables[1 - speaker].hear_lack(denial)

    def _closed(self, speaker: int, sentence: ParsedSentence) -> None:
        listed = {value for _, value in sentence.values}
        if sentence.odd or listed != self._tables[speaker].column(sentence.column):
            self._false += 1
        else:
            self._tables[1 - speaker].hear_closed(sentence)


def is_proposal(sentence: ParsedSentence, own: Rows) -> bool:
    """Whether a question names a whole row of the speaker's, so that it says that there is one."""
    [claim, *others] = sentence.claims()
    return not others and bool(own.rows) and len(claim) == len(own.rows[0]) and bool(own.having(claim))
