"""Every kind of fault in docs/models.md, at one call of twenty and at every call.

A run ends within its limit of time, books what was paid, and no fault ever counts against the model.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from fast_server import Asked, Served, completion, fast_server

from evolif.models import ManagedModel, managed, parse_model_name
from evolif.models.openai import OpenAIModel
from evolif.models.waits import RetryPolicy
from evolif.runner import Run, evaluate
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.types import Session

pytestmark = pytest.mark.slow

SESSIONS, TURNS = 20, 6
TIMEOUT = 1.0
SECONDS = 30.0
"""The limit of wall time; a cell takes one or two on an idle machine, and stalls take their timeouts."""
TOKENS = 15
"""Of every answer."""


@dataclass(frozen=True)
class Fault:
    """What an endpoint does, and how sessions then end if it always does it."""

    served: Served
    ending: str = "suspended"
    once: bool = True
    """Whether a repeat helps, so that one fault of twenty costs no session."""
    stops: bool = False
    """Whether it stops all sessions of the model."""


def said(message: Mapping[str, Any], finish: str = "stop") -> Served:
    return Served(body=completion(dict(message), finish))


def status(number: int, error: str = "not now", **more: Any) -> Served:
    return Served(status=number, error=error, **more)


CALL = [{"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]
FAULTS: Mapping[str, Fault] = {
    **{f"{number}": Fault(status(number)) for number in (408, 409, 425, 429, 500, 502, 503, 504, 529)},
    "429 for a second": Fault(status(429, retry_after=1)),
    "429 for five minutes": Fault(status(429, retry_after=300), once=False),
    "503 for an hour": Fault(status(503, retry_after=3600), once=False),
    "reset": Fault(Served(fault="reset")),
    "hang up": Fault(Served(fault="hang up")),
    "stall": Fault(Served(fault="stall")),
    "no JSON": Fault(Served(fault="garbage")),
    "no choices": Fault(Served(body={"choices": []})),
    "no message": Fault(Served(body={"choices": [{"index": 0, "finish_reason": "stop"}]})),
    "an error as an answer": Fault(Served(body={"error": {"message": "overloaded", "code": 503}})),
    "a number": Fault(said({"content": 42})),
    "an object": Fault(said({"content": {"a": 1}})),
    "a list": Fault(said({"content": [1, "two"]})),
    "a tool": Fault(said({"content": None, "tool_calls": CALL}, "tool_calls")),
    "a tool beside text": Fault(said({"content": "I search.", "tool_calls": CALL})),
    **{f"{number}": Fault(status(number), once=False) for number in (400, 405, 422)},
    **{f"{number}": Fault(status(number), once=False, stops=True) for number in (401, 402)},
    **{f"{number}": Fault(status(number), once=False, stops=True) for number in (403, 404)},
    "no credit": Fault(status(429, "insufficient_quota"), once=False, stops=True),
    "too long": Fault(status(400, "maximum context length is 10 tokens"), "censored", once=False),
    "filtered": Fault(said({"content": ""}, "content_filter"), "withheld", once=False),
    "refused by the filter": Fault(status(400, "filtered", code="content_filter"), "withheld", once=False),
}


@pytest.fixture(autouse=True, scope="module")
def _key() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEST_KEY", "kk-live-0123456789abcdef-not-real")
        yield


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> InstructionBenchmark:
    return generate(
        tmp_path_factory.mktemp("matrix") / "bench", dialogues=SESSIONS, turns=TURNS, seed=9, profile="objective"
    )


def chance(*what: object) -> float:
    """A number from 0 to 1 that depends on nothing but its arguments."""
    return crc32(repr(what).encode()) / 2**32


def skilled(asked: Asked) -> Served:
    """Two answers of three are good, always the same ones."""
    good = chance(asked.turn.dialogue, asked.turn.turn) < 0.67
    return Served((asked.turn.witness or "") if good else "No.")


@pytest.fixture(scope="module")
def whole(bench: InstructionBenchmark, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Session]:
    """What the sessions come to where nothing fails."""
    with fast_server(bench, skilled) as server:
        run = play(bench, server.url, tmp_path_factory.mktemp("whole") / "run")
    return sessions(run)


def play(bench: InstructionBenchmark, url: str, out: Path) -> Run:
    client = OpenAIModel.from_name(parse_model_name(f"openai/m?base_url={url}&key_env=TEST_KEY"), timeout=TIMEOUT)
    model = ManagedModel(client, managed(client, 10).limit, RetryPolicy(3, first=0.02, pause=0.2))
    began = time.monotonic()
    run = evaluate(bench, model, out, max_turns=TURNS)
    assert time.monotonic() - began < SECONDS
    return run


def sessions(run: Run) -> dict[int, Session]:
    """The sessions by dialogue; the run is closed."""
    found = {session.dialogue: session for session in run.sessions()}
    run.close()
    return found


def paid(run: Run) -> int:
    """Tokens of the model's calls that the run's file knows."""
    return sum(spent.usage.tokens for spent in run.costs())


def verdicts(session: Session) -> list[tuple[bool, ...]]:
    return [turn.judged for turn in session.turns]


def figures(found: Mapping[int, Session], dialogues: Iterable[int] | None = None) -> dict[int, object]:
    """What metrics read of these dialogues; of all if None."""
    return {d: (found[d].ending, verdicts(found[d])) for d in (found if dialogues is None else dialogues)}


def check_turns(found: Mapping[int, Session], whole: Mapping[int, Session]) -> None:
    """Whoever ended has the figures of the run without faults; whoever did not has their beginning."""
    for dialogue, session in found.items():
        expected = verdicts(whole[dialogue])
        assert verdicts(session) == expected[: len(session.turns)]
        if session.ending == "finished" or session.cause == "cap":
            assert (session.ending, verdicts(session)) == (whole[dialogue].ending, expected)


@pytest.mark.parametrize("kind", FAULTS)
def test_at_one_call_of_twenty(
    bench: InstructionBenchmark, tmp_path: Path, whole: dict[int, Session], kind: str
) -> None:
    fault, faulty = FAULTS[kind], set[tuple[int, int, int]]()

    def brain(asked: Asked) -> Served:
        where = (asked.turn.dialogue, asked.turn.turn, asked.before)
        if chance(kind, *where) >= 0.05:
            return skilled(asked)
        faulty.add(where)
        return fault.served

    with fast_server(bench, brain) as server:
        run = play(bench, server.url, tmp_path / "run")
        assert faulty and paid(run) == (len(server.asked) - len(faulty)) * TOKENS
        found = sessions(run)
        check_turns(found, whole)
        hit = {dialogue for dialogue, *_ in faulty}
        if fault.once:
            assert figures(found) == figures(whole)
        elif not fault.stops:
            assert {found[dialogue].ending for dialogue in hit} == {fault.ending}
        server.brain = skilled
        final = sessions(play(bench, server.url, tmp_path / "run"))
    check_turns(final, whole)
    resumed = {dialogue for dialogue in whole if fault.ending == "suspended" or dialogue not in hit}
    assert figures(final, resumed) == figures(whole, resumed)


@pytest.mark.parametrize("kind", FAULTS)
def test_at_every_call(bench: InstructionBenchmark, tmp_path: Path, whole: dict[int, Session], kind: str) -> None:
    fault = FAULTS[kind]
    with fast_server(bench, lambda asked: fault.served) as server:
        run = play(bench, server.url, tmp_path / "run")
        assert not any(session.turns for session in run.sessions()) and paid(run) == 0
        endings = {ending for _, ending, _ in run.store.endings()}
        assert fault.ending in endings and endings <= {fault.ending, None}
        assert run.suspended() == (SESSIONS if fault.ending == "suspended" else 0)
        assert len(server.asked) <= SESSIONS * (4 if fault.once else 1)
        run.close()
        server.brain = skilled
        run = play(bench, server.url, tmp_path / "run")
    if fault.ending == "suspended":
        assert paid(run) == TOKENS * sum(len(session.turns) for session in run.sessions())
        assert figures(sessions(run)) == figures(whole)
    else:
        assert not any(session.turns for session in sessions(run).values())


@pytest.mark.parametrize("where", ["http://127.0.0.1:{port}/v1", "http://name.invalid/v1"])
def test_at_every_call_nobody_listens(bench: InstructionBenchmark, tmp_path: Path, where: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    run = play(bench, where.format(port=port), tmp_path / "run")
    assert run.suspended() == SESSIONS and paid(run) == 0
    assert "could not be reached" in run.reasons()[0][1]
    run.close()
