"""Conversations of one's own as dialogues: ShareGPT, messages as OpenAI has them, and questions as MT-Bench has them.

Every answer of the assistant is evaluated, with its text as the reference; a conversation that ends with the user gets
one more answer. Tool calls and their results are context. A system text between a user's message and its answer goes in
front of that message, since a prompt ends with the user's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from evolif.errors import InputError
from evolif.scenarios.recorded.multi_if import multi_if_turns
from evolif.scenarios.recorded.own_files import SCHEMA_PAGE, SUFFIXES, Place, has_half_character, read_records
from evolif.scenarios.recorded.schema import Dialog

Shape = Literal["mt_bench", "sharegpt", "messages", "multi_if"]
SHAPE_NAMES: Mapping[Shape, str] = MappingProxyType(
    {
        "mt_bench": "questions of MT-Bench (turns)",
        "sharegpt": "ShareGPT (conversations)",
        "messages": "messages of OpenAI (messages)",
        "multi_if": "Multi-IF (turn_1_prompt)",
    }
)
"""The shapes, each with the key by which it is known."""

MT_BENCH_ENTRY: Mapping[str, Any] = MappingProxyType(
    {"class_name": "llm_judge", "args": {"template_name": "mt_bench_single"}}
)
_Part = Literal["system", "user", "assistant", "call", "result"]
_ROLES: Mapping[str, _Part] = MappingProxyType(
    {
        "system": "system", "developer": "system",
        "user": "user", "human": "user",
        "assistant": "assistant", "gpt": "assistant", "chatgpt": "assistant", "bing": "assistant",
        "bard": "assistant", "model": "assistant", "bot": "assistant",
        "function_call": "call", "tool_call": "call",
        "tool": "result", "function": "result", "observation": "result",
    }
)  # fmt: skip
_IDENTIFIERS = ("id", "conversation_id", "conversation_hash", "question_id", "key")
_MOST_DIALOGUES = 1_000_000
_LONGEST_CALL = 20_000
_Turns: TypeAlias = list[dict[str, Any]]


@dataclass(slots=True)
class OwnDialogs:
    """What a file of one's own data holds.

    Attributes:
        shape: Which of the four.
        dialogs: In the file's order, with ids from 0.
        notices: What was left out, a sentence each.
        left_out: What is told about the first conversation that was left out, if none remains; None without one.
    """

    shape: Shape
    dialogs: list[Dialog] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    left_out: InputError | None = None


@dataclass(frozen=True, slots=True)
class _Message:
    part: _Part
    role: str
    """As the file has it."""
    text: str


def shape_of(path: Path) -> Shape | None:
    """The shape of a file's first record; None if it is none of ours, or cannot be read."""
    if path.suffix not in SUFFIXES or not path.is_file():
        return None
    try:
        first = next(read_records(path), None)
    except InputError:
        return None
    return None if first is None else _shape(first[1])


def is_own(path: Path) -> bool:
    """Whether a file can only be data of one's own: no other import reads JSON that is not in lines, or CSV."""
    return path.is_file() and (path.suffix in (".json", ".csv") or shape_of(path) is not None)


def read_own(path: Path) -> OwnDialogs:
    """The conversations of a file.

    Args:
        path: `.json`, `.jsonl` or `.csv`, in one of the four shapes (`SHAPE_NAMES`).

    Raises:
        InputError: It cannot be read, or is in none of the shapes; names the line and what to do.

    Example:
        >>> from tempfile import mkdtemp
        >>> file = Path(mkdtemp()) / "talks.jsonl"
        >>> _ = file.write_text('{"messages": [{"role": "user", "content": "Hi"}]}')
        >>> read_own(file).dialogs[0].dialog_turns[1].evaluated
        True
    """
    found: OwnDialogs | None = None
    ids: dict[str | int, str] = {}
    for place, record in read_records(path):
        shape = _shape(record)
        if shape is None:
            raise place.error(_unknown(record))
        found = OwnDialogs(shape) if found is None else found
        if shape != found.shape:
            raise place.error(
                f"{SHAPE_NAMES[shape]} in a file of {SHAPE_NAMES[found.shape]}; put each into its own file"
            )
        _add(found, place.called(_identifier(record)[1]), record, ids)
        if len(found.dialogs) > _MOST_DIALOGUES:
            raise place.error(f"more than {_MOST_DIALOGUES:,} conversations; split the file")
    if found is None:
        raise InputError(f"it has no conversations; {SCHEMA_PAGE} shows what is read", path=path)
    if found.left_out is not None and not found.dialogs:
        raise found.left_out
    return found


