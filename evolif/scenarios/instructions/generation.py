"""Make or extend a benchmark; each dialogue is a pure function of (specification, seed, number)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from evolif.benchmark import HEADER, dialogue_file, locked, write_whole, writing
from evolif.benchmark.files import refuse_other
from evolif.errors import EvolifError, UsageError
from evolif.models import ModelOptions, ModelRef
from evolif.scenarios.instructions.authors import Author, open_synthesizers, reopen_synthesizers
from evolif.scenarios.instructions.catalogues import Catalogues, joined, of_side, packaged_catalogues
from evolif.scenarios.instructions.constraints import code_of
from evolif.scenarios.instructions.folder import REGISTERS, InstructionBenchmark
from evolif.scenarios.instructions.generator import TurnGenerator
from evolif.scenarios.instructions.partition import side_named, side_of
from evolif.scenarios.instructions.source import TurnMade, word_alone
from evolif.scenarios.instructions.synthesis import TEMPLATE, SynthesizerShare, author_of, load_frames, load_personas
from evolif.scenarios.instructions.tracker import Profile, load_profile, load_topics
from evolif.scenarios.instructions.tracker.lives import check_facts
from evolif.scenarios.instructions.tracker.profile import BUILT_IN, USUAL, packaged_topics, with_judged
from evolif.scenarios.instructions.tracker.sides import drawn_from, without_kinds
from evolif.scenarios.instructions.turn_lines import (
    Header,
    Spec,
    SplitSide,
    definitions_named,
    edition_of,
    read_header,
    to_line,
)
from evolif.text import FIRST_RULES, READING_RULES_VERSION
from evolif.util.opened import read_file
from evolif.util.resources import data_path

DIALOGUES = 150
"""Of a benchmark, where neither the caller nor the profile says how many."""


def generate(
    out: Path | str,
    *,
    dialogues: int | None = None,
    turns: int = 20,
    seed: int = 0,
    profile: str | Profile | None = None,
    topics: Path | str | None = None,
    personas: Path | str | None = None,
    registers: Path | str | None = None,
    synthesizers: Sequence[Author | tuple[Author, int]] = (TEMPLATE,),
    checker: ModelRef | None = None,
    definitions: str = "system",
    judged: bool = False,
    voices: bool = False,
    split: str | None = None,
    options: ModelOptions | None = None,
    only: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    observe: Callable[[TurnMade], None] | None = None,
) -> InstructionBenchmark:
    """Make a benchmark directory, or complete one of the same specification, or add dialogues to it.

    Args:
        out: The directory to create.
        dialogues: How many dialogues the benchmark has; by default as many as the profile says, or 150.
        turns: Turns per dialogue on disk; evaluation extends them on demand.
        seed: With the template, the same seed gives the same bytes on any machine.
        profile: `everyday`, `objective`, `paper`, `extended`, `escalating`, the path of a YAML file, or a profile. By
            default that of the benchmark in `out`, and `everyday` for a new one.
        topics: A JSONL file of topics; by default the built-in ones.
        personas: A JSONL file of personas; by default the built-in ones.
        registers: A YAML file of registers in addition to the built-in ones, like `seeds/frames.yaml`.
        synthesizers: `template`, chat models such as `openai/gpt-5`, plug-ins; mixed over dialogues in proportion to
            their weights (`NAME=2`). A `ChatModel` or `Synthesizer` object may replace a name, alone or as
            `(object, 2)`; the caller closes it.
        checker: A chat model that checks free text beyond what rules can.
        definitions: Who says what exactly is counted: the `system` prompt, or each `query`, for runs without one.
        judged: Whether a third of the new constraints are of kinds that only a judge can check: a voice, a tone, a
            genre, a reader, a style, an emotion. Only for profiles that follow a load, such as `everyday`.
        voices: Whether tasks are worded as who asks would, with a profile that does not, such as `paper`.
        split: `train` or `test`: only the modes, topics, personas and wordings of that side of a fixed partition, so
            that a model can be trained on one and evaluated on the other. What chat models word is not split.
        options: How chat models are reached and sampled.
        only: Generate only this dialogue; its bytes are the same as in the whole set.
        progress: Called with (dialogues done, dialogues in total) for template dialogues.
        observe: Called for every turn that a chat model worded.

    Raises:
        UsageError: `out` contains something else, a number is out of range, an unknown model, a missing key.
        InputError: a broken topics, personas or profile file.
        OutsideError: the disk or a chat model failed; what was made is kept, and the same call goes on from there.
    """
    opened = open_synthesizers(synthesizers, checker, options, observe)
    shares = opened.shares
    root = Path(out)
    stored = _header_in(root) if profile is None else None
    named = _usual_profile(stored) if profile is None else profile
    drawn = load_profile(named) if isinstance(named, str) else named.resolved()
    judged = judged or (stored is not None and stored.judged)
    if judged:
        drawn = with_judged(drawn)
    if not drawn.persons and (voices or (stored is not None and stored.spec.profile.voices)):
        drawn = drawn.model_copy(update={"voices": True})
    side = _split_of(split, stored, drawn)
    if side is not None:
        drawn = drawn_from(drawn, side.require())
    dialogues = dialogues if dialogues is not None else drawn.protocol.dialogues or DIALOGUES
    _check(dialogues, turns, seed, shares, only)
    spec = Spec(
        profile=drawn,
        seed=seed,
        dialogues=dialogues,
        turns=turns,
        synthesizers=tuple(map(str, shares)),
        checker=opened.checker,
        split=side,
    )
    header = Header(
        edition=edition_of(spec.profile),
        reading_rules=READING_RULES_VERSION if spec.profile.everyday_pools else FIRST_RULES,
        grows=True,
        judged=judged,
        spec=spec,
        definitions=definitions_named(definitions),
        own_code=code_of(spec.profile.groups),
    )
    topic_files = (Path(topics),) if topics else packaged_topics(drawn)
    persona_file = Path(personas) if personas else data_path("personas", "personas.jsonl")
    frames = load_frames(Path(registers)) if registers else None
    known = tuple(topic for path in topic_files for topic in load_topics(path))
    check_facts(known)
    people = load_personas(persona_file, frames)
    files = dict(packaged_catalogues(drawn))
    given = {"topics.jsonl": topics, "personas.jsonl": personas, REGISTERS: registers}
    files |= {name: joined((Path(path),)) for name, path in given.items() if path}
    if side is not None:
        files = dict(of_side(files, side.side))
        known = tuple(topic for topic in known if side_of("topic", topic.id) == side.side)
        people = tuple(persona for persona in people if side_of("persona", persona.id) == side.side)
    generator = TurnGenerator(header, known, people, frames=frames)
    _prepare(root, header, files)
    wanted = [only] if only is not None else list(range(1, dialogues + 1))
    templates = [number for number in wanted if author_of(shares, seed, number) == TEMPLATE]
    _write_openings(root, generator, templates, turns, progress)
    _store_size(root, header)
    bench = InstructionBenchmark(root)
    if len(templates) < len(wanted):
        word_alone(bench, opened.wording, sorted({*wanted} - {*templates}), turns)
    return bench


def extend(
    bench: InstructionBenchmark,
    turns: int,
    *,
    synthesizers: Sequence[Author] = (),
    checker: ModelRef | None = None,
    options: ModelOptions | None = None,
    observe: Callable[[TurnMade], None] | None = None,
) -> int:
    """Extend every dialogue of a benchmark to at least `turns` turns, with its own synthesizers.

    Args:
        bench: The benchmark.
        turns: Turns per dialogue.
        synthesizers: How to reach its chat models on this machine, if their names are not enough; `template` replaces
            them with the template.
        checker: The same for its checker model.
        options: How chat models are reached and sampled.
        observe: Called for every turn that a chat model worded.

    Returns:
        How many turns were generated.

    Raises:
        UsageError: a name unknown to the benchmark, a missing key.
        OutsideError: the disk or a chat model failed; what was made is kept, and the same call goes on from there.
    """
    missing = bench.missing(turns)
    wording = reopen_synthesizers(bench, tuple(missing), synthesizers, checker, options, observe)
    made = bench.extend(turns)
    if missing:
        word_alone(bench, wording, bench.dialogues(), turns)
    return made + sum(missing.values())


def grow(
    bench: InstructionBenchmark,
    dialogues: int,
    *,
    synthesizers: Sequence[Author] = (),
    checker: ModelRef | None = None,
    options: ModelOptions | None = None,
    progress: Callable[[int, int], None] | None = None,
    observe: Callable[[TurnMade], None] | None = None,
) -> InstructionBenchmark:
    """Add dialogues to a benchmark, the same that it would have if it had been made with so many.

    Args:
        bench: The benchmark.
        dialogues: How many it will have.
        synthesizers: As for `extend`.
        checker: As for `extend`.
        options: As for `extend`.
        progress: Called with (dialogues done, new ones in total) for template dialogues.
        observe: Called for every turn that a chat model worded.

    Returns:
        The benchmark, opened again.

    Raises:
        UsageError: it has more dialogues, it cannot grow, a name unknown to it, a missing key.
        OutsideError: the disk or a chat model failed; what was made is kept, and the same call goes on from there.
    """
    bench.refuse_unless_extendable()
    bench.refuse_other_edition()
    kept, root = bench.header, bench.path
    spec = kept.spec.model_copy(update={"dialogues": dialogues})
    header = kept.model_copy(update={"spec": spec})
    refuse_other(root, kept.model_dump(mode="json"), header.model_dump(mode="json"), grows=kept.grows)
    fresh = [number for number in range(1, dialogues + 1) if not dialogue_file(root, number).is_file()]
    authors = {number: bench.author(number) for number in fresh}
    others = [number for number in fresh if authors[number] != TEMPLATE]
    missing = tuple({authors[number] for number in others})
    wording = reopen_synthesizers(bench, missing, synthesizers, checker, options, observe)
    generator = TurnGenerator(header, bench.topics, bench.personas, frames=bench.frames)
    _write_openings(root, generator, [number for number in fresh if number not in others], spec.turns, progress)
    _store_size(root, header)
    grown = InstructionBenchmark(root, bench.notify)
    if others:
        word_alone(grown, wording, others, spec.turns)
    return grown


def _write_openings(
    root: Path,
    generator: TurnGenerator,
    dialogues: Sequence[int],
    turns: int,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Write template dialogues that are missing."""
    for done, dialogue in enumerate(dialogues, 1):
        path = dialogue_file(root, dialogue)
        if not path.is_file():
            with writing(path):
                write_whole(path, "".join(map(to_line, generator.opening(dialogue, turns))).encode())
        if progress is not None:
            progress(done, len(dialogues))


