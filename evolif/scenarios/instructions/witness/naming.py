"""Put given words in the place of fillers, so that a text names its task and still satisfies what it satisfied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from evolif.scenarios.instructions.constraints import check_reading, format_of, rule_checked
from evolif.scenarios.instructions.turns import Constraint, Instruction
from evolif.scenarios.instructions.witness.vocabulary import is_filler
from evolif.text import READING_RULES_VERSION, Reading
from evolif.types import Verdict

MOST_TRIES = 48
"""Changed texts that are checked before giving up."""
_PLACES = 2
"""Places that are tried for a word, of its own length and of any."""
_WORD = re.compile(r"[^\W\d_]+")


def name_words(
    text: str,
    constraints: Instruction,
    words: Sequence[str],
    enough: Callable[[str], bool],
    rules: int = READING_RULES_VERSION,
) -> str | None:
    """The text with some of its fillers replaced by words; None if there is no room for enough of them.

    Args:
        text: As a witness is built: of fillers, and of what the constraints demand.
        constraints: No verdict of their rules on the text is changed.
        words: What to name, the most welcome first.
        enough: Whether a text names enough.
        rules: The edition of the reading rules.
    """
    if enough(text):
        return text
    objective = rule_checked(constraints)
    before = _outcomes(objective, text, rules)
    left = MOST_TRIES
    for word in words:
        for changed in _replaced(text, word):
            if not left:
                return None
            left -= 1
            if _outcomes(objective, changed, rules) == before:
                text = changed
                break
        else:
            continue
        if enough(text):
            return text
    return None


def _outcomes(objective: Sequence[Constraint], text: str, rules: int) -> list[bool | None]:
    verdicts: Sequence[Verdict] = check_reading(objective, Reading(text, format_of(objective), rules=rules))
    return [verdict.satisfied for verdict in verdicts]


def _replaced(text: str, word: str) -> Iterator[str]:
    """The text with the word in place of a filler: of one of its length first, which keeps counts; inner ones first."""
    fillers = [match for match in _WORD.finditer(text) if is_filler(match.group().casefold())]
    middle = len(text) // 2
    fillers.sort(key=lambda match: abs(match.start() - middle))
    same = [match for match in fillers if len(match.group()) == len(word)]
    for match in dict.fromkeys((*same[:_PLACES], *fillers[:_PLACES])):
        yield text[: match.start()] + _cased(word, match.group()) + text[match.end() :]


def _cased(word: str, like: str) -> str:
    """A word in the case of another, letter by letter where both have as many."""
    if like.islower():
        return word
    if len(word) == len(like):
        return "".join(a.upper() if b.isupper() else a for a, b in zip(word, like, strict=True))
    return word.upper() if like.isupper() else word.capitalize() if like[0].isupper() else word
