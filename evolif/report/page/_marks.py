"""Text with overlapping ranges marked, as HTML that nests nothing."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from evolif.report.page._places import Place
from evolif.report.page._visible import visible, visible_html


def marked(text: str, places: Sequence[Place], failed: frozenset[int]) -> Markup:
    """The text as HTML with a `<mark>` around each stretch that is evidence of the same verdicts.

    Args:
        text: What was said.
        places: Ranges within the text, with the index of the verdict each belongs to; they may overlap.
        failed: The verdicts that were not satisfied: their marks look different.
    """
    if not places:
        return visible(text)
    changes: dict[int, tuple[list[int], list[int]]] = {}
    for start, end, index in places:
        changes.setdefault(start, ([], []))[0].append(index)
        changes.setdefault(end, ([], []))[1].append(index)
    open_: dict[int, int] = {}
    pieces: list[str] = []
    at = 0
    for bound in sorted(changes):
        pieces.append(_stretch(text[at:bound], open_, failed))
        begun, ended = changes[bound]
        for index in begun:
            open_[index] = open_.get(index, 0) + 1
        for index in ended:
            open_[index] -= 1
            if not open_[index]:
                del open_[index]
        at = bound
    pieces.append(visible_html(text[at:]))
    return Markup("".join(pieces))


def _stretch(text: str, verdicts: dict[int, int], failed: frozenset[int]) -> str:
    shown = visible_html(text)
    if not verdicts or not text:
        return shown
    numbers = sorted(verdicts)
    look = ' class="bad"' if any(index in failed for index in numbers) else ""
    return f'<mark{look} data-v="{" ".join(map(str, numbers))}">{shown}</mark>'
