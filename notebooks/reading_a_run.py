# %% [markdown]
# # Reading a run
#
# The tables and figures of the EvolIF paper (arXiv 2511.03508) as functions of a run of yours. They show the same things in the same order. **The figures in
# them are not comparable with the paper's leaderboard**: topics, personas, checkers, prompts and judges are other ones.
#
# Put the path of your own run into `load_run`. Here a small one is made with simulated models.

# %%
import tempfile
from pathlib import Path

import evolif

folder = Path(tempfile.mkdtemp())
bench = evolif.generate(
    folder / "bench", dialogues=16, turns=5, seed=3, profile="objective"
)
models = ["sim/perfect", "sim/steady", "sim/forgetful"]
evolif.evaluate(bench, models, folder / "run", max_turns=16).close()
evolif.evaluate(
    bench, models[1:], folder / "run-without", max_turns=16, system_prompt=False
).close()

run = evolif.load_run(folder / "run")
without = evolif.load_run(folder / "run-without")

# %% [markdown]
# ## One analysis
#
# `analyse` holds everything there is to tell of a run and computes each part once. The tables and figures take it, or a run.

# %%
from evolif.report import analyse
from evolif.report import figure_3, figure_4, figure_6, figure_7
from evolif.report import table_2, table_3, table_4, table_6, table_7, table_8

[told] = analyse([run], resamples=300)

# %% [markdown]
# ## Table 2: the metrics
#
# EDR in turns, rates in per cent, 95 % intervals over dialogues. What the columns mean is worked through in the documentation (*what the metrics mean*).

# %%
table = table_2(told)
assert [row[0] for row in table.rows] == models
table

# %% [markdown]
# ## Figure 3: survival
#
# How many sessions last longer than so many turns. Sessions at the cap are *still alive, unknown after*, not ended.

# %%
figure_3(told)

# %% [markdown]
# ## Table 6 and Figure 4: constraint groups
#
# Where does a model lose its turns? Read the counts too: a group that is seldom in force has a wide interval.

# %%
groups = table_6(told)
asked = {constraint["group"] for prompt in run.prompts() for constraint in prompt.payload["constraints"]}
assert set(groups.headers) - {"model"} == asked
groups

# %%
figure_4(told)

# %% [markdown]
# ## Table 3: patience
#
# With less patience the same sessions would have ended earlier, and nothing else would have been asked: the sweep is a replay, exact, and free.

# %%
sweep = table_3(told)
column = sweep.headers.index("EDR_len")
lengths = [row[column] for row in sweep.rows if row[0] == "sim/forgetful"]
assert lengths == sorted(lengths)  # more patience, never shorter
sweep

# %% [markdown]
# ## Table 4: is the ranking stable?
#
# Correlation of the models' ROB on random subsets of the dialogues with ROB on all. With three models as unlike as these it is near 1 whatever one does; it tells
# something for a field of models that are close.

# %%
table_4(told)

# %% [markdown]
# ## Table 7: what the system prompt is worth
#
# Two runs that differ in the system prompt alone, compared dialogue by dialogue. Simulated models do not read it, so the differences here are exactly zero.

# %%
ablation = table_7(told, without)
differences = [row[3:] for row in ablation.rows if row[1] == "difference"]
assert differences and all(not value for row in differences for value in row)
ablation

# %% [markdown]
# ## Table 8 and Figure 6: who worded the queries
#
# One synthesizer here, the template. Mix several (`--synthesizer A --synthesizer B`) to see whether the ranking depends on who speaks.

# %%
words = table_8(told)
assert {row[0] for row in words.rows} == {"template", "all"}
words

# %%
figure_6(told)

# %% [markdown]
# ## Figure 7: formal and informal queries
#
# Classified from the words of the query.

# %%
figure_7(told)

# %% [markdown]
# ## Anything else
#
# A breakdown takes any function from a turn and its facts to a key. Does the length of a query matter?

# %%
from evolif.metrics import breakdown


def length_of_query(turn, facts):
    return "long" if facts is not None and len(facts.query) > 150 else "short"


for key, part in breakdown(run.sessions("sim/steady"), run.prompts(), length_of_query).items():
    low, high = part.isr_interval
    print(f"{key:6} {part.ok:4} of {part.turns:4} ok: {part.isr:.2f} [{low:.2f}, {high:.2f}]")

# %% [markdown]
# And the ceiling, which belongs to every report: what a responder without a fault would get, by replaying the witnesses.

# %%
perfect = told.ceiling
assert perfect.metrics.value("rob") == 1 and not perfect.misses
perfect.metrics

# %%
run.close()
without.close()
