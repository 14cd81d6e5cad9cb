"""Trains a causal language model on fresh dialogues of evolif by policy gradient; `python -m evolif_train --help`."""

from evolif_train.learning import Learner
from evolif_train.policy import Policy, Seat
from evolif_train.training import Plan, train

__all__ = ["Learner", "Plan", "Policy", "Seat", "train"]
