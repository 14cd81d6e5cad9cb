"""How fast a corpus is looked through for a benchmark's queries, and what memory that takes.

    .venv/bin/python benchmarks/contamination.py [megabytes]

The corpus is made up: sentences out of the topics' words, a tenth of them with typographic marks, as plain text and in
lines of JSON. Queries are planted in it, and all of them must be found.
"""

from __future__ import annotations

import gzip
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import evolif
from evolif.exchange import contamination
from evolif.scenarios.instructions.tracker import load_topics
from evolif.util.rng import Stream

PLANTED = 7


def sentences(count: int) -> list[str]:
    words = [word.strip(".,?;:") for topic in load_topics() for word in topic.prompt.split()]
    stream = Stream(0, 98)
    made = [" ".join(stream.choice(words) for _ in range(16)).capitalize() + "." for _ in range(count)]
    return [f"“{text}” – {n}" if n % 10 == 0 else text for n, text in enumerate(made)]


def corpora(folder: Path, megabytes: int, queries: list[str]) -> dict[str, Path]:
    stock = sentences(20_000)
    paragraph = "\n".join(stock)
    repeats = max(1, megabytes * 1_000_000 // len(paragraph))
    plain, lines, packed = folder / "text.txt", folder / "lines.jsonl", folder / "text.txt.gz"
    with plain.open("w", encoding="utf-8") as file:
        file.writelines(f"{paragraph}\n{queries[n % PLANTED]}\n" for n in range(repeats))
    with lines.open("w", encoding="utf-8") as file:
        for n in range(repeats):
            texts = ["\n".join(stock[at : at + 20]) for at in range(0, len(stock), 20)]
            file.writelines(f"{json.dumps({'text': text})}\n" for text in (*texts, queries[n % PLANTED]))
    with gzip.open(packed, "wt", encoding="utf-8", compresslevel=3) as file:
        file.writelines(f"{paragraph}\n{queries[n % PLANTED]}\n" for n in range(max(1, repeats // 4)))
    return {"plain text": plain, "JSONL, escaped": lines, "gzip": packed}


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        bench = evolif.generate(root / "bench", dialogues=150, turns=20, seed=7, profile="paper")
        queries = [bench.turns(number)[0].query for number in range(1, PLANTED + 1)]
        for name, path in corpora(root, megabytes, queries).items():
            started, used = time.perf_counter(), time.process_time()
            told = contamination([path], bench)
            seconds, used = time.perf_counter() - started, time.process_time() - used
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{name:15} {told.bytes / 1e6:6.0f} MB in {seconds:5.1f} s ({used:5.1f} s of CPU): "
                f"{told.bytes / 1e6 / seconds:5.0f} MB/s, {told.turns_found} queries found, peak {peak:.0f} MB"
            )


if __name__ == "__main__":
    main()
