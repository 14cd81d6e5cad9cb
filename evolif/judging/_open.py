"""From the names of judges to a judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evolif._errors import UsageError
from evolif.judging._judge import Judge
from evolif.judging._lexical import LexicalJudge
from evolif.models import ChatModel

Opener = Callable[[str], ChatModel]
"""Makes the client of a model's name."""


def open_judge(
    names: str | Sequence[str], *, rule: str = "mean", opener: Opener | None = None, cache: object | None = None
) -> Judge | None:
    """The judge of these names; None for `none`.

    Args:
        names: `none`, `lexical`, or models (`provider/name`), which together are a panel.
        rule: How a panel comes to a verdict: `mean`, `majority` or `median`.
        opener: Makes the client of a judge model, so that a run can bound, meter and budget its calls;
            `with_limits(open_model(name), None)` where None.
        cache: Where scores are kept by content; in memory where None.

    Raises:
        UsageError: no such judge, no such rule, a model named twice, a missing key.
    """
    given = [names] if isinstance(names, str) else list(names)
    if given in ([], ["none"]):
        return None
    if given == ["lexical"]:
        return LexicalJudge()
    raise UsageError(f"the judge “{given[0]}” is not there yet (model judges come later); use none or lexical")
