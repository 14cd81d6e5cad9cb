"""Dialogues of evolif as an environment of verifiers: a taskset, the harness that plays it, and the two put together.

verifiers finds the classes by the package's name: `vf-eval evolif-verifiers`.
"""

from evolif_verifiers.env import EvolifEnv
from evolif_verifiers.harness import EvolifHarness
from evolif_verifiers.taskset import EvolifTaskset

__all__ = ["EvolifEnv", "EvolifHarness", "EvolifTaskset"]
