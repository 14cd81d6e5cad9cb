"""The gym: dialogues for training, with rewards, played by a policy of the caller's on benchmarks without end.

The first names that most need: `Gym` opens a benchmark and plays its dialogues as `Rollout`s, `Stream` makes fresh
benchmarks in the background. Rewards are in `evolif.metrics.rewards`. None of it needs a trainer's packages.
"""

from evolif.gym.gym import Gym
from evolif.gym.rollout import Rollout
from evolif.gym.stream import Stream, seed_of

__all__ = ["Gym", "Rollout", "Stream", "seed_of"]
