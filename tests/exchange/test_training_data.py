"""Conversations and pairs for training: what rows have, what is left out, and what is refused."""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

import evolif
from evolif import UsageError
from evolif.exchange import TrainingOptions, canary_of, export
from evolif.metrics.rewards import REWARD_KINDS, reward_of, turn_rewards
from evolif.models import ChatRequest, Reply
from evolif.runner import Run, RunStore
from evolif.runner.provenance import Origin
from evolif.types import Message

pytest.importorskip("pyarrow", reason="pyarrow is not installed (evolif[datasets])")
pytestmark = pytest.mark.filterwarnings("error")


class Writer:
    """A model that says something else in each epoch: now almost what is asked for, now anything."""

    connections = 4

    def __init__(self, name: str) -> None:
        self.name = name
        self.seen: list[tuple[Message, ...]] = []

    async def complete(self, request: ChatRequest) -> Reply:
        self.seen.append(request.messages)
        told = f"{self.name} {request.epoch} {request.messages[-1].content}"
        drawn = sha256(told.encode()).digest()
        words = [f"w{chr(97 + byte % 26)}{chr(97 + byte // 26)}" for byte in drawn]
        key = request.prompt.payload.get("witness", "").split(" ")
        if drawn[0] % 3 == 0 or len(key) < 4:
            return Reply(f"{' '.join(words[: 3 + drawn[1] % 9])}.")
        place = 1 + drawn[1] % (len(key) - 2)  # most of an answer key, which is in no answer as it is
        return Reply(" ".join([*key[:place], words[0], *key[place + 1 :]]))

    async def aclose(self) -> None: ...


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run, list[Writer]]:
    """A benchmark, and a run of two models on it."""
    root = tmp_path_factory.mktemp("played")
    bench = evolif.generate(root / "b", dialogues=3, turns=4, seed=8, profile="objective")
    models = [Writer("own/one"), Writer("own/two")]
    run = evolif.evaluate(bench, models, root / "r", max_turns=4, patience=4, epochs=2)
    return root / "b", run, models


def read(folder: Path) -> list[dict]:
    from pyarrow import parquet

    files = sorted((folder / "data").glob("*.parquet"))
    return [row for file in files for row in parquet.read_table(file).to_pylist()]


def front_matter(folder: Path) -> dict:
    import yaml

    return yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("---")[1])


