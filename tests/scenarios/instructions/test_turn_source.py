"""Turns made by synthesizers: stored once as soon as made, mixed in proportion, resumed, the same for everybody."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from evolif import InputError, ModelError, OutsideError, UsageError, load_benchmark
from evolif.models import ModelOptions
from evolif.scenarios.instructions import InstructionBenchmark, generate, rates
from evolif.scenarios.instructions.generation import extend
from evolif.scenarios.instructions.source import SynthesizerPool, TurnMade, TurnSource
from evolif.scenarios.instructions.synthesis.agent import Attempt, Meter
from evolif.scenarios.instructions.turn_lines import read_turns
from evolif.scenarios.instructions.turns import Finding, Turn
from evolif.types import Usage

FLAG = (Finding("length", "it does not say 300"),)


@dataclass
class Fake:
    """Words a turn by its number; a function may say what comes instead of an accepted attempt."""

    name: str = "fake/a"
    special: Callable[[Turn], Attempt | Exception | None] = lambda turn: None
    asked: list[tuple[int, int]] = field(default_factory=list)
    flight: int = 0
    most: int = 0

    async def say(self, turn: Turn, meter: Meter) -> Attempt:
        self.asked.append((turn.dialogue, turn.turn))
        self.flight += 1
        self.most = max(self.most, self.flight)
        for _ in range(3):
            await asyncio.sleep(0)
        self.flight -= 1
        meter.add("synthesizer", Usage(10, 2))
        special = self.special(turn)
        if isinstance(special, Exception):
            raise special
        return special or Attempt(f"{self.name} says {turn.dialogue}/{turn.turn}.", (), 1, meter.total)


def wording(*fakes: Fake) -> SynthesizerPool:
    return SynthesizerPool({f.name: f for f in fakes})


def make(root: Path, *fakes: Fake, dialogues: int = 4, turns: int = 3, **options: object) -> InstructionBenchmark:
    authors = options.pop("authors", fakes)
    return generate(root, dialogues=dialogues, turns=turns, seed=5, synthesizers=authors, **options)


@dataclass
class Asked:
    """A checker model that nobody asks."""

    name: str
    connections: int = 1


def flagged(turn: Turn) -> Attempt:
    return Attempt("Do as you like.", FLAG, 3, Usage())


def test_every_turn_is_worded_by_its_dialogues_synthesizer_and_stored(tmp_path: Path) -> None:
    told: list[TurnMade] = []
    one, two = Fake("fake/a"), Fake("fake/b")
    made = make(
        tmp_path / "b", authors=["template", one, (two, 2)], dialogues=12, turns=2, observe=told.append,
    )  # fmt: skip
    sources = {d: {t.source for t in made.turns(d)} for d in made.dialogues()}
    assert all(len(names) == 1 for names in sources.values())
    assert Counter(next(iter(names)) for names in sources.values()) == {"template": 3, "fake/a": 3, "fake/b": 6}
    for start in (1, 5, 9):
        block = Counter(made.author(d) for d in range(start, start + 4))
        assert block == {"template": 1, "fake/a": 1, "fake/b": 2}
    turn = next(made.turns(d)[1] for d in made.dialogues() if made.author(d) == "fake/b")
    assert turn.query == f"fake/b says {turn.dialogue}/2." and turn.status == "verified" and turn.witness
    assert made.header.spec.synthesizers == ("template", "fake/a", "fake/b=2")
    assert len(told) == 18 and {m.outcome for m in told} == {"accepted"}
    sums = rates(made.records())
    assert (sums["fake/b"].turns, sums["fake/b"].accepted, sums["fake/b"].calls) == (12, 12, 12)
    assert sums["fake/b"].usage == Usage(120, 24) and "template" not in sums


@pytest.mark.slow
def test_who_words_a_dialogue_is_the_same_alone_later_and_longer(tmp_path: Path) -> None:
    authors = ["template", Fake("fake/a"), Fake("fake/b")]
    whole = make(tmp_path / "whole", authors=authors, dialogues=9)
    for number in (9, 2, 5):
        make(tmp_path / "odd", authors=authors, dialogues=9, only=number)
    odd = load_benchmark(tmp_path / "odd")
    assert odd.dialogues() == [2, 5, 9]
    for number in (2, 5, 9):
        assert odd.turns(number) == whole.turns(number)
    assert extend(odd, 5, synthesizers=authors) == 6
    assert [{t.source for t in odd.turns(n)} for n in (2, 5, 9)] == [{whole.author(n)} for n in (2, 5, 9)]


def test_the_same_command_asks_no_stored_turn_again(tmp_path: Path) -> None:
    first, again = Fake(), Fake()
    make(tmp_path / "b", first)
    before = {p: p.read_bytes() for p in (tmp_path / "b").rglob("*.jsonl")}
    make(tmp_path / "b", again)
    assert len(first.asked) == 12 == len(set(first.asked)) and not again.asked
    assert before == {p: p.read_bytes() for p in (tmp_path / "b").rglob("*.jsonl")}


def test_a_fault_stops_it_keeps_what_is_there_and_the_same_command_goes_on(tmp_path: Path) -> None:
    fault = ModelError("fake/a: no answer", retryable=True)
    first = Fake(special=lambda turn: fault if (turn.dialogue, turn.turn) == (2, 2) else None)
    with pytest.raises(OutsideError, match=r"turn 2 of dialogue 2 .*no answer.*same command to continue") as caught:
        make(tmp_path / "b", first)
    assert caught.value.exit_code == 3
    kept = load_benchmark(tmp_path / "b")
    assert [len(kept.turns(d)) for d in kept.dialogues()] == [3, 1]
    second = Fake()
    whole = make(tmp_path / "b", second)
    assert second.asked == [(2, 2), (2, 3), *((d, t) for d in (3, 4) for t in (1, 2, 3))]
    assert [len(whole.turns(d)) for d in whole.dialogues()] == [3] * 4
    sums = rates(whole.records())["fake/a"]
    assert (sums.turns, sums.accepted, sums.calls) == (12, 12, 13)  # the call of the broken-off turn is paid, too


def test_turns_under_way_beside_a_fault_are_finished_and_stored(tmp_path: Path) -> None:
    first = Fake(special=lambda turn: ModelError("down") if turn.dialogue == 1 else None)
    with pytest.raises(ModelError, match="dialogue 1"):
        make(tmp_path / "b", first, options=ModelOptions(max_connections=3))
    kept = load_benchmark(tmp_path / "b")
    stored = {(d, t.turn) for d in kept.dialogues() for t in kept.turns(d)}
    assert stored == {asked for asked in first.asked if asked[0] != 1}


def test_dialogues_go_side_by_side_as_far_as_allowed_and_turns_of_one_do_not(tmp_path: Path) -> None:
    fake = Fake()
    make(tmp_path / "b", fake, options=ModelOptions(max_connections=3), dialogues=7)
    assert fake.most == 3
    for dialogue in range(1, 8):
        assert [t for d, t in fake.asked if d == dialogue] == [1, 2, 3]


def test_two_processes_do_not_both_pay(tmp_path: Path) -> None:
    from filelock import FileLock

    make(tmp_path / "b", Fake(), turns=1)
    with FileLock(tmp_path / "b" / ".synthesis.lock"), pytest.raises(UsageError, match="another process"):
        make(tmp_path / "b", Fake(), turns=1)


SLOW = """
import asyncio, sys, time
from evolif.scenarios.instructions import generate
from evolif.models import ModelOptions
from evolif.types import Usage
from evolif.scenarios.instructions.synthesis.agent import Attempt

