"""What a text answers in each game, whether it seems to answer, and when two answers are the same.

Texts are what models said, so they are hostile: each reader takes time that grows only with the length of the text.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import regex

from evolif.errors import ArgumentError
from evolif.scenarios.games.arguments import text_of, whole

Game: TypeAlias = Literal["chess", "names", "scenes", "shapes", "questions"]
"""The name of a game."""
Answer: TypeAlias = str | int
"""What a text answers: a board, a row number, an image's index or `none`, or the answer to a question."""

_CHESS: Final = regex.compile(r"(?<!\p{L})(?:MINE|YOURS)(?!\p{L})")
_SIGNS: Final = "\\s:#*'\"`_=(\\["
_NUMBER: Final = rf"(?!\p{{L}})([{_SIGNS}\-−–]*+)([0-9]++)"
"""After a word: a number, and what may stand before it."""
_MINUS: Final = frozenset("-−–")
_ROW: Final = regex.compile(rf"SELECT\s++ROW{_NUMBER}")
_IMAGE: Final = regex.compile(
    rf"ANSWER:[\s*'\"]*+(?:Image{_NUMBER}|(?P<none>No\s++match(?!\p{{L}})))", regex.IGNORECASE
)
_ANSWER: Final = "ANSWER:"
_ANSWER_MARKER: Final = regex.compile(_ANSWER, regex.IGNORECASE)
_MARKERS: Final[dict[str, regex.Pattern[str]]] = {
    "chess": regex.compile(_CHESS.pattern, regex.IGNORECASE),
    "names": regex.compile(r"SELECT\s++ROW(?!\p{L})", regex.IGNORECASE),
    "scenes": _ANSWER_MARKER,
    "shapes": _ANSWER_MARKER,
    "questions": _ANSWER_MARKER,
}

_SPACE: Final = "".join(char for char in map(chr, range(0x3001)) if char.isspace())
_BEFORE: Final = _SPACE + "'\"`*"
_AFTER: Final = _BEFORE + ".!"
_ARTICLES: Final = frozenset({"a", "an", "the"})
_WORDS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_SAME: Final = {"yes": "true", "no": "false"} | {word: str(number) for number, word in enumerate(_WORDS.split())}


def parse_chess(text: str) -> Literal["MINE", "YOURS"] | None:
    """Read which board came earlier.

    Args:
        text: What a player said.

    Returns:
        `MINE` or `YOURS` if that word stands there in capitals, with no letter directly before or after it; None if
        neither does, or both do.
    """
    found = set(_CHESS.findall(text_of(text)))
    if len(found) != 1:
        return None
    return "MINE" if "MINE" in found else "YOURS"


def parse_question(text: str) -> str | None:
    """Read the answer to a question.

    Args:
        text: What a player said.

    Returns:
        The rest of the last line with `ANSWER:` in capitals, or the next line with text where only white space follows
        it; in lower case, without quotation marks and asterisks around it and without `.` and `!` at its end. None if
        nothing is left.
    """
    lines = text_of(text).splitlines()
    last = next((at for at in reversed(range(len(lines))) if _ANSWER in lines[at]), None)
    if last is None:
        return None
    rest = lines[last].partition(_ANSWER)[2]
    if not rest.strip():
        rest = next((line for line in lines[last + 1 :] if line.strip()), "")
    return rest.lstrip(_BEFORE).rstrip(_AFTER).lower() or None


def parse_image(text: str, n: int) -> int | Literal["none"] | None:
    """Read which image is meant.

    Args:
        text: What a player said.
        n: How many images there are.

    Returns:
        The number after the last `ANSWER: Image`, from 0 to `n` - 1, or `none` if `ANSWER: No match` comes later; case
        is ignored. None without either, or if the last number is out of range.

    Raises:
        ArgumentError: `n` is no whole number of at least 1.
    """
    whole("n", n, 1)
    last = _last(_IMAGE, text)
    if last is None:
        return None
    return "none" if last["none"] else _number(last, range(n))


def parse_row(text: str, n: int) -> int | None:
    """Read which row is selected.

    Args:
        text: What a player said.
        n: How many rows there are.

    Returns:
        The number after the last `SELECT ROW` in capitals, from 1 to `n`; None without one, or if it is out of range.

    Raises:
        ArgumentError: `n` is no whole number of at least 1.
    """
    whole("n", n, 1)
    last = _last(_ROW, text)
    return None if last is None else _number(last, range(1, n + 1))


def read_answer(game: str, text: str, n: int = 1) -> Answer | None:
    """Read what a text answers in a game.

    Args:
        game: Its name.
        text: What a player said, as the partner saw it.
        n: How many rows or images there are; of no account in chess and questions.

    Returns:
        What the game's own reader finds; None if the text gives no readable answer.

    Raises:
        ArgumentError: there is no such game.
    """
    _check(game)
    if game == "chess":
        return parse_chess(text)
    if game == "questions":
        return parse_question(text)
    return parse_row(text, n) if game == "names" else parse_image(text, n)


def has_marker(game: str, text: str) -> bool:
    """Whether a text seems to answer, readably or not: it holds the fixed words of the game's answers, in any case.

    Args:
        game: Its name.
        text: What a player said.

    Raises:
        ArgumentError: there is no such game.
    """
    return _MARKERS[_check(game)].search(text_of(text)) is not None


def same_answer(game: str, said: Answer | None, key: object) -> bool:
    """Whether an answer is the right one.

    In questions number words up to twenty equal digits, yes equals true, no equals false, and a leading article does
    not count.

    Args:
        game: Its name.
        said: What was read.
        key: The right answer, as its speaker sees it.

    Raises:
        ArgumentError: there is no such game.
    """
    _check(game)
    if said is None or key is None:
        return False
    if game == "questions":
        return _plain(str(said)) == _plain(str(key))
    return str(said) == str(key)


def _check(game: str) -> str:
    if game not in _MARKERS:
        raise ArgumentError(f"there is no game {game!r}; there are {', '.join(_MARKERS)}")
    return game


def _last(pattern: regex.Pattern[str], text: str) -> regex.Match[str] | None:
    last = None
    for match in pattern.finditer(text_of(text)):
        last = match
    return last


def _number(match: regex.Match[str], allowed: range) -> int | None:
    """The number of a mention if it is allowed; one with a minus sign never is."""
    before, digits = match[1], match[2].lstrip("0")
    if _MINUS & set(before) or len(digits) > 9:  # Python refuses to read numbers of many thousand digits
        return None
    number = int(digits or "0")
    return number if number in allowed else None


def _plain(answer: str) -> str:
    """An answer by which it is compared."""
    words = answer.lower().split()
    if len(words) > 1 and words[0] in _ARTICLES:
        del words[0]
    text = " ".join(words)
    return _SAME.get(text, text)
