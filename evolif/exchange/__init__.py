"""Exports, imports, and the search for a benchmark's queries in a text corpus."""

from evolif.exchange.contamination import contamination
from evolif.exchange.export_source import Exported
from evolif.exchange.exporting import export
from evolif.exchange.formats import EXPORTERS
from evolif.exchange.importing import import_benchmark
from evolif.exchange.rows import canary_of
from evolif.exchange.training import TrainingOptions

__all__ = ["EXPORTERS", "Exported", "TrainingOptions", "canary_of", "contamination", "export", "import_benchmark"]