class Slow:
    name = "fake/a"
    async def say(self, turn, meter):
        with open(sys.argv[2], "a") as file:
            file.write(f"{turn.dialogue} {turn.turn}\\n")
        await asyncio.sleep(float(sys.argv[3]))
        meter.add("synthesizer", Usage(10, 2))
        return Attempt(f"words {turn.dialogue}/{turn.turn}", (), 1, meter.total)

generate(sys.argv[1], dialogues=4, turns=6, seed=5, synthesizers=[Slow()],
         options=ModelOptions(max_connections=2))
"""


@pytest.mark.slow
def test_a_generation_that_was_killed_loses_only_the_turns_under_way(tmp_path: Path) -> None:
    bench, log = tmp_path / "b", tmp_path / "asked"
    for kill_after in (2, 5, 9, 14):
        process = subprocess.Popen([sys.executable, "-c", SLOW, str(bench), str(log), "0.03"])
        until = time.monotonic() + 60
        while time.monotonic() < until and process.poll() is None:
            if log.exists() and len(log.read_text().splitlines()) >= kill_after:
                os.kill(process.pid, signal.SIGKILL)
            time.sleep(0.002)
        process.wait(60)
    done = subprocess.run([sys.executable, "-c", SLOW, str(bench), str(log), "0"], timeout=60, check=False)
    assert done.returncode == 0
    whole = load_benchmark(bench)
    assert [[t.turn for t in whole.turns(d)] for d in whole.dialogues()] == [[1, 2, 3, 4, 5, 6]] * 4
    asked = Counter(log.read_text().splitlines())
    assert len(asked) == 24 and asked.total() <= 24 + 4 * 2  # at most two under way at each of four kills


KILLED = """
import os, signal, sys
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.models import ModelOptions
from evolif.types import Usage
from evolif.scenarios.instructions.synthesis.agent import Attempt

bench, log, left, place = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]

