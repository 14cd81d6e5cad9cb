"""A process that makes benchmarks for a `Stream`: requests and replies are lines of JSON.

A process of its own, started as a module: making dialogues holds the interpreter's lock, forking is unsafe beside a
trainer's threads, and `multiprocessing` would run the trainer's main script again.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from typing import Any

from evolif.errors import EvolifError
from evolif.scenarios.generating import generate


def made(request: dict[str, Any]) -> dict[str, str]:
    """Make one benchmark; what is wrong is a sentence.

    Args:
        request: Keywords of `evolif.generate`, as `Stream` writes them.
    """
    try:
        return {"path": str(generate(**request).path)}
    except EvolifError as fault:
        return {"fault": str(fault)}
    except Exception as fault:  # a bug, or a machine without room: the trainer gets it as a sentence
        return {"fault": f"making a benchmark failed unexpectedly ({type(fault).__name__}: {fault})"}


def main() -> None:
    """Serve until standard input ends, which it does when the trainer does."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints while a benchmark is made must not end up among the replies
    for number, line in enumerate(sys.stdin):
        replies.write(json.dumps(made(json.loads(line))) + "\n")
        replies.flush()
        if number == 0:
            gc.freeze()  # topics, personas and patterns stay: the collector need not go through them again and again


if __name__ == "__main__":
    main()
