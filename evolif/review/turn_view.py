"""A turn on the screen: intention, query with findings, decisions, the conversation so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

from evolif.errors import UsageError
from evolif.judge_audit import Decision
from evolif.review.decisions import format_time
from evolif.review.text import Marked, TextStyle, joined, one_line, styled, visible
from evolif.scenarios.instructions.constraints import describe, format_of, parse_constraint
from evolif.scenarios.instructions.queries import read_claims
from evolif.scenarios.instructions.queries.change import Claim
from evolif.scenarios.instructions.turns import Constraint, Finding, Params, Turn

MOVES = {"new": "new topic", "continue": "continues", "backtrack": "returns to"}


@dataclass(frozen=True, slots=True)
class IntendedChange:
    """What a query must say of one group."""

    before: str | None
    """The removed or replaced constraint."""
    after: str | None
    """The new constraint."""


@dataclass(frozen=True, slots=True)
class Intention:
    """What a query must say. Texts are foreign: topics and parameters come from a file."""

    move: str
    topic: str
    """The task; for a known topic its title, if any."""
    changes: tuple[IntendedChange, ...]
    stays: tuple[str, ...]
    """The other active constraints, not to be repeated."""

    def to_object(self) -> dict[str, Any]:
        """For machines: `before` and `after` of the change, `changes` if there are several."""
        changes = [asdict(change) for change in self.changes]
        told = changes[0] if len(changes) == 1 else {"changes": changes}
        return {"move": self.move, "topic": self.topic, **told, "stays": list(self.stays)}


def intention_of(turn: Turn) -> Intention:
    """What the turn's query must say."""
    fmt = format_of(turn.constraints)
    prompt, title = turn.topic.prompt, turn.topic.title
    return Intention(
        move=turn.move,
        topic=prompt if turn.move == "new" or not title else title,
        changes=tuple(
            IntendedChange(_description(one.group, one.before, fmt), _description(one.group, one.after, fmt))
            for one in turn.operations
        ),
        stays=tuple(describe(c, fmt) for c in turn.constraints if c.group not in turn.changed),
    )


def _description(group: str, params: Params | None, fmt: str | None) -> str | None:
    if params is None:
        return None
    try:
        constraint = parse_constraint({"group": group, "params": params}, stored=True)
        return describe(Constraint(group, constraint.params), fmt)
    except (UsageError, KeyError):  # not a constraint of this version
        return f"{group}: {dict(params)}"


_MAX_COMPARED = 1000
"""Characters up to which descriptions are compared word by word."""

_STATUS = {
    "verified": "verified",
    "flagged": "flagged; the template's query is used",
    "edited": "edited by a person",
    "rejected": "rejected; the template's query is used",
}


def turn_blocks(
    turn: Turn, found: Sequence[Finding], earlier: Sequence[Turn], decisions: Sequence[Decision], *, checked: bool
) -> list[tuple[str, Marked]]:
    """The titled blocks of a turn; until it is `checked`, with stored findings and without claims."""
    claims = [("What the query asks for, as the checkers read it", _claims_text(turn))] if checked else []
    blocks = [
        (f"Intention of dialogue {turn.dialogue}, turn {turn.turn}", _intention_text(turn)),
        *claims,
        (f"Query by {one_line(turn.source, 60)}: {_STATUS[turn.status]}", query_text(turn.query, found)),
        ("Findings" if checked else "Stored findings, checking …", findings_text(turn.query, found)),
        ("Still in force, not to be repeated", _stays_text(turn)),
    ]
    if decisions:
        blocks.append(("Decisions", decisions_text(decisions)))
    blocks.append(("Conversation so far, newest first", _conversation_text(turn, earlier)))
    phrases = styled(one_line(", ".join(turn.persona.phrases)), "faint")
    blocks.append(("Persona", joined([_flat(turn.persona.sentence), phrases])))
    return blocks


def _intention_text(turn: Turn) -> Marked:
    intention = intention_of(turn)
    lines = [styled(f"{MOVES[turn.move].capitalize()}: ") + _flat(intention.topic)]
    if turn.act == "replace_all":
        lines.append(styled("all earlier demands are off"))
    if turn.act == "carry":
        lines.append(styled("the demands of the task before hold here, too"))
    for change in intention.changes:
        if change.before is not None:
            lines.append(styled("− ", "removed") + _diff_line(change.before, "removed", change.after))
        if change.after is not None:
            lines.append(styled("+ ", "added") + _diff_line(change.after, "added", change.before))
    return joined(lines)


