"""Import a folder of dialogues in the unified schema as a benchmark of the scenario `recorded`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evolif.benchmark import HEADER
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.recorded import describe, read_dialogs
from evolif.scenarios.recorded.prompts import prompts_of
from evolif.scenarios.recorded.scoring import unscorable

RECORDED = "recorded"
GENERATED = "generated"
"""Where the folder of a model's results has its dialogues."""
_TABLES = ("*.jsonl", "*.parquet", "*.arrow", "data/*.jsonl", "data/*.parquet")


@dataclass(frozen=True, slots=True)
class ImportedDialogs:
    """The result of an import.

    Attributes:
        path: The benchmark.
        benchmark_id: The name of the benchmark that the dialogues are from; empty if they do not say.
        dialogues: How many there are.
        evaluated_turns: Turns that a model answers.
        metrics: Class name to the number of metric entries.
        unscorable: Kind of failure to the number of entries that have no score, whatever the answer.
    """

    path: Path
    benchmark_id: str
    dialogues: int
    evaluated_turns: int
    metrics: Mapping[str, int]
    unscorable: Mapping[str, int]


def is_dialogs(path: Path) -> bool:
    """Whether a folder looks like one of dialogues, or of a model's results on them."""
    if not path.is_dir() or (path / HEADER).exists() or any(any(path.glob(pattern)) for pattern in _TABLES):
        return False
    return (path / GENERATED).is_dir() or any(_dialog_files(path))


def _dialog_files(path: Path) -> Iterator[Path]:
    return (file for file in path.glob("*.json") if not file.name.startswith(("_", ".", "dataset_")))


def import_dialogs(path: Path | str, out: Path | str) -> ImportedDialogs:
    """Make a benchmark of a folder of dialogues.

    Args:
        path: The folder; of a model's results, the dialogues in `generated` are taken.
        out: The folder to create; one that an earlier import left incomplete is completed.

    Raises:
        UsageError: nothing in the dialogues is evaluated, or `out` holds something else.
        InputError: a file is broken; names it.
        OutsideError: the disk failed.
    """
    scenario = get_scenario(RECORDED)
    spec = options_of(scenario.spec, {"source": str(path)}, RECORDED)
    made = scenario.generate(Path(out), spec, dialogues=1, seed=0)
    root = Path(path) / GENERATED
    dialogs = read_dialogs(root if root.is_dir() else path)
    counts = describe(dialogs)
    faults = Counter(
        kind for dialog in dialogs for prompt in prompts_of(dialog, 1) for kind, _ in unscorable(prompt.payload)
    )
    return ImportedDialogs(
        Path(out),
        made.variant,
        counts["dialogues"],
        counts["evaluated_turns"],
        counts["metrics"],
        dict(sorted(faults.items())),
    )
