"""Links between pages lead to files and to headings that are there; those of README and the other files, too."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^ *(`{3,})[^\n]*\n.*?^ *\1 *$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")


def prose(page: Path) -> str:
    return re.sub(r"`[^`\n]+`", "`x`", FENCE.sub("", page.read_text(encoding="utf-8")))


def slug(heading: str) -> str:
    """As the site (and GitHub) names the place of a heading."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


@cache
def anchors(page: Path) -> frozenset[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return frozenset(slug(heading) for heading in re.findall(r"^#+ (.+?)\s*#*$", text, re.MULTILINE))


@cache
def made() -> frozenset[str]:
    """Pages that only the site has, as paths below docs/."""
    spec = spec_from_file_location("site_hooks", ROOT / "docs" / "site_hooks.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return frozenset(uri for uri, _ in module.pages())


def dead(page: Path) -> list[str]:
    found = []
    for path, anchor in LINK.findall(prose(page)):
        target = (page.parent / path).resolve() if path else page
        inside = target.relative_to(ROOT / "docs").as_posix() if target.is_relative_to(ROOT / "docs") else ""
        if not target.exists():
            found += [] if inside in made() else [path]
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            found.append(f"{path}#{anchor}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    assert dead(page) == []


def test_dead_links_and_dead_anchors_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b` c?\n\n[1](page.md#a-b-c) [2](gone.md) [3](#nowhere) `[4](x.md)`\n", encoding="utf-8")
    assert dead(page) == ["gone.md", "#nowhere"]