def _add(found: OwnDialogs, place: Place, record: Any, ids: dict[str | int, str]) -> None:
    key, identifier = _identifier(record)
    if isinstance(identifier, str):
        _text(identifier, place, f"“{key}”")
    turns = _READERS[found.shape](record, place, found.notices)
    if found.shape in ("mt_bench", "multi_if") and identifier not in (None, ""):
        if identifier in ids:
            raise place.error(f"its {key} is also that of {ids[identifier]}; give each an id of its own")
        ids[identifier] = place.words
    if _is_left_out(found, place, turns):
        return
    raw: dict[str, Any] = {"source_file": place.path.name, "place": place.words}
    if identifier is not None:
        raw["raw_id"] = identifier
    found.dialogs.append(
        Dialog.model_validate(
            {
                "dialog_id": len(found.dialogs),
                "dialog_raw_info": raw,
                "dialog_labels": _labels(record, found.shape, place),
                "dialog_turns": [{"turn_id": number, **_bare(turn)} for number, turn in enumerate(turns)],
            }
        )
    )


def _is_left_out(found: OwnDialogs, place: Place, turns: _Turns) -> bool:
    """Whether nothing of a conversation can be asked or scored; notes why."""
    if not any(turn["role"] == "user" and not turn["turn_labels"].get("raw_role") for turn in turns):
        users = ", ".join(role for role, part in _ROLES.items() if part == "user")
        reason = f"no message of its conversations is a user's ({users}), so nothing can be asked"
        remedy = "add the user's question"
    elif not any("eval_config" in turn for turn in turns):
        reason = "only tool calls follow its user's messages, so no answer can be scored"
        remedy = "add the tool's result and the answer after it"
    else:
        return False
    found.notices.append(f"{place.path.name}: {place.words} is left out: {reason}")
    found.left_out = found.left_out or place.error(f"{reason}, and no other conversation is left; {remedy}")
    return True


def _bare(turn: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in turn.items() if value not in (None, {}) or key == "content"}


def _labels(record: Any, shape: Shape, place: Place) -> dict[str, Any]:
    key = {"mt_bench": "category", "multi_if": "language"}.get(shape)
    value = record.get(key) if key and isinstance(record, dict) else None
    return {key: _text(value, place, f"“{key}”")} if key and isinstance(value, str) and value else {}


def _identifier(record: Any) -> tuple[str, str | int | None]:
    """What a record calls itself, and under which key; a number and its text are two ids."""
    own = record if isinstance(record, dict) else {}
    values = ((key, own.get(key)) for key in _IDENTIFIERS)
    known = ((key, one) for key, one in values if isinstance(one, str | int) and not isinstance(one, bool))
    return next(known, ("", None))


def _shape(record: Any) -> Shape | None:
    if isinstance(record, list):
        return "messages" if record and all(isinstance(one, dict) for one in record) else None
    if not isinstance(record, dict):
        return None
    if any(key.startswith("turn_") and key.endswith("_prompt") for key in record):
        return "multi_if"
    if "messages" in record:
        return "messages"
    for key in ("conversations", "items", "conversation"):
        if key in record:
            return _by_messages(record[key], key)
    return "mt_bench" if "question_id" in record or "turns" in record else None


