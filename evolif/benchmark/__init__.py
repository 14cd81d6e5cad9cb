"""The benchmark on disk: made, opened, extended."""

from evolif.benchmark._directory import Benchmark, load_benchmark
from evolif.benchmark._generate import generate
from evolif.benchmark._lines import read_turns, to_line, turn_hash

__all__ = ["Benchmark", "generate", "load_benchmark", "read_turns", "to_line", "turn_hash"]
