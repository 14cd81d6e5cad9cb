"""Did a provider refuse the conversation itself: for its length, or for its content?

Both are final for a session and are never asked again, so nothing else may be taken for them. The status and the code
of the error decide first. Words count only in the messages of the providers' own error bodies, only where no code and
no parameter says that something else is wrong, and only as sentences about the conversation. What is unclear is a fault
of the provider, which a later run asks again.

The shapes are those of many services and servers: tests/models/provider_errors.yaml has them with their sources.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice


class RefusedPart(Enum):
    """What of a conversation a provider refuses."""

    LENGTH = "length"
    CONTENT = "content"


_LENGTH_STATUS = frozenset({400, 413, 422})
_CONTENT_STATUS = frozenset({400, 403, 422, 451})

_LENGTH_CODES = frozenset(
    "contextlengthexceeded exceedcontextsizeerror contextwindowexceeded contextlimitexceeded requesttoolarge"
    " tokenslimitreached stringabovemaxlength stringtoolong modelmaxprompttokensexceeded".split()
)
_CONTENT_CODES = frozenset(
    "contentfilter contentfiltered contentpolicyviolation responsibleaipolicyviolation datainspectionfailed"
    " moderationblocked contentmoderation guardrailintervened".split()
)
_OTHER_CODES = frozenset(
    "unknownparameter unsupportedparameter unsupportedvalue invalidvalue integerabovemaxvalue missingrequiredparameter"
    " ratelimitexceeded ratelimiterror insufficientquota invalidapikey authenticationerror accountdeactivated"
    " accountsuspended accessterminated consumersuspended modelnotfound notfounderror requestforbidden tokens"
    " billingnotactive billinghardlimitreached overloadederror".split()
)
"""Codes of other faults, whatever their words are."""
_PARTS_OF_CONVERSATION = frozenset("messages prompt input inputs content contents text system input_tokens".split())
"""Parameters of a request that are the conversation."""

_CODE_KEYS = frozenset("code type status reason error_type errortype errorcode __type".split())
_MESSAGE_KEYS = frozenset("message msg detail error error_message errormessage".split())
_INNER_KEYS = frozenset(
    "error errors detail details innererror inner_error metadata raw provider_specific_fields cause".split()
)
_DEPTH = 6
_MOST_ITEMS = 20
_LONGEST_MESSAGE = 4_000
"""Characters of a message that are read; providers say first what is wrong."""

_TOO_LONG = re.compile(
    r"(?i)maximum (context|prompt|model) length"
    r"|please reduce the length of (the (messages|prompt)|either one)"
    r"|(prompt|input|inputs|request|tokens?)\b[^.!?\n]{0,80}"
    r"\b(too long|too large for model with|longer than the (maximum |model'?s )"
    r"|exceed(s|ed)? (the |this |model |maximum |max |available |configured ){0,4}"
    r"(context|length|token limit|limit of [0-9]|number of tokens)"
    r"|(more|greater) than the (max tokens limit|context length))"
    r"|total number of tokens in the prompt cannot exceed"
    r"|range of input length should be"
    r"|`inputs` (must have less than|tokens \+ `max_new_tokens` must be)"
    r"|tokens when context the overflows"
    r"|expected maxlength: [0-9]{1,12}, actual: "
)
_TOO_LONG_WHILE_ANSWERING = re.compile(
    r"(?is)(error: )?(context size has been exceeded|the request exceeds the available context size)\b.{0,200}"
)
"""The whole of a message of status 500; some servers notice only then."""
_PAGE = re.compile(r"(?i)\s{0,8}<(!doctype|html|head|body)\b")
"""What an SDK calls a message may be a proxy's whole page."""
_ANSWER_TOO_LONG = re.compile(
    r"(?i)\A\W{0,8}(the parameter\W{1,4})?max_\w{0,24}tokens\b|max_\w{0,24}tokens\W{1,4}is too"
)
"""The request asks for a longer answer than there can be, which says nothing about the conversation."""

