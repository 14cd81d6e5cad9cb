"""The noun phrases of a turn: subjects, objects and others.

They are found by spaCy where its English weights are installed, by TextBlob where they are not (extra `games`), or by a
function. Neither needs a network.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any, Final, Literal, TypeAlias, TypedDict

from evolif.errors import ArgumentError, UsageError
from evolif.scenarios.games.arguments import text_of

Role: TypeAlias = Literal["subj", "obj", "other"]
Parsed: TypeAlias = Mapping[str, object]
"""Lists of noun phrases by role."""
Parser: TypeAlias = str | Callable[[str], Parsed]
"""`spacy`, `textblob`, or a function from a text to its noun phrases by role."""

ROLES: Final[tuple[Role, ...]] = ("subj", "obj", "other")
MOST_CHARACTERS = 4_000
"""Of a turn, what is parsed; turns of games are much shorter."""
_WEIGHTS = "en_core_web_sm"
_LEADING = frozenset(
    "a an the this that these those my your his her its our their whose each every either neither some any no all "
    "both another such what which".split()
)
"""Determiners and possessives, which are dropped before a noun."""
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_OBJECTS = frozenset({"dobj", "iobj", "pobj"})


class Phrases(TypedDict):
    """The noun phrases of a turn, in lower case and without punctuation.

    Attributes:
        subj: Subjects, in order.
        obj: Objects.
        other: The rest.
    """

    subj: list[str]
    obj: list[str]
    other: list[str]


def phrases(text: str, parser: Parser | None = None) -> Phrases:
    """Find the noun phrases of a turn.

    Args:
        text: What was said; its first `MOST_CHARACTERS` are read.
        parser: `spacy`, `textblob` or a function; None for the best that is installed.

    Returns:
        Them, in lower case, without punctuation, leading determiners and possessives.

    Raises:
        ArgumentError: there is no such parser, or a function does not return lists of texts by role.
        UsageError: the parser, or any, is not installed.
    """
    found = _open(parser)(text_of(text)[:MOST_CHARACTERS])
    subj, obj, other = (_tidied(listed(found, role)) for role in ROLES)
    return {"subj": subj, "obj": obj, "other": other}


def parser_name(parser: Parser | None = None) -> str | None:
    """The name of a parser with its version, to stand beside coherence in reports; None if it is not installed.

    Args:
        parser: As for `phrases`.

    Raises:
        ArgumentError: there is no such parser.
    """
    if callable(parser):
        return str(getattr(parser, "__name__", type(parser).__name__))
    name = _installed(parser)
    if name == "spacy":
        weights = _spacy().meta
        return f"spacy-{metadata.version('spacy')}/{weights['lang']}_{weights['name']}-{weights['version']}"
    return None if name is None else f"textblob-{metadata.version('textblob')}"


def listed(turn: Parsed, role: Role) -> list[str]:
    """The noun phrases of a turn in one role, none if it is missing.

    Raises:
        ArgumentError: they are no list of texts.
    """
    found = turn.get(role, ()) if isinstance(turn, Mapping) else None
    if not isinstance(found, list | tuple) or not all(isinstance(phrase, str) for phrase in found):
        raise ArgumentError(f"noun phrases are lists of texts under {', '.join(ROLES)}, not {found!r:.80}")
    return list(found)


def _open(parser: Parser | None) -> Callable[[str], Parsed]:
    if callable(parser):
        return parser
    name = _installed(parser)
    if name is not None:
        return _by_spacy if name == "spacy" else _by_textblob
    if parser == "spacy":
        raise UsageError(
            f"spaCy or its weights {_WEIGHTS} are not installed, or do not fit each other; use the parser textblob."
        )
    raise UsageError(
        "noun phrases are found by TextBlob: install the extra `games` (in a checkout: pip install -e '.[games]')."
    )


def _installed(parser: str | None) -> str | None:
    """The parser that is meant, if it is there."""
    if parser not in (None, "spacy", "textblob"):
        raise ArgumentError(f"there is no parser {parser!r}; give spacy, textblob or a function")
    if parser in (None, "spacy") and _spacy() is not None:
        return "spacy"
    return "textblob" if parser in (None, "textblob") and find_spec("textblob") else None


_APOSTROPHES = re.compile("['’‘]")
_MARKS = re.compile(r"[\W_]+")


def _tidied(found: Iterable[str]) -> list[str]:
    return [phrase for phrase in map(_tidy, found) if phrase]


def _tidy(phrase: str) -> str:
    """A phrase in the form in which it is compared."""
    words = _MARKS.sub(" ", _APOSTROPHES.sub("", phrase.lower())).split()
    # The last word stays, for it may be a pronoun: “that”, “her”.
    first = next((at for at, word in enumerate(words) if word not in _LEADING), len(words) - 1)
    return " ".join(words[first:]) if words else ""


@lru_cache(maxsize=1)
def _spacy() -> Any:
    """SpaCy's English pipeline; None without it, without its weights, or with those of another version."""
    if find_spec("spacy") is None or find_spec(_WEIGHTS) is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # weights of another version warn before they fail
            return import_module(_WEIGHTS).load()
    except (ImportError, OSError, ValueError):
        return None


