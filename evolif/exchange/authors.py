"""The layouts of the EvolIF authors: a state trajectory (`snapshots_*.jsonl`) and a dialogue (`dialog_*.jsonl`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif.audit import ForeignLine, map_constraint
from evolif.constraints import describe, format_of, parse_constraint, parse_constraints
from evolif.errors import InputError, UsageError
from evolif.instructions import IMPORTED, to_object
from evolif.resources import complaint
from evolif.synthesis import TemplateSynthesizer
from evolif.types import Constraint, Instruction, Move, Operation, Persona, ScriptTurn, Topic, Turn

# From a line of the authors' layouts to a line of ours: what it does not say is derived, and marked as derived.
#
# Topic, move and operation come from the lines before; keywords from the constraints of the whole dialogue. A state
# trajectory holds no queries: the template words them. Export runs the same derivation over what it is about to write,
# and puts into the field `evolif` only what would come out otherwise.

NOBODY = Persona("unknown", "The imported file tells no persona.", ("as the file has it",))
NOTHING = Operation("remove", "", None, None)
"""Of a line that asks for nothing after one that asked for nothing: no turn, unless the field `evolif` says more."""
_Short = Annotated[str, Field(max_length=2000)]


class ForeignStyle(BaseModel):
    """The persona of a line."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    uuid: _Short = ""
    persona: _Short = ""
    styles: Annotated[list[_Short], Field(max_length=100)] = Field(default_factory=list)

    def to_persona(self) -> Persona:
        """The persona; its register is not told."""
        phrases = tuple(filter(str.strip, self.styles)) or NOBODY.phrases
        sentence = self.persona if self.persona.strip() else NOBODY.sentence
        return Persona(self.uuid.strip() or NOBODY.id, sentence, phrases)


class ForeignRow(ForeignLine):
    """A line with all that an import reads of it."""

    style: ForeignStyle | None = None
    instruction_success: bool | None = None
    topic_success: bool | None = None

    @property
    def words(self) -> str:
        """The query; empty in a state trajectory."""
        return self.user_query_verified or self.user_query or ""


def parse_foreign(data: object) -> ForeignRow:
    """A line of either layout.

    Raises:
        UsageError: it is none.
    """
    try:
        return ForeignRow.model_validate(data)
    except ValidationError as fault:
        raise InputError(complaint(fault, "line")) from None


class Derivation:
    """Makes the turns of one dialogue, in order.

    Args:
        dialogue: Its number in the benchmark that is made.
        rows: All its lines.

    Raises:
        UsageError: a constraint that has no equal here.
    """

    def __init__(self, dialogue: int, rows: Sequence[ForeignRow]) -> None:
        self._dialogue = dialogue
        self._template = TemplateSynthesizer(0)
        self._states: dict[str, Instruction] = {}
        self._prompts: dict[str, str] = {}
        self._last: str | None = None
        self._number = 0
        self._keywords: dict[str, dict[str, None]] = {}
        for row in rows:
            words = self._keywords.setdefault(str(row.active_topic), {})
            for entry in row.instructions:
                words |= dict.fromkeys(_keywords(entry.id, entry.args))

    def turn(self, row: ForeignRow) -> Turn:
        """The next turn.

        Raises:
            UsageError: the line is out of order, changes nothing, or holds what has no equal here.
        """
        self._number += 1
        if row.turn != self._number:
            raise UsageError(f"turn {row.turn} stands where turn {self._number} should; restore the missing lines")
        topic = self._topic(row)
        move: Move = "continue" if topic.id == self._last else "backtrack" if topic.id in self._states else "new"
        before, constraints = self._states.get(topic.id, ()), _constraints(row)
        self._states[topic.id], self._last = constraints, topic.id
        changes = changes_of(before, constraints)
        operation = changes[0] if changes else _no_change(constraints)
        persona = row.style.to_persona() if row.style is not None else NOBODY
        turn = ScriptTurn(self._dialogue, row.turn, topic, move, operation, constraints, before, "")
        query, source = row.words, IMPORTED
        if not query.strip():
            query, source = self._words(turn, persona, len(changes))
        return Turn(
            dialogue=self._dialogue,
            turn=row.turn,
            topic=topic,
            move=move,
            operation=operation,
            constraints=constraints,
            persona=persona,
            query=query,
            source=source,
            findings=_findings(row, changes),
        )

    def _topic(self, row: ForeignRow) -> Topic:
        name = str(row.active_topic)[:200] or "topic"
        prompt = self._prompts.setdefault(name, row.topic_query or row.words)
        if not prompt.strip():
            raise UsageError("it holds neither a query nor the topic's task (topic_query)")
        return Topic(name, prompt, tuple(self._keywords.get(str(row.active_topic), ())))

    def _words(self, turn: ScriptTurn, persona: Persona, changes: int) -> tuple[str, str]:
        """Words for a line that has none, and whose they are."""
        if changes == 1:
            return self._template.say(turn, persona), self._template.name
        fmt = format_of(turn.constraints)
        asked = "\n".join(f"- {describe(c, fmt)}" for c in turn.constraints)
        return f"{turn.topic.prompt}\n\nFrom now on exactly this is asked of the answer:\n{asked}", IMPORTED


