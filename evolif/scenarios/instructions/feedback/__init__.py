"""Reactions: what a person says of an answer before the next request, or instead of it (`evaluate --feedback`)."""

from evolif.scenarios.instructions.feedback.replay import Reactions

__all__ = ["Reactions"]
