"""Generate the turns of a benchmark: script, persona and the template's query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from evolif.errors import UsageError
from evolif.scenarios.instructions.partition import Wordings
from evolif.scenarios.instructions.synthesis import TemplateSynthesizer, persona_for
from evolif.scenarios.instructions.synthesis.template import Frames
from evolif.scenarios.instructions.synthesis.voice import neutral, only_of
from evolif.scenarios.instructions.system import with_definitions
from evolif.scenarios.instructions.tracker import Profile, ScriptSpec, script
from evolif.scenarios.instructions.turn_lines import Header, Spec, same_intention
from evolif.scenarios.instructions.turns import Persona, ScriptTurn, Topic, Turn

UNPLAYABLE = frozenset({"flagged", "rejected"})
"""Statuses of queries that are never sent to a model."""


def has_voices(profile: Profile) -> bool:
    """Whether tasks are worded by who asks."""
    return bool(profile.persons or profile.voices)


def template_of(spec: Spec, frames: Frames | None = None, used: set[str] | None = None) -> TemplateSynthesizer:
    """The template as a benchmark of this specification uses it.

    Args:
        spec: The benchmark's.
        frames: Its registers' frames; the project's own if None.
        used: Gets the texts that are chosen, before their slots are filled.
    """
    profile, side = spec.profile, None if spec.split is None else spec.split.side
    return TemplateSynthesizer(
        spec.seed,
        frames,
        short=profile.short_words,
        persons=bool(profile.persons),
        voices=has_voices(profile),
        wordings=Wordings(side, used),
    )


class TurnGenerator:
    """Generates the turns of a benchmark with template queries.

    Args:
        header: The benchmark's specification.
        topics: Its topics.
        personas: Its personas.
        path: Its directory, for messages.
        frames: Its registers' frames; the project's own if None.
    """

    def __init__(
        self,
        header: Header,
        topics: tuple[Topic, ...],
        personas: tuple[Persona, ...],
        path: Path | None = None,
        frames: Frames | None = None,
    ) -> None:
        spec = header.spec
        self._header = header
        self._version = header.generator
        self._path = path
        self._scripts: dict[int, Iterator[ScriptTurn]] = {}
        """Open scripts, so that a growing dialogue is not replayed for each turn."""
        self._script = ScriptSpec(
            spec.profile, topics, spec.seed, personas, side=None if spec.split is None else spec.split.side
        )
        self._personas = personas
        self._seed = spec.seed
        self._voices = has_voices(spec.profile)
        self._synthesizer = template_of(spec, frames)

    def script(self, dialogue: int) -> Iterator[ScriptTurn]:
        """The endless script of a dialogue."""
        return script(self._script, dialogue)

    def put_into_words(self, turn: ScriptTurn, past: Sequence[Turn]) -> Turn:
        """A scripted turn with the template's query.

        Args:
            turn: The turn.
            past: The dialogue's turns before it.
        """
        persona = persona_for(self._personas, self._seed, turn.dialogue)
        turn = replace(turn, topic=only_of(turn.topic, persona) if self._voices else neutral(turn.topic))
        return Turn(
            dialogue=turn.dialogue,
            turn=turn.turn,
            topic=turn.topic,
            move=turn.move,
            operations=turn.operations,
            constraints=turn.constraints,
            persona=persona,
            query=self.told(self._synthesizer.say(turn, persona, past), turn, past),
            source=self._synthesizer.name,
            witness=turn.witness,
            act=turn.act,
        )

    def opening(self, dialogue: int, turns: int) -> list[Turn]:
        """The first turns of a dialogue."""
        made: list[Turn] = []
        for turn in islice(self.script(dialogue), turns):
            made.append(self.put_into_words(turn, made))
        return made

    def told(self, query: str, turn: ScriptTurn | Turn, past: Sequence[Turn]) -> str:
        """The query with what exactly is counted, where queries are to say it and the dialogue has not said it yet."""
        return with_definitions(self._header, query, turn, past)

    def following(self, dialogue: int, stored: Sequence[Turn]) -> Turn:
        """The next turn of a dialogue with the template's query.

        Raises:
            UsageError: this version scripts the stored turns differently.
        """
        number = len(stored) + 1
        turns = self._scripts.get(dialogue)
        scripted = next(turns) if turns is not None else None
        if turns is None or scripted is None or scripted.turn != number:
            turns = self._replayed(dialogue, stored)
            scripted = next(turns)
        self._scripts[dialogue] = turns
        return self.put_into_words(scripted, stored)

    def forget(self, dialogue: int) -> None:
        """Close a dialogue's script; it is replayed if the dialogue grows again."""
        self._scripts.pop(dialogue, None)

    def _replayed(self, dialogue: int, stored: Sequence[Turn]) -> Iterator[ScriptTurn]:
        turns = self.script(dialogue)
        for turn in stored:
            if not same_intention(turn, next(turns)):
                raise UsageError(
                    f"dialogue {dialogue} of {self._path} was generated by evolif {self._version} under "
                    f"different rules and cannot be extended by this version (turn {turn.turn} differs); "
                    "stay within its turns (--max-turns) or generate a fresh benchmark"
                )
        return turns

    def playable(self, turn: Turn, past: Sequence[Turn]) -> Turn:
        """The turn, with the template's query in place of a flagged or rejected one.

        Args:
            turn: The turn.
            past: The dialogue's turns before it.
        """
        note = f"the words of {turn.source} are {turn.status}; the template's words are played instead"
        return replace(
            turn,
            query=self.told(self._synthesizer.say(turn, turn.persona, past), turn, past),
            source=self._synthesizer.name,
            status="verified",
            attempts=1,
            findings=(note,),
        )


def script_of(turn: Turn) -> ScriptTurn:
    """The intention of a stored turn, for the template."""
    return ScriptTurn(
        dialogue=turn.dialogue,
        turn=turn.turn,
        topic=turn.topic,
        move=turn.move,
        operations=turn.operations,
        constraints=turn.constraints,
        before=(),
        witness=turn.witness or "",
        act=turn.act,
    )
