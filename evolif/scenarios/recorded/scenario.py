"""Recorded dialogues as a scenario: the user's turns as they stand, the answers scored by the turns' own metrics.

A benchmark holds the dialogues of a folder in the unified schema (docs/unidial.md), a file each with one line
`{"dialog": …}`, unchanged. There is no patience: a session ends with its dialogue.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
)

from evolif.benchmark import BenchmarkFolder, FolderEnvironment, FolderScenario
from evolif.errors import InputError, UsageError
from evolif.judging import Judgement, Panel
from evolif.metrics import MetricTable
from evolif.models import ChatModel, ChatRequest, SimModel, unknown_player
from evolif.scenario import CHARACTERS_PER_TOKEN, Benchmark, Defaults, Lengths, Scenario, Services, Unjudged
from evolif.scenarios.recorded.aggregation import DEFAULT_AGGREGATION, mean, parse_aggregation
from evolif.scenarios.recorded.benchmarks import known_benchmark
from evolif.scenarios.recorded.presentation import RecordedPresentation, RecordedRows
from evolif.scenarios.recorded.prompts import opening, prompts_of, reference_of
from evolif.scenarios.recorded.recorded_runs import joined_dialogs, stored_dialogs
from evolif.scenarios.recorded.schema import Dialog
from evolif.scenarios.recorded.scoring import judged_entries, needs_judge, score_turn, unscorable
from evolif.scenarios.recorded.sources import Source, read_source, sampled, scored_as, unscored, with_entries
from evolif.text import plural
from evolif.types import End, Exchange, Message, Prompt, Seat, Session
from evolif.util.resources import complaint

_STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {"mean": mean, "min": min, "max": max}


_LATER = frozenset({"benchmark", "metric", "sample", "by", "unscored_turns", "unscored_dialogues", "unscorable"})
"""Options and facts that a header has only where they say something."""


class RecordedOptions(BaseModel):
    """Where the dialogues come from."""

    # A benchmark's header has more than these, see `_Stored`.
    model_config = ConfigDict(extra="allow", frozen=True)

    # The path belongs to this machine, so the benchmark stores only what was found there.
    source: Annotated[
        Path | None,
        Field(
            exclude=True,
            description="A folder of dialogues, or of a model's results, or a file of your own conversations; needed.",
        ),
    ] = None
    recursive: Annotated[bool, Field(description="Whether folders in it are read, too.")] = False
    benchmark: Annotated[
        str, Field(description="The benchmark of UniDial-EvalKit that it is of; its turns get its metrics.")
    ] = ""
    metric: Annotated[
        tuple[str, ...],
        Field(description="What scores evaluated turns that have no metric: CLASS, or CLASS={JSON of arguments}."),
    ] = ()
    sample: Annotated[
        int | None, Field(ge=1, description="How many dialogues are taken, in the mix of --by; all by default.")
    ] = None
    by: Annotated[str, Field(description="The label whose values keep their shares in a sample.")] = ""

    @model_serializer(mode="wrap")
    def _leave_out_defaults(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What earlier versions did not have is stored only where it is used: their benchmarks keep their bytes."""
        data: dict[str, Any] = serialize(self)
        return {name: value for name, value in data.items() if value or name not in _LATER}


class _Stored(RecordedOptions):
    """What a benchmark stores of its dialogues."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    benchmark_id: str = ""
    digest: str = ""
    """Of the dialogues and templates: another text gives another identity."""
    longest: Annotated[int, Field(ge=0)] = 0
    """Evaluated turns of the longest dialogue."""
    off_policy: bool = False
    """Whether a dialogue is off-policy unless the run says otherwise."""
    judged: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The share of the metric entries that ask a judge."""
    only_judged: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The share of the evaluated turns that have entries for a judge only."""
    templates: Mapping[str, str] = Field(default_factory=dict)
    """Of the judge."""
    unscored_turns: Annotated[int, Field(ge=0)] = 0
    """Evaluated turns that have no metric; left out where there are none, and by versions that did not count them."""
    unscored_dialogues: Annotated[int, Field(ge=0)] = 0
    """Dialogues that have no other."""
    unscorable: Mapping[str, str] = Field(default_factory=dict)
    """Kinds of entries that have no score, whatever the answer: how many there are, and why the first has none."""


class RecordedPlay(BaseModel):
    """How a benchmark is played, and what its score is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    policy: Annotated[
        Literal["dialogue", "on", "off"],
        Field(
            description="What later turns see: the model's own answers (on), the references instead (off), or what "
            "each dialogue says."
        ),
    ] = "dialogue"
    aggregate: Annotated[
        str, Field(description="The score: statistic of a turn, statistic of a dialogue, level: mean-min-dialog.")
    ] = DEFAULT_AGGREGATION

    as_released: Annotated[
        bool,
        Field(
            description="Score as UniDial-EvalKit's release does, also where it is wrong, to compare with published "
            "figures."
        ),
    ] = False

    @field_validator("policy", mode="before")
    @classmethod
    def _switch(cls, value: Any) -> Any:
        # A configuration file may have read on and off as truth values.
        return {True: "on", False: "off"}[value] if isinstance(value, bool) else value

    @field_validator("aggregate")
    @classmethod
    def _is_known(cls, value: str) -> str:
        parse_aggregation(value)
        return value


