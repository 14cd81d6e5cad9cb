"""The benchmark on disk: made, opened, extended."""

from evolif.benchmark._directory import Benchmark, load_benchmark
from evolif.benchmark._generate import extend, generate
from evolif.benchmark._grower import Grower, Made, Wording
from evolif.benchmark._lines import read_turns, to_line, turn_hash
from evolif.benchmark._record import Rates, SynthesisRecord, rates

__all__ = [
    "Benchmark",
    "Grower",
    "Made",
    "Rates",
    "SynthesisRecord",
    "Wording",
    "extend",
    "generate",
    "load_benchmark",
    "rates",
    "read_turns",
    "to_line",
    "turn_hash",
]
