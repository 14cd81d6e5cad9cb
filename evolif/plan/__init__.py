"""A plan: one file that says which models play which scenarios, and what is made of the runs.

`evolif run evolif.yaml` makes what is missing, resumes what is begun, and ends with a board and a gate.
"""

__all__: list[str] = []
