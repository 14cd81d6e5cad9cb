"""One schema for multi-turn dialogues, and one aggregation of their scores (UniDial-EvalKit, arXiv 2603.23160).

Reads and writes the folders of that kit, plays them on or off policy, and computes its figures.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evolif.scenarios.recorded.aggregation import aggregate, length_curve, parse_aggregation
from evolif.scenarios.recorded.constraint_checks import Unsupported, instruction_score
from evolif.scenarios.recorded.coverage import bounds, coverage
from evolif.scenarios.recorded.folder import (
    read_dialogs,
    read_records,
    read_summary,
    write_dialogs,
    write_records,
    write_summary,
)
from evolif.scenarios.recorded.judge_reply import NoScore, judge_score
from evolif.scenarios.recorded.labels import clean_labels, flat_labels
from evolif.scenarios.recorded.metrics import (
    exact_match,
    metric_name,
    numeric_match,
    word_f1,
    word_precision,
    word_recall,
)
from evolif.scenarios.recorded.playing import play
from evolif.scenarios.recorded.results import read_results, results_folders
from evolif.scenarios.recorded.retrieval import retrieval_scores, rouge2_recall
from evolif.scenarios.recorded.runs import dialogs_of_run, records_of_run
from evolif.scenarios.recorded.sampling import stratified_sample, stratified_sizes
from evolif.scenarios.recorded.schema import (
    Dialog,
    DialogEvalConfig,
    MetricConfig,
    Turn,
    TurnEvalConfig,
    describe,
    ensure_alternating_roles,
)
from evolif.scenarios.recorded.sessions import sessions_of
from evolif.scenarios.recorded.statistics import (
    bootstrap_interval,
    discriminability,
    paired_difference,
    spearman,
    spearman_matrix,
)
from evolif.scenarios.recorded.units import Unit, units

if TYPE_CHECKING:
    from evolif.scenarios.recorded.comparison import compare_memories
    from evolif.scenarios.recorded.memories import Memory, Snippet

__all__ = [
    "Dialog",
    "DialogEvalConfig",
    "Memory",
    "MetricConfig",
    "NoScore",
    "Snippet",
    "Turn",
    "TurnEvalConfig",
    "Unit",
    "Unsupported",
    "aggregate",
    "bootstrap_interval",
    "bounds",
    "clean_labels",
    "compare_memories",
    "coverage",
    "describe",
    "dialogs_of_run",
    "discriminability",
    "ensure_alternating_roles",
    "exact_match",
    "flat_labels",
    "instruction_score",
    "judge_score",
    "length_curve",
    "metric_name",
    "numeric_match",
    "paired_difference",
    "parse_aggregation",
    "play",
    "read_dialogs",
    "read_records",
    "read_results",
    "read_summary",
    "records_of_run",
    "results_folders",
    "retrieval_scores",
    "rouge2_recall",
    "sessions_of",
    "spearman",
    "spearman_matrix",
    "stratified_sample",
    "stratified_sizes",
    "units",
    "word_f1",
    "word_precision",
    "word_recall",
    "write_dialogs",
    "write_records",
    "write_summary",
]


_LATER = {"Memory": "memories", "Recorded": "scenario", "Snippet": "memories", "compare_memories": "comparison"}
"""What needs models and judges, which most of the package does not, and the module that it is from."""


def __getattr__(name: str) -> Any:
    """Load what needs models and judges on first use (PEP 562)."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