def _by_messages(messages: Any, key: str) -> Shape:
    """ShareGPT or messages, by the keys of the first one."""
    first = messages[0] if isinstance(messages, list) and messages else None
    if isinstance(first, dict) and ("role" in first or "from" in first):
        return "messages" if "role" in first else "sharegpt"
    return "messages" if key == "conversation" else "sharegpt"


def _unknown(record: Any) -> str:
    if isinstance(record, dict):
        keys = ", ".join(f"“{key[:40]}”" for key in list(record)[:6]) or "none"
        found = f"a record with the keys {keys}"
    else:
        found = f"{_kind(record)}, where a conversation belongs"
    return f"{found}: in none of the shapes that are read, {'; '.join(SHAPE_NAMES.values())}; {SCHEMA_PAGE} shows them"


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _questions(record: Any, place: Place, notices: list[str]) -> _Turns:
    turns = record.get("turns")
    if "turns" not in record:
        raise place.error(
            f"“turns” is missing (there are {', '.join(list(record)[:6])}); add the user's texts as a list"
        )
    if not isinstance(turns, list):
        raise place.error(f"“turns” is {_kind(turns)}; write a list of texts, also for one turn")
    if not turns:
        raise place.error("“turns” is an empty list, so nothing can be asked; add a turn, or take the question out")
    references = record.get("reference") or []
    if not isinstance(references, list):
        raise place.error(f"“reference” is {_kind(references)}; write a list with a text for each turn")
    if len(references) > len(turns):
        raise place.error(f"“reference” has {len(references)} texts for {len(turns)} turns; give one for each turn")
    made: _Turns = []
    for number, turn in enumerate(turns, 1):
        reference = references[number - 1] if number <= len(references) else None
        made.append(_turn("user", _text(turn, place, f"turn {number}: “turns”")))
        reference = None if reference is None else _text(reference, place, f"turn {number}: “reference”")
        made.append(_evaluated(reference or None, [dict(MT_BENCH_ENTRY)]))
    return made


def _conversation(record: Any, place: Place, notices: list[str]) -> _Turns:
    messages = list(_messages(record, place, notices))
    made = _own_system(record, place)
    waiting = False  # whether a user's message or a tool's result has had no answer yet
    for message in messages:
        if message.part == "system":
            made += [_turn("system", message.text)] if message.text.strip() else []
        elif message.part in ("user", "result"):
            made.append(_turn("user", message.text, was=message.role if message.part == "result" else ""))
            waiting = True
        elif message.part == "assistant" and waiting:
            _put_user_last(made)
            made.append(_evaluated(message.text if message.text.strip() else None))
            waiting = False
        else:
            # A greeting, the second of two answers, or a tool call: nobody asked for it.
            made.append(_turn("assistant", message.text, was=message.role if message.part == "call" else ""))
            waiting = False
    if any(message.part in ("call", "result") for message in messages):
        notices.append(f"{place.path.name}: {place.words}: tool calls and their results are context and are not scored")
    if waiting:
        _put_user_last(made)
        made.append(_evaluated(None))
    return made


def _own_system(record: Any, place: Place) -> _Turns:
    """The system text that stands beside a conversation."""
    text = record.get("system") if isinstance(record, dict) else None
    if not isinstance(text, str) or not text.strip():
        return []
    return [_turn("system", _text(text, place, "“system”"))]


def _put_user_last(made: _Turns) -> None:
    """Move the system turns at the end in front of the user's turn before them."""
    place = len(made)
    while made[place - 1]["role"] == "system":
        place -= 1
    made.append(made.pop(place - 1))


def _messages(record: Any, place: Place, notices: list[str]) -> Iterator[_Message]:
    key = "" if isinstance(record, list) else _messages_key(record)
    messages = record if isinstance(record, list) else record[key]
    if not isinstance(messages, list):
        raise place.error(f"“{key}” is {_kind(messages)}; write a list of messages with their roles and texts")
    if not messages:
        raise place.error(f"“{key}” is an empty list, so no conversation is left; fill it, or take it out")
    for number, message in enumerate(messages, 1):
        where = f"message {number}"
        if not isinstance(message, dict):
            raise place.error(f"{where} is {_kind(message)}; write an object with a role and a text")
        yield _message(message, place, where, notices)


