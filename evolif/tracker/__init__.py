"""The three-layer tracker: topics, instructions, constraints, driven by a seeded state machine (paper §3.2)."""

from evolif.tracker._catalogue import TopicModel, load_topics
from evolif.tracker._instruction import DrawStatistics
from evolif.tracker._profile import Profile, load_profile, parse_profile
from evolif.tracker._script import ScriptSpec, raw_turns, script

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
