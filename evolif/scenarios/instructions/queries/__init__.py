"""Reading a query: does what the simulated user says state exactly the change of the turn (paper §3.2.2)?"""

from evolif.scenarios.instructions.queries.check import check_query, read_claims

__all__ = ["check_query", "read_claims"]
