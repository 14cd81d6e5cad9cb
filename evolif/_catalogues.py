"""The only place that knows where the data folders are: the packaged copy, else the checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evolif._errors import InputError, InternalError

_PACKAGED = Path(__file__).parent / "_data"
_CHECKOUT = Path(__file__).parent.parent


def data_path(*parts: str) -> Path:
    """A file of the catalogues, e.g. `data_path("seeds", "topics.jsonl")`."""
    for root in (_PACKAGED, _CHECKOUT):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise InternalError(f"the data file {'/'.join(parts)} is missing from this installation; install evolif again")


def load_yaml(path: Path) -> Any:
    """Read a YAML file safely: plain data only, and no aliases, which could grow without bound.

    Raises:
        InputError: not readable, not YAML, or uses aliases.
    """
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        if "*" in text:
            _refuse_aliases(text, path)
        return yaml.load(text, Loader=_loader())  # a safe loader
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        problem = getattr(fault, "problem", None) or "not YAML"
        raise InputError(f"{problem}; mend the YAML", path=path, line=mark.line + 1 if mark else None) from None


def _refuse_aliases(text: str, path: Path) -> None:
    import yaml

    for token in yaml.scan(text, Loader=_loader()):
        if isinstance(token, yaml.AliasToken):
            line = token.start_mark.line + 1
            raise InputError("YAML aliases (*name) are not accepted; write the value out", path=path, line=line)


def _loader() -> Any:
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)
