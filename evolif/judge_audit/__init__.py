"""The judge audit: which judged answers a person is shown, what they decided, and how far the judge agrees.

The person works in `evolif.review`. This package only reads the run; it writes nothing but the sample.
"""

from evolif.judge_audit.agreement import (
    DECISIONS,
    JudgeAuditRow,
    agreement_rows,
    judge_audit_lines,
    judge_audit_summary,
    load_judge_audit,
)
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
    read_items,
)

__all__ = [
    "DECISIONS",
    "AuditItem",
    "JudgeAuditRow",
    "JudgedVerdict",
    "Sample",
    "Stratum",
    "VerdictPlace",
    "agreement_rows",
    "audit_folder",
    "deal",
    "draw_sample",
    "judge_audit_lines",
    "judge_audit_summary",
    "judged_answers",
    "load_judge_audit",
    "load_sample",
    "read_items",
]
