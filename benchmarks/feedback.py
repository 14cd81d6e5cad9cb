"""Reactions to answers, checked from outside: `python benchmarks/feedback.py [FAILED] [--local TURNS]`.

Plays failed turns of all profiles, groups, modes and registers, reads every remark with a reader of its own, and
compares it with the verdict on the answer before. Then it kills runs at twenty places, resumes them and compares every
prompt, and measures turns per second with and without feedback. `--local` adds answers of the small local model.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from remark_reader import READERS, names, plain

from evolif.models import ChatModel, ChatRequest, Reply, Sampling, open_model
from evolif.runner import evaluate
from evolif.scenario import Services
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.scenarios.instructions.constraints import DrawContext, check, get_group
from evolif.scenarios.instructions.environment import open_environment
from evolif.scenarios.instructions.feedback import Reactions
from evolif.scenarios.instructions.players import player
from evolif.scenarios.instructions.prompt import prompt_of, reacting
from evolif.scenarios.instructions.queries.check import check_query
from evolif.scenarios.instructions.synthesis.assignment import load_personas
from evolif.scenarios.instructions.tracker import load_profile
from evolif.scenarios.instructions.tracker.profile import BUILT_IN
from evolif.scenarios.instructions.turns import Constraint, Operation, Topic, Turn
from evolif.scenarios.instructions.witness.flawed import build_flawed
from evolif.types import End, Exchange, Prompt, Verdict
from evolif.util.rng import Stream

MODES = ("remark", "repair")
PATIENCE = 3
_DIALOGUES, _TURNS = 30, 24
_DRAWS = 40
_LONGEST = 250
"""Tokens of an answer of the local model."""
_KILLS = 20
_ROUNDS = 7
_SHORT = 40
"""Characters up to which what was asked is short."""


TOPIC = Topic(
    "T",
    "Tell me about ferries.",
    ("ferry", "ticket", "timetable", "harbour", "island"),
    choices=({"mode": "options", "options": ["the ferry", "the bus"]}, {"mode": "scale", "low": 1, "high": 10}),
)
_PLAIN = "Ferries are big. They are slow.\nThey smell of oil."
"""A text that fails what no other is found for."""


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", text))


def _literals(value: Any) -> Iterator[str]:
    """Texts and numbers of parameters, at any depth."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_literals(key), *_literals(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _literals(inner)
    else:
        yield str(value)


