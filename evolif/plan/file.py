"""The file of a plan, read as hostile input: what it says, and where something in it is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from evolif.errors import InputError
from evolif.plan.flags import Scalar, Value, key_of
from evolif.plan.lines import line_of
from evolif.scenario import DEFAULT_SCENARIO
from evolif.util.resources import load_data
from evolif.util.suggestions import did_you_mean, sentence

_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MOST_SCENARIOS = 200
MOST_MODELS = 200

_Values = dict[str, Any]


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str | dict) else value


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelEntry(BaseModel):
    """A model with parameters of its requests: every key beside `name` is one, such as `reasoning_effort: low`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str = Field(min_length=1, description="PROVIDER/NAME, as for evolif evaluate --model.")


class ScenarioEntry(BaseModel):
    """What is played: a benchmark to generate, with the flags of `evolif generate` as keys, or one that is there."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str = Field(DEFAULT_SCENARIO, min_length=1, description="The scenario; evolif scenarios lists them.")
    label: str | None = Field(None, description="What its folders are called; needed where two have one name.")
    bench: str | None = Field(None, description="The folder of a benchmark that is there, in place of a new one.")
    models: Annotated[list[str | ModelEntry] | None, BeforeValidator(_as_list)] = Field(
        None, min_length=1, max_length=MOST_MODELS, description="Who plays it, in place of the models of the plan."
    )
    settings: _Values = Field(default_factory=dict, description="Settings of this scenario alone, over all others.")
    gate: _Values | Literal[False] | None = Field(None, description="Its own gate; false for none.")


class BudgetEntry(_Strict):
    """The most that all runs of the plan together may cost, what they have cost included."""

    usd: float | None = Field(None, ge=0, allow_inf_nan=False, description="In US dollars.")
    tokens: int | None = Field(None, ge=0, description="In tokens.")


class PlanFile(_Strict):
    """A plan as its file has it."""

    models: Annotated[list[str | ModelEntry], BeforeValidator(_as_list)] = Field(
        min_length=1, max_length=MOST_MODELS, description="Models under test."
    )
    scenarios: Annotated[list[ScenarioEntry], BeforeValidator(_as_list)] = Field(
        min_length=1, max_length=MOST_SCENARIOS, description="What they play."
    )
    settings: _Values = Field(default_factory=dict, description="Flags of evolif evaluate, for every scenario.")
    budget: BudgetEntry | None = Field(None, description="The most that all runs together may cost.")
    board: bool | _Values = Field(True, description="A board at the end: true, false, or flags of evolif board.")
    gate: _Values | Literal[False] | None = Field(None, description="Flags of evolif gate, for every scenario.")
    out: str = Field("results", min_length=1, description="The folder of benchmarks, runs and board.")


@dataclass(frozen=True, slots=True)
class Entry:
    """One scenario of a plan.

    Attributes:
        label: What its folders are called.
        scenario: The scenario's name.
        models: Who plays it, with their parameters, as `evolif evaluate --model` takes them.
        bench: The folder of its benchmark, if that is there already; None if it is generated.
        generate: Flags of `evolif generate` by key.
        settings: Flags of `evolif evaluate` by key.
        gate: Flags of `evolif gate` by key; None without a gate.
    """

    label: str
    scenario: str
    models: tuple[str, ...]
    bench: Path | None
    generate: Mapping[str, Value]
    settings: Mapping[str, Value]
    gate: Mapping[str, Value] | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played.

    Attributes:
        path: Its file.
        out: The folder of benchmarks, runs and board.
        entries: The scenarios.
        usd: The most that all runs together may cost, in US dollars; None without a limit.
        tokens: The same in tokens.
        board: Flags of `evolif board` by key; None without a board.
    """

    path: Path
    out: Path
    entries: tuple[Entry, ...]
    usd: float | None
    tokens: int | None
    board: Mapping[str, Value] | None

    @property
    def folder(self) -> Path:
        """That of its file, which all its paths are relative to."""
        return self.path.parent

    def benchmark(self, entry: Entry) -> Path:
        """The folder of a scenario's benchmark."""
        return self.out / "benchmarks" / entry.label if entry.bench is None else entry.bench

    def run(self, entry: Entry) -> Path:
        """The folder of its run."""
        return self.out / "runs" / entry.label


