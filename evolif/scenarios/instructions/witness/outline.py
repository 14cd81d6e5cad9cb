"""The outline of an everyday text, in numbers only: paragraphs, items, sentences, and how long these are at first."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evolif.scenarios.instructions.constraints.literals import whole_sentences
from evolif.scenarios.instructions.witness.demands import TextDemands
from evolif.scenarios.instructions.witness.requirements import RefusedError
from evolif.text import count_words

_LONG = 24
"""The most words of a sentence without another limit."""
_LETTERS = 7
"""What a filler and its space take, about."""
_TOLD = 26
"""So many words tell a language."""
_CELLS = frozenset({"json", "csv"})
_DATA = frozenset({"json", "csv", "xml"})
_ROWS = 2
"""The fewest rows of a table."""


def table_rows(demands: TextDemands) -> int:
    """How many rows below the header a table has."""
    if demands.table_only and demands.base.unit == "lines":
        return max(_ROWS, demands.aim - demands.headings - 1)
    return _ROWS


@dataclass(slots=True)
class AnswerOutline:
    """Sentences by paragraph and by item, without those of literals; and the fillers of a new sentence."""

    paragraphs: list[int]
    items: list[int]
    size: int = 4


def outline(demands: TextDemands, *, tight: bool) -> AnswerOutline:
    """The outline of a text that can meet the demands.

    Raises:
        RefusedError: there is no room for everything.
    """
    items = 0 if tight and demands.optional else _items(demands)
    if demands.table_only:
        return AnswerOutline([], [], _size(demands, 0, tight))
    if demands.list_only:
        made = AnswerOutline([], _in_items(demands, items))
    else:
        outside, paragraphs = _outside(demands, items, tight)
        made = AnswerOutline(_spread(outside, paragraphs), _each_item(demands, items))
        _keep_first_short(made.paragraphs, demands)
    made.size = _size(demands, sum(made.paragraphs) + sum(made.items), tight)
    return made


def _spread(number: int, places: int) -> list[int]:
    return [number // places + (place < number % places) for place in range(places)] if places else []


def _keep_first_short(paragraphs: list[int], demands: TextDemands) -> None:
    """Move sentences from the first paragraph to later ones where the phrase at the start takes their place."""
    part, more = demands.part, whole_sentences(demands.opener)
    if not (more and paragraphs and part and part.high and (part.unit, part.measure) == ("paragraph", "sentences")):
        return
    for place in range(1, len(paragraphs)):
        while paragraphs[0] + more > part.high and paragraphs[0] > 1 and paragraphs[place] < part.high:
            paragraphs[0] -= 1
            paragraphs[place] += 1


def _items(demands: TextDemands) -> int:
    """How many items the list has."""
    items = max(demands.items, len(demands.labels) if demands.labels_in_items else 0)
    if demands.list_only:
        items = _items_alone(demands, items)
    if demands.most_items is not None and items > demands.most_items:
        raise RefusedError("too-many-items", "bullets", "labels", "length", "part_length", "placement")
    return items


def _items_alone(demands: TextDemands, items: int) -> int:
    """The same where nothing stands outside: more items if each is short, or the lines are counted."""
    base, part, least = demands.base, demands.part, items
    if part and part.high and part.measure == base.unit and part.unit in ("item", "sentence"):
        items = max(items, demands.aim // max(1, part.high - 1) + 1)
    if part and part.measure == "words":
        items = max(items, len(base.placements) + bool(demands.opener) + bool(demands.pronoun))
    if base.unit == "lines":
        items = max(items, demands.aim - demands.headings)
    if base.unit in ("sentences", "lines") and base.high is not None:
        items = min(items, max(least, base.high))
    return items if demands.most_items is None else min(items, max(least, demands.most_items))


def _each_item(demands: TextDemands, items: int) -> list[int]:
    part = demands.part
    each = max(1, part.low) if part and (part.unit, part.measure) == ("item", "sentences") else 1
    return [each] * items


def _in_items(demands: TextDemands, items: int) -> list[int]:
    """The sentences of a list outside which nothing stands."""
    base, part, extra = demands.base, demands.part, literal_sentences(demands)
    each = _each_item(demands, items)
    wanted = max(sum(each), _least_sentences(demands, 0))
    if base.unit == "sentences":
        wanted = max(wanted, base.low - extra)
        if base.high is not None:
            wanted = min(wanted, base.high - extra)
            if sum(each) > wanted:
                raise RefusedError("items-over-sentences", "bullets", "length")
    if part and part.high and (part.unit, part.measure) == ("paragraph", "sentences"):
        wanted = max(sum(each), min(wanted, part.high - whole_sentences(demands.opener)))
    if part and part.high and part.measure == "sentences" and part.unit in ("item", "line"):
        least = -(-wanted // part.high)
        items = max(items, least if demands.most_items is None else min(least, demands.most_items))
        each = _each_item(demands, items)
        wanted = min(wanted, part.high * items)
    return [n + more for n, more in zip(each, _spread(max(0, wanted - sum(each)), items), strict=True)]


def literal_sentences(demands: TextDemands) -> int:
    """The sentences that phrases at the edges are by themselves."""
    if demands.base.fmt in _DATA:
        return 0
    opening = 0 if demands.list_only and (demands.headings or demands.one_per_line) else whole_sentences(demands.opener)
    return opening + (whole_sentences(demands.closer) if demands.closer_apart else 0)


def _outside(demands: TextDemands, items: int, tight: bool) -> tuple[int, int]:
    """Sentences and paragraphs outside the list."""
    base = demands.base
    labels = 0 if demands.labels_in_items else len(demands.labels)
    labels += bool(labels and demands.wrap[0])
    least = max(labels, _lead(demands, items), 0 if items else 1)
    paragraphs = _paragraphs(demands, items, tight)
    if base.unit != "paragraphs" or base.high is None:
        paragraphs = max(least, paragraphs)
    else:
        needed = max(int(least > 0), _least_paragraphs(demands, items))
        paragraphs = max(paragraphs, min(needed, base.high - bool(items)))
    wanted = max(least, 1 if tight else 2, _least_sentences(demands, paragraphs) - items)
    wanted = max(wanted, _by_length(demands, items))
    most: int | None = None
    if base.unit == "sentences":
        fixed = items + literal_sentences(demands)
        wanted = max(wanted, demands.aim - fixed)
        most = None if base.high is None else base.high - fixed
    elif base.unit == "lines":
        fixed = items + demands.headings + (_ROWS + 1) * demands.has_table
        fixed += literal_sentences(demands) if demands.one_sentence_lines else 0
        wanted = max(wanted, demands.aim - fixed)
        most = None if base.high is None else base.high - fixed
    if most is not None:
        if most < least:
            raise RefusedError("too-little-room", "length", "bullets", "labels", "headings", "wrap")
        wanted = min(wanted, most)
    return _paired(demands, wanted, paragraphs, items, most)


def _paired(demands: TextDemands, sentences: int, paragraphs: int, items: int, most: int | None) -> tuple[int, int]:
    """Sentences and paragraphs, so that each paragraph has as many sentences as it may have, and at least one."""
    base, part = demands.base, demands.part
    is_fixed = base.unit == "paragraphs"
    if base.unit == "lines":
        paragraphs = sentences
    if part and (part.unit, part.measure) == ("paragraph", "sentences"):
        if not is_fixed and part.high:
            paragraphs = max(paragraphs, -(-(sentences + literal_sentences(demands)) // part.high))
        sentences = max(sentences, part.low * paragraphs)
        if is_fixed and part.high:
            sentences = min(sentences, part.high * paragraphs)
    if sentences < paragraphs:
        sentences = paragraphs if most is None else min(paragraphs, most)
    if is_fixed:
        return sentences, paragraphs
    paragraphs = min(sentences, paragraphs) or (1 if sentences else 0)
    if base.fmt == "csv":
        sentences = max(4, sentences + sentences % 2)
    return sentences, paragraphs


def _lead(demands: TextDemands, items: int) -> int:
    """Paragraphs that marks around everything, or a phrase before a numbered list, need."""
    base = demands.base
    starts = bool(demands.opener or base.start or demands.wrap[0])
    needs = bool(items and (demands.wrap[0] or (demands.numbered and starts)))
    needs |= bool(demands.labels_only and demands.labels_in_items and demands.headings)
    begins_items = bool(demands.unit_start and demands.unit_start.unit == "item")
    needs |= bool(items and starts and begins_items)
    needs |= bool(items and whole_sentences(demands.opener) and demands.part and demands.part.unit == "paragraph")
    if demands.wrap[0] and demands.headings:
        return 2 - bool(items)
    if (
        demands.has_table
        and (starts or demands.labels_only)
        and (demands.closer or base.end or demands.emoji_end or demands.wrap[1])
    ):
        return 2 - bool(items)
    return int(needs)


def _paragraphs(demands: TextDemands, items: int, tight: bool) -> int:
    base = demands.base
    if base.acrostic:
        return len(base.acrostic) - bool(items)
    if base.unit == "paragraphs":
        total = demands.aim or min(base.high or 1, 1 if tight else 2)
        if total < 1:
            raise RefusedError("no-paragraph", "length", kind="impossible")
        return max(0, total - bool(items))
    least = _least_paragraphs(demands, items)
    if tight or items or base.fmt in _CELLS or _is_short(demands):
        return max(least, int(not items))
    return max(least, 2)


def _least_paragraphs(demands: TextDemands, items: int) -> int:
    """The fewest paragraphs beside the list, for what stands in each or in the n-th."""
    start = demands.unit_start
    least = 2 - bool(items) if demands.base.every else 0
    if start is not None and start.unit in ("paragraph", "line"):
        least = max(least, max(2, start.which) - bool(items))
    return least


def _is_short(demands: TextDemands) -> bool:
    """Whether there is hardly room for a second paragraph."""
    base = demands.base
    return base.high is not None and base.high < {"words": 30, "characters": 200}.get(base.unit, 2)


def _least_sentences(demands: TextDemands, paragraphs: int) -> int:
    """The fewest sentences, those of items included."""
    base, start = demands.base, demands.unit_start
    told = replace(base, language="") if base.language and _is_short(demands) else base
    least = [told.least_sentences(paragraphs, tight=False), -(-(demands.hashtags + demands.emoji) // 4)]
    if start is not None and start.unit == "sentence":
        least.append(max(2, start.which))
    if not _is_short(demands):
        least.append(-(-len(base.placements) // 3))
    return max(least)


def _by_length(demands: TextDemands, items: int) -> int:
    """Sentences outside the list that can hold the words or characters that are missing."""
    base, part = demands.base, demands.part
    cap = min(_LONG, demands.sentence_cap or _LONG)
    if part and part.high and (part.unit, part.measure) == ("paragraph", "words"):
        cap = min(cap, part.high)
    if part and part.high and part.measure == "characters" and part.unit != "item":
        cap = max(1, min(cap, part.high // (_LETTERS + 1)))
    if base.unit == "words":
        return demands.aim // max(1, cap if cap < _LONG else _LONG) + (cap < _LONG)
    return demands.aim // (6 * cap) if base.unit == "characters" else 0


def _told(demands: TextDemands, sentences: int) -> int:
    """The words of a sentence that tell the language."""
    part, size = demands.part, -(-_TOLD // max(1, sentences))
    caps = [demands.sentence_cap] if demands.sentence_cap else []
    if part and part.high and part.measure == "words":
        caps.append(part.high)
    return min([size, *caps])


def _size(demands: TextDemands, sentences: int, tight: bool) -> int:
    """With how many fillers a sentence begins."""
    base = demands.base
    size = 2 if tight else 4
    if demands.sentence_cap:
        size = min(size, max(1, demands.sentence_cap - 2))
    if base.high is None or base.unit not in ("words", "characters"):
        return max(size, _told(demands, sentences)) if base.language else size
    pieces = [*demands.literals(), *base.placements, *base.keys, *["word"] * (demands.hashtags + bool(demands.pronoun))]
    units = max(1, sentences + demands.headings + (_ROWS + 1) * (demands.columns + len(base.columns)) // 2)
    if base.unit == "words":
        taken = sum(map(count_words, pieces))
        return max(1, min(size, (base.high - taken) // units))
    taken = sum(len(piece) + 2 for piece in pieces) + 2 * demands.emoji
    return max(1, min(size, ((base.high - taken) // units - 3) // _LETTERS))
