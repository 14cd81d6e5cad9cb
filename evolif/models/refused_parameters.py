"""Did an endpoint refuse a parameter of the request: which one, and as such or only its value?

Servers say it in many ways: OpenAI by a code and `param`, pydantic by a list of what it forbids, gateways by the error
of the service behind them, as a text inside a text. Only names of what was sent count, so that nothing else in an
error's words is taken for one. `tests/models/refused_parameters.yaml` has the bodies with their sources.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from evolif.models.refusals import levels

SYSTEM = "system"
"""The name that stands for system messages, which are no parameter."""
ROLE = "role"
"""System messages, where the endpoint complains of their role in OpenAI's words: it may take another one."""

_STATUS = frozenset({400, 422, 500})
"""500 is what some gateways make of it."""
_UNSUPPORTED_CODES = frozenset("unsupportedparameter unknownparameter unsupportedvalue unrecognizedparameter".split())
_EXTRA = frozenset({"extra_forbidden", "value_error.extra"})
"""What pydantic calls a key that it does not know, in its two versions."""
_INNER_KEYS = frozenset(
    "error errors detail details message innererror inner_error metadata raw cause fieldviolations".split()
)
_MESSAGE_KEYS = frozenset("message msg detail error description raw".split())
_LONGEST_MESSAGE = 2_000
"""Characters of a message that are read."""

_QUOTE = r"[\\`'\"\[({]{0,4}"
_END = r"[\\`'\"\])}]{0,4}"
_NAME = r"([A-Za-z_][A-Za-z0-9_]{0,59})"
_UNSUPPORTED = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)\b(?:unsupported|unrecognized|unknown|unexpected|extraneous)\s(?:request\s)?"
        r"(?:parameter|keyword argument|argument|field|key|name|property)(?:\(s\)|s)?(?: in object)?(?: supplied)?:?\s?"
        rf"{_QUOTE}{_NAME}",
        rf"(?i){_QUOTE}\b{_NAME}{_END}\s(?:parameter )?(?:is |are )?"
        r"(?:not supported|unsupported|deprecated|not permitted|not allowed(?! to))",
        rf"(?i)\bdo(?:es not|esn't|n't| not) support (?:the )?(?:parameters?)?:?\s?{_QUOTE}{_NAME}",
        rf"(?i)\bargument not supported on this model: {_QUOTE}{_NAME}",
        rf"\bextra_forbidden{_END},\s?{_QUOTE}loc{_END}:\s?{_QUOTE}body{_END},\s?{_QUOTE}{_NAME}",
        rf"(?i)\b{_NAME}{_END}:?\s{{1,3}}extra (?:inputs|fields) (?:are )?not permitted",
        rf"(?i)\bunsupported value: {_QUOTE}{_NAME}{_END} does not support",
    )
)
_OF_VALUE = re.compile(rf"(?i){_QUOTE}\b{_NAME}{_END} (?:is too (?:large|small|high|low)|must be|should be|exceeds)\b")
_OTHER_VALUES = re.compile(r"(?i)\bsupported values are\b")
_SYSTEM_ROLE = re.compile(r"(?i)\bsystem (?:role|messages?|prompts?) (?:is |are )?not supported\b")
_NO_ROLE = re.compile(r"does not support '(?:system|developer)'")
_OWN_ROLE = re.compile(r"messages(?:\[[0-9]{1,9}\]|\.[0-9]{1,9})\.role")


@dataclass(frozen=True, slots=True)
class RefusedParameter:
    """What of a request an endpoint refuses.

    Attributes:
        name: The key of the request's body, or `SYSTEM`, or `ROLE`.
        value_only: Whether another value of it may do; else it is refused as such.
    """

    name: str
    value_only: bool = False


