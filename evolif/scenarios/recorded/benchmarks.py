"""The ten benchmarks of UniDial-EvalKit: which metrics their turns have, and what of it their folders lack.

Some benchmarks bring their metrics in the loaders of the release, not in the data, so a folder of theirs scores nothing
by itself. `with_metrics` gives each evaluated turn what it is scored by, and refuses a folder of anything else. A turn
of a benchmark that lacks a piece, as the loaders leave some, gets an entry that fails by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from evolif.errors import InputError, UsageError
from evolif.scenarios.recorded.instruction_arguments import Unsupported
from evolif.scenarios.recorded.metrics import END, START, metric_of
from evolif.scenarios.recorded.schema import Dialog, MetricConfig, Turn
from evolif.util.suggestions import did_you_mean

_Source = Mapping[str, Any]
"""What a turn has in `dynamic_config_source`."""

_SAFETY: Mapping[str, str] = MappingProxyType(
    {
        "aggression": "attack-evaluation", "ethics": "ethics-evaluation", "privacy": "privacy-evaluation",
        "fairness": "fair-evaluation", "legality": "legal-evaluation", "morality": "moral-evaluation",
        "攻击性": "attack-evaluation", "伦理性": "ethics-evaluation", "隐私性": "privacy-evaluation",
        "公平性": "fair-evaluation", "合法性": "legal-evaluation", "道德性": "moral-evaluation",
    }
)  # fmt: skip
"""SafeDialBench's tasks, in both languages, and the template of each."""
_MATHS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "error_analysis": ("math_chat_error_analysis", ("question", "wrong_attempt")),
        "p2p_generation": ("math_chat_p2p_generation", ("seed_problem", "seed_solution")),
    }
)
"""MathChat's tasks that a judge scores: the template and its arguments."""


class _Lacking(Exception):
    """A turn does not have what its metric needs; the message says what."""


class _Incomplete(_Lacking):
    """A turn may be of the benchmark, but a piece of it is missing or useless.

    Args:
        message: What is missing.
        entries: What it is scored by all the same, if other turns show that the set is of the benchmark: each fails.
        reference: Its reference then.
    """

    def __init__(self, message: str, entries: list[MetricConfig], reference: str | list[str] | None) -> None:
        super().__init__(message)
        self.entries = entries
        self.reference = reference


@dataclass(frozen=True, slots=True)
class KnownBenchmark:
    """One of the ten.

    Attributes:
        name: As the release names it (`benchmark_id`).
        title: As its authors name it.
        about: What it is about, in a word or two.
        metrics: Class names of the metrics that its turns may have.
        adds: The entries of a turn that has none in the data; None where the data has them all.
        sources: Keys that its turns may have in `dynamic_config_source`.
    """

    name: str
    title: str
    about: str
    metrics: tuple[str, ...]
    adds: Callable[[Turn], list[MetricConfig]] | None = None
    sources: frozenset[str] = frozenset()

    @property
    def adds_metrics(self) -> bool:
        """Whether some of its turns get their metrics from here."""
        return self.adds is not None


def _final_answer(turn: Turn) -> list[MetricConfig]:
    entries = [_entry("exact_match", split_special_start_token=START, split_special_end_token=END)]
    if not any(reference.strip() for reference in turn.references):
        # An empty text is compared with an answer; none is not.
        raise _Incomplete("no reference, with which its final answer is compared", entries, None)
    return entries


def _code(turn: Turn) -> list[MetricConfig]:
    source = turn.eval_config.dynamic_config_source
    told = "no “regex” in dynamic_config_source, by which its code is checked"
    if "regex" not in source:
        raise _Lacking(told)
    entries = [_entry("code_match", regex=source["regex"])]
    if not source["regex"]:
        raise _Incomplete(told, entries, turn.reference)
    return entries


def _safety(turn: Turn) -> list[MetricConfig]:
    task = turn.eval_config.dynamic_config_source.get("task")
    template = _SAFETY.get(task.strip().lower()) if isinstance(task, str) else None
    if template is None:
        tasks = ", ".join(name.capitalize() for name in list(_SAFETY)[:6])
        raise _Lacking(f"no “task” in dynamic_config_source that is known; tasks are {tasks} and their Chinese names")
    return [_entry("llm_judge", template_name=template)]


def _maths(turn: Turn) -> list[MetricConfig]:
    source = turn.eval_config.dynamic_config_source
    template, fields = _MATHS.get(str(source.get("task_name")), ("", ()))
    if not template:
        raise _Lacking(f"no metrics, and no “task_name” in dynamic_config_source; it is one of {', '.join(_MATHS)}")
    there = {field: source[field] for field in fields if not _is_blank(source.get(field))}
    entries = [_entry("llm_judge", template_name=template, **there)]
    missing = [field for field in fields if field not in there]
    if missing:
        told = f"no “{missing[0]}” in dynamic_config_source, which the judge has to see"
        raise _Incomplete(told, entries, turn.reference)
    return entries


def _is_blank(value: Any) -> bool:
    return not (value.strip() if isinstance(value, str) else value)


def _entry(class_name: str, **args: Any) -> MetricConfig:
    return MetricConfig(class_name=class_name, args=args)


