"""Generates the turns of a benchmark: script, persona and the template's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from evolif.errors import UsageError
from evolif.instructions.turn_lines import Header, same_intention
from evolif.synthesis import Frames, TemplateSynthesizer, persona_for
from evolif.tracker import ScriptSpec, script
from evolif.types import Persona, ScriptTurn, Topic, Turn

UNPLAYABLE = frozenset({"flagged", "rejected"})
"""Statuses of words that no model ever gets to see."""


class TurnGenerator:
    """Generates the turns of a benchmark in the template's words.

    Args:
        header: The benchmark's specification.
        topics: Its topics.
        personas: Its personas.
        path: Its directory, for messages.
        frames: Its registers' frames; the project's own where None.
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
        self._version = header.generator
        self._path = path
        self._scripts: dict[int, Iterator[ScriptTurn]] = {}
        """Open scripts, so that a growing dialogue is not replayed for each of its turns."""
        self._script = ScriptSpec(spec.profile, topics, spec.seed)
        self._personas = personas
        self._seed = spec.seed
        self._synthesizer = TemplateSynthesizer(spec.seed, frames)

    def script(self, dialogue: int) -> Iterator[ScriptTurn]:
        """The endless script of a dialogue."""
        return script(self._script, dialogue)

    def put_into_words(self, turn: ScriptTurn) -> Turn:
        """A scripted turn in the template's words."""
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

    def following(self, dialogue: int, stored: Sequence[Turn]) -> Turn:
        """The next turn of a dialogue in the template's words.

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
        return self.put_into_words(scripted)

    def forget(self, dialogue: int) -> None:
        """Close a dialogue's script; it is replayed if the dialogue grows again."""
        self._scripts.pop(dialogue, None)

    def _replayed(self, dialogue: int, stored: Sequence[Turn]) -> Iterator[ScriptTurn]:
        turns = self.script(dialogue)
        for turn in stored:
            if not same_intention(turn, next(turns)):
                raise UsageError(
                    f"dialogue {dialogue} of {self._path} was scripted by evolif {self._version} with other "
                    f"rules and cannot be extended by this version (turn {turn.turn} differs); stay within its turns "
                    "(--max-turns) or generate a fresh benchmark"
                )
        return turns

    def playable(self, turn: Turn) -> Turn:
        """The turn with the template's words in place of words that were flagged or rejected."""
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
