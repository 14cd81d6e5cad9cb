"""The layouts of the EvolIF authors: state trajectories (`snapshots_*.jsonl`) and dialogues (`dialog_*.jsonl`).

An import derives what their lines omit, and marks it: topic, move and operation from earlier lines, keywords from the
constraints of the whole dialogue. State trajectories have no queries, so the template writes them. An export runs the
same derivation over its output lines, and stores only the differences in the field `evolif`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError, UsageError
from evolif.scenarios.instructions import to_object
from evolif.scenarios.instructions.audit.sources import ForeignLine, map_constraint
from evolif.scenarios.instructions.constraints import describe, format_of, parse_constraint, parse_constraints
from evolif.scenarios.instructions.folder import IMPORTED
from evolif.scenarios.instructions.synthesis import TemplateSynthesizer
from evolif.scenarios.instructions.turns import (
    Constraint,
    Instruction,
    Move,
    Operation,
    Persona,
    ScriptTurn,
    Topic,
    Turn,
)
from evolif.util.resources import complaint

STATES = "evolif-states"
DIALOGS = "evolif-dialogs"
FILE_NAMES: Mapping[str, str] = {STATES: "snapshots", DIALOGS: "dialog"}

NOBODY = Persona("unknown", "The imported file tells no persona.", ("as the file has it",))
NOTHING = Operation("remove", "", None, None)
"""The operation of a line without constraints after another such line: no turn, unless `evolif` says so."""
_Short = Annotated[str, Field(max_length=2000)]


class ForeignStyle(BaseModel):
    """The persona of a line."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    uuid: _Short = ""
    persona: _Short = ""
    styles: Annotated[list[_Short], Field(max_length=100)] = Field(default_factory=list)

    def to_persona(self) -> Persona:
        """The persona, without a register."""
        phrases = tuple(filter(str.strip, self.styles)) or NOBODY.phrases
        sentence = self.persona if self.persona.strip() else NOBODY.sentence
        return Persona(self.uuid.strip() or NOBODY.id, sentence, phrases)


class ForeignRow(ForeignLine):
    """A line with all fields that an import uses."""

    style: ForeignStyle | None = None
    instruction_success: bool | None = None
    topic_success: bool | None = None

    @property
    def query(self) -> str:
        """Empty in a state trajectory."""
        return self.user_query_verified or self.user_query or ""


def parse_foreign(data: object) -> ForeignRow:
    """Read a line of either layout.

    Raises:
        UsageError: it is invalid.
    """
    try:
        return ForeignRow.model_validate(data)
    except ValidationError as fault:
        raise InputError(complaint(fault, "line")) from None


