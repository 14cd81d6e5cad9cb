"""The template synthesizer: offline, deterministic, and states exactly this turn's change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import Any
from zlib import crc32

from evolif.errors import InputError
from evolif.scenarios.instructions.constraints import Saying, get_group
from evolif.scenarios.instructions.partition import ALL_WORDINGS, Wordings
from evolif.scenarios.instructions.synthesis.draw import DrawMemory
from evolif.scenarios.instructions.synthesis.planner import Planner
from evolif.scenarios.instructions.synthesis.plans import capitalised
from evolif.scenarios.instructions.synthesis.render import realise
from evolif.scenarios.instructions.synthesis.short_words import ShortWords
from evolif.scenarios.instructions.synthesis.style import OWN_REGISTERS, style_of
from evolif.scenarios.instructions.synthesis.voice import as_told
from evolif.scenarios.instructions.turns import Operation, Params, Persona, ScriptTurn, Turn
from evolif.util.resources import data_path, load_data
from evolif.util.rng import Purpose, Stream

_TALK = frozenset({"clause", "Clause"})
_NEEDED: Mapping[tuple[str, ...], tuple[frozenset[str], ...]] = {
    ("first",): (frozenset({"task"}), _TALK),
    ("new",): (frozenset({"task"}), _TALK),
    ("continue", "add"): (_TALK,),
    ("continue", "modify"): (frozenset({"old", "Old"}), _TALK),
    ("continue", "remove"): (frozenset({"drop", "Drop"}),),
    ("backtrack", "add"): (frozenset({"topic", "Topic"}), _TALK),
    ("backtrack", "modify"): (frozenset({"topic", "Topic"}), frozenset({"old", "Old"}), _TALK),
    ("backtrack", "remove"): (frozenset({"topic", "Topic"}), frozenset({"drop", "Drop"})),
}
"""The kinds of frames that a register needs, and their slots: exactly one of each set."""

_DIALOGUES = 256
"""Dialogues whose used plans are remembered; others are gone through again."""
MOST_FRAMES = 200
"""Frames of one kind in one register."""
PARTIAL = frozenset({"add", "release", "recount"})
"""Changes of a part of a constraint: their clause alone states them, and the rest of the constraint stays."""


@dataclass(frozen=True, slots=True)
class Frames:
    """The conversational sentences around a clause, per register; `neutral` is always there."""

    by_register: Mapping[str, Mapping[str, Any]]

    @property
    def registers(self) -> tuple[str, ...]:
        """The registers with frames."""
        return tuple(self.by_register)

    def of(self, register: str, *path: str) -> list[str]:
        """The frames of a register, or of `neutral` if it is unknown, for a move and operation."""
        node: Any = self.by_register.get(register) or self.by_register["neutral"]
        for key in path:
            node = node[key]
        return list(node)


@lru_cache(maxsize=1)
def own_frames() -> Frames:
    """The project's own."""
    return Frames(_read(data_path("seeds", "frames.yaml")))


def registers() -> tuple[str, ...]:
    """The registers of the project's own frames."""
    return own_frames().registers


def load_frames(path: Path) -> Frames:
    """The project's own frames and those of a YAML file like `seeds/frames.yaml`, whose registers come first.

    Raises:
        InputError: a register without frames of some kind, or a frame with a slot missing or unknown.
    """
    return Frames({**own_frames().by_register, **_read(path)})


def _registers_of(path: Path) -> Mapping[str, Mapping[str, Any]]:
    data = load_data(path)
    registers = data.get("registers") if isinstance(data, dict) else None
    if not isinstance(registers, dict) or not registers:
        raise InputError("needs “registers”, a mapping of register names to frames", path=path)
    return registers


def _read(path: Path) -> Mapping[str, Mapping[str, Any]]:
    registers = _registers_of(path)
    for register, moves in registers.items():
        for fault in _faults(register, moves):
            raise InputError(fault, path=path)
    return registers


