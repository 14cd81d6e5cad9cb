"""The unified dialogue schema of UniDial-EvalKit (arXiv 2603.23160): dialogues, turns, and what of them is scored.

The models keep keys they do not know, and remember which fields were absent: reading a file and writing it gives equal
JSON values. They are not frozen, so a change is checked when it is written and not before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

PLACEHOLDER = -1
"""The `turn_id` of turns that only keep roles alternating."""
_LARGEST = 2**63
Identifier = Annotated[int, Field(ge=-_LARGEST, lt=_LARGEST)]
"""A whole number of 64 bits, as every file system, database and array can hold it."""
TurnRole = Literal["system", "user", "assistant"]


class SchemaObject(BaseModel):
    """An object of the schema. Types are never converted: `"1"` is no number, and `true` no 1."""

    model_config = ConfigDict(extra="allow", strict=True)

    def written(self) -> dict[str, Any]:
        """The JSON object to write: fields that were given or differ from their default, and unknown keys."""
        kept = {
            name: _written(getattr(self, name))
            for name, field in type(self).model_fields.items()
            if name in self.model_fields_set or getattr(self, name) != field.get_default(call_default_factory=True)
        }
        return {**kept, **(self.model_extra or {})}


def _written(value: Any) -> Any:
    if isinstance(value, SchemaObject):
        return value.written()
    if isinstance(value, list) and value and isinstance(value[0], SchemaObject):
        return [one.written() for one in value]
    return value


class MetricConfig(SchemaObject):
    """A metric by its class name, with its arguments."""

    class_name: str
    args: dict[str, Any] = Field(default_factory=dict)


class TurnEvalConfig(SchemaObject):
    """What of a turn is scored, and how."""

    do_eval: bool = False
    metrics: list[MetricConfig] = Field(default_factory=list)
    dynamic_config_source: dict[str, Any] = Field(default_factory=dict)
    """Kept, never interpreted."""


class Turn(SchemaObject):
    """One message of a dialogue, or the place where a model's answer goes."""

    turn_id: Identifier
    """Unique in the dialogue, unless it is `PLACEHOLDER`."""
    role: TurnRole
    content: str | list[Any] | None = None
    """A text, or parts that are all text; None where it is to be generated."""
    reference: str | list[str] | None = None
    """The gold answer or answers."""
    reference_document: str | list[int] | None = None
    """The ids of the turns that hold the evidence; or a document, as a text."""
    eval_config: TurnEvalConfig = Field(default_factory=TurnEvalConfig)
    turn_labels: dict[str, Any] = Field(default_factory=dict)
    """Keys that begin with `raw` are notes: kept here, left out of records."""

    @field_validator("content")
    @classmethod
    def _only_text(cls, content: Any) -> Any:
        if isinstance(content, list):
            for number, part in enumerate(content, 1):
                if _part_text(part) is None:
                    raise ValueError(f"part {number} of the content is no text; keep text parts only, or drop the turn")
        return content

    @model_validator(mode="after")
    def _only_assistants_answer(self) -> Turn:
        if self.eval_config.do_eval and self.role != "assistant":
            raise ValueError(f"do_eval is true, but the role is {self.role}; only turns of the assistant are evaluated")
        return self

    @property
    def text(self) -> str:
        """The content as one text: parts are joined by line breaks, and no content is the empty text."""
        if isinstance(self.content, list):
            return "\n".join(_part_text(part) or "" for part in self.content)
        return self.content or ""

    @property
    def references(self) -> list[str]:
        """The gold answers; an empty text is one, an empty list holds none."""
        if self.reference is None:
            return []
        return [self.reference] if isinstance(self.reference, str) else list(self.reference)

    @property
    def evaluated(self) -> bool:
        """Whether the model under test answers this turn, and the answer is scored."""
        return self.eval_config.do_eval


class DialogEvalConfig(SchemaObject):
    """How a dialogue is played."""

    use_reference_history: bool = False
    """Whether later turns see the reference (off-policy) instead of the model's own answer (on-policy)."""


class Dialog(SchemaObject):
    """One dialogue."""

    dialog_id: Identifier
    """Unique in a folder, where it names the file."""
    dialog_raw_info: dict[str, Any] = Field(default_factory=dict)
    """Where it came from; no metric reads it."""
    dialog_labels: dict[str, Any] = Field(default_factory=dict)
    """What scores are broken down by; may be nested."""
    dialog_eval_config: DialogEvalConfig = Field(default_factory=DialogEvalConfig)
    dialog_turns: list[Turn]

    @model_validator(mode="after")
    def _ids_once(self) -> Dialog:
        seen = set()
        for turn in self.dialog_turns:
            if turn.turn_id == PLACEHOLDER and not turn.evaluated:
                continue
            if turn.turn_id in seen:
                raise ValueError(f"the turn_id {turn.turn_id} is used twice; give every turn an id of its own")
            seen.add(turn.turn_id)
        return self

    def with_turns(self, turns: Sequence[Turn]) -> Dialog:
        """A copy of the dialogue with other turns; nothing is shared with this one but the turns given."""
        bare = self.model_copy(update={"dialog_turns": []})
        return bare.model_copy(deep=True).model_copy(update={"dialog_turns": list(turns)})


def _part_text(part: object) -> str | None:
    """The text of one part of a content; None if it is anything else, such as a picture."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type") == "text":
        text = part.get("text")
        return text if isinstance(text, str) else None
    return None


def describe(dialogs: Iterable[Dialog]) -> dict[str, Any]:
    """Count what a list of dialogues holds.

    Returns:
        `dialogues`, `turns`, `evaluated_turns`, `metrics` (the entries of evaluated turns by class name), and
        `given_assistant_turns` (assistant turns that are not evaluated).
    """
    found = list(dialogs)
    turns = [turn for dialog in found for turn in dialog.dialog_turns]
    evaluated = [turn for turn in turns if turn.evaluated]
    metrics = Counter(entry.class_name for turn in evaluated for entry in turn.eval_config.metrics)
    return {
        "dialogues": len(found),
        "turns": len(turns),
        "evaluated_turns": len(evaluated),
        "metrics": dict(metrics),
        "given_assistant_turns": sum(turn.role == "assistant" and not turn.evaluated for turn in turns),
    }


def ensure_alternating_roles(dialog: Dialog) -> Dialog:
    """A copy in which user and assistant take turns, the user first, with empty placeholders where one is missing.

    System turns stay where they are and change nothing. Real turns keep their ids; nothing is added at the end. A
    dialogue of system turns only is returned itself.
    """
    if all(turn.role == "system" for turn in dialog.dialog_turns):
        return dialog
    turns: list[Turn] = []
    expected: Literal["user", "assistant"] = "user"
    for turn in dialog.dialog_turns:
        if turn.role != "system":
            if turn.role != expected:
                turns.append(Turn(turn_id=PLACEHOLDER, role=expected, content=""))
            expected = "assistant" if turn.role == "user" else "user"
        turns.append(turn.model_copy(deep=True))
    return dialog.with_turns(turns)
