"""The task that the register of Inspect Evals points to: dialogues of instructions until patience runs out.

    inspect eval integrations/inspect/evolif_instructions.py --model openai/NAME

Whoever has installed evolif needs no file: `inspect eval evolif/instructions` is the same task, with more options.
"""

from __future__ import annotations

from inspect_ai import Task, task, task_with

from evolif.inspect.tasks import SCENARIOS


@task
def evolif_instructions(
    seed: int = 0,
    dialogues: int = 150,
    profile: str = "everyday",
    patience: int | None = None,
    max_turns: int | None = None,
    judge: str = "none",
    bench: str | None = None,
    agent: str | None = None,
) -> Task:
    """Play dialogues whose instructions add up, change and are withdrawn; rules judge each answer.

    Args:
        seed: The same seed makes the same dialogues; another one makes fresh ones.
        dialogues: How many are made.
        profile: What is demanded and how it changes: everyday, objective, paper, extended or escalating.
        patience: Failed turns in a row that end a dialogue; by default as the profile says.
        max_turns: The most turns of a dialogue; by default as the profile says.
        judge: A model of Inspect for demands that rules cannot check; without one these are not judged.
        bench: The folder of a benchmark that is there already, in place of seed, dialogues and profile.
        agent: A solver or an agent that answers each turn, named as for `inspect eval --solver`; else the model does.
    """
    made = {"seed": seed, "dialogues": dialogues, "profile": profile} if bench is None else {"bench": bench}
    played = SCENARIOS["instructions"](patience=patience, max_turns=max_turns, judge=judge, agent=agent, **made)
    return task_with(played, name="evolif_instructions")
