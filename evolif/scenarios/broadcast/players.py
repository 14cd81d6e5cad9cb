"""Simulated models: with the witness, with a planted defect, or with what they are shown.

    perfect           the witness
    steady?skill=.8   the witness with this chance, else a reply with one planted defect
    reader            what the messages of the call tell, and its own earlier replies

Where nothing is judged, perfect and steady say a word or two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evolif.models import ChatRequest, SimModel, skill_of, unknown_player
from evolif.scenarios.broadcast.lines import turn_of
from evolif.scenarios.broadcast.planted_errors import planted
from evolif.scenarios.broadcast.reader_model import answer_from
from evolif.types import Prompt
from evolif.util.rng import Purpose, Stream

NAMES = ("perfect", "steady", "reader")
_DEFAULT_CHANCE = 0.8
_MILLIONTHS = 10**6
_OWN_STREAMS = 2000
"""Keeps the draws apart from those of other scenarios' players."""


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
        raise unknown_player(name if base in NAMES else base, NAMES, "broadcast")
    chance = skill_of(base, query, "a right reply") if mark else _DEFAULT_CHANCE
    rules: Mapping[str, Callable[[dict[str, Any], Prompt, ChatRequest], str]] = {
        "perfect": lambda turn, prompt, request: _right(turn),
        "steady": lambda turn, prompt, request: _flawed(turn, prompt, request, seed, chance),
        "reader": lambda turn, prompt, request: answer_from(request.messages, turn),
    }
    rule = rules[base]
    return SimModel(name, lambda prompt, request: rule(turn_of(prompt), prompt, request))


def _right(turn: Mapping[str, Any]) -> str:
    return str(turn["witness"]) if turn["judged"] else "Noted."


def _flawed(turn: Mapping[str, Any], prompt: Prompt, request: ChatRequest, seed: int, chance: float) -> str:
    """The witness, or a reply with a defect; the same prompt and seeds get the same reply."""
    own = round(chance * _MILLIONTHS)
    sampled = request.sampling.seed or 0
    stream = Stream(seed, Purpose.SIMULATED_MODEL, _OWN_STREAMS, sampled, prompt.dialogue, prompt.turn, own)
    if not turn["judged"] or stream.fraction() < chance:
        return _right(turn)
    return stream.choice(planted(turn)).reply
