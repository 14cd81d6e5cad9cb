"""Query synthesis: from an intention to a person's words (paper §3.2.2)."""

from evolif.synthesis._grammar import registers
from evolif.synthesis._personas import PersonaModel, load_personas, persona_for
from evolif.synthesis._template import TemplateSynthesizer
from evolif.synthesis.checkers import check_query

__all__ = ["PersonaModel", "TemplateSynthesizer", "check_query", "load_personas", "persona_for", "registers"]