def refused_parameter(status: int, body: object, sent: Collection[str]) -> RefusedParameter | None:
    """The parameter that an endpoint refuses; None where it is something else, or is not clear.

    Args:
        status: Of the answer.
        body: Its JSON, or its text.
        sent: Keys of the request's body, and `SYSTEM` where it has system messages.

    Example:
        >>> body = {"error": {"message": "Unrecognized request argument supplied: seed"}}
        >>> refused_parameter(400, body, {"seed", "temperature"})
        RefusedParameter(name='seed', value_only=False)
    """
    if status not in _STATUS or not sent:
        return None
    found = list(levels({"message": body} if isinstance(body, str) else body, inner=_INNER_KEYS))
    messages = [text for level in found for text in _messages(level)]
    if SYSTEM in sent and _is_of_role(found, messages):
        return RefusedParameter(ROLE)
    for name in (*_forbidden(found), *_unsupported(messages)):
        if name in sent:
            return RefusedParameter(name, any(map(_OTHER_VALUES.search, messages)))
    if SYSTEM in sent and any(map(_SYSTEM_ROLE.search, messages)):
        return RefusedParameter(SYSTEM)
    for name in (*_parameters(found), *(match[1].lower() for text in messages for match in _OF_VALUE.finditer(text))):
        if name in sent:
            return RefusedParameter(name, value_only=True)
    return None


def _messages(level: Mapping[object, object]) -> Iterator[str]:
    for key, value in level.items():
        if isinstance(value, str) and str(key).lower() in _MESSAGE_KEYS:
            yield value[:_LONGEST_MESSAGE]


def _parameters(found: list[Mapping[object, object]]) -> Iterator[str]:
    for level in found:
        name = level.get("param")
        if isinstance(name, str):
            yield name[:80]


def _is_of_role(found: list[Mapping[object, object]], messages: list[str]) -> bool:
    """Whether system messages are refused as OpenAI refuses them."""
    named = [*filter(_OWN_ROLE.fullmatch, _parameters(found)), *filter(_OWN_ROLE.search, messages)]
    return bool(named) and any(map(_NO_ROLE.search, messages))


def _forbidden(found: list[Mapping[object, object]]) -> Iterator[str]:
    """Keys that the structure of an error says are not known."""
    for level in found:
        codes = {re.sub(r"[^a-z]", "", str(level.get(key)).lower()[:80]) for key in ("code", "type")}
        name, place = level.get("param"), level.get("loc")
        if isinstance(name, str) and codes & _UNSUPPORTED_CODES:
            yield name[:80]
        if level.get("type") in _EXTRA and isinstance(place, list) and place:
            yield str(place[-1])[:80]


def _unsupported(messages: list[str]) -> Iterator[str]:
    for text in messages:
        for pattern in _UNSUPPORTED:
            for match in pattern.finditer(text):
                yield from {match[1], match[1].lower(), _snake(match[1])}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: f"_{match[0]}", name).lower()


LIMITS = ("max_tokens", "max_completion_tokens")
"""The keys of the longest answer."""
_FLAGS = {"temperature": "--temperature", "max_tokens": "--max-tokens", "max_completion_tokens": "--max-tokens"}


def way_out(refused: RefusedParameter, given: Collection[str], before: Collection[str] = ()) -> str:
    """What to do about a refused parameter, as the end of a sentence.

    Args:
        refused: The parameter.
        given: Those that the model's name or `--model-args` gives.
        before: Those that were refused in an earlier form of the request.
    """
    name = refused.name
    if name in (SYSTEM, ROLE):
        return "it takes no system messages: give --no-system-prompt, or choose a model that takes them"
    what = f"this value of {name}" if refused.value_only else f"the parameter {name}"
    if name in LIMITS and before:
        what = " and ".join([*(one for one in before if one in LIMITS), name])
    if name in given:
        remedy = "change it or leave it out" if refused.value_only else "leave it out"
        return f"it refuses {what}, which the model's name or --model-args gives: {remedy}"
    if name not in _FLAGS:
        return f"it refuses {what}"
    flag = _FLAGS[name]
    remedy = f"give another {flag}, or leave it out" if refused.value_only else f"leave out {flag}"
    return f"it refuses {what}: {remedy}"
