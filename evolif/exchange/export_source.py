"""What an export writes: the rows of a benchmark or a run, and the card that describes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from evolif._version import __version__
from evolif.benchmark import BenchmarkFolder
from evolif.exchange.rows import Row, benchmark_rows, canary_of, folder_rows
from evolif.exchange.run_rows import RunRows
from evolif.exchange.run_table import run_batches
from evolif.exchange.tables import WITHHELD, batches, schema_of, schema_of_rows
from evolif.exchange.training import TrainingOptions
from evolif.runner import Integrity, Run
from evolif.scenario import answer_keys, get_scenario
from evolif.scenarios.instructions import InstructionBenchmark
from evolif.scenarios.instructions.catalogues import packaged_catalogues
from evolif.scenarios.instructions.turns import NAME as INSTRUCTIONS
from evolif.text import plural


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote."""

    path: Path
    format: str
    kind: str
    """`benchmark` or `run`."""
    rows: int
    canary: str
    with_witness: bool
    beyond: int = 0
    """Constraints that the authors' layout cannot express; only the field `evolif` holds them."""
    withheld: int = 0
    """Answers of a run that are left out because they contain a witness."""
    pushed: str | None = None
    """The address of the upload."""
    keys: str = ""
    """What the scenario calls its answer keys; empty if it has none."""
    integrity: Integrity | None = None
    """Whether the run's turns are as they were written; None for a benchmark."""
    unit: str = "turn"
    """What a row is."""
    notes: tuple[str, ...] = ()
    """What else a user is told, a sentence each."""


Content: TypeAlias = InstructionBenchmark | BenchmarkFolder | Run


class ExportSource:
    """The rows of a benchmark or a run, and their description."""

    def __init__(
        self, content: Content, with_witness: bool, licence: str | None, training: TrainingOptions | None = None
    ) -> None:
        self.content = content
        self.with_witness = with_witness
        self.training = training
        self.kind = "run" if isinstance(content, Run) else "benchmark"
        self.identity = content.settings.benchmark if isinstance(content, Run) else content.identity
        self.scenario = content.settings.scenario if isinstance(content, Run) else content.scenario
        self.canary = canary_of(self.identity)
        self.count = self.withheld = 0
        self._licence = licence

    def rows(self) -> Iterator[Row]:
        """The rows, counted as they are read."""
        self.count = self.withheld = 0
        for row in self._rows():
            self.count += 1
            self.withheld += bool(row.get("withheld"))
            yield row

    def _rows(self) -> Iterator[Row]:
        content = self.content
        if isinstance(content, Run):
            return iter(RunRows(content, with_witness=self.with_witness))
        if isinstance(content, InstructionBenchmark):
            return benchmark_rows(content, with_witness=self.with_witness)
        return folder_rows(content, with_witness=self.with_witness)

    def batches(self, schema: Any) -> Iterator[Any]:
        """The rows as record batches of their schema, counted as they are read."""
        self.count = self.withheld = 0
        content = self.content
        if isinstance(content, Run):
            found = run_batches(RunRows(content, with_witness=self.with_witness), schema)
        else:
            found = batches(self._rows(), schema)
        for batch in found:
            self.count += batch.num_rows
            if WITHHELD in schema.names:
                self.withheld += batch[WITHHELD].true_count
            yield batch

    def schema(self) -> Any:
        """The Arrow schema of the rows; of a run it is worked out from the prompts alone."""
        metadata = {"evolif.canary": self.canary, "evolif.kind": self.kind, "evolif.identity": self.identity}
        content = self.content
        rows = (
            RunRows(content, with_witness=self.with_witness).skeletons() if isinstance(content, Run) else self._rows()
        )
        if self.scenario != INSTRUCTIONS:
            return schema_of_rows(self.kind, rows, metadata)
        return schema_of(self.kind, rows, with_witness=self.with_witness, metadata=metadata)

    def describe(self) -> Description:
        """What the card says about the content."""
        content = self.content
        if isinstance(content, InstructionBenchmark):
            described = _describe_benchmark(content, self.with_witness)
        elif isinstance(content, BenchmarkFolder):
            described = _describe_folder(content, self.with_witness)
        else:
            described = _describe_run(content, self.with_witness)
        return described._replace(licence=self._licence or described.licence)

    def exported(
        self,
        path: Path,
        format: str,
        *,
        beyond: int = 0,
        pushed: str | None = None,
        unit: str = "turn",
        notes: tuple[str, ...] = (),
    ) -> Exported:
        """The result of the export."""
        keys = answer_keys(get_scenario(self.scenario))
        integrity = self.content.integrity() if isinstance(self.content, Run) else None
        counts = (self.count, self.canary, self.with_witness, beyond, self.withheld)
        return Exported(path, format, self.kind, *counts, pushed, keys, integrity, unit, notes)


