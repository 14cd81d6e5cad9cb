"""What a stored payload says of the person's reaction, whoever wrote it, and what came of it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from evolif.judging import Judgement
from evolif.scenario import Services, get_scenario
from evolif.scenarios.instructions.reactions import Reaction, reaction_of, remark_range, with_reaction
from evolif.scenarios.instructions.turns import Constraint
from evolif.types import Message, Prompt, Score, Verdict

FIVE = Constraint("bullets", {"count": 5})
LOWER = Constraint("case", {"mode": "all_lower"})
TEXT = "that was 7 bullets, I said 5."


def asked(
    told: Any, query: str = f"{TEXT} and the next one?", constraints: tuple[Constraint, ...] = (LOWER, FIVE)
) -> Prompt:
    payload = {"constraints": [{"group": c.group, "params": dict(c.params)} for c in constraints], "feedback": told}
    return Prompt(1, 2, (Message("user", query),), payload=payload, fixed=False)


def missed(**more: Any) -> dict[str, Any]:
    remark = {"kind": "missed", "text": TEXT, "group": "bullets", "value": {"count": 5}, **more}
    return {"script": 2, "repair": 0, "remark": remark}


def scores(prompt: Prompt, *outcomes: bool | None) -> list[Score]:
    constraints = tuple(Constraint(c["group"], c["params"]) for c in prompt.payload["constraints"])
    verdicts = tuple(Verdict(c.group, o, "wanted", "found") for c, o in zip(constraints, outcomes, strict=True))
    return list(with_reaction(Judgement(verdicts), prompt, constraints).scores)


def test_the_named_requirement_is_scored() -> None:
    assert reaction_of(asked(missed())) == Reaction(0, "missed", TEXT, FIVE)
    assert scores(asked(missed()), False, True) == [Score("told/bullets", 1.0, "wanted", "found")]
    assert scores(asked(missed()), True, False) == [Score("told/bullets", 0.0, "wanted", "found")]
    assert scores(asked(missed()), True, None) == [Score("told/bullets", None, "wanted", "found")]


def test_a_requirement_that_is_no_longer_in_force_is_not() -> None:
    assert scores(asked(missed(value={"count": 7})), True, True) == []
    assert scores(asked(missed(), constraints=(LOWER,)), True) == []
    keywords = Constraint("existence", {"keywords": [{"keyword": "tea", "count": 1}]})
    stored = missed(group="existence", value=json.loads(json.dumps(dict(keywords.params))))
    frozen = asked(stored, constraints=(Constraint("existence", {"keywords": ({"keyword": "tea", "count": 1},)}),))
    assert [score.name for score in scores(frozen, True)] == ["told/existence"], "a stored list is a tuple elsewhere"


def test_a_repair_is_scored_by_everything() -> None:
    repair = {**missed(), "repair": 2}
    assert [(s.name, s.value) for s in scores(asked(repair, TEXT), False, True)] == [
        ("told/bullets", 1.0),
        ("repair/2", 0.0),
    ]
    assert [(s.name, s.value) for s in scores(asked(repair, TEXT), None, True)][1] == ("repair/2", 1.0)
    assert [(s.name, s.value) for s in scores(asked(repair, TEXT), None, None)][1] == ("repair/2", None)


def test_thanks_and_what_nobody_could_read_name_nothing() -> None:
    for kind in ("thanks", "unreadable"):
        prompt = asked(missed(kind=kind, group="", value={}))
        assert reaction_of(prompt) == Reaction(0, kind, TEXT, None)
        assert scores(prompt, True, True) == []
    assert scores(asked({"script": 1, "repair": 0, "remark": None}), True, True) == []


HOSTILE: list[Any] = [
    None, 7, "x", [], {"repair": -1}, {"repair": "1"}, {"repair": 1.5}, {"remark": {"kind": 3, "text": "x"}},
    {"remark": {"kind": "missed", "text": None}},
]  # fmt: skip


@pytest.mark.parametrize("told", HOSTILE, ids=repr)
def test_a_payload_of_another_form_says_nothing(told: Any) -> None:
    assert reaction_of(asked(told)) is None
    assert remark_range(asked(told)) is None
    assert scores(asked(told), True, True) == []


@pytest.mark.parametrize("more", [{"group": 5}, {"group": ""}, {"value": []}, {"value": None}], ids=repr)
def test_a_remark_that_names_no_proper_requirement_is_kept_as_words(more: dict[str, Any]) -> None:
    assert reaction_of(asked(missed(**more))) == Reaction(0, "missed", TEXT, None)


def test_where_the_remark_stands() -> None:
    assert remark_range(asked(missed())) == (0, len(TEXT))
    assert remark_range(asked(missed(), TEXT)) == (0, len(TEXT))
    assert remark_range(asked(missed(), "another query")) is None
    assert remark_range(asked(missed(text=""))) is None


def test_an_environment_scores_what_came_of_it() -> None:
    scenario = get_scenario("instructions")
    environment = scenario.environment(None, scenario.play(), Services(feedback="repair"))
    prompt = asked({**missed(), "repair": 1}, TEXT)
    for answer, told, whole in (("- a\n" * 5, 1.0, 1.0), ("- A\n" * 5, 1.0, 0.0), ("- a\n- b", 0.0, 0.0)):
        found = asyncio.run(environment.score(prompt, answer, ()))
        assert {score.name: score.value for score in found.scores} == {"told/bullets": told, "repair/1": whole}
    plain = replace(prompt, payload={key: value for key, value in prompt.payload.items() if key != "feedback"})
    assert asyncio.run(environment.score(plain, "- a", ())).scores == ()


def test_reports_and_exports_have_it() -> None:
    presentation, rows = get_scenario("instructions").presentation, get_scenario("instructions").rows
    prompt = asked(missed())
    assert presentation.facts(prompt)[-1] == ("remark", "missed bullets")
    assert presentation.reaction(prompt) == (0, len(TEXT))
    assert rows.row(prompt)["feedback"] == missed()
    plain = replace(prompt, payload={"constraints": [], "witness": None})
    assert "feedback" not in rows.row(plain) and [name for name, _ in presentation.facts(plain)] == ["", "", "topic"]