_SUBJECT = r"\b(prompt|content|input|output|request|message|conversation|text|response|completion)s?\b"
_OBJECTIONABLE = re.compile(
    rf"(?i){_SUBJECT}[^.!?\n]{{0,60}}\b(flagged (as|for|by)|violat(es?|ing) (our |the )?(usage|content|safety)"
    r"|considered high risk|(triggering|blocked by|filtered (by|due to)) [^.!?\n]{0,60}(content|safety|responsible)"
    r"|rejected as a result of (our|the) safety|(may )?contains? inappropriate content)"
    r"|\bcontent exists risk\b"
)


@dataclass(slots=True)
class _ErrorText:
    """What an error's body says, of all its levels."""

    codes: set[str] = field(default_factory=set)
    """Without signs, in lower case."""
    messages: list[str] = field(default_factory=list)
    parameters: set[str] = field(default_factory=set)
    flagged: bool = False
    """Whether it repeats the words of the conversation that were flagged, as OpenRouter does."""


def why_refused(status: int, body: object) -> RefusedPart | None:
    """What of the conversation a provider refuses; None where it is something else, or is not clear.

    Args:
        status: Of the answer.
        body: Its JSON. A text proves nothing: any proxy may have written it.
    """
    said = _said(body)
    if said.codes & _LENGTH_CODES and (status in _LENGTH_STATUS or status == 500):
        return RefusedPart.LENGTH
    if (said.codes & _CONTENT_CODES or said.flagged) and status in _CONTENT_STATUS:
        return RefusedPart.CONTENT
    if said.codes & _OTHER_CODES or said.parameters - _PARTS_OF_CONVERSATION:
        return None
    if any(_is_about_length(status, message) for message in said.messages):
        return RefusedPart.LENGTH
    objects = status in _CONTENT_STATUS and any(map(_OBJECTIONABLE.search, said.messages))
    return RefusedPart.CONTENT if objects else None


def _is_about_length(status: int, message: str) -> bool:
    if status == 500:
        return _TOO_LONG_WHILE_ANSWERING.fullmatch(message.strip()) is not None
    if status not in _LENGTH_STATUS or _ANSWER_TOO_LONG.search(message):
        return False
    return _TOO_LONG.search(message) is not None


def _said(body: object) -> _ErrorText:
    said = _ErrorText()
    for level in levels(body):
        for key, value in level.items():
            name = str(key).lower()
            if name in _CODE_KEYS and isinstance(value, str):
                said.codes.add(re.sub(r"[^a-z0-9]", "", value[:80].lower()))
            elif name in _MESSAGE_KEYS and isinstance(value, str) and not _PAGE.match(value):
                said.messages.append(value[:_LONGEST_MESSAGE])
            elif name == "param" and isinstance(value, str) and value:
                said.parameters.add(re.split(r"[.\[]", value[:80])[0].lower())
            said.flagged = said.flagged or (name == "flagged_input" and bool(value))
    return said


def levels(
    value: object, depth: int = _DEPTH, inner: Collection[str] = _INNER_KEYS
) -> Iterator[Mapping[object, object]]:
    """The objects of an error's body that say what is wrong; others may repeat the conversation: they prove nothing.

    Args:
        value: The body; a text that is a JSON object is read as one.
        depth: How deep to look.
        inner: Keys, in lower case, below which such objects are.
    """
    if not depth:
        return
    if isinstance(value, str) and value.lstrip().startswith("{"):  # an error that a gateway passes on
        value = _parsed(value)
    if isinstance(value, list):
        for item in islice(value, _MOST_ITEMS):
            yield from levels(item, depth - 1, inner)
    elif isinstance(value, Mapping):
        yield value
        for key, below in value.items():
            if str(key).lower() in inner:
                yield from levels(below, depth - 1, inner)


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
