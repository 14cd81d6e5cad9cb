"""`evolif run`: play what a plan says, and end with a board and a gate."""

from __future__ import annotations

import inspect
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from evolif.cli.console import say, show
from evolif.cli.options import why_refused
from evolif.errors import UsageError
from evolif.text import plural

if TYPE_CHECKING:
    from evolif.budget import PriceTable
    from evolif.budget.forecast import Forecast
    from evolif.plan.file import Entry, Plan
    from evolif.plan.flags import Flag, Flags
    from evolif.plan.steps import Step, Verb

SUSPENDED, INTERRUPTED = 3, 130
_OWN: Mapping[str, Mapping[str, str]] = {
    "generate": {"scenario": "the scenario is its name:"},
    "evaluate": {
        "model": "the models are listed below models:",
        "out": "all runs are below out: of the plan",
        "dry_run": "give --dry-run to evolif run",
        "like": "give it to evolif evaluate --dry-run",
        "fork": "a plan starts no run from another",
    },
    "gate": {
        "github": "give --github to evolif run",
        "junit": "give --junit DIR to evolif run",
        "json": "evolif gate prints it for each run",
    },
    "board": {},
}
"""Flags that a plan does not set for a verb, and what it says in their place."""


def run(
    file: Annotated[Path, typer.Argument(metavar="[PLAN]", help="The plan: YAML or TOML.")] = Path("evolif.yaml"),
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the commands and the likely cost; make no call and no file.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EVOLIF_RUN_ONLY", metavar="LABEL", help="Only this scenario of the plan; repeat the flag for more."
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(envvar="EVOLIF_RUN_JUNIT", metavar="DIR", help="Write each gate's JUnit XML into this folder."),
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Add each gate to the summary of a GitHub job, or print it.")
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the plan's JSON Schema for editors, and do nothing else.")
    ] = False,
) -> None:
    """Play what a plan says: make what is missing, resume what is begun, end with board and gate.

    A plan has models:, scenarios:, settings:, budget:, board: and gate:, with the flags of the verbs as keys. Exit code
    3 if sessions are left suspended; else that of the gates: 1 if one fails, 4 if one is undecided.
    """
    from evolif.plan.checks import check_plan
    from evolif.plan.file import read_plan
    from evolif.plan.schema import plan_schema
    from evolif.plan.steps import steps_of

    flags = _flags()
    if schema:
        typer.echo(json.dumps(plan_schema(flags), indent=1, ensure_ascii=False))
        return
    _refuse_other(file)
    plan = read_plan(file)
    steps = [_with_outputs(step, junit, github=github) for step in steps_of(plan, flags, only or [])]
    check_plan(plan, only or [])
    for step in steps:
        _check(step)
    if dry_run:
        _show_plan(plan, steps)
        return
    if junit is not None:
        junit.mkdir(parents=True, exist_ok=True)
    code = _play(plan, steps)
    if code:
        raise typer.Exit(code)


def _refuse_other(file: Path) -> None:
    """Refuse what is no file: a benchmark, or nothing."""
    if file.is_dir():
        raise UsageError(
            f"{file} is a folder, and a plan is a file; to run models on a benchmark: evolif evaluate {file} --model "
            "PROVIDER/NAME"
        )
    if not file.exists():
        raise UsageError(f"there is no {file}; evolif sample writes one to begin with")


def _with_outputs(step: Step, junit: Path | None, *, github: bool) -> Step:
    from dataclasses import replace

    if step.verb != "gate" or step.entry is None:
        return step
    more = [f"--junit={junit / step.entry.label}.xml"] if junit is not None else []
    return replace(step, command=(*step.command, *more, *["--github"] * github))


# The flags of the other verbs, which are the keys of a plan.


def _flags() -> Mapping[Verb, Flags]:
    return {
        "generate": _flags_of("generate"),
        "evaluate": _flags_of("evaluate"),
        "board": _flags_of("board"),
        "gate": _flags_of("gate"),
    }


def _flags_of(verb: str) -> dict[str, Flag]:
    from evolif.plan.flags import key_of

    found: dict[str, Flag] = {}
    command = _command(verb)
    kinds = inspect.signature(command.callback).parameters
    for parameter in command.params:
        if parameter.param_type_name == "option" and parameter.name in kinds:
            longest = max(parameter.opts, key=len)
            own = _OWN[verb].get(key_of(longest), "")
            found[key_of(longest)] = _flag(parameter, longest, own, _kinds(kinds[parameter.name].annotation))
    return found


def _kinds(annotation: Any) -> set[Any]:
    """Every type that an annotation names."""
    inner = get_args(annotation)
    return {annotation}.union(*map(_kinds, inner[:1] if hasattr(annotation, "__metadata__") else inner))


def _flag(parameter: Any, name: str, own: str, kinds: set[Any]) -> Flag:
    from evolif.plan.flags import Flag

    return Flag(
        name,
        max(parameter.secondary_opts, key=len, default=""),
        switch=parameter.is_flag,
        repeats=parameter.multiple,
        path=Path in kinds,
        kind="integer" if int in kinds else "number" if float in kinds else "string",
        help=parameter.help or "",
        refused=own or why_refused(parameter) or "",
    )


def _command(verb: str) -> Any:
    command = _program().commands[verb]
    return command.commands["build"] if verb == "board" else command


def _program() -> Any:
    from evolif.cli.app import app

    return typer.main.get_command(app)


def _check(step: Step) -> None:
    """Read a step's command as the program will, so that a wrong value is found before anything is played.

    Raises:
        typer.Exit: it cannot be read; a sentence says why.
    """
    from evolif.cli.app import USAGE_ERROR
    from evolif.cli.mistakes import explain

    verb, *rest = step.command
    try:
        _command(verb).make_context(f"evolif {verb}", rest)
    except USAGE_ERROR as fault:
        raise UsageError(f"{step}: {explain(fault, _program())}") from None


