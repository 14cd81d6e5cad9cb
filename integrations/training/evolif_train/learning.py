"""One step of a policy gradient: answers that earn more than others to the same prompt become likelier."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Any

import torch
from transformers import DynamicCache

from evolif_train.policy import Sample

_LEAST_SPREAD = 1e-6
"""Rewards of a group that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A sample, and how much likelier it is to become."""

    sample: Sample
    advantage: float


def advantages(rewards: Sequence[float | None], *, scaled: bool = False) -> list[float]:
    """How much better each answer of a group is than their mean; 0 where nothing was judged.

    Args:
        rewards: Of answers to the same turn of the same dialogue.
        scaled: Whether the differences are divided by their standard deviation, as GRPO does. That weighs turns on
            which answers hardly differ as much as others.

    Example:
        >>> advantages([1.0, 0.5, None, 0.0])
        [0.5, 0.0, 0.0, -0.5]
    """
    judged = [reward for reward in rewards if reward is not None]
    if not judged:
        return [0.0] * len(rewards)
    mean = fsum(judged) / len(judged)
    spread = sqrt(fsum((reward - mean) ** 2 for reward in judged) / len(judged))
    if spread < _LEAST_SPREAD:
        return [0.0] * len(rewards)
    by = spread if scaled else 1.0
    return [0.0 if reward is None else (reward - mean) / by for reward in rewards]


class Learner:
    """Trains the last layers of a model; embeddings and earlier layers stay as they are.

    The optimizer keeps the trained weights in 32 bits, so that small steps are not lost where the model has 16. Give it
    the model in 32 bits then, and `dtype`: steps from weights that are rounded already would be lost until they add up.

    Args:
        model: A causal language model of transformers; it is brought to `dtype`.
        dtype: What the model answers and learns in; as it is if None.
        layers: How many layers are trained, from the last; all if None.
        rate: The learning rate of AdamW.
        clip: The largest norm of a gradient.
        temperature: Of sampling; the answers are as likely as they were when they were sampled.
        batch: Most answers that are read at a time.
    """

    def __init__(
        self,
        model: Any,
        *,
        dtype: torch.dtype | None = None,
        layers: int | None = None,
        rate: float = 2e-5,
        clip: float = 1.0,
        temperature: float = 1.0,
        batch: int = 16,
    ) -> None:
        self.model, self._clip, self._batch = model, clip, batch
        self._temperature = temperature
        model.requires_grad_(False)
        stack = model.get_decoder().layers
        trained = stack if layers is None else stack[-layers:]
        trained.requires_grad_(True)
        self._weights = [weight for weight in model.parameters() if weight.requires_grad]
        self._masters = [weight.detach().float().clone() for weight in self._weights]
        for weight in model.parameters():  # and no buffers: angles of positions need their 32 bits
            weight.data = weight.data.to(dtype)
        self._optimizer = torch.optim.AdamW(self._masters, lr=rate, betas=(0.9, 0.95), weight_decay=0.0)

    def step(self, weighed: Sequence[Weighed], longest: int) -> float | None:
        """Take one step along the gradient of what the samples earn.

        Every token of an answer has the answer's advantage. The sum over tokens is divided by the number of samples and
        by the longest answer, not by the length of each: or else long bad answers would cost less than short ones.

        Args:
            weighed: What was sampled by the model as it is now.
            longest: The longest answer, in tokens.

        Returns:
            The norm of the gradient before it is clipped; None if no sample has an advantage, and nothing was done.
        """
        telling = [one for one in weighed if one.advantage]
        if not telling:
            return None
        self.model.train()
        for part in _parts(telling, self._batch):
            chances = self._log_chances([one.sample for one in part])
            weights = torch.tensor([one.advantage for one in part], device=chances.device)
            torch.autograd.backward(-(weights * chances).sum() / (len(weighed) * longest))
        for weight, master in zip(self._weights, self._masters, strict=True):
            master.grad = None if weight.grad is None else weight.grad.float()
            weight.grad = None
        norm = torch.nn.utils.clip_grad_norm_(self._masters, self._clip)
        self._optimizer.step()
        with torch.no_grad():
            for weight, master in zip(self._weights, self._masters, strict=True):
                weight.copy_(master)
        return float(norm)

    def _log_chances(self, samples: Sequence[Sample]) -> torch.Tensor:
        """The log of how likely each answer to the one prompt of these samples is; the prompt is read once."""
        device = self._weights[0].device
        prompt = torch.tensor([samples[0].prompt], device=device)
        cache = DynamicCache(config=self.model.config)
        first = self.model(prompt, cache=cache, use_cache=True, logits_to_keep=1).logits
        cache.batch_repeat_interleave(len(samples))
        width = max(len(sample.answer) for sample in samples)
        filled = torch.tensor(
            [list(sample.answer) + [0] * (width - len(sample.answer)) for sample in samples], device=device
        )
        is_said = torch.tensor(
            [[1] * len(sample.answer) + [0] * (width - len(sample.answer)) for sample in samples], device=device
        )
        logits = first.expand(len(samples), -1, -1)
        if width > 1:
            mask = torch.cat([is_said.new_ones(len(samples), prompt.shape[1]), is_said[:, :-1]], dim=1)
            later = self.model(filled[:, :-1], attention_mask=mask, cache=cache, use_cache=True).logits
            logits = torch.cat([logits, later], dim=1)
        scores = logits.float().flatten(0, 1) / self._temperature
        losses = torch.nn.functional.cross_entropy(scores, filled.flatten(), reduction="none")
        return -(losses.view_as(filled) * is_said).sum(dim=1)


def _parts(weighed: Sequence[Weighed], most: int) -> Iterator[list[Weighed]]:
    """The samples by prompt, at most so many at a time."""
    by_prompt: dict[tuple[int, ...], list[Weighed]] = defaultdict(list)
    for one in weighed:
        by_prompt[one.sample.prompt].append(one)
    for group in by_prompt.values():
        for start in range(0, len(group), most):
            yield group[start : start + most]
