"""How often the lexical relevance gate errs: on witnesses, and on a model's answers to the packaged tasks.

    python benchmarks/relevance.py --profile objective --dialogues 40 --turns 40
    python benchmarks/relevance.py --model local/smollm2-135m --answers 100 --max-tokens 120 --out answers.jsonl

The first prints how many turns cannot be judged, how many witnesses pass as they are built (they are about nothing),
and how many pass for other tasks once they name their own. The second prints how many answers pass for their own task
and for all others; read those in FILE that do not pass, since some of them do not answer their task.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from evolif import generate
from evolif.models import ChatRequest, Sampling, managed, open_model
from evolif.scenarios.instructions.constraints import format_of
from evolif.scenarios.instructions.relevance import Task, lexical_verdict, name_task, task_of, why_not_judged
from evolif.text import Reading
from evolif.types import Message
from evolif.util.resources import data_path
from evolif.util.rng import Purpose, Stream

OTHERS = 5
"""Other tasks that a named witness is compared with."""


def passes(task: Task, text: str, constraints: tuple = (), fmt: str | None = None) -> bool:
    return bool(lexical_verdict(task, constraints, Reading(text, fmt), "").satisfied)


def share(found: list[bool]) -> str:
    return f"{sum(found):,} of {len(found):,} ({100 * sum(found) / max(1, len(found)):.1f} %)"


def witnesses(profile: str, dialogues: int, turns: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        bench = generate(Path(folder) / "bench", dialogues=dialogues, turns=turns, seed=3, profile=profile)
        made = [turn for dialogue in bench.dialogues() for turn in bench.turns(dialogue)]
    tasks = list({turn.topic.id: task_of(turn.topic) for turn in made}.values())
    stream, why = Stream(3, Purpose.SIMULATED_MODEL), Counter[str]()
    built, others = [], []
    for turn in made:
        own, witness = task_of(turn.topic), turn.witness
        reason = why_not_judged(own, turn.constraints, witness)
        why[reason] += 1
        if reason or witness is None:
            continue
        fmt = format_of(turn.constraints)
        built.append(passes(own, witness, turn.constraints, fmt))
        named = name_task(witness, own, turn.constraints)
        for task in stream.sample([task for task in tasks if task != own], OTHERS):
            others.append(passes(task, named or "", turn.constraints, fmt))
    for reason, number in why.most_common():
        yield f"{number:,} of {len(made):,} turns: {reason or 'judged'}"
    yield f"witnesses as built that pass: {share(built)}"
    yield f"witnesses that name their task and pass for another one: {share(others)}"


async def answers(model: str, number: int, tokens: int, out: Path) -> Iterator[str]:
    lines = data_path("seeds", "topics.jsonl").read_text(encoding="utf-8").splitlines()
    tasks = [Task(one["prompt"], one["title"], tuple(one["keywords"])) for one in map(json.loads, lines)]
    client = managed(open_model(model))
    own, others = [], []
    with out.open("w", encoding="utf-8") as file:
        for task in Stream(5, Purpose.SIMULATED_MODEL).sample(tasks, number):
            sampling = Sampling(temperature=0.0, max_tokens=tokens, seed=1)
            reply = await client.complete(ChatRequest((Message("user", task.prompt),), sampling))
            own.append(passes(task, reply.text))
            others += [passes(other, reply.text) for other in tasks if other != task]
            file.write(json.dumps({"passes": own[-1], "task": task.prompt, "answer": reply.text}) + "\n")
    await client.aclose()
    return iter((f"pass for their own task: {share(own)}", f"pass for another: {share(others)}"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="objective")
    parser.add_argument("--dialogues", type=int, default=40)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--model", help="ask a model instead")
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--max-tokens", type=int, default=120)
    parser.add_argument("--out", type=Path, default=Path("answers.jsonl"))
    given = parser.parse_args()
    if given.model is None:
        lines = witnesses(given.profile, given.dialogues, given.turns)
    else:
        lines = asyncio.run(answers(given.model, given.answers, given.max_tokens, given.out))
    for line in lines:
        print(line)


if __name__ == "__main__":
    main()
