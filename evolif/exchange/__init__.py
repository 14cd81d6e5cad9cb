"""Data that travels: exports, imports, and the search for a benchmark's queries in a corpus."""

from evolif.exchange._canary import canary_of
from evolif.exchange._contamination import Contamination, Found, Place, contamination
from evolif.exchange._export import FORMATS, Exported, export
from evolif.exchange._import import Imported, import_benchmark

__all__ = [
    "FORMATS",
    "Contamination",
    "Exported",
    "Found",
    "Imported",
    "Place",
    "canary_of",
    "contamination",
    "export",
    "import_benchmark",
]
