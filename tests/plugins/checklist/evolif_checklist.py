"""Weighted checklists: every turn asks for a short note that mentions some things, each with a weight."""

from random import Random
from typing import Annotated

from pydantic import BaseModel, Field

from evolif.benchmark import FolderEnvironment, FolderPresentation, FolderScenario
from evolif.judging import Judgement
from evolif.metrics import Breakdown, MetricTable
from evolif.models import SimModel
from evolif.scenario import Defaults, Lengths, Rows
from evolif.types import Score, Verdict

THINGS = ("fog", "ropes", "gulls", "lamps", "tar", "nets", "rain", "bells")


class Spec(BaseModel):
    turns: Annotated[int, Field(ge=1, description="Turns per dialogue.")] = 6
    patience: Annotated[int, Field(ge=0, description="Failed turns in a row that end a session; 0: never.")] = 2


class Play(BaseModel):
    exact: Annotated[bool, Field(description="Whether capital letters matter.")] = False


class Notes(FolderEnvironment):
    def system(self, dialogue, seat):
        return "You write short notes. Mention everything that is asked for."

    async def score(self, prompt, answer, past, stored=None):
        weights, text = prompt.payload["weights"], answer if self.play.exact else answer.lower()
        found = {thing: thing in text for thing in weights}
        share = sum(weights[thing] for thing in weights if found[thing]) / sum(weights.values())
        verdicts = (Verdict(thing, ok, f"“{thing}”", "there" if ok else "missing") for thing, ok in found.items())
        return Judgement(tuple(verdicts), scores=(Score("share", share),))


SHARE = MetricTable(
    terms=("points", "turns"),
    of=lambda session: (sum(turn.scores[0].value for turn in session.turns), len(session.turns)),
    ratios={"share": ("points", "turns")},
    labels={"share": "Weighted share"},
)


class Pages(FolderPresentation):
    requirement, answer_key = "item", "model note"


class Keys(Rows):
    key_fields = ("key",)

    def keys(self, prompt):
        return (prompt.payload["key"],)


class Checklist(FolderScenario):
    name, title, spec, play, played_by = "checklist", "notes that have to mention weighted things", Spec, Play, Notes
    rows = Keys()
    breakdowns = (Breakdown("difficulty", "Difficulty", "By difficulty"),)

    @property
    def presentation(self):
        return Pages(self)

    def table(self, options):
        return SHARE

    def lines(self, spec, dialogue, seed):
        random = Random(f"{seed}/{dialogue}")
        for _ in range(spec.turns):
            weights = {thing: random.randint(1, 5) for thing in random.sample(THINGS, random.randint(2, 5))}
            asked = ", ".join(f"{thing} ({weight} points)" for thing, weight in weights.items())
            labels = {"difficulty": "hard" if len(weights) > 3 else "easy"}
            key = f"Here are {' and '.join(weights)}."
            yield {"query": f"Write a note. Mention {asked}.", "labels": labels, "weights": weights, "key": key}

    def defaults(self, bench, play):
        return Defaults(max_turns=bench.spec.turns + 1, patience=bench.spec.patience or None)

    def expected(self, bench, play):
        return Lengths(turns=bench.spec.turns, prompt_tokens=30, answer_tokens=20)

    def perfect(self, prompt):
        return tuple(Verdict(thing, True, "", "") for thing in prompt.payload["weights"])

    def player(self, name, seed):
        def answer(prompt, request):
            random, things = Random(f"{seed}/{request.epoch}/{prompt.query}"), prompt.payload["weights"]
            return f"Here are {' and '.join(thing for thing in things if name == 'careful' or random.random() < 0.8)}."

        return SimModel(name, answer) if name in ("careful", "hasty") else super().player(name, seed)
