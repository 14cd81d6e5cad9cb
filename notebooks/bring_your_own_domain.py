# %% [markdown]
# # Bring your own domain
#
# Topics of your field, a constraint that it cares about, and a manner of speaking that its people have. All three are text files and one class; nothing
# in the package is changed.

# %%
import json
import os
import tempfile
from pathlib import Path

import evolif

folder = Path(tempfile.mkdtemp())
os.chdir(folder)

# %% [markdown]
# ## Topics
#
# A topic is a task without any constraint, and 20 keywords. Three are enough to see it work; some thirty make a varied benchmark.
# `evolif topics write` drafts them with a chat model, and two people should verify each.

# %%
topics = [
    {
        "id": "H1", "domain": "hospital pharmacy", "title": "the move of the night stock",
        "prompt": "The night stock on the ward is to move into a locked cabinet beside the lift. Explain to the night staff what changes on Monday and whom they ask when a drug is missing.",
        "keywords": ["ward", "cabinet", "lift", "night", "drug", "key", "insulin", "fridge", "label", "staff", "opioid", "porter", "register", "dose", "vial", "shelf", "quota", "unit", "yellow", "xylitol"],
    },
    {
        "id": "H2", "domain": "hospital pharmacy", "title": "the two ampoules with one look",
        "prompt": "Two ampoules from different makers look almost alike and one nurse has mixed them up. Write to the nurses about how to tell them apart and what to do with those already in the drawers.",
        "keywords": ["ampoule", "maker", "nurse", "drawer", "colour", "print", "saline", "potassium", "tray", "check", "barcode", "letter", "quarantine", "journal", "warning", "vein", "dose", "inventory", "kit", "zone"],
    },
    {
        "id": "H3", "domain": "hospital pharmacy", "title": "the shortage of the syrup",
        "prompt": "The children's antibiotic syrup will be short for six weeks. Plan what is given instead, how tablets are made into doses for small children, and how parents are told.",
        "keywords": ["syrup", "tablet", "antibiotic", "children", "parents", "dose", "weeks", "crush", "spoon", "taste", "allergy", "fever", "weight", "juice", "kilogram", "mortar", "batch", "recall", "vanilla", "questionnaire"],
    },
]
Path("topics.jsonl").write_text("".join(json.dumps(topic | {"verified_by": []}) + "\n" for topic in topics), encoding="utf-8")

from evolif.scenarios.instructions.catalogue import lint_topics

report = lint_topics(Path("topics.jsonl"))
for finding in report.findings:
    print(finding.line, finding.rule, finding.message, "→", finding.mend)
assert not report.findings

# %% [markdown]
# ## A constraint group
#
# *Every abbreviation explained* is too much for a rule; *exactly so many remarks in parentheses* is not. One class says how it is drawn, said, checked, and how
# a text is made to satisfy it, so that every turn has a witness.

# %%
Path("remarks.py").write_text(
    r'''
"""Constraint group `remarks`: an exact number of remarks in parentheses."""

import re
from typing import Annotated

from pydantic import Field, TypeAdapter

from evolif.scenarios.instructions import Group, ParamsModel
from evolif.types import Span

REMARK = re.compile(r"\([^()\n]{1,300}\)")


class Params(ParamsModel):
    """What is stored with a constraint."""

    count: Annotated[int, Field(ge=1, le=20)]


class Remarks(Group):
    """Exactly so many remarks in parentheses."""

    name = "remarks"
    adapter = TypeAdapter(Params)
    data = {
        "pool": {"counts": [1, 2, 3, 4]},
        "say": {"count": {"any": [
            "put exactly {count} remarks in parentheses",
            "have exactly {count} parenthetical remarks in the text",
        ]}},
        "drop": {"count": ["the {count} remarks in parentheses", "the rule of exactly {count} parentheses"]},
        "describe": {"count": "The text of the answer holds exactly {count} remarks in parentheses ( ), none inside another."},
        "heard": {"nouns": ["parenthes[ie]s", "remarks?", "parenthetical remarks?"]},
    }

    def draw(self, stream, context):
        return {"count": stream.choice(context.pool["counts"])}

    def key(self, params):
        return "count"

    def check(self, params, reading):
        found = [Span(*match.span()) for match in REMARK.finditer(reading.content_text)]
        return self.verdict(len(found) == params["count"], f"exactly {params['count']} remarks", f"{len(found)}", found)

    def fulfil(self, text, params, fmt):
        return re.sub(r"(?<= )([a-z]{3,})(?= )", r"(\1)", text, count=params["count"])


GROUPS = [Remarks]
''',
    encoding="utf-8",
)

