"""The verbs, each loaded when it is used: `evolif --help` needs their names and one sentence of each, and no more."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

SUMMARIES: Mapping[str, str] = {
    "demo": "Make 4 fresh dialogues and run a real small model and three simulated ones on them, in under two minutes.",
    "generate": "Make a fresh benchmark: scripts with a verified witness per turn, said in natural words.",
    "extend": "Append turns to every dialogue; what is there stays as it is.",
    "audit": "Audit a benchmark: satisfiable, awkward, impossible or undecided, turn by turn. "
    "Exit code 1 on a finding.",
    "review": "Review flagged queries in a terminal, vouch for topics, or score judged answers blind. Saves as you go.",
    "evaluate": "Run models on a benchmark. The same command resumes a run that was broken off.",
    "status": "Show how far an evaluation is, from another shell; the run is only read.",
    "rejudge": "Judge a run's answers again with another judge, into a new run; no model under test is asked.",
    "report": "Show the eight metrics with 95 % intervals, satisfaction per group, and what is left out.",
    "export": "Export a benchmark or a run: JSONL, Parquet, datasets, or the EvolIF authors' layouts. "
    "Witnesses stay home.",
    "import": "Import what export wrote, or the EvolIF authors' files, as a benchmark; "
    "says what of it can be satisfied.",
    "compare": "Compare two models, paired by dialogue: differences with intervals, permutation p, effect size.",
    "contamination": "Look for a benchmark's queries and its canary in a text corpus. Exit code 1 on a finding.",
    "check": "Check one response. Exit code 1 when a constraint is not satisfied.",
    "score": "Compute the eight metrics, with 95 % intervals, from plain verdicts.",
    "topics": "Check topics, or write those of another domain. Exit code of lint 1 on a finding.",
    "personas": "Check personas, or infer speaking styles from messages. Exit code of lint 1 on a finding.",
    "models": "List models; fetch weights of a small local one.",
}
"""The first paragraph of each verb's own help; a test holds the two together."""


OWN_GROUPS = frozenset(SUMMARIES) - {"check", "demo", "status", "score", "topics", "personas", "models"}
"""Verbs that take `--constraints` for groups; that of `check` is a file of constraints, and it reads the variable."""

VARIABLE = "EVOLIF_CONSTRAINTS"


def outlines() -> MutableMapping[str, Any]:
    """Commands that can be listed but not run."""
    return {name: TyperCommand(name, help=summary) for name, summary in SUMMARIES.items()}


class Verbs(MutableMapping[str, Any]):
    """The commands by name, each made from `evolif.cli._NAME` when first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if name not in SUMMARIES:
                raise KeyError(name)
            self._made[name] = _make(name)
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SUMMARIES)

    def __len__(self) -> int:
        return len(SUMMARIES)


def _make(name: str) -> Any:
    from evolif.cli._help import Verb

    module = import_module(f"evolif.cli._{name}")
    if name in ("models", "personas", "topics"):
        made = getattr(module, f"{name}_app")
    else:
        made = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        made.command(name)(getattr(module, f"{name}_" if iskeyword(name) else name))
    for own in made.registered_commands:
        own.cls = Verb
    command: Any = typer.main.get_command(made)
    command.name = name
    if name in OWN_GROUPS:
        command.params.append(_own_groups())
    return command


def _own_groups() -> Any:
    """`--constraints`, which every verb takes that may meet a group of the user's own."""
    carrier = typer.Typer(add_completion=False)
    carrier.command()(_with_own_groups)
    return typer.main.get_command(carrier).params[0]


def _with_own_groups(
    own_groups: Annotated[
        str | None,
        typer.Option(
            "--constraints",
            callback=lambda value: _use_own_groups(value),
            expose_value=False,
            is_eager=True,
            envvar=VARIABLE,
            metavar="MODULE|FILE.py",
            help="Constraint groups of your own, apart by commas; built-in profiles draw them, too.",
        ),
    ] = None,
) -> None:
    """Never run: its option is what the verbs take."""


def _use_own_groups(value: str | None) -> None:
    if value is not None:
        os.environ[VARIABLE] = value
