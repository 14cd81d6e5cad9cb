"""The judge audit: which judged answers a person is shown, what they said, and how far the judge agrees with them.

The person works in `evolif.review`; everything here only reads the run, and writes nothing of it but the sample.
"""

from evolif.judge_audit._agreement import JudgeAuditRow, Share, agreement_rows
from evolif.judge_audit._files import DEFAULT_SAMPLE, audit_folder, draw_sample, load_sample
from evolif.judge_audit._items import AuditItem, read_items
from evolif.judge_audit._kappa import ENOUGH, kappa_of
from evolif.judge_audit._lines import judge_audit_lines
from evolif.judge_audit._log import AuditDecision, last_scores, load_judge_audit
from evolif.judge_audit._population import Judged, Place, judged_answers
from evolif.judge_audit._sample import Cell, Sample, deal
from evolif.judge_audit._summary import judge_audit_summary

__all__ = [
    "DEFAULT_SAMPLE",
    "ENOUGH",
    "AuditDecision",
    "AuditItem",
    "Cell",
    "JudgeAuditRow",
    "Judged",
    "Place",
    "Sample",
    "Share",
    "agreement_rows",
    "audit_folder",
    "deal",
    "draw_sample",
    "judge_audit_lines",
    "judge_audit_summary",
    "judged_answers",
    "kappa_of",
    "last_scores",
    "load_judge_audit",
    "load_sample",
    "read_items",
]
