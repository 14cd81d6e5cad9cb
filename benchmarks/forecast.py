"""How often does a run cost what was forecast? A pilot of each simulated run, and then all of it.

.venv/bin/python benchmarks/forecast.py [runs of each kind] [dialogues] [pilot]

Plays 40 runs (8 of each of five kinds of models) of 40 dialogues with the profile's patience and cap, each on fresh
dialogues, after a pilot of 3. The models are simulated and counted as if an endpoint had: four characters a token, and
what the kind adds. For each kind it shows how many totals in US dollars lay in the range that the pilot gave, the
median of its high by its low end, how often the truth was below and above, and the same for the range that stands
without a pilot.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from pathlib import Path

from evolif.budget import PriceTable, quotes_of
from evolif.budget.forecast import Forecast, forecast
from evolif.budget.prices import Price
from evolif.config import EvalConfig
from evolif.models import ChatModel, ChatRequest, Reply
from evolif.runner import evaluate_with, plan
from evolif.scenario import get_scenario
from evolif.scenarios.instructions import generate
from evolif.types import Usage

PROFILE = "objective"
PRICE = Price(prompt=2, completion=8, cached=0.5, date=date(2026, 11, 1))
CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of model: who answers, and what its endpoint counts beside the text."""

    player: str
    beside: Callable[[random.Random], int] = lambda chance: 0
    """Tokens of an answer beside its text."""
    reasons: bool = False
    """Whether these are reasoning."""
    cached: float = 0.0
    """The share of a prompt that comes from the provider's cache."""


KINDS = {
    "weak": Kind("steady?skill=.75"),
    "middling": Kind("steady?skill=.87", cached=0.6),
    "strong": Kind("steady?skill=.95"),
    "forgetful": Kind("forgetful", lambda chance: round(chance.lognormvariate(5, 0.8))),
    "reasons": Kind("steady?skill=.9", lambda chance: round(chance.lognormvariate(6.5, 0.9)), reasons=True),
}


class Counted:
    """A simulated model whose tokens are counted."""

    connections = 16

    def __init__(self, name: str, kind: Kind, seed: int) -> None:
        self.name = f"counted/{name}"
        self._kind = kind
        self._model: ChatModel = get_scenario("instructions").player(kind.player, seed)

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer, with the usage that an endpoint would report."""
        reply = await self._model.complete(request)
        said = "".join(message.content for message in request.messages)
        # By the conversation, so that the same call always counts the same.
        beside = self._kind.beside(random.Random(sha256(f"{self.name}{said}".encode()).digest()))
        asked, written = len(said) // CHARACTERS + 4, len(reply.text) // CHARACTERS + 1 + beside
        cached = round(asked * self._kind.cached) if len(request.messages) > 2 else 0
        return replace(reply, usage=Usage(asked, written, cached, beside if self._kind.reasons else 0))

    async def aclose(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True, slots=True)
class Told:
    """What was forecast, before and after the pilot, and what the run cost."""

    before: Forecast
    after: Forecast
    truth: float


def told(folder: Path, name: str, seed: int, dialogues: int, pilot: int) -> Told:
    """Play a pilot, forecast, and play the run on to its end."""
    bench = generate(folder / "bench", dialogues=dialogues, turns=1, seed=seed, profile=PROFILE)
    model = Counted(name, KINDS[name], seed)
    table = PriceTable({}, {model.name: PRICE})
    config = EvalConfig(models=(model,), seed=seed)
    settings = plan(bench, config)
    quotes = quotes_of(settings, table)
    before = forecast(bench, settings, quotes)
    with closing(evaluate_with(bench, config.model_copy(update={"limit": pilot}), folder / "run")) as run:
        after = forecast(bench, settings, quotes, run, begun=True)
    with closing(evaluate_with(bench, config, folder / "run")) as run:
        truth, _ = quotes.total(run.costs())
    return Told(before, after, truth)


def main(runs: int = 8, dialogues: int = 40, pilot: int = 3) -> None:
    every: list[Told] = []
    print(f"{runs} runs of each kind, {dialogues} dialogues, profile {PROFILE}, a pilot of {pilot}")
    print(f"{'':12} {'inside':>8} {'below':>6} {'above':>6} {'high/low':>9}   {'without a pilot':>16} {'high/low':>9}")
    for place, name in enumerate(KINDS):
        found = []
        for number in range(runs):
            with tempfile.TemporaryDirectory() as folder:
                found.append(told(Path(folder), name, 30_000 + 100 * place + number, dialogues, pilot))
        row(name, found)
        every += found
    row("all", every)


def row(name: str, found: list[Told]) -> None:
    inside = [one.after.usd[0] <= one.truth <= one.after.usd[1] for one in found]
    below = sum(one.truth < one.after.usd[0] for one in found)
    above = sum(one.truth > one.after.usd[1] for one in found)
    assumed = sum(one.before.usd[0] <= one.truth <= one.before.usd[1] for one in found)
    print(
        f"{name:12} {sum(inside):>3} of {len(found):<2} {below:>5} {above:>6} {ratio(one.after for one in found):>9.1f}"
        f"   {assumed:>10} of {len(found):<2} {ratio(one.before for one in found):>9.1f}",
        flush=True,
    )


def ratio(forecasts: Iterable[Forecast]) -> float:
    return statistics.median(one.usd[1] / one.usd[0] for one in forecasts)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
