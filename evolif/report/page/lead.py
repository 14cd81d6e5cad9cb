"""The sentence below the page's title: how many models over how many dialogues, counted as the page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evolif.report.analysis import RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.scenario import Scenario
from evolif.text import plural


def lead(groups: Sequence[ComparableRuns], scenarios: Sequence[Scenario]) -> str:
    """What the page is about.

    A model in two runs is one model, and one that knows the answers is named as a reference. Dialogues are those that
    the figures cover; of several runs all that any of them has, and how many are in each.

    Args:
        groups: All that the page shows.
        scenarios: Of their runs, each once.
    """
    models = {model.name for runs in groups for model in runs.contestants.models}
    dialogues = [_dialogues(analysis) for runs in groups for analysis in runs.analyses]
    number = len(set().union(*dialogues))
    if len(scenarios) == 1:
        told = scenarios[0].presentation.lead(len(models), number)
    else:
        told = (
            f"{plural(len(models), 'model')} over {plural(number, 'dialogue')} of {len(scenarios)} scenarios, with "
            "transcripts."
        )
    return " ".join((told, *_besides(groups, dialogues)))


def _dialogues(analysis: RunAnalysis) -> set[tuple[str, int]]:
    """The dialogues that figures cover, each with its benchmark: numbers alone say nothing across benchmarks."""
    early = analysis.early_end
    shown = analysis.settings.dialogues if early is None else early.dialogues
    return {(analysis.settings.benchmark, dialogue) for dialogue in shown}


def _besides(groups: Sequence[ComparableRuns], dialogues: Sequence[set[tuple[str, int]]]) -> Iterator[str]:
    references = dict.fromkeys(model.name for runs in groups for model in runs.references)
    if references:
        yield f"For reference: {', '.join(references)}."
    if len(dialogues) > 1:
        shared = len(set.intersection(*dialogues))
        every = (
            "with the same dialogues"
            if all(own == dialogues[0] for own in dialogues)
            else (f"with {plural(shared, 'dialogue')} in common" if shared else "without a dialogue in common")
        )
        yield f"{len(dialogues)} runs, {every}."
    epochs = sorted({analysis.settings.epochs for runs in groups for analysis in runs.analyses})
    if epochs[-1:] > [1]:
        times = str(epochs[0]) if len(epochs) == 1 else f"{epochs[0]} to {epochs[-1]}"
        yield f"Each dialogue was played {times} times."
