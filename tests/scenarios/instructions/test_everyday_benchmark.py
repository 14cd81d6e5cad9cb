"""A benchmark of the profile `everyday`, through everything that reads turns."""

import json

import pytest

import evolif
from evolif.exchange import export, import_benchmark
from evolif.review import BenchmarkQueue
from evolif.review.exchange import export as export_queue
from evolif.review.turn_view import turn_blocks
from evolif.scenarios.instructions.audit import audit
from evolif.scenarios.instructions.queries import check_query, read_claims
from evolif.scenarios.instructions.synthesis.intent import intent_of
from evolif.scenarios.instructions.synthesis.prompts import change_of
from evolif.scenarios.instructions.turn_lines import read_turns, to_object

DIALOGUES, TURNS = 3, 14


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    root = tmp_path_factory.mktemp("everyday") / "bench"
    return evolif.generate(root, dialogues=DIALOGUES, turns=TURNS, seed=5, profile="everyday")


def lines_of(root):
    return {path.name: path.read_bytes() for path in sorted((root / "dialogues").glob("*.jsonl"))}


def turns_of(bench):
    return [turn for number in bench.dialogues() for turn in bench.turns(number)]


def test_it_has_as_many_dialogues_as_the_profile_says(tmp_path):
    made = evolif.generate(tmp_path / "bench", turns=1, seed=1, profile="everyday", only=1)
    assert made.header.spec.dialogues == 40
    other = evolif.generate(tmp_path / "other", turns=1, seed=1, only=1, profile="objective")
    assert other.header.spec.dialogues == 150


def test_lines_hold_one_operation_or_several(bench):
    lines = [json.loads(line) for text in lines_of(bench.path).values() for line in text.splitlines()]
    several = [line for line in lines if "operations" in line]
    assert several
    assert all(("operation" in line) != ("operations" in line) for line in lines)
    assert all(len(line["operations"]) > 1 for line in several)
    assert {line["act"] for line in lines if "act" in line} == {"state", "replace_all"}


def test_lines_are_read_as_they_are_written(bench):
    for path in sorted((bench.path / "dialogues").glob("*.jsonl")):
        told = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert [json.dumps(to_object(turn)) for turn in read_turns(path)] == list(map(json.dumps, told))


def test_it_grows_into_what_it_would_have_been(bench, tmp_path):
    short = evolif.generate(tmp_path / "short", dialogues=DIALOGUES, turns=3, seed=5, profile="everyday")
    short.extend(TURNS)
    assert lines_of(short.path) == lines_of(bench.path)


def test_every_turn_is_satisfiable(bench):
    result = audit(bench.path)
    summary = result.summary
    assert summary["status"]["satisfiable"] == DIALOGUES * TURNS
    assert summary["witnesses"]["failing"] == 0
    assert summary["descriptions"]["turns_mismatching"] == 0
    assert sum(summary["operations"].values()) == DIALOGUES * TURNS


@pytest.mark.sampled
@pytest.mark.parametrize("format", ["jsonl", "parquet", "evolif-dialogs", "evolif-states"])
def test_it_comes_back_from_an_export(bench, tmp_path, format):
    if format == "parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"out.{format}" if format in ("jsonl", "parquet") else tmp_path / "out"
    export(bench.path, out, format=format, with_witness=format != "evolif-states")
    back = import_benchmark(out, tmp_path / "back")
    assert back.changes == {"none": 0, "several": 0}
    made = evolif.load_benchmark(tmp_path / "back")
    pairs = list(zip(turns_of(bench), turns_of(made), strict=True))
    assert all(one.operations == two.operations and one.act == two.act for one, two in pairs)
    if format != "evolif-states":
        assert made.identity == bench.identity


def test_a_perfect_player_goes_on_to_the_cap(bench, tmp_path):
    run = evolif.evaluate(bench, ["sim/perfect"], tmp_path / "run")
    assert run.settings.patience == 5
    assert run.settings.max_turns == 30
    (sessions,) = [list(run.sessions())]
    assert all(session.ending == "censored" for session in sessions)


@pytest.mark.slow
def test_a_person_reviews_it(bench, tmp_path):
    queue = BenchmarkQueue(bench, "ada", checker=check_query)
    entries = {entry.key: entry for entry in queue.entries()}
    export_queue(queue, list(entries), tmp_path / "queue.jsonl")
    for line in map(json.loads, (tmp_path / "queue.jsonl").read_text("utf-8").splitlines()):
        turn = queue.turn(f"{line['dialogue']}/{line['turn']}")
        told = line["intention"]
        if len(turn.operations) == 1:
            assert (told["operation"], told["group"]) == (turn.operation.kind, turn.operation.group)
        else:
            assert [one["group"] for one in told["operations"]] == [one.group for one in turn.operations]
            assert len(told["changes"]) == len(turn.operations)
        label = entries[f"{turn.dialogue}/{turn.turn}"].label
        assert all(one.group in label for one in turn.operations)
        assert turn_blocks(turn, (), queue.earlier(f"{turn.dialogue}/{turn.turn}"), (), checked=True)


@pytest.mark.slow
def test_writers_and_checkers_take_every_turn(bench):
    for turn in turns_of(bench):
        told = change_of(turn)
        assert told.text
        assert intent_of(turn).reference
        assert isinstance(check_query(turn, turn.query), list)
        assert all(0 <= claim.span[0] <= claim.span[1] <= len(turn.query) for claim in read_claims(turn.query, turn))
        if turn.act == "replace_all":
            assert told.text.startswith("Everything")
