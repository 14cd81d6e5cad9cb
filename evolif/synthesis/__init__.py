"""Query synthesis: from an intention to a person's words (paper §3.2.2)."""

from evolif.synthesis._frames import Frames, load_frames, registers
from evolif.synthesis._personas import PersonaModel, load_personas, persona_for
from evolif.synthesis._template import TemplateSynthesizer
from evolif.synthesis.checkers import check_query

__all__ = [
    "Frames",
    "PersonaModel",
    "TemplateSynthesizer",
    "check_query",
    "load_frames",
    "load_personas",
    "persona_for",
    "registers",
]
