"""How reports and exports show games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evolif.benchmark import BenchmarkFolder, FolderPresentation
from evolif.scenario import Benchmark, Exhibit, Grid, HeatMap, LineChart, ModelsView, ModelView, Opening, Rows, RunView
from evolif.scenarios.games.accuracy_tables import ACCURACY_FIGURE, accuracy_object, game_remarks, turns_sentence
from evolif.scenarios.games.by_game import GAMES_FIGURE, told_by_game
from evolif.scenarios.games.noun_phrases import parser_name
from evolif.scenarios.games.options import GamePlay
from evolif.scenarios.games.report import CHAPTERS, game_figures, game_grids
from evolif.scenarios.games.results import outcomes_of
from evolif.scenarios.games.sessions import columns_of, instance_exhibits
from evolif.scenarios.games.stored import stored_view
from evolif.types import Prompt


class GamePresentation(FolderPresentation):
    """How reports and pages show games."""

    answer_key = "answer"
    chapters = CHAPTERS
    how_to_read = (
        "Two players see different things and talk within a budget of tokens; then one of them answers. Every instance "
        "is played with few turns and with many, and the same budget: more turns should never hurt. What is hard with "
        "few turns is hard with many, so intervals and tests count instances, not dialogues.",
        "What a model guesses from one part, and what it makes of both, are runs of their own with --set "
        "reference=floor or reference=ceiling and the same --partner; so is one that refuses early answers (--fork and "
        "--set hold_answers=true). One report shows them side by side.",
    )

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """With the number of instances, not of dialogues."""
        words, more = super().command(bench, variant, dialogues)
        told = list(words)
        place = told.index("--dialogues") + 1
        if not isinstance(bench, BenchmarkFolder):
            told[place] = "INSTANCES"
            return told, (*more, "with its game, its turns and its number of instances")
        told[place] = str(len(bench.dialogues()) // (len(bench.spec.turns) * len(bench.spec.game)))
        return told, more

    def facts(self, prompt: Prompt) -> tuple[tuple[str, str], ...]:
        """Whose turn it is, and how many there are."""
        view = stored_view(prompt)
        return ("", f"player {view.player + 1}"), ("turn", f"{view.turn} of {view.turns}"), ("game", view.game)

    def extra(self, model: ModelView) -> Mapping[str, Any]:
        """Accuracy with its interval over instances, by number of turns, what turns gain, and how the games ended."""
        return accuracy_object(outcomes_of(model.counted))

    def remarks(self, run: RunView) -> Iterable[str]:
        """What turns gain each model; nothing where it answered at once."""
        if GamePlay.model_validate(run.settings.options).reference != "none":
            return
        for model in run.models:
            for name, own in told_by_game(model.name, outcomes_of(model.counted)):
                yield from game_remarks(name, own)

    def opening(self, board: ModelsView) -> Opening:
        """What turns gain each model, and accuracy against turns."""
        played = zip(board.heads, board.models, strict=True)
        told = [
            turns_sentence(name, own)
            for head, model in played
            if GamePlay.model_validate(model.of.settings.options).reference == "none"
            for name, own in told_by_game(head, outcomes_of(model.counted))
        ]
        return Opening(tuple(filter(None, told)), (GAMES_FIGURE, ACCURACY_FIGURE, "headline"))

    def parts(self, board: ModelsView) -> Iterable[Grid]:
        """Accuracy against turns with its references, what is used, how games end, and what is said; game by game."""
        columns = columns_of(board)
        return game_grids(columns, parser_name()) if columns else ()

    def figures(self, board: ModelsView) -> Iterable[HeatMap | LineChart]:
        """Accuracy against turns between floor and ceiling; in names the information per turn."""
        columns = columns_of(board)
        return game_figures(columns) if columns else ()

    def exhibits(self, prompts: Sequence[Prompt]) -> Sequence[Exhibit]:
        """What both players see."""
        match = prompts[0].payload.get("match") if prompts else None
        return instance_exhibits(match["instance"]) if isinstance(match, Mapping) and "instance" in match else ()


class GameRows(Rows):
    """The columns of prompts in exports, and their answer keys."""

    key_fields = ("answer", "proof")

    def key_row(self, prompt: Prompt) -> dict[str, Any]:
        """The answer as the player who is asked sees it; at the first turn the proof as well."""
        instance = prompt.payload.get("match", {}).get("instance", {})
        return {"answer_key": prompt.payload["key"], "proof": instance.get("proof")}
