"""A run in the dialogue schema of UniDial-EvalKit: the results of each model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolif.exchange.rows import canary_of, has_witness
from evolif.runner import Run
from evolif.runner.records import WITHHELD
from evolif.scenario import get_scenario
from evolif.scenarios.instructions.turns import NAME as INSTRUCTIONS
from evolif.scenarios.recorded import Dialog, dialogs_of_run, records_of_run
from evolif.scenarios.recorded.runs import INFO, MORE

UNIDIAL = "unidial"
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class ExportedModel:
    """What an export has of a model.

    Attributes:
        dialogs: Its sessions.
        records: The verdicts on its answers.
        answers: How many answers it gave.
        withheld: How many of them are left out because they contain a witness.
    """

    dialogs: Sequence[Dialog]
    records: Sequence[Mapping[str, Any]]
    answers: int
    withheld: int


def model_results(run: Run, *, with_witness: bool) -> Iterator[tuple[str, ExportedModel]]:
    """The results of each model of a run, with the name of its folder.

    Args:
        run: Of instruction following, or of recorded dialogues.
        with_witness: Include the answer key. Without it, answers that contain a witness are left out as well.

    Raises:
        UsageError: The run has another scenario.
    """
    canary = canary_of(run.settings.benchmark)
    witnesses = {} if with_witness else _witnesses(run)
    for name, model in _folder_names(run.models).items():
        dialogs = dialogs_of_run(run, model, with_witness=with_witness)
        withheld = 0
        for dialog in dialogs:
            if run.settings.scenario == INSTRUCTIONS:  # recorded dialogues have no witness, and are somebody else's
                withheld += _withhold(dialog, witnesses)
                dialog.dialog_raw_info["canary"] = canary
        answers = sum(turn.evaluated for dialog in dialogs for turn in dialog.dialog_turns)
        yield name, ExportedModel(dialogs, records_of_run(run, model), answers, withheld)


def _witnesses(run: Run) -> dict[int, set[str]]:
    """The witnesses of each dialogue."""
    scenario = get_scenario(run.settings.scenario)
    found: dict[int, set[str]] = {}
    for prompt in run.prompts():
        found.setdefault(prompt.dialogue, set()).update(scenario.rows.keys(prompt))
    return found


def _withhold(dialog: Dialog, witnesses: Mapping[int, set[str]]) -> int:
    """Leave out the answers that contain a witness, and say which; returns how many are left out."""
    info, more = dialog.dialog_raw_info[INFO], dialog.dialog_raw_info[MORE]
    own = witnesses.get(info["dialogue"], set())
    left_out = set(more.get(WITHHELD, ()))
    for turn in dialog.dialog_turns:
        if turn.evaluated and isinstance(turn.content, str) and has_witness(turn.content, own):
            turn.content = None
            left_out.add(turn.turn_id)
    if left_out:
        more[WITHHELD] = sorted(left_out)
    return len(left_out)


def _folder_names(models: Sequence[str]) -> dict[str, str]:
    """A folder's name for each model, without signs that some file system has not; no two differ in case only."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for model in models:
        plain = re.sub(r"[^A-Za-z0-9.=-]+", "_", model).strip("._-")[:_LONGEST_NAME] or "model"
        name, number = plain, 2
        while name.casefold() in taken:
            name, number = f"{plain}_{number}", number + 1
        taken.add(name.casefold())
        names[name] = model
    return names
