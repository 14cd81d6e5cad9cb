"""The plug-in `checklist` in the shape before `presentation` and `rows`, with members on the scenario itself."""

from random import Random
from typing import Annotated

from pydantic import BaseModel, Field

from evolif.benchmark import FolderEnvironment, FolderScenario
from evolif.judging import Judgement
from evolif.metrics import Breakdown, MetricTable
from evolif.models import SimModel
from evolif.scenario import Defaults, Lengths
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


class Earlier(FolderScenario):
    name, title, spec, play, played_by = "earlier", "notes that have to mention weighted things", Spec, Play, Notes
    requirement, answer_key, key_fields = "item", "model note", ("key",)
    metrics = MetricTable(
        terms=("points", "turns"),
        of=lambda session: (sum(turn.scores[0].value for turn in session.turns), len(session.turns)),
        ratios={"share": ("points", "turns")},
        labels={"share": "Weighted share"},
    )
    breakdowns = (Breakdown("difficulty", "Difficulty", "By difficulty"),)

    def lines(self, spec, dialogue, seed):
        random = Random(f"{seed}/{dialogue}")
        for _ in range(spec.turns):
            weights = {thing: random.randint(1, 5) for thing in random.sample(THINGS, random.randint(2, 5))}
            asked = ", ".join(f"{thing} ({weight} points)" for thing, weight in weights.items())
            labels = {"difficulty": "hard" if len(weights) > 3 else "easy"}
            key = f"Here are {' and '.join(weights)}."
            yield {"query": f"Write a note. Mention {asked}.", "labels": labels, "weights": weights, "key": key}

    def defaults(self, bench):
        return Defaults(max_turns=bench.spec.turns + 1, patience=bench.spec.patience or None)

    def expected(self, bench, play):
        return Lengths(turns=bench.spec.turns, prompt_tokens=30, answer_tokens=20)

    def perfect(self, prompt):
        return tuple(Verdict(thing, True, "", "") for thing in prompt.payload["weights"])

    def cut(self, bench, play):
        return super().cut(bench, play)

    def facts(self, prompt):
        return super().facts(prompt)

    def command(self, bench, variant, dialogues):
        return super().command(bench, variant, dialogues)

    def row(self, prompt):
        return super().row(prompt)

    def keys(self, prompt):
        return (prompt.payload["key"],)

    def player(self, name, seed):
        def answer(prompt, request):
            random, things = Random(f"{seed}/{request.epoch}/{prompt.query}"), prompt.payload["weights"]
            return f"Here are {' and '.join(thing for thing in things if name == 'careful' or random.random() < 0.8)}."

        return SimModel(name, answer) if name in ("careful", "hasty") else super().player(name, seed)
