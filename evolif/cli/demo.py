"""`evolif demo`: the whole workflow with a built-in model, without key or network."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolif.cli.evaluate import SUSPENDED
from evolif.cli.options import Display, random_seed

if TYPE_CHECKING:
    from evolif.runner import Run
    from evolif.scenarios.instructions import InstructionBenchmark


LOCAL = "local/smollm2-135m"
SIMULATED = ("sim/forgetful", "sim/steady", "sim/perfect")

DIALOGUES, TURNS, MAX_TOKENS = 4, 6, 128
PATIENCE = 3
"""Less than the profile's, so that a model that satisfies nothing is done within two minutes."""
GAME_TURNS, GAME_TOKENS = 4, 64
"""Of the game: its turns, and the longest answer, as many tokens as a turn has."""


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", envvar="EVOLIF_DEMO_OUT", help="Folder for the benchmark and the run.")
    ] = Path("evolif-demo"),
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the dialogues; random by default.")] = None,
    display: Display = "auto",
) -> None:
    """Run a small real model and three simulated ones on 4 fresh dialogues, in under two minutes."""
    from evolif.cli.progress import choose, watching
    from evolif.runner import evaluate

    shown = choose(display)
    bench = _benchmark(out / "benchmark", seed)
    models = _models()
    folder = _run_folder(out, models)
    typer.echo(f"Models: {', '.join(models)}. Patience {PATIENCE}, at most {TURNS} turns.")
    started = time.monotonic()
    with watching(shown, models, DIALOGUES) as watcher:
        run = evaluate(
            bench,
            models,
            folder,
            patience=PATIENCE,
            max_turns=TURNS,
            max_tokens=MAX_TOKENS,
            temperature=0.0,
            observe=watcher,
            on_stop=watcher.stopping,
        )
    typer.echo(f"Evaluated in {time.monotonic() - started:.0f} s.\n")
    with closing(run):
        _show_failure(run, models[0])
        if models[0] == LOCAL and not run.suspended():
            _game(out)
        _end(run, out)


def _benchmark(folder: Path, seed: int | None) -> InstructionBenchmark:
    from evolif.scenarios.instructions import InstructionBenchmark, generate

    if seed is None and (folder / "benchmark.json").is_file():
        bench = InstructionBenchmark(folder)
        typer.echo(f"Continuing with the dialogues in {folder} (seed {bench.header.spec.seed}).")
        typer.echo("For fresh ones, choose another folder: evolif demo --out FOLDER")
        return bench
    chosen = random_seed() if seed is None else seed
    bench = generate(folder, dialogues=DIALOGUES, turns=TURNS, seed=chosen)
    first = bench.turns(1)[0]
    typer.echo(f"Generated {DIALOGUES} fresh dialogues of {TURNS} turns (seed {chosen}); the first begins:")
    typer.echo(f"  {first.query}\n")
    return bench


def _run_folder(out: Path, models: list[str]) -> Path:
    """The run for exactly these models: the local one may have been installed after a first run."""
    from evolif.runner import load_run

    for number in range(1, 100):
        folder = out / ("run" if number == 1 else f"run-{number}")
        if not (folder / "run.sqlite").is_file():
            break
        with closing(load_run(folder)) as earlier:
            if list(earlier.models) == models:
                break
    return folder


def _models() -> list[str]:
    """The simulated models and, if installed, the local one."""
    from importlib.util import find_spec

    from evolif.models import weight_path

    missing = []
    if find_spec("xllamacpp") is None:
        missing.append("pip install -e '.[local]' (in the checkout)")
    if not weight_path("smollm2-135m").is_file():
        missing.append("evolif models fetch smollm2-135m")
    if not missing:
        return [LOCAL, *SIMULATED]
    typer.echo(f"The local model is left out; to include it: {', then '.join(missing)}", err=True)
    return list(SIMULATED)


def _show_failure(run: Run, model: str) -> None:
    from evolif.report import Terminal
    from evolif.report.terminal import first_failure, print_failure

    failure = first_failure(run, model)
    if failure is not None:
        print_failure(*failure, Terminal())
        typer.echo()


def _game(out: Path) -> None:
    """One game of two who each know half, of the local model and a scripted partner."""
    from evolif.runner import evaluate
    from evolif.scenario import get_scenario, options_of
    from evolif.scenarios.games.scenario import played

    scenario = get_scenario("games")
    spec = options_of(scenario.spec, {"game": "names", "n": 9, "turns": [GAME_TURNS]}, scenario.name)
    there = (out / "game" / "benchmark.json").is_file()
    bench = (
        scenario.open(out / "game") if there else scenario.generate(out / "game", spec, dialogues=1, seed=random_seed())
    )
    typer.echo(f"A game of {GAME_TURNS} turns: two see a table of nine people each. Who is in both tables?")
    run = evaluate(
        bench,
        LOCAL,
        out / "game-run",
        partner="scripted",
        options={"tokenizer": "regex"},
        max_tokens=GAME_TOKENS,
        temperature=0.0,
    )
    with closing(run):
        for game in played(run, LOCAL):
            for turn in game["turns"]:
                typer.echo(
                    f"  {LOCAL if turn['player'] == 0 else 'scripted partner'}: {' '.join(turn['text'].split())}"
                )
            if (final := game["final"]) is not None:
                typer.echo(f"  Result: {str(final['reason']).replace('_', ' ')}.")
    typer.echo()


def _end(run: Run, out: Path) -> None:
    """The figures, and what to type next; what this needs is typed, so it stands last.

    Raises:
        typer.Exit: sessions are suspended.
    """
    from evolif.cli.ending import end, suspended_lines

    suspended = run.suspended()
    files = [
        f"Dialogues, one line per turn: {out / 'benchmark' / 'dialogues'}",
        f"All queries, answers and verdicts: {run.path / 'run.sqlite'}",
    ]
    end(
        run,
        None,
        outcome=files,
        faults=suspended_lines(run, f"run the same command to resume {'it' if suspended == 1 else 'them'}"),
        more=(
            "evolif generate my-bench    # then with your own model:",
            "evolif evaluate my-bench --model openai/NAME --limit 10 --out my-first-run",
        ),
    )
    if suspended:
        raise typer.Exit(SUSPENDED)