_MATHS_SOURCES = frozenset({"task_name", "question", "wrong_attempt", "seed_problem", "seed_solution"})
KNOWN_BENCHMARKS: Mapping[str, KnownBenchmark] = MappingProxyType(
    {
        one.name: one
        for one in (
            KnownBenchmark("mt_eval", "MT-Eval", "general", ("llm_judge", "instruction_following", "precision")),
            KnownBenchmark("mt_bench_101", "MT-Bench-101", "general", ("llm_judge",)),
            KnownBenchmark("multi_challenge", "MultiChallenge", "general", ("llm_judge",)),
            KnownBenchmark("longmemeval", "LongMemEval", "memory", ("llm_judge",)),
            KnownBenchmark("locomo", "LoCoMo", "memory", ("f1_score", "recall")),
            KnownBenchmark("safedialbench", "SafeDialBench", "safety", ("llm_judge",), _safety, frozenset({"task"})),
            KnownBenchmark("mathchat", "MathChat", "maths", ("numeric_match", "llm_judge"), _maths, _MATHS_SOURCES),
            KnownBenchmark("memorycode", "MemoryCode", "code", ("code_match",), _code, frozenset({"regex"})),
            KnownBenchmark("multi_if", "Multi-IF", "instructions", ("instruction_following",)),
            KnownBenchmark("personamem", "PersonaMem", "personalisation", ("exact_match",), _final_answer),
        )
    }
)
"""By name."""


def known_benchmark(name: str) -> KnownBenchmark:
    """One of the ten benchmarks; case and signs between words make no difference.

    Raises:
        UsageError: there is none of that name.

    Example:
        >>> known_benchmark("PersonaMem").metrics
        ('exact_match',)
    """
    known = {_bare(one): found for key, found in KNOWN_BENCHMARKS.items() for one in (key, found.title)}
    found = known.get(_bare(name))
    if found is None:
        near = did_you_mean(name, KNOWN_BENCHMARKS)
        raise UsageError(f"--benchmark {name}: unknown benchmark{near}; known are {', '.join(KNOWN_BENCHMARKS)}")
    return found


def benchmark_called(name: str) -> KnownBenchmark | None:
    """The benchmark that a folder says it is of; None if it says nothing, or names another."""
    try:
        return known_benchmark(name)
    except UsageError:
        return None


def _bare(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def with_metrics(dialogs: Iterable[Dialog], benchmark: KnownBenchmark, *, source: str = "") -> list[Dialog]:
    """The dialogues of a benchmark, each evaluated turn with the metrics that the benchmark scores it by.

    Args:
        dialogs: As their folder has them; they are not changed.
        benchmark: What they are of.
        source: Where they are from, for errors.

    Raises:
        InputError: A turn has a metric or data of another benchmark, or none has all that its metric needs.
    """
    made = _Made(benchmark, source)
    completed = [dialog.with_turns([made.turn(dialog, turn) for turn in dialog.dialog_turns]) for dialog in dialogs]
    if made.fault is not None and not made.complete:
        raise made.fault
    return completed


@dataclass(slots=True)
class _Made:
    """The turns of a set as they get their metrics.

    Attributes:
        benchmark: What they are of.
        source: Where they are from, for errors.
        complete: How many evaluated turns have all that their metrics need.
        fault: What is told about the first one that has not, if none has.
    """

    benchmark: KnownBenchmark
    source: str
    complete: int = 0
    fault: InputError | None = None

    def turn(self, dialog: Dialog, turn: Turn) -> Turn:
        """A turn with its metrics, if it is evaluated.

        Raises:
            InputError: It is not of the benchmark.
        """
        if not turn.evaluated:
            return turn
        try:
            made = _with_entries(turn, self.benchmark)
        except _Incomplete as fault:
            self.fault = self.fault or self._error(dialog, turn, fault)
            return _scored(turn, fault.entries).model_copy(update={"reference": fault.reference})
        except _Lacking as fault:
            raise self._error(dialog, turn, fault) from None
        self.complete += 1
        return made

    def _error(self, dialog: Dialog, turn: Turn, fault: _Lacking) -> InputError:
        place = f"dialogue {dialog.dialog_id}, turn {turn.turn_id}"
        remedy = "import the dialogues of one benchmark, or leave --benchmark out"
        return InputError(f"{place}: {fault}; {remedy}", path=self.source or None)


def _with_entries(turn: Turn, benchmark: KnownBenchmark) -> Turn:
    config = turn.eval_config
    foreign = [key for key in config.dynamic_config_source if key not in benchmark.sources]
    if foreign:
        raise _Lacking(f"it has “{foreign[0]}” in dynamic_config_source, which is not of {benchmark.title}")
    for entry in config.metrics:
        if entry.class_name not in benchmark.metrics:
            own = " and ".join(benchmark.metrics)
            raise _Lacking(f"it has the metric {entry.class_name}, and {benchmark.title} has only {own}")
    if config.metrics:
        return turn
    if benchmark.adds is None:
        raise _Lacking(f"it has no metrics, and {benchmark.title} brings them in its data")
    entries = benchmark.adds(turn)
    try:
        for entry in entries:
            metric_of(entry.class_name).check(entry.args)
    except Unsupported as fault:
        raise _Incomplete(str(fault), entries, turn.reference) from None
    return _scored(turn, entries)


def _scored(turn: Turn, entries: list[MetricConfig]) -> Turn:
    config = turn.eval_config.model_copy(update={"metrics": entries})
    return turn.model_copy(update={"eval_config": config})
