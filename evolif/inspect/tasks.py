"""The tasks that Inspect finds: `evolif/SCENARIO` for each scenario, with a solver that plays and a scorer.

This module is the entry point `evolif` of the group `inspect_ai`; it is imported by Inspect only.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import get_model

from evolif._version import __version__
from evolif.exchange import canary_of
from evolif.inspect.benches import made_bench, opened_bench, pairs, parted, told
from evolif.inspect.dataset import first_samples
from evolif.inspect.playing import TaskPlayer, config_of
from evolif.inspect.scorers import evolif_scorer, figures, interval, pool_sums, stderr
from evolif.inspect.scores import SCORER
from evolif.inspect.solvers import checking_solver, evolif_solver, playing_solver
from evolif.scenario import Benchmark, Scenario, get_scenario, scenario_names

# Inspect finds them by importing this module.
__all__ = ["evolif_scorer", "evolif_solver", "figures", "interval", "pool_sums", "stderr"]


def _make(name: str) -> Callable[..., Any]:
    """The task of a scenario, which is imported when the task is created."""

    def scenario_task(
        bench: str | None = None,
        seed: int = 0,
        dialogues: int | None = None,
        patience: int | None = None,
        max_turns: int | None = None,
        judge: str | list[str] = "none",
        judge_rule: str = "mean",
        relevance: str = "none",
        relevance_counts: bool = False,
        feedback: str = "none",
        context: str = "full",
        context_model: str | None = None,
        partner: str | None = None,
        system_prompt: bool = True,
        agent: Any = None,
        **options: Any,
    ) -> Any:
        """Play the dialogues of a benchmark, made here or of a folder; names of models and agents are Inspect's."""
        with told():
            scenario = get_scenario(name)
            made, played = parted(scenario, options, has_bench=bench is not None)
            opened = made_bench(scenario, made, dialogues, seed) if bench is None else opened_bench(Path(bench), name)
            config = config_of(
                judge,
                judge_rule=judge_rule,
                relevance=relevance,
                relevance_counts=relevance_counts,
                patience=patience,
                max_turns=max_turns,
                feedback=feedback,
                context=context,
                context_model=context_model,
                partner=partner,
                system_prompt=system_prompt,
                options=pairs(played),
                seed=seed,
            )
            return _task(scenario, opened, TaskPlayer(opened, config, get_model), agent)

    scenario_task.__name__ = name
    return scenario_task


def _task(scenario: Scenario, bench: Benchmark, player: TaskPlayer, agent: Any) -> Any:
    return Task(
        dataset=MemoryDataset(first_samples(scenario, bench), name=f"{scenario.name} {bench.identity}"),
        setup=checking_solver(scenario.name, player),
        solver=playing_solver(player, agent),
        scorer=figures(),
        headline_metric=HeadlineMetric(scorer=SCORER, metric=player.headline()),
        name=scenario.name,
        version=scenario.version,
        metadata={"evolif": __version__, "benchmark": bench.identity, "canary": canary_of(bench.identity)},
    )


SCENARIOS: dict[str, Callable[..., Any]] = {name: task(name=name)(_make(name)) for name in scenario_names()}
"""The task of each scenario, by its name."""
globals().update(SCENARIOS)
