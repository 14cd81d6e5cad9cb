"""Verdicts as items of a list. They are most of a page's elements, so they are put together here and not by Jinja."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from markupsafe import Markup

from evolif.domain import Verdict
from evolif.report.page._visible import label

OUTCOMES: Mapping[bool | None, tuple[str, str, str]] = {
    True: ("ok", "✓", "satisfied"),
    False: ("bad", "✗", "failed"),
    None: ("none", "–", "not judged"),
}
"""Class, sign and word of an outcome: never colour alone."""


def verdict_items(verdicts: Sequence[Verdict], marked: Collection[int]) -> Markup:
    """A list item per verdict.

    Args:
        verdicts: Of one turn.
        marked: The verdicts with marks in the answer: their items are buttons that show them.
    """
    return Markup("".join(_item(i, verdict, i in marked) for i, verdict in enumerate(verdicts)))


def _item(index: int, verdict: Verdict, is_button: bool) -> str:
    look, sign, word = OUTCOMES[verdict.satisfied]
    told = f'<span class="exp">{label(verdict.expected)}</span>'
    if verdict.found != verdict.expected:
        told += f' <span class="fnd"><span class="vh">found</span> {label(verdict.found)}</span>'
    said = (
        f'<span class="sign" aria-hidden="true">{sign}</span>'
        f'<span class="what"><b>{label(verdict.group)}</b> <span class="vh">{word}:</span> {told}</span>'
    )
    if is_button:
        return f'<li><button type="button" class="v {look}" data-v="{index}" aria-pressed="false">{said}</button></li>'
    return f'<li><div class="v {look}">{said}</div></li>'