def derived_lines(dialogue: int, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What an import makes of the bare lines of a dialogue that this program wrote."""
    parsed = [parse_foreign(row) for row in rows]
    derivation = Derivation(dialogue, parsed)
    return [to_object(derivation.turn(row)) for row in parsed]


def changes_of(before: Instruction, after: Instruction) -> list[Operation]:
    """All that differs between two states of a topic: what was added, modified, removed, in this order."""
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
    told = [
        f"imported: the file says {name}: false"
        for name in ("instruction_success", "topic_success")
        if getattr(row, name) is False
    ]
    if not changes:
        told.append("imported: nothing changes in this turn; the operation repeats a constraint")
    elif len(changes) > 1:
        listed = ", ".join(f"{change.kind} {change.group}" for change in changes)
        told.append(f"imported: {len(changes)} changes in one turn ({listed}); the operation is the first of them")
    return tuple(told)


def _constraints(row: ForeignRow) -> tuple[Constraint, ...]:
    found = parse_constraints([map_constraint(entry.id, entry.args) for entry in row.instructions])
    if len({c.group for c in found}) < len(found):
        raise UsageError("a group is active twice; keep one of the instructions")
    return found


def _keywords(name: str, args: Any) -> list[str]:
    """Keywords that an instruction names: without them no topic of the file has any."""
    if name == "existence" and isinstance(args, dict):
        found = list(args)
    elif name == "forbidden":
        found = args.get("keywords", []) if isinstance(args, dict) else list(args)
    elif name in ("startwith", "endwith") and isinstance(args, dict) and args.get("mode") == "keyword":
        found = [args.get("value")]
    else:
        found = []
    return [word for word in found if isinstance(word, str)]


STATES = "evolif-states"
DIALOGS = "evolif-dialogs"
FILE_NAMES: Mapping[str, str] = {STATES: "snapshots", DIALOGS: "dialog"}

_UNITS = {"words": "word", "sentences": "sentence", "paragraphs": "paragraph", "characters": "characters"}
_MODES = {"include": "must_include", "exclude": "must_not_include"}
_ARGS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "start_with": ("startwith", dict),
    "end_with": ("endwith", dict),
    "format": ("format", dict),
    "bullets": ("countableItems", lambda p: {"num": p["count"]}),
    "length": (
        "length",
        lambda p: {"mode": _UNITS[p["unit"]], "relation": p["relation"], "number": p["count"]},
    ),
    "existence": ("existence", lambda p: dict(p["counts"])),
    "forbidden": ("forbidden", lambda p: list(p["keywords"])),
    "case": ("case", lambda p: {"mode": "min_upper", "min": p["percent"]} if p["mode"] == "share" else dict(p)),
    "punctuation": ("punctuation", lambda p: {"mode": _MODES[p["mode"]], "value": p["mark"]}),
    "emotion": ("emotion", dict),
    "audience": ("reader_age", lambda p: {"reader_age": p["audience"]}),
    "style": ("style", dict),
}


def foreign_constraint(constraint: Constraint) -> tuple[str, Any] | None:
    """A constraint's id and arguments in the authors' words; None where reading them back would give another one."""
    known = _ARGS.get(constraint.group)
    if known is None:
        return None
    name, convert = known
    try:
        args = convert(constraint.params)
        back = parse_constraint(map_constraint(name, args))
    except (KeyError, TypeError, UsageError):
        return None
    return (name, args) if back == Constraint(constraint.group, dict(constraint.params)) else None


def layout_rows(
    turns: Sequence[Turn], layout: str, numbers: Mapping[str, int]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """A dialogue in a layout of the authors.

    Args:
        turns: All turns of the dialogue.
        layout: `STATES` or `DIALOGS`.
        numbers: Of each topic's id, the number that stands for it.

    Returns:
        The bare lines; per line, the keys of our own line that cannot be derived from them; and how many constraints
        the layout has no words for.
    """
    make = _state if layout == STATES else _dialog
    rows = [make(turn, numbers[turn.topic.id]) for turn in turns]
    left_out = sum(foreign_constraint(c) is None for turn in turns for c in turn.constraints)
    extra = []
    for turn, bare in zip(turns, derived_lines(turns[0].dialogue, rows) if turns else [], strict=True):
        line = to_object(turn)
        del line["witness"]
        extra.append({key: value for key, value in line.items() if bare[key] != value})
    return rows, extra, left_out


def _state(turn: Turn, number: int) -> dict[str, Any]:
    return {
        "turn": turn.turn,
        "active_topic": number,
        "topic_query": turn.topic.prompt,
        "instructions": _instructions(turn.constraints),
        "cur_operation": _operation(turn.operation, format_of(turn.constraints)),
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
    before, after = (
        None if params is None else Constraint(operation.group, params)
        for params in (operation.before, operation.after)
    )
    named = [None if c is None else foreign_constraint(c) for c in (before, after)]
    known = next((one for one in named if one is not None), None)
    return {
        "operation_type": operation.kind,
        "original_description": None if before is None else describe(before, fmt),
        "new_description": None if after is None else describe(after, fmt),
        "instruction_id": None if known is None else known[0],
        "args_before": None if named[0] is None else named[0][1],
        "args_after": None if named[1] is None else named[1][1],
    }
