"""Context strategies: what of a conversation the model under test is shown, and how many tokens that is."""

from evolif.contexts.base import Context, ContextStrategy, OwnCost, Shown
from evolif.contexts.forest import Forest, branch_gate
from evolif.contexts.history import FullHistory, full_history, last_turns
from evolif.contexts.open import open_strategy
from evolif.contexts.retrieval import retrieval_k, retrieval_messages
from evolif.contexts.sizes import act, act_drop
from evolif.contexts.tokens import context_tokens, count_tokens, tokenizer_name
from evolif.contexts.vectors import cosine, fork_point, top_k

__all__ = [
    "Context",
    "ContextStrategy",
    "Forest",
    "FullHistory",
    "OwnCost",
    "Shown",
    "act",
    "act_drop",
    "branch_gate",
    "context_tokens",
    "cosine",
    "count_tokens",
    "fork_point",
    "full_history",
    "last_turns",
    "open_strategy",
    "retrieval_k",
    "retrieval_messages",
    "tokenizer_name",
    "top_k",
]
