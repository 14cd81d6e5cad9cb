"""Help that is whole at 80 columns, and variables of which each means one thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from evolif.cli import app
from evolif.cli.app import VARIABLES, _option

ROOT: Any = typer.main.get_command(app)


def verbs() -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in ROOT.commands.items():
        nested = getattr(command, "commands", None)
        if nested is None:
            yield (name,), command
        else:
            yield from (((name, inner), own) for inner, own in nested.items())


VERBS = dict(verbs())


def shown(*verb: str) -> str:
    """The help at 80 columns, which is what the runner's terminal has."""
    result = CliRunner().invoke(app, [*verb, "--help"], prog_name="evolif")
    assert result.exit_code == 0
    return str(result.output)


@pytest.mark.parametrize("verb", list(VERBS), ids=[" ".join(verb) for verb in VERBS])
def test_no_name_is_cut_and_no_line_is_too_long(verb: tuple[str, ...]) -> None:
    text = shown(*verb)
    assert max(map(len, text.splitlines())) <= 80
    words = set(text.replace(",", " ").split())
    for parameter in VERBS[verb].params:
        if parameter.param_type_name == "option" and not parameter.hidden:
            assert {*parameter.opts, *parameter.secondary_opts} <= words


def test_the_options_of_evaluate_stand_in_groups() -> None:
    text = shown("evaluate")
    heads = [line[:-1] for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert heads[:2] == ["Arguments", "Options"] and {"Judges", "Sessions", "Model requests", "Cache"} <= set(heads)
    longest = max(len(part.splitlines()) for part in text.split("\n\n"))
    assert longest < 30
    assert "up to 200" in " ".join(text.split()) and VARIABLES in " ".join(text.split())


def test_a_variable_that_is_not_named_like_its_option_is_told() -> None:
    assert "[env var: EVOLIF_REJUDGE_OUT]" in " ".join(shown("rejudge").split())
    assert "EVOLIF_OUT" not in shown("evaluate") and VARIABLES in " ".join(shown("models", "list").split())


def kind(command: Any, parameter: Any) -> tuple[object, ...]:
    """What a value is: the name of its kind as the help has it, and how many there may be."""
    named = "" if parameter.is_flag else _option(parameter, typer.Context(command))[0].rpartition(" ")[2]
    return named.partition("[=")[0], parameter.is_flag, parameter.multiple


def test_no_variable_means_one_thing_here_and_another_there() -> None:
    seen: dict[str, dict[tuple[object, ...], list[str]]] = {}
    for verb, command in VERBS.items():
        for parameter in command.params:
            if parameter.envvar:
                kinds = seen.setdefault(parameter.envvar, {})
                kinds.setdefault(kind(command, parameter), []).append(" ".join(verb))
    assert {"EVOLIF_MODEL", "EVOLIF_OUT", "EVOLIF_JUDGE", "EVOLIF_MAX_RETRIES"} <= seen.keys()
    assert {name: kinds for name, kinds in seen.items() if len(kinds) > 1} == {}
