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
    "MetricConfig",
    "Policy",
    "Turn",
    "TurnEvalConfig",
    "continued_with",
    "describe",
    "ensure_alternating_roles",
    "is_off_policy",
    "play",
    "read_dialogs",
    "read_meta",
    "read_records",
    "read_summary",
    "require_references",
    "write_dialogs",
    "write_records",
    "write_summary",
]
