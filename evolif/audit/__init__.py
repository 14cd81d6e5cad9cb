"""Audits: can every turn be satisfied, does its description say what is asked, what is the set made of."""

from evolif.audit._audit import Audit, AuditedTurn, audit

__all__ = ["Audit", "AuditedTurn", "audit"]
