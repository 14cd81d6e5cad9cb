"""Room: whether everything that must stand in an answer fits into its length, and whether a list can be that long.

What each piece takes at least is data (`room_…` in `constraints/compatibility-everyday.yaml`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from evolif.scenarios.instructions.constraints.base import (
    Active,
    Conflict,
    least_count,
    lower_limit,
    required_words,
    upper_limit,
)
from evolif.scenarios.instructions.constraints.literals import label_texts, phrases, possible, whole_sentences
from evolif.scenarios.instructions.constraints.relations import limits
from evolif.scenarios.instructions.turns import Params
from evolif.text import count_words

_Budgets = Mapping[str, Any]
_SOME = 2
"""One item is no list, and one unit is not every unit."""
_TABLE_LINES = 3
"""A header and two rows."""


class _Piece(NamedTuple):
    """What a group must have: how many of what, and how much each takes."""

    group: str
    number: int
    sentences: int = 0
    lines: int = 0
    paragraphs: int = 0
    words: int = 0
    characters: int = 0


def room_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """More than fits into the length, or a length that the shape of the answer cannot reach."""
    found = next(filter(None, (find(active, budgets) for find in (_list_conflict, _too_much, _too_little))), None)
    return found and replace(found, groups=tuple(group for group in found.groups if group in active))


def least_items(active: Active) -> int:
    """How many items of a list are needed; 0 without a list."""
    items = least_count(active["bullets"], _SOME) if "bullets" in active else 0
    placement = active.get("placement", {})
    if placement.get("mode") == "unit_start" and placement["unit"] == "item":
        items = max(items, _which(placement))
    if active.get("part_length", {}).get("unit") == "item" or active.get("emoji", {}).get("place") == "each_item":
        items = max(items, _SOME)
    return items


def most_items(active: Active) -> int | None:
    """How many items the list may have; None without a limit."""
    return limits(active["bullets"])[1] if "bullets" in active else None


def labels_in_items(active: Active) -> bool:
    """Whether labels stand in the items of a list: nothing may stand outside, or they would be items themselves."""
    bullets = active.get("bullets", {"kind": "either"})
    reads_points = bullets.get("kind") == "either" or "item" in (
        active.get("part_length", {}).get("unit"),
        str(active.get("emoji", {}).get("place")).removeprefix("each_"),
    )
    return bool(bullets.get("only") or ("noun" in active.get("labels", ()) and reads_points))


def _which(placement: Params) -> int:
    which = placement.get("which", "every")
    return _SOME if which == "every" else max(1, int(which))


def _list_conflict(active: Active, budgets: _Budgets) -> Conflict | None:
    """More items, or labels in items, than a list or its paragraph may have."""
    items, most = least_items(active), most_items(active)
    if not items:
        return None
    if most is not None and items > most:
        groups = ("bullets", "placement", "part_length", "emoji")
        return Conflict("items-limit", groups, f"{items} items are needed, and {most} allowed")
    labels = sum(1 for _ in label_texts(active.get("labels"))) if labels_in_items(active) else 0
    if most is not None and labels > most:
        return Conflict("labels-in-items", ("labels", "bullets"), f"{labels} labels do not fit into {most} items")
    is_titled = active.get("headings", {}).get("relation") == "title"
    if is_titled and labels and active["labels"].get("only"):
        return Conflict("title-before-label", ("headings", "labels"), "the title stands before the first label")
    longest = _paragraph_sentences(active)
    if longest is not None and max(items, labels) > longest:
        return Conflict("list-paragraph", ("bullets", "part_length"), "a list is one paragraph")
    return None


def _paragraph_sentences(active: Active) -> int | None:
    """The most sentences of a paragraph; None without a limit."""
    part = active.get("part_length", {})
    is_limited = (part.get("unit"), part.get("measure")) == ("paragraph", "sentences")
    return limits(part)[1] if is_limited else None


def _too_much(active: Active, budgets: _Budgets) -> Conflict | None:
    """Pieces that take more than is allowed."""
    length, longest = active.get("length"), _paragraph_sentences(active)
    if length is None and longest is None:
        return None
    pieces = list(_pieces(active, least_items(active), budgets))
    is_list = bool(active.get("bullets", {}).get("only"))
    paragraphs = 1 if is_list else upper_limit(length, "paragraphs")
    if paragraphs is not None and longest is not None:
        needed = sum(piece.number * piece.sentences for piece in pieces)
        lines = lower_limit(length, "lines") if is_list else 0
        if max(needed, lines, lower_limit(length, "sentences")) > paragraphs * longest:
            reason = f"they hold {paragraphs * longest} sentences at most"
            return Conflict("short-paragraphs", ("part_length", "length"), reason)
    unit = length["unit"] if length else ""
    limit = upper_limit(length, unit)
    total = sum(piece.number * getattr(piece, unit) for piece in pieces) if limit is not None else 0
    if limit is None or total <= limit:
        return None
    groups = [piece.group for piece in pieces if piece.number and getattr(piece, unit)]
    reason = f"they take at least {total} {unit}, and {limit} are allowed"
    return Conflict("room", tuple(dict.fromkeys((*groups, "length"))), reason)


def _pieces(active: Active, items: int, budgets: _Budgets) -> Iterator[_Piece]:
    def least(kind: str) -> dict[str, int]:
        words, characters = budgets[f"room_{kind}"]
        return {"words": words, "characters": characters}

    labels = list(label_texts(active.get("labels")))
    in_items = bool(items and labels and labels_in_items(active))
    if items:
        listed = max(items, len(labels)) if in_items else items
        yield _Piece("bullets", listed, sentences=1, lines=1, **least("item"))
        yield _Piece("bullets", 1, paragraphs=1)
    for label in labels:
        alone = 0 if in_items else 1
        size = {"words": count_words(label), "characters": len(label) + 2}
        rest = {} if in_items else least("label")
        yield _Piece("labels", 1, alone, alone, **{unit: size[unit] + rest.get(unit, 0) for unit in size})
    if labels and not in_items:
        yield _Piece("labels", 1, paragraphs=1)
    if "headings" in active:
        yield _Piece("headings", least_count(active["headings"]), lines=1, **least("heading"))
    yield from _shape_pieces(active, budgets, least("cell"), least("field"))
    yield from _given_pieces(active, least("hashtag"))
    outside = 0 if in_items else len(labels)
    yield from _unit_pieces(active, items, outside, bool(items) + outside, least("sentence"))


def _shape_pieces(
    active: Active, budgets: _Budgets, cell: Mapping[str, int], field: Mapping[str, int]
) -> Iterator[_Piece]:
    fmt = active.get("format", {})
    if fmt.get("mode") == "table":
        columns = len(fmt.get("columns", ())) or fmt.get("column_count") or 2
        yield _Piece("format", 1, lines=_TABLE_LINES)
        yield _Piece("format", _TABLE_LINES * columns, **cell)
    elif fmt.get("keys"):
        names = fmt["keys"]
        words, characters = sum(map(count_words, names)), sum(map(len, names))
        yield _Piece("format", 1, words=words + len(names), characters=characters + 12 * len(names))
    elif "count" in fmt:
        yield _Piece("format", fmt["count"], **field)


def _given_pieces(active: Active, hashtag: Mapping[str, int]) -> Iterator[_Piece]:
    """Given texts, of which only the start may be a sentence by itself, and keywords."""
    for literal in phrases(active):
        texts = possible(literal, active)
        if not texts:
            continue
        text = min(texts, key=lambda t: (whole_sentences(t), count_words(t)))
        times = 1
        if literal.group == "placement" and active["placement"].get("which", "every") == "every":
            times = _SOME
        sentences = whole_sentences(text) if literal.group == "start_with" else 0
        lines = sentences if active.get("part_length", {}).get("unit") == "line" else 0
        yield _Piece(literal.group, times, sentences, lines, words=count_words(text), characters=len(text) + 1)
    if "hashtags" in active:
        yield _Piece("hashtags", least_count(active["hashtags"]), **hashtag)
    for word, count in required_words(active).items():
        yield _Piece("existence", count, words=count_words(word) + 1, characters=len(word) + 1)
    if "use" in active.get("person", {}):
        yield _Piece("person", 1, words=1, characters=3)


def _unit_pieces(active: Active, items: int, labels: int, blocks: int, least: Mapping[str, int]) -> Iterator[_Piece]:
    """Text beside the list: between marks, under the phrase at the start, in other units."""
    fmt = active.get("format", {})
    if fmt.get("mode") in ("comma_list", "literal_list") or (fmt.get("mode") == "table" and fmt.get("only")):
        return
    placement = active.get("placement", {})
    wanted = 1
    if placement.get("mode") == "unit_start" and placement["unit"] != "item":
        wanted = _which(placement)
        unit, count = placement["unit"], wanted - (items if placement["unit"] != "paragraph" else min(items, 1))
        if count > 0:
            each = {f"{unit}s": 1, "sentences": 1, "lines": 1}
            yield _Piece("placement", count, **each, **least)
        if unit != "paragraph" and not (items or labels):
            yield _Piece("placement", 1, paragraphs=1)
    elif not (items or labels):
        yield _Piece("length", 1, sentences=1, lines=1, paragraphs=1, **least)
    has_headings = least_count(active.get("headings", {"relation": "none"})) > 0
    if has_headings and active.get("labels", {}).get("only") and labels_in_items(active):
        yield _Piece("headings", 1, sentences=1, lines=1, paragraphs=1, **least)
    if has_headings and "wrap" in active and blocks < _SOME:
        yield _Piece("headings", 1, sentences=1, lines=1, paragraphs=1, **least)
    if fmt.get("mode") == "table" and sum(_edges(active)) > max(1, blocks):
        yield _Piece("format", 1, sentences=1, lines=1, paragraphs=1, **least)
    is_begun = active.get("bullets", {}).get("kind") == "numbered" or placement.get("unit") == "item"
    if (items and is_begun and "start_with" in active) or ("wrap" in active and (items or labels)):
        yield _Piece("wrap" if "wrap" in active else "start_with", 1, sentences=1, lines=1, paragraphs=1, **least)


def _edges(active: Active) -> tuple[bool, bool]:
    """Whether something must stand before a table, and behind it."""
    starts = "start_with" in active or "wrap" in active or bool(active.get("labels", {}).get("only"))
    ends = "end_with" in active or "wrap" in active or active.get("emoji", {}).get("place") == "end"
    return starts, ends


def _too_little(active: Active, budgets: _Budgets) -> Conflict | None:
    """A length that a list, a line or text without marks cannot have."""
    length = active.get("length")
    if length is None:
        return None
    bullets, fmt, low = active.get("bullets", {}), active.get("format", {}), lower_limit(length, length["unit"])
    unit, most = length["unit"], most_items(active)
    if bullets.get("only") and unit == "paragraphs" and low > 1:
        return Conflict("list-paragraphs", ("bullets", "length"), "a list is one paragraph")
    if bullets.get("only") and unit == "lines" and most is not None and low > most:
        return Conflict("list-lines", ("bullets", "length"), f"{most} items are no {low} lines")
    part = active.get("part_length", {})
    longest = limits(part)[1] if part.get("measure") == unit else None
    if bullets.get("only") and most is not None and longest is not None and most * longest < low:
        return Conflict("short-items", ("bullets", "part_length", "length"), "items that short cannot fill it")
    if fmt.get("mode") in ("comma_list", "literal_list"):
        return _line_conflict(fmt, unit, low, budgets)
    return None


def _line_conflict(fmt: Params, unit: str, low: int, budgets: _Budgets) -> Conflict | None:
    if unit == "lines" and low > 1:
        return Conflict("one-line", ("format", "length"), "the list stands in one line")
    most = budgets["words_per_field"] * fmt["count"] if "count" in fmt else budgets["words_per_list"]
    if unit == "words" and low > most:
        return Conflict("short-fields", ("format", "length"), f"the entries of a list in one line hold no {low} words")
    return None
