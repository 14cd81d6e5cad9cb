"""A policy without a language model: a chance for each group of requirements, with which it keeps them.

It is no model that anybody would want. It reads the answer key, as simulated models do, and all that it has to learn is
to want to keep what is asked. That takes seconds, and everything else is as with a language model: the dialogues, the
verdicts, the rewards, the advantages, the log. So it shows, and tests, that what is measured can be learned from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, sqrt
from random import Random

from evolif.models import ChatRequest, Reply
from evolif.scenarios.instructions.prompt import requirements_of
from evolif.scenarios.instructions.relevance import name_task
from evolif.scenarios.instructions.witness import Refusal, build_witness
from evolif.scenarios.instructions.witness.flawed import build_flawed
from evolif.types import Prompt
from evolif.util.rng import Purpose, Stream
from evolif_train.learning import Weighed
from evolif_train.policy import Sample

NAME = "skills"
"""What stands for it where a model is named."""


class SkillPolicy:
    """Decides for each requirement in force whether to keep it, and says a text that does just that.

    Args:
        temperature: Of deciding; at 0 it keeps what it keeps more often than not.
        seed: Of deciding.
    """

    name = f"policy/{NAME}"
    max_tokens = 1
    tokens = 0

    def __init__(self, *, temperature: float = 1.0, seed: int = 0) -> None:
        self.temperature = temperature
        self.groups: list[str] = []
        """Those that were asked for so far; samples name them by their places."""
        self.logits: dict[str, float] = defaultdict(float)
        """By group; 0, an even chance, for those that were not learned yet."""
        self._seed = seed

    def seat(self, place: int) -> SkillSeat:
        """A seat for one conversation.

        Args:
            place: Each has another, and decides by random numbers of its own.
        """
        return SkillSeat(self, Random(f"{self._seed} {place}"))

    def take(self, seat: object) -> None:
        """A conversation begins; nobody waits for another."""

    def leave(self, seat: object) -> None:
        """A conversation is over."""

    def reseed(self, seed: int) -> None:
        """Begin the random numbers of deciding anew."""
        self._seed = seed

    def place_of(self, group: str) -> int:
        """Where the group is among `groups`."""
        if group not in self.groups:
            self.groups.append(group)
        return self.groups.index(group)

    def chance(self, group: str) -> float:
        """Of keeping a requirement of the group."""
        if self.temperature == 0:
            return float(self.logits[group] > 0)
        return 1 / (1 + exp(-self.logits[group] / self.temperature))


@dataclass(slots=True, eq=False)
class SkillSeat:
    """The policy in one conversation; implements `ChatModel`. A sample is the groups in force, and 1 for each kept."""

    policy: SkillPolicy
    random: Random
    samples: list[Sample] = field(default_factory=list)
    connections: int = 1_000_000

    @property
    def name(self) -> str:
        """The policy's."""
        return self.policy.name

    async def complete(self, request: ChatRequest) -> Reply:
        """Decide, and say what was decided."""
        assert request.prompt is not None, "players in this process get the prompt"
        asked = [one.group for one in requirements_of(request.prompt).constraints]
        kept = [self.random.random() < self.policy.chance(group) for group in asked]
        places = tuple(map(self.policy.place_of, asked))
        self.samples.append(Sample(places, tuple(map(int, kept)), False))
        missed = {group for group, keeps in zip(asked, kept, strict=True) if not keeps}
        return Reply(_text(request.prompt, missed))

    async def aclose(self) -> None:
        """There is nothing to close."""


class SkillLearner:
    """Follows the gradient of what samples earn.

    Args:
        policy: What learns.
        rate: Of learning.
    """

    def __init__(self, policy: SkillPolicy, *, rate: float) -> None:
        self._policy, self._rate = policy, rate

    def step(self, weighed: Sequence[Weighed], longest: int) -> float | None:
        """Take one step; see `Learner.step`.

        Args:
            weighed: What was decided by the policy as it is now.
            longest: Not needed: every decision counts once.
        """
        if not any(one.advantage for one in weighed):
            return None
        found: dict[str, float] = defaultdict(float)
        for one in weighed:
            for place, kept in zip(one.sample.prompt, one.sample.answer, strict=True):
                group = self._policy.groups[place]
                found[group] += one.advantage * (kept - self._policy.chance(group)) / len(weighed)
        for group, slope in found.items():
            self._policy.logits[group] += self._rate * slope
        return sqrt(sum(slope * slope for slope in found.values()))


def _text(prompt: Prompt, missed: set[str]) -> str:
    """A text that fails these groups and keeps the others, where there is one."""
    turn = requirements_of(prompt)
    witness = turn.witness if turn.witness is not None else build_witness(turn.constraints, turn.keywords)
    if isinstance(witness, Refusal):
        return ""
    text = witness
    if missed:
        stream = Stream(0, Purpose.SIMULATED_MODEL, prompt.dialogue, prompt.turn)
        text = build_flawed(turn.constraints, turn.keywords, missed, stream) or witness
    return text if turn.task is None else name_task(text, turn.task, turn.constraints) or text