class Derivation:
    """Derives the turns of one dialogue, in order.

    Args:
        dialogue: Its number in the new benchmark.
        rows: All its lines.

    Raises:
        UsageError: a constraint has no equivalent.
    """

    def __init__(self, dialogue: int, rows: Sequence[ForeignRow]) -> None:
        self._dialogue = dialogue
        self._template = TemplateSynthesizer(0)
        self._constraints: dict[str, Instruction] = {}
        """The latest state of each topic."""
        self._prompts: dict[str, str] = {}
        self._last_topic: str | None = None
        self._number = 0
        self._keywords: dict[str, dict[str, None]] = {}
        for row in rows:
            keywords = self._keywords.setdefault(str(row.active_topic), {})
            for entry in row.instructions:
                keywords |= dict.fromkeys(_keywords(entry.id, entry.args))

    def turn(self, row: ForeignRow) -> Turn:
        """The next turn.

        Raises:
            UsageError: the line is out of order, changes nothing, or has no equivalent.
        """
        self._number += 1
        if row.turn != self._number:
            raise UsageError(f"expected turn {self._number} but found turn {row.turn}; restore the missing lines")
        topic = self._topic(row)
        move: Move = "new"
        if topic.id in self._constraints:
            move = "continue" if topic.id == self._last_topic else "backtrack"
        before, constraints = self._constraints.get(topic.id, ()), _parse_constraints(row)
        self._constraints[topic.id], self._last_topic = constraints, topic.id
        changes = _changes(before, constraints)
        operation = changes[0] if changes else _no_change(constraints)
        persona = row.style.to_persona() if row.style is not None else NOBODY
        query, source = row.query, IMPORTED
        if not query.strip() and len(changes) == 1:
            script = ScriptTurn(self._dialogue, row.turn, topic, move, (operation,), constraints, before, "")
            query, source = self._template.say(script, persona), self._template.name
        elif not query.strip():
            fmt = format_of(constraints)
            listed = "\n".join(f"- {describe(c, fmt)}" for c in constraints)
            query = f"{topic.prompt}\n\nFrom now on exactly this is asked of the answer:\n{listed}"
        return Turn(
            dialogue=self._dialogue,
            turn=row.turn,
            topic=topic,
            move=move,
            operations=(operation,),
            constraints=constraints,
            persona=persona,
            query=query,
            source=source,
            findings=_findings(row, changes),
        )

    def _topic(self, row: ForeignRow) -> Topic:
        name = str(row.active_topic)[:200] or "topic"
        prompt = self._prompts.setdefault(name, row.topic_query or row.query)
        if not prompt.strip():
            raise UsageError("it has neither a query nor the topic's task (topic_query)")
        return Topic(name, prompt, tuple(self._keywords.get(str(row.active_topic), ())))


def _keywords(name: str, args: Any) -> list[str]:
    """The keywords an instruction names; topics of these files have no others."""
    found: list[Any] = []
    if name == "existence" and isinstance(args, dict):
        found = list(args)
    elif name == "forbidden":
        found = args.get("keywords", []) if isinstance(args, dict) else list(args)
    elif name in ("startwith", "endwith") and isinstance(args, dict) and args.get("mode") == "keyword":
        found = [args.get("value")]
    return [word for word in found if isinstance(word, str)]


def _parse_constraints(row: ForeignRow) -> Instruction:
    found = parse_constraints([map_constraint(entry.id, entry.args) for entry in row.instructions], stored=True)
    if len({c.group for c in found}) < len(found):
        raise UsageError("a group is active twice; keep one of the instructions")
    return found


def _changes(before: Instruction, after: Instruction) -> list[Operation]:
    """Everything that differs between two states of a topic: first added, then modified, then removed groups."""
    old, new = ({c.group: dict(c.params) for c in state} for state in (before, after))
    added = [Operation("add", group, None, params) for group, params in new.items() if group not in old]
    modified = [
        Operation("modify", group, old[group], params)
        for group, params in new.items()
        if group in old and old[group] != params
    ]
    removed = [Operation("remove", group, params, None) for group, params in old.items() if group not in new]
    return [*added, *modified, *removed]


def _no_change(constraints: Instruction) -> Operation:
    if not constraints:
        return NOTHING
    last = constraints[-1]
    return Operation("modify", last.group, dict(last.params), dict(last.params))


def _findings(row: ForeignRow, changes: Sequence[Operation]) -> tuple[str, ...]:
    checks = {"instruction_success": row.instruction_success, "topic_success": row.topic_success}
    findings = [f"imported: the file says {name}: false" for name, success in checks.items() if success is False]
    if not changes:
        findings.append("imported: nothing changes in this turn; the operation repeats a constraint")
    elif len(changes) > 1:
        listed = ", ".join(f"{change.kind} {change.group}" for change in changes)
        findings.append(f"imported: {len(changes)} changes in one turn ({listed}); the operation is the first of them")
    return tuple(findings)


