"""Query synthesis: express a turn's intention in words a person would use (paper §3.2.2).

The template does so offline with a grammar, an agent with a chat model. Personas give the style, and dialogues are
distributed over several synthesizers in fixed proportion.
"""

from evolif.scenarios.instructions.synthesis.agent import (
    Agent,
    Attempt,
    AuthorRole,
    CheckQuery,
    Meter,
    PluginSynthesizer,
    Synthesizer,
    Writer,
    load_plugin,
)
from evolif.scenarios.instructions.synthesis.assignment import (
    TEMPLATE,
    PersonaModel,
    Share,
    author_of,
    load_personas,
    parse_share,
    persona_for,
)
from evolif.scenarios.instructions.synthesis.chat import Completion, object_schema, read_object
from evolif.scenarios.instructions.synthesis.prompts import fill_slots, synthesis_settings
from evolif.scenarios.instructions.synthesis.template import (
    Frames,
    TemplateSynthesizer,
    frame_faults,
    load_frames,
    registers,
)

__all__ = [
    "TEMPLATE",
    "Agent",
    "Attempt",
    "AuthorRole",
    "CheckQuery",
    "Completion",
    "Frames",
    "Meter",
    "PersonaModel",
    "PluginSynthesizer",
    "Share",
    "Synthesizer",
    "TemplateSynthesizer",
    "Writer",
    "author_of",
    "fill_slots",
    "frame_faults",
    "load_frames",
    "load_personas",
    "load_plugin",
    "object_schema",
    "parse_share",
    "persona_for",
    "read_object",
    "registers",
    "synthesis_settings",
]
