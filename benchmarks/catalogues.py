"""Linting ten thousand topics: made-up ones, out of the words and keywords of the stored ones, mixed at random.

    .venv/bin/python benchmarks/catalogues.py [topics]

They break rules of wording, as nonsense does; what is measured is the time to read, check and compare them, not what is
found.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from evolif.scenarios.instructions.catalogue import lint_topics
from evolif.scenarios.instructions.tracker import load_topics
from evolif.util.rng import Stream


def make(path: Path, count: int) -> None:
    stored = load_topics()
    keywords = [keyword for topic in stored for keyword in topic.keywords]
    words = [word.strip(".,?;:") for topic in stored for word in topic.prompt.split()]
    stream = Stream(0, 99, count)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            drawn = list(dict.fromkeys(stream.choice(keywords) for _ in range(40)))[:20]
            prompt = " ".join(stream.choice(words) for _ in range(32)) + "."
            topic = {"id": f"T{number}", "domain": "any", "title": f"the task {number}", "prompt": prompt}
            file.write(json.dumps({**topic, "keywords": drawn}) + "\n")


def main() -> None:
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    lint_topics(_stored())  # loads the stemmer and the data files
    with tempfile.TemporaryDirectory() as folder:
        for count in (largest // 4, largest // 2, largest):
            path = Path(folder) / f"{count}.jsonl"
            make(path, count)
            started = time.process_time()
            report = lint_topics(path)
            taken = time.process_time() - started
            print(
                f"{count:6} topics: {taken:5.1f} s, {1e3 * taken / count:.2f} ms each, {len(report.findings)} findings"
            )


def _stored() -> Path:
    from evolif.util.resources import data_path

    return data_path("seeds", "topics.jsonl")


if __name__ == "__main__":
    main()
