"""Audits of benchmarks: can every turn be satisfied, and does every description and query match its constraints?"""

from evolif.scenarios.instructions.audit.audit import Audit, AuditedTurn, audit
from evolif.scenarios.instructions.audit.satisfiability import Satisfiability, Status, satisfiability, witness_faults
from evolif.scenarios.instructions.audit.sources import ForeignLine, map_constraint

__all__ = [
    "Audit",
    "AuditedTurn",
    "ForeignLine",
    "Satisfiability",
    "Status",
    "audit",
    "map_constraint",
    "satisfiability",
    "witness_faults",
]
