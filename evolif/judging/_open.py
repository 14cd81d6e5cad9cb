"""From the names of judges to a judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import urlsplit, urlunsplit

from evolif._errors import UsageError
from evolif.judging._cache import JudgeCache, MemoryJudgeCache
from evolif.judging._judge import Judge
from evolif.judging._lexical import LexicalJudge
from evolif.judging._member import Member
from evolif.judging._panel import RULES, Panel
from evolif.judging._rubric import load_rubric
from evolif.models import ChatModel, address_of, open_model, parse_model_name, with_limits

Opener = Callable[[str], ChatModel]
"""Makes the client of a model's name."""


def open_judge(
    names: str | Sequence[str],
    *,
    rule: str = "mean",
    opener: Opener | None = None,
    cache: JudgeCache | None = None,
) -> Judge | None:
    """The judge of these names; None for `none`.

    Args:
        names: `none`, `lexical`, or models (`provider/name`), which together are a panel.
        rule: How a panel comes to a verdict: `mean`, `majority` or `median`.
        opener: Makes the client of a judge model, so that a run can bound, meter and budget its calls;
            `with_limits(open_model(name), None)` where None.
        cache: Where scores are kept by content; for as long as the judge is open where None. A run keeps them in
            `SqliteJudgeCache(run / CACHE_FILE)`, opened after the run's own file. It is closed with the judge.

    Raises:
        UsageError: no such judge or rule, a model named twice, a missing key.
    """
    given = [names] if isinstance(names, str) else list(names)
    if given in ([], ["none"]):
        return None
    if given == ["lexical"]:
        return LexicalJudge()
    alone = [name for name in given if name in ("none", "lexical")]
    if alone:
        raise UsageError(f"the judge “{alone[0]}” stands alone; it cannot be one of a panel")
    if rule not in RULES:
        raise UsageError(f"the judge rule “{rule}” is unknown; use {', '.join(RULES)}")
    kept = cache if cache is not None else MemoryJudgeCache()
    make = opener or (lambda name: with_limits(open_model(name), None))
    members = [Member(make(name), _endpoint(name), kept) for name in given]
    labels = [member.name for member in members]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise UsageError(f"the judge {twice[0]} is named twice; each member of a panel has one vote")
    return Panel(members, rule, load_rubric(), kept)


def _endpoint(name: str) -> str:
    """Where a model is asked, without user and key; empty for the provider's own endpoint."""
    parts = urlsplit(address_of(parse_model_name(name)) or "")
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
