"""The cue lists of `seeds/cues.yaml`, compiled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    path = data_path("seeds", "cues.yaml")
    data = load_yaml(path)
    if not isinstance(data, dict):
        raise InputError("is no mapping of cue lists", path=path)
    return data


@lru_cache(maxsize=64)
def cue_pattern(*path: str) -> re.Pattern[str]:
    """All cues of one list, as one pattern of whole words, e.g. `cue_pattern("lift")`."""
    node: Any = _data()
    for key in path:
        node = node[key]
    return whole_words(node)


def cue_keys(name: str) -> tuple[str, ...]:
    """The keys of a list that is divided further."""
    return tuple(_data()[name])


def whole_words(fragments: Iterable[str]) -> re.Pattern[str]:
    """One pattern of several fragments; a blank stands for any white space."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(fragment.replace(' ', _BLANK) for fragment in fragments)})(?!\w)")


_BLANK = r"\s{1,4}"
"""Bounded, so that a run of blanks costs no more than its length."""