_UNITS = {"words": "word", "sentences": "sentence", "paragraphs": "paragraph", "characters": "characters"}
_MODES = {"include": "must_include", "exclude": "must_not_include"}
_ARGS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "start_with": ("startwith", dict),
    "end_with": ("endwith", dict),
    "format": ("format", dict),
    "bullets": ("countableItems", lambda p: {"num": p["count"]}),
    "length": ("length", lambda p: {"mode": _UNITS[p["unit"]], "relation": p["relation"], "number": p["count"]}),
    "existence": ("existence", lambda p: dict(p["counts"])),
    "forbidden": ("forbidden", lambda p: list(p["keywords"])),
    "case": ("case", lambda p: {"mode": "min_upper", "min": p["percent"]} if p["mode"] == "share" else dict(p)),
    "punctuation": ("punctuation", lambda p: {"mode": _MODES[p["mode"]], "value": p["mark"]}),
    "emotion": ("emotion", dict),
    "audience": ("reader_age", lambda p: {"reader_age": p["audience"]}),
    "style": ("style", dict),
}


def foreign_constraint(constraint: Constraint) -> tuple[str, Any] | None:
    """The authors' id and arguments for a constraint; None if reading them back would give a different constraint."""
    known = _ARGS.get(constraint.group)
    if known is None:
        return None
    name, convert = known
    try:
        args = convert(constraint.params)
        back = parse_constraint(map_constraint(name, args), stored=True)
    except (KeyError, TypeError, UsageError):
        return None
    return (name, args) if back == Constraint(constraint.group, dict(constraint.params)) else None


def layout_rows(
    turns: Sequence[Turn], layout: str, numbers: Mapping[str, int]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """A dialogue in one of the authors' layouts.

    Args:
        turns: All turns of the dialogue.
        layout: `STATES` or `DIALOGS`.
        numbers: The number of each topic, by its id.

    Returns:
        The lines; per line, the keys of our format that an import would not derive from it; and the number of
        constraints that the layout cannot express.
    """
    make = _state if layout == STATES else _dialog
    rows = [make(turn, numbers[turn.topic.id]) for turn in turns]
    inexpressible = sum(foreign_constraint(c) is None for turn in turns for c in turn.constraints)
    parsed = [parse_foreign(row) for row in rows]
    derivation = Derivation(turns[0].dialogue if turns else 0, parsed)
    differences = []
    for turn, row in zip(turns, parsed, strict=True):
        line, derived = to_object(turn), to_object(derivation.turn(row))
        del line["witness"]
        differences.append({key: value for key, value in line.items() if key not in derived or derived[key] != value})
    return rows, differences, inexpressible


def _state(turn: Turn, number: int) -> dict[str, Any]:
    return {
        "turn": turn.turn,
        "active_topic": number,
        "topic_query": turn.topic.prompt,
        "instructions": _instructions(turn.constraints),
        "cur_operation": _operation(turn.operations[0], format_of(turn.constraints)),
    }


def _dialog(turn: Turn, number: int) -> dict[str, Any]:
    clear = turn.status in ("verified", "edited")
    return {
        "turn": turn.turn,
        "active_topic": number,
        "user_query_verified": turn.query,
        "user_query": turn.query,
        "instructions": _instructions(turn.constraints),
        "style": {"uuid": turn.persona.id, "persona": turn.persona.sentence, "styles": list(turn.persona.phrases)},
        "instruction_success": clear,
        "topic_success": clear,
    }


def _instructions(constraints: Instruction) -> list[dict[str, Any]]:
    fmt = format_of(constraints)
    named = ((foreign_constraint(c), describe(c, fmt)) for c in constraints)
    return [{"id": one[0], "args": one[1], "description": text} for one, text in named if one is not None]


def _operation(operation: Operation, fmt: str | None) -> dict[str, Any]:
    sides: list[tuple[str | None, str | None, Any]] = []  # description, id and arguments, before and after
    for params in (operation.before, operation.after):
        if params is None:
            sides.append((None, None, None))
        else:
            constraint = Constraint(operation.group, params)
            sides.append((describe(constraint, fmt), *(foreign_constraint(constraint) or (None, None))))
    before, after = sides
    return {
        "operation_type": operation.kind,
        "original_description": before[0],
        "new_description": after[0],
        "instruction_id": before[1] or after[1],
        "args_before": before[2],
        "args_after": after[2],
    }
