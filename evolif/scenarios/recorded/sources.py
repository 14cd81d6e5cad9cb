"""Where the dialogues of a benchmark come from: a folder of dialogues, a model's results, or a file of one's own data.

What a benchmark makes of them, too: the metrics that a known benchmark brings, those that the user adds, and a sample.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evolif.benchmark import read_header_json
from evolif.errors import InputError, UsageError
from evolif.scenarios.recorded.benchmarks import benchmark_called, known_benchmark, with_metrics
from evolif.scenarios.recorded.conversations import read_own
from evolif.scenarios.recorded.folder import GENERATED, read_dialogs, read_meta
from evolif.scenarios.recorded.instruction_arguments import Unsupported
from evolif.scenarios.recorded.labels import label_values
from evolif.scenarios.recorded.metrics import metric_of
from evolif.scenarios.recorded.sampling import stratified_sample
from evolif.scenarios.recorded.schema import Dialog, MetricConfig
from evolif.text import plural
from evolif.util.suggestions import did_you_mean

TEMPLATES: Final = "_prompt_templates.json"


@dataclass(frozen=True)
class Source:
    """Dialogues, as a benchmark is made of them.

    Attributes:
        path: The folder or file.
        dialogs: In the order of their ids.
        benchmark_id: What they say they are of; empty if they do not.
        templates: Of the judge, by name.
        notices: What was left out, a sentence each.
        is_own: Whether it is a file of one's own, of no known benchmark.
    """

    path: Path
    dialogs: Sequence[Dialog]
    benchmark_id: str = ""
    templates: Mapping[str, str] = field(default_factory=dict)
    notices: Sequence[str] = ()
    is_own: bool = False


def read_source(path: Path, *, recursive: bool = False) -> Source:
    """Read a folder of dialogues or of a model's results, or a file of one's own data.

    Raises:
        InputError: A file is broken; names it and what to do.
    """
    if path.is_file():
        own = read_own(path)
        name = "multi_if" if own.shape == "multi_if" else path.stem[:100]
        return Source(path, own.dialogs, name, {}, own.notices, is_own=own.shape != "multi_if")
    root = path / GENERATED if (path / GENERATED).is_dir() else path
    dialogs = sorted(read_dialogs(root, recursive=recursive), key=lambda dialog: dialog.dialog_id)
    said = read_meta(root).get("benchmark_id")
    return Source(root, dialogs, said[:100] if isinstance(said, str) else "", _templates(root))


def scored_as(source: Source, name: str) -> Source:
    """The source with the metrics of a known benchmark.

    Raises:
        UsageError: There is no such benchmark, or the dialogues say that they are of another.
        InputError: A turn is not of it.
    """
    benchmark = known_benchmark(name)
    if source.is_own:
        raise UsageError(
            f"{source.path} holds conversations of your own, not {benchmark.title} in the unified schema; leave "
            "--benchmark out, or give the folder that UniDial-EvalKit's loader made"
        )
    said = benchmark_called(source.benchmark_id)
    if said is not None and said is not benchmark:
        raise UsageError(
            f"{source.path} says that it is of {said.title} (benchmark_id {source.benchmark_id}), not of "
            f"{benchmark.title}; use --benchmark {said.name}"
        )
    dialogs = with_metrics(source.dialogs, benchmark, source=str(source.path))
    return Source(source.path, dialogs, benchmark.name, source.templates, source.notices)


def with_entries(source: Source, metrics: Sequence[str]) -> Source:
    """The source with metric entries for the evaluated turns that have none.

    Args:
        source: As read.
        metrics: `CLASS`, or `CLASS={"argument": value}`.

    Raises:
        UsageError: There is no such metric, or the arguments do not fit.
    """
    if not metrics:
        return source
    entries = [_entry(one) for one in metrics]
    twice = next((one for place, one in enumerate(entries) if one in entries[:place]), None)
    if twice is not None:
        raise UsageError(f"--metric {twice.class_name} is given twice; give each metric once")
    dialogs = [_given(dialog, entries) for dialog in source.dialogs]
    turns = [turn for dialog in source.dialogs for turn in dialog.dialog_turns if turn.evaluated]
    scored = sum(bool(turn.eval_config.metrics) for turn in turns)
    kept = "keeps its own metrics" if scored == 1 else "keep their own metrics"
    notices = [f"{plural(scored, 'evaluated turn')} {kept}; --metric adds none there."] if scored else []
    return Source(source.path, dialogs, source.benchmark_id, source.templates, [*source.notices, *notices])


def _entry(text: str) -> MetricConfig:
    class_name, equals, args = text.partition("=")
    try:
        given = json.loads(args) if equals else {}
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise UsageError(f'--metric {text}: the arguments are not a JSON object; write {class_name}={{"name": value}}')
    try:
        metric_of(class_name.strip()).check(given)
    except Unsupported as fault:
        raise UsageError(f"--metric {text}: {fault}") from None
    return MetricConfig(class_name=class_name.strip(), args=given)


def _given(dialog: Dialog, entries: Sequence[MetricConfig]) -> Dialog:
    turns = []
    for turn in dialog.dialog_turns:
        if turn.evaluated and not turn.eval_config.metrics:
            config = turn.eval_config.model_copy(update={"metrics": [one.model_copy(deep=True) for one in entries]})
            turn = turn.model_copy(update={"eval_config": config})
        turns.append(turn)
    return dialog.with_turns(turns)


def sampled(source: Source, size: int, label: str, seed: int) -> Source:
    """Some of the dialogues, with each value of a label as frequent as in all of them (`stratified_sample`).

    Raises:
        UsageError: No dialogue has such a label.
    """
    if label and not any(label in label_values(dialog.dialog_labels) for dialog in source.dialogs):
        known = sorted({name for dialog in source.dialogs for name in label_values(dialog.dialog_labels)})
        listed = f"labels are {', '.join(known[:12])}" if known else "the dialogues have no labels"
        raise UsageError(f"--by {label}: no dialogue has that label{did_you_mean(label, known)}; {listed}")
    dialogs = stratified_sample(source.dialogs, size, label=label, seed=seed)
    more = f"The sample has {len(dialogs)} dialogues instead of {size}: at least one for each value of {label}."
    notices = [*source.notices, more] if len(dialogs) > size else source.notices
    return Source(source.path, dialogs, source.benchmark_id, source.templates, notices)


def _templates(root: Path) -> dict[str, str]:
    """The judge's templates that a folder brings, by name; none without the file.

    Raises:
        InputError: the file is broken.
    """
    path = root / TEMPLATES
    if not path.is_file():
        return {}
    found = read_header_json(path).get("templates")
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise InputError("no object “templates” of names and texts; mend or delete the file", path=path)
    return found


def refuse_unscored(source: Source) -> None:
    """Check that every evaluated turn has a metric.

    Raises:
        UsageError: One has none; says how many, and what to do.
    """
    turns, _ = unscored(source.dialogs)
    if turns:
        bare = plural(turns, "evaluated turn has", "evaluated turns have")
        raise UsageError(
            f"{source.path}: {bare} no metric, so nothing scores their answers; name the benchmark "
            "with --benchmark NAME, or ask them all the same with --unscored"
        )


def unscored(dialogs: Iterable[Dialog]) -> tuple[int, int]:
    """How many evaluated turns have no metric, and in how many dialogues all are such."""
    turns = dialogues = 0
    for dialog in dialogs:
        evaluated: list[Any] = [turn for turn in dialog.dialog_turns if turn.evaluated]
        bare = sum(not turn.eval_config.metrics for turn in evaluated)
        turns += bare
        dialogues += bool(evaluated) and bare == len(evaluated)
    return turns, dialogues
