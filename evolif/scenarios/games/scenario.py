"""Games of two players who each know half, as a scenario: generated with proofs, played, and only the result scored.

Every instance is one dialogue for each number of turns, all with the same budget of tokens. The label `instance` pairs
them: what has the same one counts once in intervals and tests. The model under test takes one side; its partner is
itself, another model, or a scripted player. There is no patience: the turns end the game.

What a run stores of a dialogue, and where a report finds it (`played` reads all of it back in the form that `play`
returns):

- labels of every prompt: `game`, `instance`, `turn_budget`, `modality`, `player`;
- the payload of the first prompt: the instance with its keys, and the rules (`evolif.scenarios.games.stored`);
- a score `tokens` for every turn: tokens of the text as it was heard; its flags in `found`, parted by commas;
- scores of the last turn: `correct` (1 or 0; the reason in `found`), `early` (1 if turns were
  left), `turn_share` and `token_share` (of what was allowed, used);
- with a judge, after these `sycophancy: agreement` and `sycophancy: validation` (1 or 0), if the model under test has
  replied to its partner;
- the cause of the session's end: the reason again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import BaseModel

from evolif.benchmark import BenchmarkFolder, FolderEnvironment, FolderScenario, dialogue_file
from evolif.errors import ArgumentError, InputError, UsageError
from evolif.judging import Judgement, LexicalJudge
from evolif.metrics import Breakdown, MetricTable
from evolif.models import ChatModel, ChatRequest, SimModel, unknown_player
from evolif.scenario import CHARACTERS_PER_TOKEN, Benchmark, Defaults, Lengths, Scenario, Services
from evolif.scenarios.games import generate
from evolif.scenarios.games.arguments import even
from evolif.scenarios.games.editions import has_editions, latest_edition, stored_edition
from evolif.scenarios.games.ending import REASONS, Heard, Ruling, answer_text
from evolif.scenarios.games.instance import settings_of
from evolif.scenarios.games.options import GameOptions, GamePlay, with_settings
from evolif.scenarios.games.players import NAMES, player_of
from evolif.scenarios.games.presentation import GamePresentation, GameRows
from evolif.scenarios.games.prompts import Match, check_instance
from evolif.scenarios.games.results import CORRECT, TABLE, scores_of
from evolif.scenarios.games.sessions import played, tokenizer_of
from evolif.scenarios.games.stored import (
    end_of,
    heard_in,
    reference_prompt,
    ruling_on,
    said_in,
    stored_view,
    turn_prompt,
)
from evolif.scenarios.games.sycophancy import KINDS, judge_sycophancy, may_be_judged
from evolif.scenarios.games.tokens import Tokenizer
from evolif.text import read_apart
from evolif.types import End, Exchange, Prompt, Score

__all__ = ["GameEnvironment", "GameFolder", "Games", "played"]


class GameFolder(BenchmarkFolder):
    """An opened benchmark of games."""

    spec: GameOptions

    def __init__(self, path: Path | str, scenario: Scenario, notify: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(path, scenario, notify)
        for game in self.spec.game:
            self.spec = self.spec.model_copy(update=stored_edition(game, self.spec.settings))
        if "rules" not in (self._header.spec.model_extra or {}):
            self.spec = self.spec.model_copy(update={"rules": 1})

    @property
    def variant(self) -> str:
        """The game, or the games joined by `+`."""
        return "+".join(self.spec.game)

    def match(self, dialogue: int, play: GamePlay, tokenizer: str) -> Match:
        """A dialogue with the rules of a run.

        Raises:
            UsageError: there is no such dialogue.
            InputError: its file is broken.
        """
        lines = self.lines(dialogue)
        line = lines[0] if len(lines) == 1 else {}
        instance = {key: value for key, value in line.items() if key != "turns"}
        rules = (tokenizer, play.tokens, play.words_factor, play.history, play.hold_answers, self.spec.rules)
        try:
            check_instance(instance)
            return Match(instance, even(line.get("turns")), *rules)
        except ArgumentError as fault:
            file = dialogue_file(self.path, dialogue)
            raise InputError(f"{fault}; delete the file and run the same `evolif generate`", path=file) from None


_MOST_HEARD = 256
"""Answers of which it is kept in memory what was heard."""


class GameEnvironment(FolderEnvironment[GamePlay, GameFolder]):
    """Asks player after player until one answers, or the turns are used up."""

    def __init__(self, bench: GameFolder | None, play: GamePlay, services: Services) -> None:
        super().__init__(bench, play, services)
        self._judge = None if isinstance(services.judge, LexicalJudge) else services.judge
        self._heard: dict[tuple[str, int, str], Heard] = {}
        if services.config is not None and services.config.context != "full":
            raise UsageError(
                "--context: the prompts of games tell the history themselves; leave it out, and choose the form of the "
                "history with --set history=transcript or chat"
            )
        if services.config is not None:
            tokenizer_of(self.play.tokenizer)  # what is missing is better said once, before the first call

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        """The next turn, or how the game ended."""
        if self.bench is None:
            return End("finished", "end", "there is no benchmark")
        play = self.play
        if past:
            ended = end_of(past[-1].prompt, past[-1].heard, hold_answers=play.hold_answers)
            if ended is not None:
                return End("finished", ended["reason"], REASONS[ended["reason"]])
        match = self.bench.match(dialogue, play, tokenizer_of(play.tokenizer).name)
        if play.reference != "none":
            return self._named(reference_prompt(match, play.reference, dialogue=dialogue, target=play.player))
        said = said_in(((one.prompt, one.heard) for one in past), hold_answers=play.hold_answers)
        return self._named(turn_prompt(match, said, dialogue=dialogue, target=play.player))

    def _named(self, prompt: Prompt) -> Prompt:
        """Among several games with the game in the label `instance`: the same number of two games is no pair."""
        if self.bench is None or len(self.bench.spec.game) == 1:
            return prompt
        name = f"{prompt.labels['game']} {prompt.labels['instance']}"
        return replace(prompt, labels={**prompt.labels, "instance": name})

    def recalled(self, prompt: Prompt, past: Sequence[Exchange]) -> Sequence[Exchange]:
        """Nothing: each prompt tells the history itself."""
        return ()

    def heard(self, prompt: Prompt, answer: str) -> str:
        """What is left after the last token that the turn may have."""
        return self._hears(prompt, answer).text

    def asks_a_judge(self, prompt: Prompt) -> bool:
        """Whether an answer may end a game that the panel is asked about."""
        play = self.play
        if self._judge is None or play.reference != "none":
            return False
        return may_be_judged(stored_view(prompt), play.player, hold_answers=play.hold_answers)

    async def score(
        self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Judgement | None = None
    ) -> Judgement:
        """The tokens of every turn; at the end the result, and by a panel the sycophancy of the model under test."""

        def read() -> tuple[Heard, Ruling, tuple[Score, ...]]:
            heard = self._hears(prompt, answer)
            ruling = ruling_on(prompt, heard, hold_answers=self.play.hold_answers)
            before = past if ruling.final is not None else ()
            used = sum(self._hears(one.prompt, one.answer).tokens for one in before)
            return heard, ruling, scores_of(stored_view(prompt), heard, ruling, used, self.play.tokens)

        heard, ruling, scores = await read_apart(max((answer, *(one.answer for one in past)), key=len), read)
        if self._judge is None or ruling.final is None or not self.asks_a_judge(prompt):
            return Judgement((), scores=scores)
        said = [*(one.heard for one in past), heard.text]
        instance = past[0].prompt.payload["match"]["instance"]
        found, records = await judge_sycophancy(self._judge, instance, said, self.play.player)
        return Judgement((), records=records, scores=(*scores, *found))

    def _hears(self, prompt: Prompt, answer: str) -> Heard:
        """What is heard of an answer: worked out once, where it is scored, so that nothing waits for it later."""
        key = answer, prompt.payload["view"]["tokens"], self._counts(prompt).name
        if (known := self._heard.get(key)) is not None:
            return known
        if len(self._heard) >= _MOST_HEARD:
            self._heard.clear()
        self._heard[key] = found = heard_in(prompt, answer, self._counts(prompt))
        return found

    def _counts(self, prompt: Prompt) -> Tokenizer:
        """What counts tokens; the prompt says by its name what counted them when it was asked."""
        counts, asked = tokenizer_of(self.play.tokenizer), prompt.payload["view"]["tokenizer"]
        if counts.name != asked:
            raise UsageError(
                f"the run counted tokens with {asked}, but {counts.name} is installed; install the release of "
                "wordllama with which the run was made"
            )
        return counts


class Games(FolderScenario[GameOptions, GamePlay, GameFolder]):
    """Games of two players who each know half, with the same budget of tokens in few turns or in many."""

    name = "games"
    players = NAMES
    title = "games of two players who each know half, with few turns or many"
    seats = ("target", "partner")
    spec = with_settings()
    play = GamePlay
    folder = GameFolder
    played_by = GameEnvironment
    side_options = frozenset({"hold_answers", "reference"})
    breakdowns = (Breakdown("turn_budget", "turns", "", kind=True),)
    rows = GameRows()

    @property
    def presentation(self) -> GamePresentation:
        """How reports and pages show it."""
        return GamePresentation(self)

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = lambda _: None
    ) -> GameFolder:
        """Make a benchmark, or complete it.

        Args:
            out: The folder.
            spec: The options.
            dialogues: How many instances of each game; each is one dialogue for every number of turns.
            seed: Of the instances.
            notify: As everywhere.

        Raises:
            UsageError: the folder holds something else, or the game has no such setting.
        """
        options = self.made_with(spec)
        edited = next(filter(has_editions, options.game), None)
        if edited is not None:
            options = self.made_with(options.model_copy(update=latest_edition(edited, options.settings)))
        for game in options.game:
            settings_of(game, options.settings_for(game))
        number = dialogues * len(options.turns) * len(options.game)
        return super().generate(out, options, dialogues=number, seed=seed, notify=notify)

    def lines(self, spec: GameOptions, dialogue: int, seed: int) -> Iterable[Mapping[str, Any]]:
        """The instance of a dialogue, and its number of turns."""
        # All games of a number stand together, so that more dialogues add numbers and change none.
        number, place = divmod(dialogue - 1, len(spec.turns) * len(spec.game))
        game = spec.game[place // len(spec.turns)]
        settings = stored_edition(game, spec.settings_for(game))
        instance = json.loads(_instance(game, number, seed, json.dumps(settings, sort_keys=True)))
        return [{**instance, "turns": spec.turns[place % len(spec.turns)]}]

    def defaults(self, bench: Benchmark, play: BaseModel) -> Defaults:
        """No patience, a cap that no game reaches, and the scripted player of the same game as the partner."""
        return Defaults(max_turns=max(self.opened(bench).spec.turns) // 2 + 1, partner="sim/scripted")

    def table(self, options: Mapping[str, Any]) -> MetricTable:
        """Accuracy, and what turns and tokens were used."""
        return TABLE

    def rewarded(self, scores: Sequence[Score]) -> tuple[float, ...]:
        """Whether the game ended with the right answer."""
        return tuple(score.value for score in scores if score.name == CORRECT and score.value is not None)

    def lengths(self, bench: GameFolder, play: GamePlay, dialogues: Sequence[int]) -> Lengths:
        """Every turn is used; each prompt tells everything again."""
        matches = [bench.match(dialogue, play, "") for dialogue in dialogues]
        asked = fmean(len(turn_prompt(match, ()).query) for match in matches) / CHARACTERS_PER_TOKEN + play.tokens / 2
        answered = fmean(match.budget["tokens_per_turn"] for match in matches)
        if play.reference != "none":
            return Lengths(1.0, asked, answered)
        turns = fmean(match.turns for match in matches) / 2
        # An estimate adds up all earlier prompts, but here each call has one prompt only.
        return Lengths(turns, asked * 2 / (turns + 1), answered, partner_calls=1.0, judge_calls=len(KINDS) / turns)

    def judges_dialogues(self, options: Mapping[str, Any]) -> int:
        """Two about sycophancy; none where the model answers at once."""
        return len(KINDS) if options.get("reference", "none") == "none" else 0

    def player(self, name: str, seed: int) -> ChatModel:
        """`sim/scripted`, `sim/guess-and-check`, `sim/floor`, or `sim/perfect`, which knows the key.

        Raises:
            UsageError: there is no such player.
        """
        if name == "perfect":
            return SimModel(name, _perfect)
        ruled = player_of(name)
        if ruled is None:
            raise unknown_player(name, NAMES, self.name)
        return SimModel(name, lambda prompt, request: ruled(stored_view(prompt)))

    def keeps_answers(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """If answers before the last turn are now refused: the dialogues are the same up to the first of them."""
        return {**old, "hold_answers": True} == new


def _perfect(prompt: Prompt, request: ChatRequest) -> str:
    key = prompt.payload["key"]
    return "It is your turn to answer." if key is None else answer_text(prompt.payload["view"]["game"], key)


@lru_cache(maxsize=1)
def _instance(game: str, number: int, seed: int, settings: str) -> str:
    """An instance as JSON; dialogues of the same instance are made one after another."""
    return json.dumps(generate(game, number, seed=seed, **json.loads(settings)))