@dataclass
class Tally:
    """What was read."""

    failed: int = 0
    remarks: int = 0
    given_up: int = 0
    """Failed turns without a remark that missed only what the next turn lifts or changes."""
    silent: int = 0
    short: int = 0
    named: int = 0
    found: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    modes: set[tuple[str, str]] = field(default_factory=set)
    registers: Counter[str] = field(default_factory=Counter)
    tones: Counter[str] = field(default_factory=Counter)
    queries: int = 0
    refused: int = 0
    false: list[str] = field(default_factory=list)
    samples: dict[str, list[str]] = field(default_factory=dict)
    last: dict[str, tuple[Constraint, str]] = field(default_factory=dict)
    """Per group, the last remark and what it names."""
    swapped: int = 0
    """Remarks read as if they were about another value of their group."""
    caught: int = 0
    """Those in which the reader does not find it."""

    def read(self, before: Exchange, after: Prompt, turn: Turn | None, register: str) -> None:
        """Read what a prompt says of the answer before."""
        answer = before.answer
        constraints = tuple(Constraint(c["group"], c["params"]) for c in before.prompt.payload["constraints"])
        verdicts = {v.group: v for v in check(rule(constraints), answer)}
        missed = {group for group, verdict in verdicts.items() if not verdict.satisfied}
        remark = after.payload["feedback"]["remark"]
        if not missed:
            if remark is not None and remark["kind"] != "thanks":
                self.false.append(f"a remark about a good answer: {remark}")
            return
        self.failed += 1
        if remark is None:
            self._nothing(constraints, missed, turn)
            return
        self.remarks += 1
        self.kinds[remark["kind"]] += 1
        self.registers[register] += 1
        if not after.query.startswith(remark["text"]):
            self.false.append(f"the query does not begin with it: {remark['text']}")
        if remark["kind"] != "missed":
            if answer.strip() and not before.truncated:
                self.false.append(f"{remark['text']} of a readable answer")
            return
        self._missed(remark, constraints, verdicts)

    def _nothing(self, constraints: Sequence[Constraint], missed: set[str], turn: Turn | None) -> None:
        gone = set() if turn is None else {op.group for op in turn.operations if op.before is not None}
        if turn is not None and turn.act == "replace_all":
            gone |= {constraint.group for constraint in constraints}
        if turn is not None and turn.move == "continue" and missed <= gone:
            self.given_up += 1
        else:
            self.silent += 1

    def _missed(self, remark: Mapping[str, Any], asked: Sequence[Constraint], verdicts: Mapping[str, Verdict]) -> None:
        text, group = remark["text"], remark["group"]
        named = next((c for c in asked if c.group == group), None)
        if named is None or dict(named.params) != dict(remark["value"]) or verdicts[group].satisfied:
            self.false.append(f"{group} held or has another value: {text}")
            return
        self.modes.add((group, get_group(group).key(named.params)))
        found = verdicts[group].found
        if not names(named, text):
            self.false.append(f"{group} {dict(named.params)} is not what it says: {text}")
        foreign = _numbers(text) - {n for one in _literals(named.params) for n in _numbers(one)} - _numbers(found)
        derived = _derived(named, found)
        if foreign - derived:
            self.false.append(f"numbers {sorted(foreign)} come from nowhere ({found}): {text}")
        known = plain(" ".join([*_literals(named.params), found]))
        known += f" {named.params.get('noun', '')} 1"
        has_marks = any(mark in one for one in _literals(named.params) for mark in '“”"')
        for quoted in re.findall(r'"([^"]+)"', plain(text)) if not has_marks else ():
            if not all(word in known for word in quoted.split()):
                self.false.append(f"“{quoted}” comes from nowhere ({found}): {text}")
        own = READERS[group](named.params)
        for other in asked:
            held = other.group in verdicts and verdicts[other.group].satisfied and names(other, text)
            if held and not set(READERS[other.group](other.params)) <= set(own):
                self.false.append(f"it names {other.group}, which held: {text}")
        before, other_text = self.last.get(group, (named, text))
        if set(READERS[group](before.params)) - set(own):
            self.swapped += 1
            self.caught += not (names(before, text) and names(named, other_text))
        self.last[group] = named, text
        is_short = sum(map(len, _literals(named.params))) <= _SHORT
        self.short += is_short
        self.named += is_short and names(named, text)
        self.found += bool(_numbers(text) & _numbers(found)) and group not in ("forbidden", "existence")
        self.samples.setdefault(group, []).append(f"{text}   [{verdicts[group].expected}; {found}]")


def _derived(named: Constraint, found: str) -> set[str]:
    """Numbers that follow from what was found: a rounded share, the letters of a word."""
    rounded = {f"{float(share):.0f}" for share in re.findall(r"\d+\.\d", found)}
    return rounded | ({str(len(named.params["word"]))} if named.params.get("mode") == "acrostic" else set())


def rule(constraints: Sequence[Constraint]) -> list[Constraint]:
    """Those that rules check."""
    return [constraint for constraint in constraints if not get_group(constraint.group).subjective]


# Playing.


async def played(
    bench: InstructionBenchmark, mode: str, model: ChatModel, tally: Tally, turns: int, dialogues: Sequence[int]
) -> None:
    """Play dialogues and read each prompt."""
    environment = open_environment(bench, Services(feedback=mode, patience=PATIENCE))
    for dialogue in dialogues:
        past: list[Exchange] = []
        while len(past) < turns:
            prompt = await environment.prompt(dialogue, past)
            if isinstance(prompt, End):
                break
            script = bench.turn(dialogue, prompt.payload["feedback"]["script"])
            repair = prompt.payload["feedback"]["repair"]
            if past:
                before = past[-1]
                is_out = mode == "repair" and before.prompt.payload["feedback"]["repair"] + 1 >= PATIENCE
                if repair or not is_out:
                    tally.read(before, prompt, None if repair else script, script.persona.register)
            remark = prompt.payload["feedback"]["remark"]
            if remark is not None and not repair and not check_query(script, script.query):
                tally.queries += 1
                if check_query(script, prompt.query, remark=remark["text"]):
                    tally.refused += 1
            reply = await model.complete(ChatRequest(prompt.messages, Sampling(0.0, _LONGEST), prompt=prompt))
            past.append(Exchange(prompt, reply.text, reply.text, truncated=reply.truncated))
    await environment.aclose()


