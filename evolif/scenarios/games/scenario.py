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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from evolif.benchmark import BenchmarkFolder, FolderEnvironment, FolderScenario, dialogue_file
from evolif.errors import ArgumentError, InputError, UsageError
from evolif.judging import Judgement, LexicalJudge
from evolif.metrics import Breakdown
from evolif.models import ChatModel, ChatRequest, SimModel, unknown_player
from evolif.scenario import Benchmark, Defaults, Exhibit, Lengths, LineChart, Services
from evolif.scenario.presentation import Grid, HeatMap, Opening
from evolif.scenarios.games import RegexTokenizer, SubwordTokenizer, generate
from evolif.scenarios.games.accuracy_tables import ACCURACY_FIGURE, accuracy_object, game_remarks, turns_sentence
from evolif.scenarios.games.arguments import even
from evolif.scenarios.games.ending import REASONS, Heard, Ruling, answer_text
from evolif.scenarios.games.instance import settings_of
from evolif.scenarios.games.noun_phrases import parser_name
from evolif.scenarios.games.options import GameOptions, GamePlay, with_settings
from evolif.scenarios.games.players import NAMES, player_of
from evolif.scenarios.games.prompts import Match, check_instance
from evolif.scenarios.games.report import CHAPTERS, game_figures, game_grids
from evolif.scenarios.games.results import TABLE, outcomes_of, scores_of
from evolif.scenarios.games.sessions import columns_of, instance_exhibits
from evolif.scenarios.games.stored import (
    Played,
    dialogue_of,
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

if TYPE_CHECKING:
    from evolif.runner import Run

_CHARACTERS = 4
"""Characters per token, in English."""
_SAMPLED_DIALOGUES = 20


class GameFolder(BenchmarkFolder):
    """An opened benchmark of games."""

    @property
    def variant(self) -> str:
        """The game."""
        game: str = self.spec.game
        return game

    def match(self, dialogue: int, play: GamePlay, tokenizer: str) -> Match:
        """A dialogue with the rules of a run.

        Raises:
            UsageError: there is no such dialogue.
            InputError: its file is broken.
        """
        lines = self.lines(dialogue)
        line = lines[0] if len(lines) == 1 else {}
        instance = {key: value for key, value in line.items() if key != "turns"}
        rules = (tokenizer, play.tokens, play.words_factor, play.history, play.hold_answers)
        try:
            check_instance(instance)
            return Match(instance, even(line.get("turns")), *rules)
        except ArgumentError as fault:
            file = dialogue_file(self.path, dialogue)
            raise InputError(f"{fault}; delete the file and run the same `evolif generate`", path=file) from None


_MOST_HEARD = 256
"""Answers of which it is kept in memory what was heard."""


class GameEnvironment(FolderEnvironment):
    """Asks player after player until one answers, or the turns are used up."""

    play: GamePlay

    def __init__(self, bench: BenchmarkFolder | None, play: Any, services: Services) -> None:
        super().__init__(bench, play, services)
        self._judge = None if isinstance(services.judge, LexicalJudge) else services.judge
        self._heard: dict[tuple[str, int, str], Heard] = {}
        if services.config is not None and services.config.context != "full":
            raise UsageError(
                "--context: the prompts of games tell the history themselves; leave it out, and choose the form of the "
                "history with --set history=transcript or chat"
            )
        if services.config is not None:
            _tokenizer(self.play.tokenizer)  # what is missing is better said once, before the first call

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        """The next turn, or how the game ended."""
        if not isinstance(self.bench, GameFolder):
            return End("finished", "end", "there is no benchmark")
        play = self.play
        if past:
            ended = end_of(past[-1].prompt, past[-1].heard, hold_answers=play.hold_answers)
            if ended is not None:
                return End("finished", ended["reason"], REASONS[ended["reason"]])
        match = self.bench.match(dialogue, play, _tokenizer(play.tokenizer).name)
        if play.reference != "none":
            return reference_prompt(match, play.reference, dialogue=dialogue, target=play.player)
        said = said_in(((one.prompt, one.heard) for one in past), hold_answers=play.hold_answers)
        return turn_prompt(match, said, dialogue=dialogue, target=play.player)

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
        counts, asked = _tokenizer(self.play.tokenizer), prompt.payload["view"]["tokenizer"]
        if counts.name != asked:
            raise UsageError(
                f"the run counted tokens with {asked}, but {counts.name} is installed; install the release of "
                "wordllama with which the run was made"
            )
        return counts


class Games(FolderScenario):
    """Games of two players who each know half, with the same budget of tokens in few turns or in many."""

    name = "games"
    players = NAMES
    title = "games of two players who each know half, with few turns or many"
    seats = ("target", "partner")
    answer_key = "answer"
    spec = with_settings()
    play = GamePlay
    folder = GameFolder
    played_by = GameEnvironment
    key_fields = ("answer", "proof")
    side_options = frozenset({"hold_answers", "reference"})
    chapters = CHAPTERS
    metrics = TABLE
    breakdowns = (Breakdown("turn_budget", "turns", "", kind=True),)
    how_to_read = (
        "Two players see different things and talk within a budget of tokens; then one of them answers. Every instance "
        "is played with few turns and with many, and the same budget: more turns should never hurt. What is hard with "
        "few turns is hard with many, so intervals and tests count instances, not dialogues.",
        "What a model guesses from one part, and what it makes of both, are runs of their own with --set "
        "reference=floor or reference=ceiling and the same --partner; so is one that refuses early answers (--fork and "
        "--set hold_answers=true). One report shows them side by side.",
    )

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = lambda _: None
    ) -> BenchmarkFolder:
        """Make a benchmark, or complete it.

        Args:
            out: The folder.
            spec: The options.
            dialogues: How many instances; each is one dialogue for every number of turns.
            seed: Of the instances.
            notify: As everywhere.

        Raises:
            UsageError: the folder holds something else, or the game has no such setting.
        """
        options = _options(spec)
        settings_of(options.game, options.settings)
        number = dialogues * len(options.turns)
        return super().generate(out, spec, dialogues=number, seed=seed, notify=notify)

    def lines(self, spec: GameOptions, dialogue: int, seed: int) -> Iterable[Mapping[str, Any]]:
        """The instance of a dialogue, and its number of turns."""
        number, place = divmod(dialogue - 1, len(spec.turns))
        instance = json.loads(_instance(spec.game, number, seed, json.dumps(spec.settings, sort_keys=True)))
        return [{**instance, "turns": spec.turns[place]}]

    def defaults(self, bench: Benchmark) -> Defaults:
        """No patience, and a cap that no game reaches."""
        return Defaults(max_turns=max(_folder(bench).spec.turns) // 2 + 1)

    def partner(self, bench: Benchmark) -> str:
        """The scripted player of the same game."""
        return "sim/scripted"

    def expected(self, bench: Benchmark, play: BaseModel) -> Lengths:
        """Every turn is used; each prompt tells everything again."""
        folder, rules = _folder(bench), GamePlay.model_validate(play.model_dump())
        matches = [folder.match(dialogue, rules, "") for dialogue in folder.dialogues()[:_SAMPLED_DIALOGUES]]
        if not matches:
            return Lengths()
        asked = fmean(len(turn_prompt(match, ()).query) for match in matches) / _CHARACTERS + rules.tokens / 2
        answered = fmean(match.budget["tokens_per_turn"] for match in matches)
        if rules.reference != "none":
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

    def key_row(self, prompt: Prompt) -> dict[str, Any]:
        """The answer as the player who is asked sees it; at the first turn the proof as well."""
        instance = prompt.payload.get("match", {}).get("instance", {})
        return {"answer_key": prompt.payload["key"], "proof": instance.get("proof")}

    def facts(self, prompt: Prompt) -> tuple[tuple[str, str], ...]:
        """Whose turn it is, and how many there are."""
        view = stored_view(prompt)
        return ("", f"player {view.player + 1}"), ("turn", f"{view.turn} of {view.turns}"), ("game", view.game)

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """With the number of instances, not of dialogues."""
        words, more = super().command(bench, variant, dialogues)
        told = list(words)
        place = told.index("--dialogues") + 1
        if not isinstance(bench, GameFolder):
            told[place] = "INSTANCES"
            return told, (*more, "with its game, its turns and its number of instances")
        told[place] = str(len(bench.dialogues()) // len(bench.spec.turns))
        return told, more

    def extra(self, model: Any) -> Mapping[str, Any]:
        """Accuracy with its interval over instances, by number of turns, what turns gain, and how the games ended."""
        return accuracy_object(outcomes_of(model.counted))

    def remarks(self, run: Any) -> Iterable[str]:
        """What turns gain each model; nothing where it answered at once."""
        if GamePlay.model_validate(run.settings.options).reference != "none":
            return
        for model in run.models:
            yield from game_remarks(model.name, outcomes_of(model.counted))

    def opening(self, board: Any) -> Opening:
        """What turns gain each model, and accuracy against turns."""
        played = zip(board.heads, board.models, strict=True)
        told = [
            turns_sentence(head, outcomes_of(model.counted))
            for head, model in played
            if GamePlay.model_validate(model.of.settings.options).reference == "none"
        ]
        return Opening(tuple(filter(None, told)), (ACCURACY_FIGURE, "headline"))

    def parts(self, board: Any) -> Iterable[Grid]:
        """Accuracy against turns with its references, what is used, how games end, and what is said."""
        columns = columns_of(board, _read)
        return game_grids(columns, parser_name()) if columns else ()

    def figures(self, board: Any) -> Iterable[HeatMap | LineChart]:
        """Accuracy against turns between floor and ceiling; in names the information per turn."""
        columns = columns_of(board, _read)
        return game_figures(columns) if columns else ()

    def exhibits(self, prompts: Sequence[Prompt]) -> Sequence[Exhibit]:
        """What both players see."""
        match = prompts[0].payload.get("match") if prompts else None
        return instance_exhibits(match["instance"]) if isinstance(match, Mapping) and "instance" in match else ()


def played(run: Run, model: str, dialogues: Collection[int] | None = None) -> Iterator[Played]:
    """The dialogues of a model in a run, with both private parts, every text, flag and token.

    Args:
        run: A run of this scenario.
        model: One of its models.
        dialogues: The numbers of those to read; None for all.

    Raises:
        UsageError: the tokens were counted by something that is not installed.
    """
    play = GamePlay.model_validate(run.settings.options)
    counts = _tokenizer(play.tokenizer)
    partner = model if run.settings.partner == "self" else run.settings.partner
    pair = [model, partner] if play.player == 0 or play.reference != "none" else [partner, model]
    for session, records in run.transcripts(model):
        if dialogues is not None and session.dialogue not in dialogues:
            continue
        answers = [(record.prompt, record.answer) for record in records]
        found = dialogue_of(answers, pair, counts, hold_answers=play.hold_answers)
        if found is not None:
            yield found


def _read(model: Any) -> Iterator[Played]:
    """The dialogues of a model of a report that are in its figures."""
    return played(model.of.run, model.name, {session.dialogue for session in model.counted})


def _perfect(prompt: Prompt, request: ChatRequest) -> str:
    key = prompt.payload["key"]
    return "It is your turn to answer." if key is None else answer_text(prompt.payload["view"]["game"], key)


@lru_cache(maxsize=2)
def _tokenizer(name: str) -> Tokenizer:
    return SubwordTokenizer() if name == "subword" else RegexTokenizer()


@lru_cache(maxsize=1)
def _instance(game: str, number: int, seed: int, settings: str) -> str:
    """An instance as JSON; dialogues of the same instance are made one after another."""
    return json.dumps(generate(game, number, seed=seed, **json.loads(settings)))


def _options(spec: BaseModel) -> GameOptions:
    return spec if isinstance(spec, GameOptions) else Games.spec.model_validate(spec.model_dump())


def _folder(bench: Benchmark) -> GameFolder:
    if not isinstance(bench, GameFolder):
        raise UsageError(f"{bench.path} was not opened as a benchmark of games")
    return bench
