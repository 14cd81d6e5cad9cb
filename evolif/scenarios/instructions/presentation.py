"""How reports and exports show instruction following."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evolif.metrics import Breakdown
from evolif.scenario import Benchmark, Chapter, Grid, ModelsView, ModelView, Presentation, Rows
from evolif.scenarios.instructions import requirements_of
from evolif.scenarios.instructions.constraints import format_of
from evolif.scenarios.instructions.folder import folder_of
from evolif.scenarios.instructions.partition import side_named
from evolif.scenarios.instructions.reactions import group_grids, group_object, reaction_of, remark_range
from evolif.scenarios.instructions.tracker.profile import BUILT_IN, load_profile
from evolif.scenarios.instructions.turn_lines import edition_of
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.verdicts import seen_breakdown
from evolif.text import plural
from evolif.types import Prompt

NOT_COMPARABLE = (
    "An independent implementation: the figures are not comparable with the leaderboard of the EvolIF paper "
    "(arXiv 2511.03508)."
)


class InstructionPresentation(Presentation):
    """How reports and pages show instruction following."""

    requirement = "constraint"
    answer_key = "witness"
    notice = NOT_COMPARABLE
    chapters = (
        Chapter("survival", "How long sessions last", "", ("survival", "hazard"), ("survival", "hazard", "exhaustion")),
        Chapter("groups", "Constraint groups", "", ("groups", "modes"), ("group", "seen", "mode", "heuristic")),
        Chapter(
            "feedback",
            "Reactions to answers",
            "What comes of it when the person says that something was missed, by the group that they named.",
            (),
            ("feedback",),
        ),
        Chapter(
            "load",
            "Difficulty, depth and load",
            "Depth is the number of turns on the topic so far; load is the number of constraints that are active at "
            "once.",
            ("difficulty", "depth", "load"),
            ("difficulty", "depth", "load"),
        ),
        Chapter(
            "moves",
            "Moves and operations",
            "A turn opens a topic, continues one or goes back to one, and adds, modifies or removes one constraint.",
            ("moves",),
            ("move", "operation"),
        ),
        Chapter(
            "patience",
            "Patience sweep",
            "Each session is cut at its first streak of that many failed turns: exact, and without model calls.",
            ("patience",),
            ("patience",),
        ),
        Chapter(
            "queries",
            "Wording of the queries",
            "",
            ("synthesizers", "registers", "formality"),
            ("synthesizer", "register", "formality", "by-synthesizer", "by-register", "by-formality"),
        ),
        Chapter("ranks", "Ranks", "", ("stability",), ("ranks", "pairs", "stability")),
        Chapter("variance", "More dialogues or more epochs", "", (), ("variance",)),
    )
    how_to_read = (
        "A model converses with a simulated user whose constraints on the answers change by one every turn. A turn is "
        "good if every judged constraint is satisfied.",
    )

    def describe_edit(self, before: Prompt, now: Prompt) -> str:
        """Which constraints changed, or the move."""
        was, is_ = ({c.group: dict(c.params) for c in requirements_of(one).constraints} for one in (before, now))
        groups = {group for group in was.keys() | is_.keys() if was.get(group) != is_.get(group)}
        if groups:
            return f"its constraints changed: {', '.join(sorted(groups))}"
        moves = [f"{one.labels['move']} on topic {one.labels['topic']}" for one in (before, now)]
        return f"it was {moves[0]} and is now {moves[1]}"

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """With the profile, the length, and the models that word queries."""
        words = ["--profile", variant]
        notes = [] if variant in BUILT_IN else ["the profile is a custom file"]
        if bench is None:
            return [*words, "--dialogues", str(max(dialogues, default=1)), "--seed", "SEED"], notes
        header = folder_of(bench).header
        spec = header.spec
        words += ["--dialogues", str(spec.dialogues), "--turns", str(spec.turns), "--seed", str(spec.seed)]
        if spec.synthesizers != ("template",):
            words += [word for name in spec.synthesizers for word in ("--synthesizer", name)]
            notes.append("a chat model words queries differently every time: share the benchmark's folder")
        if spec.checker is not None:
            words += ["--checker", spec.checker]
        if header.definitions == "query":
            words += ["--definitions", "query"]
        words += [flag for flag, on in (("--judged", header.judged), ("--voices", spec.profile.voices)) if on]
        if spec.split is not None:
            words += ["--split", spec.split.side]
        if variant in BUILT_IN and header.edition != edition_of(load_profile(variant)):
            notes.append(f"it is of edition {header.edition}; this evolif makes other dialogues: share its folder")
        notes += [f"--constraints with your group {name}, made by {code}" for name, code in header.own_code.items()]
        notes.append("with the topics and personas of its folder, if they were custom")
        return words, notes

    def facts(self, prompt: Prompt) -> tuple[tuple[str, str], ...]:
        """Move and operation, the topic and who worded the query, and what the person said of the answer before."""
        told = {name: str(value) for name, value in prompt.labels.items()}
        about = f"{told.get('topic', '')}, turn {told.get('depth', '')} on it"
        about += f"; worded by {told['source']}" if told.get("source") else ""
        about += f", {told['register']}" if told.get("register") else ""
        facts = ("", told.get("move", "")), ("", told.get("operation", "")), ("topic", about)
        reaction = reaction_of(prompt)
        if reaction is None or not reaction.kind:
            return facts
        named = "" if reaction.missed is None else f" {reaction.missed.group}"
        return *facts, ("remark", f"{reaction.kind}{named}")

    def reaction(self, prompt: Prompt) -> tuple[int, int] | None:
        """The remark on the answer before; of a repair the whole query."""
        return remark_range(prompt)

    def seen_kinds(self, side: str) -> Breakdown:
        """By the side of the modes within their groups, see `partition.py`."""
        return seen_breakdown(side_named(side))

    def extra(self, model: ModelView) -> Mapping[str, Any]:
        """What comes of being told, per group, in runs with feedback."""
        return group_object(model)

    def parts(self, board: ModelsView) -> Iterable[Grid]:
        """The same as a table."""
        yield from group_grids(board)

    def reading_format(self, prompt: Prompt) -> str | None:
        """The format that the constraints demand; None for foreign constraints without a mode."""
        try:
            return format_of([Constraint(one["group"], one["params"]) for one in prompt.payload["constraints"]])
        except (KeyError, TypeError):
            return None

    def lead(self, models: int, dialogues: int) -> str:
        """How long the models followed instructions."""
        return (
            f"How long {plural(models, 'model')} followed instructions over {dialogues} evolving "
            f"{'dialogue' if dialogues == 1 else 'dialogues'}, with transcripts."
        )


class InstructionRows(Rows):
    """The columns of prompts in exports, and their answer keys."""

    def row(self, prompt: Prompt) -> dict[str, Any]:
        """Topic, move and the like, the query, and the constraints."""
        constraints = prompt.payload["constraints"]
        groups = [constraint["group"] for constraint in constraints]
        feedback = {"feedback": prompt.payload["feedback"]} if "feedback" in prompt.payload else {}
        return {**prompt.labels, "query": prompt.query, "groups": groups, "constraints": constraints, **feedback}

    def key_row(self, prompt: Prompt) -> dict[str, Any]:
        """The witness; null if there is none."""
        return {"witness": prompt.payload["witness"]}

    def keys(self, prompt: Prompt) -> tuple[str, ...]:
        """The witness."""
        witness = prompt.payload["witness"]
        return (witness,) if witness else ()
