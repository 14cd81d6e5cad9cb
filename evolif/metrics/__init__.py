"""Process metrics of sessions, with intervals (docs/protocol.md, The figures; paper §3.4 and App. A).

Everything here reads only sessions, plain verdicts and the facts of turns. SciPy and NumPy (the extra `report`) are
imported on use; the eight metrics and their intervals need neither.
"""

from evolif.metrics.agreement import cohens_kappa, judge_agreement
from evolif.metrics.breakdown import LOAD, TURN, Satisfaction, Slice, breakdown, satisfaction_by_group
from evolif.metrics.cells import Key
from evolif.metrics.compare import Comparison, Difference, compare
from evolif.metrics.floor import CorrectedCsr, Floor, corrected_csr, floor
from evolif.metrics.intervals import FEWEST, TOO_FEW
from evolif.metrics.pairs import pair_test
from evolif.metrics.patience import expected_length, is_saturated, sessions_at_cap
from evolif.metrics.process import (
    AT_N,
    METRIC_NAMES,
    PROCESS,
    DialogueRecord,
    Metrics,
    patience_left,
    process_intervals,
    process_metrics,
)
from evolif.metrics.ranking import Ranking
from evolif.metrics.ranks import RankAgreement, RankStability
from evolif.metrics.replay import Ceiling, SweepPoint, patience_sweep
from evolif.metrics.sessions import counted_sessions, records_from_sessions, tables_of
from evolif.metrics.statistics import Interval
from evolif.metrics.survival import LogRank, Survival, survival
from evolif.metrics.table import (
    UNKNOWN,
    Breakdown,
    Cluster,
    Figures,
    Metric,
    MetricFigures,
    MetricTable,
    PlainName,
    Row,
    cluster_rows,
    clusters_of,
    described,
    intervals,
)
from evolif.metrics.verdict_file import read_verdict_file

__all__ = [
    "AT_N",
    "FEWEST",
    "LOAD",
    "METRIC_NAMES",
    "PROCESS",
    "TOO_FEW",
    "TURN",
    "UNKNOWN",
    "Breakdown",
    "Ceiling",
    "Cluster",
    "Comparison",
    "CorrectedCsr",
    "DialogueRecord",
    "Difference",
    "Figures",
    "Floor",
    "Interval",
    "Key",
    "LogRank",
    "Metric",
    "MetricFigures",
    "MetricTable",
    "Metrics",
    "PlainName",
    "RankAgreement",
    "RankStability",
    "Ranking",
    "Row",
    "Satisfaction",
    "Slice",
    "Survival",
    "SweepPoint",
    "breakdown",
    "cluster_rows",
    "clusters_of",
    "cohens_kappa",
    "compare",
    "corrected_csr",
    "counted_sessions",
    "described",
    "expected_length",
    "floor",
    "intervals",
    "is_saturated",
    "judge_agreement",
    "pair_test",
    "patience_left",
    "patience_sweep",
    "process_intervals",
    "process_metrics",
    "read_verdict_file",
    "records_from_sessions",
    "satisfaction_by_group",
    "sessions_at_cap",
    "survival",
    "tables_of",
]
