"""Process metrics of sessions, with intervals (protocol page, Metrics; paper section 3.4 and App. A).

Reads sessions and plain verdicts, nothing else. Importing it is light: the standard library does the statistics.
"""

from evolif.metrics._bootstrap import DEFAULT_RESAMPLES, Interval, bootstrap_intervals, resampled_indices
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
from evolif.metrics._process import METRIC_NAMES, Metrics, process_metrics
from evolif.metrics._sessions import Bounds, SessionRecords, bounds, counted_sessions, records_from_sessions
from evolif.metrics._verdict_file import DEFAULT_PATIENCE, read_verdict_file, read_verdicts

__all__ = [
    "DEFAULT_PATIENCE",
    "DEFAULT_RESAMPLES",
    "METRIC_NAMES",
    "Bounds",
    "DialogueFigures",
    "DialogueRecord",
    "Interval",
    "Metrics",
    "PatienceWalk",
    "Satisfaction",
    "SessionRecords",
    "bootstrap_intervals",
    "bounds",
    "counted_sessions",
    "cut",
    "dialogue_figures",
    "judged_record",
    "not_judged_by_group",
    "patience_left",
    "process_metrics",
    "read_verdict_file",
    "read_verdicts",
    "records_from_sessions",
    "resampled_indices",
    "satisfaction_by_depth",
    "satisfaction_by_group",
    "walk_patience",
]