def _key_fact(scenario: str, with_witness: bool) -> dict[str, bool]:
    """Whether an export has answer keys, for the front matter."""
    keys = answer_keys(get_scenario(scenario))
    return {keys: with_witness} if keys else {}


SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
PARQUET_IN_REPO = "data/test-00000-of-00001.parquet"

_LEADERBOARD = (
    "Results on it are **not comparable with the leaderboard of the EvolIF paper** (arXiv 2511.03508), nor with those "
    "on another benchmark of this kind: the dialogues, the checkers and the judge differ. Compare models on the same "
    "benchmark, with the same patience, cap and judge."
)


class Description(NamedTuple):
    """What a card says about a benchmark or a run."""

    title: str
    licence: str
    facts: dict[str, Any]
    """For the front matter."""
    origin: str
    """How the data was made, in sentences."""
    tags: tuple[str, ...] = ("instruction-following",)
    warning: str = f"\n{_LEADERBOARD}\n"
    closing: str = (
        "Parameters of constraints are structs: a field that a constraint does not have is null. `evolif import` turns "
        "the data back\ninto a benchmark, using the field `evolif`."
    )


def card(source: ExportSource, columns: Sequence[str], *, hub: bool) -> str:
    """The card: `README.md` with YAML front matter, as dataset hubs read it; call it once the rows are counted.

    Args:
        source: What was exported.
        columns: Names of the columns.
        hub: Whether the card accompanies a Parquet file on a hub; it then says where that file is.
    """
    import yaml

    about = source.describe()
    head: dict[str, Any] = {
        "license": about.licence,
        "pretty_name": about.title,
        "size_categories": [next((name for most, name in SIZES if source.count < most), "n>1M")],
        "task_categories": ["text-generation"],
        "tags": ["evolif", "multi-turn", *about.tags],
    }
    if hub:
        files = [{"split": "test", "path": PARQUET_IN_REPO}]
        head["configs"] = [{"config_name": "default", "data_files": files}]
    head["evolif"] = {**about.facts, "rows": source.count, "canary": source.canary}
    front_matter = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=1000)
    listed = "\n".join(f"- `{name}`" for name in columns)
    return f"""---
{front_matter}---

# {about.title}

{about.origin}
{about.warning}
**Please keep it out of training data.** Every row carries the string below; whoever finds it in a corpus, or a model
that can complete it, knows that the model may have been trained on it.

    {source.canary}

One row per turn. Columns:

{listed}

{about.closing} Written by evolif {__version__}.
"""


def _describe_benchmark(benchmark: InstructionBenchmark, with_witness: bool) -> Description:
    header, spec = benchmark.header, benchmark.header.spec
    dialogues = len(benchmark.dialogues())
    facts: dict[str, Any] = {
        "kind": "benchmark",
        "identity": benchmark.identity,
        "dialogues": dialogues,
        "profile": spec.profile.name,
        "witnesses": with_witness,
        "reading_rules": header.reading_rules,
    }
    if header.imported is None:
        facts |= {"seed": spec.seed, "synthesizers": list(spec.synthesizers), "generator": f"evolif {header.generator}"}
        origin = (
            f"A multi-turn instruction-following benchmark of {plural(dialogues, 'dialogue')}, made by evolif "
            f"{_code(header.generator)} with the profile {_code(spec.profile.name)} and the seed {spec.seed}: scripts "
            "drawn by a state machine over topics, constraints and operations, each turn with a text that proves that "
            f"it can be satisfied, worded by {', '.join(_code(name) for name in spec.synthesizers)}."
        )
    else:
        facts["imported"] = header.imported.format
        origin = (
            f"{dialogues} multi-turn instruction-following dialogues, imported from files in the format "
            f"{_code(header.imported.format)}; they were made by others, and some turns may be unsatisfiable."
        )
    origin += f" It comes {'with' if with_witness else 'without'} the witnesses, which are an answer key."
    return Description(f"EvolIF benchmark {benchmark.identity}", _licence(benchmark), facts, origin)