_POLARITIES: dict[str, tuple[str, TextStyle]] = {
    "require": ("+", "added"),
    "forbid": ("×", "removed"),
    "lift": ("−", "removed"),
}
"""How a claim is marked: wanted, ruled out, no longer wanted."""


def claims_of(turn: Turn) -> list[dict[str, Any]]:
    """What the query asks for, for machines; spans count its characters."""
    return [
        {**asdict(one), "params": dict(one.params), "span": list(one.span)} for one in read_claims(turn.query, turn)
    ]


def _claims_text(turn: Turn) -> Marked:
    """What the query asks for, one claim per line, with the words that say so."""
    claims = read_claims(turn.query, turn)
    return joined([_claim_line(turn, claim) for claim in claims]) if claims else styled("nothing that they can read")


def _claim_line(turn: Turn, claim: Claim) -> Marked:
    sign, look = _POLARITIES[claim.polarity]
    what = _claimed(claim)
    words = one_line(turn.query[slice(*claim.span)], 60)
    return styled(f"{sign} ", look) + styled(f"{claim.polarity} {claim.group}{what} ") + styled(f"(“{words}”)", "faint")


def _claimed(claim: Claim) -> str:
    """The parameters of a claim, as far as it says them."""
    said = ", ".join(f"{name} {value}" for name, value in claim.params.items())
    return f": {one_line(said, 80)}" if said else ""


def _stays_text(turn: Turn) -> Marked:
    stays = intention_of(turn).stays
    return joined([styled("= ", "kept") + _diff_line(one, "kept") for one in stays]) if stays else styled("nothing")


def query_text(query: str, found: Sequence[Finding]) -> Marked:
    """The query with the findings' spans marked."""
    return visible(query, sorted({span for finding in found for span in finding.spans}))


def findings_text(query: str, found: Sequence[Finding]) -> Marked:
    """The findings, one per line, with the words they are about."""
    if not found:
        return styled("none")
    return joined([styled("!", "finding") + styled(f" {_finding(query, one)}") for one in found])


def _finding(query: str, finding: Finding) -> str:
    message = one_line(finding.message)
    quoted = [one_line(query[max(0, start) : end], 40) for start, end in finding.spans]
    fresh = [words for words in dict.fromkeys(quoted) if words and words not in message]
    return f"{one_line(finding.checker, 40)}: {message}" + (f" (“{'”, “'.join(fresh)}”)" if fresh else "")


def decisions_text(decisions: Sequence[Decision]) -> Marked:
    """The decisions, newest first."""
    lines = []
    for record in reversed(decisions):
        opinion = "" if record.applied or record.decision == "note" else " (an opinion; nothing was changed)"
        head = f"{format_time(record.time)} {one_line(record.reviewer, 40)}: {record.decision}{opinion}"
        lines.append(styled(f"{head} – {one_line(record.note)}" if record.note else head))
    return joined(lines)


def _conversation_text(turn: Turn, earlier: Sequence[Turn]) -> Marked:
    if not earlier:
        return styled("none: this turn opens the dialogue", "faint")
    lines = []
    for one in reversed(earlier):
        same = "*" if one.topic.id == turn.topic.id else " "
        state = "" if one.status in ("verified", "edited") else f" [{one.status}]"
        lines.append(styled(f"{same}{one.turn}{state} ", "strong") + _flat(one.query))
    return joined([*lines, styled("* same topic", "faint")])


def _flat(text: str) -> Marked:
    return styled(one_line(text))


def _diff_line(text: str, look: TextStyle, other: str | None = None) -> Marked:
    """A description in one style; words missing from the other one stand out."""
    shown = one_line(text)
    marks: list[tuple[int, int, TextStyle]] = [(0, len(shown), look)] if shown else []
    if other is not None and max(len(shown), len(other)) <= _MAX_COMPARED:
        words = [match.span() for match in re.finditer(r"\S+", shown)]
        matcher = SequenceMatcher(None, [shown[a:b] for a, b in words], one_line(other).split(), autojunk=False)
        marks += [
            (words[start][0], words[end - 1][1], "strong")
            for kind, start, end, *_ in matcher.get_opcodes()
            if kind in ("replace", "delete")
        ]
    return Marked(shown, tuple(marks))
