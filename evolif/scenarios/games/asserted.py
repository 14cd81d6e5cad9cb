"""Which words of a text are meant: no marks, no alternatives, no conditions, no doubts (rules 2 of reading answers).

A text is made plain first, so that markdown, LaTeX and tables do not come between words, and is cut into sentences.
What a sentence says is *meant* unless a condition, a negation or a question goes with it; before the last turn, doubts
and plans count as talk as well. Every step takes time that grows only with the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import regex

MOST_CHARACTERS: Final = 20_000
"""Of a text, those at its end that are read."""
WORDS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
"""Number words by their number."""
NUMBER: Final = rf"(?:[0-9]{{1,9}}+(?:\.[0-9]{{1,9}}+)?+(?:st|nd|rd|th)?+|{'|'.join(reversed(WORDS))})(?![\p{{L}}0-9])"
"""A number in digits or in a word; after it stands neither a letter nor a digit."""
CORRECTION: Final = r"(?:no|sorry|wait|rather|correction|actually|i\s++meant?+|make\s++that|scratch\s++that)"
"""What takes back the answer before it."""

_PLAIN: Final = (
    (regex.compile(r"[‘’]"), "'"),
    (regex.compile(r"[–—−]"), "-"),
    (regex.compile(r"\\boxed|<answer>"), " ANSWER: "),
    (regex.compile(r"\\(?:text[a-z]{0,9}+|math[a-z]{0,9}+)(?![a-z])"), " "),
    (regex.compile(r"</?[a-z]{1,12}>", regex.IGNORECASE), " "),
    (regex.compile(r"[\\*`\"“”„${}<]"), ""),
    (regex.compile(r"_"), " "),
    # An aside, but not a number in brackets: that may be the answer.
    (regex.compile(r"[ \t]++"), " "),
    (regex.compile(r"answer ?[:=] ?(?=answer ?[:=])", regex.IGNORECASE), ""),
    (regex.compile(r"(?<=[^\s:] )\((?!\s?#?(?:image )?[0-9]{1,9}\)|or\b)[^()\n]{0,300}\)", regex.IGNORECASE), " "),
    (regex.compile(r"[()\[\]]"), " "),
    (regex.compile(r"\?(?= or\b)", regex.IGNORECASE), ""),
    (regex.compile(r"(?<=[0-9])(?:\.{2,3}|…)(?=[0-9])"), "-"),
    (regex.compile(r"^[ \t>#•]++(?:-(?=[ \t]))?+[ \t>#•]*+|^-(?=[ \t])", regex.MULTILINE), ""),
    (regex.compile(r"[|>]"), "\n"),
    (regex.compile(r"(?<![\p{L}\s])'|(?<!\S)'|'(?!\p{L})"), ""),
    (regex.compile(r"(?<=answer[:=]|answer [:=]|select row:|select row)\s++", regex.IGNORECASE), " "),
    (regex.compile(r"(?<=\b(?:row|image|scene|figure))\s?(?:no\.|nr\.|number\b)(?=\s?[0-9])", regex.IGNORECASE), ""),
    (regex.compile(r"\bif i (?:have to|had to|must|need to) (?:guess|choose|answer)\b", regex.IGNORECASE), ""),
    (regex.compile(r"[ \t]++"), " "),
)
"""What goes, or becomes something plain, in this order."""
_SENTENCE_END: Final = regex.compile(r"(?<!\.)\.++(?=\s|$)|[!;]++|\?++|\n++")
_CLAUSE_END: Final = regex.compile(r",|(?<!answer):|\bbut\b|\bso\b| - ", regex.IGNORECASE)
_CONDITION: Final = regex.compile(
    r"\b(?:if|unless|until|whether|once|provided|assuming|assume|suppose|supposing|in case|in that case|as soon as|"
    r"when(?:ever)? you|before (?:you|i|we)|depends|for example|format|next turn)\b",
    regex.IGNORECASE,
)
_DENIAL: Final = regex.compile(
    r"\b(?:not|never|cannot|either|neither|nor|without|i (?:first |had )?thought|i said|i was going|write|"
    r"reply with|respond with|please|say)\b|n't\b|\byou$|\byou (?:said|say|should|could|can|may|might|must|will|would|"
    r"answer|select|told|think|want|choose)\b",
    regex.IGNORECASE,
)
_OWN_WORDS: Final = regex.compile(r"\b(?:i|i'll|i'd|we|must|to) say\b", regex.IGNORECASE)
_AFTERWARDS: Final = regex.compile(r"\b(?:would be|is wrong|cannot|too (?:early|soon))\b|n't\b", regex.IGNORECASE)
_DOUBT: Final = regex.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|may|could|would|should|shall|leaning|thinking|yet|soon|early|about to|"
    r"ready|agree|almost|unsure|not sure|so far|for now)\b|\bi'd\b",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a plain text."""

    text: str
    is_question: bool

    def means(self, start: int, end: int, *, is_final: bool) -> bool:
        """Whether what stands between two places is meant.

        Args:
            start: Where it begins.
            end: Where it ends.
            is_final: On the last turn doubts count for nothing, and fixed words with a question mark are a guess.
        """
        if self.is_question and not (is_final and not self.text[:start].strip() and not self.text[end:].strip()):
            return False
        if _CONDITION.search(self.text) or (not is_final and _DOUBT.search(self.text)):
            return False
        before = _OWN_WORDS.sub("", _last_clause(self.text[:start]))
        after = _CLAUSE_END.split(self.text[end:], 1)[0]
        return not (_DENIAL.search(before.strip()) or _AFTERWARDS.search(after))


def plain(text: str) -> str:
    """The end of a text without marks of any notation.

    Example:
        >>> plain("**Answer:** _5_ (2 + 3)")
        'Answer: 5'
    """
    found = text[-MOST_CHARACTERS:]
    for pattern, instead in _PLAIN:
        found = pattern.sub(instead, found)
    return found.strip()


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a plain text that say something."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if text[start : end.start()].strip():
            yield Sentence(text[start : end.start()], end[0].startswith("?"))
        start = end.end()
    if text[start:].strip():
        yield Sentence(text[start:], False)


def number_of(text: str) -> int | None:
    """The number that matches `NUMBER`; None if it is no whole one."""
    word = text.lower()
    if word in WORDS:
        return WORDS.index(word)
    digits, _, rest = word.rstrip("stndrh").partition(".")
    return None if rest.strip("0") else int(digits)


def _last_clause(text: str) -> str:
    start = 0
    for end in _CLAUSE_END.finditer(text):
        start = end.end()
    return text[start:]
