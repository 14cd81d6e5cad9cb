"""How objects show themselves in a notebook: one line, or a small table.

Everything shown is made plain and escaped, since names come from files. A table takes its colours from the page around
it, so that it can be read in light and dark, and it needs no network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TypeVar

from evolif.text.display import plain

Shown = TypeVar("Shown")
_MOST = 200
"""Characters of a value; a longer one is cut."""
_MOST_ROWS = 50
_LINE = "1px solid rgba(128, 128, 128, .4)"
_CELL = f"padding: .2em .7em; border-bottom: {_LINE};"


def or_else(make: Callable[[], Shown], otherwise: Shown) -> Shown:
    """What `make` gives; the other if it fails.

    A notebook shows objects while someone is looking for a fault, also of files that were moved or closed: a display
    that raises would hide that fault behind its own.
    """
    try:
        return make()
    except Exception:
        return otherwise


def one_line(text: str) -> str:
    """A text in angle brackets, made plain, on one line."""
    return f"<{cut(text)}>"


def cut(text: str) -> str:
    """A text made plain, on one line, of bounded length."""
    safe = " ".join(plain(text).split())
    return safe if len(safe) <= _MOST else f"{safe[:_MOST]}…"


def html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> str:
    """A table with a title and notes below it; the first column is text, the others are figures.

    Args:
        title: Above it.
        heads: Names of columns.
        rows: A text per column.
        notes: Sentences below it.

    Example:
        >>> "&lt;b&gt;" in html_table("<b>", ["model"], [["a"]])
        True
    """
    rows = list(rows)
    shown = rows[:_MOST_ROWS]
    left = len(rows) - len(shown)
    notes = [*notes, *([f"… and {left:,} more rows."] if left else [])]
    parts = [
        "<div>",
        f"<p style='margin: .3em 0;'><strong>{_escaped(title)}</strong></p>",
        f"<table style='border-collapse: collapse; border-top: {_LINE}; color: inherit; background: none;'>",
        "<thead><tr>",
        *(_cell("th", head, first=number == 0) for number, head in enumerate(heads)),
        "</tr></thead><tbody>",
        *(
            "".join(("<tr>", *(_cell("td", text, first=number == 0) for number, text in enumerate(row)), "</tr>"))
            for row in shown
        ),
        "</tbody></table>",
        *(f"<p style='margin: .3em 0; opacity: .75;'>{_escaped(note)}</p>" for note in notes if note),
        "</div>",
    ]
    return "".join(parts)


def _cell(tag: str, text: str, *, first: bool) -> str:
    return f"<{tag} style='text-align: {'left' if first else 'right'}; {_CELL}'>{_escaped(text)}</{tag}>"


def _escaped(text: str) -> str:
    return escape(cut(text), quote=True)
