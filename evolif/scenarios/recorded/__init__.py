"""One schema for multi-turn dialogues, and one aggregation of their scores (UniDial-EvalKit, arXiv 2603.23160).

Reads and writes the folders of that kit, plays them on or off policy, and computes its figures.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evolif.scenarios.recorded.aggregation import DEFAULT_AGGREGATION, aggregate, length_curve, parse_aggregation
from evolif.scenarios.recorded.constraint_checks import Unsupported, check_score, constraint_of, instruction_score
from evolif.scenarios.recorded.coverage import bounds, coverage
from evolif.scenarios.recorded.folder import (
    read_dialogs,
    read_meta,
    read_records,
    read_summary,
    write_dialogs,
    write_records,
    write_summary,
)
from evolif.scenarios.recorded.judge_reply import NoScore, judge_score
from evolif.scenarios.recorded.labels import clean_labels, flat_labels
from evolif.scenarios.recorded.metrics import (
    Metric,
    exact_match,
    metric_name,
    metric_of,
    numeric_match,
    word_f1,
    word_precision,
    word_recall,
)
from evolif.scenarios.recorded.playing import Interrupted, Policy, play, require_references
from evolif.scenarios.recorded.results import Results, read_results, results_folders, summarise, write_results
from evolif.scenarios.recorded.retrieval import retrieval_scores, rouge2_recall
from evolif.scenarios.recorded.runs import counted, dialogs_of_run, records_of_run
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
from evolif.scenarios.recorded.sessions import PlayedSession, is_session, sessions_of
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
    "DEFAULT_AGGREGATION",
    "Dialog",
    "DialogEvalConfig",
    "Interrupted",
    "Memory",
    "Metric",
    "MetricConfig",
    "NoScore",
    "PlayedSession",
    "Policy",
    "Results",
    "Snippet",
    "Turn",
    "TurnEvalConfig",
    "Unit",
    "Unsupported",
    "aggregate",
    "bootstrap_interval",
    "bounds",
    "check_score",
    "clean_labels",
    "compare_memories",
    "constraint_of",
    "counted",
    "coverage",
    "describe",
    "dialogs_of_run",
    "discriminability",
    "ensure_alternating_roles",
    "exact_match",
    "flat_labels",
    "instruction_score",
    "is_session",
    "judge_score",
    "length_curve",
    "metric_name",
    "metric_of",
    "numeric_match",
    "paired_difference",
    "parse_aggregation",
    "play",
    "read_dialogs",
    "read_meta",
    "read_records",
    "read_results",
    "read_summary",
    "records_of_run",
    "require_references",
    "results_folders",
    "retrieval_scores",
    "rouge2_recall",
    "sessions_of",
    "spearman",
    "spearman_matrix",
    "stratified_sample",
    "stratified_sizes",
    "summarise",
    "units",
    "word_f1",
    "word_precision",
    "word_recall",
    "write_dialogs",
    "write_records",
    "write_results",
    "write_summary",
]


_LATER = {"Memory": "memories", "Recorded": "scenario", "Snippet": "memories", "compare_memories": "comparison"}
"""What needs models and judges, which most of the package does not, and the module that it is from."""


def __getattr__(name: str) -> Any:
    """Load what needs models and judges on first use (PEP 562)."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
