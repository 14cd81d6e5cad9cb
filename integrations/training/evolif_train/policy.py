"""A causal language model as a policy: it answers many conversations in one batch, and remembers what it sampled."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import torch
from transformers import DynamicCache

from evolif.errors import ContextOverflowError
from evolif.models import ChatRequest, Reply
from evolif.types import Usage

_CONNECTIONS = 1_000_000
"""Every conversation under way asks before any is answered, so none may wait for another."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What was sampled for one prompt."""

    prompt: tuple[int, ...]
    """Tokens, by the model's chat template."""
    answer: tuple[int, ...]
    """Tokens, with the one that ends the answer where it was sampled."""
    truncated: bool
    """Whether the answer stopped at its longest length."""


@dataclass(slots=True)
class _Asked:
    place: int
    prompt: tuple[int, ...]
    longest: int
    answered: asyncio.Future[Sample]


class Policy:
    """Answers conversations, all that are under way in one batch.

    A batch begins when every seat that is taken has asked or is left. So what is in it, and what is sampled, depends on
    the seed alone and not on how fast answers are judged.

    Args:
        model: A causal language model of transformers.
        tokenizer: Its tokenizer, with a chat template.
        name: As runs would name it.
        max_tokens: Longest answer, in tokens.
        temperature: Of sampling; 0 takes the likeliest token.
        batch: Most answers that are sampled at a time.
        seed: Of sampling.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str = "policy/model",
        max_tokens: int = 64,
        temperature: float = 1.0,
        batch: int = 32,
        seed: int = 0,
    ) -> None:
        self.model, self.tokenizer, self.name = model, tokenizer, name
        self.max_tokens, self.temperature, self.batch = max_tokens, temperature, batch
        self.device = next(model.parameters()).device
        self.tokens = 0
        """Sampled so far."""
        self._random = torch.Generator(device=self.device).manual_seed(seed)
        self._ends = _ends(model, tokenizer)
        self._context = getattr(model.config, "max_position_embeddings", None)
        self._seats: set[Seat] = set()
        self._asked: list[_Asked] = []

    def seat(self, place: int) -> Seat:
        """A seat for one conversation; entering it says that there will be calls.

        Args:
            place: Its place in batches; of those that are taken, each has another.
        """
        return Seat(self, place)

    def reseed(self, seed: int) -> None:
        """Begin the random numbers of sampling anew."""
        self._random.manual_seed(seed)

    async def answer(self, request: ChatRequest, place: int) -> Sample:
        """Sample an answer, together with those of the other seats.

        Raises:
            ContextOverflowError: the conversation leaves no room for an answer.
        """
        told = [{"role": message.role, "content": message.content} for message in request.messages]
        encoded = self.tokenizer.apply_chat_template(told, add_generation_prompt=True, return_dict=True)
        prompt = tuple(encoded["input_ids"])
        longest = self.max_tokens
        if request.sampling.max_tokens is not None:
            longest = min(longest, request.sampling.max_tokens)
        if self._context is not None and len(prompt) + longest > self._context:
            raise ContextOverflowError(f"{self.name}: the conversation is longer than the model's context")
        asked = _Asked(place, prompt, longest, asyncio.get_running_loop().create_future())
        self._asked.append(asked)
        self._answer_if_complete()
        return await asked.answered

    def text(self, sample: Sample) -> str:
        """What a sample says."""
        return str(self.tokenizer.decode(sample.answer, skip_special_tokens=True))

    def take(self, seat: Seat) -> None:
        """A conversation begins."""
        self._seats.add(seat)

    def leave(self, seat: Seat) -> None:
        """A conversation is over."""
        self._seats.discard(seat)
        self._answer_if_complete()

    def _answer_if_complete(self) -> None:
        waiting = [asked for asked in self._asked if not asked.answered.done()]
        if not waiting or len(waiting) < len(self._seats):
            return
        self._asked = []
        waiting.sort(key=lambda asked: (len(asked.prompt), asked.prompt, asked.place))
        for start in range(0, len(waiting), self.batch):
            part = waiting[start : start + self.batch]
            try:
                samples = self._sampled(part)
            except Exception as fault:
                for asked in part:
                    asked.answered.set_exception(fault)
            else:
                for asked, sample in zip(part, samples, strict=True):
                    asked.answered.set_result(sample)

    @torch.inference_mode()
    def _sampled(self, asked: Sequence[_Asked]) -> list[Sample]:
        """Sample token by token; a prompt that several share is read once, and answers that have ended drop out."""
        self.model.eval()
        prompts = list(dict.fromkeys(one.prompt for one in asked))
        logits, cache, mask = self._read(prompts)
        place_of = {prompt: place for place, prompt in enumerate(prompts)}
        rows = torch.tensor([place_of[one.prompt] for one in asked], device=self.device)
        cache.batch_select_indices(rows)
        logits, mask = logits[rows], mask[rows]
        answers: list[list[int]] = [[] for _ in asked]
        going = list(range(len(asked)))
        while True:
            tokens = self._drawn(logits)
            for number, token in zip(going, tokens.tolist(), strict=True):
                answers[number].append(token)
            kept = [
                place
                for place, number in enumerate(going)
                if answers[number][-1] not in self._ends and len(answers[number]) < asked[number].longest
            ]
            if not kept:
                break
            if len(kept) < len(going):
                rows = torch.tensor(kept, device=self.device)
                cache.batch_select_indices(rows)
                tokens, mask = tokens[rows], mask[rows]
                going = [going[place] for place in kept]
            mask = torch.cat([mask, mask.new_ones(len(going), 1)], dim=1)
            positions = mask.sum(dim=1, keepdim=True) - 1
            logits = self.model(
                tokens[:, None], attention_mask=mask, position_ids=positions, cache=cache, use_cache=True
            ).logits[:, -1]
        self.tokens += sum(map(len, answers))
        return [
            Sample(one.prompt, tuple(answer), answer[-1] not in self._ends)
            for one, answer in zip(asked, answers, strict=True)
        ]

    def _read(self, prompts: Sequence[Sequence[int]]) -> tuple[torch.Tensor, DynamicCache, torch.Tensor]:
        """What comes after each prompt; shorter ones are filled up on the left."""
        width = max(map(len, prompts))
        filled = [[0] * (width - len(prompt)) + list(prompt) for prompt in prompts]
        mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts], device=self.device)
        cache = DynamicCache(config=self.model.config)
        positions = (mask.cumsum(dim=1) - 1).clamp(min=0)
        read = self.model(
            torch.tensor(filled, device=self.device),
            attention_mask=mask,
            position_ids=positions,
            cache=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        return read.logits[:, -1], cache, mask

    def _drawn(self, logits: torch.Tensor) -> torch.Tensor:
        if self.temperature == 0:
            return logits.argmax(dim=-1)
        chances = (logits.float() / self.temperature).softmax(dim=-1)
        return torch.multinomial(chances, 1, generator=self._random)[:, 0]


@dataclass(slots=True, eq=False)
class Seat:
    """A policy in one conversation; implements `ChatModel` and keeps what was sampled, call by call.

    Args:
        policy: Answers.
        place: The conversation's place in batches.
    """

    policy: Policy
    place: int
    samples: list[Sample] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The policy's."""
        return self.policy.name

    @property
    def connections(self) -> int:
        """More than there are conversations."""
        return _CONNECTIONS

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer when every conversation under way has asked.

        Raises:
            ContextOverflowError: the conversation leaves no room for an answer.
        """
        sample = await self.policy.answer(request, self.place)
        self.samples.append(sample)
        usage = Usage(len(sample.prompt), len(sample.answer))
        return Reply(self.policy.text(sample), truncated=sample.truncated, usage=usage)

    async def aclose(self) -> None:
        """The trainer keeps its model."""

    def __enter__(self) -> Self:
        self.policy.take(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.policy.leave(self)


def _ends(model: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end an answer."""
    own = model.generation_config.eos_token_id
    listed = own if isinstance(own, list) else [own]
    return frozenset(token for token in (*listed, tokenizer.eos_token_id) if token is not None)
