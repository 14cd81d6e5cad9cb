"""Instruction following as a scenario: the glue between its libraries and the core (docs/protocol.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from evolif.judging import Criterion
from evolif.judging.relevance import relevance_rubric
from evolif.metrics import LOAD, TURN, UNKNOWN, Breakdown, Key
from evolif.models import ChatModel
from evolif.scenario import (
    CHARACTERS_PER_TOKEN,
    Author,
    Benchmark,
    Defaults,
    Environment,
    Lengths,
    Scenario,
    Services,
    Unjudged,
)
from evolif.scenarios.instructions import InstructionBenchmark as Folder
from evolif.scenarios.instructions import generate, requirements_of
from evolif.scenarios.instructions.constraints import code_of, get_group
from evolif.scenarios.instructions.environment import open_environment
from evolif.scenarios.instructions.folder import folder_of
from evolif.scenarios.instructions.partition import Side
from evolif.scenarios.instructions.players import NAMES, player
from evolif.scenarios.instructions.presentation import InstructionPresentation, InstructionRows
from evolif.scenarios.instructions.relevance import LEXICAL
from evolif.scenarios.instructions.system import system_text
from evolif.scenarios.instructions.tracker.profile import USUAL
from evolif.scenarios.instructions.turn_lines import Definitions
from evolif.scenarios.instructions.turns import NAME, Turn
from evolif.scenarios.instructions.verdicts import by_mode, criteria_of, witness_verdicts
from evolif.text import formality
from evolif.types import JudgedTurn, Prompt, Verdict

_SAMPLED_DIALOGUES = 20
"""Dialogues whose stored turns are sampled to foresee calls."""

_classify = lru_cache(maxsize=1 << 16)(formality)


def _by_formality(turn: JudgedTurn, prompt: Prompt | None) -> Iterable[tuple[Key, Sequence[Verdict]]]:
    return ((UNKNOWN if prompt is None else _classify(prompt.query), turn.verdicts),)


class InstructionOptions(BaseModel):
    """What a benchmark of instruction following is made from, apart from how its chat models are reached."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    turns: Annotated[int, Field(ge=1, description="Turns per dialogue on disk; evaluation adds more.")] = 20
    profile: Annotated[
        str,
        Field(
            description="The state machine's parameters: everyday, objective, paper, extended, escalating, or the path "
            "of a YAML file."
        ),
    ] = USUAL
    topics: Annotated[Path | None, Field(description="Your own topics, JSONL.")] = None
    personas: Annotated[Path | None, Field(description="Your own personas, JSONL.")] = None
    registers: Annotated[Path | None, Field(description="Your own registers, YAML like seeds/frames.yaml.")] = None
    synthesizer: Annotated[
        tuple[str, ...],
        Field(min_length=1, description="What words the dialogues: template, or PROVIDER/NAME[=WEIGHT]."),
    ] = ("template",)
    checker: Annotated[str | None, Field(description="A chat model that checks what rules cannot.")] = None
    definitions: Annotated[
        Definitions, Field(description="Who says what exactly is counted: the system prompt, or the queries.")
    ] = "system"
    split: Annotated[
        Side | None,
        Field(description="train or test: only the modes, topics, personas and wordings of that side of a partition."),
    ] = None


def _ignore(sentence: str) -> None:
    pass


