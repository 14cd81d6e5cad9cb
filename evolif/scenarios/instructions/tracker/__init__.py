"""The three-layer tracker (paper §3.2): a seeded state machine that evolves topics, instructions and constraints."""

from evolif.scenarios.instructions.tracker.profile import Profile, TopicModel, load_profile, load_topics
from evolif.scenarios.instructions.tracker.script import ScriptSpec, script

__all__ = ["Profile", "ScriptSpec", "TopicModel", "load_profile", "load_topics", "script"]
