"""`evolif` and `python -m evolif`."""

from __future__ import annotations

import gc
from io import TextIOWrapper

_CALM = (20_000, 20, 20)
"""As often as a run has it. What a command loads and reads stays to its end, and by default the collector of cycles
traverses it again and again: a tenth of the processor time of a report."""


def main() -> None:
    """Run the command line."""
    import sys

    if gc.get_threshold()[0] < _CALM[0]:
        gc.set_threshold(*_CALM)
    from evolif.cli import app

    for stream in (sys.stdout, sys.stderr):
        # A terminal or file that cannot show a character gets a question mark, not a crash after the work is done.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app()


if __name__ == "__main__":
    main()
