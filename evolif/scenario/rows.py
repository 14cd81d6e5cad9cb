"""What a scenario gives to exports: the columns of its prompts, and which of them are answer keys."""

from __future__ import annotations

from typing import Any

from evolif.types import Prompt


class Rows:
    """The columns of a scenario's prompts in exports, and its answer keys. Inherit from it to change a part.

    Attributes:
        key_fields: Fields of a benchmark's lines that hold answer keys; exports leave them out.
        expected_is_key: Whether what scores and verdicts expected gives answer keys away; exports leave it out then.

    Example:
        ```python
        class ChessRows(Rows):
            key_fields = ("best_move",)

            def keys(self, prompt):
                return (prompt.payload["best_move"],)
        ```
    """

    key_fields: tuple[str, ...] = ()
    expected_is_key: bool = False

    @property
    def has_keys(self) -> bool:
        """Whether the scenario has answer keys."""
        return bool(self.key_fields) or getattr(self.keys, "__func__", None) is not Rows.keys

    def row(self, prompt: Prompt) -> dict[str, Any]:
        """The columns of a prompt in an export, without answer keys."""
        told = [{"role": message.role, "content": message.content} for message in prompt.messages]
        return {**prompt.labels, "query": prompt.query, **({"messages": told} if len(told) > 1 else {})}

    def key_row(self, prompt: Prompt) -> dict[str, Any]:
        """The columns of a prompt's answer keys in an export that has them."""
        return {"keys": list(self.keys(prompt))}

    def keys(self, prompt: Prompt) -> tuple[str, ...]:
        """Texts of the payload that are answer keys; exports leave out them and answers that contain one."""
        return ()
