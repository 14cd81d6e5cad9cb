"""Process metrics of sessions, with intervals (protocol page, Metrics; paper section 3.4 and App. A).

Reads sessions, plain verdicts and the facts of turns, nothing else. Importing it is light: what needs SciPy or NumPy
(extra `report`) says so in its docstring and imports them when called; the eight metrics and their intervals need none.
"""

from evolif.metrics._agreement import Agreement, judge_agreement
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval, bootstrap_intervals, resampled_indices
from evolif.metrics._breakdown import Slice, breakdown
from evolif.metrics._ceiling import Ceiling, Miss, ceiling
from evolif.metrics._compare import DEFAULT_PERMUTATIONS, Comparison, Difference, compare
from evolif.metrics._dialogue import (
    DialogueFigures,
    DialogueRecord,
    PatienceWalk,
    cut,
    dialogue_figures,
    judged_record,
    patience_left,
    walk_patience,
)
from evolif.metrics._groups import Satisfaction, not_judged_by_group, satisfaction_by_depth, satisfaction_by_group
from evolif.metrics._hazard import Hazard, hazard
from evolif.metrics._keys import BREAKDOWNS, UNKNOWN, Key, TurnKey, mode_of
from evolif.metrics._log_rank import LogRank, log_rank
from evolif.metrics._metrics_by import Figures, dialogue_keys, metrics_by
from evolif.metrics._process import METRIC_NAMES, Metrics, process_metrics
from evolif.metrics._ranks import DEFAULT_DRAWS, RankAgreement, RankStability, rank_agreement, rank_stability
from evolif.metrics._sensitivity import JudgeSensitivity, judge_sensitivity
from evolif.metrics._sessions import Bounds, SessionRecords, bounds, counted_sessions, records_from_sessions
from evolif.metrics._survival import Survival, SurvivalBounds, SurvivalPoint, survival, survival_bounds
from evolif.metrics._sweep import SweepPoint, patience_sweep
from evolif.metrics._verdict_file import DEFAULT_PATIENCE, read_verdict_file, read_verdicts

__all__ = [
    "BREAKDOWNS",
    "DEFAULT_DRAWS",
    "DEFAULT_PATIENCE",
    "DEFAULT_PERMUTATIONS",
    "DEFAULT_RESAMPLES",
    "METRIC_NAMES",
    "UNKNOWN",
    "Agreement",
    "Bounds",
    "Ceiling",
    "Comparison",
    "DialogueFigures",
    "DialogueRecord",
    "Difference",
    "Figures",
    "Hazard",
    "Interval",
    "JudgeSensitivity",
    "Key",
    "LogRank",
    "Metrics",
    "Miss",
    "PatienceWalk",
    "RankAgreement",
    "RankStability",
    "Satisfaction",
    "SessionRecords",
    "Slice",
    "Survival",
    "SurvivalBounds",
    "SurvivalPoint",
    "SweepPoint",
    "TurnKey",
    "bootstrap_intervals",
    "bounds",
    "breakdown",
    "ceiling",
    "compare",
    "counted_sessions",
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
    "not_judged_by_group",
    "patience_left",
    "patience_sweep",
    "process_metrics",
    "rank_agreement",
    "rank_stability",
    "read_verdict_file",
    "read_verdicts",
    "records_from_sessions",
    "resampled_indices",
    "satisfaction_by_depth",
    "satisfaction_by_group",
    "survival",
    "survival_bounds",
    "walk_patience",
]