# On the command line: --constraints remarks.py
os.environ["EVOLIF_CONSTRAINTS"] = "remarks.py"

[verdict] = evolif.check([{"group": "remarks", "params": {"count": 2}}], "Count twice (or three times), then lock up (always).")
assert verdict.satisfied, verdict

# %% [markdown]
# ## A register
#
# Frames around the clause, for each move and operation; and a persona who speaks so.

# %%
Path("shift.yaml").write_text(
    """
registers:
  shift:
    first: ["Night shift here. {task} And {clause}, please.", "Between two rounds: {task} {Clause}."]
    new: ["Next thing on my list. {task} {Clause}."]
    continue:
      add: ["Nearly. Again, and {clause}.", "Fine so far. Now {clause}; the rest stays."]
      modify: ["Not {old} after all. Instead, {clause}."]
      remove: ["Forget {drop}; the rest stays."]
    backtrack:
      add: ["Back to {topic}: {clause}. The rest stays."]
      modify: ["Back to {topic}. Not {old} any more: instead, {clause}."]
      remove: ["Back to {topic}, and forget {drop}; the rest stays."]
""",
    encoding="utf-8",
)
Path("nurse.jsonl").write_text(
    json.dumps({
        "id": "N1", "register": "shift",
        "sentence": "A ward sister types between two rounds with one eye on the call light.",
        "phrases": ["says where she stands", "puts the order before the reason", "keeps to short lines", "expects to be interrupted"],
    }) + "\n",
    encoding="utf-8",
)

# %% [markdown]
# ## Together

# %%
bench = evolif.generate(
    "bench", dialogues=6, turns=12, seed=1, profile="objective",
    topics="topics.jsonl", registers="shift.yaml", personas="nurse.jsonl",
)
turns = [turn for dialogue in bench.dialogues() for turn in bench.turns(dialogue)]
mine = [turn for turn in turns if turn.operation.group == "remarks"]
for turn in mine[:3]:
    print(turn.query)

# %% [markdown]
# It is a benchmark like any other: every turn has a witness, and every query says exactly its change.

# %%
assert len(mine) >= 3
assert {turn.topic.domain for turn in turns} == {"hospital pharmacy"}
for turn in turns:
    assert all(verdict.satisfied for verdict in evolif.check(turn.constraints, turn.witness)), turn
    assert evolif.check_query(turn, turn.query) == [], turn.query

# %%
from evolif.scenarios.instructions.audit import audit

summary = audit("bench")
assert not summary.findings

# %%
from evolif.metrics import satisfaction_by_group

run = evolif.evaluate(bench, ["sim/perfect", "sim/steady"], "run", max_turns=15)
for group, told in satisfaction_by_group(run.sessions("sim/steady")).items():
    print(f"{group:12} {told.satisfied:3} of {told.judged}")
assert satisfaction_by_group(run.sessions("sim/steady"))["remarks"].judged > 0
assert all(all(turn.judged) for session in run.sessions("sim/perfect") for turn in session.turns)
run.close()

# %% [markdown]
# Next: `evolif report run --constraints remarks.py --html run.html`. A profile of your own decides how often the group is drawn, and beside which others.
