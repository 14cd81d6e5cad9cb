"""A constraint group of your own: an exact number of asides in square brackets.

`evolif … --constraints constraints.py` loads it for one command.
"""

import re
from typing import Annotated, Any, ClassVar

from pydantic import Field, TypeAdapter

from evolif.scenarios.instructions import Group, ParamsModel
from evolif.types import Span

ASIDE = re.compile(r"\[[^\[\]\n]{1,200}\]")


class Params(ParamsModel):
    """What is stored with a constraint."""

    count: Annotated[int, Field(ge=1, le=20)]


class Asides(Group):
    """Exactly so many asides in the text."""

    name = "asides"
    adapter = TypeAdapter(Params)
    data: ClassVar[dict[str, Any]] = {
        "pool": {"counts": [1, 2, 3, 4]},
        "say": {"count": {"any": ["put exactly {count} asides into square brackets"]}},
        "drop": {"count": ["the {count} asides in brackets", "the rule of exactly {count} asides"]},
        "describe": {"count": "The text of the answer holds exactly {count} asides: words between square brackets."},
        "counted": "An aside is a text between square brackets, on one line.",
        "heard": {"nouns": ["asides?"]},
    }

    def draw(self, stream: Any, context: Any) -> dict[str, Any]:
        """Fresh parameters."""
        return {"count": stream.choice(context.pool["counts"])}

    def key(self, params: Any) -> str:
        """Which of the phrases say it; there is one kind."""
        return "count"

    def check(self, params: Any, reading: Any) -> Any:
        """The verdict on an answer, with what was found and where."""
        found = [Span(*match.span()) for match in ASIDE.finditer(reading.content_text)]
        return self.verdict(
            len(found) == params["count"], f"exactly {params['count']} asides", f"{len(found)} of them", found
        )

    def fulfil(self, text: str, params: Any, fmt: Any) -> str:
        """A witness that satisfies the other groups, made to satisfy this one: words become asides."""
        return re.sub(r"(?<= )([a-z]{3,})(?= )", r"[\1]", text, count=params["count"])


GROUPS = [Asides]
