"""Query synthesis: express a turn's intention in words a person would use (paper §3.2.2).

The template does so offline with a grammar, an agent with a chat model. Personas give the style, and dialogues are
distributed over several synthesizers in fixed proportion.
"""

from evolif.scenarios.instructions.synthesis.agent import Agent, Synthesizer, Writer
from evolif.scenarios.instructions.synthesis.assignment import (
    TEMPLATE,
    PersonaModel,
    SynthesizerShare,
    author_of,
    load_personas,
    parse_share,
    persona_for,
)
from evolif.scenarios.instructions.synthesis.chat import object_schema
from evolif.scenarios.instructions.synthesis.template import TemplateSynthesizer, load_frames, registers

__all__ = [
    "TEMPLATE",
    "Agent",
    "PersonaModel",
    "Synthesizer",
    "SynthesizerShare",
    "TemplateSynthesizer",
    "Writer",
    "author_of",
    "load_frames",
    "load_personas",
    "object_schema",
    "parse_share",
    "persona_for",
    "registers",
]
