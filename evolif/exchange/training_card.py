"""The card of a folder of training data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evolif._version import __version__
from evolif.exchange.export_source import SIZES, ExportSource
from evolif.exchange.shards import Shards, front_matter
from evolif.exchange.training import TrainingSource
from evolif.runner import Run
from evolif.text import plural


def training_card(
    source: ExportSource, opened: TrainingSource, shards: Shards, rows_are: str, told: Iterable[str]
) -> str:
    """The card: `README.md` with YAML front matter, from which `datasets.load_dataset` knows the files.

    Args:
        source: What was exported.
        opened: Its runs.
        shards: What was written.
        rows_are: What a row is, as a sentence or two.
        told: What else a reader has to know, a paragraph each.
    """
    import yaml

    about = source.describe()
    head: dict[str, Any] = {
        "license": about.licence,
        "pretty_name": f"{about.title}, for training",
        "size_categories": [next((name for most, name in SIZES if shards.rows < most), "n>1M")],
        "task_categories": ["text-generation"],
        "tags": ["evolif", "multi-turn", *about.tags],
        **front_matter(shards),
    }
    models = list(dict.fromkeys(model for one in opened.runs for model in one.run.models))
    facts = {**about.facts, "models": models, "system_texts": systems_of(opened), "split": split_of(source) or None}
    head["evolif"] = {**facts, "rows": shards.rows, "canary": source.canary}
    matter = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=1000)
    columns = "\n".join(f"- `{name}`" for name in shards.schema.names)
    more = len(opened.runs) - 1
    also = [f"{plural(more, 'more run')} on the same benchmark {'is' if more == 1 else 'are'} in it."] * bool(more)
    paragraphs = "\n\n".join([*also, *split_notes(source), _SYSTEMS[systems_of(opened)], *told])
    return f"""---
{matter}---

# {about.title}, for training

{about.origin}

{rows_are}

{paragraphs}

**A model that was trained on this has seen the benchmark.** Measure it on another one: with another seed, or with kinds
that were held out. Every row carries the string below, by which the data can be found in a corpus.

    {source.canary}

Columns:

{columns}

Written by evolif {__version__}.
"""


def systems_of(opened: TrainingSource) -> str:
    """Whether the messages begin with system texts: `included`, `missing`, or `none` if models were shown none."""
    if not any(one.run.settings.system_prompt for one in opened.runs):
        return "none"
    return "missing" if opened.benchmark is None else "included"


_SYSTEMS = {
    "included": "Where models were told something before the conversation, it is the first message, with the role "
    "`system`.",
    "missing": "**System texts are missing**: a run does not store them, so what models were told before the "
    "conversation is not here. Export the run again with `--bench BENCH` to have them.",
    "none": "The models were shown no system texts.",
}


def split_of(source: ExportSource) -> str:
    """The side of the benchmark, `train` or `test`; empty if it is of both, or if the run is of an earlier version."""
    origin = source.content.origin() if isinstance(source.content, Run) else None
    split = None if origin is None else origin.spec.get("split")
    side = split.get("side") if isinstance(split, Mapping) else None
    return str(side) if side in ("train", "test") else ""


def split_notes(source: ExportSource) -> list[str]:
    """What to tell where the benchmark is kept for measuring."""
    if split_of(source) != "test":
        return []
    return [
        "The benchmark is of the side test, whose kinds are held out for measuring; train on runs of the side train."
    ]


def context_lines(opened: TrainingSource) -> list[str]:
    """Says which runs showed less than the whole conversation."""
    shortened = {one.run.settings.context for one in opened.runs} - {"full"}
    if not shortened:
        return []
    names = " and ".join(f"`{name.replace('`', ' ')}`" for name in sorted(shortened))
    return [
        f"The models were shown less than the whole conversation (context strategy {names}); a row has the whole of it."
    ]
