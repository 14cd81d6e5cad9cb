"""The small pattern language of the lint's data files, which people who write no regular expressions can extend.

    word        that word, whatever its case; a capital first letter stands for itself. Hyphens count as spaces
    word*       that word with any ending
    (a|b c|d)   one of these; [a|b] the same, or nothing
    <name>      one of a named set
    #  ##       a number, in digits or as a word; ## is two or more
    _           any one word
    ~3          up to three words of the same sentence; ~3!to none of which is *to*
    .           the start or the end of a sentence

A pattern becomes a regular expression without nested repetition, tried only on texts that hold one of its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError
from evolif.catalogue._words import NUMBER_WORDS, function_words

_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'"})
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+(?:'[^\W_]+)*|[.!?;:]+(?=\s|\Z|[\"”)])")
_PART = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]|<(\w+)>|(##?)|(_)(?!\w)|~(\d{1,2})(?:!([a-z]+))?|([\w']+\*?|\.)")
_OPTION = re.compile(r"[\w'* #-]*[\w'*#]|\.")
_NUMBER = rf"(?:(?:\d\S*|(?i:{'|'.join(sorted(NUMBER_WORDS))})) ){{1,3}}"
_ONE = r"(?!(?:1|(?i:one)) )"
_WORD = r"(?!\. )\S+ "


@dataclass(frozen=True, slots=True)
class Match:
    """Words of a text that a pattern of a category fits."""

    category: str
    found: str


@dataclass(frozen=True, slots=True)
class _Pattern:
    category: str
    expression: re.Pattern[str]
    words: frozenset[str]
    """Whole words of which a text must hold one, in lower case."""
    prefixes: tuple[str, ...]


class PatternFile:
    """The patterns of a YAML file: `sets: {name: [words]}` and `patterns: {category: [patterns]}`."""

    def __init__(self, path: Path) -> None:
        """Read and compile a file.

        Raises:
            InputError: not of that form; names the pattern.
        """
        self._by_word: dict[str, list[_Pattern]] = {}
        self._by_prefix: list[_Pattern] = []
        data = load_yaml(path)
        if not isinstance(data, dict) or not isinstance(data.get("patterns"), dict):
            raise InputError("needs “patterns”: a mapping of categories to lists", path=path)
        sets = {str(name): tuple(map(str, words)) for name, words in (data.get("sets") or {}).items()}
        for category, patterns in data["patterns"].items():
            for source in patterns:
                try:
                    self._add(_compile(str(category), str(source), sets))
                except ValueError as fault:
                    raise InputError(f"the pattern “{source}” {fault}", path=path) from None

    def _add(self, pattern: _Pattern) -> None:
        if pattern.prefixes:
            self._by_prefix.append(pattern)
        for word in () if pattern.prefixes else pattern.words:
            self._by_word.setdefault(word, []).append(pattern)

    def search(self, text: str) -> list[Match]:
        """What fits, the first match of every category, in the order of the file's categories as far as they met."""
        tokens = [token if token[0].isalnum() else "." for token in _TOKEN.findall(text.translate(_PLAIN))]
        line = " ".join([".", *tokens, ". "])
        held = {token.lower() for token in tokens}
        found: dict[str, Match] = {}
        for pattern in self._candidates(held):
            if pattern.category not in found and (match := pattern.expression.search(line)):
                found[pattern.category] = Match(pattern.category, match[0].replace(".", " ").strip())
        return list(found.values())

    def _candidates(self, held: set[str]) -> Iterator[_Pattern]:
        for word in sorted(held & self._by_word.keys()):
            yield from self._by_word[word]
        for pattern in self._by_prefix:
            if pattern.words & held or any(token.startswith(pattern.prefixes) for token in held):
                yield pattern


@lru_cache(maxsize=8)
def load_patterns(*parts: str) -> PatternFile:
    """The pattern file of the catalogues at that place, read once."""
    return PatternFile(data_path(*parts))


def _compile(category: str, source: str, sets: Mapping[str, Sequence[str]]) -> _Pattern:
    pieces: list[str] = []
    anchors: list[tuple[str, ...]] = []
    at = 0
    source = source.replace("-", " ")
    for part in _PART.finditer(source):
        if source[at : part.start()].strip():
            raise ValueError(f"has “{source[at : part.start()].strip()}”, which means nothing here")
        at = part.end()
        piece, options = _piece(part, sets)
        pieces.append(piece)
        if options:
            anchors.append(options)
    if source[at:].strip() or not anchors:
        raise ValueError("cannot be read to its end" if source[at:].strip() else "holds no word of its own")
    chosen = min(anchors, key=_commonness)
    first = [_first_word(option).lower() for option in chosen]
    return _Pattern(
        category,
        re.compile(r"(?<!\S)" + "".join(pieces)),
        frozenset(word for word in first if not word.endswith("*")),
        tuple(word[:-1] for word in first if word.endswith("*")),
    )


def _piece(part: re.Match[str], sets: Mapping[str, Sequence[str]]) -> tuple[str, tuple[str, ...]]:
    """The expression of a part, and the words of which it needs one."""
    group, optional, name, number, any_word, gap, without, word = part.groups()
    if number:
        return (_ONE if number == "##" else "") + _NUMBER, ()
    if any_word:
        return _WORD, ()
    if gap:
        barred = rf"(?!(?i:{without}) )" if without else ""
        return rf"(?:{barred}{_WORD}){{0,{gap}}}", ()
    if name is not None and name not in sets:
        raise ValueError(f"names the set <{name}>, which is not there")
    options = sets[name] if name else (word,) if word else _options(group or optional or "", sets)
    either = "|".join(map(_literal, options))
    if optional is not None:
        return f"(?:{either})?", ()
    return f"(?:{either})", tuple(options) if all(map(_first_word, options)) else ()


def _options(text: str, sets: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    options: list[str] = []
    for option in text.split("|"):
        name = option.strip().removeprefix("<").removesuffix(">")
        options += sets[name] if option.strip().startswith("<") and name in sets else [option.strip()]
    wrong = next((option for option in options if not _OPTION.fullmatch(option)), None)
    if wrong is not None:
        raise ValueError(f"has the alternative “{wrong}”; alternatives are words, # or a <set>")
    return tuple(options)


def _literal(option: str) -> str:
    """Words as an expression: each ends at a space, or goes on where a star stands."""
    return "".join(map(_word, option.replace("-", " ").split()))


def _word(word: str) -> str:
    if word == ".":
        return r"\. "
    if word in "_#":
        return _WORD if word == "_" else _NUMBER
    bare = word.removesuffix("*")
    written = re.escape(bare) if bare[:1].isupper() else f"(?i:{re.escape(bare)})"
    return written + (r"\S* " if word.endswith("*") else " ")


def _commonness(options: Iterable[str]) -> tuple[int, int]:
    """How often texts will hold one of these words: function words first, then their number."""
    first = [_first_word(option) for option in options]
    return sum(word in function_words() for word in first), len(first)


def _first_word(option: str) -> str:
    """The first word of an option that is no sign; empty where there is none."""
    return next((word for word in option.replace("-", " ").split() if word not in "#_."), "")
