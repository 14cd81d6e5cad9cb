"""The benchmark on disk: made, opened, extended."""

from evolif.benchmark._directory import Benchmark, load_benchmark
from evolif.benchmark._generate import extend, generate
from evolif.benchmark._grower import Grower, Made, Wording
from evolif.benchmark._header import Header, parse_header
from evolif.benchmark._imported import CATALOGUES, IMPORTED, ImportedWriter
from evolif.benchmark._lines import parse_turn, read_turns, to_line, to_object, turn_hash
from evolif.benchmark._record import Rates, SynthesisRecord, rates

__all__ = [
    "CATALOGUES",
    "IMPORTED",
    "Benchmark",
    "Grower",
    "Header",
    "ImportedWriter",
    "Made",
    "Rates",
    "SynthesisRecord",
    "Wording",
    "extend",
    "generate",
    "load_benchmark",
    "parse_header",
    "parse_turn",
    "rates",
    "read_turns",
    "to_line",
    "to_object",
    "turn_hash",
]