async def alone(tally: Tally) -> AsyncIterator[tuple[str, str]]:
    """Every mode of every group that a profile can draw, failed alone, in both modes and by all registers.

    Yields:
        Group and mode for which no failing text was found.
    """
    personas = {persona.register: persona for persona in load_personas()}
    for (group, key), params in sorted(drawn(TOPIC).items()):
        constraint = Constraint(group, params)
        text = build_flawed((constraint,), TOPIC.keywords, {group}, Stream(7, 1)) or _PLAIN
        if all(verdict.satisfied for verdict in check([constraint], text)):
            yield group, key
            continue
        for number, (persona, mode) in enumerate(itertools.product(personas.values(), MODES), 1):
            for answer, is_cut in ((text, False), ("", False), (text, True)) if group == "digits" else ((text, False),):
                turns = [
                    Turn(number, at, TOPIC, "new" if at == 1 else "continue", operations, (constraint,), persona,
                         "Go on, please.", "template")
                    for at, operations in ((1, (Operation("add", group, None, params),)), (2, ()))
                ]  # fmt: skip

                async def turn_of(at: int, turns: Sequence[Turn] = turns) -> Turn | None:
                    return turns[at - 1] if at <= len(turns) else None

                reactions = Reactions(mode, PATIENCE, number, 2)
                asked = reacting(prompt_of(turns[0], 1), 1)
                past = [Exchange(asked, answer, answer, truncated=is_cut)]
                step = await reactions.next(number, past, turn_of)
                assert step is not None
                prompt = reacting(prompt_of(step.turn, 1), 2, step.repair, step.remark)
                tally.read(past[0], prompt, None if step.repair else turns[1], persona.register)


