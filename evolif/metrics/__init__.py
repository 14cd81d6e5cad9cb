"""Process metrics of sessions, with intervals (docs/protocol.md, The figures; paper §3.4 and App. A).

Everything here reads only sessions, plain verdicts and the facts of turns. SciPy and NumPy (the extra `report`) are
imported on use; the eight metrics and their intervals need neither.
"""

from evolif.metrics.agreement import (
    MIN_KAPPA_ITEMS,
    Agreement,
    JudgeSensitivity,
    cohens_kappa,
    judge_agreement,
    judge_sensitivity,
)
from evolif.metrics.breakdown import (
    BREAKDOWNS,
    UNKNOWN,
    MetricFigures,
    Satisfaction,
    Slice,
    breakdown,
    dialogue_keys,
    metrics_by,
    mode_of,
    satisfaction_by_group,
)
from evolif.metrics.compare import Comparison, Difference, compare
from evolif.metrics.process import (
    METRIC_NAMES,
    DialogueFigures,
    DialogueRecord,
    Metrics,
    bootstrap_intervals,
    cut,
    dialogue_figures,
    judged_record,
    patience_left,
    process_metrics,
    walk_patience,
)
from evolif.metrics.ranks import RankAgreement, RankStability, rank_agreement, rank_stability
from evolif.metrics.replay import Ceiling, Miss, SweepPoint, ceiling, patience_sweep
from evolif.metrics.sessions import Bounds, SessionRecords, bounds, records_from_sessions
from evolif.metrics.statistics import Interval, resampled_indices, wilson
from evolif.metrics.survival import (
    Hazard,
    LogRank,
    Survival,
    SurvivalBounds,
    hazard,
    log_rank,
    survival,
    survival_bounds,
)
from evolif.metrics.table import Breakdown, Key, MetricTable
from evolif.metrics.verdict_file import read_verdict_file, read_verdicts

__all__ = [
    "BREAKDOWNS",
    "METRIC_NAMES",
    "MIN_KAPPA_ITEMS",
    "UNKNOWN",
    "Agreement",
    "Bounds",
    "Breakdown",
    "Ceiling",
    "Comparison",
    "DialogueFigures",
    "DialogueRecord",
    "Difference",
    "Hazard",
    "Interval",
    "JudgeSensitivity",
    "Key",
    "LogRank",
    "MetricFigures",
    "MetricTable",
    "Metrics",
    "Miss",
    "RankAgreement",
    "RankStability",
    "Satisfaction",
    "SessionRecords",
    "Slice",
    "Survival",
    "SurvivalBounds",
    "SweepPoint",
    "bootstrap_intervals",
    "bounds",
    "breakdown",
    "ceiling",
    "cohens_kappa",
    "compare",
    "cut",
    "dialogue_figures",
    "dialogue_keys",
    "hazard",
    "judge_agreement",
    "judge_sensitivity",
    "judged_record",
    "log_rank",
    "metrics_by",
    "mode_of",
    "patience_left",
    "patience_sweep",
    "process_metrics",
    "rank_agreement",
    "rank_stability",
    "read_verdict_file",
    "read_verdicts",
    "records_from_sessions",
    "resampled_indices",
    "satisfaction_by_group",
    "survival",
    "survival_bounds",
    "walk_patience",
    "wilson",
]
