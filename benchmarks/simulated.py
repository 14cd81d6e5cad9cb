"""Do the simulated models miss what their page says, and do two of them find the same dialogues hard?

.venv/bin/python benchmarks/simulated.py [turns] [dialogues]

The first table counts, for each group, how often `sim/steady` kept a constraint over that many turns (20,000), all
turns of a dialogue up to the profile's cap: what is documented, what these dialogues make of it by their difficulty,
what was kept, and how many standard errors the last two are apart. The second gives the correlation over dialogues
(150) of figures per session of pairs of models, played with the profile's cap and patience.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from itertools import count, islice
from math import sqrt
from pathlib import Path
from statistics import correlation

from evolif.models import ChatRequest
from evolif.runner import evaluate
from evolif.scenarios.instructions import generate
from evolif.scenarios.instructions.constraints import check
from evolif.scenarios.instructions.players import Skill, difficulty_of
from evolif.scenarios.instructions.prompt import prompt_of
from evolif.scenarios.instructions.synthesis import load_personas
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.turns import Persona, ScriptTurn, Turn
from evolif.types import Prompt, Session

PERSONA = "anyone"
PROFILES = ("objective", "escalating")
PAIRS = (("steady", 1, "forgetful", 1), ("steady", 1, "steady", 2))


def prompts(profile: str, turns: int) -> Iterator[tuple[ScriptTurn, Prompt]]:
    """Turns of as many dialogues as it takes; depth is always 1, since `steady` does not forget."""
    rules = load_profile(profile)
    spec = ScriptSpec(rules, load_topics(), 1, load_personas())
    every = (turn for number in count(1) for turn in islice(script(spec, number), rules.protocol.max_turns))
    for turn in islice(every, turns):
        said = (turn.dialogue, turn.turn, turn.topic, turn.move, turn.operations, turn.constraints)
        yield turn, prompt_of(Turn(*said, Persona(PERSONA, "", ()), "", "template", witness=turn.witness), 1)


def groups(profile: str, turns: int) -> None:
    """Print documented and kept shares, the turns without an exact text, and the time."""
    skill, seconds = Skill("steady", 0), 0.0
    given, kept = Counter[str](), Counter[str]()
    due: defaultdict[str, float] = defaultdict(float)
    missing = inexact = 0
    for turn, prompt in prompts(profile, turns):
        wanted = skill.misses(prompt)
        started = time.process_time()
        text = skill.answer(prompt, ChatRequest((), prompt=prompt))
        seconds += time.process_time() - started
        failed = {v.group for v in check(turn.constraints, text) if v.satisfied is False}
        given.update(c.group for c in turn.constraints)
        for c in turn.constraints:
            due[c.group] += skill.chance_in(difficulty_of(turn.dialogue, PERSONA), c.group, 1)
        kept.update(c.group for c in turn.constraints if c.group not in failed)
        missing, inexact = missing + bool(wanted), inexact + (wanted != failed)
    print(f"\n{profile}: {turns} turns, {1000 * seconds / turns:.2f} ms of CPU an answer")
    print(f"no text fails just what was to be missed in {inexact} of {missing} turns with a miss")
    print(f"{'group':12} {'given':>6} {'documented':>10} {'due here':>8} {'kept':>6} {'errors':>6}")
    for group in sorted(given, key=lambda g: -given[g]):
        chance, share = due[group] / given[group], kept[group] / given[group]
        off = (share - chance) / sqrt(chance * (1 - chance) / given[group])
        print(f"{group:12} {given[group]:6} {skill.chance(group, 1):10.3f} {chance:8.3f} {share:6.3f} {off:+6.1f}")


def figures(session: Session) -> tuple[float, float, float]:
    """EDR len, ISR and CSR of one session."""
    rates = [sum(bool(v.satisfied) for v in t.verdicts) / len(t.verdicts) for t in session.turns if t.verdicts]
    return len(rates), sum(rate == 1 for rate in rates) / len(rates), sum(rates) / len(rates)


def together(profile: str, dialogues: int) -> None:
    """Print how figures of two models go together over dialogues."""
    with tempfile.TemporaryDirectory() as folder:
        bench = generate(Path(folder) / "bench", dialogues=dialogues, turns=20, seed=1, profile=profile)
        played: dict[tuple[str, int], dict[int, tuple[float, float, float]]] = {}
        for name, seed in sorted({(n, s) for a, one, b, two in PAIRS for n, s in ((a, one), (b, two))}):
            with closing(evaluate(bench, f"sim/{name}", Path(folder) / f"{name}-{seed}", seed=seed)) as run:
                played[name, seed] = {session.dialogue: figures(session) for session in run.sessions()}
    print(f"\n{profile}: {dialogues} dialogues, correlation r over dialogues")
    print(f"{'pair':34} {'EDR len':>8} {'ISR':>6} {'CSR':>6}")
    for a, one, b, two in PAIRS:
        first, second = played[a, one], played[b, two]
        r = [correlation([first[d][i] for d in first], [second[d][i] for d in first]) for i in range(3)]
        print(f"{f'{a} (seed {one}), {b} (seed {two})':34} {r[0]:8.2f} {r[1]:6.2f} {r[2]:6.2f}")


def main() -> None:
    turns, dialogues = (*map(int, sys.argv[1:]), *(20_000, 150)[len(sys.argv) - 1 :])
    for profile in PROFILES:
        groups(profile, turns)
    for profile in PROFILES:
        together(profile, dialogues)


if __name__ == "__main__":
    main()
