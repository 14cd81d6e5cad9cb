"""The instruction-following benchmark on disk: generated, extended, opened (paper §3.2).

A benchmark is a folder with a header, a file per dialogue, and its topics and personas. The template or chat models
write its queries.
"""

from evolif.instructions.authors import open_author, open_synthesizers, reopen_synthesizers
from evolif.instructions.folder import CATALOGUES, IMPORTED, Benchmark, ImportedWriter
from evolif.instructions.generate import extend, generate, grow
from evolif.instructions.generator import script_of
from evolif.instructions.prompt import Requirements, constraint_objects, prompt_of, requirements_of
from evolif.instructions.source import SynthesizerPool, TurnMade, TurnSource
from evolif.instructions.system import SYSTEM_PROMPT, system_text
from evolif.instructions.turn_lines import (
    Header,
    Rates,
    SynthesisRecord,
    parse_header,
    parse_turn,
    rates,
    read_turns,
    to_object,
    turn_hash,
)
from evolif.instructions.verdicts import by_mode, criteria_of, has_subjective, judge_turn, mode_of, witness_verdicts

__all__ = [
    "CATALOGUES",
    "IMPORTED",
    "SYSTEM_PROMPT",
    "Benchmark",
    "Header",
    "ImportedWriter",
    "Rates",
    "Requirements",
    "SynthesisRecord",
    "SynthesizerPool",
    "TurnMade",
    "TurnSource",
    "by_mode",
    "constraint_objects",
    "criteria_of",
    "extend",
    "generate",
    "grow",
    "has_subjective",
    "judge_turn",
    "mode_of",
    "open_author",
    "open_synthesizers",
    "parse_header",
    "parse_turn",
    "prompt_of",
    "rates",
    "read_turns",
    "reopen_synthesizers",
    "requirements_of",
    "script_of",
    "system_text",
    "to_object",
    "turn_hash",
    "witness_verdicts",
]
