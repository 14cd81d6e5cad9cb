"""From names to judges."""

from __future__ import annotations

import asyncio

import pytest
from asked import Asked, grade

from evolif import UsageError
from evolif.judging import load_rubric, open_judge
from evolif.judging.panel import RULES
from evolif.judging.records import MemoryJudgeCache

VERSION = load_rubric().version


def made(*names: str, rule: str = "mean") -> tuple[str, tuple[str, ...]]:
    judge = open_judge(names, rule=rule, opener=lambda name: Asked([grade(8)], name.partition("?")[0]))
    assert judge is not None
    return judge.name, judge.endpoints


def test_the_name_says_models_rubric_and_of_a_panel_the_rule() -> None:
    assert made("openai/a") == (f"openai/a (rubric {VERSION})", ("",))
    assert made("openai/a", "google/b", rule="median")[0] == f"median of openai/a, google/b (rubric {VERSION})"


def test_the_endpoint_is_told_without_user_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:word@localhost:1/v1")
    assert made("openai/a")[1] == ("http://localhost:1/v1",)
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert made("openai/a?base_url=http://localhost:1/v1", "openai/b")[1] == ("http://localhost:1/v1", "")


def test_a_model_object_may_stand_for_a_name() -> None:
    alone = open_judge(Asked([grade(8)], "fake/a"))
    assert alone is not None and (alone.name, alone.endpoints) == (f"fake/a (rubric {VERSION})", ("",))
    mixed = open_judge(["openai/a", Asked([grade(8)], "fake/b")], opener=lambda name: Asked([grade(8)], name))
    assert mixed is not None and mixed.name == f"mean of openai/a, fake/b (rubric {VERSION})"
    with pytest.raises(UsageError, match="fake/a is named twice"):
        open_judge([Asked([grade(8)], "fake/a"), Asked([grade(9)], "fake/a")])


@pytest.mark.parametrize("names", [(), ("none",), "none"])
def test_nobody_judges_unless_named(names: str | tuple[str, ...]) -> None:
    assert open_judge(names) is None


@pytest.mark.parametrize(
    ("names", "rule", "said"),
    [
        (("openai/a", "none"), "mean", "cannot be part of a panel"),
        (("lexical", "openai/a"), "mean", "cannot be part of a panel"),
        (("openai/a", "openai/a"), "mean", "named twice"),
        (("openai/a",), "best", ", ".join(RULES)),
    ],
)
def test_what_makes_no_panel_is_refused(names: tuple[str, ...], rule: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        made(*names, rule=rule)


def test_a_missing_key_is_told_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        open_judge("openai/a")


def test_closing_a_judge_closes_clients_and_cache() -> None:
    class Kept(MemoryJudgeCache):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    cache, models = Kept(), [Asked([grade(8)], "fake/a"), Asked([grade(8)], "fake/b")]
    given = iter(models)
    judge = open_judge(["openai/a", "openai/b"], opener=lambda _: next(given), cache=cache)
    assert judge is not None
    asyncio.run(judge.aclose())
    assert [model.closed for model in models] == [1, 1] and cache.closed == 1
