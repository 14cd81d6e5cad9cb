"""The environment against a local server: its rewards are the verdicts of our own runner."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import evolif

pytest.importorskip("verifiers", reason="verifiers is not installed (integrations/verifiers)")
sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "models"))
from evolif_verifiers import KEY, EvolifEnv, load_environment
from server import Answer, Seen, Server, ok, serving

TEXTS = ["A short answer. It has two sentences.", "- one\n- two\n- three", "# Title\n\n**bold** 12.", "say: hello"]


def answering(seen: Seen) -> Answer | None:
    """One of the texts, whichever the conversation decides."""
    told = json.dumps([[message["role"], message["content"]] for message in seen.body["messages"]])
    return ok(TEXTS[int(hashlib.sha256(told.encode()).hexdigest(), 16) % len(TEXTS)])


def rollouts(env: EvolifEnv, server: Server, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    from verifiers.legacy.types import ClientConfig

    monkeypatch.setenv("TINY_KEY", "k")
    client = ClientConfig(api_key_var="TINY_KEY", api_base_url=server.url, max_retries=0)
    done = env.evaluate_sync(client, "tiny", num_examples=-1)
    return list(done["outputs"])


def test_rewards_are_the_verdicts_of_our_own_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = evolif.generate(tmp_path / "b", dialogues=4, turns=4, seed=7)
    played: dict[int, Any] = {}
    env = load_environment(bench=str(tmp_path / "b"), max_turns=6)
    keep = env.add_trajectory_step

    async def watched(state: Any, step: Any) -> None:
        await keep(state, step)
        played[state["info"]["dialogue"]] = (state[KEY], state["trajectory"])

    monkeypatch.setattr(env, "add_trajectory_step", watched)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with serving(ok(), answering=answering) as server:
        outputs = rollouts(env, server, monkeypatch)
        run = evolif.evaluate(bench, f"openai/tiny?base_url={server.url}", tmp_path / "r", max_turns=6)
    told = {session.dialogue: (session, records) for session, records in run.transcripts(run.models[0])}
    assert played.keys() == told.keys() and len(outputs) == 4
    for dialogue, (talk, trajectory) in played.items():
        session, records = told[dialogue]
        assert talk.end == session.cause
        assert [exchange.answer for exchange in talk.past] == [record.answer for record in records]
        expected = [float(all(record.judged.judged)) if record.judged.judged else None for record in records]
        assert talk.rewards == expected
        for step, record in zip(trajectory, records, strict=True):
            assert [v["satisfied"] for v in step["extras"]["verdicts"]] == [v.satisfied for v in record.verdicts]
    shares = sorted(sum(t.rewards) / len(t.rewards) for t, _ in played.values())
    assert sorted(output["reward"] for output in outputs) == pytest.approx(shares)
    assert "patience" in {talk.end for talk, _ in played.values()}
    run.close()


def test_two_seats_are_refused(tmp_path: Path) -> None:
    from evolif.scenario import get_scenario

    games = get_scenario("games")
    bench = games.generate(tmp_path / "b", games.spec(), dialogues=1, seed=1)
    with pytest.raises(evolif.UsageError, match="two seats"):
        EvolifEnv(bench)
