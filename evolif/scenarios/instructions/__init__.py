"""The instruction-following benchmark on disk: generated, extended, opened (paper §3.2).

A benchmark is a folder with a header, a file per dialogue, and its topics and personas. The template or chat models
write its queries.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolif.scenarios.instructions.authors import open_author, open_synthesizers, reopen_synthesizers
    from evolif.scenarios.instructions.constraints import Group, ParamsModel
    from evolif.scenarios.instructions.folder import CATALOGUES, IMPORTED, Benchmark, ImportedWriter
    from evolif.scenarios.instructions.generation import extend, generate, grow
    from evolif.scenarios.instructions.generator import script_of
    from evolif.scenarios.instructions.prompt import Requirements, constraint_objects, prompt_of, requirements_of
    from evolif.scenarios.instructions.source import SynthesizerPool, TurnMade, TurnSource
    from evolif.scenarios.instructions.synthesis import Writer
    from evolif.scenarios.instructions.system import SYSTEM_PROMPT, system_text
    from evolif.scenarios.instructions.turn_lines import (
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
    from evolif.scenarios.instructions.verdicts import (
        by_mode,
        criteria_of,
        has_subjective,
        judge_turn,
        mode_of,
        witness_verdicts,
    )

__all__ = [
    "CATALOGUES",
    "IMPORTED",
    "SYSTEM_PROMPT",
    "Benchmark",
    "Group",
    "Header",
    "ImportedWriter",
    "ParamsModel",
    "Rates",
    "Requirements",
    "SynthesisRecord",
    "SynthesizerPool",
    "TurnMade",
    "TurnSource",
    "Writer",
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

_HOMES = {
    "Benchmark": "folder",
    "CATALOGUES": "folder",
    "Group": "constraints",
    "Header": "turn_lines",
    "IMPORTED": "folder",
    "ImportedWriter": "folder",
    "ParamsModel": "constraints",
    "Rates": "turn_lines",
    "Requirements": "prompt",
    "SYSTEM_PROMPT": "system",
    "SynthesisRecord": "turn_lines",
    "SynthesizerPool": "source",
    "TurnMade": "source",
    "TurnSource": "source",
    "Writer": "synthesis",
    "by_mode": "verdicts",
    "constraint_objects": "prompt",
    "criteria_of": "verdicts",
    "extend": "generation",
    "generate": "generation",
    "grow": "generation",
    "has_subjective": "verdicts",
    "judge_turn": "verdicts",
    "mode_of": "verdicts",
    "open_author": "authors",
    "open_synthesizers": "authors",
    "parse_header": "turn_lines",
    "parse_turn": "turn_lines",
    "prompt_of": "prompt",
    "rates": "turn_lines",
    "read_turns": "turn_lines",
    "reopen_synthesizers": "authors",
    "requirements_of": "prompt",
    "script_of": "generator",
    "system_text": "system",
    "to_object": "turn_lines",
    "turn_hash": "turn_lines",
    "witness_verdicts": "verdicts",
}
"""The module that each name is from."""


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562), so that a part of the package does not wait for all of it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
