"""The command line: one function per verb, with heavy imports inside the functions so that `--help` stays fast."""

from evolif.cli.app import app

__all__ = ["app"]
