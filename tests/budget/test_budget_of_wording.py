"""Wording missing turns is paid out of the same budget, and is counted once."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

import evolif
from evolif.budget import Quotes, load_prices
from evolif.budget.budget import Budget
from evolif.models import ChatRequest, Reply
from evolif.runner import Run
from evolif.runner.ledger import Ledger
from evolif.types import Usage

WORDS = "openai/gpt-4.1"


class KilledError(BaseException):
    """Ends the process, as far as a run can tell."""


class Speaker:
    """Words every turn by saying too little, for a known price."""

    name, connections = WORDS, 2

    def __init__(self) -> None:
        self.calls, self.dies_at = 0, 0
        self.usage = Usage(900, 100)

    async def complete(self, request: ChatRequest) -> Reply:
        self.calls += 1
        if self.calls == self.dies_at:
            raise KilledError
        return Reply('{"query": "Do as you like."}', usage=self.usage)

    async def aclose(self) -> None:
        pass


def play(tmp_path: Path, speaker: Speaker, budget: Budget | None) -> Run:
    return evolif.evaluate(
        tmp_path / "bench", "sim/perfect", tmp_path / "run", max_turns=3, synthesizers=[speaker], gate=budget
    )


@pytest.mark.slow
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


def test_wording_of_unknown_usage_is_told_and_a_kill_hides_none_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speaker = Speaker()
    evolif.generate(tmp_path / "bench", dialogues=1, turns=1, seed=3, profile="objective", synthesizers=[speaker])
    made = speaker.calls
    quotes, speaker.usage, speaker.dies_at = Quotes(load_prices(), {}), Usage(), made + 2
    with monkeypatch.context() as patch, pytest.raises(BaseExceptionGroup) as fault:
        patch.setattr(Ledger, "book_words", lambda *told: None)  # what a killed process does not come to
        play(tmp_path, speaker, Budget(quotes, tokens=10**7))
    assert fault.group_contains(KilledError)
    with closing(evolif.load_run(tmp_path / "run")) as run:
        [lost] = run.store.under_way()
        assert (lost.role, lost.calls, lost.unknown) == ("synthesizer", 2, 2)
    run = play(tmp_path, speaker, Budget(quotes, tokens=10**7))
    [spent] = [c for c in run.costs() if c.role != "target"]
    assert (spent.calls, spent.unknown, spent.usage) == (speaker.calls - made, speaker.calls - made, Usage())
    assert spent.bound > lost.bound and run.store.under_way() == []
    run.close()
