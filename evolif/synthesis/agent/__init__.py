"""The synthesizer agent: chat models that put intentions into a person's words, and what checks them (paper §3.2.2)."""

from evolif.synthesis.agent._agent import Agent, CheckQuery
from evolif.synthesis.agent._asked import AskedModel, Heard
from evolif.synthesis.agent._attempt import Attempt, Meter
from evolif.synthesis.agent._regenerate import regenerate
from evolif.synthesis.agent._settings import SynthesisSettings, synthesis_settings

__all__ = [
    "Agent",
    "AskedModel",
    "Attempt",
    "CheckQuery",
    "Heard",
    "Meter",
    "SynthesisSettings",
    "regenerate",
    "synthesis_settings",
]