def read_plan(path: Path) -> Plan:
    """Read a plan.

    Raises:
        InputError: it cannot be read, or something in it is wrong; the message names the line.
    """
    data = load_data(path)
    if not isinstance(data, dict):
        raise InputError(
            "a plan is a mapping with models: and scenarios:, e.g. `models: [sim/steady]` and below it `scenarios: "
            "[{dialogues: 10}]`",
            path=path,
        )
    try:
        file = PlanFile.model_validate(data)
    except ValidationError as fault:
        raise _wrong(fault, path) from None
    return _plan(path, file)


def _wrong(fault: ValidationError, path: Path) -> InputError:
    errors = fault.errors(include_url=False)
    # A key that is misspelt also makes the right one missing.
    first = next((error for error in errors if error["type"] == "extra_forbidden"), errors[0])
    place = [part for part in first["loc"] if not (isinstance(part, str) and part.startswith(("function", "dict[")))]
    place = [part for part in place if part not in ("str", "ModelEntry", "bool")]
    line = line_of(path, place)
    if first["type"] == "extra_forbidden":
        known = BudgetEntry.model_fields if place[0] == "budget" else PlanFile.model_fields
        return InputError(
            f"there is no key “{place[-1]}”{did_you_mean(str(place[-1]), known)}; a plan has {', '.join(known)}",
            path=path,
            line=line,
        )
    return InputError(f"{sentence('.'.join(map(str, place)) or 'the plan', first)}", path=path, line=line)


def _plan(path: Path, file: PlanFile) -> Plan:
    folder = path.parent
    budget = file.budget or BudgetEntry.model_construct(usd=None, tokens=None)
    board = None if file.board is False else {} if file.board is True else file.board
    return Plan(path, folder / Path(file.out).expanduser(), _entries(path, file), budget.usd, budget.tokens, board)


def _models(path: Path, entries: Sequence[str | ModelEntry], own: bool, number: int) -> tuple[str, ...]:
    place = ["scenarios", number, "models"] if own else ["models"]
    return tuple(_model(one, path, [*place, position]) for position, one in enumerate(entries))


def _model(entry: str | ModelEntry, path: Path, place: Sequence[str | int]) -> str:
    """A model as the command line names it: `openai/x?reasoning_effort=low`."""
    if isinstance(entry, str):
        return entry
    given: Mapping[str, object] = entry.model_extra or {}
    for key, value in given.items():
        if not isinstance(value, str | int | float):
            raise InputError(
                f"{key} of {entry.name} takes a text or a number; longer parameters go into a file, see "
                "settings: {model_args: FILE}",
                path=path,
                line=line_of(path, [*place, key]),
            )
    pairs = [f"{quote(key, safe='')}={quote(_parameter(value), safe='/:')}" for key, value in given.items()]
    sign = "&" if "?" in entry.name else "?"
    return f"{entry.name}{sign}{'&'.join(pairs)}" if pairs else entry.name


def _parameter(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _entries(path: Path, file: PlanFile) -> tuple[Entry, ...]:
    labels = _labels(path, file.scenarios)
    return tuple(
        Entry(
            label,
            one.name,
            _models(path, file.models if one.models is None else one.models, one.models is not None, number),
            None if one.bench is None else path.parent / Path(one.bench).expanduser(),
            _keyed(one.model_extra or {}),
            {**_keyed(file.settings), **_keyed(one.settings)},
            _gate(file.gate, one.gate),
        )
        for number, (label, one) in enumerate(zip(labels, file.scenarios, strict=True))
    )


def _keyed(values: Mapping[str, Value]) -> dict[str, Value]:
    return {key_of(key): value for key, value in values.items()}


def _gate(shared: _Values | Literal[False] | None, own: _Values | Literal[False] | None) -> _Values | None:
    chosen = shared if own is None else own
    return None if chosen is False else chosen


def _labels(path: Path, scenarios: Sequence[ScenarioEntry]) -> list[str]:
    """What the folders of each scenario are called: its label, or the scenario with its profile."""
    labels: list[str] = []
    for number, one in enumerate(scenarios):
        profile = (one.model_extra or {}).get("profile")
        made = _FOLDER.search(Path(one.bench).name if one.bench else f"{one.name}{_dash(profile)}")
        label = one.label or (made[0] if made else "scenario")
        line = line_of(path, ["scenarios", number])
        if not _FOLDER.fullmatch(label):
            raise InputError(
                f"the label “{label}” is no name of a folder; use letters, digits, “-”, “_” and “.”",
                path=path,
                line=line,
            )
        if label in labels:
            raise InputError(
                f"two scenarios would be called {label}; give each a label: of its own", path=path, line=line
            )
        labels.append(label)
    return labels


def _dash(profile: Scalar | None) -> str:
    return f"-{Path(profile).stem}" if isinstance(profile, str) else ""
