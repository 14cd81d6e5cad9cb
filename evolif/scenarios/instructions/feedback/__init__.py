"""Reactions: what a person says of an answer before the next request, or instead of it (`evaluate --feedback`)."""

from evolif.scenarios.instructions.feedback.bank import Family, RemarkMode, Tone, family_of
from evolif.scenarios.instructions.feedback.misses import Hearing, Miss, by_rules, listen, rule_verdicts
from evolif.scenarios.instructions.feedback.replay import MODES, Reactions, Step
from evolif.scenarios.instructions.feedback.wording import Remark, Speaker, asked_of

__all__ = [
    "MODES",
    "Family",
    "Hearing",
    "Miss",
    "Reactions",
    "Remark",
    "RemarkMode",
    "Speaker",
    "Step",
    "Tone",
    "asked_of",
    "by_rules",
    "family_of",
    "listen",
    "rule_verdicts",
]
