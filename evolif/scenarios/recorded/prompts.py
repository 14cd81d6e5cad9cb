"""What a recorded dialogue asks: a prompt per evaluated turn, with the given turns before it (docs/unidial.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evolif.scenarios.recorded.metrics import entry_version, metric_name
from evolif.scenarios.recorded.schema import Dialog, MetricConfig, Turn
from evolif.types import Label, Message, Prompt

SCORING_VERSION = 1
"""Increased when all metrics give other scores for the same answer, so that no run mixes the two. A turn has that of
its newest metric (`entry_version`), so that runs without it can go on.
"""


def opening(dialog: Dialog) -> str:
    """The system turns that a dialogue begins with, as one text; empty if there are none."""
    return "\n\n".join(turn.text for turn in dialog.dialog_turns[: _opening_length(dialog)])


def prompts_of(dialog: Dialog, number: int, templates: Mapping[str, str] | None = None) -> tuple[Prompt, ...]:
    """A prompt per evaluated turn.

    Its messages are the turns since the evaluated one before. Where the last of them is no user's, an empty user turn
    follows, as `ensure_alternating_roles` would put it there.

    Args:
        dialog: The dialogue.
        number: Its number in the benchmark, from 1.
        templates: Name to text of the judge's templates that came with the dialogues.
    """
    prompts: list[Prompt] = []
    for turn, messages in _asked(dialog):
        payload = _payload(dialog, turn, templates or {})
        prompts.append(
            Prompt(number, len(prompts) + 1, messages, payload=payload, labels=_labels(dialog, turn), fixed=True)
        )
    return tuple(prompts)


def reference_of(payload: Mapping[str, Any]) -> str | None:
    """What stands for the answer off-policy: the first reference, else the original content; None without either."""
    reference = payload["reference"]
    if isinstance(reference, list):
        reference = reference[0] if reference else None
    given: str | None = payload["content"] if reference is None else reference
    return given


def flat(labels: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The leaves of nested labels, their names joined by dots."""
    stack: list[tuple[str, Any]] = list(labels.items())[::-1]
    while stack:
        name, value = stack.pop()
        if isinstance(value, Mapping):
            stack += [(f"{name}.{key}", one) for key, one in value.items()][::-1]
        else:
            yield name, value


def shown_labels(turn: Turn) -> dict[str, Any]:
    """The labels of a turn without its notes, whose names begin with `raw`."""
    return {name: value for name, value in turn.turn_labels.items() if not name.startswith("raw")}


def _opening_length(dialog: Dialog) -> int:
    turns = dialog.dialog_turns
    return next((place for place, turn in enumerate(turns) if turn.role != "system"), len(turns))


def _asked(dialog: Dialog) -> Iterator[tuple[Turn, tuple[Message, ...]]]:
    given: list[Message] = []
    for turn in dialog.dialog_turns[_opening_length(dialog) :]:
        if not turn.evaluated:
            given.append(Message(turn.role, turn.text))
            continue
        if not given or given[-1].role != "user":
            given.append(Message("user", ""))
        yield turn, tuple(given)
        given = []


def _payload(dialog: Dialog, turn: Turn, templates: Mapping[str, str]) -> dict[str, Any]:
    entries = turn.eval_config.metrics
    own = {name: templates[name] for name in map(template_of, entries) if name in templates}
    return {
        "dialog_id": dialog.dialog_id,
        "turn_id": turn.turn_id,
        "reference": turn.reference,
        "content": None if turn.content is None else turn.text,
        "document": turn.reference_document if isinstance(turn.reference_document, str) else None,
        "off_policy": dialog.dialog_eval_config.use_reference_history,
        "metrics": [{"class_name": entry.class_name, "args": entry.args} for entry in entries],
        "dialog_labels": dialog.dialog_labels,
        "turn_labels": shown_labels(turn),
        "scoring": max([SCORING_VERSION, *(entry_version(entry.class_name, entry.args) for entry in entries)]),
        **({"templates": own} if own else {}),
        **({"brings_templates": True} if templates else {}),
    }


def template_of(entry: MetricConfig) -> str:
    """The template that a judge's entry names; empty for none."""
    name = entry.args.get("template_name")
    return name if isinstance(name, str) else ""


def _labels(dialog: Dialog, turn: Turn) -> dict[str, Label]:
    found: dict[str, Label] = {}
    for labels in (dialog.dialog_labels, shown_labels(turn)):
        for name, value in flat(labels):
            if isinstance(value, bool):
                found[name] = str(value).lower()
            elif isinstance(value, str | int):
                found[name] = value
    return found


def outline_of(dialog: Dialog) -> dict[str, Any]:
    """What has to be known of a dialogue to tell its records, wherever a session ended: `dialog_id`, `labels`, `turns`.

    Each evaluated turn is a list of its id, the names of its metrics, and its labels. Where one has gold turns for
    retrieval, `golds` has their number for each evaluated turn.
    """
    turns = [
        [turn.turn_id, [metric_name(one.class_name, one.args) for one in turn.eval_config.metrics], shown_labels(turn)]
        for turn in dialog.dialog_turns
        if turn.evaluated
    ]
    golds = [
        len(set(turn.reference_document)) if isinstance(turn.reference_document, list) else 0
        for turn in dialog.dialog_turns
        if turn.evaluated
    ]
    return {
        "dialog_id": dialog.dialog_id,
        "labels": dialog.dialog_labels,
        "turns": turns,
        **({"golds": golds} if any(golds) else {}),
    }


def expected_dialog(outline: Mapping[str, Any], number: int) -> Dialog:
    """A dialogue with nothing but its evaluated turns and the names of their metrics, for `coverage`.

    Args:
        outline: As `outline_of` gives it.
        number: The `dialog_id` that it gets.
    """
    turns = [
        {
            "turn_id": turn_id,
            "role": "assistant",
            "eval_config": {"do_eval": True, "metrics": [_entry(name) for name in names]},
        }
        for turn_id, names, _ in outline["turns"]
    ]
    return Dialog.model_validate({"dialog_id": number, "dialog_turns": turns})


def _entry(name: str) -> dict[str, Any]:
    """The least entry whose metric has that name."""
    class_name, arrow, own = name.partition("->")
    return {"class_name": class_name, "args": {"name": own} if arrow else {}}
