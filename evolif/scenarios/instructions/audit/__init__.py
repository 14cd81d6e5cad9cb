"""Audits of benchmarks: can every turn be satisfied, and does every description and query match its constraints?"""

from evolif.scenarios.instructions.audit.audit import audit

__all__ = ["audit"]
