"""From marked text to Textual's content: never through its markup, and never by colour alone."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content, Span

from evolif.review._safe import Look, Marked, one_line

LOOKS: dict[Look, str] = {
    "added": "$text-success",
    "removed": "$text-error",
    "kept": "$text-muted",
    "finding": "bold underline $text-warning",
    "escape": "reverse",
    "strong": "bold",
    "faint": "$text-muted",
}
"""What a look adds to a sign that says the same: +, −, =, !, an underline, a spelled-out escape."""


def content(marked: Marked) -> Content:
    """Marked text as Textual shows it."""
    return Content(marked.text, [Span(start, end, LOOKS[look]) for start, end, look in marked.marks])


def page(blocks: Sequence[tuple[str, Marked]]) -> Content:
    """Titled blocks, one below the other."""
    parts: list[Content] = []
    for title, body in blocks:
        parts += [Content.styled(f"▌{title}", "bold $text-primary"), content(body), Content("")]
    return Content("\n").join(parts[:-1])


def line(text: str) -> Content:
    """Foreign text on one line."""
    return Content(one_line(text))
