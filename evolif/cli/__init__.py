"""The command line: thin, one file per verb, heavy imports only inside the verbs."""

from evolif.cli._app import app

__all__ = ["app"]
