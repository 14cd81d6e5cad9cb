"""Cue lists, kept as data that a person can read and extend, compiled when they are first asked for.

General cues stand in `seeds/cues/`, a group's own vocabulary under `heard` in `constraints/GROUP.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evolif.errors import EvolifError, InputError
from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.queries.reading import MASK
from evolif.util.nltk_part import nltk_part
from evolif.util.resources import data_path, load_data

_BLANK = r"\s{1,4}"
"""Bounded, as words are, so that a run of blanks or letters costs no more than its length."""
_WORDS = {r"\w+": r"\w{1,40}", r"\w*": r"\w{0,40}", r"\S+": r"\S{1,40}", r"\W*": r"\W{0,8}", r"\W+": r"\W{1,8}"}
_NOT = r"(?:n'?t|'t|(?<=can)t)"
"""What denies an auxiliary; `dont` and `cant` are typed, too."""
_ANY_NOT = r"(?:\w{1,40}n't|(?:do|does|did|is|are|was|were|has|have|had|would|could|should|must|need|ca|wo)nt)"
_TOKEN = re.compile(
    r"(?P<behind>\(\?<[!=](?:\\.|[^()\\]|\([^()]*\))*\))|(?P<any_not>\\w\+n't)|(?P<no>n't)|(?P<word>\\[wWS][+*])|\\.|(?P<set>\[(?:\\.|[^\]\\])*\])"
    r"|\(\?P<\w+>|<(?P<name>[a-z_]+)>|\(\?|(?P<group>\()|(?P<blank> +)"
)


class Cues:
    """Lists of cues by key.

    A list is one pattern; a mapping of lists is one pattern with a named group for each key.

    Args:
        data: Lists of fragments, or mappings of such.
        words: Lists that a fragment names as `<name>`.
        path: Where they come from, for error messages.
    """

    def __init__(self, data: Mapping[str, Any], words: Mapping[str, Iterable[str]], path: Path | None = None) -> None:
        self._data = data
        self.words = words
        self._path = path
        self._compiled: dict[tuple[str, ...], re.Pattern[str]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._data

    def keys(self, name: str) -> tuple[str, ...]:
        """The keys of a list that is divided further."""
        return tuple(self._data[name])

    def fragments(self, *path: str) -> tuple[str, ...]:
        """The fragments of a list, as they are written."""
        return tuple(self._at(path))

    def anywhere(self, *path: str, marks: str = "") -> re.Pattern[str]:
        """Whole words, wherever they stand.

        Args:
            path: The keys that lead to the list.
            marks: A regular expression of punctuation that does as well.
        """
        return self.framed(*path, right=f"|{marks}" if marks else "")

    def before(self, *path: str, marks: str = "") -> re.Pattern[str]:
        """Words right before a place: to be searched for in what ends there. A quotation mark may part them."""
        return self.framed(*path, left="(", right=(f"|{marks}" if marks else "") + ")( )?[\"'“‘`]?$")

    def after(self, *path: str) -> re.Pattern[str]:
        """Words right behind a place: to be matched there. A quotation mark may part them."""
        return self.framed(*path, left="[\"'”’`]?( )?")

    def framed(self, *path: str, left: str = "", right: str = "") -> re.Pattern[str]:
        """Whole words between two fragments."""
        key = (*path, left, right)
        compiled = self._compiled.get(key)
        if compiled is None:
            opening, closing = fragment_source(left, self.words), fragment_source(right, self.words)
            compiled = self._compile(rf"{opening}(?<!\w)(?:{self._source(path)})(?!\w){closing}", path)
            self._compiled[key] = compiled
        return compiled

    def _source(self, path: tuple[str, ...]) -> str:
        node = self._at(path)
        if isinstance(node, Mapping):
            return "|".join(f"(?P<{key}>{self._joined(fragments)})" for key, fragments in node.items())
        return self._joined(node)

    def _at(self, path: tuple[str, ...]) -> Any:
        node: Any = self._data
        for key in path:
            node = node[key]
        return node

    def _joined(self, fragments: Iterable[str]) -> str:
        return "|".join(fragment_source(fragment, self.words) for fragment in fragments)

    def _compile(self, source: str, path: tuple[str, ...]) -> re.Pattern[str]:
        try:
            return re.compile(source)
        except re.error as fault:
            raise InputError(f"{'.'.join(path)}: {fault.msg}; mend the regular expression", path=self._path) from None


def fragment_source(fragment: str, words: Mapping[str, Iterable[str]]) -> str:
    """The regular expression that a fragment is short for.

    Args:
        fragment: As in `seeds/cues/`.
        words: What `<name>` stands for.
    """

    def expand(match: re.Match[str]) -> str:
        found = match.group()
        if match["any_not"] or match["no"]:
            return _ANY_NOT if match["any_not"] else _NOT
        if match["word"]:
            return _WORDS[found]
        if match["behind"] or match["set"]:  # of fixed width
            return found.replace(" ", r"\s")
        if match["name"] == "value":
            return MASK
        if match["name"]:
            return f"(?:{'|'.join(fragment_source(word, words) for word in words[match['name']])})"
        return "(?:" if match["group"] else _BLANK if match["blank"] else found

    return _TOKEN.sub(expand, fragment)


@lru_cache(maxsize=1)
def cues() -> Cues:
    """The general cues: all files of `seeds/cues`."""
    folder = data_path("seeds", "cues")
    data: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        lists = load_data(path)
        if not isinstance(lists, dict) or not data.keys().isdisjoint(lists):
            raise InputError("is no mapping of cue lists, or one of them has another file's name", path=path)
        data |= lists
    return Cues(data, data["words"], folder)


@lru_cache(maxsize=64)
def heard(group: str) -> Cues:
    """A group's own vocabulary: `heard` in its data file; empty where it has none, as groups from elsewhere may."""
    try:
        data = get_group(group).data.get("heard", {})
    except EvolifError:  # an unknown group of a foreign file, or a plug-in without a data file
        data = {}
    return Cues(data, {**cues().words, **data.get("words", {})}, Path(f"{group}.yaml"))


def whole_words(fragments: Iterable[str]) -> re.Pattern[str]:
    """One pattern of fragments that stand in no list."""
    return Cues({"": list(fragments)}, cues().words).anywhere("")


# Words in any inflection: spaCy's English lemmas where the extra `nlp` is installed, Porter's stems where not.

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")


def word_stems(text: str) -> list[str]:
    """The words of a text, each by what it has in common with its other forms."""
    stem = _stemmer()
    return [
        stem(word.casefold().removesuffix("'s")) for word in _WORD.findall(text.replace("’", "'").replace("-", " "))
    ]


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    porter = nltk_part("stem.porter").PorterStemmer()
    lemma = _lemmatizer()

    @lru_cache(maxsize=50_000)
    def stem(word: str) -> str:
        return str(porter.stem(lemma(word)))

    return stem


def _lemmatizer() -> Callable[[str], str]:
    """Irregular forms (mice, went) by spaCy's tables; the word itself where they are not installed."""
    if find_spec("spacy") is None or find_spec("spacy_lookups_data") is None:
        return str
    from spacy.lookups import load_lookups

    tables: Any = load_lookups("en", ["lemma_exc"])
    exceptions = tables.get_table("lemma_exc")

    def lemma(word: str) -> str:
        for kind in ("noun", "verb", "adj", "adv"):
            known = exceptions.get(kind, {}).get(word)
            if known:
                return str(known[0])
        return word

    return lemma
