"""Makes the turns of a benchmark: script, persona, words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evolif.benchmark._header import Header
from evolif.domain import Persona, ScriptTurn, Topic, Turn
from evolif.synthesis import TemplateSynthesizer, persona_for
from evolif.tracker import ScriptSpec, script


class Maker:
    """What a benchmark's turns are a function of, and the template's words for any of them."""

    def __init__(self, header: Header, topics: tuple[Topic, ...], personas: tuple[Persona, ...]) -> None:
        spec = header.spec
        self._script = ScriptSpec(spec.profile, topics, spec.seed)
        self._personas = personas
        self._seed = spec.seed
        self._synthesizer = TemplateSynthesizer(spec.seed)

    def script(self, dialogue: int) -> Iterator[ScriptTurn]:
        """The intentions of a dialogue, without end."""
        return script(self._script, dialogue)

    def put_into_words(self, turn: ScriptTurn) -> Turn:
        """The scripted turn as a benchmark line has it, in the template's words."""
        persona = persona_for(self._personas, self._seed, turn.dialogue)
        return Turn(
            dialogue=turn.dialogue,
            turn=turn.turn,
            topic=turn.topic,
            move=turn.move,
            operation=turn.operation,
            constraints=turn.constraints,
            persona=persona,
            query=self._synthesizer.say(turn, persona),
            source=self._synthesizer.name,
            witness=turn.witness,
        )

    def playable(self, turn: Turn) -> Turn:
        """The turn as a session plays it: words that were flagged or rejected give way to the template's."""
        if turn.status not in UNPLAYABLE:
            return turn
        scripted = ScriptTurn(
            dialogue=turn.dialogue,
            turn=turn.turn,
            topic=turn.topic,
            move=turn.move,
            operation=turn.operation,
            constraints=turn.constraints,
            before=(),
            witness=turn.witness or "",
        )
        note = f"the words of {turn.source} are {turn.status}; the template's words are played instead"
        return replace(
            turn,
            query=self._synthesizer.say(scripted, turn.persona),
            source=self._synthesizer.name,
            status="verified",
            attempts=1,
            findings=(note,),
        )


UNPLAYABLE = frozenset({"flagged", "rejected"})
"""Statuses of words that no model is ever asked with."""
