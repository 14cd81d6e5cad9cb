"""What of an answer a person notices: which requirements it misses, by rules alone, or that it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evolif.scenarios.instructions.constraints import check_reading, format_of, get_group, rule_checked
from evolif.scenarios.instructions.feedback.bank import Trouble
from evolif.scenarios.instructions.turns import Constraint, Instruction
from evolif.text import Reading
from evolif.text.reading import EMPTY
from evolif.types import Exchange, Verdict

WITHHELD = "withheld"
"""The note of an exchange whose answer is not there."""
Asked = Mapping[tuple[str, str], tuple[int, int]]
"""When a topic's constraint of a group was last added or modified: by topic and group, the turn and its operation."""
_NEVER = (0, 0)
_IN_PARTS = frozenset({"part_length", "placement", "emoji", "sentences", "case"})
"""Groups whose constraints are about parts of an answer, or its letters."""
_NOTHING = re.compile(
    r"no (?:item|list item|sentence|paragraph|line|bullet|entry|cased letter|content)s?|\d{1,9} sentences?"
)
"""What came where there are none, or too few sentences to compare."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A requirement that an answer misses, by rules."""

    constraint: Constraint
    verdict: Verdict

    @property
    def is_hollow(self) -> bool:
        """Whether the answer has nothing in which to keep it, such as no bullets, each of which should be short.

        Then naming what was asked would sound as if it had been broken.
        """
        return self.constraint.group in _IN_PARTS and _NOTHING.fullmatch(self.verdict.found) is not None


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a person notices of one answer."""

    failed: bool | None
    """Whether something is wrong with it; None if nothing of it can be judged by rules."""
    misses: tuple[Miss, ...] = ()
    """Those of rules, the most recently asked first."""
    trouble: Trouble | None = None
    """Why it cannot be read."""


def rule_verdicts(constraints: Instruction, answer: str, rules: int) -> tuple[Verdict, ...]:
    """The verdicts of rules on an answer, without the constraints that only a judge decides.

    Args:
        constraints: The instruction.
        answer: As received; hostile input.
        rules: The edition of the reading rules.
    """
    reading = Reading(answer, format_of(constraints), rules=rules)
    if reading.unreadable == EMPTY and not rule_checked(constraints):
        return (Verdict("", False, "", EMPTY),)  # a person sees that without any rule
    return tuple(check_reading(rule_checked(constraints), reading))


def by_rules(constraints: Instruction, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Those of all verdicts on an answer that rules decided."""
    both = zip(constraints, verdicts, strict=False)  # one more may say whether the answer is about its task
    return tuple(verdict for constraint, verdict in both if not get_group(constraint.group).subjective)


def listen(
    constraints: Instruction, verdicts: Sequence[Verdict], exchange: Exchange, topic: str, asked: Asked
) -> Hearing:
    """What a person notices of an answer.

    Args:
        constraints: The instruction that it answers.
        verdicts: Of `rule_verdicts`.
        exchange: The answer, and what else is known of it.
        topic: The id of its topic.
        asked: When each constraint was last asked for.

    Returns:
        The missed requirements, the most recently asked first: of two that one turn asked for, the later one.
    """
    if exchange.notes.get(WITHHELD):
        return Hearing(True, trouble="withheld")
    if not verdicts:
        return Hearing(None)
    if all(verdict.satisfied for verdict in verdicts):
        return Hearing(False)
    if any(verdict.found == EMPTY for verdict in verdicts):
        return Hearing(True, trouble="empty")
    if exchange.truncated:
        return Hearing(True, trouble="truncated")
    by_rules = [constraint for constraint in constraints if not get_group(constraint.group).subjective]
    failed = [
        (asked.get((topic, constraint.group), _NEVER), position, Miss(constraint, verdict))
        for position, (constraint, verdict) in enumerate(zip(by_rules, verdicts, strict=True))
        if not verdict.satisfied
    ]
    latest = sorted(failed, key=lambda one: one[:2], reverse=True)
    return Hearing(True, tuple(miss for _, _, miss in latest))
