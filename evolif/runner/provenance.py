"""How a run's benchmark was made, stored with the run: its whole specification, and the command that makes it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from evolif.benchmark import HEADER, read_header_json
from evolif.errors import EvolifError
from evolif.scenario import Benchmark, get_scenario


@dataclass(frozen=True, slots=True)
class Origin:
    """How a benchmark was made.

    Attributes:
        words: What follows `evolif generate BENCH`, for the same bytes.
        notes: What the words leave out, as clauses.
        spec: The specification in its header; empty if it could not be read.
    """

    words: tuple[str, ...]
    notes: tuple[str, ...]
    spec: Mapping[str, Any] = field(default_factory=dict)

    def dump(self) -> str:
        """As the run stores it."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)


def origin_of(benchmark: Benchmark) -> Origin | None:
    """How a benchmark at hand was made; None if a plug-in cannot tell, which must not cost a run."""
    try:
        words, notes = get_scenario(benchmark.scenario).presentation.command(
            benchmark, benchmark.variant, benchmark.dialogues()
        )
    except Exception:
        return None
    try:
        spec = read_header_json(benchmark.path / HEADER).get("spec")
    except EvolifError:  # a plug-in may keep it elsewhere
        spec = None
    return Origin(tuple(words), tuple(notes), spec if isinstance(spec, dict) else {})


def read_origin(text: str) -> Origin | None:
    """How the benchmark of a stored run was made; None in runs of earlier versions, and where the text was edited."""
    try:
        data = json.loads(text)
        words, notes = ([str(one) for one in data[name]] for name in ("words", "notes"))
        return Origin(tuple(words), tuple(notes), dict(data.get("spec") or {}))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
