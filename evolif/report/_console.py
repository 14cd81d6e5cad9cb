"""The terminal as every report writes to it."""

from __future__ import annotations

from rich.console import Console


class Terminal(Console):
    """A console on standard output; a reader that leaves a pipe early is no finding, so it ends with exit code 0."""

    def on_broken_pipe(self) -> None:
        """Leave quietly."""
        try:
            super().on_broken_pipe()
        except SystemExit:
            raise SystemExit(0) from None
