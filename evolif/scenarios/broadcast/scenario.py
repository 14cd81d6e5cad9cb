"""Live broadcasts as a scenario: a friend follows a simulated match on a ticker, and asks about what was shown before.

The friend's messages do not depend on the replies. A session plays the whole match; patience is applied afterwards by
cutting, which is exact, unless a run stops where patience is gone. Every judged turn has a checklist with weights: its
verdicts say which items hold, and its score `credit` is what they are worth.

What a run stores of a turn, and where a report finds it:

- labels: `task`, `sport`, `kind`, `subtask` (empty where nothing is judged), `period`, `distance` (only where there is
  one), `variant` (empty, or what is compared, such as `chunks=10`), `match` (variants of a match share it, and are
  one in intervals and tests);
- the payload: the turn as `dialogue` makes it, without its message; at the first turn also the settings;
- verdicts: one for each item of the checklist, in its order, then one for each gate;
- the score `credit`: the turn's score; none for a turn that is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from pydantic import BaseModel

from evolif.benchmark import HEADER, BenchmarkFolder, FolderEnvironment, FolderScenario, dialogue_file, read_header_json
from evolif.errors import InputError, UsageError
from evolif.judging import Criterion, Judgement, Panel
from evolif.metrics import MetricTable
from evolif.models import ChatModel
from evolif.scenario import Benchmark, Defaults, Lengths, Scenario, Services, Unjudged
from evolif.scenarios.broadcast.accuracy import ACCURACY_TABLE
from evolif.scenarios.broadcast.checklist import needs_judge
from evolif.scenarios.broadcast.dialogue import dialogue, match_of
from evolif.scenarios.broadcast.judged import judge_reply, rule_verdicts, turn_criteria
from evolif.scenarios.broadcast.lines import line_fault, lines_of, turn_of
from evolif.scenarios.broadcast.match import EDITION, FIRST
from evolif.scenarios.broadcast.options import BroadcastOptions, BroadcastPlay, plays_whole_matches
from evolif.scenarios.broadcast.players import NAMES, player
from evolif.scenarios.broadcast.presentation import BroadcastPresentation, BroadcastRows
from evolif.scenarios.broadcast.reading import FIRST_VERSION, READING_VERSION
from evolif.scenarios.broadcast.report import BREAKDOWNS
from evolif.types import Exchange, Prompt, Seat, Verdict

_CHARACTERS, _SYSTEM_CHARACTERS = 2.6, 3.3
"""Characters per token of messages, full of rare names and numbers, and of system prompts; by 32,000 subwords."""
_PATIENCE = 3
_PERIODS = 4
"""Of the sport that has most."""
_PARTS = 5
"""Turns with rows in a period, unless an option says otherwise."""
_OTHER_TURNS = 6
"""Of a period: three interruptions and three questions at most."""


class BroadcastFolder(BenchmarkFolder):
    """An opened benchmark of broadcasts."""

    spec: BroadcastOptions

    def __init__(self, path: Path | str, scenario: Scenario, notify: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(path, scenario, notify)
        if "match_edition" not in dict(self._header.spec):
            self.spec = self.spec.model_copy(update={"match_edition": FIRST})

    def _read(self, dialogue: int) -> list[dict[str, Any]]:
        lines = super()._read(dialogue)
        path = dialogue_file(self.path, dialogue)
        mend = "restore the file, or delete it and run the same `evolif generate`"
        if not lines:
            raise InputError(f"no turn in it; {mend}", path=path)
        for number, line in enumerate(lines, 1):
            fault = line_fault(line, is_first=number == 1)
            if fault:
                raise InputError(f"{fault}; {mend}", path=path, line=number)
        return lines

    @property
    def variant(self) -> str:
        """Tasks and sports, if they are not all, and the options that are not as usual."""
        spec = self.spec
        return " ".join(filter(None, ("+".join(spec.task), "+".join(spec.sport), *spec.chosen)))


class BroadcastEnvironment(FolderEnvironment[BroadcastPlay, BroadcastFolder]):
    """Asks the friend's turns in order, and scores each judged reply by its checklist."""

    def __init__(self, bench: BroadcastFolder | None, play: BroadcastPlay, services: Services) -> None:
        super().__init__(bench, play, services)
        self._panel = services.judge if isinstance(services.judge, Panel) else None

    def system(self, dialogue: int, seat: Seat) -> str:
        """The friend's role and the roster; in instruction following the rules for replies, too."""
        return "" if self.bench is None else str(self.bench.lines(dialogue)[0]["system"])

    def asked(self, dialogue: int, turn: int, line: Mapping[str, Any]) -> Prompt:
        """The prompt of a line, with the names that every turn is scored by, and the version of the reading rules.

        Lines without a version are of the first.
        """
        assert self.bench is not None
        shared = {"names": self.bench.lines(dialogue)[0]["names"], "reading": line.get("reading", FIRST_VERSION)}
        return super().asked(dialogue, turn, {**line, **shared})

    def asks_a_judge(self, prompt: Prompt) -> bool:
        """Whether the panel decides on an item of the turn."""
        return self._panel is not None and bool(turn_criteria(prompt.payload))

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """A verdict for each item and each gate, and the turn's score; nothing for a turn that is not judged."""
        return await judge_reply(turn_of(prompt), answer, self._panel, stored)


