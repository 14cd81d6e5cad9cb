"""Several calls side by side, each let finish: what is under way is being paid for, and its score is worth keeping."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar

from evolif._errors import JudgeError
from evolif.domain import Usage

T = TypeVar("T")


async def together(
    calls: Iterable[Coroutine[Any, Any, T]], usage_of: Callable[[Iterable[T]], Mapping[str, Usage]]
) -> list[T]:
    """The results in order, once every call has come to its end.

    Args:
        calls: What to await.
        usage_of: What results have cost, per judge model.

    Raises:
        JudgeError: a judge failed; with everything that was spent, the calls that passed included.
        BaseException: anything else that a call raised goes before that.
    """
    told = await asyncio.gather(*calls, return_exceptions=True)
    results: list[T] = []
    errors: list[JudgeError] = []
    for one in told:
        if isinstance(one, JudgeError):
            errors.append(one)
        elif isinstance(one, BaseException):
            raise one
        else:
            results.append(one)
    if not errors:
        return results
    spent = {judge: (usage.prompt_tokens, usage.completion_tokens) for judge, usage in usage_of(results).items()}
    for error in errors:
        for judge, (prompt, completion) in error.spent.items():
            had = spent.get(judge, (0, 0))
            spent[judge] = (had[0] + prompt, had[1] + completion)
    raise JudgeError(str(errors[0]), retryable=errors[0].retryable, spent=spent) from errors[0].__cause__