class Quick:
    name = "fake/a"
    async def say(self, turn, meter):
        with open(log, "a") as file:
            file.write(f"{turn.dialogue} {turn.turn}\\n")
        meter.add("synthesizer", Usage(10, 2))
        return Attempt(f"words {turn.dialogue}/{turn.turn}", (), 1, meter.total)

def dying(work):
    def step(*arguments):
        global left
        left -= 1
        if left == 0 and place == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        done = work(*arguments)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return done
    return step

InstructionBenchmark.record = dying(InstructionBenchmark.record)
InstructionBenchmark.store = dying(InstructionBenchmark.store)
generate(bench, dialogues=2, turns=4, seed=5, synthesizers=[Quick()], options=ModelOptions(max_connections=2))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there")
def test_a_kill_between_two_writes_leaves_one_record_of_how_a_turn_was_written(tmp_path: Path) -> None:
    bench, log = tmp_path / "b", tmp_path / "asked"

    def run(left: int, place: str) -> int:
        command = [sys.executable, "-c", KILLED, str(bench), str(log), str(left), place]
        return subprocess.run(command, timeout=60, check=False).returncode

    for left, place in ((2, "before"), (1, "after"), (3, "after"), (2, "before"), (4, "before"), (1, "after")):
        assert run(left, place) == -signal.SIGKILL
    assert run(0, "") == 0
    whole = load_benchmark(bench)
    assert [[turn.turn for turn in whole.turns(d)] for d in whole.dialogues()] == [[1, 2, 3, 4]] * 2
    records = list(whole.records())
    written = Counter((one.dialogue, one.turn) for one in records if one.outcome != "broken off")
    assert written == Counter((d, t) for d in (1, 2) for t in (1, 2, 3, 4))
    assert rates(records)["fake/a"].turns == 8
    assert 8 < len(records) == rates(records)["fake/a"].calls <= len(log.read_text().splitlines())


def grow_all(
    bench: InstructionBenchmark, fake: Fake, asks: list[tuple[int, int]], told: list[str] | None = None
) -> list[Turn]:
    async def main() -> list[Turn]:
        grower = TurnSource(bench, wording(fake), notify=told.append if told is not None else None)
        return await asyncio.gather(*(grower.turn(*ask) for ask in asks))

    return asyncio.run(main())


def test_sessions_that_ask_at_once_get_the_same_turn_and_one_is_paid(tmp_path: Path) -> None:
    bench = make(tmp_path / "b", Fake(), turns=1)
    fake = Fake()
    turns = grow_all(bench, fake, [(1, 4)] * 5 + [(2, 2)] * 5)
    assert fake.asked.count((1, 4)) == 1 and sorted(fake.asked) == [(1, 2), (1, 3), (1, 4), (2, 2)]
    assert len(set(map(id, turns))) == 2 and turns[0].query == "fake/a says 1/4."
    later = Fake()
    assert grow_all(load_benchmark(tmp_path / "b"), later, [(1, 4)])[0] == turns[0] and not later.asked


def test_a_turn_that_another_process_made_meanwhile_is_taken_over(tmp_path: Path) -> None:
    mine, theirs = make(tmp_path / "b", Fake(), turns=1), load_benchmark(tmp_path / "b")
    mine.turns(1)

    def meanwhile(turn: Turn) -> None:
        grow_elsewhere = theirs.draft(1)
        theirs.store(grow_elsewhere)

    [turn] = grow_all(mine, Fake(special=meanwhile), [(1, 2)])
    assert turn.source == "template" and len(list(read_turns(tmp_path / "b" / "dialogues" / "0001.jsonl"))) == 2


def test_on_demand_a_flagged_turn_gives_way_to_the_template_and_says_so(tmp_path: Path) -> None:
    bench, told = make(tmp_path / "b", Fake(), turns=1), []
    draft = bench.draft(1)
    [turn] = grow_all(bench, Fake(special=flagged), [(1, 2)], told)
    assert (turn.query, turn.source, turn.status) == (draft.query, "template", "verified")
    assert "fake/a" in turn.findings[0] and "300" in turn.findings[0]
    assert len(told) == 1 and "dialogue 1, turn 2" in told[0]
    assert load_benchmark(tmp_path / "b").turns(1)[1] == turn
    record = list(bench.records())[-1]
    assert (record.outcome, record.played) == ("flagged", "template")


def test_in_a_generation_a_flagged_turn_is_stored_as_such_and_never_played(tmp_path: Path) -> None:
    made = make(tmp_path / "b", Fake(special=flagged), turns=2)
    for number in (1, 2):
        stored, played = made.turns(1)[number - 1], made.turn(1, number)
        assert (stored.query, stored.status, stored.source, stored.attempts) == (
            "Do as you like.", "flagged", "fake/a", 3,
        )  # fmt: skip
        assert stored.findings == ("length: it does not say 300",)
        assert played.source == "template" and played.query != stored.query
    assert grow_all(made, Fake(special=flagged), [(1, 2)])[0].source == "template"


