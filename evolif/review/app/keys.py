"""The keys of the review, once for the screen and once for the reader."""

from __future__ import annotations

from collections.abc import Sequence

from textual.binding import BindingType
from textual.content import Content, Span

from evolif.judge_audit import DecisionKind
from evolif.review.text import Marked, Style, one_line

BINDINGS: list[BindingType] = [
    ("a", "accept", "Accept"),
    ("e", "edit", "Edit"),
    ("g", "regenerate", "Regenerate"),
    ("t", "template", "Template"),
    ("x", "reject", "Reject"),
    ("u", "undo", "Undo"),
    ("n", "next", "Next"),
    ("p", "previous", "Previous"),
    ("o", "note", "Note"),
    ("f", "filters", "Filters"),
    ("slash", "search", "Search"),
    ("r", "reload", "Reload"),
    ("s", "statistics", "Statistics"),
    ("d", "dark", "Light or dark"),
    ("space", "scroll(1)", "Scroll on"),
    ("b", "scroll(-1)", "Scroll back"),
    ("question_mark", "help", "Help"),
    ("q", "quit", "Quit"),
]

_SCORES: list[BindingType] = [(str(score % 10), f"score({score})", f"Score {score}") for score in range(1, 11)]
_NEVER_OF_AN_ANSWER = ("accept", "edit", "regenerate", "template", "reject")

AUDIT_BINDINGS: list[BindingType] = [
    *_SCORES,
    ("k", "skip", "Skip"),
    *(binding for binding in BINDINGS if isinstance(binding, tuple) and binding[1] not in _NEVER_OF_AN_ANSWER),
]
"""Of the screen on which judged answers are scored."""

_OPTIONAL: dict[str, DecisionKind] = {"template": "template", "regenerate": "regenerate"}
"""Keys that only some desks have."""

_SHORT = (
    ("a", "accept"),
    ("e", "edit"),
    ("g", "regenerate"),
    ("t", "template"),
    ("x", "reject"),
    ("u", "undo"),
    ("n", "next"),
    ("p", "previous"),
    ("o", "note"),
    ("f", "filters"),
    ("/", "search"),
    ("s", "statistics"),
    ("?", "help"),
    ("q", "quit"),
)

_SHORT_AUDIT = (
    ("1–9, 0", "score"),
    ("k", "skip"),
    ("u", "undo"),
    ("n", "next"),
    ("p", "previous"),
    ("o", "note"),
    ("space", "scroll"),
    ("f", "filters"),
    ("/", "search"),
    ("?", "help"),
    ("q", "quit"),
)

_LONG = (
    ("a", "accept", "accept the words; where the checkers object, a reason is asked for and kept"),
    ("e", "edit", "edit the words, checked while you type; ctrl+s saves, escape leaves and keeps a draft"),
    ("g", "regenerate", "ask a model for other words; you see them before they are taken"),
    ("t", "template", "put the template's words in their place"),
    ("x", "reject", "reject the words: no model is ever asked with them"),
    ("u", "undo", "undo your last decision; again for the one before"),
    ("n, ↓", "", "next"),
    ("p, ↑", "", "previous"),
    ("o", "note", "write a note"),
    ("f", "filters", "choose what the queue shows"),
    ("/", "search", "search words in queries, topics and findings; empty shows all"),
    ("r", "reload", "look at the item as it is now, and sort the queue anew"),
    ("space, b", "", "scroll the right side on and back"),
    ("s", "", "statistics: decisions, pace, agreement"),
    ("d", "", "light or dark"),
    ("q", "", "quit; everything is saved already"),
)


_LONG_AUDIT = (
    ("1 to 9, 0", "", "give the answer that score, 0 for 10, and go on; a further score replaces it"),
    ("k", "", "skip: you cannot tell"),
    ("u", "", "undo your last score, skip or note; again for the one before"),
    ("n, ↓", "", "next"),
    ("p, ↑", "", "previous"),
    ("o", "", "write a note, kept while you type"),
    ("f", "", "choose what the queue shows"),
    ("/", "", "search words in constraints, answers and queries; empty shows all"),
    ("r", "", "show everything as it is now"),
    ("space, b", "", "scroll the right side on and back"),
    ("s", "", "statistics: scores, pace"),
    ("d", "", "light or dark"),
    ("q", "", "quit; everything is saved already"),
)


def has(action: str, kinds: tuple[DecisionKind, ...]) -> bool:
    """Whether a desk with these decisions has a use for the key."""
    return _OPTIONAL.get(action) is None or _OPTIONAL[action] in kinds


def short(kinds: tuple[DecisionKind, ...], width: int) -> str:
    """The keys for the foot of the screen, in lines of at most `width`; a key stays beside its word."""
    lines = [""]
    for key, said in _SHORT_AUDIT if "score" in kinds else _SHORT:
        if has(said, kinds):
            one = f"{key} {said}"
            if lines[-1] and len(lines[-1]) + 2 + len(one) > width:
                lines.append("")
            lines[-1] += f"  {one}" if lines[-1] else one
    return "\n".join(lines)


def long(kinds: tuple[DecisionKind, ...]) -> str:
    """The keys for the help page."""
    table = _LONG_AUDIT if "score" in kinds else _LONG
    return "\n".join(f"{key:<10}{said}" for key, action, said in table if has(action, kinds))


# From marked text to Textual's content: never through its markup, and never by colour alone.

LOOKS: dict[Style, str] = {
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
