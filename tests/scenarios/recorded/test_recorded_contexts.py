"""Recorded dialogues under strategies that sum up: what is sent, and the same after a fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import RECALL, Scripted, answer, bench_of, dialog, shown, turn

from evolif.contexts import tokenizer_name
from evolif.errors import ModelError
from evolif.models import ChatRequest
from evolif.runner import Run, evaluate

pytestmark = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
QUERIES = (
    "Plan a weekend in Lisbon for two people.",
    "The hotel in Lisbon must have a garden.",
    "By the way, why do cats purr?",
    "Back to the weekend in Lisbon: add a museum.",
    "What if we went to Porto instead of Lisbon?",
    "Also, book the train.",
)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    turns: list[dict[str, Any]] = []
    for place, query in enumerate(QUERIES):
        turns += (turn(2 * place, "user", query), answer(2 * place + 1, RECALL, reference="Fine"))
    bench_of(tmp_path, dialog(1, *turns))
    return tmp_path / "bench"


def play(bench: Path, out: Path, context: str, policy: str, fault_at: int = 0) -> tuple[Run, list[Any]]:
    def reply(request: ChatRequest) -> str | Exception:
        return (
            ModelError("gone") if len(model.asked) == fault_at else f"Fine, number {request.messages[-1].content[:9]}."
        )

    model = Scripted(reply)
    run = evaluate(bench, model, out, context=context, options={"policy": policy})
    return run, [shown(request) for request in model.asked]


@pytest.mark.sampled
@pytest.mark.parametrize("policy", ["on", "off"])
@pytest.mark.parametrize("context", ["tree", "summary:1"])
def test_a_fault_changes_nothing_of_what_is_shown(bench: Path, tmp_path: Path, context: str, policy: str) -> None:
    whole, sent = play(bench, tmp_path / "whole", context, policy)
    broken, first = play(bench, tmp_path / "run", context, policy, fault_at=4)
    assert broken.suspended() == 1
    broken.close()
    resumed, rest = play(bench, tmp_path / "run", context, policy)
    assert first[:3] + rest == sent and len(sent) == len(QUERIES)
    assert stored(resumed) == stored(whole)
    told = sent[-1][0][1]
    assert ("Other topics:" if context == "tree" else "Earlier in this conversation:") in told and QUERIES[2] in told


def stored(run: Run) -> list[Any]:
    [(_, records)] = run.transcripts("fake/model")
    found = [(record.answer, record.notes, record.built, record.context_tokens) for record in records]
    run.close()
    return found


def test_the_tree_follows_the_conversation(bench: Path, tmp_path: Path) -> None:
    run, _ = play(bench, tmp_path / "run", "tree", "on")
    [(_, records)] = run.transcripts("fake/model")
    decisions = [record.built.decision for record in records if record.built and record.built.decision]
    assert [decision["topic"]["action"] for decision in decisions] == [
        "CREATE_TOPIC", "CONTINUE", "CREATE_TOPIC", "SWITCH_TOPIC", "CONTINUE", "CONTINUE",
    ]  # fmt: skip
    assert decisions[4]["branch"] == {"action": "CREATE_BRANCH", "fork": 1}
    run.close()
