"""The synthesizer agent: chat models that put intentions into a person's words, and what checks them (paper §3.2.2)."""

from evolif.synthesis.agent._agent import Agent, CheckQuery
from evolif.synthesis.agent._asked import AskedModel, Heard
from evolif.synthesis.agent._attempt import Attempt, Meter
from evolif.synthesis.agent._mixing import TEMPLATE, Share, author_of, parse_share
from evolif.synthesis.agent._regenerate import regenerate
from evolif.synthesis.agent._settings import SynthesisSettings, synthesis_settings
from evolif.synthesis.agent._synthesizer import PluginSynthesizer, Synthesizer, Writer, load_plugin

__all__ = [
    "TEMPLATE",
    "Agent",
    "AskedModel",
    "Attempt",
    "CheckQuery",
    "Heard",
    "Meter",
    "PluginSynthesizer",
    "Share",
    "SynthesisSettings",
    "Synthesizer",
    "Writer",
    "author_of",
    "load_plugin",
    "parse_share",
    "regenerate",
    "synthesis_settings",
]
