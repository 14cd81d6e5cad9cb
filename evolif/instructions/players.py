"""Simulated models: they answer with the witness, or with the witness of a misremembered instruction.

Their answers are texts that pass through the same checkers as any other. Their skill is documented per group and depth,
so that the figures of a run can be predicted:

    perfect     always the witness
    steady      keeps each constraint with a fixed chance, whatever the depth
    forgetful   the same, but the chance shrinks with every turn of a topic
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evolif.constraints import DrawContext, check, get_group
from evolif.errors import UsageError
from evolif.instructions.prompt import Requirements, requirements_of
from evolif.instructions.relevance import name_task
from evolif.models import ChatRequest, SimModel
from evolif.rng import Purpose, Stream
from evolif.turns import Constraint, Instruction
from evolif.types import Prompt
from evolif.witness import Refusal, build_witness

SKILLS: Mapping[str, float] = MappingProxyType(
    {"existence": 0.80, "length": 0.85, "case": 0.88, "bullets": 0.92, "format": 0.95, "start_with": 0.93,
     "end_with": 0.92, "forbidden": 0.96, "punctuation": 0.96}
)  # fmt: skip
"""Chance that `steady` keeps a constraint of the group in a turn."""

FORGETTING = 0.93
"""`forgetful` multiplies its chance by this for every earlier turn of the topic."""

NAMES = ("perfect", "steady", "forgetful")

_TRIES = 8


def player(name: str, seed: int = 0) -> SimModel:
    """The simulated model of one of the documented skills.

    Args:
        name: One of `NAMES`.
        seed: Seeds its mistakes.

    Raises:
        UsageError: there is no such skill.
    """
    if name not in NAMES:
        raise UsageError(
            f"unknown simulated model “sim/{name}”; known models are {', '.join('sim/' + n for n in NAMES)}"
        )
    return SimModel(name, Skill(name, seed).answer)


@dataclass(frozen=True, slots=True)
class Skill:
    """How well a simulated model keeps constraints."""

    name: str
    seed: int

    def answer(self, prompt: Prompt, request: ChatRequest) -> str:
        """The same prompt, seed and depth get the same answer."""
        turn = requirements_of(prompt)
        witness = turn.witness if turn.witness is not None else build_witness(turn.constraints, turn.keywords)
        if isinstance(witness, Refusal):
            return ""  # an imported turn that no answer satisfies
        skill, drawn = NAMES.index(self.name) if self.name in NAMES else 1, request.sampling.seed or 0
        stream = Stream(self.seed, Purpose.SIMULATED_MODEL, skill, drawn, prompt.dialogue, prompt.turn)
        depth = int(prompt.labels.get("depth", 1))
        missed = {c.group for c in turn.constraints if stream.fraction() >= self.chance(c.group, depth)}
        text = _with_defects(turn, witness, missed, stream) if missed else witness
        return text if turn.task is None else name_task(text, turn.task, turn.constraints) or text

    def chance(self, group: str, depth: int) -> float:
        """Of keeping a constraint of the group."""
        if self.name == "perfect" or get_group(group).subjective:
            return 1.0
        chance = SKILLS.get(group, 0.97)
        return chance * FORGETTING ** (depth - 1) if self.name == "forgetful" else chance


def _with_defects(turn: Requirements, witness: str, missed: set[str], stream: Stream) -> str:
    """A text in which exactly the missed constraints fail; if none is found, the nearest one."""
    best, best_wrong = witness, len(turn.constraints) + 1
    for attempt in range(_TRIES):
        remembered = _misremember(turn, missed, stream, drop=attempt == _TRIES - 1)
        text = build_witness(remembered, turn.keywords)
        if isinstance(text, Refusal):
            continue
        failed = {v.group for v in check(turn.constraints, text) if v.satisfied is False}
        wrong = len(failed ^ missed)
        if not wrong:
            return text
        if failed and wrong < best_wrong:
            best, best_wrong = text, wrong
    return best


def _misremember(turn: Requirements, missed: set[str], stream: Stream, *, drop: bool) -> Instruction:
    """The instruction with the missed constraints changed or dropped."""
    active = {c.group: c.params for c in turn.constraints}
    remembered = []
    for constraint in turn.constraints:
        if constraint.group not in missed:
            remembered.append(constraint)
            continue
        group = get_group(constraint.group)
        others = {g: p for g, p in active.items() if g != constraint.group}
        context = DrawContext(turn.keywords, group.data["pool"], others)
        params = None if drop else group.modify(constraint.params, stream, context)
        if params is not None:
            remembered.append(Constraint(constraint.group, params))
    return tuple(remembered)
