"""A benchmark that was imported: turns, topics and personas of others, without the script that could go on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evolif._errors import OutsideError, UsageError
from evolif._json_lines import read_catalogue
from evolif.benchmark._files import dialogue_file, write_whole
from evolif.benchmark._header import Header, Imported, Spec
from evolif.benchmark._lines import TopicRef, to_line, turn_hash
from evolif.domain import Persona, Topic, Turn
from evolif.synthesis import registers
from evolif.tracker import load_profile

IMPORTED = "imported"
"""Who words the turns of an imported benchmark, and the name of its profile."""

CATALOGUES = ("topics.jsonl", "personas.jsonl", "registers.yaml")
"""Files of a benchmark beside its header and its dialogues; the last only where it has registers of its own."""

_PROFILE = "Imported: nothing is drawn from these figures; evaluation takes patience and cap from `protocol`."


def load_imported_topics(path: Path) -> tuple[Topic, ...]:
    """The topics of an imported benchmark, which may have fewer keywords than one can draw from.

    Raises:
        InputError: a line that is not a topic, or an id used twice.
    """
    return read_catalogue(path, lambda data: TopicRef.model_validate(data).to_topic(), "topic")


class ImportedWriter:
    """Writes a benchmark directory, dialogue by dialogue; `benchmark.json` comes last, so that half of one is none.

    Args:
        root: A directory that is empty.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._hash = hashlib.sha256()
        self._files: list[str] = []
        self._groups: dict[str, None] = {}
        self._topics: dict[str, Topic] = {}
        self._personas: dict[str, Persona] = {}
        self._longest = 0
        _write(lambda: (root / "dialogues").mkdir(parents=True, exist_ok=True), root)

    @property
    def dialogues(self) -> int:
        """How many were written."""
        return len(self._files)

    def add(self, turns: Sequence[Turn], file: str) -> None:
        """Write a dialogue.

        Args:
            turns: All of them, numbered from 1.
            file: The name of the file it came in.
        """
        self._files.append(file)
        self._longest = max(self._longest, len(turns))
        for turn in turns:
            self._hash.update(f"{turn.dialogue}/{turn.turn}/{turn_hash(turn)}\n".encode())
            self._groups |= dict.fromkeys(c.group for c in turn.constraints)
            self._topics.setdefault(turn.topic.id, turn.topic)
            self._personas.setdefault(turn.persona.id, turn.persona)
        path = dialogue_file(self._root, turns[0].dialogue)
        data = "".join(map(to_line, turns)).encode("utf-8")
        _write(lambda: write_whole(path, data), path)

    def finish(self, header: Header, catalogues: Mapping[str, str]) -> None:
        """Write what the dialogues were made of: the benchmark is again what it was.

        Args:
            header: Its header.
            catalogues: The texts of its files, by names out of `CATALOGUES`.
        """
        for name in CATALOGUES:
            if name in catalogues:
                self._whole(name, catalogues[name])
        self._whole("benchmark.json", header.to_json())

    def finish_foreign(self, source: str) -> None:
        """Write a header, topics and personas made from the turns; the benchmark ends where its dialogues end.

        Args:
            source: The format that the turns came in.
        """
        if not self._files:
            raise UsageError("there is no dialogue to import")
        groups = tuple(self._groups) or ("format",)
        paper = load_profile("paper")
        profile = paper.model_copy(update={"name": IMPORTED, "source": _PROFILE, "groups": groups, "pools": {}})
        spec = Spec(
            profile=profile, seed=0, dialogues=self.dialogues, turns=max(1, self._longest), synthesizers=(IMPORTED,)
        )
        same = len(set(self._files)) == 1
        origin = Imported(
            format=source,
            files=tuple(self._files[:1] if same else self._files),
            content=self._hash.hexdigest()[:16],
        )
        topics = _lines(
            {"id": t.id, "prompt": t.prompt, "keywords": list(t.keywords), "domain": t.domain, "title": t.title}
            for t in self._topics.values()
        )
        known = registers()
        personas = _lines(
            {
                "id": p.id,
                "sentence": p.sentence,
                "phrases": list(p.phrases),
                "register": p.register if p.register in known else "neutral",
            }
            for p in self._personas.values()
        )
        self.finish(Header(spec=spec, imported=origin), {"topics.jsonl": topics, "personas.jsonl": personas})

    def _whole(self, name: str, text: str) -> None:
        path = self._root / name
        _write(lambda: write_whole(path, text.encode("utf-8")), path)


def _lines(objects: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in objects)


def _write(act: Callable[[], object], path: Path) -> None:
    try:
        act()
    except OSError as fault:
        raise OutsideError(f"{path} cannot be written ({fault.strerror})") from None
