"""The keys of the review and their help texts, and marked text as Textual shows it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.binding import BindingType
from textual.content import Content, Span

from evolif.judge_audit import DecisionKind
from evolif.review.text import Marked, TextStyle

BINDINGS: list[BindingType] = [
    ("a", "accept", "Accept"),
    ("e", "edit", "Edit"),
    ("g", "regenerate", "Regenerate"),
    ("t", "template", "Template"),
    ("x", "reject", "Reject"),
    ("u", "undo", "Undo"),
    ("n", "move(1)", "Next"),
    ("p", "move(-1)", "Previous"),
    ("o", "note", "Note"),
    ("f", "filters", "Filters"),
    ("slash", "search", "Search"),
    ("r", "reload", "Reload"),
    ("s", "statistics", "Statistics"),
    ("d", "dark", "Light or dark"),
    ("space", "scroll(1)", "Scroll down"),
    ("b", "scroll(-1)", "Scroll up"),
    ("question_mark", "help", "Help"),
    ("q", "quit", "Quit"),
]

_SCORES: list[BindingType] = [(str(score % 10), f"score({score})", f"Score {score}") for score in range(1, 11)]
_NOT_FOR_ANSWERS = ("accept", "edit", "regenerate", "template", "reject")

AUDIT_BINDINGS: list[BindingType] = [
    *_SCORES,
    ("k", "skip", "Skip"),
    *(binding for binding in BINDINGS if isinstance(binding, tuple) and binding[1] not in _NOT_FOR_ANSWERS),
]
"""Keys of the screen for judged answers."""

_OPTIONAL = ("template", "regenerate")
"""Actions that only some queues have."""

_SHORT = (
    "a accept", "e edit", "g regenerate", "t template", "x reject", "u undo", "n next", "p previous", "o note",
    "f filters", "/ search", "s statistics", "? help", "q quit",
)  # fmt: skip
_SHORT_AUDIT = (
    "1–9, 0 score", "k skip", "u undo", "n next", "p previous", "o note", "space scroll", "f filters", "/ search",
    "? help", "q quit",
)  # fmt: skip

_LONG = (
    ("a", "accept", "accept; if the checkers object, you are asked for a reason, which is stored"),
    ("e", "edit", "edit, checked as you type; ctrl+s saves, escape closes and keeps a draft"),
    ("g", "regenerate", "ask a model for a new query; you see it before it is stored"),
    ("t", "template", "replace the query with the template's"),
    ("x", "reject", "reject; rejected words are never sent to a model"),
    ("u", "undo", "undo your last decision; press again for the one before"),
    ("n, ↓", "", "next"),
    ("p, ↑", "", "previous"),
    ("o", "note", "write a note"),
    ("f", "filters", "filter the queue"),
    ("/", "search", "search queries, topics and findings; empty shows all"),
    ("r", "reload", "reload the item and re-sort the queue"),
    ("space, b", "", "scroll the item down and up"),
    ("s", "", "statistics: decisions, pace, agreement"),
    ("d", "", "light or dark"),
    ("q", "", "quit; everything is already saved"),
)
_LONG_AUDIT = (
    ("1 to 9, 0", "", "score the answer (0 for 10) and continue; a new score replaces the old one"),
    ("k", "", "skip if you cannot tell"),
    ("u", "", "undo your last score, skip or note; press again for the one before"),
    ("n, ↓", "", "next"),
    ("p, ↑", "", "previous"),
    ("o", "", "write a note; saved as you type"),
    ("f", "", "filter the queue"),
    ("/", "", "search constraints, answers and queries; empty shows all"),
    ("r", "", "reload"),
    ("space, b", "", "scroll the item down and up"),
    ("s", "", "statistics: scores, pace"),
    ("d", "", "light or dark"),
    ("q", "", "quit; everything is already saved"),
)


def has(action: str, kinds: tuple[DecisionKind, ...]) -> bool:
    """Whether a queue with these decisions has the action."""
    return action not in _OPTIONAL or action in kinds


def short(kinds: tuple[DecisionKind, ...], width: int) -> str:
    """The keys for the foot of the screen, in lines of at most `width`; a key stays beside its word."""
    lines = [""]
    for hint in _SHORT_AUDIT if "score" in kinds else _SHORT:
        if has(hint.rpartition(" ")[2], kinds):
            if lines[-1] and len(lines[-1]) + 2 + len(hint) > width:
                lines.append("")
            lines[-1] += f"  {hint}" if lines[-1] else hint
    return "\n".join(lines)


def long(kinds: tuple[DecisionKind, ...]) -> str:
    """The keys for the help page."""
    table = _LONG_AUDIT if "score" in kinds else _LONG
    return "\n".join(f"{key:<10}{text}" for key, action, text in table if has(action, kinds))


LOOKS: dict[TextStyle, str] = {
    "added": "$text-success",
    "removed": "$text-error",
    "kept": "$text-muted",
    "finding": "bold underline $text-warning",
    "escape": "reverse",
    "strong": "bold",
    "faint": "$text-muted",
}
"""Never the only sign of a meaning: there is also a +, −, =, !, an underline or a spelled-out escape."""


def content(marked: Marked) -> Content:
    """Marked text for Textual, without its markup."""
    return Content(marked.text, [Span(start, end, LOOKS[look]) for start, end, look in marked.marks])


def page(blocks: Sequence[tuple[str, Marked]]) -> Content:
    """Titled blocks, one below the other."""
    parts: list[Content] = []
    for title, body in blocks:
        parts += [Content.styled(f"▌{title}", "bold $text-primary"), content(body), Content("")]
    return Content("\n").join(parts[:-1])