class InstructionFollowing(Scenario):
    """Dialogues of topics and constraints, extended as long as the model keeps up (paper §3)."""

    name = NAME
    players = NAMES
    title = "instruction following over many topics, until patience is exhausted"
    spec = InstructionOptions
    breakdowns = (
        Breakdown("mode", "mode", "Satisfied % per group and mode, of those judged", split=by_mode, edition=1),
        Breakdown("depth", "depth", "CSR % per depth (turns on the topic so far), of the given number of turns"),
        LOAD,
        Breakdown("move", "move", "CSR % per move, of the given number of turns"),
        Breakdown("operation", "operation", "CSR % per operation of the turn, of the given number of turns"),
        Breakdown(
            "synthesizer", "worded by", "CSR % per synthesizer, of the given number of turns", label="source", kind=True
        ),
        Breakdown("register", "register", "CSR % per register of the persona, of the given number of turns", kind=True),
        TURN,
        Breakdown(
            "formality",
            "query",
            "CSR % of formal and informal queries, of the given number of turns",
            split=_by_formality,
            kind=True,
            edition=1,
        ),
    )
    rows = InstructionRows()

    @property
    def presentation(self) -> InstructionPresentation:
        """How reports and pages show it."""
        return InstructionPresentation(self)

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = _ignore
    ) -> Benchmark:
        """Make a benchmark, or complete one of the same specification."""
        options = InstructionOptions.model_validate(spec.model_dump())
        return generate(
            out,
            dialogues=dialogues,
            seed=seed,
            turns=options.turns,
            profile=options.profile,
            topics=options.topics,
            personas=options.personas,
            registers=options.registers,
            synthesizers=options.synthesizer,
            checker=options.checker,
            definitions=options.definitions,
            split=options.split,
        )

    def open(self, path: Path, notify: Callable[[str], None] = _ignore) -> Benchmark:
        """Open a benchmark, which grows as sessions request turns."""
        return Folder(path, notify)

    def defaults(self, bench: Benchmark, play: BaseModel) -> Defaults:
        """Cap and patience of the profile; the person of imported dialogues does not react to answers."""
        folder = folder_of(bench)
        protocol = folder.header.spec.profile.protocol
        return Defaults(protocol.max_turns, protocol.patience, reacts=folder.extendable)

    def environment(self, bench: Benchmark | None, play: BaseModel, services: Services) -> Environment:
        """Its turns, with the synthesizers of those that are missing."""
        return open_environment(None if bench is None else folder_of(bench), services)

    def player(self, name: str, seed: int) -> ChatModel:
        """`sim/perfect`, `sim/steady` or `sim/forgetful`."""
        return player(name, seed)

    def expected(self, bench: Benchmark, play: BaseModel) -> Lengths:
        """From the stored turns of the first dialogues."""
        turns = _sampled(bench)
        judged = [len(criteria_of(turn.constraints)) for turn in turns]
        return Lengths(
            prompt_tokens=fmean(len(turn.query) / CHARACTERS_PER_TOKEN for turn in turns) if turns else 80.0,
            system_tokens=len(system_text(folder_of(bench).header)) / CHARACTERS_PER_TOKEN,
            judge_calls=fmean(judged) if judged else 0.0,
        )

    def unjudged(self, bench: Benchmark) -> Unjudged | None:
        """The subjective groups of the profile, and their shares in the stored turns of the first dialogues."""
        groups = tuple(name for name in folder_of(bench).header.spec.profile.groups if get_group(name).subjective)
        if not groups:
            return None
        turns = _sampled(bench)
        asked, subjective = (
            sum(map(len, counted))
            for counted in ((turn.constraints for turn in turns), (criteria_of(turn.constraints) for turn in turns))
        )
        bare = sum(len(criteria_of(turn.constraints)) == len(turn.constraints) for turn in turns)
        return Unjudged(groups, subjective / asked if asked else 0.0, bare / len(turns) if turns else 0.0)

    def about(self, bench: Benchmark, dialogue: int) -> Mapping[str, Any]:
        """Who speaks, about what, and which groups are asked for in the turns on disk."""
        turns = folder_of(bench).turns(dialogue)
        return {
            "persona": turns[0].persona.id if turns else "",
            "register": turns[0].persona.register if turns else "",
            "topics": list(dict.fromkeys(turn.topic.id for turn in turns)),
            "groups": sorted({one.group for turn in turns for one in turn.constraints}),
            "profile": folder_of(bench).header.spec.profile.name,
        }

    def outline(self, bench: Benchmark, dialogues: Sequence[int]) -> str:
        """The system prompt, as JSON: exports show it, and have the run only."""
        return json.dumps({"system": system_text(folder_of(bench).header)}, ensure_ascii=False)

    def untold(self, bench: Benchmark) -> str:
        """What exactly is counted, unless the queries say it."""
        if folder_of(bench).header.definitions != "system":
            return ""
        return "A set made by `evolif generate --definitions query` says in its queries what is counted."

    def authors(self, bench: Benchmark, max_turns: int, dialogues: Sequence[int]) -> tuple[Author, ...]:
        """The chat models that word missing turns, and the one that checks their words."""
        folder = folder_of(bench)
        missing = [name for name in folder.missing(max_turns, dialogues) if "/" in name]
        written: dict[str, list[int]] = {name: [] for name in missing}
        for dialogue in dialogues if missing else ():
            author = folder.author(dialogue)
            if author in written:
                written[author].append(len(folder.turns(dialogue)))
        authors = [Author("synthesizer", name, tuple(lengths)) for name, lengths in written.items()]
        checker = folder.header.spec.checker
        if missing and checker is not None:
            authors.append(Author("checker", checker))
        return tuple(authors)

    def own_code(self, bench: Benchmark) -> Mapping[str, str]:
        """The user's own constraint groups."""
        return code_of(folder_of(bench).header.spec.profile.groups)

    def relevance_gates(self) -> Mapping[str, str]:
        """By the words of the task, or by the judge."""
        return {"lexical": LEXICAL, "judge": f"judge (rubric {relevance_rubric().version})"}

    def criteria(self, prompt: Prompt) -> Mapping[int, Criterion]:
        """The subjective constraints."""
        return criteria_of(requirements_of(prompt).constraints)

    def perfect(self, prompt: Prompt) -> tuple[Verdict, ...]:
        """Of its witness."""
        return witness_verdicts(prompt)

    def perfect_by(self, prompt: Prompt, rules: int) -> tuple[Verdict, ...]:
        """Of its witness."""
        return witness_verdicts(prompt, rules)


def _sampled(bench: Benchmark) -> list[Turn]:
    folder = folder_of(bench)
    return [turn for dialogue in folder.dialogues()[:_SAMPLED_DIALOGUES] for turn in folder.turns(dialogue)]
