"""What is shown of a turn: intention, query with findings, decisions, the conversation so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from evolif.constraints import describe, format_of, parse_constraint
from evolif.errors import UsageError
from evolif.judge_audit import Decision
from evolif.review.decisions import format_time
from evolif.review.text import Marked, Style, joined, one_line, said, visible
from evolif.types import Constraint, Finding, Params, Turn

# The intention of a turn as a diff: what changes, what stays.

MOVES = {"new": "a new topic", "continue": "goes on with", "backtrack": "comes back to"}


@dataclass(frozen=True, slots=True)
class Intention:
    """What a query has to say. Texts are foreign: topics and parameters come out of a file."""

    move: str
    topic: str
    """Of a topic that is not new, its title where it has one."""
    before: str | None
    """The constraint that is lifted or replaced."""
    after: str | None
    """The constraint that is new."""
    stays: tuple[str, ...]
    """The other active constraints: in force, and not to be said again."""

    def to_object(self) -> dict[str, Any]:
        """For machines."""
        return {
            "move": self.move,
            "topic": self.topic,
            "before": self.before,
            "after": self.after,
            "stays": list(self.stays),
        }


def intention_of(turn: Turn) -> Intention:
    """What the turn's query has to say."""
    fmt, operation = format_of(turn.constraints), turn.operation
    prompt, title = turn.topic.prompt, turn.topic.title
    return Intention(
        move=turn.move,
        topic=prompt if turn.move == "new" or not title else title,
        before=_told(operation.group, operation.before, fmt),
        after=_told(operation.group, operation.after, fmt),
        stays=tuple(describe(c, fmt) for c in turn.constraints if c.group != operation.group),
    )


def _told(group: str, params: Params | None, fmt: str | None) -> str | None:
    if params is None:
        return None
    try:
        constraint = parse_constraint({"group": group, "params": params})
        return describe(Constraint(group, constraint.params), fmt)
    except (UsageError, KeyError):  # the line's own idea of a constraint
        return f"{group}: {dict(params)}"


_COMPARED = 1000
"""Characters up to which descriptions are compared word by word; longer ones nobody reads as a diff."""

_STATUS = {
    "verified": "verified",
    "flagged": "flagged; the template is played",
    "edited": "edited by a person",
    "rejected": "rejected; the template is played",
}


def turn_blocks(
    turn: Turn,
    found: Sequence[Finding],
    earlier: Sequence[Turn],
    decisions: Sequence[Decision],
    *,
    checked: bool,
) -> list[tuple[str, Marked]]:
    """The blocks of a turn, each with its title.

    Args:
        turn: As it is shown.
        found: What is held against its words.
        earlier: The turns of its dialogue before it.
        decisions: Those that stand, oldest first.
        checked: Whether `found` was found just now; else it is what the line has stored.
    """
    blocks = [
        (f"Intention of dialogue {turn.dialogue}, turn {turn.turn}", intention_text(turn)),
        (f"Query by {one_line(turn.source, 60)}: {_STATUS[turn.status]}", query_text(turn.query, found)),
        ("Findings" if checked else "Findings as stored, checking …", findings_text(turn.query, found)),
    ]
    blocks.append(("Stays in force, not to be said again", stays_text(turn)))
    if decisions:
        blocks.append(("Decisions", decisions_text(decisions)))
    blocks.append(("Conversation so far, newest first", conversation_text(turn, earlier)))
    blocks.append(("Who speaks", persona_text(turn)))
    return blocks


def intention_text(turn: Turn) -> Marked:
    """The change as a diff: `+` is new, `−` goes."""
    meant = intention_of(turn)
    lines = [said(f"{MOVES[turn.move].capitalize()}: ") + _flat(meant.topic)]
    if meant.before is not None:
        lines.append(said("− ", "removed") + _looking(meant.before, "removed", unlike=meant.after))
    if meant.after is not None:
        lines.append(said("+ ", "added") + _looking(meant.after, "added", unlike=meant.before))
    return joined(lines)


def stays_text(turn: Turn) -> Marked:
    """What stays in force: the query need not say it, and must not contradict it."""
    stays = intention_of(turn).stays
    return joined([said("= ", "kept") + _looking(one, "kept") for one in stays]) if stays else said("nothing")


def query_text(query: str, found: Sequence[Finding]) -> Marked:
    """The query, what the findings mean marked in place."""
    return visible(query, sorted({span for finding in found for span in finding.spans}))


def findings_text(query: str, found: Sequence[Finding]) -> Marked:
    """The findings, one a line, with the words that they mean."""
    if not found:
        return said("none")
    return joined([said("!", "finding") + said(f" {_finding(query, one)}") for one in found])


def _finding(query: str, finding: Finding) -> str:
    message = one_line(finding.message)
    quoted = [one_line(query[max(0, start) : end], 40) for start, end in finding.spans]
    fresh = [words for words in dict.fromkeys(quoted) if words and words not in message]
    return f"{one_line(finding.checker, 40)}: {message}" + (f" (“{'”, “'.join(fresh)}”)" if fresh else "")


def decisions_text(decisions: Sequence[Decision]) -> Marked:
    """Who decided what, newest first."""
    lines = []
    for record in reversed(decisions):
        opinion = "" if record.applied or record.decision == "note" else " (an opinion; the turn was left alone)"
        head = f"{format_time(record.time)} {one_line(record.reviewer, 40)}: {record.decision}{opinion}"
        lines.append(said(f"{head} – {one_line(record.note)}" if record.note else head))
    return joined(lines)


def conversation_text(turn: Turn, earlier: Sequence[Turn]) -> Marked:
    """The queries before this one; `*` marks those of the same topic."""
    if not earlier:
        return said("none: this turn opens the dialogue", "faint")
    lines = []
    for one in reversed(earlier):
        same = "*" if one.topic.id == turn.topic.id else " "
        state = "" if one.status in ("verified", "edited") else f" [{one.status}]"
        lines.append(said(f"{same}{one.turn}{state} ", "strong") + _flat(one.query))
    return joined([*lines, said("* is of the same topic", "faint")])


def persona_text(turn: Turn) -> Marked:
    """The persona and its way of speaking."""
    return joined([_flat(turn.persona.sentence), said(one_line(", ".join(turn.persona.phrases)), "faint")])


def _flat(text: str) -> Marked:
    return said(one_line(text))


def _looking(text: str, look: Style, *, unlike: str | None = None) -> Marked:
    """A description in one look; the words that another one does not have stand out."""
    shown = one_line(text)
    marks: list[tuple[int, int, Style]] = [(0, len(shown), look)] if shown else []
    if unlike is not None and max(len(shown), len(unlike)) <= _COMPARED:
        words = [match.span() for match in re.finditer(r"\S+", shown)]
        matcher = SequenceMatcher(None, [shown[a:b] for a, b in words], one_line(unlike).split(), autojunk=False)
        marks += [
            (words[start][0], words[end - 1][1], "strong")
            for kind, start, end, *_ in matcher.get_opcodes()
            if kind in ("replace", "delete")
        ]
    return Marked(shown, tuple(marks))