def _by_spacy(text: str) -> Parsed:
    found = Phrases(subj=[], obj=[], other=[])
    for chunk in _spacy()(text).noun_chunks:
        roles = {token.dep_ for token in chunk}
        role: Role = "subj" if roles & _SUBJECTS else "obj" if roles & _OBJECTS else "other"
        found[role].append(chunk.text)
    return found


@lru_cache(maxsize=1)
def _textblob() -> Any:
    """TextBlob's English parser, with its lexicon read."""
    parser = import_module("textblob.en")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves the files of its lexicon open
        parser.parse("A lamp stands here.", relations=False, lemmata=False)
    return parser


def _by_textblob(text: str) -> Parsed:
    found = Phrases(subj=[], obj=[], other=[])
    # A line break ends a sentence, as it does elsewhere; TextBlob would read on, and join nouns of two lines.
    lines = (line for line in _in_full(text).splitlines() if line.strip())
    tagged = (str(_textblob().parse(line, relations=False, lemmata=False)) for line in lines)
    for sentence in (sentence for line in tagged for sentence in line.split("\n")):
        tokens = [token.split("/") for token in sentence.split(" ") if token.count("/") == 3]
        for role, words in _chunks(tokens):
            found[role].append(" ".join(words).replace("&slash;", "/"))
    return found


# TextBlob splits “isn't” into “is”, “n”, an apostrophe and “t”, and calls two of them nouns. Full words it reads well.
_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}
_NOT = re.compile(r"(?<=[^\W\d_])n't\b|\b(ca|wo|sha)n't\b", re.IGNORECASE)
_VERBS = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_VERB = re.compile(r"(?<=[^\W\d_])'(m|re|ve|ll|d)\b", re.IGNORECASE)
_IS = re.compile(r"\b(it|he|she|that|this|there|here|what|where|who|how)'s\b", re.IGNORECASE)
_OWNS = re.compile(r"(?<=[^\W\d_])'s?(?!\w)", re.IGNORECASE)


def _in_full(text: str) -> str:
    """A text without contractions and apostrophes of possession."""
    text = _APOSTROPHES.sub("'", text)
    text = _NOT.sub(lambda match: f"{_STEMS[match[1].lower()]} not" if match[1] else " not", text)
    text = _VERB.sub(lambda match: f" {_VERBS[match[1].lower()]}", text)
    return _OWNS.sub("", _IS.sub(r"\1 is", text))


def _chunks(tokens: Sequence[Sequence[str]]) -> Iterator[tuple[Role, list[str]]]:
    """The noun phrases of one sentence with their roles.

    Args:
        tokens: Word, part of speech, tag of the phrase, and tag of the prepositional phrase.
    """
    verb = next((at for at, token in enumerate(tokens) if token[2].endswith("-VP")), None)
    words: list[str] = []
    role: Role = "other"
    for at, (word, _, phrase, preposition) in enumerate(tokens):
        if phrase == "I-NP" and words:
            words.append(word)
            continue
        if words:
            yield role, words
        words = []
        if phrase.endswith("-NP"):
            words = [word]
            role = _role(at, verb, preposition != "O")
    if words:
        yield role, words


def _role(at: int, verb: int | None, in_preposition: bool) -> Role:
    if in_preposition:
        return "obj"
    if verb is None:
        return "other"
    return "subj" if at < verb else "obj"
