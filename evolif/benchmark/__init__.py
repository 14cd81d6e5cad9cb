"""Benchmarks on disk, of any scenario: a folder with a header, a file of lines per dialogue, and pictures."""

from evolif.benchmark.files import (
    HEADER,
    append,
    cut_torn_line,
    dialogue_file,
    json_line,
    locked,
    read_header_json,
    write_whole,
    writing,
)
from evolif.benchmark.folder import BenchmarkFolder, open_benchmark
from evolif.benchmark.scenario import FolderEnvironment, FolderPresentation, FolderScenario

__all__ = [
    "HEADER",
    "BenchmarkFolder",
    "FolderEnvironment",
    "FolderPresentation",
    "FolderScenario",
    "append",
    "cut_torn_line",
    "dialogue_file",
    "json_line",
    "locked",
    "open_benchmark",
    "read_header_json",
    "write_whole",
    "writing",
]
