"""Reading a query: does what the simulated user says state exactly the change of the turn (paper §3.2.2)?"""

from evolif.queries.check import check_query

__all__ = ["check_query"]
