"""Texts for everyday instructions: candidates from the most natural to the tightest, which the caller verifies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from evolif.scenarios.instructions.constraints import Active
from evolif.scenarios.instructions.witness.casing import set_case
from evolif.scenarios.instructions.witness.demands import TextDemands, read_demands, word_rule
from evolif.scenarios.instructions.witness.growth import grow
from evolif.scenarios.instructions.witness.layout import Draft, DraftBlock, Piece, Sentence
from evolif.scenarios.instructions.witness.prose import lay_out_everyday
from evolif.scenarios.instructions.witness.requirements import RefusedError
from evolif.scenarios.instructions.witness.vocabulary import Vocabulary, vocabulary
from evolif.scenarios.instructions.witness.writing import render_everyday

_STARTS = (0, 41, 173)
"""With which fillers the tries begin: by chance, some stand in the way of others."""

_CASES = {"all_upper": str.upper, "all_lower": str.lower}

Spoil = Callable[[Draft, Vocabulary], None]
"""Makes a mistake in a draft."""


def everyday_texts(active: Active, keywords: tuple[str, ...]) -> Iterator[str | RefusedError]:
    """Texts that should satisfy the constraints, not yet verified; or why one could not be written."""
    try:
        demands, words = read_everyday(active, keywords)
    except RefusedError as error:
        yield error
        return
    for start in _STARTS:
        for tight in (False, True):
            try:
                yield write_everyday(demands, active, words, tight=tight, start=start)
            except RefusedError as error:
                yield error


def read_everyday(active: Active, keywords: tuple[str, ...]) -> tuple[TextDemands, Vocabulary]:
    """What an everyday instruction requires, and the fillers; errors as for `read_demands`."""
    demands = read_demands(active)
    return demands, vocabulary(keywords, demands.base.language, word_rule(active))


def write_everyday(
    demands: TextDemands, active: Active, words: Vocabulary, *, tight: bool, start: int = 0, spoil: Spoil | None = None
) -> str:
    """A text that should satisfy the demands.

    Args:
        demands: What `read_everyday` reads.
        active: The constraints themselves.
        words: The fillers.
        tight: Make sentences as few and as short as possible.
        start: Which filler comes first.
        spoil: A mistake to make before the draft is brought to size.

    Raises:
        RefusedError: there is no room.
    """
    if "choice" in active:
        return _choose(demands, active, words)
    draft = lay_out_everyday(demands, words, tight=tight, start=start)
    if spoil is not None:
        spoil(draft, words)
    grow(draft, demands, words)
    set_case(draft, demands.base.case)
    mode = (demands.base.case or {}).get("mode", "")
    if mode in _CASES:
        left, right = map(_CASES[mode], demands.wrap)
        demands = replace(demands, wrap=(left, right))
    return render_everyday(draft, demands)


def _choose(demands: TextDemands, active: Active, words: Vocabulary) -> str:
    """The first of the options, and a sentence below it where a reason is asked for."""
    choice = active["choice"]
    chosen = str(choice["options"][0] if choice["mode"] == "options" else choice["high"])
    head = Draft([DraftBlock(False, [Sentence([Piece(chosen, "keyword")], stop=False)])])
    set_case(head, demands.base.case)
    left, right = demands.wrap
    demands = replace(demands, wrap=("", ""))
    text = render_everyday(head, demands)
    if choice.get("reason"):
        reason = lay_out_everyday(demands, words, tight=False)
        grow(reason, demands, words)
        set_case(reason, demands.base.case)
        text += f"\n\n{render_everyday(reason, demands)}"
    return f"{left}{text}{right}"