def _check(dialogues: int, turns: int, seed: int, shares: Sequence[SynthesizerShare], only: int | None) -> None:
    if dialogues < 1 or turns < 1 or seed < 0:
        raise UsageError("dialogues and turns must be at least 1, the seed at least 0")
    if only is not None and not 1 <= only <= dialogues:
        raise UsageError(f"there is no dialogue {only}: dialogues are numbered from 1 to {dialogues}")
    if not shares:
        raise UsageError("name at least one synthesizer, e.g. template")
    names = [share.name for share in shares]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the synthesizer {name} is named twice; give it a weight instead: {name}=2")


def _split_of(named: str | None, stored: Header | None, profile: Profile) -> SplitSide | None:
    """The side that is asked for, or that of the benchmark in the folder, with the groups that it cannot split."""
    if named is None:
        return None if stored is None else stored.spec.split
    side = side_named(named)
    left = drawn_from(profile, side).groups
    neither = tuple(group for group in profile.groups if group not in left)
    return SplitSide(side=side, both=without_kinds(profile), neither=neither)


def _header_in(root: Path) -> Header | None:
    """That of the benchmark in a folder, which the same call then completes; what is wrong with it is told later."""
    try:
        return read_header(root / HEADER)
    except EvolifError:  # none, or none of ours
        return None


