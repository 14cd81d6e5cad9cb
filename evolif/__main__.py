"""`evolif` and `python -m evolif`."""

from __future__ import annotations

from io import TextIOWrapper


def main() -> None:
    """Run the command line."""
    import sys

    from evolif.cli import app

    for stream in (sys.stdout, sys.stderr):
        # A terminal or file that cannot show a character gets a question mark, not a crash after the work is done.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app()


if __name__ == "__main__":
    main()
