"""Texts with chosen mistakes: they fail exactly the given constraints of an instruction and keep the others.

A mistake is made where a witness is made, in the plan of a text rather than in its characters, so that what is kept
stays kept in every format and at every length. Most constraints are remembered wrongly: another number, another letter.
The others are broken in the draft, since a text that merely ignores them would keep them: it uses a forbidden keyword
only on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType

from evolif.scenarios.instructions.constraints import (
    Active,
    DrawContext,
    check_reading,
    format_of,
    get_group,
    rule_checked,
)
from evolif.scenarios.instructions.constraints.exclusions import has_everyday_kinds
from evolif.scenarios.instructions.turns import Constraint, Instruction, Params
from evolif.scenarios.instructions.witness import mistakes
from evolif.scenarios.instructions.witness.build import fit, given_words, has_large
from evolif.scenarios.instructions.witness.casing import set_case
from evolif.scenarios.instructions.witness.everyday import read_everyday, write_everyday
from evolif.scenarios.instructions.witness.layout import Draft, DraftBlock, Piece, Sentence, lay_out, render
from evolif.scenarios.instructions.witness.requirements import RefusedError, read_requirements
from evolif.scenarios.instructions.witness.vocabulary import Vocabulary, vocabulary
from evolif.text import Reading
from evolif.util.rng import Stream

_TRIES = 10
_STARTS = 200
"""With which filler a text of everyday constraints may begin."""
_DROPPING = 2
"""The last attempts forget the missed constraints altogether instead of remembering others."""


def build_flawed(
    constraints: Instruction, keywords: tuple[str, ...], missed: Collection[str], stream: Stream
) -> str | None:
    """A text that fails the missed constraints and keeps the others, verified by the checkers.

    Args:
        constraints: The instruction; subjective constraints are ignored.
        keywords: The topic's keywords.
        missed: Groups of the instruction that rules check.
        stream: Decides which mistakes are made.

    Returns:
        If no text with exactly these mistakes is found, the nearest one; None if no attempt failed anything, or a
        foreign instruction has too large a number.
    """
    objective, best, best_wrong = tuple(rule_checked(constraints)), None, len(constraints) + 1
    if any(has_large(constraint.params.values()) for constraint in objective):
        return None
    fmt, wanted = format_of(objective), set(missed)
    for text in _candidates(objective, keywords, wanted, stream):
        failed = {v.group for v in check_reading(objective, Reading(text, fmt)) if not v.satisfied}
        wrong = len(failed ^ wanted)
        if not wrong:
            return text
        if failed and wrong < best_wrong:
            best, best_wrong = text, wrong
    return best


def _candidates(constraints: Instruction, keywords: tuple[str, ...], missed: set[str], stream: Stream) -> Iterator[str]:
    active = {c.group: c.params for c in constraints}
    write = _write_everyday if has_everyday_kinds(active) else _write
    for attempt in range(_TRIES):
        remembered = _misremember(constraints, keywords, missed, stream, drop=attempt >= _TRIES - _DROPPING)
        often_tight = attempt % 2 == 1
        for tight in (often_tight, not often_tight):
            try:
                text = write(remembered, active, keywords, missed, stream, tight=tight)
            except (RefusedError, StopIteration):  # a sentence without a filler cannot grow
                continue
            yield text
            break


def _misremember(
    constraints: Instruction, keywords: tuple[str, ...], missed: set[str], stream: Stream, *, drop: bool
) -> Instruction:
    """The instruction with the missed constraints changed or dropped."""
    remembered = []
    is_new = has_everyday_kinds({c.group: c.params for c in constraints})
    for constraint in constraints:
        if constraint.group not in missed:
            remembered.append(constraint)
        elif not drop and constraint.group not in _dropped(constraint):
            others = {c.group: c.params for c in constraints if c.group != constraint.group}
            if is_new and mistakes.knows(constraint):
                params = mistakes.another(constraint, stream)
            else:
                params = _another(constraint, keywords, others, stream)
            if params is not None:
                remembered.append(Constraint(constraint.group, params))
    return tuple(remembered)


def _dropped(constraint: Constraint) -> Collection[str]:
    """The group itself if its mistake is made in the draft, which must then not satisfy it."""
    key = (constraint.group, str(constraint.params.get("mode", "")))
    return (constraint.group,) if key in _SPOILS else ()


def _another(constraint: Constraint, keywords: tuple[str, ...], others: Active, stream: Stream) -> Params | None:
    """Other parameters of the group, which contradict the right ones where the group is a number."""
    params = constraint.params
    if constraint.group == "length":
        return _another_length(params, stream)
    if (constraint.group, params.get("mode")) == ("sentences", "questions"):
        return {**params, "count": _beside(params["count"], 1, stream)}
    group = get_group(constraint.group)
    return group.modify(params, stream, DrawContext(keywords, group.data["pool"], others))


def _another_length(params: Params, stream: Stream) -> Params:
    """Exactly a number that is a little outside of the limits: the same unit, and up to a tenth off."""
    count, relation = int(params["count"]), params["relation"]
    upper = int(params.get("upper", count))
    off = stream.below(upper // 10 + 2)
    if relation == "less_than":
        wrong = count + off
    elif relation == "more_than":
        wrong = max(0, count - off)
    else:
        wrong = _beside(count, 1 + off, stream) if upper == count else _outside(count, upper, 1 + off, stream)
    return {"unit": params["unit"], "relation": "exactly", "count": wrong}


def _beside(count: int, off: int, stream: Stream) -> int:
    return _outside(count, count, off, stream)


def _outside(low: int, high: int, off: int, stream: Stream) -> int:
    """A number below `low` or above `high`."""
    return low - off if stream.below(2) and low >= off else high + off


def _write(
    remembered: Instruction, active: Active, keywords: tuple[str, ...], missed: set[str], stream: Stream, *, tight: bool
) -> str:
    """A text as it is remembered, with the mistakes of the draft; errors as for `lay_out`."""
    kept = {c.group: c.params for c in remembered}
    requirements = read_requirements(kept)
    words = vocabulary(tuple(dict.fromkeys((*keywords, *given_words({**active, **kept})))), requirements.language)
    draft = lay_out(requirements, words, tight=tight)
    for group in active:
        if group in missed:
            params = active[group]
            spoil = _SPOILS.get((group, str(params.get("mode", ""))))
            if spoil is not None:
                spoil(draft, params, words, stream)
    fit(draft, requirements, words)
    set_case(draft, requirements.case)
    text = render(draft, requirements)
    for constraint in remembered:
        text = get_group(constraint.group).fulfil(text, constraint.params, requirements.fmt)
    return text


def _write_everyday(
    remembered: Instruction, active: Active, keywords: tuple[str, ...], missed: set[str], stream: Stream, *, tight: bool
) -> str:
    """The same for an instruction with everyday constraints."""
    kept = {c.group: c.params for c in remembered}
    taken = dict.fromkeys((*keywords, *given_words({**active, **kept}), *given_words(active)))
    demands, words = read_everyday(kept, tuple(taken))
    lost = {group: active[group] for group in active if group in missed}
    mistakes.change_demands(demands, lost, stream)

    def spoil(draft: Draft, words: Vocabulary) -> None:
        for group, params in lost.items():
            key = (group, str(params.get("mode", "")))
            change = mistakes.SPOILS.get(key) or _SPOILS.get(key)
            if change is not None:
                change(draft, params, words, stream)

    text = write_everyday(demands, kept, words, tight=tight, start=stream.below(_STARTS), spoil=spoil)
    fmt = format_of(remembered)
    for constraint in remembered:
        text = get_group(constraint.group).fulfil(text, constraint.params, fmt)
    return text


def _use_keyword(draft: Draft, params: Params, words: Vocabulary, stream: Stream) -> None:
    draft.place(stream.choice(params["keywords"]), _home(draft, stream), words)


def _use_number(draft: Draft, params: Params, words: Vocabulary, stream: Stream) -> None:
    piece = stream.choice(_plain(draft))
    piece.text, piece.pinned = str(stream.between(2, 99)), True


def _use_mark(draft: Draft, params: Params, words: Vocabulary, stream: Stream) -> None:
    stream.choice(_plain(draft)).after = params["mark"]


def _write_long(draft: Draft, params: Params, words: Vocabulary, stream: Stream) -> None:
    sentence = _home(draft, stream)
    missing = max(1, params["count"] + 1 - sentence.words())
    sentence.insert(Piece(words.run(draft.fillers + 1, missing), words=missing))
    draft.fillers += missing


def _begin_alike(draft: Draft, params: Params, words: Vocabulary, stream: Stream) -> None:
    openers = [s.pieces[0] for block in draft.blocks if block.kind == "text" for s in block.sentences]
    free = [p for p in openers if p.role == "filler" and not p.pinned]
    others = [p for p in openers if p.words == 1 and (not free or p is not free[-1])]
    if not free or not others:
        raise RefusedError("no-opener", "sentences")
    free[-1].text, free[-1].pinned = stream.choice(others).text, True


def _leave_open(draft: Draft, params: Params, words: Vocabulary, stream: Stream) -> None:
    """A code fence that is never closed, where lists, headings and bold words are Markdown in any case."""
    draft.blocks.append(DraftBlock(False, [Sentence([Piece("```", "sign", 0)], stop=False)], "keys"))


def _home(draft: Draft, stream: Stream) -> Sentence:
    """A sentence in which words may be inserted."""
    homes = [s for s in draft.roomy() if len(s.pieces) > 1 and any(p.role == "filler" for p in s.pieces)]
    if not homes:
        raise RefusedError("sentences-full", "sentences")
    return stream.choice(homes)


def _plain(draft: Draft) -> list[Piece]:
    """Fillers inside sentences, at no edge and without marks."""
    inner = (p for s in draft.roomy() for p in s.pieces[1:-1])
    found = [p for p in inner if p.role == "filler" and not (p.before or p.after or p.pinned or p.bold)]
    if not found:
        raise RefusedError("no-filler", "punctuation", "digits")
    return found


_SPOILS: Mapping[tuple[str, str], Callable[[Draft, Params, Vocabulary, Stream], None]] = MappingProxyType(
    {
        ("forbidden", ""): _use_keyword,
        ("digits", "none"): _use_number,
        ("punctuation", "exclude"): _use_mark,
        ("sentences", "max_words"): _write_long,
        ("sentences", "distinct_starts"): _begin_alike,
        ("format", "markdown"): _leave_open,
    }
)
"""What is broken in the draft, by group and mode."""
