"""Import dialogues as a benchmark of the scenario `recorded`: in the unified schema, or in files of one's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from evolif.benchmark import HEADER
from evolif.errors import UsageError
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.recorded import describe
from evolif.scenarios.recorded.benchmarks import benchmark_called
from evolif.scenarios.recorded.conversations import is_own, read_own
from evolif.scenarios.recorded.folder import GENERATED
from evolif.scenarios.recorded.prompts import prompts_of
from evolif.scenarios.recorded.scenario import RecordedFolder
from evolif.scenarios.recorded.scoring import unscorable
from evolif.scenarios.recorded.sources import unscored
from evolif.util.suggestions import near_path

RECORDED = "recorded"
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
        reasons: The same kinds: where the first such entry is, and why it has no score.
        unscored_turns: Evaluated turns without any metric.
        unscored_dialogues: Dialogues that have no other.
        benchmark: The benchmark of UniDial-EvalKit that the dialogues say they are of, if `--benchmark` was not used.
        notices: What was left out, a sentence each.
    """

    path: Path
    benchmark_id: str
    dialogues: int
    evaluated_turns: int
    metrics: Mapping[str, int]
    unscorable: Mapping[str, int]
    reasons: Mapping[str, str]
    unscored_turns: int
    unscored_dialogues: int
    benchmark: str
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What an import makes of dialogues.

    Attributes:
        benchmark: The benchmark of UniDial-EvalKit that they are of; empty for others.
        metrics: What scores evaluated turns that have no metric.
        sample: How many dialogues are taken; all if None.
        by: The label whose mix a sample keeps.
        seed: Of the sample.
        recursive: Whether folders in a folder are read, too.
    """

    benchmark: str = ""
    metrics: tuple[str, ...] = ()
    sample: int | None = None
    by: str = ""
    seed: int = 0
    recursive: bool = False

    @property
    def given(self) -> list[str]:
        """The flags that ask for something."""
        values = {
            "--benchmark": self.benchmark,
            "--metric": self.metrics,
            "--sample": self.sample,
            "--by": self.by,
            "--recursive": self.recursive,
        }
        return [flag for flag, value in values.items() if value]


def is_dialogs(path: Path) -> bool:
    """Whether a path looks like dialogues: a folder of them or of a model's results on them, or a file of one's own."""
    if is_own(path):
        return True
    if not path.is_dir() or (path / HEADER).exists() or any(any(path.glob(pattern)) for pattern in _TABLES):
        return False
    return (path / GENERATED).is_dir() or any(_dialog_files(path))


def _dialog_files(path: Path) -> Iterator[Path]:
    return (file for file in path.glob("*.json") if not file.name.startswith(("_", ".", "dataset_")))


def raise_no_dialogs(path: Path, options: ImportOptions) -> NoReturn:
    """Say why a source that is to be imported as dialogues holds none.

    Raises:
        UsageError: It does not exist, or is a folder without dialogues.
        InputError: It is a file in none of the shapes that are read.
    """
    if not path.exists():
        raise UsageError(f"{path} does not exist{near_path(path)}")
    if path.is_file():
        read_own(path)
    raise UsageError(
        f"{path} holds no dialogues in the unified schema (files N.json), so {options.given[0]} does not fit; name the "
        "folder that has them, or a file of conversations"
    )


def import_dialogs(path: Path | str, out: Path | str, options: ImportOptions | None = None) -> ImportedDialogs:
    """Make a benchmark of dialogues.

    Args:
        path: A folder in the unified schema (of a model's results, the dialogues in `generated` are taken), or a file
            of one's own conversations.
        out: The folder to create; one that an earlier import left incomplete is completed.
        options: What is made of them.

    Raises:
        UsageError: nothing in the dialogues is evaluated, an option does not fit, or `out` holds something else.
        InputError: a file is broken; names it.
        OutsideError: the disk failed.
    """
    chosen = options or ImportOptions()
    if not Path(path).exists():
        raise UsageError(f"{path} does not exist{near_path(Path(path))}")
    scenario = get_scenario(RECORDED)
    given = {
        "source": str(path),
        "recursive": chosen.recursive,
        "benchmark": chosen.benchmark,
        "metric": chosen.metrics,
        "sample": chosen.sample,
        "by": chosen.by,
    }
    notices: list[str] = []
    spec = options_of(scenario.spec, given, RECORDED, called="--")
    made = scenario.generate(Path(out), spec, dialogues=1, seed=chosen.seed, notify=notices.append)
    assert isinstance(made, RecordedFolder), "the scenario makes its own folders"
    dialogs = [made.dialog(number) for number in made.dialogues()]
    counts = describe(dialogs)
    prompts = (prompt for dialog in dialogs for prompt in prompts_of(dialog, 1, made.stored.templates))
    faults = Counter(kind for prompt in prompts for kind, _ in unscorable(prompt.payload))
    turns, dialogues = unscored(dialogs)
    # The name of a file says nothing of what is in it, and some benchmarks bring their metrics in their data.
    said = None if chosen.benchmark or Path(path).is_file() else benchmark_called(made.variant)
    return ImportedDialogs(
        Path(out),
        made.variant,
        counts["dialogues"],
        counts["evaluated_turns"],
        counts["metrics"],
        dict(sorted(faults.items())),
        dict(made.stored.unscorable),
        turns,
        dialogues,
        said.name if said is not None and said.adds_metrics else "",
        tuple(notices),
    )
