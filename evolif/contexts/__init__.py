"""Context strategies: what of a conversation the model under test is shown, and how many tokens that is."""

from evolif.contexts.base import Context, ContextStrategy, Embedder, Shown
from evolif.contexts.forest import Forest, Node, branch_gate
from evolif.contexts.history import DEFAULT_ROUNDS, FullHistory, LastRounds, full_history, last_turns
from evolif.contexts.open import open_strategy, strategy_names
from evolif.contexts.tokens import context_tokens, count_tokens, tokenizer_name

__all__ = [
    "DEFAULT_ROUNDS",
    "Context",
    "ContextStrategy",
    "Embedder",
    "Forest",
    "FullHistory",
    "LastRounds",
    "Node",
    "Shown",
    "branch_gate",
    "context_tokens",
    "count_tokens",
    "full_history",
    "last_turns",
    "open_strategy",
    "strategy_names",
    "tokenizer_name",
]
