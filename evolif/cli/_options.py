"""Options that several verbs share: each is a flag, an `EVOLIF_…` variable and a key of `--config`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def load_config(ctx: typer.Context, path: Path | None) -> Path | None:
    """Take defaults from a YAML or TOML file; flags and variables win over it."""
    if path is None:
        return None
    from evolif._catalogues import load_yaml
    from evolif._errors import InputError

    data = _load_toml(path) if path.suffix == ".toml" else load_yaml(path)
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise InputError("a configuration is a mapping of flag names to values", path=path)
    known = {name for command in _commands(ctx) for name in command}
    defaults = {key.replace("-", "_"): value for key, value in data.items() if value is not None}
    unknown = sorted(defaults.keys() - known)
    if unknown:
        flag = unknown[0].replace("_", "-")
        raise InputError(f"unknown key “{flag}”; keys are named like flags, without dashes in front", path=path)
    names, repeatable = _flag_names(ctx.command), _repeatable(ctx.command)
    ctx.default_map = {
        (name := names.get(key, key)): _as_text(value, repeatable=name in repeatable) for key, value in defaults.items()
    }
    return path


def _load_toml(path: Path) -> Any:
    import tomllib

    from evolif._errors import InputError

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise InputError(f"not TOML: {fault}", path=path) from None


def _flag_names(command: Any) -> dict[str, str]:
    """Flag names of a command (long ones, with underscores) and the parameters they set."""
    names: dict[str, str] = {}
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("--"):
                names[option.removeprefix("--").replace("-", "_")] = parameter.name
        names.setdefault(parameter.name, parameter.name)
    return names


def _commands(ctx: typer.Context) -> list[dict[str, str]]:
    root: Any = ctx.find_root().command
    commands = list(getattr(root, "commands", {"": root}).values())
    nested = [verb for command in commands for verb in getattr(command, "commands", {}).values()]
    return [_flag_names(command) for command in (*commands, *nested)]


def _repeatable(command: Any) -> set[str]:
    return {parameter.name for parameter in command.params if getattr(parameter, "multiple", False)}


def _as_text(value: Any, *, repeatable: bool) -> Any:
    """Values as the command line would give them; one value of a repeatable flag needs no list around it."""
    if isinstance(value, list):
        return [str(item) for item in value]
    if repeatable:
        return [str(value)]
    return value if isinstance(value, bool) else str(value)


Config = Annotated[
    Path | None,
    typer.Option(
        "--config", callback=load_config, is_eager=True, envvar="EVOLIF_CONFIG", metavar="FILE",
        help="Take flags from a YAML or TOML file.",
    ),
]  # fmt: skip
Display = Annotated[
    str,
    typer.Option("--display", envvar="EVOLIF_DISPLAY", metavar="auto|rich|plain|none", help="How progress is shown."),
]
JsonFlag = Annotated[bool, typer.Option("--json", envvar="EVOLIF_JSON", help="Print JSON to standard output.")]
Resamples = Annotated[
    int, typer.Option(min=1, max=1_000_000, envvar="EVOLIF_RESAMPLES", help="Resamples of the bootstrap.")
]
Prices = Annotated[
    Path | None,
    typer.Option(
        "--prices", envvar="EVOLIF_PRICES", metavar="FILE", help="Prices per million tokens, over the packaged ones."
    ),
]