def _usual_profile(stored: Header | None) -> str:
    """That of the benchmark in the folder; for a new one the usual profile."""
    name = USUAL if stored is None else stored.spec.profile.name
    return name if name in BUILT_IN else USUAL


# What a generation interrupted before writing `benchmark.json` may leave behind.
_OWN = frozenset({".lock", "dialogues", "topics.jsonl", "personas.jsonl", REGISTERS, f"{HEADER}.tmp"})


def _prepare(root: Path, header: Header, files: Catalogues) -> None:
    """Create the directory, or check that it already holds the same benchmark."""
    with writing(root):
        if (root / HEADER).exists():
            _check_same(root, header, files)
            return
        if root.exists() and (not root.is_dir() or any(p.name not in _OWN for p in root.iterdir())):
            raise UsageError(f"{root} exists and is not a benchmark; choose another folder")
        (root / "dialogues").mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (root / name).write_bytes(content)
        with writing(root / HEADER):
            write_whole(root / HEADER, header.to_json().encode())


def _store_size(root: Path, header: Header) -> None:
    """Note that a benchmark has got more dialogues."""
    with locked(root, root / HEADER):
        if read_header(root / HEADER).spec.dialogues < header.spec.dialogues:
            write_whole(root / HEADER, header.to_json().encode())


def _check_same(root: Path, header: Header, files: Catalogues) -> None:
    """Check that a folder holds the same benchmark, perhaps with fewer dialogues."""
    kept = read_header(root / HEADER)
    if kept.spec.split != header.spec.split:
        sides = " → ".join("none" if one.spec.split is None else str(one.spec.split) for one in (kept, header))
        raise UsageError(f"{root} already contains another benchmark (split: {sides}); choose another folder")
    different = []
    for name in ("topics.jsonl", "personas.jsonl", REGISTERS):
        own, given = root / name, files.get(name)
        if own.is_file() != (given is not None) or (given is not None and read_file(own) != given):
            different.append(f"{Path(name).stem}: another file")
    stored, wanted = ({**one.model_dump(mode="json"), "grows": None} for one in (kept, header))
    refuse_other(root, stored, wanted, different, grows=kept.grows)
