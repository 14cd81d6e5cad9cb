"""Drafts: what is being typed, on disk with every keystroke, so that a crash costs none."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from evolif._errors import OutsideError
from evolif.review._decision import now


class Draft(BaseModel):
    """A text that was not saved."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    reviewer: str
    item: str
    time: AwareDatetime
    base: str
    """The words that the reviewer started from."""
    text: str


@dataclass(frozen=True, slots=True)
class Drafts:
    """A reviewer's drafts in a folder, one file each; names on disk come from hashes, never from names given."""

    folder: Path
    reviewer: str

    def keep(self, item: str, base: str, text: str) -> None:
        """Write the draft whole; the process may die the moment after.

        Not forced through to the platter: a keystroke must not wait for a disk, and only a power failure would tell.

        Raises:
            OutsideError: the folder cannot be written.
        """
        draft = Draft(reviewer=self.reviewer, item=item, time=now(), base=base, text=text)
        path = self._path(item)
        temporary = path.with_suffix(".tmp")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(draft.model_dump(mode="json")), encoding="utf-8")
            os.replace(temporary, path)
        except OSError as fault:
            raise OutsideError(f"{path} cannot be written ({fault.strerror}); make the folder writable") from None

    def get(self, item: str) -> Draft | None:
        """The draft for an item; None where there is none, or one that cannot be read."""
        try:
            draft = Draft.model_validate(json.loads(self._path(item).read_text(encoding="utf-8")))
        except (OSError, ValueError, RecursionError, ValidationError):
            return None
        return draft if (draft.reviewer, draft.item) == (self.reviewer, item) else None

    def drop(self, item: str) -> None:
        """Forget the draft; one that cannot be removed is offered again, and that is all."""
        with suppress(OSError):
            self._path(item).unlink(missing_ok=True)

    def _path(self, item: str) -> Path:
        name = hashlib.sha256(json.dumps([self.reviewer, item]).encode()).hexdigest()[:24]
        return self.folder / f"{name}.json"