# Playing.


def _play(plan: Plan, steps: Sequence[Step]) -> int:
    """Run the steps, and return the exit code of all of them together."""
    codes: dict[Verb, list[int]] = {"evaluate": [], "gate": [], "generate": [], "board": []}
    for number, step in enumerate(steps, 1):
        command = _with_budget(plan, step)
        if command is None:
            say(f"[{number}/{len(steps)}] {step.entry and step.entry.label}: the plan's budget is spent")
            continue
        say(f"[{number}/{len(steps)}] {_typed(command)}")
        code = _invoke(command)
        if code and not (step.verb == "evaluate" and code == SUSPENDED) and step.verb != "gate":
            return code
        if step.verb == "gate" and code not in (0, 1, 4):
            return code
        codes[step.verb].append(code)
    if any(codes["evaluate"]):
        say("Some sessions are left; run the same command again to finish them.")
        return SUSPENDED
    return 1 if 1 in codes["gate"] else 4 if 4 in codes["gate"] else 0


def _with_budget(plan: Plan, step: Step) -> tuple[str, ...] | None:
    from evolif.plan.money import budget_flags

    if step.verb != "evaluate" or step.entry is None:
        return step.command
    own = budget_flags(plan, step.entry, _prices(plan))
    return None if own is None else (*step.command, *own)


def _prices(plan: Plan) -> PriceTable:
    from evolif.budget import load_prices

    named = next((entry.settings["prices"] for entry in plan.entries if "prices" in entry.settings), None)
    return load_prices(plan.folder / str(named) if named else None)


def _invoke(command: Sequence[str]) -> int:
    try:
        found = _program().main(args=list(command), prog_name="evolif", standalone_mode=False)
    except typer.Exit as done:
        return int(done.exit_code)
    except typer.Abort:
        return INTERRUPTED
    return found if isinstance(found, int) else 0


def _typed(command: Sequence[str]) -> str:
    import shlex

    return shlex.join(("evolif", *command))


# `--dry-run`.


def _show_plan(plan: Plan, steps: Sequence[Step]) -> None:
    from evolif.cli.dry_run import expected_lines
    from evolif.report.wording import dollars

    prices = _prices(plan)
    low = high = 0.0
    for step in steps:
        show([str(step)])
        if step.verb != "evaluate" or step.entry is None:
            continue
        show([f"  {_state(plan, step.entry)}"])
        found = _forecast(plan, step, prices)
        if found is None:
            show(["  its cost is forecast once its turns are there: models word them"])
            continue
        show(f"  {line}" for line in expected_lines(found))
        low, high = low + found.usd[0], high + found.usd[1]
    most = "" if plan.usd is None else f"; the budget is {dollars(plan.usd)}"
    total = dollars(low) if dollars(low) == dollars(high) else f"{dollars(low)} to {dollars(high)}"
    evaluated = sum(step.verb == "evaluate" for step in steps)
    show([f"All {plural(evaluated, 'run')} from the start: {total}{most}. Nothing was called or written."])


def _state(plan: Plan, entry: Entry) -> str:
    from contextlib import closing

    from evolif.runner import RunStore, load_run

    folder = plan.run(entry)
    if not RunStore.begun(folder):
        there = (plan.benchmark(entry)).is_dir()
        return "the benchmark is there, no session has begun" if there else "nothing is there yet"
    with closing(load_run(folder, read_only=True)) as run:
        ended = sum(session.ending in ("finished", "censored", "withheld") for session in run.sessions())
    return f"begun: {plural(ended, 'session')} ended"


def _forecast(plan: Plan, step: Step, prices: PriceTable) -> Forecast | None:
    """What a run will cost; None where models have yet to word its turns."""
    from evolif.benchmark import open_benchmark
    from evolif.budget import quotes_of
    from evolif.budget.forecast import forecast
    from evolif.cli.options import group_from
    from evolif.config import EvalConfig
    from evolif.runner import plan as settings_of

    assert step.entry is not None
    verb, bench, *rest = step.command
    with ExitStack() as held:
        folder = Path(bench)
        if not folder.exists():
            made = _made_for_now(plan, step.entry, held)
            if made is None:
                return None
            folder = made
        context = _command(verb).make_context(f"evolif {verb}", [str(folder), *rest])
        benchmark = open_benchmark(folder)
        settings = settings_of(benchmark, group_from(EvalConfig, context.params))
        return forecast(benchmark, settings, quotes_of(settings, prices))


def _made_for_now(plan: Plan, entry: Entry, held: ExitStack) -> Path | None:
    """A benchmark like the one that will be made, in a folder that goes again; None if that takes calls of a model."""
    synthesizers = entry.generate.get("synthesizer")
    named = [synthesizers] if isinstance(synthesizers, str) else list(_words(synthesizers))
    if any(not name.startswith("template") for name in named) or entry.generate.get("checker"):
        return None
    folder = Path(held.enter_context(TemporaryDirectory())) / entry.label
    [command] = [step.command for step in _generating(plan, entry)]
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as told:
        code = _invoke(("generate", str(folder), *command[2:], "--display=none"))
    if code:
        raise UsageError(told.getvalue().strip().removeprefix("evolif: "))
    return folder


def _generating(plan: Plan, entry: Entry) -> Iterator[Step]:
    from evolif.plan.steps import steps_of

    return (step for step in steps_of(plan, _flags(), [entry.label]) if step.verb == "generate")


def _words(value: object) -> Iterator[str]:
    return map(str, value) if isinstance(value, list) else iter(())
