"""The fixed format of replies: a line of tags, a body of three sentences, an acrostic, a summary.

Letters are A to Z here, without accents, as the rules for sentences say. Every reading takes linear time.
"""

from __future__ import annotations

import re
from typing import Any, TypedDict

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.arguments import one_of, text, whole

INTENTS = ("Update Score", "Other Question")
MOST_SUMMARY_WORDS = 49
MOST_ACROSTIC_WORDS = 20
SENTENCES = 3
_TAGS = ("A", "B")
_SPELLED_FROM = 4
"""Where in a list of words the acrostic begins: with the fifth."""
_BRACKET = re.compile(r"\[([^\[\]]*)\]")
_LINE_BREAK = re.compile(r"[\r\n]")
_LETTERS = re.compile(r"[A-Za-z]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_BLOCK_TAGS = {name: re.compile(rf"<(/?){name}>", re.IGNORECASE | re.ASCII) for name in ("Summary", "Stats")}


class TagCheck(TypedDict):
    """Which tags of a reply are right.

    Attributes:
        tag1: Whether the first is what the friend wants, and nothing but tags stands on the first line.
        tag2: Whether the letter is right: the one expected, or none.
    """

    tag1: bool
    tag2: bool


class SummaryCheck(TypedDict):
    """What a reply's summary is like.

    Attributes:
        present: Whether there is one, even an empty one.
        lt50: Whether there is one, of fewer than 50 words.
    """

    present: bool
    lt50: bool


class AcrosticCheck(TypedDict):
    """What a sentence spells.

    Attributes:
        starts: Whether the fifth word begins with the first letter to be spelled.
        complete: Whether the words from the fifth on spell all letters.
        max20: Whether there are 20 words or fewer.
        seq: What is to be spelled, in capitals.
    """

    starts: bool
    complete: bool
    max20: bool
    seq: str


def count_words(passage: str) -> int:
    """The words of a body or a summary: runs of letters."""
    return sum(1 for _ in _LETTERS.finditer(passage))


def cut_blocks(reply: str, name: str) -> tuple[str, list[str]]:
    """A reply without its blocks of a name, and what stands in them.

    A block goes from its opening tag to the next closing one; case does not count. A tag without its partner stays.

    Args:
        reply: The reply.
        name: `Summary` or `Stats`.

    Raises:
        ArgumentError: it is no text, or there are no blocks of that name.
    """
    tags = _BLOCK_TAGS[one_of("name", name, tuple(_BLOCK_TAGS))]
    rest, inside = [], []
    opening: re.Match[str] | None = None
    done = 0
    for tag in tags.finditer(text("reply", reply)):
        if not tag[1]:
            opening = opening or tag
        elif opening is not None:
            rest.append(reply[done : opening.start()])
            inside.append(reply[opening.end() : tag.start()])
            opening, done = None, tag.end()
    return "".join([*rest, reply[done:]]), inside


def first_and_rest(reply: str) -> tuple[str, str]:
    """The line of tags of a reply, and what comes after it.

    Args:
        reply: The reply.

    Returns:
        Both without summary blocks; the line ends at the first line break of the stripped reply.

    Raises:
        ArgumentError: it is no text.
    """
    bare = cut_blocks(reply, "Summary")[0].strip()
    end = _LINE_BREAK.search(bare)
    return (bare, "") if end is None else (bare[: end.start()], bare[end.end() :])


def body_of(reply: str) -> str:
    """What a reply says after its line of tags, without blocks, stripped.

    Raises:
        ArgumentError: it is no text.
    """
    return cut_blocks(first_and_rest(reply)[1], "Stats")[0].strip()


def expected_tag(reply_number: int) -> str | None:
    """The letter that a reply is tagged with.

    Args:
        reply_number: Over the whole match, from 1.

    Returns:
        `A` for the first of every four replies, `B` for the third, None for the others.

    Raises:
        ArgumentError: it is no such number.
    """
    return {1: "A", 3: "B"}.get(whole("reply_number", reply_number, 1) % 4)


def check_tags(reply: str, reply_number: int, intent: str) -> TagCheck:
    """Are the tags on the first line right?

    Args:
        reply: The reply.
        reply_number: Over the whole match, from 1.
        intent: `Update Score` or `Other Question`: what the friend wants, without brackets.

    Returns:
        The first is right if the first bracket holds the intent and nothing else but brackets and white space stands
        on the line. The second is right if the expected one is there and the other is not; where none is expected,
        if neither is there. Tags are read exactly.

    Raises:
        ArgumentError: an argument is out of range.
    """
    line = first_and_rest(reply)[0]
    wanted = one_of("intent", intent, INTENTS)
    expected = expected_tag(reply_number)
    tags = _BRACKET.findall(line)
    return {
        "tag1": bool(tags) and tags[0] == wanted and not _BRACKET.sub("", line).strip(),
        "tag2": all((f"Tag {letter}" in tags) == (letter == expected) for letter in _TAGS),
    }


def three_sentences_same_letter(body: str) -> bool:
    """Are there exactly three sentences whose last words end with the same letter?

    Args:
        body: What the reply says. It is cut after `.`, `!` or `?` where white space follows; case does not count.

    Raises:
        ArgumentError: it is no text.
    """
    sentences = _SENTENCE_END.split(text("body", body).strip(), maxsplit=SENTENCES)
    endings = {_last_letter(sentence) for sentence in sentences}
    return len(sentences) == SENTENCES and len(endings) == 1 and endings != {""}


def _last_letter(sentence: str) -> str:
    """The last letter of a sentence, in lower case; empty if it has none."""
    return next((char.lower() for char in reversed(sentence) if char.isascii() and char.isalpha()), "")


def check_summary(reply: str) -> SummaryCheck:
    """Is there a summary, and is it short?

    Args:
        reply: The reply; the words of all its `<Summary>` blocks count together.

    Raises:
        ArgumentError: it is no text.
    """
    summaries = cut_blocks(reply, "Summary")[1]
    short = sum(map(count_words, summaries)) <= MOST_SUMMARY_WORDS
    return {"present": bool(summaries), "lt50": bool(summaries) and short}


def check_acrostic(sentence: str, team: str, suffix: str = "KING") -> AcrosticCheck:
    """Does a sentence spell a team's initials and then a word, from its fifth word on?

    A word begins with a letter and goes on with letters, apostrophes and hyphens; case does not count.

    Args:
        sentence: The whole body.
        team: Its full name.
        suffix: What follows the initials: letters only.

    Raises:
        ArgumentError: an argument is no text, the team has no word, or the suffix has something else than letters.
    """
    initials = _initials(text("team", team))
    if not initials:
        raise ArgumentError("team has no word; give the full name of a team")
    if text("suffix", suffix) and not _LETTERS.fullmatch(suffix):
        raise ArgumentError("suffix has something else than letters; give letters from A to Z")
    seq = initials + suffix.upper()
    said = _initials(text("sentence", sentence))
    return {
        "starts": said[_SPELLED_FROM : _SPELLED_FROM + 1] == seq[0],
        "complete": said[_SPELLED_FROM:].startswith(seq),
        "max20": len(said) <= MOST_ACROSTIC_WORDS,
        "seq": seq,
    }


def _initials(passage: Any) -> str:
    """The first letters of the words of a passage, in capitals."""
    return "".join(word[0][0] for word in _WORD.finditer(passage)).upper()