def frame_faults(path: Path) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The registers of a frames file, and everything that is wrong with them, each with its register.

    Raises:
        InputError: the file cannot be read, or has no registers.
    """
    registers = _registers_of(path)
    faults = tuple((str(name), fault) for name, moves in registers.items() for fault in _faults(name, moves))
    return tuple(map(str, registers)), faults


def _faults(register: object, moves: object) -> Iterator[str]:
    if not isinstance(register, str) or not register.isidentifier():
        yield f"“{register}” is not a valid register name; use letters"
    for where, needed in _NEEDED.items():
        node: Any = moves
        for key in where:
            node = node.get(key) if isinstance(node, dict) else None
        name = f"{register}.{'.'.join(where)}"
        if not isinstance(node, list) or not 1 <= len(node) <= MOST_FRAMES:
            yield f"needs 1 to {MOST_FRAMES} frames under {name}"
            continue
        for text in node:
            yield from _faults_of(name, text, needed)


def _faults_of(name: str, text: object, needed: tuple[frozenset[str], ...]) -> Iterator[str]:
    """A frame is filled by `str.format`, so a slot may only be a bare name from the list."""
    try:
        slots = [slot for slot in Formatter().parse(text) if slot[1] is not None] if isinstance(text, str) else None
    except ValueError:
        slots = None
    if slots is None:
        yield f"{name}: “{text}” is not a text with slots such as {{clause}}"
        return
    allowed = frozenset().union(*needed)
    for _, field, spec, conversion in slots:
        if field not in allowed or spec or conversion:
            yield f"{name}: “{text}” has the slot {{{field}}}; use {', '.join(sorted(allowed))}"
    names = [field for _, field, _, _ in slots]
    for options in needed:
        if sum(names.count(option) for option in options) != 1:
            yield f"{name}: “{text}” needs {' or '.join(f'{{{option}}}' for option in sorted(options))} once"


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Chooses among phrasings: each dialogue cycles through them in its own order, so repetitions are far apart."""

    seed: int
    dialogue: int
    turn: int
    wordings: Wordings = ALL_WORDINGS

    def pick(self, options: Sequence[Any], kind: str) -> str:
        """One of the options; `kind` names them."""
        stream = Stream(self.seed, Purpose.TEMPLATE, self.dialogue, crc32(kind.encode()))
        options = self.wordings.some_of(options)
        chosen = str(stream.sample(options, len(options))[self.turn % len(options)])
        self.wordings.note(chosen)
        return chosen


def clause(group: str, saying: Saying, register: str, wording: Phrasing, params: Params | None = None) -> str:
    """An imperative clause that states a constraint, or its change, completely; without phrases its description."""
    options = get_group(group).data.get("say", {}).get(saying.key)
    if options is None:
        told = get_group(group).describe(params or {}).rstrip(".")
        return f"see to this: {told[:1].lower()}{told[1:]}"
    phrase = wording.pick([*options["any"], *options.get(register, ())], f"say/{group}/{saying.key}")
    return phrase.format(**saying.slots)


def dropped(group: str, params: Params, wording: Phrasing) -> str:
    """A noun phrase that names a constraint which is lifted or replaced."""
    saying = get_group(group).lifted(params)
    options = get_group(group).data.get("drop", {}).get(saying.key)
    if options is None:
        told = get_group(group).describe(params).rstrip(".")
        return f"the rule that {told[:1].lower()}{told[1:]}"
    phrase = wording.pick(options, f"drop/{group}/{saying.key}")
    return phrase.format(**saying.slots)


