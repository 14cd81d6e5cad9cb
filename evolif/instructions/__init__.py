"""The instruction-following benchmark on disk: generated, extended, opened (paper §3.2)."""

from evolif.instructions.authors import AuthorRole, Options, open_asked, open_named, open_stored
from evolif.instructions.folder import CATALOGUES, IMPORTED, Benchmark, ImportedWriter, load_benchmark
from evolif.instructions.generate import extend, extend_with, generate, generate_with
from evolif.instructions.source import SynthesizerPool, TurnMade, TurnSource
from evolif.instructions.turn_lines import (
    Header,
    Rates,
    SynthesisRecord,
    append,
    cut_torn_line,
    dialogue_file,
    parse_header,
    parse_turn,
    rates,
    read_turns,
    to_object,
    turn_hash,
)

__all__ = [
    "CATALOGUES",
    "IMPORTED",
    "AuthorRole",
    "Benchmark",
    "Header",
    "ImportedWriter",
    "Options",
    "Rates",
    "SynthesisRecord",
    "SynthesizerPool",
    "TurnMade",
    "TurnSource",
    "append",
    "cut_torn_line",
    "dialogue_file",
    "extend",
    "extend_with",
    "generate",
    "generate_with",
    "load_benchmark",
    "open_asked",
    "open_named",
    "open_stored",
    "parse_header",
    "parse_turn",
    "rates",
    "read_turns",
    "to_object",
    "turn_hash",
]
