"""Dialogues of evolif as an environment of verifiers: a turn is rewarded by its verdict."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import verifiers as vf
from datasets import Dataset

import evolif
from evolif import UsageError
from evolif.config import EvalConfig
from evolif.runner import plan
from evolif.runner.session import step
from evolif.runner.shutdown import run_to_end
from evolif.scenario import Benchmark, Environment, Services, get_scenario, options_of
from evolif.types import End, Exchange, Message, Prompt

KEY = "evolif"
"""Where a rollout's conversation is in its state."""


class Conversation:
    """One dialogue while it is played.

    Args:
        prompt: The first.
        patience: Failed turns in a row that end it; None if it has no patience.
    """

    def __init__(self, prompt: Prompt, patience: int | None) -> None:
        self.prompt = prompt
        self.patience = patience
        self.past: list[Exchange] = []
        self.rewards: list[float | None] = []
        """Of each turn; None where nothing was judged."""
        self.end = ""
        """Why it is over, in a word or two; empty while it goes on."""


class EvolifEnv(vf.MultiTurnEnv):
    """Plays the dialogues of a benchmark; the rules of its scenario judge every answer.

    Args:
        bench: The benchmark.
        patience: Failed turns in a row that end a dialogue; the benchmark's if None.
        max_turns: The cap, in judged turns; the benchmark's if None.
        more: For `verifiers.Environment`.

    Raises:
        UsageError: the scenario has two seats, or does not show a model the whole history.
    """

    def __init__(
        self, bench: Benchmark, *, patience: int | None = None, max_turns: int | None = None, **more: Any
    ) -> None:
        scenario = get_scenario(bench.scenario)
        config = EvalConfig(models=("verifiers/model",), patience=patience, max_turns=max_turns)
        self.settings = plan(bench, config) if scenario.seats == ("target",) else None
        if self.settings is None:
            raise UsageError(f"the scenario {scenario.name} has two seats; verifiers trains a model in one")
        play = options_of(scenario.play, {}, scenario.name)
        services = Services(config=config, max_turns=self.settings.most_turns, dialogues=self.settings.dialogues)
        self.dialogues = scenario.environment(bench, play, services)
        if type(self.dialogues).recalled is not Environment.recalled:
            raise UsageError(
                f"the scenario {scenario.name} does not show a model the whole history; evaluate it instead"
            )
        rows = [self._row(dialogue) for dialogue in bench.dialogues()]
        rubric = vf.Rubric(funcs=[dialogue_reward])
        rubric.add_metric(judged_turns)
        super().__init__(dataset=Dataset.from_list(rows), rubric=rubric, **more)

    def _row(self, dialogue: int) -> dict[str, Any]:
        system = self.dialogues.system(dialogue, "target")
        told = [Message("system", system)] if system else []
        return {"prompt": _objects([*told, *self._first(dialogue).messages]), "info": {"dialogue": dialogue}}

    def _first(self, dialogue: int) -> Prompt:
        prompt = run_to_end(self.dialogues.prompt(dialogue, ()))
        if isinstance(prompt, End):
            raise UsageError(f"dialogue {dialogue} has no turn; generate the benchmark again")
        return prompt

    async def setup_state(self, state: Any) -> Any:
        """Begin the dialogue of the rollout."""
        prompt = await self.dialogues.prompt(state["info"]["dialogue"], ())
        state[KEY] = Conversation(prompt, self.settings.patience)
        return await super().setup_state(state)

    async def add_trajectory_step(self, state: Any, trajectory_step: Any) -> None:
        """Judge the answer, reward the turn, and find out what comes next."""
        await super().add_trajectory_step(state, trajectory_step)
        talk: Conversation = state[KEY]
        answer = _text(trajectory_step["completion"])
        judgement = await self.dialogues.score(talk.prompt, answer, talk.past)
        judged = tuple(one.satisfied for one in judgement.verdicts if one.satisfied is not None)
        reward = float(all(judged)) if judged else None
        trajectory_step["reward"] = reward
        trajectory_step["extras"]["verdicts"] = [
            {"group": one.group, "satisfied": one.satisfied, "expected": one.expected, "found": one.found}
            for one in judgement.verdicts
        ]
        talk.rewards.append(reward)
        talk.patience = step(talk.patience, self.settings.patience, judged)
        talk.past.append(Exchange(talk.prompt, answer, self.dialogues.heard(talk.prompt, answer)))
        await self._go_on(talk)

    async def _go_on(self, talk: Conversation) -> None:
        count = sum(reward is not None for reward in talk.rewards)
        if talk.patience == 0 and self.settings.cut == "during":
            talk.end = "patience"
        elif self.settings.cap_reached(len(talk.past), count):
            talk.end = "cap"
        else:
            following = await self.dialogues.prompt(talk.prompt.dialogue, talk.past)
            if isinstance(following, End):
                talk.end = following.cause
            else:
                talk.prompt = following

    async def env_response(self, messages: Any, state: Any, **more: Any) -> list[Any]:
        """What the person says next."""
        return _objects(state[KEY].prompt.messages)

    @vf.stop
    async def dialogue_is_over(self, state: Any) -> bool:
        """Whether patience ran out, the cap was reached, or the dialogue ended."""
        return KEY in state and bool(state[KEY].end)


async def dialogue_reward(state: Any) -> float:
    """The share of judged turns in which everything holds; 0 if nothing was judged."""
    rewards = [reward for reward in state[KEY].rewards if reward is not None]
    return sum(rewards) / len(rewards) if rewards else 0.0


async def judged_turns(state: Any) -> float:
    """How many turns were judged."""
    return float(sum(reward is not None for reward in state[KEY].rewards))


def load_environment(
    bench: str | None = None,
    seed: int = 0,
    dialogues: int = 100,
    patience: int | None = None,
    max_turns: int | None = None,
    **options: Any,
) -> EvolifEnv:
    """The environment of a benchmark; verifiers calls this.

    Args:
        bench: Its folder; without one, a benchmark of instruction following is made in a temporary folder.
        seed: Of the benchmark that is made.
        dialogues: How many are made.
        patience: Failed turns in a row that end a dialogue; the benchmark's if None.
        max_turns: The cap, in judged turns; the benchmark's if None.
        options: Of `evolif.generate`, such as `turns` and `profile`.

    Raises:
        UsageError: the benchmark cannot be opened, made or played.
    """
    if bench is not None:
        return EvolifEnv(evolif.load_benchmark(bench), patience=patience, max_turns=max_turns)
    folder = Path(tempfile.mkdtemp(prefix="evolif-")) / "bench"
    made = evolif.generate(folder, dialogues=dialogues, seed=seed, **options)
    return EvolifEnv(made, patience=patience, max_turns=max_turns)


def _objects(messages: Sequence[Message]) -> list[Any]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _text(completion: Any) -> str:
    """The text of an answer; its parts are joined."""
    texts = []
    for message in completion:
        content = message.get("content") if isinstance(message, dict) else message.content
        parts = content if isinstance(content, list) else [{"text": content or ""}]
        texts += [part.get("text", "") if isinstance(part, dict) else getattr(part, "text", "") for part in parts]
    return "".join(texts)
