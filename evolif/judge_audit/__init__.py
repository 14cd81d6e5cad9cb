"""The judge audit: the sample of judged answers that people score, their decisions, and how far the judge agrees.

People work in `evolif.review`. This package reads the run and writes nothing but the sample.
"""

from evolif.judge_audit.agreement import (
    JudgeAuditRow,
    JudgedPair,
    agreement_rows,
    judge_audit_lines,
    judge_audit_summary,
    mean_verdicts,
)
from evolif.judge_audit.decisions import (
    DECISIONS,
    VOUCHERS,
    Decision,
    DecisionKind,
    ReviewVerdict,
    StoredFinding,
    load_judge_audit,
    parse_decision,
    standing,
)
from evolif.judge_audit.files import json_line, locked, replace_file, unwritable
from evolif.judge_audit.sample import (
    AuditItem,
    JudgedVerdict,
    Sample,
    Stratum,
    VerdictPlace,
    audit_folder,
    deal,
    draw_sample,
    judged_answers,
    load_sample,
    population_of,
    read_items,
)

__all__ = [
    "DECISIONS",
    "VOUCHERS",
    "AuditItem",
    "Decision",
    "DecisionKind",
    "JudgeAuditRow",
    "JudgedPair",
    "JudgedVerdict",
    "ReviewVerdict",
    "Sample",
    "StoredFinding",
    "Stratum",
    "VerdictPlace",
    "agreement_rows",
    "audit_folder",
    "deal",
    "draw_sample",
    "json_line",
    "judge_audit_lines",
    "judge_audit_summary",
    "judged_answers",
    "load_judge_audit",
    "load_sample",
    "locked",
    "mean_verdicts",
    "parse_decision",
    "population_of",
    "read_items",
    "replace_file",
    "standing",
    "unwritable",
]
