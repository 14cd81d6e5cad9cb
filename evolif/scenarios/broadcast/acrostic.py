"""Sentences that support a team and spell its initials, then KING, from their fifth word on."""

from __future__ import annotations

import re
from typing import Final

from evolif.errors import ArgumentError

SUFFIX: Final = "KING"
"""What follows the initials."""
LEAD: Final = 4
"""How many words come before the spelling."""
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_LEADS: Final = (
    "We all cheer when",
    "We love it when",
    "Everybody here sings when",
    "My heart jumps when",
    "Nothing beats evenings when",
    "It feels great when",
)
_TAILS: Final = (
    "keep igniting noisy galleries",
    "keep inspiring new generations",
    "keep improving night games",
    "keep impressing neutral guests",
    "keep inviting neighborhood glee",
)
_ADJECTIVES: Final[dict[str, tuple[str, ...]]] = {
    "A": ("amazing", "agile", "adventurous", "ambitious"),
    "B": ("brave", "brilliant", "bold", "bright"),
    "C": ("clever", "courageous", "calm", "classy"),
    "D": ("daring", "determined", "dazzling", "dependable"),
    "E": ("energetic", "eager", "electric", "excellent"),
    "F": ("fearless", "fast", "fierce", "fantastic"),
    "G": ("gallant", "gritty", "gifted", "great"),
    "H": ("heroic", "hungry", "hardy", "happy"),
    "I": ("incredible", "inspired", "inventive", "impressive"),
    "J": ("joyful", "jubilant", "jolly", "jaunty"),
    "K": ("keen", "kind", "knowing", "kinetic"),
    "L": ("lively", "loyal", "lightning-fast", "legendary"),
    "M": ("mighty", "marvelous", "magnificent", "motivated"),
    "N": ("nimble", "noble", "nifty", "notable"),
    "O": ("outstanding", "optimistic", "organized", "original"),
    "P": ("proud", "powerful", "patient", "persistent"),
    "Q": ("quick", "quick-witted", "quality", "quiet"),
    "R": ("resilient", "relentless", "rapid", "remarkable"),
    "S": ("swift", "splendid", "strong", "superb"),
    "T": ("tireless", "talented", "tough", "tenacious"),
    "U": ("unstoppable", "united", "unflappable", "upbeat"),
    "V": ("valiant", "vigorous", "versatile", "vibrant"),
    "W": ("wonderful", "wily", "wise", "willing"),
    "X": ("xenial",),
    "Y": ("youthful", "young", "yearning", "yelling"),
    "Z": ("zealous", "zesty", "zippy", "zany"),
}


def words_of(passage: str) -> list[str]:
    """The words of a sentence or a name: each begins with a letter and goes on with letters, apostrophes, hyphens."""
    return _WORD.findall(passage)


def spelled(team: str) -> str:
    """What a sentence for a team has to spell, in capitals: the initials of the team's words, then KING."""
    return "".join(word[0] for word in words_of(team)).upper() + SUFFIX


def acrostic_sentence(team: str, variant: int) -> str:
    """A sentence that supports a team and spells what it has to, of few words.

    The last word of the team's name, its nickname, spells itself; adjectives spell the words before it.

    Args:
        team: Its full name.
        variant: Which of many sentences; any number.

    Raises:
        ArgumentError: the team's name has no word.
    """
    words = words_of(team)
    if not words:
        raise ArgumentError("team has no word; give the full name of a team")
    adjectives: list[str] = []
    for word in words[:-1]:
        choices = _ADJECTIVES[word[0].upper()]
        fresh = [choice for choice in choices if choice not in adjectives] or choices
        adjectives.append(fresh[variant % len(fresh)])
    lead, tail = _LEADS[variant % len(_LEADS)], _TAILS[variant % len(_TAILS)]
    side = f"{', '.join(adjectives)} {words[-1]}" if adjectives else words[-1]
    return f"{lead} {side} {tail}!"