class RecordedFolder(BenchmarkFolder):
    """An opened benchmark of recorded dialogues."""

    def __init__(self, path: Path | str, scenario: Scenario, notify: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(path, scenario, notify)
        self.stored = self.stored_as(_Stored, "import the dialogues again")
        self._opened: OrderedDict[int, tuple[str, tuple[Prompt, ...]]] = OrderedDict()
        """System text and prompts, least recently used first."""

    @property
    def variant(self) -> str:
        """The name of the benchmark that the dialogues are from."""
        return self.stored.benchmark_id

    @cached_property
    def unscored(self) -> tuple[int, int]:
        """Evaluated turns that have no metric, and the dialogues that have no other."""
        if self.stored.unscored_turns:
            return self.stored.unscored_turns, self.stored.unscored_dialogues
        return unscored(map(self.dialog, self.dialogues()))

    def dialog(self, number: int) -> Dialog:
        """A dialogue as it came.

        Raises:
            InputError: its file is broken.
        """
        path = self.path / "dialogues" / f"{number:04}.jsonl"
        lines = self.lines(number)
        if len(lines) != 1 or "dialog" not in lines[0]:
            raise InputError('not one line {"dialog": …}; import the dialogues again', path=path)
        try:
            return Dialog.model_validate(lines[0]["dialog"])
        except ValidationError as fault:
            raise InputError(f"{complaint(fault, 'dialog')}; import the dialogues again", path=path, line=1) from None

    def asked(self, number: int) -> tuple[str, tuple[Prompt, ...]]:
        """The system text of a dialogue, and its prompts."""
        if number in self._opened:
            self._opened.move_to_end(number)
        else:
            dialog = self.dialog(number)
            self._opened[number] = opening(dialog), prompts_of(dialog, number, self.stored.templates)
        while len(self._opened) > self._held:
            self._opened.popitem(last=False)
        return self._opened[number]


class RecordedEnvironment(FolderEnvironment[RecordedPlay, RecordedFolder]):
    """Asks the turns of recorded dialogues, and scores each answer by the metrics of its turn."""

    def __init__(self, bench: RecordedFolder | None, play: RecordedPlay, services: Services) -> None:
        super().__init__(bench, play, services)
        self._panel = services.judge if isinstance(services.judge, Panel) else None
        if bench is not None and (play.policy == "off" or (play.policy == "dialogue" and bench.stored.off_policy)):
            for dialogue in services.dialogues:
                self._check_references(bench, dialogue)

    def system(self, dialogue: int, seat: Seat) -> str:
        """The system turns at the beginning."""
        return "" if self.bench is None else self.bench.asked(dialogue)[0]

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        """The turns since the last answer, until no further turn is evaluated."""
        prompts = () if self.bench is None else self.bench.asked(dialogue)[1]
        if len(past) >= len(prompts):
            return End("finished", "end", "the dialogue is complete")
        return prompts[len(past)]

    def heard(self, prompt: Prompt, answer: str) -> str:
        """The answer on-policy; off-policy the reference, or the original content."""
        if not self._is_off(prompt):
            return answer
        given = reference_of(prompt.payload)
        return answer if given is None else given  # of a last turn, which nobody hears

    def asks_a_judge(self, prompt: Prompt) -> bool:
        """Whether an entry needs the panel."""
        return self._panel is not None and needs_judge(prompt.payload)

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """A score per metric entry; without one, the kind of failure is in its `found`."""
        history: list[Message] = [message for exchange in past for message in exchange.messages]
        return await score_turn(
            prompt,
            answer,
            [*history, *prompt.messages],
            self._panel,
            stored,
            self.services.reading_rules,
            as_released=self.play.as_released,
        )

    def _is_off(self, prompt: Prompt) -> bool:
        return prompt.payload["off_policy"] if self.play.policy == "dialogue" else self.play.policy == "off"

    def _check_references(self, bench: RecordedFolder, dialogue: int) -> None:
        """Refuse, before the first call, a dialogue that cannot be played off-policy."""
        for prompt in bench.asked(dialogue)[1][:-1]:
            if self._is_off(prompt) and reference_of(prompt.payload) is None:
                ids = f"dialogue {prompt.payload['dialog_id']}, turn {prompt.payload['turn_id']}"
                raise UsageError(
                    f"{bench.path}: {ids}, has neither a reference nor a content, so later turns cannot be asked "
                    "off-policy; add one and import the dialogues again, or evaluate with --set policy=on"
                )


def _table(name: str) -> MetricTable:
    """The score under an aggregation: level `dialog` counts each session once, level `turn` each scored turn."""
    turn_stat, dialog_stat, level = parse_aggregation(name)
    of_turn, of_dialogue = _STATISTICS[turn_stat], _STATISTICS[dialog_stat]

    def terms(session: Session) -> tuple[float, float]:
        valid = ([score.value for score in turn.scores if score.value is not None] for turn in session.turns)
        turns = [of_turn(scores) for scores in valid if scores]
        if level == "turn" or not turns:
            return sum(turns), len(turns)
        return of_dialogue(turns), 1

    return MetricTable(
        ("score", "scored"),
        terms,
        {"score": ("score", "scored")},
        {"score": f"Score {name}"},
        meanings={"score": "scores of the answers, as one number"},
        scored_in_both=True,
        kept=f"recorded {name}/1",
    )


_USUAL_TABLE = _table(DEFAULT_AGGREGATION)


class Recorded(FolderScenario[RecordedOptions, RecordedPlay, RecordedFolder]):
    """Dialogues of any benchmark in the unified schema (Jia and others, arXiv 2603.23160)."""

    name = "recorded"
    players = ("echo", "reference")
    title = "recorded dialogues in the unified schema, scored by their own metrics"
    spec = RecordedOptions
    play = RecordedPlay
    folder = RecordedFolder
    played_by = RecordedEnvironment
    rows = RecordedRows()

    @property
    def presentation(self) -> RecordedPresentation:
        """How reports and pages show it."""
        return RecordedPresentation(self)

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = lambda _: None
    ) -> RecordedFolder:
        """Make a benchmark of all dialogues of a folder, in the order of their ids.

        Nothing is drawn but a sample: `dialogues` plays no part, and `seed` only there.

        Raises:
            UsageError: no source, or nothing in it is evaluated.
            InputError: a file of it is broken.
        """
        options = self.made_with(spec)
        if options.source is None:
            raise UsageError("the scenario recorded needs the folder of the dialogues: --set source=FOLDER")
        source = read_source(options.source, recursive=options.recursive)
        if options.benchmark:
            source = scored_as(source, options.benchmark)
        if options.sample is not None:
            source = sampled(source, options.sample, options.by, seed)
        elif options.by:
            raise UsageError("--by says how a sample is mixed; give its size with --sample")
        source = with_entries(source, options.metric)
        for notice in source.notices:
            notify(notice)
        return RecordedFolder.make(
            out,
            self,
            _described(source, options),
            lambda number: [{"dialog": source.dialogs[number - 1].written()}],
            dialogues=len(source.dialogs),
            seed=0 if options.sample is None else seed,
            grows=False,
            notify=notify,
        )

    def table(self, options: Mapping[str, Any]) -> MetricTable:
        """The score under the run's aggregation."""
        name = options.get("aggregate", DEFAULT_AGGREGATION)
        return _USUAL_TABLE if name == DEFAULT_AGGREGATION else _table(name)

    def defaults(self, bench: Benchmark, play: BaseModel) -> Defaults:
        """No patience, a cap that no dialogue reaches, and what of the benchmark nothing scores."""
        folder = self.opened(bench)
        stored = folder.stored
        return Defaults(
            max_turns=stored.longest + 1,
            unscored=_unscored_clause(*folder.unscored),
            notes=tuple(f"{what} ({kind})." for kind, what in stored.unscorable.items()),
        )

    def lengths(self, bench: RecordedFolder, play: RecordedPlay, dialogues: Sequence[int]) -> Lengths:
        """Means over the dialogues."""
        asked = [bench.asked(dialogue) for dialogue in dialogues]
        prompts = [prompt for _, own in asked for prompt in own]
        if not prompts:
            return Lengths()
        judged = [sum(judged_entries(prompt.payload)) for prompt in prompts]
        return Lengths(
            turns=len(prompts) / len(asked),
            prompt_tokens=fmean(sum(len(one.content) for one in prompt.messages) for prompt in prompts)
            / CHARACTERS_PER_TOKEN,
            system_tokens=fmean(len(system) for system, _ in asked) / CHARACTERS_PER_TOKEN,
            judge_calls=fmean(judged),
        )

    def outline(self, bench: Benchmark, dialogues: Sequence[int]) -> str:
        """The dialogues: so a run alone says what is missing, and can be exported."""
        folder = self.opened(bench)
        return stored_dialogs((dialogue, folder.dialog(dialogue)) for dialogue in dialogues)

    def joined_outline(self, outlines: Sequence[str]) -> str:
        """The dialogues of all runs."""
        return joined_dialogs(outlines)

    def unjudged(self, bench: Benchmark) -> Unjudged | None:
        """The entries that ask a judge."""
        stored = self.opened(bench).stored
        return (
            Unjudged(("answers that a judge has to score",), stored.judged, stored.only_judged)
            if stored.judged
            else None
        )

    def player(self, name: str, seed: int) -> ChatModel:
        """`sim/echo` repeats the user's message, `sim/reference` gives the reference, else the original content."""
        rules = {"echo": _echo, "reference": _reference}
        if name not in rules:
            raise unknown_player(name, tuple(rules), self.name)
        return SimModel(name, rules[name])