def _licence(benchmark: InstructionBenchmark) -> str:
    """The licence of the project's own data, if the benchmark contains nothing else."""
    packaged = packaged_catalogues(benchmark.header.spec.profile)
    own = all((benchmark.path / name).read_bytes() == content for name, content in packaged.items())
    return "cc-by-4.0" if own and set(benchmark.header.spec.synthesizers) == {"template"} else "other"


def _describe_folder(folder: BenchmarkFolder, with_witness: bool) -> Description:
    dialogues = len(folder.dialogues())
    facts = {
        "kind": "benchmark",
        "scenario": folder.scenario,
        "identity": folder.identity,
        "dialogues": dialogues,
        **_key_fact(folder.scenario, with_witness),
    }
    origin = (
        f"{plural(dialogues, 'dialogue')} of the scenario {_code(folder.scenario)}, one row per line of their files."
    )
    return _of_any_scenario(f"Benchmark {folder.identity} of {folder.scenario}", facts, origin)


def _of_any_scenario(title: str, facts: dict[str, Any], origin: str) -> Description:
    closing = "Columns whose shape varies are JSON text. `evolif import` does not read this data."
    return Description(title, "other", facts, origin, (), "", closing)


def _describe_run(run: Run, with_witness: bool) -> Description:
    settings = run.settings
    if settings.scenario != INSTRUCTIONS:
        return _describe_other_run(run, with_witness)
    facts = {
        "kind": "run",
        "benchmark": settings.benchmark,
        "profile": settings.profile,
        "models": list(settings.models),
        "judge": settings.judge,
        "patience": settings.patience,
        "max_turns": settings.max_turns,
        "witnesses": with_witness,
        **({} if settings.feedback == "none" else {"feedback": settings.feedback}),
    }
    origin = (
        f"Transcripts of {', '.join(_code(name) for name in settings.models)} on the benchmark "
        f"{_code(settings.benchmark)} (profile {_code(settings.profile)}): the queries, answers and verdicts, turn "
        f"by turn, with patience {settings.patience}, at most {settings.cap} and the judge "
        f"{_code(settings.judge)}. The answers are subject to the terms of the models' providers."
    )
    return Description(f"EvolIF transcripts on {settings.benchmark}", "other", facts, origin)


def _describe_other_run(run: Run, with_witness: bool) -> Description:
    settings = run.settings
    optional = {"patience": settings.patience, "partner": settings.partner, "options": dict(settings.options)}
    facts = {
        "kind": "run",
        "scenario": settings.scenario,
        "benchmark": settings.benchmark,
        "models": list(settings.models),
        "judge": settings.judge,
        "max_turns": settings.max_turns,
        **{name: value for name, value in optional.items() if value},
        **_key_fact(settings.scenario, with_witness),
    }
    origin = (
        f"Transcripts of {', '.join(_code(name) for name in settings.models)} in the scenario "
        f"{_code(settings.scenario)} on the benchmark {_code(settings.benchmark)}: prompts, answers, verdicts and "
        f"scores, turn by turn, with at most {settings.cap} and the judge {_code(settings.judge)}. The "
        "answers are subject to the terms of the models' providers."
    )
    return _of_any_scenario(f"Transcripts of {settings.scenario} on {settings.benchmark}", facts, origin)


def _code(text: str) -> str:
    """Untrusted text as inline Markdown code."""
    return f"`{' '.join(text.replace('`', ' ').split())[:200]}`"
