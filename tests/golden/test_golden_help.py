"""What the command line offers: help texts, verbs, flags, variables, and the public names of the package."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import evolif


def commands(root: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command by its words, the root by none."""
    yield (), root
    for name, command in root.commands.items():
        yield (name,), command
        for inner, own in getattr(command, "commands", {}).items():
            yield (name, inner), own


def plain(value: Any) -> Any:
    """A default as JSON can hold it."""
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def flag(parameter: Any) -> dict[str, Any]:
    """All that can be said to a parameter, and by which variable."""
    return {
        "kind": parameter.param_type_name,
        "names": [*parameter.opts, *parameter.secondary_opts],
        "variable": plain(parameter.envvar),
        "metavar": parameter.metavar,
        "default": plain(None if callable(parameter.default) else parameter.default),
        "required": parameter.required,
        "multiple": getattr(parameter, "multiple", False),
        "nargs": parameter.nargs,
        "hidden": getattr(parameter, "hidden", False),
        "flag": getattr(parameter, "is_flag", False),
        "least": plain(getattr(parameter, "min", None)),
        "most": plain(getattr(parameter, "max", None)),
    }


def test_help_of_every_verb(cli: Any, golden: Any) -> None:
    texts = []
    for words, _ in commands(cli.root()):
        told = cli(*words, "--help")
        assert told.err == ""
        texts.append(f"===== evolif {' '.join(words)}\n" + "\n".join(line.rstrip() for line in told.out.splitlines()))
    golden.text("help.txt", "\n\n".join(texts) + "\n")


def test_flags_and_variables_of_every_verb(cli: Any, golden: Any) -> None:
    """One line a flag, so that a diff names it."""
    lines = []
    for words, command in commands(cli.root()):
        for parameter in command.params:
            lines.append(f"{' '.join(words) or 'evolif'}: {json.dumps(flag(parameter), ensure_ascii=False)}")
    golden.text("flags.txt", "\n".join(lines) + "\n")


def test_names_of_the_package(cli: Any, golden: Any) -> None:
    names = {name: type(getattr(evolif, name)).__name__ for name in evolif.__all__}
    verbs = [" ".join(words) for words, _ in commands(cli.root()) if words]
    golden.json("names.json", {"all": names, "dir": dir(evolif), "verbs": verbs})
    golden.text("version-and-models.txt", cli("--version").out + cli("models", "list").out)


def test_what_the_callables_take(golden: Any) -> None:
    """Parameters by name, kind and default: annotations may be written otherwise."""
    import inspect

    held = {}
    for name in evolif.__all__:
        value = getattr(evolif, name)
        if inspect.isroutine(value) or (inspect.isclass(value) and not issubclass(value, Exception)):
            given = inspect.signature(value).parameters.values()
            held[name] = [str(p.replace(annotation=inspect.Parameter.empty)) for p in given]
        elif inspect.isclass(value):
            held[name] = [base.__name__ for base in value.__mro__[1:-2]]
    golden.json("signatures.json", held)