def _messages_key(record: Mapping[str, Any]) -> str:
    return next(key for key in ("messages", "conversations", "items", "conversation") if key in record)


def _message(message: Mapping[str, Any], place: Place, where: str, notices: list[str]) -> _Message:
    role_key, text_key = ("role", "content") if "role" in message else ("from", "value")
    role = message.get(role_key)
    part = _ROLES.get(role.strip().lower()) if isinstance(role, str) else None
    if part is None or not isinstance(role, str):
        shown = f"“{role[:40]}”" if isinstance(role, str) else "missing" if role is None else _kind(role)
        raise place.error(f"{where}: “{role_key}” is {shown}; use {', '.join(_ROLES)}, or take the message out")
    calls = message.get("tool_calls") or message.get("function_call")
    is_call = part == "assistant" and bool(calls)
    if text_key not in message and not is_call:
        keys = ", ".join(list(message)[:6])
        raise place.error(f"{where}: “{text_key}” is missing (there are {keys}); put the text there")
    content = message.get(text_key)
    if is_call and content is None:
        content = ""
    if isinstance(content, list):
        content = _joined(content, place, f"{where}: “{text_key}”", notices)
    text = _text(content, place, f"{where}: “{text_key}”")
    return _Message("call", "tool_calls", _called(text, calls)) if is_call else _Message(part, role, text)


def _called(text: str, calls: Any) -> str:
    """A tool call as a text, behind what was said with it."""
    shown = json.dumps(calls, ensure_ascii=True)[:_LONGEST_CALL]
    return f"{text}\n{shown}" if text.strip() else shown


def _joined(parts: Sequence[Any], place: Place, where: str, notices: list[str]) -> str:
    """The text parts of a content; pictures are left out, with a word about it."""
    texts, others = [], []
    for number, part in enumerate(parts, 1):
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part, dict) and isinstance(part.get("type"), str):
            others.append(part["type"][:40])
        elif isinstance(part, str):
            texts.append(part)
        else:
            raise place.error(f"{where}, part {number} is {_kind(part)}; write an object with a type and a text")
    if others and not texts:
        raise place.error(f"{where} has only parts of the type {others[0]}; add a text, or take the conversation out")
    if others:
        notices.append(f"{place.path.name}: {place.words}, {where}: a part of the type {others[0]} is left out")
    return "\n".join(texts)


def _text(value: Any, place: Place, where: str) -> str:
    if not isinstance(value, str):
        shown = "NaN, which is not JSON" if isinstance(value, float) and value != value else _kind(value)
        raise place.error(f"{where} is {shown}; write a text")
    if has_half_character(value):
        raise place.error(f"{where} has half a character (a lone surrogate); take it out")
    return value


def _turn(role: str, content: str, *, was: str = "") -> dict[str, Any]:
    """A turn that is given.

    Args:
        role: Of the schema.
        content: Its text.
        was: The role in the file, of tool calls and results.
    """
    return {"role": role, "content": content, "turn_labels": {"raw_role": was} if was else {}}


def _evaluated(reference: str | None, metrics: Iterable[Mapping[str, Any]] = ()) -> dict[str, Any]:
    config: dict[str, Any] = {"do_eval": True}
    if entries := list(metrics):
        config["metrics"] = entries
    return {"role": "assistant", "content": None, "reference": reference, "eval_config": config, "turn_labels": {}}


def _multi_if(record: Any, place: Place, notices: list[str]) -> _Turns:
    made: _Turns = []
    for prompt, entries in multi_if_turns(record, place):
        made += [_turn("user", _text(prompt, place, "the prompt")), _evaluated(None, entries)]
    return made


_READERS: Mapping[Shape, Callable[[Any, Place, list[str]], _Turns]] = MappingProxyType(
    {"mt_bench": _questions, "sharegpt": _conversation, "messages": _conversation, "multi_if": _multi_if}
)