def _described(source: Source, options: RecordedOptions) -> _Stored:
    """What a benchmark stores of its dialogues.

    Raises:
        UsageError: nothing in them is evaluated.
    """
    prompts = [prompts_of(dialog, number, source.templates) for number, dialog in enumerate(source.dialogs, 1)]
    judged = [judged_entries(prompt.payload) for own in prompts for prompt in own]
    if not judged:
        raise UsageError(
            f"{source.path} has no turn that is evaluated; set do_eval on the assistant's turns to be scored"
        )
    text = json.dumps([[dialog.written() for dialog in source.dialogs], source.templates], sort_keys=True)
    turns, dialogues = unscored(source.dialogs)
    return _Stored(
        recursive=options.recursive,
        benchmark=known_benchmark(options.benchmark).name if options.benchmark else "",
        metric=options.metric,
        sample=options.sample,
        by=options.by,
        benchmark_id=source.benchmark_id,
        digest=hashlib.sha256(text.encode()).hexdigest()[:16],
        longest=max(map(len, prompts)),
        off_policy=any(dialog.dialog_eval_config.use_reference_history for dialog in source.dialogs),
        judged=sum(map(sum, judged)) / max(1, sum(map(len, judged))),
        only_judged=sum(bool(own) and all(own) for own in judged) / len(judged),
        templates=source.templates,
        unscored_turns=turns,
        unscored_dialogues=dialogues,
        unscorable=_unscorable(prompts),
    )


