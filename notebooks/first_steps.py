# %% [markdown]
# # First steps
#
# Make a fresh benchmark, see that it is fair, play it with two simulated models, and read what came out. No key, no network, well under a minute.
# The same on the command line is the tutorial of the documentation.

# %%
import tempfile
from pathlib import Path

import evolif

folder = Path(tempfile.mkdtemp())
bench = evolif.generate(
    folder / "bench", dialogues=6, turns=8, seed=7, profile="objective"
)
len(bench.dialogues())

# %% [markdown]
# ## A conversation
#
# Every turn changes one thing. What was asked before stays in force for its task, until it is changed or dropped.

# %%
for turn in bench.turns(1)[:5]:
    print(f"{turn.turn}. {turn.move}: {turn.operation.kind} {turn.operation.group}")
    print("  ", turn.query)
    print("   in force:", ", ".join(constraint.group for constraint in turn.constraints))

# %% [markdown]
# ## Fair
#
# Each turn carries a witness, a text that satisfies everything that is in force. The rules that will judge the models say so:

# %%
turns = [turn for dialogue in bench.dialogues() for turn in bench.turns(dialogue)]
for turn in turns:
    assert all(verdict.satisfied for verdict in evolif.check(turn.constraints, turn.witness))
    assert evolif.check_query(turn, turn.query) == []  # and the words say exactly the change
len(turns)

# %% [markdown]
# One answer can be checked by itself. A verdict says what was expected, what was found, and where.

# %%
constraints = [
    {"group": "bullets", "params": {"count": 3}},
    {"group": "forbidden", "params": {"keywords": ["budget"]}},
]
verdicts = evolif.check(constraints, "- the low-budget version\n- the other one\n")
for verdict in verdicts:
    print(verdict.group, verdict.satisfied, "| expected", verdict.expected, "| found", verdict.found)
assert [verdict.satisfied for verdict in verdicts] == [False, False]

# %% [markdown]
# ## Play it
#
# `sim/steady` misses a constraint now and then, `sim/forgetful` misses more the longer a task lasts. Put a model of yours beside them, for
# example `"openai/NAME"` with its key in the environment.

# %%
models = ["sim/perfect", "sim/steady", "sim/forgetful"]
run = evolif.evaluate(bench, models, folder / "run", max_turns=20)
for model in models:
    print(f"{model:15}", sorted(len(session.turns) for session in run.sessions(model)))

# %% [markdown]
# ## The eight metrics
#
# Intervals are 95 %, over dialogues.

# %%
from evolif.metrics import METRIC_NAMES, process_intervals, process_metrics, records_from_sessions

table = {}
for model in models:
    records = records_from_sessions(run.sessions(model)).records
    table[model] = process_metrics(records), process_intervals(records)

for name in METRIC_NAMES:
    cells = []
    for model in models:
        metrics, intervals = table[model]
        value, interval = getattr(metrics, name), intervals[name]
        if value is None:
            cells.append("-")
        else:
            cells.append(f"{value:5.2f} [{interval[0]:.2f}, {interval[1]:.2f}]")
    print(f"{name:9}", *(f"{cell:22}" for cell in cells))

# %%
assert table["sim/perfect"][0].rob == 1  # the ceiling: nothing impossible is asked
assert table["sim/steady"][0].edr_len > table["sim/forgetful"][0].edr_len

# %% [markdown]
# ## Where it went wrong
#
# The first failed answer of a session, with the verdict's evidence:

# %%
session, records = next(iter(run.transcripts("sim/forgetful")))
failed = next(record for record in records if any(verdict.satisfied is False for verdict in record.verdicts))
print(f"dialogue {session.dialogue}, turn {failed.turn}: {failed.query}")
print("…", failed.answer[:200])
for verdict in failed.verdicts:
    if verdict.satisfied is False:
        print(f"{verdict.group}: expected {verdict.expected}; found {verdict.found}")

# %% [markdown]
# Next: *bring your own domain*, and *reading a run*.

# %%
run.close()
