"""Context strategies in a run: what is sent, what their own calls cost, and what a resumed run need not ask again."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, witness

from evolif import ModelError, UsageError, evaluate, load_benchmark
from evolif.budget import Quotes, load_prices
from evolif.budget.budget import Budget
from evolif.contexts import Context
from evolif.models import ChatModel, ChatRequest, Reply
from evolif.runner import Run
from evolif.scenarios.instructions.system import system_text
from evolif.types import Exchange, Message, Prompt, Usage


class Gist:
    """Shows a gist of every earlier round, each made once by the model of the role `context`."""

    def __init__(self, name: str, *, models: Mapping[str, ChatModel], embedder: object) -> None:
        if "context" not in models:
            raise UsageError("gist needs a model: --context-model PROVIDER/NAME")
        self.name = name
        self._model = models["context"]

    async def build(self, system: str, past: Sequence[Exchange], prompt: Prompt) -> Context:
        notes = {}
        gists = [exchange.notes["gist"] for exchange in past[1:]]
        if past:
            reply = await self._model.complete(ChatRequest((Message("user", past[-1].heard),)))
            notes = {"gist": reply.text}
            gists.append(reply.text)
        told = Message("system", "\n".join([system, *gists]))
        return Context((told, *prompt.messages), dict.fromkeys(range(1, len(past) + 1), "summary"), notes=notes)


@pytest.fixture(autouse=True)
def _gist(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.entry_points
    points = [EntryPoint("gist", f"{__name__}:Gist", "evolif.contexts")]

    def entry_points(**which: Any) -> Any:
        return points if which == {"group": "evolif.contexts"} else real(**which)

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)


def summariser() -> Scripted:
    return Scripted(lambda r: Reply(f"gist of {len(r.messages[0].content)}", usage=Usage(7, 2)), name="fake/gist")


def last_turns_cut_nothing(request: ChatRequest, shown: int, system: str) -> bool:
    roles = [message.role for message in request.messages]
    return roles == ["system", *["user", "assistant"] * shown, "user"] and request.messages[0].content == system


def test_the_latest_rounds_are_sent_and_the_system_text_whole(bench: Path, tmp_path: Path) -> None:
    model = Scripted(witness)
    with_last = evaluate(bench, model, tmp_path / "run", max_turns=5, limit=1, context="last:1")
    assert with_last.settings.context == "last:1"
    system = system_text(load_benchmark(bench).header)
    assert [last_turns_cut_nothing(r, min(n, 1), system) for n, r in enumerate(model.asked)] == [True] * 5
    with_last.close()


def test_a_strategy_has_a_role_notes_and_costs_of_its_own(bench: Path, tmp_path: Path) -> None:
    model, helper = Scripted(witness), summariser()
    run = evaluate(bench, model, tmp_path / "run", max_turns=4, limit=1, context="gist", context_model=helper)
    assert (run.settings.context, run.settings.context_model) == ("gist", "fake/gist")
    [cost] = [cost for cost in run.costs() if cost.role == "context"]
    assert (cost.model, cost.calls, cost.usage) == ("fake/gist", 3, Usage(21, 6))
    [(_, records)] = run.transcripts("fake/model")
    assert [dict(r.notes) for r in records[1:]] == [{"gist": f"gist of {len(r.answer)}"} for r in records[:-1]]
    assert [r.usage for r in records] == [Usage()] * 4  # the model's own
    assert "gist of" in model.asked[-1].messages[0].content and helper.closed == 1
    run.close()


def test_a_resumed_run_takes_its_notes_from_the_store(bench: Path, tmp_path: Path) -> None:
    def play(model: Scripted, helper: Scripted, out: str) -> Run:
        return evaluate(bench, model, tmp_path / out, max_turns=5, limit=1, context="gist", context_model=helper)

    whole, first = Scripted(witness), Scripted(lambda r: ModelError("gone") if r.prompt.turn == 4 else witness(r))
    again, helper = Scripted(witness), summariser()
    play(whole, summariser(), "whole").close()
    play(first, summariser(), "run").close()
    play(again, helper, "run").close()
    assert [r.messages for r in again.asked] == [r.messages for r in whole.asked[3:]]
    assert len(helper.asked) == 2  # of turn 3 again, whose answer never came, and of turn 4


def test_its_calls_are_within_the_budget(bench: Path, tmp_path: Path) -> None:
    quotes = Quotes(load_prices(None), {})
    model, helper = Scripted(witness), Scripted(lambda _: Reply("gist", usage=Usage(9_000, 900)), name="fake/gist")
    gate = Budget(quotes, tokens=45_000)
    config = {"max_turns": 8, "limit": 1, "max_tokens": 100, "context": "gist", "context_model": helper, "gate": gate}
    run = evaluate(bench, model, tmp_path / "run", **config)
    [session] = run.sessions()
    assert (session.ending, session.cause) == ("censored", "budget")
    assert len(helper.asked) < 7 and gate.stop is not None
    run.close()


def test_a_model_of_a_strategy_that_fails_suspends_and_costs_the_target_nothing(bench: Path, tmp_path: Path) -> None:
    model, helper = Scripted(witness), Scripted(lambda _: ModelError("busy"), name="fake/gist")
    run = evaluate(bench, model, tmp_path / "run", max_turns=4, limit=1, context="gist", context_model=helper)
    [session] = run.sessions()
    assert (session.ending, session.cause, len(session.turns)) == ("suspended", "context", 1)
    assert len(model.asked) == 1
    run.close()


def test_another_strategy_is_another_run(bench: Path, tmp_path: Path) -> None:
    evaluate(bench, Scripted(witness), tmp_path / "run", max_turns=2, limit=1, context="last").close()
    evaluate(bench, Scripted(witness), tmp_path / "run", max_turns=2, limit=1, context="last:4").close()
    with pytest.raises(UsageError, match="the context strategy was last:4 and is now full"):
        evaluate(bench, Scripted(witness), tmp_path / "run", max_turns=2, limit=1)
    with pytest.raises(UsageError, match="gist needs a model"):
        evaluate(bench, Scripted(witness), tmp_path / "new", context="gist")
