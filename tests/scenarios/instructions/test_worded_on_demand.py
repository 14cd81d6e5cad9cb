"""Turns worded while models are evaluated: once, the same for all, in the template's words where they were flagged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from wording_server import wording_server

import evolif
from evolif import UsageError, load_benchmark
from evolif.scenarios.instructions import InstructionBenchmark, rates

TWO = ["sim/perfect", "sim/steady"]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def make(root: Path, url: str) -> InstructionBenchmark:
    return evolif.generate(
        root, dialogues=3, turns=1, seed=3, profile="objective", synthesizers=[f"openai/a?base_url={url}"]
    )


def asked_turns(run: Any, model: str) -> dict[tuple[int, int], str]:
    return {
        (session.dialogue, record.turn): record.query
        for session, records in run.transcripts(model)
        for record in records
    }


@pytest.mark.slow
def test_missing_turns_are_worded_once_and_every_model_gets_the_same(tmp_path: Path) -> None:
    with wording_server() as served:
        bench = make(tmp_path / "b", served.url)
        before = len(served.asked)
        run = evolif.evaluate(
            bench, TWO, tmp_path / "run", max_turns=4, synthesizers=[f"openai/a?base_url={served.url}"]
        )
        paid = len(served.asked) - before
    perfect, steady = (asked_turns(run, model) for model in TWO)
    run.close()
    assert len(perfect) == 12 and steady.keys() <= perfect.keys()
    assert all(perfect[where] == query for where, query in steady.items())
    stored = load_benchmark(tmp_path / "b")
    assert Counter(t.source for d in (1, 2, 3) for t in stored.turns(d))["openai/a"] >= 10
    sums = rates(stored.records())["openai/a"]
    assert sums.turns == 12 and sums.calls == before + paid
    assert len({(r.dialogue, r.turn) for r in stored.records()}) == len(list(stored.records())) == 12


@pytest.mark.slow
def test_a_turn_that_ends_flagged_is_played_in_the_templates_words(tmp_path: Path) -> None:
    def nonsense(body: dict[str, Any]) -> str:
        return '{"query": "Do as you like."}'

    with wording_server() as served:
        bench = make(tmp_path / "b", served.url)
    told: list[str] = []
    opened = InstructionBenchmark(bench.path, notify=told.append)
    with wording_server(nonsense) as bad:
        run = evolif.evaluate(
            opened, ["sim/perfect"], tmp_path / "run", max_turns=2, synthesizers=[f"openai/a?base_url={bad.url}"]
        )
    played = asked_turns(run, "sim/perfect")
    run.close()
    assert len(played) == 6 and "Do as you like." not in played.values()
    for dialogue in (1, 2, 3):
        turn = load_benchmark(bench.path).turns(dialogue)[1]
        assert turn.source == "template" and turn.status == "verified" and "openai/a" in turn.findings[0]
        assert played[dialogue, 2] == turn.query
    assert sum("were flagged" in sentence for sentence in told) == 3


def test_a_flagged_turn_of_the_benchmark_is_never_asked(tmp_path: Path) -> None:
    with wording_server() as served:
        bench = make(tmp_path / "b", served.url)
    bench.replace(1, 1, query="Do as you like.", status="flagged", source="openai/a")
    bench.replace(2, 1, query="Do as I like.", status="rejected", source="openai/a")
    run = evolif.evaluate(load_benchmark(bench.path), ["sim/perfect"], tmp_path / "run", max_turns=1)
    played = asked_turns(run, "sim/perfect")
    run.close()
    assert played[1, 1] == bench.turn(1, 1).query != "Do as you like."
    assert played[2, 1] == bench.turn(2, 1).query != "Do as I like."


@pytest.mark.slow
def test_a_synthesizer_that_fails_suspends_and_the_same_command_goes_on(tmp_path: Path) -> None:
    with wording_server() as served:
        bench = make(tmp_path / "b", served.url)
        name = f"openai/a?base_url={served.url}"
        with wording_server(lambda body: 400) as broken:
            run = evolif.evaluate(
                load_benchmark(bench.path), ["sim/perfect"], tmp_path / "run", max_turns=3, max_retries=0,
                synthesizers=[f"openai/a?base_url={broken.url}"],
            )  # fmt: skip
            assert run.suspended() == 3 and len(asked_turns(run, "sim/perfect")) == 3
            run.close()
        again = evolif.evaluate(
            load_benchmark(bench.path), ["sim/perfect"], tmp_path / "run", max_turns=3, max_retries=0,
            synthesizers=[name],
        )  # fmt: skip
    assert again.suspended() == 0 and len(asked_turns(again, "sim/perfect")) == 9
    again.close()


def test_who_has_no_key_is_told_before_anything_is_asked_and_how_to_go_on(tmp_path: Path) -> None:
    with wording_server() as served:
        bench = make(tmp_path / "b", served.url)
    with pytest.raises(UsageError, match=r"OPENAI_API_KEY.*--synthesizer template"):
        evolif.evaluate(bench, ["sim/perfect"], tmp_path / "run", max_turns=3)
    evolif.evaluate(bench, ["sim/perfect"], tmp_path / "short", max_turns=1).close()
    run = evolif.evaluate(bench, ["sim/perfect"], tmp_path / "own", max_turns=3, synthesizers=["template"])
    assert len(asked_turns(run, "sim/perfect")) == 9
    run.close()