class TemplateSynthesizer:
    """Puts a scripted turn into words: by utterance plans, or by frames where the user brought a group or a register.

    Args:
        seed: Of the wording.
        frames: The registers' frames; the project's own if None.
        short: Word everything in short demands, as people type them every day (`short_words.py`).
        persons: Whether words and reasons are to fit who asks (`Profile.persons`).
        voices: Word each task, and name it, as the persona does (`voice.py`).
        wordings: What may be said.
    """

    name = "template"

    def __init__(
        self,
        seed: int,
        frames: Frames | None = None,
        *,
        short: bool = False,
        persons: bool = False,
        voices: bool = False,
        wordings: Wordings = ALL_WORDINGS,
    ) -> None:
        self._seed = seed
        self._voices = voices
        self._wordings = wordings
        self._short = ShortWords(seed, persons=persons, wordings=wordings) if short else None
        self._frames = frames or own_frames()
        self._planner = Planner(seed, persons=persons, wordings=wordings)
        self._memories: dict[int, DrawMemory] = {}
        """What recent dialogues have used, least recently used first."""

    def say(self, turn: ScriptTurn | Turn, persona: Persona, past: Sequence[ScriptTurn | Turn] = ()) -> str:
        """The user query of the turn; the same turn behind the same turns always gets the same words.

        Args:
            turn: The turn.
            persona: Who speaks.
            past: The dialogue's turns before it; they may be left out where the turns before it were worded here.
        """
        told = replace(turn, topic=as_told(turn.topic, persona)) if self._voices else turn
        if self._has_plans(persona.register):
            memory = self._memory(turn, persona, past)
            words = self._short.say(told, persona, memory) if self._short is not None else None
            if words is not None:
                return words
            decision = self._planner.decide(turn, persona, memory)
            if decision is not None:
                return realise(decision, told, style_of(persona))
        return self._by_frames(told, persona)

    def _has_plans(self, register: str) -> bool:
        """Whether a register is one of the project's five, and the user brought no frames of that name."""
        own = own_frames().by_register
        return register in OWN_REGISTERS and self._frames.by_register.get(register) is own.get(register)

    def _memory(self, turn: ScriptTurn | Turn, persona: Persona, past: Sequence[ScriptTurn | Turn]) -> DrawMemory:
        """What the dialogue has used before this turn."""
        memory = self._memories.pop(turn.dialogue, None)
        if memory is None or memory.turns != turn.turn - 1:
            memory = DrawMemory()
            for earlier in past:
                if self._short is None or self._short.say(earlier, persona, memory) is None:
                    self._planner.decide(earlier, persona, memory)
        if memory.turns == turn.turn - 1:
            self._memories[turn.dialogue] = memory
            if len(self._memories) > _DIALOGUES:
                del self._memories[next(iter(self._memories))]
        return memory

    def _by_frames(self, turn: ScriptTurn | Turn, persona: Persona) -> str:
        """The query by the frames of the register and the phrases of the group."""
        wording = Phrasing(self._seed, turn.dialogue, turn.turn, self._wordings)
        slots = {
            "task": turn.topic.prompt,
            "topic": turn.topic.title or f"what I asked for earlier (“{turn.topic.prompt}”)",
        }
        path, change = self._change(turn, persona.register, wording)
        slots |= change
        frame = wording.pick(self._frames.of(persona.register, *path), "/".join(path))
        if len(turn.operations) == 1 and _is_one_more(turn.operation) and "also" not in frame.lower():
            slots["clause"] = f"also {slots['clause']}"
        slots |= {capitalised(key): capitalised(text) for key, text in slots.items()}
        return frame.format(**slots)

    def _change(
        self, turn: ScriptTurn | Turn, register: str, wording: Phrasing
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        """The path of the frame, and its slots for this operation."""
        opening: tuple[str, ...] = (turn.move,)
        if turn.move == "new":
            opening = ("first",) if turn.turn == 1 else ("new",)
        if len(turn.operations) != 1 or turn.act in ("replace_all", "carry"):
            slots = {"clause": _several(turn, register, wording)}
            return (opening if turn.move == "new" else (*opening, "add")), slots
        operation = turn.operation
        if operation.kind == "remove" and operation.before is not None:
            return (*opening, "remove"), {"drop": dropped(operation.group, operation.before, wording)}
        saying = get_group(operation.group).saying(operation.kind, operation.before, operation.after)
        slots = {"clause": clause(operation.group, saying, register, wording, operation.after)}
        if turn.move == "new":
            return opening, slots
        if operation.kind == "modify" and operation.before is not None and saying.key not in PARTIAL:
            slots["old"] = dropped(operation.group, operation.before, wording)
            return (*opening, "modify"), slots
        return (*opening, "add"), slots


def _several(turn: ScriptTurn | Turn, register: str, wording: Phrasing) -> str:
    """One clause for several changes; where all earlier demands go, or hold once more, they are not listed."""
    if turn.act == "carry":
        return "keep to the same rules as for the task before"
    clauses = ["forget all I asked for so far"] if turn.act == "replace_all" else []
    for one in turn.operations:
        if one.after is not None:
            before, kind = (None, "add") if turn.act == "replace_all" else (one.before, one.kind)
            saying = get_group(one.group).saying(kind, before, one.after)
            clauses.append(clause(one.group, saying, register, wording, one.after))
        elif one.before is not None and turn.act != "replace_all":
            clauses.append(f"drop {dropped(one.group, one.before, wording)}")
    return clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])} and {clauses[-1]}"


def _is_one_more(operation: Operation) -> bool:
    """Whether a keyword is added to others that stay."""
    if operation.kind != "modify":
        return False
    return get_group(operation.group).saying("modify", operation.before, operation.after).key == "add"
