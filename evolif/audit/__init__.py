"""Audits: can every turn be satisfied, does its description say what is asked, what is the set made of."""

from evolif.audit._audit import Audit, AuditedTurn, audit
from evolif.audit._foreign import ForeignEntry, ForeignLine, map_constraint
from evolif.audit._satisfiable import Satisfiability, Status, satisfiability, witness_faults

__all__ = [
    "Audit",
    "AuditedTurn",
    "ForeignEntry",
    "ForeignLine",
    "Satisfiability",
    "Status",
    "audit",
    "map_constraint",
    "satisfiability",
    "witness_faults",
]
