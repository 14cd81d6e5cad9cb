# %% [markdown]
# # A training curve
#
# A small language model, SmolLM2-135M, learned on fresh dialogues by a policy gradient, on one core: to answer in few words that are about the task.
#
# This notebook trains nothing: it reads the log that the real run wrote, `training.jsonl` beside it. *Train on it*, among the recipes of the documentation, has
# the command; put the path of your own log here.

# %%
import json
from pathlib import Path

import evolif

beside = Path("training.jsonl")
packed = Path(evolif.__file__).parent.parent / "notebooks" / "training.jsonl"
log = beside if beside.exists() else packed
records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
settings, floor = records[0], records[1]["rewards"]
steps = [record for record in records if record["kind"] == "step"]
sampled = [record for record in records if record["kind"] == "held_out" and record["answers"] == "sampled"]
likeliest = [record for record in records if record["kind"] == "held_out" and record["answers"] == "likeliest"]
result = records[-1]
assert result["kind"] == "result", "the training has not ended yet"

for name in ("model", "layers", "profile", "turns", "reward", "dialogues", "answers", "held_out", "max_tokens", "temperature", "rate", "seed"):
    print(f"{name:16}", settings[name])
print(f"{result['steps']} steps, {result['minutes']} minutes, {result['processor_minutes']} of a processor")

# %% [markdown]
# ## The curve
#
# Each step plays other dialogues, so the grey line goes up and down with how hard they are. The points with bars are the dialogues held out, always the same
# ones, with 95 % intervals over dialogues. The dotted line is the best that a responder gets which follows nothing.

# %%
import matplotlib.pyplot as plt

from evolif.metrics.intervals import ratio_interval

trivial = max(floor, key=floor.get)
figure, axes = plt.subplots(figsize=(8, 4))
axes.plot([step["step"] for step in steps], [step["reward"] for step in steps], color="0.7", label="fresh dialogues, as they are learned from")
for label, evaluations, colour in (("held out, sampled", sampled, "tab:blue"), ("held out, likeliest", likeliest, "tab:orange")):
    at, rewards = [one["step"] for one in evaluations], [one["reward"] for one in evaluations]
    ends = [ratio_interval(list(one["rewards"].values()), [1.0] * len(one["rewards"]), rate=True) for one in evaluations]
    bars = [[reward - low for reward, (low, _) in zip(rewards, ends)], [high - reward for reward, (_, high) in zip(rewards, ends)]]
    axes.errorbar(at, rewards, yerr=bars, marker="o", capsize=3, color=colour, label=label)
axes.axhline(floor[trivial], linestyle=":", color="black", label=f"“{trivial}”, which follows nothing")
axes.set(xlabel="step", ylabel=f"reward ({settings['reward']})", ylim=(0, 1))
axes.legend(loc="lower right")
plt.show()

# %% [markdown]
# ## Before and after
#
# The same dialogues before and after, so the test is paired. The interval says how sure the *rise* is, for dialogues of this kind and for this one training;
# another seed is another training.

# %%
for how in ("sampled", "likeliest"):
    gain = result[how]
    low, high = gain["interval"]
    print(f"{how:10} {gain['before']:.3f} → {gain['after']:.3f}   {gain['difference']:+.3f} [{low:+.3f}, {high:+.3f}], {gain['dialogues']} dialogues")

# %% [markdown]
# ## What it has learned
#
# Requirements by group: how many were kept before and after, of how many.

# %%
first, last = sampled[0], sampled[-1]
for group, (kept, of) in first["groups"].items():
    now, _ = last["groups"][group]
    print(f"{group:12} {kept:3} → {now:3} of {of}")
print(f"turns in which everything holds: {first['good_turns']:.0%} → {last['good_turns']:.0%}")
print(f"tokens an answer: {first['answer_tokens']:.0f} → {last['answer_tokens']:.0f}")
assert result["sampled"]["interval"][0] > 0

# %% [markdown]
# Read the answers, too: a reward says that requirements are kept and the task is named, not that an answer is good.

# %%
for before, after in list(zip(first["shown"], last["shown"]))[:5]:
    print(before["asked"])
    print("   before:", before["answer"].replace("\n", " "), before["failed"] or "")
    print("   after: ", after["answer"].replace("\n", " "), after["failed"] or "")
    print()
