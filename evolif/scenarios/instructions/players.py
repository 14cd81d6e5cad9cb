"""Simulated models: they answer with the witness, or with a text that has chosen mistakes.

Their answers are texts that pass through the same checkers as any other. Their skill is documented per group and depth,
so that the figures of a run can be predicted:

    perfect           always the witness
    steady            keeps each constraint with a fixed chance per group, whatever the depth
    steady?skill=.9   keeps each constraint with this chance, independently of everything else
    forgetful         as steady, but the chance shrinks with every turn of a topic
    steady?told=.7    as steady; with this chance it keeps a constraint that it has just been told to have missed
    forgetful?told=.7 the same of forgetful

Some dialogues are harder than others, for `steady` and `forgetful` alike: see `Skill.chance_in`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import sqrt
from statistics import NormalDist
from types import MappingProxyType

from evolif.errors import UsageError
from evolif.models import ChatRequest, SimModel, skill_of, unknown_player
from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.prompt import requirements_of, told_of
from evolif.scenarios.instructions.relevance import name_task
from evolif.scenarios.instructions.witness import Refusal, build_witness
from evolif.scenarios.instructions.witness.flawed import build_flawed
from evolif.types import Prompt
from evolif.util.rng import Purpose, Stream

SKILLS: Mapping[str, float] = MappingProxyType(
    {"existence": 0.80, "length": 0.85, "case": 0.88, "bullets": 0.92, "format": 0.95, "start_with": 0.93,
     "end_with": 0.92, "forbidden": 0.96, "punctuation": 0.96}
)  # fmt: skip
"""Chance that `steady` keeps a constraint of the group in a turn, over all dialogues."""

OTHER_SKILL = 0.97
"""The same for every other group that rules check."""

FORGETTING = 0.93
"""`forgetful` multiplies its chance by this for every earlier turn of the topic."""

SPREAD = 0.3
"""How much difficulty varies between dialogues, in standard deviations of a single decision.

Two models then agree over dialogues with r between .3 and .6 (docs/models.md).
"""

NAMES = ("perfect", "steady", "forgetful")

_NORMAL = NormalDist()
_WIDER = sqrt(1 + SPREAD**2)
_MILLIONTHS = 10**6


def player(name: str, seed: int = 0) -> SimModel:
    """The simulated model of one of the documented skills.

    Args:
        name: One of `NAMES`; behind a question mark `skill=P` (of `steady`), with a chance P above 0 and at most 1, and
            `told=P` (of `steady` and `forgetful`), with a chance P from 0 to 1, joined by `&`.
        seed: Seeds its mistakes.

    Raises:
        UsageError: there is no such skill.
    """
    base, mark, query = name.partition("?")
    if base not in NAMES:
        raise unknown_player(base, NAMES, "instructions")
    options = query.split("&") if mark else []
    told = [option for option in options if option.startswith("told=")]
    others = [option for option in options if option not in told]
    chance = skill_of(base, "&".join(others), "keeping a constraint", ".9") if others else None
    return SimModel(name, Skill(base, seed, chance, _told(base, told)).answer)


def _told(base: str, options: Sequence[str]) -> float | None:
    """The chance in `told=P`.

    Raises:
        UsageError: it is none, or the model has no such option.
    """
    if not options:
        return None
    try:
        chance = float(options[0].removeprefix("told="))
    except ValueError:
        chance = -1.0
    if base == "perfect" or len(options) > 1 or not 0 <= chance <= 1:
        raise UsageError(
            f"sim/{base}: told=P is the chance that sim/steady and sim/forgetful mend what they are told to have "
            "missed, from 0 to 1: sim/steady?told=.7"
        )
    return chance


@dataclass(frozen=True, slots=True)
class Skill:
    """How well a simulated model keeps constraints."""

    name: str
    seed: int
    reliability: float | None = None
    """The chance for every group in every dialogue, instead of the documented ones."""
    told: float | None = None
    """The chance for a constraint that the prompt says was missed; None if it changes nothing."""

    def answer(self, prompt: Prompt, request: ChatRequest) -> str:
        """The same prompt, seed and depth get the same answer."""
        turn = requirements_of(prompt)
        witness = turn.witness if turn.witness is not None else build_witness(turn.constraints, turn.keywords)
        if isinstance(witness, Refusal):
            return ""  # an imported turn that no answer satisfies
        stream = self._stream(prompt, request.sampling.seed)
        missed = self._draw_misses(prompt, stream)
        text = (build_flawed(turn.constraints, turn.keywords, missed, stream) or witness) if missed else witness
        return text if turn.task is None else name_task(text, turn.task, turn.constraints) or text

    def misses(self, prompt: Prompt, seed: int | None = None) -> set[str]:
        """The groups of the constraints that the answer is to fail; it does where there is a text for it.

        Args:
            prompt: Of a turn.
            seed: Of the request's sampling.
        """
        return self._draw_misses(prompt, self._stream(prompt, seed))

    def _stream(self, prompt: Prompt, seed: int | None) -> Stream:
        skill = NAMES.index(self.name) if self.name in NAMES else 1
        own = () if self.reliability is None else (round(self.reliability * _MILLIONTHS),)
        return Stream(self.seed, Purpose.SIMULATED_MODEL, skill, seed or 0, prompt.dialogue, prompt.turn, *own)

    def _draw_misses(self, prompt: Prompt, stream: Stream) -> set[str]:
        turn, depth = requirements_of(prompt), int(prompt.labels.get("depth", 1))
        difficulty = difficulty_of(prompt.dialogue, turn.persona)
        missed = {c.group for c in turn.constraints if stream.fraction() >= self.chance_in(difficulty, c.group, depth)}
        named = None if self.told is None else told_of(prompt)
        if self.told is None or named is None or named not in turn.constraints:
            return missed
        return missed - {named.group} if stream.fraction() < self.told else missed | {named.group}

    def chance(self, group: str, depth: int) -> float:
        """Of keeping a constraint of the group, over all dialogues."""
        if self.name == "perfect" or get_group(group).subjective:
            return 1.0
        if self.reliability is not None:
            return self.reliability
        chance = SKILLS.get(group, OTHER_SKILL)
        return chance * FORGETTING ** (depth - 1) if self.name == "forgetful" else chance

    def chance_in(self, difficulty: float, group: str, depth: int) -> float:
        """The same in a dialogue of that difficulty, a standard normal number.

        With `a` the normal quantile of the chance and s = `SPREAD`, it is Φ(a·√(1 + s²) - s·difficulty). Its mean over
        all dialogues is exactly the chance.
        """
        chance = self.chance(group, depth)
        if self.reliability is not None or not 0 < chance < 1:
            return chance
        return _NORMAL.cdf(_WIDER * _quantile(chance) - SPREAD * difficulty)


_quantile = lru_cache(maxsize=1 << 12)(_NORMAL.inv_cdf)


@lru_cache(maxsize=1 << 12)
def difficulty_of(dialogue: int, persona: str) -> float:
    """How hard a dialogue is for every simulated model, whatever its seed: a standard normal number.

    Args:
        dialogue: Its number.
        persona: Of the dialogue, so that dialogues of the same number differ between benchmarks.
    """
    told = int.from_bytes(sha256(persona.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    # Half a step up, since 0 has no quantile.
    return _NORMAL.inv_cdf(Stream(told, Purpose.SIMULATED_DIFFICULTY, dialogue).fraction() + 2.0**-54)
