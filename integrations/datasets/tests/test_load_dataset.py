"""Folders of training data, loaded by the released `datasets` as they are, without network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}  # read when the library is imported
datasets = pytest.importorskip("datasets", reason="datasets is not installed")

import evolif  # noqa: E402
from evolif.exchange import TrainingOptions, export  # noqa: E402
from evolif.exchange.messages import schema_of_messages  # noqa: E402
from evolif.exchange.preferences import schema_of_preferences  # noqa: E402
from evolif.models import ChatRequest, Reply  # noqa: E402

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
)


class Writer:
    """A model of its own words; every other answer is nearly what was asked for."""

    name = "own/writer"
    connections = 4

    async def complete(self, request: ChatRequest) -> Reply:
        told = f"{request.epoch} {request.messages[-1].content}"
        drawn = sha256(told.encode()).digest()
        key = (request.prompt.payload.get("witness") or "").split(" ") if request.prompt else []
        if drawn[0] % 2 or len(key) < 4:
            return Reply(" ".join(f"w{byte}" for byte in drawn[: 3 + drawn[1] % 9]))
        place = 1 + drawn[1] % (len(key) - 2)
        return Reply(" ".join([*key[:place], f"w{drawn[2]}", *key[place + 1 :]]))

    async def aclose(self) -> None: ...


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A benchmark and a run."""
    root = tmp_path_factory.mktemp("played")
    bench = evolif.generate(root / "b", dialogues=4, turns=4, seed=8, profile="objective")
    evolif.evaluate(bench, Writer(), root / "r", max_turns=4, patience=4, epochs=4).close()
    return root / "b", root / "r"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    yield


def load(run: Path, out: Path, format: str, **options: Any) -> Any:
    export(run, out, format=format, training=TrainingOptions(**options))
    return datasets.load_dataset(str(out))


def test_conversations_load_with_their_columns(played: tuple[Path, Path], tmp_path: Path) -> None:
    bench, run = played
    loaded = load(run, tmp_path / "m", "messages", bench=bench)
    assert list(loaded) == ["train"] and loaded["train"].num_rows == 16
    rows = loaded["train"]
    assert rows.features == datasets.Features.from_arrow_schema(schema_of_messages({}))
    for row in rows:
        roles = [message["role"] for message in row["messages"]]
        assert roles == ["system", *["user", "assistant"] * (len(roles) // 2)]
        assert all(set(message) == {"role", "content"} and message["content"] for message in row["messages"])
        assert len(row["turns"]) == len(roles) // 2 == 4
        for turn in row["turns"]:
            assert turn["message"] == 2 * turn["turn"] and 0 <= turn["rewards"]["dense"] <= 1
        assert row["rewards"]["turn"] == pytest.approx(sum(t["rewards"]["turn"] for t in row["turns"]) / 4)


def test_pairs_load_in_the_shape_that_preference_trainers_name(played: tuple[Path, Path], tmp_path: Path) -> None:
    bench, run = played
    rows = load(run, tmp_path / "p", "preferences", bench=bench)["train"]
    assert rows.num_rows and rows.features == datasets.Features.from_arrow_schema(schema_of_preferences({}))
    for row in rows:
        assert [message["role"] for message in row["prompt"]] == ["system", "user"]
        for side in ("chosen", "rejected"):
            assert [message["role"] for message in row[side]] == ["assistant"] and row[side][0]["content"]
        assert row["margin"] == row["chosen_reward"] - row["rejected_reward"] > 0


def test_chat_templates_read_the_messages(played: tuple[Path, Path], tmp_path: Path) -> None:
    jinja2 = pytest.importorskip("jinja2", reason="jinja2 is not installed")
    bench, run = played
    template = jinja2.Environment(autoescape=False).from_string(CHATML)
    for row in load(run, tmp_path / "m", "messages", bench=bench, min_reward=0.5)["train"]:
        text = template.render(messages=row["messages"])
        assert text.count("<|im_start|>") == len(row["messages"])
        assert text.startswith("<|im_start|>system\n") and text.endswith(
            f"{row['messages'][-1]['content']}<|im_end|>\n"
        )


def test_many_files_are_one_split_and_can_be_streamed(
    played: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evolif.exchange import shards

    monkeypatch.setattr(shards, "SHARD_BYTES", 1)
    monkeypatch.setattr(shards, "_GROUP_ROWS", 5)
    bench, run = played
    whole = load(run, tmp_path / "m", "messages", bench=bench)["train"]
    assert len(list((tmp_path / "m" / "data").glob("*.parquet"))) == 4
    streamed = datasets.load_dataset(str(tmp_path / "m"), split="train", streaming=True)
    assert list(streamed) == list(whole)
