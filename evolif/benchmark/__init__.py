"""Benchmarks on disk, of any scenario: a folder with a header, a file of lines per dialogue, and pictures."""

from evolif.benchmark.assets import read_image, store_image
from evolif.benchmark.files import (
    HEADER,
    Stamp,
    append,
    cut_torn_line,
    dialogue_file,
    dialogue_numbers,
    json_line,
    lock_of,
    locked,
    read_header_json,
    refuse_other,
    rewrite_line,
    stamp_of,
    write_whole,
    writing,
)
from evolif.benchmark.folder import BenchmarkFolder, open_benchmark, stored_seed
from evolif.benchmark.scenario import FolderEnvironment, FolderPresentation, FolderScenario

__all__ = [
    "HEADER",
    "BenchmarkFolder",
    "FolderEnvironment",
    "FolderPresentation",
    "FolderScenario",
    "Stamp",
    "append",
    "cut_torn_line",
    "dialogue_file",
    "dialogue_numbers",
    "json_line",
    "lock_of",
    "locked",
    "open_benchmark",
    "read_header_json",
    "read_image",
    "refuse_other",
    "rewrite_line",
    "stamp_of",
    "store_image",
    "stored_seed",
    "write_whole",
    "writing",
]
