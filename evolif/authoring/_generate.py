"""Make or extend a benchmark, its models opened by their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from evolif import benchmark as _benchmark
from evolif.authoring._open import Options, open_named, open_stored
from evolif.benchmark import Benchmark, Made
from evolif.tracker import Profile


def generate(
    out: Path | str,
    *,
    dialogues: int = 150,
    turns: int = 20,
    seed: int = 0,
    profile: str | Profile = "paper",
    topics: Path | str | None = None,
    personas: Path | str | None = None,
    registers: Path | str | None = None,
    synthesizers: Sequence[str] = ("template",),
    checker: str | None = None,
    options: Options | None = None,
    only: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    observe: Callable[[Made], None] | None = None,
) -> Benchmark:
    """Make a benchmark directory, or complete one of the same specification.

    Args:
        out: The directory to make.
        dialogues: How many dialogues the benchmark has.
        turns: Turns per dialogue on disk; evaluation extends them on demand.
        seed: With the template, the same seed gives the same bytes on any machine.
        profile: `paper`, `objective`, the path of a YAML file, or a profile.
        topics: A JSONL file of topics; the project's own where absent.
        personas: A JSONL file of personas; the project's own where absent.
        registers: A YAML file of registers beside the project's own, like `seeds/frames.yaml`.
        synthesizers: `template`, chat models such as `openai/gpt-5`, plug-ins; mixed over dialogues in proportion to
            their weights (`NAME=2`).
        checker: A chat model that checks what rules cannot know of free text.
        options: How chat models are reached and asked.
        only: Make this one dialogue only.
        progress: Called with (dialogues done, dialogues to do) for those that the template words.
        observe: Told of every turn that a chat model worded.

    Raises:
        UsageError: `out` holds something else, a number is out of range, an unknown model, a missing key.
        InputError: a broken topics, personas or profile file.
        OutsideError: the disk or a chat model failed; what was made is kept, and the same call goes on from there.
    """
    named = open_named(synthesizers, checker, options, observe)
    return _benchmark.generate(
        out,
        dialogues=dialogues,
        turns=turns,
        seed=seed,
        profile=profile,
        topics=topics,
        personas=personas,
        registers=registers,
        synthesizers=named.synthesizers,
        checker=named.checker,
        wording=named.wording,
        only=only,
        progress=progress,
    )


def extend(
    bench: Benchmark,
    turns: int,
    *,
    synthesizers: Sequence[str] = (),
    checker: str | None = None,
    options: Options | None = None,
    observe: Callable[[Made], None] | None = None,
) -> int:
    """Make every dialogue of a benchmark at least `turns` long, by the synthesizers it was made with.

    Args:
        bench: The benchmark.
        turns: Turns per dialogue.
        synthesizers: Where its chat models are reached on this machine, if their names alone do not tell; `template`
            has the template stand in for them.
        checker: The same for its checker model.
        options: How chat models are reached and asked.
        observe: Told of every turn that a chat model worded.

    Returns:
        How many turns were made.

    Raises:
        UsageError: a name that is not the benchmark's, a missing key.
        OutsideError: the disk or a chat model failed; what was made is kept, and the same call goes on from there.
    """
    missing = bench.missing(turns)
    wording = open_stored(bench, tuple(missing), synthesizers, checker, options, observe)
    return _benchmark.extend(bench, turns, wording)
