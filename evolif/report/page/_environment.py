"""Jinja as the page uses it: everything escaped, nothing undefined, templates out of the package."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from evolif.report.page._visible import one_line, unseen, visible

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = "templates"
_COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
"""Those of style sheets, and the lines of scripts that are nothing else."""


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(visible=visible, one_line=one_line, thousands=_thousands)
    made.globals.update(policy=policy)
    return made


def _source(name: str) -> str:
    """Through importlib, so that a package inside an archive works too."""
    return (files("evolif.report.page") / _FOLDER / name).read_text(encoding="utf-8")


def _finalize(value: Any) -> Any:
    """Every text that a template prints, in an attribute as well as outside: nothing hides in it."""
    return unseen(value) if type(value) is str else value


def _thousands(number: int) -> str:
    return f"{number:,}"


@lru_cache(maxsize=8)
def asset(*names: str) -> Markup:
    """Style sheets or scripts of ours as they stand in the page, one after the other; no comment, no indentation."""
    text = "".join(_COMMENT.sub("", _source(name)) for name in names)
    if "</" in text or "<!--" in text:
        raise AssertionError(f"{names} would close or comment out their own element")
    return Markup("".join(f"{line.strip()}\n" for line in text.splitlines() if line.strip()))


def policy(*, style: str, script: str) -> str:
    """The content security policy: our style sheet and our script by their hashes, and nothing else at all.

    Args:
        style: The text of the page's one `<style>`.
        script: The text of the page's one `<script>`.
    """
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src 'none'; "
        "connect-src 'none'; font-src 'none'; media-src 'none'; object-src 'none'; frame-src 'none'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(str(text).encode()).digest()).decode()
