"""Exports, imports, and the search for a benchmark's queries in a text corpus."""

from evolif.exchange.contamination import Contamination, contamination
from evolif.exchange.dialogs import ImportedDialogs, import_dialogs, is_dialogs
from evolif.exchange.export_source import Exported, ExportSource
from evolif.exchange.exporting import export
from evolif.exchange.formats import EXPORTERS, Exporter, register_exporter
from evolif.exchange.import_runs import ImportedRun, exported_sessions, import_run
from evolif.exchange.importing import ImportResult, import_benchmark
from evolif.exchange.ntm_files import ImportedReleased, import_released
from evolif.exchange.rows import canary_of, has_witness, keys_of, turn_row

__all__ = [
    "EXPORTERS",
    "Contamination",
    "ExportSource",
    "Exported",
    "Exporter",
    "ImportResult",
    "ImportedDialogs",
    "ImportedReleased",
    "ImportedRun",
    "canary_of",
    "contamination",
    "export",
    "exported_sessions",
    "has_witness",
    "import_benchmark",
    "import_dialogs",
    "import_released",
    "import_run",
    "is_dialogs",
    "keys_of",
    "register_exporter",
    "turn_row",
]
