"""What the site has beside the files of `docs/`: project pages, the API reference, the notebooks as pages.

`mkdocs.yml` names it as a hook. Nothing of it is written to `docs/`, and nothing is fetched.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PROJECT = {
    "CONTRIBUTING.md": "project/contributing.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "SECURITY.md": "project/security.md",
    "DATA_CARD.md": "project/data-card.md",
    "CHANGELOG.md": "project/changelog.md",
}
"""Files beside `docs/` that are pages of the site, and where."""
INNER = (
    "report.figures",
    "report.page",
    "scenarios.broadcast",
    "scenarios.games",
    "scenarios.instructions",
    "scenarios.instructions.audit",
    "scenarios.instructions.catalogue",
    "scenarios.instructions.constraints",
    "scenarios.instructions.queries",
    "scenarios.instructions.synthesis",
    "scenarios.instructions.tracker",
    "scenarios.instructions.witness",
    "scenarios.recorded",
    "scenarios.shifts",
)
"""Rooms inside rooms that have something for others."""
MODULES = {
    "evolif.scenarios.instructions.turns": "the vocabulary of instruction following.",
    "evolif.types": "the vocabulary that all of them share.",
}
"""Modules outside the rooms that have something for others, and what."""
MODULE = """# `{0}`

::: {0}
    options:
      show_root_heading: false
      show_root_toc_entry: false
"""
SHOWN = "<!-- here the site shows what README.md does -->"
"""Where the first page has it."""
LINK = re.compile(r"(?<=\]\()(?!\w+:)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?(?=\))")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the parts of the navigation that are lists of what there is."""
    filled = {
        "reference/api": ["reference/api/index.md", *(f"reference/api/{room}.md" for room in [*rooms(), *MODULES])],
        "modes": ["modes/README.md", *sorted(f"modes/{p.name}" for p in DOCS.glob("modes/*.md") if p.stem != "README")],
    }
    for section in config.nav or []:
        for entries in section.values():
            for entry in entries if isinstance(entries, list) else []:
                _fill(entry, filled)
    return config


def _fill(entry: object, filled: dict[str, list[str]]) -> None:
    if isinstance(entry, dict):
        for title, value in entry.items():
            if isinstance(value, str) and value in filled:
                entry[title] = filled[value]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    for uri, content in pages():
        files.append(File.generated(config, uri, content=content))
    return files


def pages() -> Iterator[tuple[str, str]]:
    """Address and Markdown of every page that is made."""
    for name, uri in PROJECT.items():
        yield uri, _moved((ROOT / name).read_text(encoding="utf-8"), uri)
    yield from _api()
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        yield f"notebooks/{notebook.stem}.md", notebook_page(notebook)


def on_page_markdown(markdown: str, page: object, config: MkDocsConfig, files: Files) -> str:
    """Lead links to files beside `docs/` to their pages."""
    del config, files
    uri: str = page.file.src_uri  # type: ignore[attr-defined]  # mkdocs is not installed where types are checked
    if uri == "index.md":
        return outside(markdown.replace(SHOWN, shown_first()), uri)
    return markdown if uri in PROJECT.values() else outside(markdown, uri)


def shown_first() -> str:
    """What README.md shows below its introduction, so that the first page of the site shows the same."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return _moved(readme[readme.index("\n## ") :].strip(), "index.md")


def outside(markdown: str, uri: str) -> str:
    """A page of `docs/`, its links to project files and notebooks led to their pages."""
    here = Path("docs", uri).parent

    def led(match: re.Match[str]) -> str:
        target = _clean(here / match["path"])
        anchor = match["anchor"] or ""
        if target in PROJECT:
            return _between(uri, PROJECT[target]) + anchor
        if target.startswith("notebooks/") and target.endswith(".ipynb"):
            return _between(uri, target.removesuffix(".ipynb") + ".md") + anchor
        return match[0]

    return LINK.sub(led, markdown)


def _moved(markdown: str, uri: str) -> str:
    """A file of the root as the page `uri`: its links go on leading where they did."""

    def led(match: re.Match[str]) -> str:
        target, anchor = match["path"], match["anchor"] or ""
        if target in PROJECT:
            return _between(uri, PROJECT[target]) + anchor
        if target.startswith("docs/"):
            return _between(uri, target.removeprefix("docs/")) + anchor
        if target.startswith("notebooks/") and target.endswith(".ipynb"):
            return _between(uri, target.removesuffix(".ipynb") + ".md") + anchor
        return match[0]

    return LINK.sub(led, markdown)


def _clean(path: Path) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _between(here: str, there: str) -> str:
    return "../" * here.count("/") + there


def rooms() -> list[str]:
    """The packages that say what is public, `evolif` first."""
    names = sorted([*(p.parent.name for p in (ROOT / "evolif").glob("*/__init__.py")), *INNER])
    return ["evolif", *(f"evolif.{name}" for name in names if name != "cli" and public_names(_init(f"evolif.{name}")))]


def _init(room: str) -> Path:
    return ROOT.joinpath(*room.split("."), "__init__.py")


def public_names(init: Path) -> list[str]:
    """`__all__` of a module, read and not run."""
    for node in ast.parse(init.read_text(encoding="utf-8")).body if init.is_file() else ():
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


def _api() -> Iterator[tuple[str, str]]:
    listed = ["# Python API", "", "What each room of the package offers; everything else is its own business.", ""]
    for room in rooms():
        init = _init(room)
        about = (ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or "").split("\n")[0]
        listed.append(f"- [`{room}`]({room}.md): {about}")
        names = [name for name in public_names(init) if not name.startswith("__")]
        parts = [f"# `{room}`", "", about, ""]
        for name in names:
            parts += [f"::: {room}.{name}", ""]
        yield f"reference/api/{room}.md", "\n".join(parts)
    for name, about in MODULES.items():
        listed.append(f"- [`{name}`]({name}.md): {about}")
        yield f"reference/api/{name}.md", MODULE.format(name)
    yield "reference/api/index.md", "\n".join(listed) + "\n"


def notebook_page(path: Path) -> str:
    """A notebook as a page: its words and its code; outputs are not kept in the repository."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"]).strip()
        if cell["cell_type"] == "markdown":
            parts.append(text)
        elif text:
            parts.append(f"````python\n{text}\n````")
    head, *rest = parts
    note = f"*The notebook `notebooks/{path.name}`, which the tests run from top to bottom.*"
    return "\n\n".join([head, note, *rest]) + "\n"
