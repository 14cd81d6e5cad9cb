"""The authors' two layouts: miniatures of the same shape, and the released files where they lie beside us."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

import evolif
from evolif import InputError, UsageError, load_benchmark
from evolif.exchange import export, import_benchmark
from evolif.exchange.authors import foreign_constraint
from evolif.scenarios.instructions.audit import audit
from evolif.scenarios.instructions.constraints import check
from evolif.scenarios.instructions.source import TurnSource
from evolif.scenarios.instructions.turns import Constraint

RELEASE = Path(
    os.environ.get("EVOLIF_RELEASE_DATA") or Path(__file__).parents[3] / "shared" / "data" / "evolif-release"
)
released = pytest.mark.skipif(not RELEASE.is_dir(), reason="the authors' released files are not here")

FOUR = ("countableItems", {"num": 4})
TEA = ("startwith", {"mode": "keyword", "value": "tea shop"})
NO_TEA = ("forbidden", ["tea"])
CSV = ("format", {"mode": "csv"})
SHORT = ("length", {"mode": "word", "relation": "less_than", "number": 50})


def dialog(turn, topic, query, *entries, **more):
    return {"turn": turn, "active_topic": topic, "user_query_verified": query, **_asked(entries), **more}


def state(turn, topic, *entries, **more):
    return {"turn": turn, "active_topic": topic, "topic_query": f"Write about task {topic}.", **_asked(entries), **more}


def _asked(entries):
    return {"instructions": [{"id": name, "args": args, "description": ""} for name, args in entries]}


def write(path, *lines):
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    return path


@pytest.fixture
def imported(tmp_path):
    def make(*lines, name="dialog_7.jsonl"):
        told = import_benchmark(write(tmp_path / name, *lines), tmp_path / "bench")
        return told, load_benchmark(tmp_path / "bench")

    return make


STYLE = {"uuid": "p-1", "persona": "Someone with a shop.", "styles": ["short", "kind"]}


def test_topic_move_operation_and_persona_are_derived(imported):
    told, bench = imported(
        dialog(1, 11, "Write about my shop, with four bullets.", FOUR, style=STYLE),
        dialog(2, 11, "Fewer than 50 words, please.", FOUR, SHORT, style=STYLE),
        dialog(3, 12, "Now a table of prices as CSV.", CSV, style=STYLE),
        dialog(4, 11, "Back to the shop: the bullets can go.", SHORT, style=STYLE),
    )
    turns = bench.turns(1)
    assert [t.move for t in turns] == ["new", "continue", "new", "backtrack"]
    changes = [(t.operation.kind, t.operation.group) for t in turns]
    assert changes == [("add", "bullets"), ("add", "length"), ("add", "format"), ("remove", "bullets")]
    assert turns[3].operation.before == {"count": 4} and turns[3].operation.after is None
    assert turns[1].operation.after == {"unit": "words", "relation": "less_than", "count": 50}
    assert {(t.persona.id, t.persona.sentence, t.persona.phrases) for t in turns} == {
        ("p-1", "Someone with a shop.", ("short", "kind"))
    }
    assert [t.source for t in turns] == ["imported"] * 4 and {t.status for t in turns} == {"verified"}
    assert turns[3].topic.prompt == "Write about my shop, with four bullets."
    assert told.extendable is False and told.format == "evolif-dialogs"
    assert told.changes == {"none": 0, "several": 0}


def test_witnesses_are_built_where_they_can_be_and_only_there(imported):
    told, bench = imported(
        dialog(1, 1, "Start with tea shop.", TEA),
        dialog(2, 1, "And never say tea.", TEA, NO_TEA),
        dialog(3, 1, "Ten bullets in CSV? No: say tea again.", TEA),
    )
    turns = bench.turns(1)
    assert turns[1].witness is None and turns[0].witness and turns[2].witness
    assert all(v.satisfied for v in check(turns[0].constraints, turns[0].witness))
    assert told.status == {"satisfiable": 2, "awkward": 0, "impossible": 1, "undecided": 0}
    assert told.ceiling == pytest.approx(2 / 3)
    assert turns[0].topic.keywords == ("tea shop", "tea")


def test_awkward_turns_have_a_witness_too(imported):
    sentences = ("length", {"mode": "sentence", "relation": "less_than", "number": 10})
    told, bench = imported(
        dialog(1, 1, "Short.", SHORT),
        dialog(2, 1, "Now twelve bullets in fewer than ten sentences.", ("countableItems", {"num": 12}), sentences),
    )
    assert told.status["awkward"] == 1 and told.ceiling == 1
    turn = bench.turns(1)[1]
    assert all(v.satisfied for v in check(turn.constraints, turn.witness))


def test_turns_with_several_changes_or_none_say_so(imported):
    told, bench = imported(
        dialog(1, 1, "Four bullets under 50 words.", FOUR, SHORT),
        dialog(2, 1, "As it was.", FOUR, SHORT),
        dialog(3, 1, "CSV instead of bullets.", SHORT, CSV),
    )
    first, second, third = bench.turns(1)
    assert told.changes == {"none": 1, "several": 2}
    assert "2 changes in one turn (add bullets, add length)" in first.findings[0]
    assert (first.operation.kind, first.operation.group) == ("add", "bullets")
    assert "nothing changes" in second.findings[0] and second.operation.before == second.operation.after
    assert "add format, remove bullets" in third.findings[0]


def test_states_are_put_into_words(imported):
    told, bench = imported(state(1, 5, FOUR), state(2, 5, FOUR, SHORT), state(3, 5, CSV, TEA), name="snapshots_0.jsonl")
    first, second, third = bench.turns(1)
    assert told.format == "evolif-states"
    assert "task 5" in first.query and "four" in first.query.lower() + first.query.replace("4", "four")
    assert "50" in second.query and (first.source, second.source, third.source) == ("template", "template", "imported")
    assert "tea shop" in third.query and third.query.startswith("Write about task 5.")
    assert first.persona.id == "unknown"


def test_the_files_own_doubts_are_kept(imported):
    _, bench = imported(dialog(1, 1, "Four bullets.", FOUR, instruction_success=False, topic_success=True))
    assert bench.turns(1)[0].findings == ("imported: the file says instruction_success: false",)


def test_what_was_imported_cannot_be_extended(imported, tmp_path):
    _, bench = imported(dialog(1, 1, "Four bullets.", FOUR), dialog(2, 1, "Short.", FOUR, SHORT))
    assert bench.extendable is False and bench.missing(50) == {} and bench.author(1) == "imported"
    for act in (lambda: bench.extend(5), lambda: bench.turn(1, 3), lambda: bench.draft(1)):
        with pytest.raises(UsageError, match=r"no script.*cannot be extended"):
            act()
    assert bench.extend(2) == 0 and bench.turn(1, 2).query == "Short."
    before = json.loads((bench.path / "benchmark.json").read_text(encoding="utf-8"))
    assert before["imported"]["format"] == "evolif-dialogs" and before["imported"]["files"] == ["dialog_7.jsonl"]


def test_a_grower_has_no_turn_beyond_the_end(imported):
    import asyncio

    _, bench = imported(dialog(1, 1, "Four bullets.", FOUR))
    grower = TurnSource(bench)
    assert asyncio.run(grower.turn(1, 1)).query == "Four bullets."
    assert asyncio.run(grower.turn(1, 2)) is None


def test_sessions_end_where_the_dialogue_ends(imported, tmp_path):
    _, bench = imported(
        dialog(1, 1, "Start with tea shop.", TEA),
        dialog(2, 1, "And never say tea.", TEA, NO_TEA),
        dialog(3, 1, "Only the start, then.", TEA),
    )
    run = evolif.evaluate(bench, "sim/perfect", tmp_path / "run", patience=3)
    [session] = run.sessions("sim/perfect")
    assert (session.ending, session.reason) == ("censored", "the dialogue cannot be extended")
    kept = [all(turn.judged) for turn in session.turns]
    assert kept == [True, False, True]
    run.close()


def test_imported_benchmarks_go_round_as_well(imported, tmp_path):
    _, bench = imported(
        dialog(1, 1, "Four bullets under 50 words.", FOUR, SHORT, style=STYLE), dialog(2, 1, "CSV instead.", CSV)
    )
    for name in ("jsonl", "evolif-states", "evolif-dialogs"):
        export(bench.path, tmp_path / name, format=name)
        told = import_benchmark(tmp_path / name, tmp_path / f"{name}-back")
        again = load_benchmark(tmp_path / f"{name}-back")
        assert again.identity == bench.identity and again.turns(1) == bench.turns(1)
        assert told.extendable is False


def test_other_content_is_another_benchmark(tmp_path):
    identities = set()
    for number, query in enumerate(("Four bullets.", "Make it four bullets.")):
        write(tmp_path / "dialog_1.jsonl", dialog(1, 1, query, FOUR))
        import_benchmark(tmp_path / "dialog_1.jsonl", tmp_path / str(number))
        identities.add(load_benchmark(tmp_path / str(number)).identity)
    assert len(identities) == 2


def test_files_are_numbered_in_their_natural_order(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for number in (10, 9, 1):
        write(folder / f"dialog_{number}.jsonl", dialog(1, 1, f"Four bullets, says {number}.", FOUR))
    import_benchmark(folder, tmp_path / "bench")
    bench = load_benchmark(tmp_path / "bench")
    assert [bench.turns(n)[0].query[-2:-1] for n in bench.dialogues()] == ["1", "9", "0"]


def test_one_file_may_hold_several_dialogues(tmp_path):
    path = write(tmp_path / "all.jsonl", dialog(1, 1, "Four bullets.", FOUR), dialog(1, 2, "Short.", SHORT))
    assert import_benchmark(path, tmp_path / "bench").dialogues == 2


@pytest.mark.slow
def test_what_the_layout_cannot_say_is_counted_and_travels(tmp_path):
    bench = evolif.generate(tmp_path / "b", dialogues=4, turns=12, seed=2, profile="extended")
    told = export(bench.path, tmp_path / "out", format="evolif-states")
    beyond = [
        c for n in bench.dialogues() for t in bench.turns(n) for c in t.constraints if foreign_constraint(c) is None
    ]
    assert told.beyond == len(beyond) > 0
    assert foreign_constraint(Constraint("bullets", {"count": 4})) == FOUR
    import_benchmark(tmp_path / "out", tmp_path / "back")
    assert load_benchmark(tmp_path / "back").identity == bench.identity


@released
def test_the_released_files_come_in(tmp_path):
    told = import_benchmark(RELEASE, tmp_path / "bench")
    bench = load_benchmark(tmp_path / "bench")
    assert (told.dialogues, told.turns, told.extendable) == (7, 280, False)
    assert told.status == audit(RELEASE).summary["status"]
    assert told.status["impossible"] > 0 and told.status["undecided"] == 0
    turns = [turn for number in bench.dialogues() for turn in bench.turns(number)]
    with_witness = [turn for turn in turns if turn.witness is not None]
    assert len(with_witness) == told.status["satisfiable"] + told.status["awkward"]
    for turn in with_witness:
        assert all(v.satisfied is not False for v in check(turn.constraints, turn.witness))
    assert Counter(turn.source for turn in turns) == {"imported": 80, "template": 200}


@released
def test_the_released_files_are_evaluated_to_their_end(tmp_path):
    import_benchmark(RELEASE, tmp_path / "bench")
    run = evolif.evaluate(tmp_path / "bench", "sim/perfect", tmp_path / "run", patience=50)
    reasons = {(session.ending, session.reason) for session in run.sessions()}
    assert reasons <= {("censored", "the dialogue cannot be extended"), ("censored", "the cap of 50 judged turns")}
    assert sum(len(session.turns) for session in run.sessions()) == 280
    run.close()


def test_a_constraint_without_an_equal_is_named_with_its_line(tmp_path):
    path = write(tmp_path / "d.jsonl", dialog(1, 1, "Four.", FOUR), dialog(2, 1, "Rhyme.", FOUR, ("rhyme", {})))
    with pytest.raises(InputError, match=r"d\.jsonl, line 2: “rhyme” is not a known constraint"):
        import_benchmark(path, tmp_path / "bench")
    assert not (tmp_path / "bench").exists()
