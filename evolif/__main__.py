"""`evolif` and `python -m evolif`."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from evolif.cli import app

    app()


if __name__ == "__main__":
    main()
