"""Mistakes with everyday constraints: other parameters, which contradict the right ones, and changes of a draft.

Most constraints are remembered wrongly: one item less, a sentence more, another language. Where that would not show,
as the fillers satisfy a rule anyway, a draft gets a word that breaks it, or the text an opening that nobody wants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from evolif.scenarios.instructions.constraints.length import length_range
from evolif.scenarios.instructions.constraints.relations import limits
from evolif.scenarios.instructions.turns import Constraint, Params
from evolif.scenarios.instructions.witness.demands import TextDemands, word_rule
from evolif.scenarios.instructions.witness.layout import Draft, Piece
from evolif.scenarios.instructions.witness.requirements import RefusedError
from evolif.scenarios.instructions.witness.vocabulary import Vocabulary, wrong_words
from evolif.text import count_words
from evolif.util.rng import Stream

_FINAL = frozenset("!?")
_LETTERINGS = ("max_letters", "min_letters", "first", "without", "no_repeat")
_RELATIONS = frozenset({"relation", "count", "upper"})


def another(constraint: Constraint, stream: Stream) -> Params | None:
    """Parameters that contradict those of an everyday constraint; None if it is best forgotten."""
    make = _OTHERS.get(constraint.group)
    return None if make is None else make(constraint.params, stream)


def knows(constraint: Constraint) -> bool:
    """Whether `another` decides on a constraint, and not the group itself."""
    if constraint.group in _SHARED:
        return constraint.params.get("mode") in _SHARED[constraint.group]
    if constraint.group == "existence":
        return "counts" not in constraint.params
    return constraint.group in _OTHERS or constraint.group in _FORGOTTEN


def _length(params: Params, stream: Stream) -> Params:
    low, high = length_range(params)
    off = stream.below((high or low) // 10 + 2)
    numbers = [number for number in (low - 1 - off, low - 1) if number > 0][:1]
    numbers += [] if high is None else [high + 1 + off]
    return {"unit": params["unit"], "relation": "exactly", "count": stream.choice(numbers or [low + 1])}


def _number(params: Params, stream: Stream, some: int = 1) -> Params:
    """A number outside of what a relation allows, and all else as it is."""
    low, high = limits(params, some)
    numbers = ([low - 1] if low else []) + ([] if high is None else [high + 1])
    rest = {key: value for key, value in params.items() if key not in _RELATIONS}
    number = stream.choice(numbers)
    return {**rest, "relation": "exactly", "count": number} if number else {"relation": "none"}


def _bullets(params: Params, stream: Stream) -> Params | None:
    if "relation" not in params:
        return {**params, "count": params["count"] + (1 if stream.below(2) else -1)} if params["count"] > 1 else None
    if params["relation"] == "none":
        return {**params, "relation": "some"}
    if params.get("only") and stream.below(2):
        return {key: value for key, value in params.items() if key != "only"}
    return _number(params, stream, 2)


def _labels(params: Params, stream: Stream) -> Params | None:
    if "noun" in params:
        count = params["count"] + (1 if stream.below(2) else -1)
        return {**params, "count": count} if count else None
    labels = params["labels"]
    if len(labels) == 1:
        return None
    if params.get("order") != "any" and stream.below(2):
        return {**params, "labels": list(reversed(labels))}
    gone = stream.below(len(labels))
    return {**params, "labels": [label for number, label in enumerate(labels) if number != gone]}


def _format(params: Params, stream: Stream) -> Params | None:
    mode = params["mode"]
    if mode == "plain":
        return {"mode": "markdown"}
    if "fence" in params and stream.below(2):
        return {key: value for key, value in params.items() if key != "fence"}
    if "column_count" in params and stream.below(2):
        return {**params, "column_count": params["column_count"] + 1}
    if "count" in params and stream.below(2):
        return {**params, "count": params["count"] + 1}
    if params.get("only") and stream.below(2):
        return {key: value for key, value in params.items() if key != "only"}
    return {"mode": "html"} if mode == "markdown" else None


def _headings(params: Params, stream: Stream) -> Params | None:
    if "levels" in params:
        return {"levels": params["levels"][:-1]} if len(params["levels"]) > 1 else None
    if params.get("relation") == "title":
        return None
    return _counted(params, stream)


def _counted(params: Params, stream: Stream) -> Params:
    """As `_number`; also of an exact number without a relation."""
    if "relation" in params:
        return _number(params, stream)
    return {"count": max(0, params["count"] + (1 if stream.below(2) or not params["count"] else -1))}


def _emoji(params: Params, stream: Stream) -> Params | None:
    return None if "place" in params else _number(params, stream)


def _existence(params: Params, stream: Stream) -> Params | None:
    """One word too seldom."""
    least = dict(params.get("at_least", {}))
    if not least:
        return None
    word = stream.choice(list(least))
    least[word] -= 1
    left = {name: count for name, count in least.items() if count}
    kept = {**params, "at_least": left} if left else {k: v for k, v in params.items() if k != "at_least"}
    return kept or None


def _choice(params: Params, stream: Stream) -> Params:
    wrong = "Neither" if params["mode"] == "options" else str(params["high"] + 1 + stream.below(3))
    return {"mode": "options", "options": [wrong], **({"reason": True} if params.get("reason") else {})}


def _part(params: Params, stream: Stream) -> Params | None:
    """Parts that are too long or too short, all by one, or as long as they happen to be."""
    low, high = limits(params)
    number, way = high + 1 if high is not None else max(1, low - 1), stream.below(3)
    if not way:
        return None
    relation = "exactly" if high is None or way == 1 else "at_least"
    return {"unit": params["unit"], "measure": params["measure"], "relation": relation, "count": number}


def _lettering(params: Params, stream: Stream) -> Params:
    """The same: a word that breaks the rule comes later."""
    return params


def _person(params: Params, stream: Stream) -> Params | None:
    return {"use": params["avoid"]} if "avoid" in params else None


_OTHERS: Mapping[str, Callable[[Params, Stream], Params | None]] = MappingProxyType(
    {
        "length": _length,
        "bullets": _bullets,
        "labels": _labels,
        "format": _format,
        "headings": _headings,
        "emphasis": _counted,
        "emoji": _emoji,
        "hashtags": _number,
        "existence": _existence,
        "choice": _choice,
        "part_length": _part,
        "lettering": _lettering,
        "person": _person,
    }
)
_FORGOTTEN = frozenset({"language", "manner", "wrap"})
_SHARED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "start_with": frozenset({"phrase"}),
        "end_with": frozenset({"phrase"}),
        "placement": frozenset({"unit_start"}),
        "sentences": frozenset({"all_questions"}),
        "punctuation": frozenset({"exclude_all"}),
    }
)
"""Modes that are forgotten; the others are as in the older groups."""


def change_demands(demands: TextDemands, missed: Mapping[str, Params], stream: Stream) -> None:
    """Add the openings, offers and disclaimers that a missed constraint does not want."""
    mode = missed.get("manner", {}).get("mode", "")
    if mode == "no_disclaimer":
        demands.base.placements = [*demands.base.placements, _DISCLAIMER]
    free = [(name, text) for name, text in _PHRASES.get(mode, ()) if not getattr(demands, name)]
    if free:
        name, text = stream.choice(free)
        setattr(demands, name, text)


_DISCLAIMER = "as an AI"
_PHRASES: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "answer_only": (("opener", "Sure!"), ("opener", "Sure,"), ("closer", "Hope this helps.")),
        "no_offer": (("closer", "Let me know."), ("closer", "Hope this helps")),
        "no_closing_question": (("closer", "Any questions?"),),
    }
)


def _free(draft: Draft) -> list[Piece]:
    """Fillers that may be changed: those inside sentences or, if there are none, any."""
    found = [p for s in draft.roomy() for p in s.pieces[1:-1] if _is_plain(p)]
    found = found or [p for p in draft.pieces() if _is_plain(p)]
    if not found:
        raise RefusedError("no-filler", "punctuation", "digits", "forbidden", "lettering")
    return found


def _is_plain(piece: Piece) -> bool:
    is_marked = piece.before or piece.after or piece.pinned or piece.bold
    return piece.role == "filler" and piece.words == 1 and not is_marked


def _use_keyword(draft: Draft, params: Params, words: Vocabulary, stream: Stream) -> None:
    piece, keyword = stream.choice(_free(draft)), stream.choice(params["keywords"])
    piece.text, piece.role, piece.words = keyword, "keyword", count_words(keyword)


def _use_number(draft: Draft, params: Params, words: Vocabulary, stream: Stream) -> None:
    _replace(stream.choice(_free(draft)), str(stream.between(2, 99)))


def _use_mark(draft: Draft, params: Params, words: Vocabulary, stream: Stream) -> None:
    """Inside a sentence or, if it ends sentences, at the end of one."""
    mark = params["mark"]
    ends = [s for s in draft.sentences() if s.stop and mark in _FINAL]
    if ends:
        sentence = stream.choice(ends)
        sentence.stop, sentence.pieces[-1].after = False, mark
    else:
        stream.choice(_free(draft)).after = mark


def _break_lettering(draft: Draft, params: Params, words: Vocabulary, stream: Stream) -> None:
    """Put a word that breaks the rule in the place of a filler, of the same length if there is one."""
    piece = stream.choice(_free(draft))
    if params["mode"] == "no_repeat":
        others = [p for p in draft.pieces() if p is not piece and p.words == 1 and p.text.isalpha()]
        _replace(piece, stream.choice(others).text if others else piece.text)
        return
    rule = word_rule({"lettering": params})
    assert rule is not None  # every lettering but no_repeat has one
    wrong = wrong_words(rule)
    if not wrong:
        raise RefusedError("no-filler", "lettering")
    _replace(piece, next((w for w in wrong if len(w) == len(piece.text)), stream.choice(wrong)))


def _replace(piece: Piece, text: str) -> None:
    piece.text, piece.pinned = text, True


SPOILS: Mapping[tuple[str, str], Callable[[Draft, Params, Vocabulary, Stream], None]] = MappingProxyType(
    {
        ("forbidden", ""): _use_keyword,
        ("digits", "none"): _use_number,
        ("punctuation", "exclude"): _use_mark,
        **{("lettering", mode): _break_lettering for mode in _LETTERINGS},
    }
)
"""What is broken in a draft, by group and mode."""
