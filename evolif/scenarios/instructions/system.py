"""What a model under test is told before a conversation: how constraints are scoped, and what exactly is counted."""

from __future__ import annotations

from collections.abc import Iterable

from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.constraints.definitions import definition, rules_of
from evolif.scenarios.instructions.turn_lines import PERSON_EDITION, Header
from evolif.scenarios.instructions.turns import Operation, ScriptTurn, Turn

_SCOPE = """\
You are in a long conversation about several tasks. Each task has its own set of requirements for your answer.
- A requirement stays in force for its task until the user changes or withdraws it, and it holds for that task only.
- A new task starts without requirements. When the user comes back to an earlier task, that task's requirements hold \
again, together with whatever the user changes now.
- Every answer is the complete answer to the task in question and satisfies all requirements in force for it.
"""
_TEXT = """\
- Requirements on the text mean what a reader of the answer sees: in JSON, XML, HTML and CSV the keys, values, cells \
and visible text, not the syntax around them.
"""
_COUNTED = "What is counted, where it is asked for:\n"
_REPLY = "Reply with the answer alone: no preamble, no comment on the requirements."

SYSTEM_PROMPT = f"{_SCOPE}{_TEXT}{_REPLY}"
"""Explains scoped constraints (paper App. E); the whole system prompt where queries say what is counted."""


def system_text(header: Header) -> str:
    """The system prompt of a benchmark.

    Where its header says `definitions: system`, there is one line for each group of the profile. The lines belong to
    the version of the reading rules, which every run stores: whoever changes what is counted, or the lines, raises it.

    Args:
        header: Of the benchmark. One without `definitions` keeps the prompt that it has always had.
    """
    if header.definitions != "system":
        return SYSTEM_PROMPT
    lines = "".join(f"- {line}\n" for line in definitions_of(header).values() if line)
    return f"{_SCOPE}{_COUNTED}{lines}{_REPLY}" if lines else SYSTEM_PROMPT


def with_definitions(header: Header, query: str, turn: ScriptTurn | Turn, past: Iterable[ScriptTurn | Turn]) -> str:
    """The query with the rules that its turn is the first of the dialogue to need, on a line of their own.

    Unchanged unless the header says `definitions: query`; what the query tells already is not told again.

    Args:
        header: Of the benchmark.
        query: The words of the turn.
        turn: The turn.
        past: The dialogue's turns before it.
    """
    if header.definitions != "query":
        return query
    told = {told for one in past for operation in one.operations for told in _rules(operation)}
    rules = dict.fromkeys(rule for operation in turn.operations for rule in _rules(operation))
    if header.edition >= PERSON_EDITION:  # what groups share is told once
        heard = {rule for _, rule in told}
        return _with_lines(query, dict.fromkeys(rule for _, rule in rules if rule not in heard))
    return _with_lines(query, [rule for group, rule in rules if (group, rule) not in told])


def _with_lines(query: str, rules: Iterable[str]) -> str:
    fresh = [rule for rule in rules if rule not in query]
    return f"{query}\n{' '.join(fresh)}" if fresh else query


def _rules(operation: Operation) -> list[tuple[str, str]]:
    """The group of an operation with each rule that has to be known of its new constraint."""
    if operation.after is None:
        return []
    group = get_group(operation.group)
    return [(group.name, rule) for rule in rules_of(group, [group.key(operation.after)])]


def definitions_of(header: Header) -> dict[str, str]:
    """Per group of the profile, the line that says what is counted; empty for a group that brings none."""
    profile = header.spec.profile
    pools = [phase.pools for phase in profile.phases().values()]
    return {
        name: definition(get_group(name), [{**get_group(name).data["pool"], **pool.get(name, {})} for pool in pools])
        for name in profile.groups
    }
