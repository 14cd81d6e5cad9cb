"""Context strategies: what of a conversation the model under test is shown, and how many tokens that is."""

from evolif.contexts.base import Context, ContextStrategy, Embedder, OwnCost, Shown
from evolif.contexts.forest import Forest, Node, branch_gate
from evolif.contexts.history import DEFAULT_ROUNDS, FullHistory, LastRounds, full_history, last_turns
from evolif.contexts.open import open_strategy, strategy_names
from evolif.contexts.retrieval import Retrieval, retrieval_k, retrieval_messages
from evolif.contexts.sizes import act, act_drop
from evolif.contexts.summaries import summary_by_rules
from evolif.contexts.summary import Summaries
from evolif.contexts.tokens import context_tokens, count_tokens, tokenizer_name
from evolif.contexts.tree import Tree
from evolif.contexts.vectors import cosine, fork_point, top_k

__all__ = [
    "DEFAULT_ROUNDS",
    "Context",
    "ContextStrategy",
    "Embedder",
    "Forest",
    "FullHistory",
    "LastRounds",
    "Node",
    "OwnCost",
    "Retrieval",
    "Shown",
    "Summaries",
    "Tree",
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
    "strategy_names",
    "summary_by_rules",
    "tokenizer_name",
    "top_k",
]
