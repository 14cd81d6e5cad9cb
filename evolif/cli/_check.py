"""`evolif check`: one response against constraints."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli._options import Config, JsonFlag

if TYPE_CHECKING:
    from evolif.domain import Verdict


def check(
    constraints: Annotated[
        Path,
        typer.Option(envvar="EVOLIF_CHECK_CONSTRAINTS", help="JSON: a list of constraints, or a benchmark line."),
    ],
    response: Annotated[
        str, typer.Argument(metavar="[RESPONSE_FILE|-]", help="The answer; - reads standard input.")
    ] = "-",
    as_json: JsonFlag = False,
    config: Config = None,
) -> None:
    """Check one response. Exit code 1 when a constraint is not satisfied."""
    from evolif.constraints import check as check_response

    verdicts = check_response(_constraints(constraints), _response(response))
    if as_json:
        import json

        typer.echo(json.dumps([_plain(v) for v in verdicts], ensure_ascii=False))
    else:
        _print(verdicts)
    if any(v.satisfied is False for v in verdicts):
        raise typer.Exit(1)


def _constraints(path: Path) -> list[Any]:
    import json

    from evolif._errors import InputError

    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except ValueError as fault:  # not JSON, not UTF-8, or a number of thousands of digits
        line = fault.lineno if isinstance(fault, json.JSONDecodeError) else None
        raise InputError("not JSON; give a list of constraints", path=path, line=line) from None
    except RecursionError:
        raise InputError("nested too deeply; give a list of constraints", path=path) from None
    if isinstance(data, dict):
        data = data.get("constraints", [data])
    if not isinstance(data, list):
        raise InputError('give a list of constraints: [{"group": …, "params": {…}}]', path=path)
    return data


def _response(name: str) -> str:
    from evolif._errors import InputError

    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=name) from None
    return data.decode("utf-8", "replace")


def _plain(verdict: Verdict) -> dict[str, Any]:
    return {
        "group": verdict.group,
        "satisfied": verdict.satisfied,
        "expected": verdict.expected,
        "found": verdict.found,
        "spans": [{"start": s.start, "end": s.end, "view": s.view} for s in verdict.spans],
    }


def _print(verdicts: list[Verdict]) -> None:
    from evolif.report import plain

    for verdict in verdicts:
        word = {True: "satisfied", False: "FAILED", None: "not judged"}[verdict.satisfied]
        typer.echo(f"{word:10}  {verdict.group:12}  expected {plain(verdict.expected)}; found {plain(verdict.found)}")
