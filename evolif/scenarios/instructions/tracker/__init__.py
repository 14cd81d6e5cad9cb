"""The three-layer tracker (paper §3.2): a seeded state machine that evolves topics, instructions and constraints."""

from evolif.scenarios.instructions.tracker.profile import Profile, TopicModel, load_profile, load_topics, parse_profile
from evolif.scenarios.instructions.tracker.script import DrawStatistics, ScriptSpec, raw_turns, script

__all__ = [
    "DrawStatistics",
    "Profile",
    "ScriptSpec",
    "TopicModel",
    "load_profile",
    "load_topics",
    "parse_profile",
    "raw_turns",
    "script",
]