def _unscorable(prompts: Iterable[Sequence[Prompt]]) -> dict[str, str]:
    """The entries that have no score, whatever the answer, by kind: their number, and the first with its reason."""
    found: dict[str, list[str]] = {}
    for prompt in (prompt for own in prompts for prompt in own):
        for kind, reason in unscorable(prompt.payload):
            place = f"dialogue {prompt.payload['dialog_id']}, turn {prompt.payload['turn_id']}"
            found.setdefault(kind, []).append(f"{place}: {reason}")
    return {
        kind: f"{plural(len(places), 'metric entry', 'metric entries')} without a score for any answer; {places[0]}"
        for kind, places in sorted(found.items())
    }


def _unscored_clause(turns: int, dialogues: int) -> str:
    """What of a benchmark nothing scores, and what to do about it; empty if everything is scored."""
    if not turns:
        return ""
    whole = f" (in {plural(dialogues, 'dialogue')} no turn has one)"
    return (
        f"{plural(turns, 'evaluated turn has', 'evaluated turns have')} no metric"
        f"{whole if dialogues else ''}, so nothing scores their answers; import the dialogues again "
        "with --benchmark NAME or --metric NAME"
    )


def _echo(prompt: Prompt, request: ChatRequest) -> str:
    return prompt.query


def _reference(prompt: Prompt, request: ChatRequest) -> str:
    return reference_of(prompt.payload) or ""
