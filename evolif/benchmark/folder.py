"""The folder of a benchmark of any scenario: made, completed, opened.

    benchmark.json         what it was made from: the scenario and its version, the options, `dialogues`, `seed`
    dialogues/NNNN.jsonl   one JSON object a line; what they mean is up to the scenario
    assets/                pictures, if there are any

While a folder is being made its header is called `benchmark.json.part`: so nobody plays half a benchmark, and the same
command completes it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, ValidationError, model_serializer

from evolif._version import __version__
from evolif.benchmark.files import (
    HEADER,
    cut_torn_line,
    dialogue_file,
    dialogue_numbers,
    json_line,
    locked,
    objection,
    read_header_json,
    refuse_other,
    write_whole,
    writing,
)
from evolif.benchmark.shown import benchmark_line, benchmark_table
from evolif.errors import InputError, OutsideError, UsageError
from evolif.scenario import DEFAULT_SCENARIO, Benchmark, Scenario, get_scenario
from evolif.text import plural
from evolif.util.opened import refuse_links
from evolif.util.resources import complaint, read_json_lines

FORMAT_VERSION = 1
_PART = f"{HEADER}.part"
_COMMON = frozenset({"dialogues", "seed"})
"""Keys of every header's `spec`; the others are the scenario's options."""
_HELD = 256
"""Dialogues kept in memory by default."""
_MOST_HELD = 512
"""Dialogues kept in memory however many are asked for."""
_MOST_BYTES = 256 << 20
"""Bytes of a dialogue's file."""

_Count = Annotated[int, Field(strict=True, ge=1)]


def _ignore(sentence: str) -> None:
    pass


