"""The card of an exported data set: `README.md` with a YAML head, as dataset hubs read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evolif._catalogues import data_path
from evolif._version import __version__
from evolif.benchmark import Benchmark
from evolif.protocol import Run

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
PARQUET_IN_REPO = "data/test-00000-of-00001.parquet"

_LEADERBOARD = (
    "Figures on it are **not comparable with the leaderboard of the EvolIF paper** (arXiv 2511.03508), nor with those "
    "on another benchmark of this kind: the dialogues, the checkers and the judge differ. Compare models on the same "
    "benchmark, with the same patience, cap and judge."
)


@dataclass(frozen=True, slots=True)
class Card:
    """What is told of a data set."""

    title: str
    canary: str
    rows: int
    licence: str
    facts: Mapping[str, Any]
    """For machines, in the head."""
    made: str
    """How it was made, in sentences."""
    columns: tuple[str, ...]
    tags: tuple[str, ...] = field(default=())

    def text(self, *, hub: bool) -> str:
        """The card.

        Args:
            hub: Whether it goes beside a Parquet file on a hub, which then shows and loads it.
        """
        import yaml

        head: dict[str, Any] = {
            "license": self.licence,
            "pretty_name": self.title,
            "size_categories": [next((name for most, name in _SIZES if self.rows < most), "n>1M")],
            "task_categories": ["text-generation"],
            "tags": ["evolif", "multi-turn", "instruction-following", *self.tags],
        }
        if hub:
            files = [{"split": "test", "path": PARQUET_IN_REPO}]
            head["configs"] = [{"config_name": "default", "data_files": files}]
        head["evolif"] = {**self.facts, "rows": self.rows, "canary": self.canary}
        written = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=1000)
        return f"---\n{written}---\n\n{self._body()}"

    def _body(self) -> str:
        columns = "\n".join(f"- `{name}`" for name in self.columns)
        return f"""# {self.title}

{self.made}

{_LEADERBOARD}

**Please keep it out of training data.** Every row carries the string below; whoever finds it in a corpus, or a model
that can complete it, knows why the figures are good.

    {self.canary}

One row per turn. Columns:

{columns}

What differs from row to row in shape (parameters of constraints) is JSON text. `evolif import` makes a benchmark of it
again; the field `evolif` holds what that takes. Written by evolif {__version__}.
"""


def benchmark_card(
    benchmark: Benchmark, canary: str, rows: int, columns: tuple[str, ...], licence: str | None, *, witness: bool
) -> Card:
    """The card of a benchmark.

    Args:
        benchmark: The benchmark.
        canary: Its canary.
        rows: Turns.
        columns: Names of the columns.
        licence: An identifier such as `cc-by-4.0`; told by the catalogues where None.
        witness: Whether the answer key is in it.
    """
    header, spec = benchmark.header, benchmark.header.spec
    facts: dict[str, Any] = {
        "kind": "benchmark",
        "identity": benchmark.identity,
        "dialogues": len(benchmark.dialogues()),
        "profile": spec.profile.name,
        "witnesses": witness,
        "reading_rules": header.reading_rules,
    }
    if header.imported is None:
        facts |= {"seed": spec.seed, "synthesizers": list(spec.synthesizers), "generator": f"evolif {header.generator}"}
        made = (
            f"A multi-turn instruction-following benchmark of {facts['dialogues']} dialogues, made by evolif "
            f"{_code(header.generator)} with the profile {_code(spec.profile.name)} and the seed {spec.seed}: scripts "
            "drawn by a state machine over topics, constraints and operations, each turn with a text that proves that "
            f"it can be satisfied, put into words by {', '.join(_code(name) for name in spec.synthesizers)}."
        )
    else:
        facts["imported"] = header.imported.format
        made = (
            f"{facts['dialogues']} multi-turn instruction-following dialogues, imported from files of the layout "
            f"{_code(header.imported.format)}; they were made by others, and not all turns need be satisfiable."
        )
    key = "with" if witness else "without"
    made += f" It comes {key} the witnesses, which are an answer key."
    title = f"EvolIF benchmark {benchmark.identity}"
    return Card(title, canary, rows, licence or _licence(benchmark), facts, made, columns)


def run_card(run: Run, canary: str, rows: int, columns: tuple[str, ...], licence: str | None, *, witness: bool) -> Card:
    """The card of a run; arguments as for `benchmark_card`."""
    settings = run.settings
    facts = {
        "kind": "run",
        "benchmark": settings.benchmark,
        "profile": settings.profile,
        "models": list(settings.models),
        "judge": settings.judge,
        "patience": settings.patience,
        "max_turns": settings.max_turns,
        "witnesses": witness,
    }
    models = ", ".join(_code(name) for name in settings.models)
    made = (
        f"Transcripts of {models} on the benchmark {_code(settings.benchmark)} (profile {_code(settings.profile)}): "
        f"what was asked, answered and judged, turn by turn, with patience {settings.patience}, at most "
        f"{settings.max_turns} turns and the judge {_code(settings.judge)}. The answers are under the terms of the "
        "models' providers."
    )
    title = f"EvolIF transcripts on {settings.benchmark}"
    return Card(title, canary, rows, licence or "other", facts, made, columns)


def _licence(benchmark: Benchmark) -> str:
    """That of the project's data, where nothing else went in."""
    own = {"topics.jsonl": ("seeds", "topics.jsonl"), "personas.jsonl": ("personas", "personas.jsonl")}
    ours = all((benchmark.path / name).read_bytes() == data_path(*parts).read_bytes() for name, parts in own.items())
    return "cc-by-4.0" if ours and set(benchmark.header.spec.synthesizers) == {"template"} else "other"


def _code(text: str) -> str:
    """Foreign text inside a sentence of Markdown."""
    return f"`{' '.join(text.replace('`', ' ').split())[:200]}`"
