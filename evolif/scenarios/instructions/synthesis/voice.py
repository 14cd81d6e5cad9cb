"""How one person words a task and what they call it: by the register of the persona (`Topic.wordings`, `Topic.short`).

A dialogue's turns keep the one wording that it uses, so that whoever reads a query knows the task in its words.
"""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

from evolif.scenarios.instructions.turns import Persona, Topic


def wording_of(topic: Topic, persona: Persona) -> str:
    """The task as this person types it; the neutral prompt where no wording is theirs.

    >>> topic = Topic("T1", "Explain the tide.", (), wordings={"casual": "how does the tide work?"})
    >>> wording_of(topic, Persona("P1", "A diver.", (), register="casual"))
    'how does the tide work?'
    """
    return topic.wordings.get(persona.register) or topic.wordings.get(_nearest(persona), "") or topic.prompt


def name_of(topic: Topic, persona: Persona) -> str:
    """What this person calls the task later: the short name, but for formal persons the title; empty without both."""
    return (topic.short if topic.short and persona.register != "formal" else topic.title) or topic.short


def as_told(topic: Topic, persona: Persona) -> Topic:
    """The topic with this person's wording as its prompt, and what they call it as its title."""
    if not (topic.wordings or topic.short):
        return topic
    return replace(topic, prompt=wording_of(topic, persona), title=name_of(topic, persona))


def only_of(topic: Topic, persona: Persona) -> Topic:
    """The topic with no wording and no short name but this person's, as it is stored with a turn."""
    wording = wording_of(topic, persona)
    wordings = {} if wording == topic.prompt else {persona.register: wording}
    return replace(topic, wordings=wordings, short="" if persona.register == "formal" else topic.short)


def neutral(topic: Topic) -> Topic:
    """The topic as everybody words it."""
    return replace(topic, wordings={}, short="") if topic.wordings or topic.short else topic


def _nearest(persona: Persona) -> str:
    """Warm people type as casual or as neutral ones do, each always the same."""
    return "casual" if persona.register == "warm" and crc32(persona.id.encode()) % 2 else "neutral"
