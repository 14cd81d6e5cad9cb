"""Make a benchmark: fresh dialogues, each a pure function of (specification, seed, number)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from evolif.errors import OutsideError, UsageError
from evolif.instructions.authors import Options, open_named, open_stored
from evolif.instructions.folder import REGISTERS, Benchmark
from evolif.instructions.generator import TurnGenerator
from evolif.instructions.source import SynthesizerPool, TurnMade, grow_alone
from evolif.instructions.turn_lines import Header, Spec, dialogue_file, differences, read_header, to_line
from evolif.resources import data_path
from evolif.synthesis import TEMPLATE, Share, author_of, load_frames, load_personas, parse_share
from evolif.tracker import Profile, load_profile, load_topics


def generate_with(
    out: Path | str,
    *,
    dialogues: int = 150,
    turns: int = 20,
    seed: int = 0,
    profile: str | Profile = "paper",
    topics: Path | str | None = None,
    personas: Path | str | None = None,
    registers: Path | str | None = None,
    synthesizers: Sequence[str] = (TEMPLATE,),
    checker: str | None = None,
    wording: SynthesizerPool | None = None,
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
        registers: A YAML file of registers beside the project's own, like `seeds/frames.yaml`.
        synthesizers: `template` and names of chat models, mixed over dialogues; `NAME=2` words twice as many.
        checker: The name of the model that checks what rules cannot know.
        wording: The chat models, opened; `evolif.generate` opens them by their names.
        only: Make this one dialogue only; its bytes are the same as in the whole set.
        progress: Called with (dialogues done, dialogues to do) for those that the template words.

    Raises:
        UsageError: `out` holds something else, or a number is out of range.
        InputError: a broken topics, personas or profile file.
        OutsideError: the disk or a chat model failed; what was made is kept, and the same call goes on from there.
    """
    root = Path(out)
    shares = _check(dialogues, turns, seed, synthesizers, only)
    _check_opened(shares, wording)
    chosen = load_profile(profile) if isinstance(profile, str) else profile.resolved()
    topic_file = Path(topics) if topics else data_path("seeds", "topics.jsonl")
    persona_file = Path(personas) if personas else data_path("personas", "personas.jsonl")
    header = Header(
        spec=Spec(
            profile=chosen,
            seed=seed,
            dialogues=dialogues,
            turns=turns,
            synthesizers=tuple(map(str, shares)),
            checker=checker,
        )
    )
    frames = load_frames(Path(registers)) if registers else None
    maker = TurnGenerator(header, load_topics(topic_file), load_personas(persona_file, frames), frames=frames)
    files = {"topics.jsonl": topic_file, "personas.jsonl": persona_file}
    _prepare(root, header, files | ({REGISTERS: Path(registers)} if registers else {}))
    wanted = [only] if only is not None else list(range(1, dialogues + 1))
    templates = [number for number in wanted if author_of(shares, seed, number) == TEMPLATE]
    for done, dialogue in enumerate(templates, 1):
        path = dialogue_file(root, dialogue)
        if not path.is_file():
            lines = (to_line(maker.put_into_words(turn)) for turn in islice(maker.script(dialogue), turns))
            _write(path, "".join(lines))
        if progress is not None:
            progress(done, len(templates))
    made = Benchmark(root)
    if wording is not None and len(templates) < len(wanted):
        grow_alone(made, wording, [number for number in wanted if number not in set(templates)], turns)
    return made


def extend_with(bench: Benchmark, turns: int, wording: SynthesizerPool | None = None) -> int:
    """Make every dialogue of a benchmark at least `turns` long; returns how many turns were made.

    Args:
        bench: The benchmark.
        turns: Turns per dialogue.
        wording: Its chat models, opened; may be left out where none is needed.

    Raises:
        UsageError: turns are missing that only a chat model can word, and none was opened.
        OutsideError: the disk or a chat model failed; what was made is kept, and the same call goes on from there.
    """
    missing = bench.missing(turns)
    wording = wording or SynthesizerPool({})
    for name in missing:
        if name not in wording.synthesizers:
            raise UsageError(f"{bench.path}: turns are missing that {name} words, and it was not opened")
    made = bench.extend(turns)
    if missing:
        grow_alone(bench, wording, bench.dialogues(), turns)
    return made + sum(missing.values())


def _check(dialogues: int, turns: int, seed: int, synthesizers: Sequence[str], only: int | None) -> tuple[Share, ...]:
    if dialogues < 1 or turns < 1 or seed < 0:
        raise UsageError("dialogues and turns must be at least 1, the seed at least 0")
    if only is not None and not 1 <= only <= dialogues:
        raise UsageError(f"there is no dialogue {only}: they are numbered from 1 to {dialogues}")
    shares = tuple(map(parse_share, synthesizers))
    names = [share.name for share in shares]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"the synthesizer {twice[0]} is named twice; give it a weight instead: {twice[0]}=2")
    if not shares:
        raise UsageError("name at least one synthesizer, e.g. template")
    return shares


def _check_opened(shares: Sequence[Share], wording: SynthesizerPool | None) -> None:
    opened = wording.synthesizers if wording is not None else {}
    missing = [share.name for share in shares if share.name != TEMPLATE and share.name not in opened]
    if missing:
        raise UsageError(
            f"the synthesizer {missing[0]} was not opened: use `evolif.generate`, which opens models by their names"
        )


# What a generation that was broken off before it wrote `benchmark.json` may have left behind.
_OWN = frozenset({".lock", "dialogues", "topics.jsonl", "personas.jsonl", REGISTERS, "benchmark.json.tmp"})


def _prepare(root: Path, header: Header, files: Mapping[str, Path]) -> None:
    """Make the directory, or see that it is the same benchmark already."""
    try:
        if (root / "benchmark.json").exists():
            different = differences(read_header(root / "benchmark.json"), header)
            for name in ("topics.jsonl", "personas.jsonl", REGISTERS):
                there, wanted = root / name, files.get(name)
                if there.is_file() != (wanted is not None) or (wanted and there.read_bytes() != wanted.read_bytes()):
                    different.append(f"{Path(name).stem}: another file")
            if different:
                raise UsageError(
                    f"{root} already holds another benchmark ({'; '.join(different[:3])}); choose another folder"
                )
            return
        if root.exists() and (not root.is_dir() or any(p.name not in _OWN for p in root.iterdir())):
            raise UsageError(f"{root} exists and is no benchmark; choose another folder")
        (root / "dialogues").mkdir(parents=True, exist_ok=True)
        for name, source in files.items():
            shutil.copyfile(source, root / name)
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


# Make or extend a benchmark, its models opened by their names.


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
    observe: Callable[[TurnMade], None] | None = None,
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
    return generate_with(
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
    observe: Callable[[TurnMade], None] | None = None,
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
    return extend_with(bench, turns, wording)
