"""Games that are shown as pictures: who gets which, in which order, also after a fault."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from chat_server import chat_server
from recorded_dialogs import Scripted

from evolif.benchmark import open_benchmark
from evolif.errors import ModelError
from evolif.runner import evaluate
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.games import prompts
from evolif.scenarios.games.prompts import Match, together_messages, turn_messages
from evolif.scenarios.games.scenario import played

pytest.importorskip("tokenizers")
pytest.importorskip("wordllama")

SCENES: dict[str, Any] = {
    "game": "scenes",
    "number": 0,
    "seed": 1,
    "settings": {"modality": "image"},
    "private": [{"images": [{"objects": ["c"]}]}, {"images": [{"objects": [name]} for name in "abc"]}],
    "public": {"images": 3},
    "answer": [None, 2],
    "roles": ["describer", "guesser"],
    "answerers": [1],
    "chance": 0.25,
    "floor": 0.28,
    "proof": 2,
}


@pytest.fixture(autouse=True)
def _drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def image(instance: Mapping[str, Any], player: int) -> list[bytes]:
        return [f"PNG of {graph['objects'][0]}".encode() for graph in instance["private"][player]["images"]]

    monkeypatch.setattr(prompts, "private_image", image)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    scenario = get_scenario("games")
    told = {"game": "names", "n": "9", "turns": ["4"]}
    scenario.generate(tmp_path / "bench", options_of(scenario.spec, told, "games"), dialogues=1, seed=4)
    line = json.dumps(SCENES | {"turns": 4})
    (tmp_path / "bench" / "dialogues" / "0001.jsonl").write_text(line + "\n", encoding="utf-8")
    return tmp_path / "bench"


def shown(messages: Any) -> list[list[bytes]]:
    return [[image.data for image in message.images] for message in messages]


def test_each_player_gets_its_own_pictures_below_their_labels(bench: Path, tmp_path: Path) -> None:
    model = Scripted(lambda request: "ANSWER: Image 2" if len(model.asked) == 4 else "I see c.")
    with closing(evaluate(open_benchmark(bench), model, tmp_path / "run", partner="self")) as run:
        [dialogue] = played(run, model.name)
    assert dialogue["modality"] == "image" and dialogue["final"] is not None
    assert dialogue["final"]["reason"] == "correct"
    ours, theirs = [[b"PNG of c"], []], [[b"PNG of a"], [b"PNG of b"], [b"PNG of c"], []]
    assert [shown(request.messages) for request in model.asked] == [ours, theirs] * 2
    labels = [[message.content for message in request.messages[:-1]] for request in model.asked[:2]]
    assert labels == [["Scene:"], ["Scene 0:", "Scene 1:", "Scene 2:"]]
    assert {image.media_type for message in model.asked[1].messages for image in message.images} == {"image/png"}
    describer, guesser = (request.messages[-1].content for request in model.asked[:2])
    assert "You see one scene (the picture above, labelled “Scene”)." in describer and "Only I may answer." in describer
    assert "image 0 first (the pictures above; the one labelled “Scene 0” is image 0, and so on)." in guesser
    assert "Only you may answer." in guesser and "objects" not in describer + guesser


def test_benchmarks_from_before_labels_hang_pictures_on_the_text() -> None:
    older = Match(SCENES, 4, "words", rules=1)
    [message] = turn_messages(older, [prompts.HeardTurn("I see c.")])
    assert shown([message]) == [[b"PNG of a", b"PNG of b", b"PNG of c"]]
    assert "You see 3 scenes, image 0 first (attached)." in message.content
    [both] = together_messages(older)
    assert "First come the pictures of player 1, then those of player 2." in both.content
    assert shown([both]) == [[b"PNG of c", b"PNG of a", b"PNG of b", b"PNG of c"]]


def test_pictures_are_there_again_after_a_fault(bench: Path, tmp_path: Path) -> None:
    answers = iter(["I see c.", ModelError("the endpoint is down"), "Hm.", "Is it c?", "ANSWER: No match"])
    model = Scripted(lambda request: next(answers))
    evaluate(open_benchmark(bench), model, tmp_path / "run", partner="self").close()
    told = (tmp_path / "run" / "run.sqlite").read_bytes()
    assert b"PNG of" not in told
    with closing(evaluate(open_benchmark(bench), model, tmp_path / "run", partner="self")) as run:
        [session] = run.sessions(model.name)
    assert session.cause == "wrong" and len(model.asked) == 5
    assert all(all(pictures[:-1]) for pictures in (shown(request.messages) for request in model.asked))
    assert all(all(all(own) for own in shown(request.messages)) for request in model.asked)
    assert "1. ME: I see c." in model.asked[2].messages[-1].content


def test_a_model_behind_an_api_gets_the_pictures_as_parts(bench: Path, tmp_path: Path) -> None:
    asked: list[Any] = []

    def answer(body: dict[str, Any]) -> str:
        asked.append(body["messages"])
        return "ANSWER: Image 2"

    with chat_server(answer) as url:
        evaluate(bench, f"openai/m?base_url={url}", tmp_path / "run", partner="self").close()
    assert [len(messages) for messages in asked] == [2, 4]
    parts = [[[part["type"] for part in message["content"]] for message in messages[:-1]] for messages in asked]
    assert parts == [[["text", "image_url"]], [["text", "image_url"]] * 3]
    assert isinstance(asked[1][3]["content"], str)
    url = asked[1][2]["content"][1]["image_url"]["url"]
    assert url == "data:image/png;base64," + b64encode(b"PNG of c").decode()


def test_a_chat_shows_pictures_once_and_the_ceiling_shows_all() -> None:
    match = Match(SCENES, 4, "words", history="chat")
    said = [prompts.HeardTurn(text) for text in ("I see c.", "Hm.", "It is c.")]
    assert shown(turn_messages(match, said)) == [[b"PNG of a"], [b"PNG of b"], [b"PNG of c"], [], [], []]
    *pictures, both = together_messages(match)
    labels = ["Player 1, scene:", "Player 2, scene 0:", "Player 2, scene 1:", "Player 2, scene 2:"]
    assert [message.content for message in pictures] == labels
    assert shown(pictures) == [[b"PNG of c"], [b"PNG of a"], [b"PNG of b"], [b"PNG of c"]]
    assert "Player 2 sees 3 scenes" in both.content and "“Player 2, scene 0” is image 0" in both.content
