"""How reports and exports show dialogues whose topic shifts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evolif.benchmark import FolderPresentation
from evolif.metrics import MetricFigures
from evolif.scenario import Benchmark, Chapter, Grid, HeatMap, ModelsView, ModelView, Opening, Rows, RunView
from evolif.scenarios.shifts.completion import completion_object, goal_counts, left_out, size_object
from evolif.scenarios.shifts.decisions import misplaced
from evolif.scenarios.shifts.folder import ShiftFolder
from evolif.scenarios.shifts.lines import KEY_FIELDS, turns_of_prompts
from evolif.scenarios.shifts.report import failures_map, has_gold, shift_grids, shift_object
from evolif.scenarios.shifts.sessions import plays_of, plays_of_model
from evolif.types import Prompt


class ShiftPresentation(FolderPresentation):
    """How reports and pages show dialogues whose topic shifts."""

    requirement = "goal"
    answer_key = "witness"
    chapters = (
        Chapter(
            "contexts",
            "What the model is shown",
            "A context strategy chooses what of the conversation each call shows. Its own calls are counted beside it. "
            "Its ceiling is what a reader of the final call, who knows nothing else, can get right.",
            ("tokens",),
            ("contexts", "context-effects", "context-classes", "reader", "recall"),
        ),
        Chapter("failures", "Why goals fail", "", ("failures",), ("failures",)),
        Chapter(
            "topics",
            "Topics and branches",
            "What the strategy tree decides, compared with the gold of each turn. Each dialogue below shows its own.",
            ("tree",),
            ("decisions",),
        ),
        Chapter("ranks", "Ranks", "", ("stability",), ("ranks", "pairs", "stability")),
        Chapter("variance", "More dialogues or more epochs", "", (), ("variance",)),
    )
    how_to_read = (
        "The user opens other subjects, tries alternatives, comes back and changes their mind. At the end they ask for "
        "the whole result. The task completion rate (TCR) is the share of their goals that this answer satisfies.",
    )

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """With the released file, which only its owner knows; else with the seed and the options."""
        if not (isinstance(bench, ShiftFolder) and bench.is_released):
            return super().command(bench, variant, dialogues)
        kept = ["--set", "unstated=keep"] if bench.stored.unstated == "keep" else []
        return ["--scenario", self.scenario.name, "--set", "source=FILE", *kept], [
            "where FILE has the released dialogues"
        ]

    def facts(self, prompt: Prompt) -> tuple[tuple[str, str], ...]:
        """The move, where it belongs, and the acts."""
        gold = prompt.payload.get("gold")
        if gold is None:
            return super().facts(prompt)
        place = f"topic {gold['topic'] + 1}, branch {gold['branch']}"
        fork = f", from turn {gold['fork']}" if gold["fork"] else ""
        acts = ", ".join(" ".join(filter(None, (act["name"], act["slot"]))) for act in gold["acts"])
        labels = prompt.labels
        told = (("", str(labels["move"])), ("", f"{place}{fork}"), ("task", str(labels["task"])))
        return (*told, ("acts", acts)) if acts else told

    def misplaced(
        self, prompts: Sequence[Prompt], decisions: Sequence[Mapping[str, Any] | None]
    ) -> Mapping[int, str] | None:
        """By the gold of the dialogue; None for released ones, which have none."""
        turns = turns_of_prompts(prompts)
        return None if turns is None else misplaced(turns, decisions)

    def extra(self, model: ModelView) -> Mapping[str, Any]:
        """TCR and tokens by number of rounds, what TCR leaves out, failures, node recall, ceiling, decisions."""
        whole = MetricFigures(model.summary.metrics, model.summary.intervals)
        return {
            **completion_object(whole, model.figures_by("rounds")),
            **size_object(model.context_size),
            **goal_counts(model.counted),
            **shift_object(plays_of_model(model)),
        }

    def remarks(self, run: RunView) -> Iterable[str]:
        """What is left out of TCR, and why."""
        for model in run.models:
            yield from left_out(model.name, model.counted)

    def warnings(self, run: RunView) -> Iterable[str]:
        """All of them: the rate is of what is not left out."""
        return self.remarks(run)

    def opening(self, board: ModelsView) -> Opening:
        """The task completion rate, against tokens where strategies differ in them."""
        return Opening((), ("tokens", "failures", "headline"))

    def parts(self, board: ModelsView) -> Iterable[Grid]:
        """Why goals fail, what the final calls show, the ceilings of strategies, and decisions."""
        yield from shift_grids(plays_of(board))

    def figures(self, board: ModelsView) -> Iterable[HeatMap]:
        """Why goals fail, as colours; nothing for released dialogues."""
        plays = plays_of(board)
        return (failures_map(plays),) if has_gold(plays) else ()


class ShiftRows(Rows):
    """The columns of prompts in exports, and their answer keys."""

    key_fields = KEY_FIELDS
    expected_is_key = True

    def key_row(self, prompt: Prompt) -> dict[str, Any]:
        """Witness, goals and gold of the turn, where there are any."""
        return {key: prompt.payload.get(key) for key in KEY_FIELDS}

    def keys(self, prompt: Prompt) -> tuple[str, ...]:
        """The witness of the final answer."""
        witness = prompt.payload.get("witness")
        return (witness,) if witness else ()
