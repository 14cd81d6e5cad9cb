"""The three-layer tracker: topics, instructions and constraints, driven by a seeded state machine (paper §3.2)."""

from evolif.tracker.profile import Profile, TopicModel, load_profile, load_topics, parse_profile
from evolif.tracker.script import DrawStatistics, ScriptSpec, raw_turns, script

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
