"""The instruction-following benchmark on disk: generated, extended, opened (paper §3.2).

A benchmark is a folder with a header, a file per dialogue, and its topics and personas. The template or chat models
write its queries.
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolif.scenarios.instructions.constraints import Group, ParamsModel
    from evolif.scenarios.instructions.folder import InstructionBenchmark
    from evolif.scenarios.instructions.generation import generate
    from evolif.scenarios.instructions.prompt import requirements_of
    from evolif.scenarios.instructions.synthesis import Writer
    from evolif.scenarios.instructions.system import SYSTEM_PROMPT
    from evolif.scenarios.instructions.turn_lines import Header, rates, to_object

__all__ = [
    "SYSTEM_PROMPT",
    "Group",
    "Header",
    "InstructionBenchmark",
    "ParamsModel",
    "Writer",
    "generate",
    "rates",
    "requirements_of",
    "to_object",
]

_HOMES = {
    "Group": "constraints",
    "Header": "turn_lines",
    "InstructionBenchmark": "folder",
    "ParamsModel": "constraints",
    "SYSTEM_PROMPT": "system",
    "Writer": "synthesis",
    "generate": "generation",
    "rates": "turn_lines",
    "requirements_of": "prompt",
    "to_object": "turn_lines",
}
"""The module that each name is from."""


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562), so that a part of the package does not wait for all of it."""
    if name == "Benchmark":
        warnings.warn(f"{__name__}.Benchmark is now InstructionBenchmark", DeprecationWarning, stacklevel=2)
        name = "InstructionBenchmark"
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
