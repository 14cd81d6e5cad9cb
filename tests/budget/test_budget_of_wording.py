"""Wording missing turns is paid out of the same budget, and is counted once."""

from __future__ import annotations

from pathlib import Path

import evolif
from evolif.budget import Budget, Quotes, load_prices
from evolif.models import ChatRequest, Reply
from evolif.runner import Run
from evolif.types import Usage

WORDS = "openai/gpt-4.1"


class Speaker:
    """Words every turn by saying too little, for a known price."""

    name, connections = WORDS, 2

    def __init__(self) -> None:
        self.calls = 0

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        return Reply('{"query": "Do as you like."}', usage=Usage(900, 100))

    async def aclose(self) -> None:
        pass


def play(tmp_path: Path, speaker: Speaker, budget: Budget | None) -> Run:
    return evolif.evaluate(
        tmp_path / "bench", "sim/perfect", tmp_path / "run", max_turns=3, synthesizers=[speaker], gate=budget
    )


def test_wording_stops_at_the_budget_and_is_counted_once(tmp_path: Path) -> None:
    speaker = Speaker()

    evolif.generate(tmp_path / "bench", dialogues=2, turns=1, seed=3, profile="objective", synthesizers=[speaker])
    made = speaker.calls
    quotes = Quotes(load_prices(), {})
    run = play(tmp_path, speaker, Budget(quotes, tokens=100))
    assert speaker.calls == made and {s.ending for s in run.sessions()} <= {"censored", None}
    assert [c.role for c in run.costs()] == ["target"]
    assert sum(run.unbegun().values()) + len([s for s in run.sessions() if s.ending]) == 2
    run.close()
    run = play(tmp_path, speaker, Budget(quotes, tokens=10**7))
    [spent] = [c for c in run.costs() if c.role != "target"]
    assert (spent.role, spent.model, spent.calls) == ("synthesizer", WORDS, speaker.calls - made)
    assert spent.usage == Usage(900 * spent.calls, 100 * spent.calls) and spent.calls >= 4
    run.close()
