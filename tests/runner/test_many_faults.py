"""300 sessions, one of them poisoned, 5 % random faults: the other 299 end with the figures of a run without faults."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from fast_server import Asked, Served, fast_server
from scripted import Scripted, number

from evolif import ModelError
from evolif.models import ChatRequest, open_model
from evolif.runner import Run, evaluate
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.scenarios.instructions.turns import Turn
from evolif.types import Prompt

pytestmark = pytest.mark.slow

SESSIONS, TURNS, POISONED = 300, 5, 117
FAULTS = (Served(status=429), Served(status=500), Served(status=503), Served(fault="reset"), Served(fault="garbage"))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    return generate(
        tmp_path_factory.mktemp("many") / "bench", dialogues=SESSIONS, turns=TURNS, seed=9, profile="objective"
    )


def chance(turn: Turn | Prompt, *more: object) -> float:
    """A number from 0 to 1 that depends on nothing but its arguments."""
    return zlib.crc32(repr((turn.dialogue, turn.turn, *more)).encode()) / 2**32


def skilled(turn: Turn | Prompt) -> str:
    """Two answers of three are good, always the same ones."""
    witness = turn.witness if isinstance(turn, Turn) else turn.payload["witness"]
    return (witness or "") if chance(turn) < 0.67 else "No."


@pytest.fixture
def whole(bench: InstructionBenchmark, tmp_path: Path) -> dict[int, object]:
    """What the sessions come to where nothing fails."""
    model = Scripted(lambda r: skilled(r.prompt), connections=50)
    run = evaluate(bench, model, tmp_path / "whole", max_turns=TURNS)
    return outcome(run)


def outcome(run: Run) -> dict[int, object]:
    told = {s.dialogue: (s.ending, [t.judged for t in s.turns]) for s in run.sessions()}
    run.close()
    return told


def but(outcomes: dict[int, object], poisoned: int) -> dict[int, object]:
    return {dialogue: told for dialogue, told in outcomes.items() if dialogue != poisoned}


def test_a_faulty_client_is_asked_on_until_all_but_the_poisoned_session_have_ended(
    bench: InstructionBenchmark, tmp_path: Path, whole: dict[int, object]
) -> None:
    tries: dict[tuple[int, int], int] = {}

    def answer(request: ChatRequest) -> str | Exception:
        turn = request.prompt
        assert turn is not None
        where = (turn.dialogue, number(request))
        tries[where] = tries.get(where, 0) + 1
        if turn.dialogue == POISONED and turn.turn == 2:
            return RuntimeError("poison")
        return ModelError("busy", retryable=True) if chance(turn, tries[where]) < 0.05 else skilled(turn)

    model = Scripted(answer, connections=50)
    for _ in range(5):  # this client repeats nothing itself: the same command is the retry
        run = evaluate(bench, model, tmp_path / "run", max_turns=TURNS)
        left, told = run.suspended(), outcome(run)
        if left == 1:
            break
    assert but(told, POISONED) == but(whole, POISONED)
    assert told[POISONED][0] == "suspended"
    asked_twice = {where for where, count in tries.items() if count > 1 and where[0] != POISONED}
    assert asked_twice == {w for w in tries if w[0] != POISONED and chance(Fake(*w), 1) < 0.05}


class Fake:
    def __init__(self, dialogue: int, turn: int) -> None:
        self.dialogue, self.turn = dialogue, turn


def test_a_faulty_server_behind_the_real_sdk_costs_one_session_of_three_hundred(
    bench: InstructionBenchmark, tmp_path: Path, whole: dict[int, object]
) -> None:
    def brain(asked: Asked) -> Served:
        if asked.turn.dialogue == POISONED and asked.turn.turn == 2:
            return Served(status=400)
        if chance(asked.turn, asked.before) < 0.05:
            return FAULTS[int(chance(asked.turn, "kind") * len(FAULTS))]
        return Served(skilled(asked.turn))

    with fast_server(bench, brain) as server:
        run = evaluate(
            bench,
            open_model(f"openai/m?base_url={server.url}", max_retries=5, backoff=0.05),
            tmp_path / "run",
            max_turns=TURNS,
            max_connections=50,
        )
    assert run.suspended() == 1 and len(run.faults()) == 1
    told = outcome(run)
    assert but(told, POISONED) == but(whole, POISONED)
    faulty = sum(count - 1 for where, count in server.counts.items() if where[0] != POISONED)
    assert faulty > 20 and server.counts[POISONED, 2] == 1