def test_a_synthesizers_fault_on_demand_is_an_error_of_the_models_kind(tmp_path: Path) -> None:
    bench = make(tmp_path / "b", Fake(), turns=1)
    broken = Fake(special=lambda turn: ModelError("fake/a: gone", retryable=True))
    with pytest.raises(ModelError, match="turn 2 of dialogue 1 could not be written: fake/a: gone") as caught:
        grow_all(bench, broken, [(1, 2)])
    assert caught.value.retryable and "same command" not in str(caught.value)
    assert len(bench.turns(1)) == 1


def test_without_its_synthesizer_a_dialogue_ends_and_the_sentence_says_how_to_go_on(tmp_path: Path) -> None:
    bench = make(tmp_path / "b", Fake(), turns=2)
    with pytest.raises(UsageError, match=r"written by fake/a.*--max-turns"):
        bench.turn(1, 3)
    with pytest.raises(UsageError, match="fake/a"):
        asyncio.run(TurnSource(bench).turn(1, 3))
    with pytest.raises(UsageError, match="fake/a"):
        extend(bench, 3)
    assert bench.missing(3) == {"fake/a": 4} and bench.missing(2) == {}
    assert bench.turn(1, 2).source == "fake/a"


def test_the_template_may_stand_in_for_a_synthesizer(tmp_path: Path) -> None:
    bench = make(tmp_path / "b", Fake(), turns=1)
    assert extend(bench, 3, synthesizers=["template"]) == 8
    assert [t.source for t in bench.turns(2)] == ["fake/a", "template", "template"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["fake/x"], "unknown provider"),
        (["template", "template"], "named twice"),
        ([], "at least one"),
        (["a=0"], "weight"),
    ],
)
def test_wrong_names_are_refused_before_anything_is_written(tmp_path: Path, names: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        generate(tmp_path / "b", dialogues=1, turns=1, synthesizers=names, profile="objective")
    assert not (tmp_path / "b").exists()


@pytest.mark.slow
def test_the_header_keeps_names_only_and_an_old_one_keeps_its_identity(tmp_path: Path) -> None:
    make(tmp_path / "plain", authors=["template"])
    spec = json.loads((tmp_path / "plain" / "benchmark.json").read_text("utf-8"))["spec"]
    assert "checker" not in spec and spec["synthesizers"] == ["template"]
    made = make(tmp_path / "b", Fake(), checker=Asked("fake/c"))
    assert json.loads((tmp_path / "b" / "benchmark.json").read_text("utf-8"))["spec"]["checker"] == "fake/c"
    assert load_benchmark(tmp_path / "b").identity == made.identity
    with pytest.raises(UsageError, match=r"spec\.checker"):
        make(tmp_path / "b", Fake())


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["openai/x?base_url=http://evil/v1&key_env=HOME", "a\nb", "", " ", 3, "x" * 301])
def test_a_header_cannot_say_where_a_key_is_sent(tmp_path: Path, name: object) -> None:
    make(tmp_path / "b", Fake())
    path = tmp_path / "b" / "benchmark.json"
    data = json.loads(path.read_text("utf-8"))
    for key, value in (("synthesizers", [name]), ("checker", name)):
        changed = {**data, "spec": {**data["spec"], key: value}}
        path.write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(InputError, match=rf"benchmark\.json: spec\.{key}"):
            load_benchmark(tmp_path / "b")


def test_a_torn_or_strange_record_decides_nothing(tmp_path: Path) -> None:
    made = make(tmp_path / "b", Fake())
    path = tmp_path / "b" / "synthesis.jsonl"
    whole = path.read_bytes()
    path.write_bytes(b'[]\n{"dialogue": -1}\n' + b"[" * 90_000 + b"\n" + whole + whole[:50])
    assert rates(made.records())["fake/a"].turns == 12
    asyncio.run(TurnSource(made, wording(Fake())).turn(1, 4))
    assert rates(made.records())["fake/a"].turns == 13


def test_what_synthesis_cost_is_no_part_of_the_identity(tmp_path: Path) -> None:
    made = make(tmp_path / "b", Fake())
    before = made.identity
    (tmp_path / "b" / "synthesis.jsonl").unlink()
    assert load_benchmark(tmp_path / "b").identity == before and list(made.records()) == []


def test_inside_a_running_loop_it_works_too(tmp_path: Path) -> None:
    async def notebook() -> InstructionBenchmark:
        return make(tmp_path / "b", Fake(), dialogues=1)

    assert len(asyncio.run(notebook()).turns(1)) == 3
