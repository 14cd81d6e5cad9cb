"""What keeps further turns from being asked: a person, a disk, a key."""

from __future__ import annotations


class Stopper:
    """Ctrl-C once: finish the turns in flight and stop. Twice: stop at once."""

    def __init__(self) -> None:
        self.asked = False
        """By a person, or whoever sends SIGTERM."""
        self.fault: Exception | None = None
        """What made going on impossible for everybody, for example a full disk."""
        self._everybody = False
        self._barred: set[str] = set()

    def __call__(self, model: str) -> bool:
        """Whether no further turn of a model may be asked."""
        return self.everybody or model in self._barred

    @property
    def everybody(self) -> bool:
        """Whether no further turn of any model may be asked."""
        return self.asked or self._everybody or self.fault is not None

    @property
    def barred(self) -> frozenset[str]:
        """Models of which nothing more is asked."""
        return frozenset(self._barred)

    def bar(self, model: str) -> bool:
        """Ask nothing more of a model; says whether this is news."""
        news = model not in self._barred
        self._barred.add(model)
        return news

    def bar_everybody(self) -> bool:
        """Ask nothing more, for what all sessions need is gone; says whether this is news."""
        news, self._everybody = not self._everybody, True
        return news
