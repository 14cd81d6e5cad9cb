"""One schema for multi-turn dialogues, and one aggregation of their scores (UniDial-EvalKit, arXiv 2603.23160).

Reads and writes the folders of that kit, plays them on or off policy, and computes its figures.
"""

from evolif.unidial.folder import (
    read_dialogs,
    read_meta,
    read_records,
    read_summary,
    write_dialogs,
    write_records,
    write_summary,
)
from evolif.unidial.instructions import Unsupported, check_score, constraint_of, instruction_score
from evolif.unidial.judge_reply import NoScore, judge_score
from evolif.unidial.metrics import (
    Metric,
    exact_match,
    metric_name,
    metric_of,
    numeric_match,
    word_f1,
    word_precision,
    word_recall,
)
from evolif.unidial.playing import Interrupted, Policy, continued_with, is_off_policy, play, require_references
from evolif.unidial.schema import (
    Dialog,
    DialogEvalConfig,
    MetricConfig,
    Turn,
    TurnEvalConfig,
    describe,
    ensure_alternating_roles,
)

__all__ = [
    "Dialog",
    "DialogEvalConfig",
    "Interrupted",
    "Metric",
    "MetricConfig",
    "NoScore",
    "Policy",
    "Turn",
    "TurnEvalConfig",
    "Unsupported",
    "check_score",
    "constraint_of",
    "continued_with",
    "describe",
    "ensure_alternating_roles",
    "exact_match",
    "instruction_score",
    "is_off_policy",
    "judge_score",
    "metric_name",
    "metric_of",
    "numeric_match",
    "play",
    "read_dialogs",
    "read_meta",
    "read_records",
    "read_summary",
    "require_references",
    "word_f1",
    "word_precision",
    "word_recall",
    "write_dialogs",
    "write_records",
    "write_summary",
]
