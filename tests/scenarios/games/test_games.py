"""Games as a scenario: generated, played from either side, scored, held, reported, exported."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import Scripted, report, shown
from typer.testing import CliRunner

from evolif.benchmark import open_benchmark
from evolif.cli import app
from evolif.contexts import context_tokens
from evolif.errors import InputError, ModelError, UsageError
from evolif.exchange import export
from evolif.models import ChatRequest
from evolif.runner import Run, evaluate, load_run
from evolif.scenario import get_scenario, options_of
from evolif.scenarios import games
from evolif.scenarios.games import scenario as games_scenario
from evolif.scenarios.games.early_answers import haste_cost
from evolif.types import Session

pytest.importorskip("tokenizers")
pytest.importorskip("wordllama")

SCENARIO = get_scenario("games")


def made(folder: Path, dialogues: int = 2, seed: int = 1, **options: Any) -> Any:
    """A benchmark of names with nine rows, two and four turns."""
    told = {"game": "names", "turns": ["2", "4"], **options}
    told |= {"n": "9"} if told["game"] == "names" else {}
    SCENARIO.generate(folder, options_of(SCENARIO.spec, told, "games"), dialogues=dialogues, seed=seed)
    return open_benchmark(folder)


def ended(run: Run, model: str) -> list[tuple[int, str | None, str]]:
    return [(len(session.turns), session.ending, session.cause) for session in run.sessions(model)]


def texts(session: Session) -> list[tuple[str, float | None, str]]:
    return [(score.name, score.value, score.found) for turn in session.turns for score in turn.scores]


def test_the_pinned_names_are_here() -> None:
    for name in (
        "generate private_text private_image budget turn_meta truncate RegexTokenizer SubwordTokenizer parse_chess "
        "parse_question parse_image parse_row play usage isotoken guess_and_check content_ratio novelty "
        "lexical_density phrases centering answer_proposal shared_rows board_text board_features earlier_board "
        "information_gain accuracy_table proposal_table"
    ).split():
        assert callable(getattr(games, name)) and name in games.__all__


def test_every_instance_is_one_dialogue_for_each_number_of_turns(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 3, seed=5)
    lines = [bench.lines(dialogue) for dialogue in bench.dialogues()]
    assert [len(own) for own in lines] == [1] * 6
    assert [(own["number"], own["turns"]) for [own] in lines] == list(itertools.product(range(3), (2, 4)))
    for [own] in lines:
        turns = own.pop("turns")
        assert own == games.generate("names", own["number"], seed=5, n=9) and turns in (2, 4)
        own["turns"] = turns
    assert (bench.variant, bench.spec.settings) == ("names", {"n": 9})


def test_the_same_seed_gives_the_same_bytes_and_completes_a_folder(tmp_path: Path) -> None:
    made(tmp_path / "a", 3)
    made(tmp_path / "b", 3)
    (tmp_path / "b" / "dialogues" / "0002.jsonl").unlink()
    made(tmp_path / "b", 3)
    files = [sorted((tmp_path / name).rglob("*.json*")) for name in "ab"]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"turns": ["3"]}, "there are no dialogues of 3 turns"),
        ({"turns": ["4", "4"]}, "twice"),
        ({"game": "go"}, "--set game"),
        ({"rows": "9"}, "no such option"),
        ({"game": "names", "n": "10"}, "n"),
        ({"game": "chess", "near": "3"}, "near"),
    ],
)
def test_options_are_checked(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SCENARIO.generate(tmp_path / "b", options_of(SCENARIO.spec, options, "games"), dialogues=1, seed=0)
    assert not (tmp_path / "b").exists()


def test_the_command_line_makes_and_plays_and_says_how_again(tmp_path: Path) -> None:
    def call(*words: object) -> str:
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == 0, done.output
        return done.output

    out = call("generate", tmp_path / "G", "--scenario", "games", "--set", "game=names", "--set", "n=9", "--set",
               "turns=2,4", "--dialogues", 3, "--seed", 2)  # fmt: skip
    assert "6 dialogues" in out
    call("evaluate", tmp_path / "G", "-m", "sim/perfect", "--partner", "self", "--out", tmp_path / "R", "--display",
         "none")  # fmt: skip
    words, more = SCENARIO.presentation.command(open_benchmark(tmp_path / "G"), "", [1])
    assert list(words) == "--scenario games --dialogues 3 --seed 2 --set turns=2,4 --set n=9".split() and not more
    assert "player" in call("scenarios", "games")


def test_a_model_plays_itself_and_each_call_is_one_message(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1)
    model = Scripted(lambda request: "I have rows, too.")
    with closing(evaluate(bench, model, tmp_path / "run", partner="self")) as run:
        assert ended(run, model.name) == [(2, "finished", "no_answer"), (4, "finished", "no_answer")]
        assert [cost.role for cost in run.costs()] == ["partner", "target"]
        [two, four] = run.sessions(model.name)
        assert [turn.seat for turn in four.turns] == ["target", "partner"] * 2
        assert [turn.labels["player"] for turn in four.turns] == [0, 1, 0, 1]
        assert {turn.labels["instance"] for turn in (*two.turns, *four.turns)} == {0}
    assert len(model.asked) == 6 and all(len(request.messages) == 1 for request in model.asked)
    last = next(text for [(_, text)] in map(shown, model.asked) if "\n3. " in text)
    assert "1. ME: I have rows, too.\n2. YOU: I have rows, too.\n3. ME: I have rows, too.\n" in last
    assert "Turns left, this one included: 1." in last


def test_only_the_result_is_scored(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1, turns=["4"])
    key = bench.lines(1)[0]["answer"]
    said = iter(["select row 1", "Hm.", f"SELECT ROW {key[0]}"])
    with closing(evaluate(bench, Scripted(lambda request: next(said)), tmp_path / "run", partner="self")) as run:
        [session] = run.sessions("fake/model")
        assert texts(session) == [
            ("tokens", 4, "unreadable"),
            ("tokens", 3, ""),
            ("tokens", pytest.approx(6, abs=2), ""),
            ("correct", 1, "correct"),
            ("early", 1, ""),
            ("turn_share", 0.75, ""),
            ("token_share", pytest.approx(13 / 256, abs=0.01), ""),
        ]
        assert [turn.verdicts for turn in session.turns] == [(), (), ()]
        assert (session.ending, session.cause, session.patience) == ("finished", "correct", None)


def test_partner_and_reader_hear_the_cut_text(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1, turns=["4"])
    model = Scripted(lambda request: "word " * 10_000 + "SELECT ROW 1")
    with closing(evaluate(bench, model, tmp_path / "run", partner="self", options={"tokens": 40})) as run:
        assert ended(run, model.name) == [(4, "finished", "no_answer")]
        [session] = run.sessions(model.name)
        assert [(score.value, score.found) for turn in session.turns for score in turn.scores[:1]] == [
            (10, "truncated")
        ] * 4
        [dialogue] = games.played(run, model.name)
        stored = [record.answer for _, records in run.transcripts(model.name) for record in records]
    assert all(len(answer) > 50_000 for answer in stored)
    heard = " ".join(["word"] * 10)
    assert [turn["text"] for turn in dialogue["turns"]] == [heard] * 4
    assert f"3. ME: {heard}\n\nTurns left" in model.asked[-1].messages[0].content


@pytest.mark.parametrize("player", [0, 1])
def test_the_model_takes_either_side(tmp_path: Path, player: int) -> None:
    bench = made(tmp_path / "b", 1)
    model = Scripted(lambda request: "Hello.")
    told = {"player": player}
    with closing(evaluate(bench, model, tmp_path / "run", partner="scripted", options=told)) as run:
        for session in run.sessions(model.name):
            assert [turn.seat == "target" for turn in session.turns] == [
                turn % 2 == player for turn in range(len(session.turns))
            ]
        pairs = {tuple(dialogue["pair"]) for dialogue in games.played(run, model.name)}
    assert pairs == {(model.name, "sim/scripted") if player == 0 else ("sim/scripted", model.name)}
    assert all(f"You are player {player + 1};" in request.messages[0].content for request in model.asked)


def test_two_models_play_each_other(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1)
    one, other = Scripted(lambda request: "Hello."), Scripted(lambda request: "SELECT ROW 1", name="fake/other")
    with closing(evaluate(bench, one, tmp_path / "run", partner=other)) as run:
        assert [len(session.turns) for session in run.sessions(one.name)] == [2, 2]
        assert (len(one.asked), len(other.asked)) == (2, 2)
        assert {tuple(found["pair"]) for found in games.played(run, one.name)} == {("fake/model", "fake/other")}


def test_a_run_gives_the_dialogues_that_play_gives(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 2)
    with closing(evaluate(bench, "sim/guess-and-check", tmp_path / "run", partner="sim/scripted")) as run:
        found = list(games.played(run, "sim/guess-and-check"))
    pair = [SCENARIO.player(name, 0) for name in ("guess-and-check", "scripted")]
    for dialogue in found:
        again = asyncio.run(games.play(dialogue["instance"], pair, dialogue["turn_budget"]))
        assert again == dialogue
    assert [dialogue["turn_budget"] for dialogue in found] == [2, 4, 2, 4]
    assert json.loads(json.dumps(found)) == found


def test_a_chat_has_own_turns_as_the_assistants(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1, turns=["4"])
    model = Scripted(lambda request: f"Turn {len(request.messages)}.")
    evaluate(bench, model, tmp_path / "run", partner="self", options={"history": "chat"}).close()
    assert [[role for role, _ in shown(request)] for request in model.asked] == [
        ["user"], ["user"], ["user", "assistant", "user"], ["user", "assistant", "user"],
    ]  # fmt: skip


def test_answers_are_held_to_the_last_turn(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1)
    model = Scripted(lambda request: "SELECT ROW 1")
    with closing(evaluate(bench, model, tmp_path / "run", partner="self", options={"hold_answers": True})) as run:
        assert [len(session.turns) for session in run.sessions(model.name)] == [2, 4]
        flags = [[turn["flags"] for turn in found["turns"]] for found in games.played(run, model.name)]
    assert flags == [[["refused"], []], [["refused"]] * 3 + [[]]]
    early = [
        text for [(_, text)] in map(shown, model.asked) if "Too early: answers count on the last turn only." in text
    ]
    assert len(early) == 4


def test_a_fork_replays_only_what_was_answered_early(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 4, turns=["4"])
    keys = {bench.lines(number)[0]["number"]: bench.lines(number)[0]["answer"] for number in bench.dialogues()}

    def answer(request: ChatRequest) -> str:
        assert request.prompt is not None
        instance, turn = request.prompt.labels["instance"], request.prompt.turn
        if turn == 4:
            return f"SELECT ROW {keys[int(instance)][1]}"
        # Half of the instances are answered early, and wrongly.
        return f"SELECT ROW {keys[int(instance)][1] % 9 + 1}" if turn == 2 and int(instance) % 2 else "Hm."

    model = Scripted(answer)
    with closing(evaluate(bench, model, tmp_path / "free", partner="self")) as run:
        free = list(games.played(run, model.name))
        assert [cause for *_, cause in ended(run, model.name)] == ["correct", "wrong"] * 2
    model.asked.clear()
    held_run = evaluate(
        bench, model, tmp_path / "free", partner="self", fork_into=tmp_path / "held", options={"hold_answers": True}
    )
    with closing(held_run) as run:
        held = list(games.played(run, model.name))
        assert ended(run, model.name) == [(4, "finished", "correct")] * 4
        assert run.settings.options == {"hold_answers": True}
    asked = [(request.prompt.labels["instance"], request.prompt.turn) for request in model.asked if request.prompt]
    assert sorted(asked) == [(1, 3), (1, 4), (3, 3), (3, 4)]
    [row] = haste_cost(free, held)
    assert (row["n"], row["accuracy_free"], row["accuracy_held"], row["cost"]) == (2, 0.0, 1.0, 1.0)
    with closing(load_run(tmp_path / "free")) as run:
        assert [cause for *_, cause in ended(run, model.name)] == ["correct", "wrong"] * 2


def test_a_fork_with_other_prompts_keeps_nothing(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1)
    model = Scripted(lambda request: "Hm.")
    evaluate(bench, model, tmp_path / "free", partner="self").close()
    model.asked.clear()
    told = {"partner": "self", "fork_into": tmp_path / "new", "options": {"hold_answers": True, "tokens": 100}}
    evaluate(bench, model, tmp_path / "free", **told).close()
    assert len(model.asked) == 6


def test_a_run_that_held_answers_is_not_taken_for_one_that_did_not(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1, turns=["4"])
    model = Scripted(lambda request: "SELECT ROW 1")
    evaluate(bench, model, tmp_path / "held", partner="self", options={"hold_answers": True}).close()
    assert len(model.asked) == 4
    with closing(evaluate(bench, model, tmp_path / "held", partner="self", fork_into=tmp_path / "free")) as run:
        assert [length for length, *_ in ended(run, model.name)] == [1]
    assert len(model.asked) == 5


@pytest.mark.parametrize(("reference", "parts"), [("floor", 1), ("ceiling", 2)])
def test_floor_and_ceiling_are_one_call_without_a_dialogue(tmp_path: Path, reference: str, parts: int) -> None:
    bench = made(tmp_path / "b", 2, turns=["2"])
    answers = [bench.lines(number)[0]["answer"][parts - 1] for number in bench.dialogues()]
    model = Scripted(lambda request: f"SELECT ROW {answers[0]}")
    with closing(evaluate(bench, model, tmp_path / "run", options={"reference": reference})) as run:
        assert [length for length, *_ in ended(run, model.name)] == [1, 1]
        assert ended(run, model.name)[0][2] == "correct"
        [first, _] = games.played(run, model.name)
    assert (first["pair"], first["reference"], first["turn_budget"]) == ([model.name], reference, 2)
    assert len(model.asked) == 2
    assert [text.count("row,name") for [(_, text)] in map(shown, model.asked)] == [parts, parts]


def test_simulated_players_are_what_they_are_called(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 6, turns=["4"])
    with closing(evaluate(bench, ["sim/perfect", "sim/floor"], tmp_path / "run", partner="scripted")) as run:
        assert [cause for *_, cause in ended(run, "sim/perfect")] == ["correct"] * 6
        assert all(length == 1 for length, *_ in ended(run, "sim/floor"))
    with pytest.raises(UsageError, match="the scenario games has sim/perfect"):
        SCENARIO.player("nobody", 0)


def test_a_player_that_does_not_know_a_game_says_so(tmp_path: Path) -> None:
    pytest.importorskip("chess")
    bench = made(tmp_path / "b", 1, game="chess")
    with closing(evaluate(bench, "sim/guess-and-check", tmp_path / "run")) as run:
        assert {ending for _, ending, _ in ended(run, "sim/guess-and-check")} == {"suspended"}


def test_scripted_chess_is_always_right_from_either_side(tmp_path: Path) -> None:
    pytest.importorskip("chess")
    bench = made(tmp_path / "b", 8, game="chess", turns=["2", "16"])
    for player in (0, 1):
        told = {"player": player}
        with closing(evaluate(bench, "sim/scripted", tmp_path / f"run{player}", options=told)) as run:
            assert {cause for *_, cause in ended(run, "sim/scripted")} == {"correct"}


@pytest.mark.sampled
@pytest.mark.parametrize("modality", ["text", "image"])
@pytest.mark.parametrize("game", ["scenes", "shapes", "questions"])
def test_scenes_shapes_and_questions_are_played_as_texts_and_as_pictures(
    tmp_path: Path, game: str, modality: str
) -> None:
    if modality == "image":
        pytest.importorskip("PIL")
    bench = made(tmp_path / "b", 3, game=game, modality=modality)
    model = Scripted(lambda request: "I see something.")
    with closing(evaluate(bench, [model, "sim/scripted"], tmp_path / "run", partner="scripted")) as run:
        assert {ending for name in run.models for _, ending, _ in ended(run, name)} == {"finished"}
        dialogues = list(games.played(run, "sim/scripted"))
    assert {dialogue["final"]["reason"] for dialogue in dialogues if dialogue["final"]} <= {"correct", "wrong"}
    assert not any(turn["truncated"] for dialogue in dialogues for turn in dialogue["turns"])
    assert {dialogue["modality"] for dialogue in dialogues} == {modality}
    pictures = [[len(message.images) for message in request.messages] for request in model.asked]
    # A picture stands below its label, and the text comes last.
    assert all(own == [1] * (len(own) - 1) + [0] and (len(own) > 1) == (modality == "image") for own in pictures)
    longest = 1_500 if modality == "image" else 6_000
    assert all(len(request.messages[-1].content) < longest for request in model.asked)


def test_the_report_has_accuracy_by_turns_and_gain(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 8)

    def answer(request: ChatRequest) -> str:
        assert request.prompt is not None
        right = request.prompt.labels["turn_budget"] == 4 or int(request.prompt.labels["instance"]) < 2
        key = request.prompt.payload["key"]
        return f"SELECT ROW {key if right else key % 9 + 1}"

    with closing(evaluate(bench, Scripted(answer), tmp_path / "run", partner="self")) as run:
        told = report(run)
    assert told["accuracy"]["value"] == 10 / 16
    assert told["accuracy"]["low"] < 10 / 16 < told["accuracy"]["high"]
    assert told["by_turns"] == {"2": 0.25, "4": 1.0} and told["gain"] == 0.75
    assert told["gain_interval"]["low"] <= 0.75 <= told["gain_interval"]["high"]
    assert told["reasons"] == {"correct": 10, "wrong": 6}
    assert told["early"]["value"] == 1.0 and told["early_accuracy"]["value"] == 10 / 16
    assert told["kinds"]["turn_budget"]["2"]["accuracy"]["value"] == 0.25


def test_one_number_of_turns_has_no_gain(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 2, turns=["2"])
    with closing(evaluate(bench, "sim/perfect", tmp_path / "run")) as run:
        told = report(run)
    assert told["accuracy"]["value"] == 1.0 and "gain" not in told and "by_turns" not in told


def test_a_fault_suspends_and_is_no_result(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1, turns=["4"])
    broken = iter([ModelError("the endpoint is down"), "Hm."])
    partner = Scripted(lambda request: next(broken, "Hm."), name="fake/partner")
    model = Scripted(lambda request: "Hm.")
    with closing(evaluate(bench, model, tmp_path / "run", partner=partner)) as run:
        assert ended(run, model.name) == [(1, "suspended", "partner")]
        assert report(run)["accuracy"]["value"] is None
        [dialogue] = games.played(run, model.name)
        assert dialogue["final"] is None and games.accuracy_table([dialogue]) == []
    with closing(evaluate(bench, model, tmp_path / "run", partner=partner)) as run:
        assert ended(run, model.name) == [(4, "finished", "no_answer")]
    assert (len(model.asked), len(partner.asked)) == (2, 3)


def test_keys_are_never_shown_and_left_out_of_exports(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 2)
    model = Scripted(lambda request: "Hm.")
    evaluate(bench, model, tmp_path / "run", partner="self").close()
    for source in ("b", "run"):
        export(tmp_path / source, tmp_path / f"{source}.jsonl")
        export(tmp_path / source, tmp_path / f"{source}-keys.jsonl", with_witness=True)
    rows = {
        name: [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        for name in ("b", "run", "b-keys", "run-keys")
    }
    assert len(rows["b"]) == 4 and len(rows["run"]) == 12
    assert all({"private", "turns"} <= row.keys() and not {"answer", "proof"} & row.keys() for row in rows["b"])
    assert [row["answer"] for row in rows["b-keys"]] == [bench.lines(number)[0]["answer"] for number in (1, 2, 3, 4)]
    assert all(row["answer"] == "Hm." and not {"answer_key", "proof"} & row.keys() for row in rows["run"])
    assert all(score["expected"] == "" for row in rows["run"] for score in row["scores"])
    assert [row["answer_key"] for row in rows["run-keys"][:2]] == bench.lines(1)[0]["answer"]


def test_context_strategies_do_not_apply(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1)
    with pytest.raises(UsageError, match="--context: the prompts of games tell the history themselves"):
        evaluate(bench, "sim/perfect", tmp_path / "run", context="last:1")


@pytest.mark.parametrize(("history", "most"), [("transcript", 0), ("chat", 300)])
def test_context_tokens_count_what_is_sent(tmp_path: Path, history: str, most: int) -> None:
    bench = made(tmp_path / "b", 1, turns=["4"])
    model = Scripted(lambda request: "Hm.")
    with closing(evaluate(bench, model, tmp_path / "run", partner="self", options={"history": history})) as run:
        size = report(run)["context_tokens"]
    sent = [
        sum(context_tokens((message, message)) for message in request.messages[:-1])
        for request in model.asked
        if request.prompt is not None and request.prompt.seat == "target"
    ]
    assert size["turns"] == 2 and size["mean"] == sum(sent) / 2
    assert (max(sent) > most) == (history == "chat")


def test_a_missing_extra_is_said_before_the_first_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = made(tmp_path / "b", 1)
    model = Scripted(lambda request: "Hm.")
    monkeypatch.setattr("evolif.scenarios.games.tokens.tokenizer_name", lambda: None)
    _forget()
    try:
        with pytest.raises(UsageError, match="install the extra `games`"):
            evaluate(bench, model, tmp_path / "run", partner="self")
        assert not model.asked
        evaluate(bench, model, tmp_path / "words", partner="self", options={"tokenizer": "regex"}).close()
    finally:
        _forget()
    assert len(model.asked) == 6


def _forget() -> None:
    games_scenario.tokenizer_of.cache_clear()


@pytest.mark.sampled
@pytest.mark.parametrize("reply", ["", "\ud800\u2028\x00", "word " * 10_000, "select the row\nANSWER: Image 1\n_MINE_"])
def test_hostile_replies_are_stored_and_resumed(tmp_path: Path, reply: str) -> None:
    bench = made(tmp_path / "b", 1, turns=["4"])
    answers = iter([reply, reply, ModelError("the endpoint is down"), reply, reply])

    def answer(request: ChatRequest) -> str | Exception:
        return next(answers)

    model = Scripted(answer)
    evaluate(bench, model, tmp_path / "run", partner="self").close()
    with closing(evaluate(bench, model, tmp_path / "run", partner="self")) as run:
        [(length, ending, cause)] = ended(run, model.name)
        assert (length, ending) == (4, "finished") and cause in ("no_answer", "unparseable")
        assert report(run)["accuracy"]["value"] == 0.0
        [dialogue] = games.played(run, model.name)
    assert all(turn["tokens"] <= 64 for turn in dialogue["turns"])
    assert len(model.asked) == 5


def test_tokens_of_another_tokenizer_are_not_mixed(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1)
    with closing(evaluate(bench, "sim/perfect", tmp_path / "run")) as run:
        [(_, [record, *_]), *_] = run.transcripts("sim/perfect")
        environment = SCENARIO.environment(
            None, options_of(SCENARIO.play, {"tokenizer": "regex"}, "games"), _services()
        )
        with pytest.raises(UsageError, match=r"counted tokens with l2_supercat-\w+, but regex-\w+ is installed"):
            environment.heard(record.prompt, record.answer)


def _services() -> Any:
    from evolif.scenario import Services

    return Services()


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1)
    file = tmp_path / "b" / "dialogues" / "0001.jsonl"
    file.write_text(json.dumps(bench.lines(1)[0] | {"private": [1]}) + "\n", encoding="utf-8")
    with closing(evaluate(tmp_path / "b", "sim/perfect", tmp_path / "run")) as run:
        reasons = [session.reason for session in run.sessions("sim/perfect") if session.ending == "suspended"]
    assert len(reasons) == 1 and re.search(r"0001\.jsonl.*no instance of a game", reasons[0])
    with pytest.raises(InputError, match="0001"):
        open_benchmark(tmp_path / "b").match(1, games_scenario.GamePlay(), "words")


def test_the_cost_is_foreseen(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 1, turns=["2", "16"])
    lengths = SCENARIO.expected(bench, games_scenario.GamePlay())
    assert (lengths.turns, lengths.partner_calls) == (4.5, 1.0)
    assert lengths.answer_tokens == (128 + 16) / 2
    assert SCENARIO.expected(bench, games_scenario.GamePlay(reference="floor")).turns == 1.0
    assert (
        SCENARIO.defaults(bench, SCENARIO.play()).max_turns == 9
        and SCENARIO.defaults(bench, SCENARIO.play()).patience is None
    )


def test_a_benchmark_without_an_edition_is_of_the_first_and_stays_so(tmp_path: Path) -> None:
    bench = made(tmp_path / "b", 2, game="scenes", n=None)
    header = json.loads((tmp_path / "b" / "benchmark.json").read_text(encoding="utf-8"))
    assert header["spec"]["edition"] == 2 == bench.lines(1)[0]["settings"]["edition"]
    old = made(tmp_path / "old", 2, game="scenes", n=None, edition="1")
    header = json.loads((tmp_path / "old" / "benchmark.json").read_text(encoding="utf-8"))
    assert "edition" not in header["spec"] and "edition" not in old.lines(1)[0]["settings"]
    assert old.lines(1)[0]["private"] == games.generate("scenes", 0, seed=1, edition=1)["private"]
    assert (old.spec.edition, bench.spec.edition) == (1, 2)
    words, _ = SCENARIO.presentation.command(old, old.variant, [1])
    assert words[-2:] == ["--set", "edition=1"]
    with pytest.raises(UsageError, match="another benchmark"):
        made(tmp_path / "old", 3, game="scenes", n=None)
