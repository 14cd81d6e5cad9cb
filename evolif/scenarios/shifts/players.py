"""Simulated models: with the witness, with planted errors, or with what they are shown.

    perfect           the witness
    steady?skill=.8   meets each goal with this chance; why it misses the others is drawn from all reasons
    reader            the latest value of each slot in the messages of the call, and nothing else

Before the final request each of them says the scripted reply.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from evolif.models import ChatRequest, SimModel, skill_of, unknown_player
from evolif.scenarios.shifts.dialogue import ShiftDialogue
from evolif.scenarios.shifts.reader import answer_from
from evolif.scenarios.shifts.witness import planted_errors
from evolif.types import Prompt
from evolif.util.rng import Purpose, Stream

NAMES = ("perfect", "steady", "reader")
_DEFAULT_CHANCE = 0.8
_MILLIONTHS = 10**6
_OWN_STREAMS = 1000
"""Keeps the draws apart from those of instruction following's players."""


def player(name: str, seed: int = 0) -> SimModel:
    """The simulated model of a name.

    Args:
        name: One of `NAMES`; `steady?skill=P` has a chance P above 0 and at most 1.
        seed: Seeds its mistakes.

    Raises:
        UsageError: there is none of that name.
    """
    base, mark, query = name.partition("?")
    if base not in NAMES or (mark and base != "steady"):
        raise unknown_player(name if base in NAMES else base, NAMES, "shifts")
    chance = skill_of(base, query, "meeting a goal") if mark else _DEFAULT_CHANCE
    finals: Mapping[str, Callable[[Prompt, ChatRequest], str]] = {
        "perfect": lambda prompt, request: str(prompt.payload["witness"]),
        "reader": lambda prompt, request: answer_from(request.messages, prompt),
        "steady": lambda prompt, request: _flawed(prompt, request, seed, chance),
    }
    final = finals[base]

    def rule(prompt: Prompt, request: ChatRequest) -> str:
        if "witness" in prompt.payload:
            return final(prompt, request)
        return str(prompt.payload.get("reply", "Noted."))

    return SimModel(name, rule)


def _flawed(prompt: Prompt, request: ChatRequest, seed: int, chance: float) -> str:
    """The witness with mistakes; the same prompt and seeds get the same answer."""
    own = round(chance * _MILLIONTHS)
    sampled = request.sampling.seed or 0
    stream = Stream(seed, Purpose.SIMULATED_MODEL, _OWN_STREAMS, sampled, prompt.dialogue, prompt.turn, own)
    payload = prompt.payload
    goals, witness = tuple(payload["checkpoints"]), payload["witness"]
    planted: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for error in planted_errors(ShiftDialogue(str(prompt.labels["task"]), (), goals, witness, tuple(payload["slots"]))):
        planted[error.goal].append(_object_of(error.answer))
    right = _object_of(witness)
    result = dict(right)
    for goal in goals:
        if stream.fraction() >= chance:
            key = goal["key"]
            result[key] = _changed(result[key], right[key], stream.choice(planted[goal["id"]])[key])
    return f"Here it is.\n\n```json\n{json.dumps(result, ensure_ascii=False, indent=2)}\n```"


def _object_of(answer: str) -> dict[str, Any]:
    """The object at the end of a witness, or of an answer with a planted error."""
    found: dict[str, Any] = json.loads(answer.rpartition("```json\n")[2].removesuffix("```"))
    return found


def _changed(now: Any, right: Any, wrong: Any) -> Any:
    """A value with one more error; a list keeps the errors that it has."""
    if not isinstance(wrong, list):
        return wrong
    before = right or []
    kept = [item for item in now or [] if item in wrong or item not in before]
    return kept + [item for item in wrong if item not in before and item not in kept]
