"""The least that a scenario can be."""

from evolif.benchmark import FolderEnvironment, FolderScenario
from evolif.judging import Judgement
from evolif.types import Verdict


class Shouts(FolderEnvironment):
    async def score(self, prompt, answer, past, stored=None):
        return Judgement((Verdict("capitals", answer.isupper(), "capital letters", answer),))


class Least(FolderScenario):
    name, title, played_by = "least", "shouting", Shouts

    def lines(self, spec, dialogue, seed):
        return [{"query": f"Write a note. Mention {name}"} for name in ("fog", "tar")]
