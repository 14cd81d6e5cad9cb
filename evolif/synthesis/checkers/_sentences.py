"""Reads rules on sentences: the most words of each, the number of questions, a different first word for each."""

from __future__ import annotations

import re

from evolif.domain import Finding
from evolif.synthesis.checkers._claims import Change, missing
from evolif.synthesis.checkers._counted import Thing, read_counted
from evolif.synthesis.checkers._cues import heard
from evolif.synthesis.checkers._removal import removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query

_QUESTIONS = Thing("questions", "sentences", "questions")
_MAX_WORDS = Thing("words per sentence", "sentences", "max_words", most=True)


def read_sentences(query: Query, change: Change) -> list[Finding]:
    """Findings on rules about sentences."""
    mode = change.params["mode"]
    if mode != "distinct_starts":
        return read_counted(query, change, _MAX_WORDS if mode == "max_words" else _QUESTIONS)
    if change.kind == "remove":
        return removed(query, change, _cue("nouns"), free=_cue("free"))
    said = [m for m in _cue("said").finditer(query.shadow) if _of_starts(query, m.start())]
    fine = ("new", "was") if change.kind == "add" else ("new",)
    if not any(role_of(query, *m.span()) in fine for m in said):
        return [missing(change, "it does not say that every sentence starts with a different word")]
    return next(([missing(change, fault, m.span())] for m in said if (fault := _fault(query, m))), [])


def _cue(key: str) -> re.Pattern[str]:
    return heard("sentences").anywhere("distinct_starts", key)


def _of_starts(query: Query, at: int) -> bool:
    """Whether the sentence speaks of how sentences start."""
    low, high = query.sentence(at)
    return all(_cue(key).search(query.shadow, low, high) is not None for key in ("starts", "sentence"))


def _fault(query: Query, match: re.Match[str]) -> str:
    """What is wrong with a way to say it: `the same word` has to be denied, `a different word` must not be."""
    same = _cue("same").match(match.group()) is not None
    denied = _cue("denied").search(query.shadow, query.sentence(match.start())[0], match.end()) is not None
    if same and not denied:
        return "it asks for the same word, not for different ones"
    by_itself = _cue("denied_itself").match(match.group()) is not None
    if denied and not same and not by_itself and _cue("not_different").search(query.shadow):
        return "it does not ask for different words"
    return ""
