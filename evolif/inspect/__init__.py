"""Inspect: runs as its logs, and every scenario as a task that it can evaluate (extra `inspect`).

`evolif export RUN OUT --format inspect` writes logs; `inspect eval evolif/SCENARIO` finds the tasks by the entry point
group `inspect_ai`. Nothing here is imported before one of them is asked for.
"""

__all__: list[str] = []