class Broadcast(FolderScenario[BroadcastOptions, BroadcastPlay, BroadcastFolder]):
    """Live broadcasts of simulated matches, generated without end, with questions about what was shown long before."""

    name = "broadcast"
    players = NAMES
    title = "live broadcasts of simulated matches; a friend asks about what was shown many turns before"
    usual_dialogues = 120
    spec = BroadcastOptions
    play = BroadcastPlay
    folder = BroadcastFolder
    played_by = BroadcastEnvironment
    breakdowns = BREAKDOWNS
    rows = BroadcastRows()

    @property
    def presentation(self) -> BroadcastPresentation:
        """How reports and pages show it."""
        return BroadcastPresentation(self)

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = lambda _: None
    ) -> BroadcastFolder:
        """Make a benchmark, or complete it.

        Raises:
            UsageError: the folder holds something else or an older version made it, or options do not go together.
        """
        options = self.made_with(spec)
        options.check()
        _refuse_older(out, self)
        if "match_edition" not in options.model_fields_set and (stored := _stored_edition(out)):
            options = options.model_copy(update={"match_edition": stored})
        return super().generate(out, options, dialogues=dialogues, seed=seed, notify=notify)

    def lines(self, spec: BroadcastOptions, number: int, seed: int) -> Iterable[Mapping[str, Any]]:
        """The lines of a dialogue; its match has the number of its place among the matches of the benchmark."""
        place = spec.place(number)
        edition = spec.match_edition
        made = dialogue(place.task, place.sport, place.match, seed=seed, match_edition=edition, **place.settings)
        match = None
        if place.task == "IF":
            match = match_of(place.task, place.sport, place.match, seed=seed, match_edition=edition)
        return lines_of(made, place, match)

    def defaults(self, bench: Benchmark, play: BaseModel) -> Defaults:
        """Patience 3, which cuts sessions when they are read or stops them, and a cap that no match reaches."""
        cut: Literal["during", "after"] = "during" if self.played_with(play).stop_at_patience else "after"
        rows = max(self.opened(bench).spec.chunks, default=_PARTS)
        return Defaults(_PERIODS * (max(rows, _PARTS) + _OTHER_TURNS) + 1, _PATIENCE, cut)

    def cut(self, bench: Benchmark, play: BaseModel) -> Literal["during", "after"]:
        """A run may ask to stop where patience is gone."""
        return "during" if self.played_with(play).stop_at_patience else "after"

    def lengths(self, bench: BroadcastFolder, play: BroadcastPlay, dialogues: Sequence[int]) -> Lengths:
        """Means over the dialogues."""
        sampled = [bench.lines(number) for number in dialogues]
        turns = fmean(map(len, sampled))
        asked = fmean(len(line["query"]) for own in sampled for line in own)
        return Lengths(
            turns=turns,
            prompt_tokens=asked / _CHARACTERS,
            system_tokens=fmean(len(own[0]["system"]) for own in sampled) / _SYSTEM_CHARACTERS,
            judge_calls=fmean(sum(map(needs_judge, line["checklist"])) for own in sampled for line in own),
        )

    def unjudged(self, bench: Benchmark) -> Unjudged | None:
        """Whether a sentence supports a team, and whether a summary is true; None without instruction following."""
        folder = self.opened(bench)
        if "IF" not in folder.spec.tasks:
            return None
        sampled = [folder.lines(number) for number in self.sampled(folder)]
        judged = [line["checklist"] for own in sampled for line in own if line["judged"]]
        weight = sum(item["weight"] for checklist in judged for item in checklist if needs_judge(item))
        groups = ("whether a sentence supports the team", "whether a summary is true")
        return Unjudged(groups, weight / max(1, len(judged)))

    def player(self, name: str, seed: int) -> ChatModel:
        """`sim/perfect`, `sim/steady?skill=P` or `sim/reader`."""
        return player(name, seed)

    def criteria(self, prompt: Prompt) -> Mapping[int, Criterion]:
        """What a panel decides on: the sentence of support, the summary."""
        return turn_criteria(prompt.payload)

    def keeps_answers(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """Always: whether patience ends a match does not change what is asked and answered before."""
        return True

    def perfect(self, prompt: Prompt) -> tuple[Verdict, ...] | None:
        """The verdicts of rules on the witness; None for a turn that is not judged."""
        turn = turn_of(prompt)
        return rule_verdicts(turn, turn["witness"]) if turn["judged"] else None

    def table(self, options: Mapping[str, Any]) -> MetricTable | None:
        """Accuracy, which needs whole matches; none where a run stopped at patience."""
        return ACCURACY_TABLE if plays_whole_matches(options) else None


def _stored_edition(out: Path) -> int | None:
    """The edition of the matches in a folder, also of one that is only half made; None if there is none."""
    for name in (HEADER, f"{HEADER}.part"):
        if (out / name).is_file():
            spec = read_header_json(out / name).get("spec")
            edition = spec.get("match_edition", FIRST) if isinstance(spec, dict) else None
            return edition if edition in (FIRST, EDITION) else None
    return None


def _refuse_older(out: Path, scenario: Broadcast) -> None:
    """Refuse to complete a benchmark whose dialogues this version would word and score differently."""
    if not (out / HEADER).exists():
        return
    folder = scenario.open(out)
    numbers = folder.dialogues()
    if numbers and folder.lines(numbers[0])[0].get("reading", FIRST_VERSION) != READING_VERSION:
        raise UsageError(
            f"{out} was made by a version of evolif that worded and scored matches differently, so this one can play "
            "it, but not add to it; generate a fresh benchmark in another folder"
        )
