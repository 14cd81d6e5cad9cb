"""The judge audit: the sample of judged answers that people score, their decisions, and how far the judge agrees.

People work in `evolif.review`. This package reads the run and writes nothing but the sample.
"""

from evolif.judge_audit.agreement import JudgeAuditRow, judge_audit_lines, judge_audit_summary
from evolif.judge_audit.decisions import VOUCHERS, Decision, DecisionKind, load_judge_audit, standing
from evolif.judge_audit.files import json_line, replace_file

__all__ = [
    "VOUCHERS",
    "Decision",
    "DecisionKind",
    "JudgeAuditRow",
    "json_line",
    "judge_audit_lines",
    "judge_audit_summary",
    "load_judge_audit",
    "replace_file",
    "standing",
]
