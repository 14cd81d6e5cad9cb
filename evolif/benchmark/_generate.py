"""Make a benchmark: fresh dialogues, each a pure function of (specification, seed, number)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from evolif._catalogues import data_path
from evolif._errors import OutsideError, UsageError
from evolif.benchmark._directory import Benchmark
from evolif.benchmark._files import dialogue_file
from evolif.benchmark._header import Header, Spec, differences, read_header
from evolif.benchmark._lines import to_line
from evolif.benchmark._maker import Maker
from evolif.synthesis import load_personas
from evolif.tracker import Profile, load_profile, load_topics


def generate(
    out: Path | str,
    *,
    dialogues: int = 150,
    turns: int = 20,
    seed: int = 0,
    profile: str | Profile = "paper",
    topics: Path | str | None = None,
    personas: Path | str | None = None,
    synthesizers: Sequence[str] = ("template",),
    only: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Benchmark:
    """Make a benchmark directory, or complete one of the same specification.

    Args:
        out: The directory to make.
        dialogues: How many dialogues the benchmark has.
        turns: Turns per dialogue on disk; evaluation extends them on demand.
        seed: The same seed gives the same bytes on any machine.
        profile: `paper`, `objective`, the path of a YAML file, or a profile.
        topics: A JSONL file of topics; the project's own where absent.
        personas: A JSONL file of personas; the project's own where absent.
        synthesizers: `template`.
        only: Make this one dialogue only; its bytes are the same as in the whole set.
        progress: Called with (dialogues done, dialogues to do).

    Raises:
        UsageError: `out` holds something else, or a number is out of range.
        InputError: a broken topics, personas or profile file.
    """
    root = Path(out)
    _check(dialogues, turns, seed, synthesizers, only)
    chosen = load_profile(profile) if isinstance(profile, str) else profile.resolved()
    topic_file = Path(topics) if topics else data_path("seeds", "topics.jsonl")
    persona_file = Path(personas) if personas else data_path("personas", "personas.jsonl")
    spec = Spec(profile=chosen, seed=seed, dialogues=dialogues, turns=turns, synthesizers=tuple(synthesizers))
    header = Header(spec=spec)
    maker = Maker(header, load_topics(topic_file), load_personas(persona_file))
    _prepare(root, header, topic_file, persona_file)
    wanted = [only] if only is not None else list(range(1, dialogues + 1))
    for done, dialogue in enumerate(wanted, 1):
        path = dialogue_file(root, dialogue)
        if not path.is_file():
            lines = (to_line(maker.put_into_words(turn)) for turn in islice(maker.script(dialogue), turns))
            _write(path, "".join(lines))
        if progress is not None:
            progress(done, len(wanted))
    return Benchmark(root)


def _check(dialogues: int, turns: int, seed: int, synthesizers: Sequence[str], only: int | None) -> None:
    if dialogues < 1 or turns < 1 or seed < 0:
        raise UsageError("dialogues and turns must be at least 1, the seed at least 0")
    if only is not None and not 1 <= only <= dialogues:
        raise UsageError(f"there is no dialogue {only}: they are numbered from 1 to {dialogues}")
    others = [name for name in synthesizers if name != "template"]
    if others or not synthesizers:
        raise UsageError(f"the synthesizer “{others[0] if others else ''}” is not there yet; use template")


# What a generation that was broken off before it wrote `benchmark.json` may have left behind.
_OWN = frozenset({"dialogues", "topics.jsonl", "personas.jsonl", "benchmark.json.tmp"})


def _prepare(root: Path, header: Header, topics: Path, personas: Path) -> None:
    """Make the directory, or see that it is the same benchmark already."""
    try:
        if (root / "benchmark.json").exists():
            different = differences(read_header(root / "benchmark.json"), header)
            for name, source in (("topics", topics), ("personas", personas)):
                if (root / f"{name}.jsonl").read_bytes() != source.read_bytes():
                    different.append(f"{name}: another file")
            if different:
                raise UsageError(
                    f"{root} already holds another benchmark ({'; '.join(different[:3])}); choose another folder"
                )
            return
        if root.exists() and (not root.is_dir() or any(p.name not in _OWN for p in root.iterdir())):
            raise UsageError(f"{root} exists and is no benchmark; choose another folder")
        (root / "dialogues").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(topics, root / "topics.jsonl")
        shutil.copyfile(personas, root / "personas.jsonl")
        _write(root / "benchmark.json", header.to_json())
    except OSError as fault:
        raise OutsideError(f"{root} cannot be written ({fault.strerror})") from None


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_suffix(path.suffix + ".tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        os.replace(temporary, path)
    except OSError as fault:
        raise OutsideError(f"{path} cannot be written ({fault.strerror})") from None
