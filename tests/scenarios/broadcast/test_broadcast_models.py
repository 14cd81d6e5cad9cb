"""Models that answer, fail and judge: conversations, suspended matches, the two items that a judge decides."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from evolif.cli import app
from evolif.errors import ModelError
from evolif.models import ChatRequest, Reply


@dataclass
class Player:
    """Answers with a text or the witness, fails where a word stands in the query, and judges by a fixed score."""

    name: str
    answer: str | None = None
    fails_at: str = ""
    verdict: int | None = 9
    connections: int = 1
    seen: list[ChatRequest] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> Reply:
        self.seen.append(request)
        if request.prompt is None:
            if self.verdict is None:
                raise ModelError("the judge is busy")
            return Reply(json.dumps({"rationale": "So it is.", "score": self.verdict}))
        if self.fails_at and self.fails_at in request.messages[-1].content:
            raise ModelError("the model is busy")
        return Reply(request.prompt.payload["witness"] if self.answer is None else self.answer)

    async def aclose(self) -> None:
        pass


def evolif(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="evolif", env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "bench"
    made = evolif("generate", str(path), "--scenario", "broadcast", "--dialogues", "12", "--seed", "11")
    assert made.exit_code == 0, made.output
    return path


def played(folder: Path, out: Path, use: Any, player: Player, *options: str, code: int = 0) -> dict[str, Any]:
    """The report of one model."""
    use(lambda spec: player)
    done = evolif("evaluate", str(folder), "-m", "fake/model", "--out", str(out), *options)
    assert done.exit_code == code, done.output
    told = evolif("report", str(out), "--json", str(out) + ".json")
    assert told.exit_code == 0, told.output
    (found,) = json.loads(Path(str(out) + ".json").read_text(encoding="utf-8"))["models"]
    return dict(found)


@pytest.mark.slow
def test_who_says_nothing_scores_nothing_and_is_soon_left(folder: Path, tmp_path: Path, fake_models: Any) -> None:
    found = played(folder, tmp_path / "run", fake_models, Player("fake/model", "Noted."), "--judge", "none")
    for name in ("cr", "ir", "ts", "math"):
        assert found[name]["value"] == 0
    assert 0 < found["if"]["value"] < 0.4  # no tag is right where none is asked for, and few words are used
    assert found["edr_len"]["value"] == 3


@pytest.mark.slow
def test_answers_stay_in_the_conversation(folder: Path, tmp_path: Path, fake_models: Any) -> None:
    player = Player("fake/model", "Noted.")
    played(folder, tmp_path / "run", fake_models, player, "--judge", "none")
    for request in player.seen:
        roles = [message.role for message in request.messages]
        assert roles[0] == "system"
        assert roles[1:] == ["user", "assistant"] * (len(roles) // 2 - 1) + ["user"]
        assert all(message.content == "Noted." for message in request.messages if message.role == "assistant")
    assert max(len(request.messages) for request in player.seen) == 2 * 44


@pytest.mark.slow
def test_a_failing_model_suspends_its_matches_and_they_are_left_out(
    folder: Path, tmp_path: Path, fake_models: Any
) -> None:
    player = Player("fake/model", fails_at="| after P2")
    found = played(folder, tmp_path / "run", fake_models, player, "--judge", "none", "--max-retries", "0", code=3)
    assert found["suspended"] == 4
    assert found["matches"] == 8
    assert found["overall"]["value"] == pytest.approx(1)


@pytest.mark.slow
def test_a_judge_decides_on_two_items(folder: Path, tmp_path: Path, fake_models: Any) -> None:
    good = played(folder, tmp_path / "good", fake_models, Player("fake/model"), "--judge", "fake/judge")
    assert good["if"]["value"] == pytest.approx(1)
    bad = played(folder, tmp_path / "bad", fake_models, Player("fake/model", verdict=1), "--judge", "fake/judge")
    # A period of instructions has one sentence for .1 and one summary for .25, in 8 turns of basketball, 7 of hockey.
    assert bad["if"]["value"] == pytest.approx(1 - (2 * 0.35 / 8 + 0.35 / 7) / 3)
    for name in ("cr", "ir", "ts"):
        assert bad[name]["value"] == pytest.approx(1)


@pytest.mark.slow
def test_a_failing_judge_suspends_and_fails_nothing(folder: Path, tmp_path: Path, fake_models: Any) -> None:
    player = Player("fake/model", verdict=None)
    options = ("--judge", "fake/judge", "--max-retries", "0")
    found = played(folder, tmp_path / "run", fake_models, player, *options, code=3)
    assert found["suspended"] == 3
    assert (found.get("if") or {"value": None})["value"] is None
    assert found["cr"]["value"] == pytest.approx(1)


@pytest.mark.slow
def test_a_judge_is_asked_about_nothing_else(folder: Path, tmp_path: Path, fake_models: Any) -> None:
    player = Player("fake/model")
    played(folder, tmp_path / "run", fake_models, player, "--judge", "fake/judge")
    asked = [request for request in player.seen if request.prompt is None]
    periods = 2 * 4 + 3
    assert len(asked) == 2 * periods
