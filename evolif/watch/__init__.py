"""A run seen while it goes on, and ended early where its figures are sure enough."""

from evolif.watch._gates import Gates
from evolif.watch._snapshot import ModelStatus, RunStatus, snapshot
from evolif.watch._stop_rule import BATCH, Rule, StopRule, parse_rule

__all__ = ["BATCH", "Gates", "ModelStatus", "Rule", "RunStatus", "StopRule", "parse_rule", "snapshot"]
