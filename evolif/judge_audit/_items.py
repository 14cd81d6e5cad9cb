"""What a person is shown of a judged answer: what the judge was shown, and the query; nothing of what it said."""

from __future__ import annotations

from dataclasses import dataclass

from evolif._errors import UsageError
from evolif.constraints import describe, format_of
from evolif.judge_audit._sample import Sample
from evolif.judging._rubric import load_rubric
from evolif.protocol import Run
from evolif.text import Reading


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One constraint of one answer. No field tells the model or the judge's verdict. Texts are foreign."""

    number: int
    """Place in the sample, from 1."""
    group: str
    value: str
    """The constraint's value, as in “happy”."""
    constraint: str
    """The constraint as a sentence."""
    question: str
    scale: tuple[str, ...]
    """Per pair of scores what a text is like, as “7-8: …”, lowest first."""
    query: str
    answer: str
    """As the judge was shown it: without reasoning, never cut."""


def read_items(run: Run, sample: Sample) -> list[AuditItem]:
    """The sample's items, in its order.

    Raises:
        UsageError: the run does not hold an answer of the sample.
    """
    facts = {(one.dialogue, one.turn): one for one in run.facts()}
    dialogues = {number: session.dialogue for number, session in run.store.sessions()}
    wanted = {place.session for place in sample.places}
    turns = {(number, turn.turn): turn for number in wanted for turn in run.store.turns(number)}
    items = []
    for number, place in enumerate(sample.places, 1):
        record = turns.get((place.session, place.turn))
        asked = facts.get((dialogues.get(place.session, -1), place.turn))
        if record is None or asked is None or place.constraint >= len(asked.constraints):
            raise UsageError(f"{run.path} does not hold answer {number} of its judge audit; restore the run")
        constraint = asked.constraints[place.constraint]
        question, scale = load_rubric().scale(constraint)
        items.append(
            AuditItem(
                number,
                constraint.group,
                str(constraint.params.get(constraint.group, "")),
                describe(constraint, format_of(asked.constraints)),
                question,
                tuple(scale.split("\n")),
                asked.query,
                Reading(record.answer).text,
            )
        )
    return items