def drawn(topic: Topic) -> dict[tuple[str, str], Mapping[str, Any]]:
    """An example of every group and mode that a built-in profile draws and rules check."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for name in BUILT_IN:
        profile = load_profile(name)
        for group in (get_group(one) for one in profile.groups):
            for number in range(0 if group.subjective else _DRAWS):
                context = DrawContext(topic.keywords, profile.pools[group.name], choices=topic.choices)
                params = group.draw(Stream(number, 3), context)
                if params is not None:
                    found.setdefault((group.name, group.key(params)), params)
    return found


# Killing and resuming.


class Mortal:
    """A simulated model whose process dies at a call."""

    connections = 4

    def __init__(self, dies_at: int) -> None:
        self._model = player("steady?skill=.85")
        self.name = self._model.name
        self._left = dies_at

    async def complete(self, request: ChatRequest) -> Reply:
        """Answer, or die."""
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return await self._model.complete(request)

    async def aclose(self) -> None:
        """Nothing to release."""


def play(bench: str, out: str, mode: str, dies_at: int) -> None:
    """Play a run, in a process of its own."""
    settings: dict[str, Any] = {"feedback": mode, "max_turns": 16, "limit": 10, "patience": 6}
    evaluate(bench, [Mortal(dies_at)], out, **settings).close()


def spawned(bench: Path, out: Path, mode: str, dies_at: int) -> int:
    """The exit code of a process that plays."""
    arguments = [sys.executable, __file__, "--play", str(bench), str(out), mode, str(dies_at)]
    return subprocess.run(arguments, check=False).returncode


def stored(out: Path) -> dict[tuple[int, int], str]:
    """Every prompt of a run, byte for byte, by dialogue and turn."""
    from evolif.runner import load_run

    run = load_run(out)
    found = {}
    for session, records in run.transcripts(run.models[0]):
        for record in records:
            prompt = record.prompt
            parts = [prompt.query, dict(prompt.payload), dict(prompt.labels), prompt.digest, record.answer]
            found[session.dialogue, record.turn] = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    run.close()
    return found


def kills(bench: Path, folder: Path) -> Iterator[str]:
    """Kills runs at places spread over them; the resumed ones must have asked the very same."""
    for mode in MODES:
        whole = folder / f"whole-{mode}"
        assert spawned(bench, whole, mode, 0) == 0
        expected = stored(whole)
        same = died = 0
        for place in range(_KILLS // len(MODES)):
            out = folder / f"{mode}-{place}"
            died += spawned(bench, out, mode, 2 + place * len(expected) * len(MODES) // (_KILLS + 1)) == -signal.SIGKILL
            assert spawned(bench, out, mode, 0) == 0
            same += stored(out) == expected
        remarks = sum('"remark": {' in prompt for prompt in expected.values())
        yield (
            f"{mode}: killed {died} times, {same} resumed runs asked the very same {len(expected)} prompts, "
            f"{remarks} of them with a remark"
        )


def speeds(bench: InstructionBenchmark, folder: Path) -> Iterator[str]:
    """Turns per second of CPU, in rounds that take turns."""
    taken: dict[str, list[float]] = {"none": [], **{mode: [] for mode in MODES}}
    for number in range(_ROUNDS + 1):
        for mode, rates in taken.items():
            started = time.process_time()
            settings: dict[str, Any] = {"feedback": mode, "patience": _TURNS, "max_turns": _TURNS}
            run = evaluate(bench, ["sim/steady"], folder / f"speed-{mode}-{number}", **settings)
            seconds = time.process_time() - started
            turns = sum(len(session.turns) for session in run.sessions())
            run.close()
            if number:
                rates.append(turns / seconds)
    usual = statistics.median(taken["none"])
    yield f"none: {usual:.0f} turns a second of CPU"
    for mode in MODES:
        ratios = sorted(rate / plain for rate, plain in zip(taken[mode], taken["none"], strict=True))
        rate = statistics.median(taken[mode])
        ends = f"{ratios[0]:.0%} to {ratios[-1]:.0%}"
        yield f"{mode}: {rate:.0f} turns a second, {statistics.median(ratios):.0%} of none ({ends})"


def told(tally: Tally) -> Iterator[str]:
    """What was read, in words."""
    nameable = tally.failed - tally.given_up
    yield f"{tally.failed} failed turns, {tally.remarks} with a remark ({tally.remarks / tally.failed:.1%})"
    yield f"  {tally.given_up} missed only what the next turn takes back, and get none; {tally.silent} others got none"
    yield f"  {tally.remarks / nameable:.2%} of those that missed something else"
    yield f"  kinds {dict(tally.kinds)}, registers {dict(tally.registers)}"
    yield f"  {len({group for group, _ in tally.modes})} groups, {len(tally.modes)} modes named"
    yield f"  the value is named in {tally.named / max(1, tally.short):.1%} of {tally.short} where it is short"
    yield f"  a number that came is named in {tally.found / max(1, tally.remarks):.0%}"
    yield f"  {tally.refused} of {tally.queries} queries refused behind their remark"
    refused = tally.caught / max(1, tally.swapped)
    yield f"  read as if they were about another value: {refused:.1%} of {tally.swapped} refused"
    yield f"{len(tally.false)} false remarks"
    yield from (f"  {one}" for one in tally.false[:20])


async def reading(folder: Path, failed: int, local: int, samples: bool) -> int:
    """Plays until so many failed turns are read, and prints what was found; returns the number of false remarks."""
    tally, small = Tally(), Tally()
    without = [one async for one in alone(tally)]
    yet = drawn(TOPIC).keys() - tally.modes
    print(f"alone: {tally.failed} failed turns; without a failing text {without}; never named {sorted(yet)}")
    share = max(0, failed - tally.failed) / (len(BUILT_IN) * len(MODES))
    for profile in BUILT_IN:
        bench = generate(folder / profile, dialogues=_DIALOGUES, turns=_TURNS, seed=11, profile=profile)
        for mode in MODES:
            until = tally.failed + share
            for dialogue in bench.dialogues():
                if tally.failed < until:
                    await played(
                        bench, mode, player(f"steady?skill=.{80 + dialogue % 4 * 5}"), tally, _TURNS, [dialogue]
                    )
    if local:
        model = open_model("local/smollm2-135m")
        bench = InstructionBenchmark(folder / "everyday")
        for mode in MODES:
            await played(bench, mode, model, small, local, [1, 2, 3, 4])
        await model.aclose()
        print("answers of local/smollm2-135m:", *told(small), sep="\n")
    print(*told(tally), sep="\n")
    if samples:
        for group, lines in sorted(tally.samples.items()):
            print(f"== {group}", *sorted(lines, key=hash)[:12], sep="\n   ")
    return len(tally.false) + len(small.false)


def main() -> None:
    """Prints everything; ends with an error where a remark is false."""
    if sys.argv[1:2] == ["--play"]:
        play(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("failed", nargs="?", type=int, default=2000)
    parser.add_argument("--local", type=int, default=0, help="turns of the local model in each of eight dialogues")
    parser.add_argument("--samples", action="store_true", help="show remarks of each group")
    parser.add_argument("--only", choices=("reading", "kills", "speed"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        false = 0
        if options.only in (None, "reading"):
            false = asyncio.run(reading(folder, options.failed, options.local, options.samples))
        if options.only in (None, "kills"):
            bench = generate(folder / "kills", dialogues=10, turns=16, seed=3, profile="everyday")
            print(*kills(bench.path, folder), sep="\n")
        if options.only in (None, "speed"):
            print(*speeds(generate(folder / "speed", dialogues=60, turns=_TURNS, seed=5), folder), sep="\n")
    raise SystemExit(bool(false))


if __name__ == "__main__":
    main()
