"""Pictures: stored once in the benchmark, sent with the message, and there again when a run is resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from quiz_scenario import Gallery

from evolif import InputError, ModelError, evaluate, load_benchmark, load_run
from evolif.benchmark.assets import read_image
from evolif.models import ChatRequest, Reply
from evolif.scenario import NoOptions


class Viewer:
    """Answers with the digests of the pictures that it was shown; the first `answers` calls only."""

    name, connections = "fake/viewer", 1

    def __init__(self, answers: int) -> None:
        self.left = answers
        self.seen: list[list[int]] = []

    async def complete(self, request: ChatRequest) -> Reply:
        if not self.left:
            raise ModelError("gone")
        self.left -= 1
        self.seen.append([len(image.data) for message in request.messages for image in message.images])
        return Reply(" ".join(image.digest[:8] for message in request.messages for image in message.images))

    async def aclose(self) -> None:
        pass


@pytest.fixture
def bench(install: Any, tmp_path: Path) -> Path:
    install(gallery="Gallery")
    Gallery().generate(tmp_path / "bench", NoOptions(), dialogues=2, seed=1)
    return tmp_path / "bench"


def test_a_picture_is_stored_once_whatever_shows_it(bench: Path) -> None:
    assert len(list((bench / "assets").iterdir())) == 4
    lines = load_benchmark(bench).lines(1)
    assert lines[0] == lines[2] != lines[1]


def test_a_resumed_run_shows_the_pictures_of_earlier_turns_again(bench: Path, tmp_path: Path) -> None:
    whole, first, second = Viewer(99), Viewer(2), Viewer(99)
    evaluate(bench, whole, tmp_path / "whole").close()
    evaluate(bench, first, tmp_path / "run").close()
    evaluate(bench, second, tmp_path / "run").close()
    assert len(first.seen) == 2 and first.seen + second.seen == whole.seen
    assert all(size > 0 for seen in second.seen for size in seen) and second.seen[0] == whole.seen[2]
    answers = []
    for name in ("whole", "run"):
        run = load_run(tmp_path / name)
        answers.append([(s.dialogue, [r.answer for r in records]) for s, records in run.transcripts("fake/viewer")])
        messages = next(run.prompts()).messages
        assert [len(m.images) for m in messages] == [1, 1] and messages[0].content == "Two pictures follow."
        run.close()
    assert answers[0] == answers[1]


@pytest.mark.parametrize("name", ["../../secret.png", "0" * 64 + ".svg", "0" * 64 + ".png"])
def test_a_name_is_not_a_path(bench: Path, name: str) -> None:
    with pytest.raises(InputError):
        read_image(bench, name)


def test_an_edited_picture_is_refused(bench: Path) -> None:
    [path, *_] = sorted((bench / "assets").iterdir())
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(InputError, match="edited"):
        read_image(bench, path.name)