class _Spec(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    dialogues: _Count
    seed: Annotated[int, Field(strict=True, ge=0)]


class _Header(BaseModel):
    """The contents of `benchmark.json`; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True)

    format: Literal["evolif-benchmark"] = "evolif-benchmark"
    format_version: _Count = FORMAT_VERSION
    generator: str = __version__
    scenario: Annotated[str, Field(min_length=1, max_length=100)]
    scenario_version: _Count
    grows: bool = False
    """Whether dialogues may be added; its identity then does not depend on how many there are."""
    spec: _Spec

    @model_serializer(mode="wrap")
    def _leave_out_default(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = serialize(self)
        return {name: value for name, value in data.items() if value or name != "grows"}

    def made_from(self) -> dict[str, Any]:
        """What a folder must have been made from to be completed."""
        data = self.model_dump(mode="json")
        return {name: data[name] for name in data.keys() - {"format", "format_version", "generator", "grows"}}

    def text(self) -> str:
        """As it stands on disk."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"


_Model = TypeVar("_Model", bound=BaseModel)


class BenchmarkFolder:
    """An opened benchmark of a scenario whose dialogues are complete when they are made.

    Args:
        path: The folder.
        scenario: Its scenario.
        notify: Called with one sentence when something was repaired or is missing.

    Raises:
        UsageError: it is not a benchmark.
        InputError: a broken header, or one of another scenario, or of another version of it.
    """

    def __init__(self, path: Path | str, scenario: Scenario, notify: Callable[[str], None] = _ignore) -> None:
        self.path = Path(path)
        self._notify = notify
        file = self.path / HEADER
        header = _read_header(file)
        if header.scenario != scenario.name:
            raise InputError(f"it belongs to the scenario “{header.scenario}”, not to {scenario.name}", path=file)
        _refuse_other_version(header.scenario_version, scenario, file)
        self._header = header
        options = {key: value for key, value in header.spec if key not in _COMMON}
        try:
            self.spec: Any = scenario.spec.model_validate(options)
        except ValidationError as fault:
            mend = "generate the benchmark again, or install the release of its package that made it"
            raise InputError(f"spec.{complaint(fault, 'options')}; {mend}", path=file) from None
        self._lines: dict[int, list[dict[str, Any]]] = {}
        """Cached dialogues, least recently used first."""
        self._held = _HELD
        count, planned = len(self.dialogues()), header.spec.dialogues
        if count < planned:
            notify(
                f"{self.path} has {count} of its {plural(planned, 'dialogue')}; run the same `evolif "
                "generate` to make the rest"
            )

    def __repr__(self) -> str:
        """Its folder, scenario and size."""
        return benchmark_line(self)

    def _repr_html_(self) -> str | None:
        """What it is made of, for notebooks; dialogues are counted and not read."""
        return benchmark_table(self)

    def stored_as(self, model: type[_Model], mend: str) -> _Model:
        """What the header stores, which may be more than the options of `generate`.

        Args:
            model: Everything that it may hold.
            mend: What to do about a header that does not fit.

        Raises:
            InputError: it does not fit.
        """
        try:
            return model.model_validate(self.spec.model_dump())
        except ValidationError as fault:
            raise InputError(f"spec.{complaint(fault, 'options')}; {mend}", path=self.path / "benchmark.json") from None

    @classmethod
    def make(
        cls,
        out: Path,
        scenario: Scenario,
        spec: BaseModel,
        lines: Callable[[int], Iterable[Mapping[str, Any]]],
        *,
        dialogues: int,
        seed: int,
        grows: bool = True,
        notify: Callable[[str], None] = _ignore,
    ) -> Self:
        """Make a folder, or complete one that was made with the same options, or add dialogues to it.

        Args:
            out: The folder, new or empty.
            scenario: The scenario that makes it.
            spec: Its options, an instance of `scenario.spec`. All are stored; declare a path or what else belongs to
                this machine with a default and `exclude=True`.
            lines: The lines of a dialogue, by its number from 1; they depend on the number, `spec` and `seed` only.
            dialogues: How many to make.
            seed: Stored with the options.
            grows: Whether more dialogues may be added later; not if they come from elsewhere.
            notify: As for the class.

        Raises:
            UsageError: the folder holds something else, a number is out of range, or a line is not JSON.
            OutsideError: the folder cannot be written; what was made is kept, and the same call goes on from there.
        """
        header = _header(scenario, spec, dialogues, seed, grows=grows)
        _prepare(out, header)
        for dialogue in range(1, dialogues + 1):
            file = dialogue_file(out, dialogue)
            if not file.exists():
                text = "".join(_line(line, scenario, dialogue) for line in lines(dialogue))
                with locked(out, file):
                    write_whole(file, text.encode("utf-8"))
        with locked(out, out / HEADER):
            if not (out / HEADER).exists():
                os.replace(out / _PART, out / HEADER)
            elif _read_header(out / HEADER).spec.dialogues < dialogues:
                write_whole(out / HEADER, header.text().encode("utf-8"))
        return cls(out, scenario, notify)

    @property
    def scenario(self) -> str:
        """The scenario's name."""
        return self._header.scenario

    @property
    def variant(self) -> str:
        """Empty; a scenario with variants overrides it."""
        return ""

    @property
    def grows(self) -> bool:
        """Whether dialogues may be added."""
        return self._header.grows

    @property
    def seed(self) -> int:
        """The seed that it was made with."""
        return self._header.spec.seed

    @property
    def identity(self) -> str:
        """Identifies what the benchmark was made from, on any machine (16 hex digits)."""
        data = self._header.model_dump(mode="json")
        if self._header.grows:
            del data["spec"]["dialogues"]
        canonical = json.dumps(data, sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    def dialogues(self) -> list[int]:
        """The numbers of the dialogues on disk, in order."""
        return dialogue_numbers(self.path)

    def hold(self, dialogues: int) -> None:
        """Set how many dialogues are kept in memory, at least one; the others are read again when needed."""
        self._held = min(max(1, dialogues), _MOST_HELD)

    def lines(self, dialogue: int) -> list[dict[str, Any]]:
        """The lines of a dialogue, which are kept and must not be changed.

        Raises:
            UsageError: there is no such dialogue.
            InputError: a broken line.
            OutsideError: the file cannot be read.
        """
        found = self._lines.pop(dialogue, None)
        self._lines[dialogue] = self._read(dialogue) if found is None else found
        while len(self._lines) > self._held:
            del self._lines[next(iter(self._lines))]
        return self._lines[dialogue]

    def _read(self, dialogue: int) -> list[dict[str, Any]]:
        path = dialogue_file(self.path, dialogue)
        if not path.is_file():
            raise UsageError(f"{self.path} has no dialogue {dialogue}")
        try:
            refuse_links(self.path, (f"dialogues/{path.name}", "dialogues"))
            if cut_torn_line(path):
                self._notify(
                    f"{path}: the last line was incomplete and was removed; to get it back, delete the file and run "
                    "the same `evolif generate`"
                )
        except OSError as fault:
            raise OutsideError(f"{path} cannot be read ({fault.strerror})") from None
        lines = []
        for number, data in read_json_lines(path):
            problem = objection(data)
            if problem or not isinstance(data, dict):
                raise InputError(f"{problem}; fix or delete the line", path=path, line=number)
            lines.append(data)
        return lines


def open_benchmark(path: Path | str, notify: Callable[[str], None] | None = None) -> Benchmark:
    """Open a benchmark of any scenario.

    Args:
        path: The folder.
        notify: Called with one sentence when something was repaired or is missing.

    Raises:
        UsageError: it is not a benchmark.
        InputError: a broken file, or a scenario, or a version of it, that is not installed here.
    """
    file = Path(path) / HEADER
    data = _header_data(file)
    name, version = data.get("scenario", DEFAULT_SCENARIO), data.get("scenario_version", 1)
    if not (isinstance(name, str) and isinstance(version, int)):
        raise InputError("scenario is a name, and scenario_version a number; restore the file", path=file)
    try:
        scenario = get_scenario(name)
    except UsageError as fault:
        raise InputError(f"{fault}; a benchmark is opened with the package that made it", path=file) from None
    if "scenario" in data:
        _refuse_other_version(version, scenario, file)
    return scenario.open(file.parent, notify or _ignore)


def stored_seed(path: Path) -> int | None:
    """The seed in a benchmark's header, also of one that is only half made; None if there is none."""
    for name in (HEADER, _PART):
        if (path / name).is_file():
            spec = read_header_json(path / name).get("spec")
            seed = spec.get("seed") if isinstance(spec, dict) else None
            return seed if isinstance(seed, int) else None
    return None


def _header_data(file: Path) -> dict[str, Any]:
    if not file.exists() and (file.parent / _PART).exists():
        raise UsageError(f"{file.parent} is only half made; run the same `evolif generate` to make the rest")
    return read_header_json(file)


def _read_header(file: Path) -> _Header:
    data = _header_data(file)
    if "scenario" not in data:
        raise InputError("it names no scenario, so it belongs to instruction following", path=file)
    try:
        header = _Header.model_validate(data)
    except ValidationError as fault:
        raise InputError(f"{complaint(fault, 'header')}; restore the file", path=file) from None
    if header.format_version != FORMAT_VERSION:
        raise InputError(
            f"it has format version {header.format_version}, but this evolif reads version {FORMAT_VERSION}; "
            "update evolif",
            path=file,
        )
    return header


def _refuse_other_version(version: int, scenario: Scenario, file: Path) -> None:
    if version == scenario.version:
        return
    made = f"made by version {version} of the scenario {scenario.name}, but version {scenario.version} is installed"
    mend = (
        "update the package that brings it"
        if version > scenario.version
        else "generate the benchmark again, or install an older release of its package"
    )
    raise InputError(f"{made}; {mend}", path=file)


def _header(scenario: Scenario, spec: BaseModel, dialogues: int, seed: int, *, grows: bool) -> _Header:
    if dialogues < 1 or seed < 0:
        raise UsageError("dialogues must be at least 1, the seed at least 0")
    options = spec.model_dump(mode="json")
    taken = sorted(_COMMON & options.keys())
    if taken:
        raise UsageError(f"the scenario {scenario.name} cannot have an option {taken[0]}: every benchmark has it")
    fault = objection(options)
    if fault:
        raise UsageError(f"the options of the scenario {scenario.name} cannot be stored: {fault}")
    return _Header(
        scenario=scenario.name,
        scenario_version=scenario.version,
        grows=grows,
        spec=_Spec(**options, dialogues=dialogues, seed=seed),
    )


def _prepare(root: Path, header: _Header) -> None:
    """Create the folder, or check that it holds the same benchmark, whole or in part, or with fewer dialogues."""
    with writing(root):
        for name in (HEADER, _PART):
            if (root / name).exists():
                stored = _read_header(root / name)
                refuse_other(root, stored.made_from(), header.made_from(), grows=stored.grows)
                if name == _PART and stored.spec.dialogues < header.spec.dialogues:
                    with locked(root, root / HEADER):
                        write_whole(root / _PART, header.text().encode("utf-8"))
                break
        else:
            own = {".lock", f"{_PART}.tmp"}
            if root.exists() and (not root.is_dir() or any(path.name not in own for path in root.iterdir())):
                raise UsageError(f"{root} exists and is not a benchmark; choose another folder")
            root.mkdir(parents=True, exist_ok=True)
            with locked(root, root / HEADER):
                write_whole(root / _PART, header.text().encode("utf-8"))
        (root / "dialogues").mkdir(exist_ok=True)


def _line(data: Mapping[str, Any], scenario: Scenario, dialogue: int) -> str:
    line = dict(data)
    fault = objection(line)
    if fault:
        raise UsageError(
            f"the scenario {scenario.name} made a line of dialogue {dialogue} that cannot be stored: {fault}"
        )
    return json_line(line)
