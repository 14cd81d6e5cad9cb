"""Query synthesis: from an intention to a person's words (paper §3.2.2)."""

from evolif.synthesis._grammar import registers
from evolif.synthesis._personas import PersonaModel, load_personas, persona_for
from evolif.synthesis._template import TemplateSynthesizer

__all__ = ["PersonaModel", "TemplateSynthesizer", "load_personas", "persona_for", "registers"]
