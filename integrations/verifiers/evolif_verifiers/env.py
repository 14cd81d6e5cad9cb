"""The environment: one policy plays one dialogue, in this process."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf
from pydantic import model_validator


class EvolifEnvConfig(vf.EnvConfig):
    """The one agent needs no sandbox, which it would have by default."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())

    @model_validator(mode="after")
    def _has_its_harness(self) -> EvolifEnvConfig:
        harness = self.agent.harness
        if harness is not None and harness.id != self.taskset.id:
            raise ValueError(
                f"the harness {harness.id} would send the first message only; leave agent.harness.id out, since the "
                "taskset brings the harness that plays its dialogues"
            )
        return self


class EvolifEnv(vf.Env[EvolifEnvConfig]):
    """Plays each task once; verifiers repeats it for a group of rollouts."""

    async def run(self, task: vf.Task[Any], agents: vf.Agents) -> None:
        """Play one dialogue."""
        await agents.agent.run(task)
