"""A game of two: the target guesses a number, the partner knows it and says where the guess is."""

from itertools import pairwise
from random import Random
from typing import Annotated

from pydantic import BaseModel, Field

from evolif.benchmark import FolderEnvironment, FolderScenario
from evolif.judging import Judgement
from evolif.metrics import MetricTable
from evolif.models import SimModel
from evolif.scenario import Defaults
from evolif.types import End, Message, Prompt, Score

OVER = ("right", "enough")


class Spec(BaseModel):
    high: Annotated[int, Field(ge=2, description="The largest number.")] = 31
    rounds: Annotated[int, Field(ge=1, description="Guesses per game.")] = 8


class Game(FolderEnvironment):
    def system(self, dialogue, seat):
        if seat == "target":
            return f"Guess my number from 1 to {self.bench.spec.high}. Reply with a number, or “enough” to give up."
        return f"Your number is {self.bench.lines(dialogue)[0]['secret']}. Reply “higher”, “lower” or “right”."

    async def prompt(self, dialogue, past):
        said = past[-1].heard if past else "Begin."
        if said in OVER or len(past) == 2 * self.bench.spec.rounds:
            return End("finished", said if said in OVER else "rounds", "the game is over")
        seat = "partner" if len(past) % 2 else "target"
        last = {"last": len(past) + 1 == 2 * self.bench.spec.rounds}
        secret = self.bench.lines(dialogue)[0] if seat == "partner" else {}
        return Prompt(dialogue, len(past) + 1, (Message("user", said),), seat, last | secret, fixed=False)

    def heard(self, prompt, answer):
        return "".join(answer.lower().split()[-1:]).strip(".!")

    async def score(self, prompt, answer, past, stored=None):
        said = self.heard(prompt, answer)
        over = said in OVER or prompt.payload["last"]
        return Judgement((), scores=(Score("found", float(said == "right")),) if over else ())


FOUND = MetricTable(
    terms=("found", "guesses", "games"),
    of=lambda session: (
        sum(score.value for turn in session.turns for score in turn.scores),
        sum(turn.seat == "target" for turn in session.turns),
        1,
    ),
    ratios={"found": ("found", "games"), "guesses": ("guesses", "games")},
    labels={"found": "Found", "guesses": "Guesses"},
    units={"guesses": "count"},
)


class Guess(FolderScenario):
    name, title, spec, played_by = "guess", "a number guessed by halves", Spec, Game
    seats = ("target", "partner")

    def table(self, options):
        return FOUND

    def lines(self, spec, dialogue, seed):
        return [{"secret": Random(f"{seed}/{dialogue}").randint(1, spec.high)}]

    def defaults(self, bench, play):
        return Defaults(max_turns=bench.spec.rounds + 1, partner="sim/keeper")

    def player(self, name, seed):
        return SimModel(name, play) if name in ("keeper", "halver") else super().player(name, seed)


def play(prompt, request):
    """Take either seat, reading only what a model is sent and, as the keeper, the number."""
    said = request.messages[-1].content
    if prompt.seat == "partner":
        guess, secret = int(said), prompt.payload["secret"]
        return f"It is {'higher' if guess < secret else 'lower' if guess > secret else 'right'}!"
    return f"I say {halve(request.messages)}."


def halve(messages):
    """The middle of what is left, for all that the messages tell."""
    low, high = 1, 31
    for mine, reply in pairwise(messages):
        if mine.role == "assistant" and reply.content == "higher":
            low = int(mine.content) + 1
        elif mine.role == "assistant" and reply.content == "lower":
            high = int(mine.content) - 1
    return (low + high) // 2
