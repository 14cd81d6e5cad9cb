"""A keyword at the start and one at the end: either they stand apart, or they are the whole text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evolif.audit._bounds import Active, edge_keyword, held
from evolif.constraints import lower_limit, upper_limit
from evolif.text import count_words, fold, is_skippable
from evolif.witness import overlaps


def refute_edges(active: Active) -> str | None:
    """Why the two keywords cannot both stand where they must; None where they may."""
    start, end = edge_keyword(active, "start_with"), edge_keyword(active, "end_with")
    if start is None or end is None or any(len(fold(k)) != len(k) for k in (start, end)):
        return None
    counts: Mapping[str, int] = active["existence"]["counts"] if "existence" in active else {}
    crowded = next((w for w, n in counts.items() if held(start, w) + held(end, w) > n), None)
    if crowded is None:
        return None
    wholes = _wholes(start, end)
    faults = [_fault(whole, active, counts) for whole in wholes]
    if not all(faults):
        return None
    apart = f"“{crowded}” may occur {counts[crowded]}×, so “{start}” at the start and “{end}” at the end cannot both be"
    if not wholes:
        return apart
    return f"{apart} unless the text is “{wholes[0]}” alone, and then {faults[0]}"


def _wholes(start: str, end: str) -> list[str]:
    """Texts that start with the one and end with the other, where the two share letters."""
    found = [text for text in overlaps(start, end) if fold(text).endswith(fold(end))]
    found += [end] if fold(end).startswith(fold(start)) else []
    return list(dict.fromkeys(map(fold, found)))


def _fault(whole: str, active: Active, counts: Mapping[str, int]) -> str | None:
    """What is wrong with a text that holds this and else only signs that the edges skip."""
    faults = (_occurrences(whole, active, counts), _length(whole, active), _signs(whole, active))
    return next((fault for fault in faults if fault), None)


def _occurrences(whole: str, active: Active, counts: Mapping[str, int]) -> str | None:
    for word, count in counts.items():
        if held(whole, word) != count:
            return f"“{word}” occurs {held(whole, word)}×"
    forbidden: Iterable[str] = active.get("forbidden", {}).get("keywords", ())
    return next((f"it holds “{word}”" for word in forbidden if held(whole, word)), None)


def _length(whole: str, active: Active) -> str | None:
    words = count_words(whole)
    for unit in ("words", "sentences"):
        if lower_limit(active.get("length"), unit) > words:
            return f"it has too few {unit}"
    limit = upper_limit(active.get("length"), "words")
    return "it has too many words" if limit is not None and words > limit else None


def _signs(whole: str, active: Active) -> str | None:
    punctuation = active.get("punctuation", {})
    mark = str(punctuation.get("mark", ""))
    if punctuation.get("mode") == "include" and fold(mark) not in whole and not any(map(is_skippable, mark)):
        return f"“{mark}” has no place"
    if "case" in active and not any(c.lower() != c.upper() for c in whole):
        return "no letter has a case"
    return None