def test_a_row_is_what_the_model_was_shown_at_last_and_its_answer(played, tmp_path: Path) -> None:
    bench, run, models = played
    done = export(run.path, tmp_path / "m", format="messages", training=TrainingOptions(bench=bench))
    rows = read(tmp_path / "m")
    assert done.rows == len(rows) == len(run.sessions()) == 12 and done.unit == "conversation"
    told = {model.name: {tuple((m.role, m.content) for m in seen) for seen in model.seen} for model in models}
    for row in rows:
        *asked, last = ((message["role"], message["content"]) for message in row["messages"])
        assert tuple(asked) in told[row["model"]] and last[0] == "assistant"
        roles = [role for role, _ in asked]
        assert roles == ["system", *["user", "assistant"] * (len(roles) // 2 - 1), "user"]
        assert row["canary"] == canary_of(run.settings.benchmark) and row["benchmark"] == run.settings.benchmark


def test_rewards_and_verdicts_are_those_of_the_run(played, tmp_path: Path) -> None:
    bench, run, _ = played
    export(run.path, tmp_path / "m", format="messages", training=TrainingOptions(bench=bench))
    sessions = {(s.model, s.dialogue, s.epoch): s for s in run.sessions()}
    for row in read(tmp_path / "m"):
        session = sessions[row["model"], row["dialogue"], row["epoch"]]
        assert row["rewards"] == {kind: reward_of(session, kind) for kind in REWARD_KINDS}
        for kind in REWARD_KINDS:
            assert [turn["rewards"][kind] for turn in row["turns"]] == list(turn_rewards(session, kind))
        for turn, judged in zip(row["turns"], session.turns, strict=True):
            assert [v["satisfied"] for v in turn["verdicts"]] == [v.satisfied for v in judged.verdicts]
            assert row["messages"][turn["message"]]["role"] == "assistant"
        assert [turn["message"] for turn in row["turns"]] == [2, 4, 6, 8]


def test_a_least_reward_ends_a_conversation_before_the_first_worse_answer(played, tmp_path: Path) -> None:
    bench, run, _ = played
    whole = {(r["model"], r["dialogue"], r["epoch"]): r for r in _rows(run, tmp_path / "m", bench=bench)}
    shorter = _rows(run, tmp_path / "s", bench=bench, min_reward=0.5)
    assert len(shorter) > 0 and sum(len(row["turns"]) for row in shorter) < sum(len(r["turns"]) for r in whole.values())
    for row in shorter:
        full = whole.pop((row["model"], row["dialogue"], row["epoch"]))
        number = len(row["turns"])
        assert row["turns"] == full["turns"][:number] and row["messages"] == full["messages"][: len(row["messages"])]
        assert all(turn["rewards"]["dense"] >= 0.5 for turn in row["turns"])
        assert row["cut"] == ("low reward" if number < len(full["turns"]) else "")
        assert row["cut"] == "" or full["turns"][number]["rewards"]["dense"] < 0.5
        assert row["rewards"] == full["rewards"]
    assert all(row["turns"][0]["rewards"]["dense"] < 0.5 for row in whole.values())


def _rows(run: Run, out: Path, format: str = "messages", **options) -> list[dict]:
    export(run.path, out, format=format, training=TrainingOptions(**options))
    return read(out)


def test_without_the_benchmark_system_texts_are_missing_and_the_card_says_so(played, tmp_path: Path) -> None:
    bench, run, _ = played
    done = export(run.path, tmp_path / "m", format="messages")
    assert all(row["messages"][0]["role"] == "user" for row in read(tmp_path / "m"))
    assert any("System texts are missing" in note for note in done.notes)
    assert front_matter(tmp_path / "m")["evolif"]["system_texts"] == "missing"
    _rows(run, tmp_path / "s", bench=bench)
    assert front_matter(tmp_path / "s")["evolif"]["system_texts"] == "included"


def test_the_side_of_a_benchmark_is_the_split(played, tmp_path: Path) -> None:
    _, run, _ = played
    shutil.copytree(run.path, tmp_path / "r")
    with closing(RunStore.open(tmp_path / "r")) as store:
        store.note_origin(Origin((), (), {"split": {"side": "test", "edition": 1}}).dump())
    done = export(tmp_path / "r", tmp_path / "m", format="messages")
    assert {row["split"] for row in read(tmp_path / "m")} == {"test"}
    assert front_matter(tmp_path / "m")["configs"][0]["data_files"][0]["split"] == "test"
    assert any("held out for measuring" in note for note in done.notes)


def test_another_benchmark_is_refused(played, tmp_path: Path) -> None:
    _, run, _ = played
    evolif.generate(tmp_path / "other", dialogues=1, turns=1, seed=9, profile="objective")
    with pytest.raises(UsageError, match="not the benchmark of"):
        export(run.path, tmp_path / "m", format="messages", training=TrainingOptions(bench=tmp_path / "other"))
    assert not (tmp_path / "m").exists()


def test_the_card_names_the_files_and_their_columns(played, tmp_path: Path) -> None:
    bench, run, _ = played
    rows = _rows(run, tmp_path / "m", bench=bench)
    head = front_matter(tmp_path / "m")
    assert head["configs"][0]["data_files"] == [{"split": "train", "path": "data/train-*.parquet"}]
    info = head["dataset_info"]
    assert [feature["name"] for feature in info["features"]] == list(rows[0])
    assert info["splits"][0]["num_examples"] == len(rows) == head["evolif"]["rows"]
    text = (tmp_path / "m" / "README.md").read_text(encoding="utf-8")
    assert canary_of(run.settings.benchmark) in text and "Measure it on another one" in text


def test_large_runs_are_written_in_pieces(played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import parquet

    from evolif.exchange import shards

    _, run, _ = played
    monkeypatch.setattr(shards, "_GROUP_ROWS", 2)
    monkeypatch.setattr(shards, "SHARD_BYTES", 1)
    whole = _rows(run, tmp_path / "m")
    files = sorted((tmp_path / "m" / "data").iterdir())
    assert [file.name for file in files] == [f"train-{n:05}-of-{len(files):05}.parquet" for n in range(len(files))]
    assert len(files) == 6 and all(parquet.ParquetFile(file).metadata.num_rows == 2 for file in files)
    monkeypatch.undo()
    assert whole == _rows(run, tmp_path / "one")


def test_no_answer_key_is_in_training_data(tmp_path: Path) -> None:
    bench = evolif.generate(tmp_path / "b", dialogues=3, turns=6, seed=8, profile="objective")
    run = evolif.evaluate(bench, "sim/steady?skill=.4", tmp_path / "r", epochs=3, max_turns=20)
    done = export(run.path, tmp_path / "m", format="messages")
    keys = [key for prompt in run.prompts() if len(key := prompt.payload["witness"]) > 30]
    plain = json.dumps(read(tmp_path / "m"), ensure_ascii=False)
    assert keys and [key for key in keys if json.dumps(key, ensure_ascii=False)[1:-1] in plain] == []
    assert any("answer key" in note for note in done.notes)
    perfect = evolif.evaluate(bench, "sim/perfect", tmp_path / "p", max_turns=2)
    with pytest.raises(UsageError, match=r"no conversation of .* is left: 3 conversations end before"):
        export(perfect.path, tmp_path / "k", format="messages")


@pytest.mark.parametrize("format", ["messages", "preferences"])
def test_witnesses_are_refused(played, tmp_path: Path, format: str) -> None:
    bench, run, _ = played
    with pytest.raises(UsageError, match=r"witnesses are no training data: .* leave out --with-witness"):
        export(run.path, tmp_path / "m", format=format, with_witness=True)
    with pytest.raises(UsageError, match=r"only for runs; witnesses are no training data: .* export a run"):
        export(bench, tmp_path / "m", format=format)
    assert not (tmp_path / "m").exists()


def test_pairs_are_answers_to_exactly_the_same_conversation(played, tmp_path: Path) -> None:
    bench, run, models = played
    rows = _rows(run, tmp_path / "p", "preferences", bench=bench)
    assert rows and {row["turn"] for row in rows} == {1}  # no two sessions went on alike
    first = {}
    for model in run.models:
        for session, records in run.transcripts(model):
            answers = first.setdefault(session.dialogue, {})
            answers[records[0].answer] = turn_rewards(session, "dense")[0], model
    for row in rows:
        answers = first[row["dialogue"]]
        chosen, rejected = row["chosen"][0]["content"], row["rejected"][0]["content"]
        best, worst = (pick(reward for reward, _ in answers.values()) for pick in (max, min))
        assert (answers[chosen][0], answers[rejected][0]) == (best, worst)
        assert (row["chosen_reward"], row["rejected_reward"], row["margin"]) == (best, worst, best - worst)
        assert answers[chosen][1] == row["chosen_model"] and answers[rejected][1] == row["rejected_model"]
        asked = {tuple((m.role, m.content) for m in seen) for model in models for seen in model.seen}
        assert tuple((m["role"], m["content"]) for m in row["prompt"]) in asked
        assert [m["role"] for m in row["prompt"]] == ["system", "user"]


def test_pairs_can_be_chosen(played, tmp_path: Path) -> None:
    bench, run, _ = played
    rows = _rows(run, tmp_path / "p", "preferences", bench=bench)
    margin, best = max(row["margin"] for row in rows), max(row["chosen_reward"] for row in rows)
    kept = _rows(run, tmp_path / "w", "preferences", bench=bench, min_margin=margin)
    assert kept == [row for row in rows if row["margin"] >= margin]
    good = _rows(run, tmp_path / "g", "preferences", bench=bench, min_reward=best)
    assert good == [row for row in rows if row["chosen_reward"] >= best]


def test_answers_of_other_runs_count_too(played, tmp_path: Path) -> None:
    bench, _, _ = played
    runs = [evolif.evaluate(bench, Writer(f"own/{name}"), tmp_path / name, max_turns=3, patience=3) for name in "abcd"]
    with pytest.raises(UsageError, match=r"no pair .* --also RUN"):
        export(tmp_path / "a", tmp_path / "x", format="preferences")
    rows = _rows(runs[0], tmp_path / "p", "preferences", also=tuple(tmp_path / name for name in "bcd"))
    assert rows and all(row["chosen_model"] != row["rejected_model"] for row in rows)
    conversations = _rows(runs[0], tmp_path / "m", also=(tmp_path / "b",))
    assert "1 more run on the same benchmark is in it." in (tmp_path / "m" / "README.md").read_text(encoding="utf-8")
    assert {row["model"] for row in conversations} == {"own/a", "own/b"}


def test_runs_whose_rewards_do_not_compare_are_refused(played, tmp_path: Path) -> None:
    bench, run, _ = played
    evolif.evaluate(bench, Writer("own/x"), tmp_path / "j", max_turns=1, judge="lexical").close()
    with pytest.raises(UsageError, match="judged in different ways"):
        export(run.path, tmp_path / "p", format="preferences", training=TrainingOptions(also=(tmp_path / "j",)))
    evolif.generate(tmp_path / "other", dialogues=1, turns=1, seed=9, profile="objective")
    evolif.evaluate(tmp_path / "other", Writer("own/x"), tmp_path / "o", max_turns=1).close()
    with pytest.raises(UsageError, match="another benchmark"):
        export(run.path, tmp_path / "m", format="messages", training=TrainingOptions(also=(tmp_path / "o",)))


def test_a_shortened_context_has_conversations_but_no_pairs(played, tmp_path: Path) -> None:
    bench, _, _ = played
    run = evolif.evaluate(bench, Writer("own/x"), tmp_path / "r", max_turns=3, patience=3, context="last:1", epochs=2)
    rows = _rows(run, tmp_path / "m", bench=bench)
    assert max(len(row["messages"]) for row in rows) == 7
    assert "shown less than the whole conversation" in (tmp_path / "m" / "README.md").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="--context full"):
        export(run.path, tmp_path / "p", format="preferences")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"reward": "dence"}, r"the reward dence is unknown.*dense.*; use dense or turn"),
        ({"reward": "session"}, r"rewards whole conversations.*; use dense or turn"),
        ({"min_reward": 1.5}, r"--min-reward 1.5 is not between 0 and 1"),
        ({"min_margin": -1}, r"--min-margin -1 is not between 0 and 1"),
        ({"samples": Path("x")}, r"--samples needs --bench"),
    ],
)
def test_bad_options_are_one_sentence(options: dict, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        TrainingOptions(**options)


@pytest.mark.parametrize("format", ["messages", "preferences"])
def test_without_pyarrow_nothing_is_left_behind(
    played, tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, run, _ = played
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"need pyarrow; install evolif\[datasets\]"):
        export(run.path, tmp_path / "m", format=format)
    assert list(tmp_path.iterdir()) == []


def test_options_for_training_are_for_training_data_only(played, tmp_path: Path) -> None:
    bench, run, _ = played
    with pytest.raises(UsageError, match="choose messages or preferences"):
        export(run.path, tmp_path / "r.jsonl", training=TrainingOptions(bench=bench))
    with pytest.raises(UsageError, match="use --format preferences"):
        export(run.path, tmp_path / "m", format="messages", training=TrainingOptions(min_margin=0.1))


def test_in_games_a_row_is_what_the_player_saw(tmp_path: Path) -> None:
    bench = evolif.generate(tmp_path / "g", dialogues=1, scenario="games", seed=3)
    player = Writer("own/player")
    run = evolif.evaluate(bench, player, tmp_path / "r", max_turns=3)
    rows = _rows(run, tmp_path / "m")
    said = {record.answer for _, records in run.transcripts("own/player") for record in records}
    seen = {tuple((m.role, m.content) for m in messages) for messages in player.seen}
    for row in rows:
        *asked, last = ((m["role"], m["content"]) for m in row["messages"])
        assert tuple(asked) in seen and last[1] in said
        assert row["turns"][-1]["message"] == len(row["messages"]) - 1
        assert all(turn["message"] is None for turn in row["turns"][:-1])  # each prompt tells the history itself
    assert rows
