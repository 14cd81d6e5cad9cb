"""Dialogues in the unified schema, benchmarks of them, and a model that a test scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evolif.benchmark import open_benchmark
from evolif.models import ChatRequest, Reply
from evolif.report import analyse
from evolif.report.comparable import group_comparable
from evolif.report.json import analysis_object
from evolif.runner import Run
from evolif.scenario import Benchmark, get_scenario, options_of
from evolif.scenarios.recorded import Dialog, write_dialogs
from evolif.types import Usage

RECALL: dict[str, Any] = {"class_name": "recall"}


def entry(class_name: str, **args: Any) -> dict[str, Any]:
    return {"class_name": class_name, "args": args}


def turn(number: int, role: str, content: Any = None, **fields: Any) -> dict[str, Any]:
    return {"turn_id": number, "role": role, "content": content, **fields}


def answer(number: int, *metrics: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A turn that a model answers."""
    return turn(number, "assistant", **fields, eval_config={"do_eval": True, "metrics": list(metrics)})


def dialog(number: int, *turns: dict[str, Any], **fields: Any) -> Dialog:
    return Dialog.model_validate({"dialog_id": number, "dialog_turns": list(turns), **fields})


def bench_of(folder: Path, *dialogs: Dialog, name: str = "small") -> Benchmark:
    """A benchmark of dialogues, made as `evolif generate` makes it."""
    write_dialogs(folder / "data", dialogs, benchmark_id=name)
    return bench_from(folder / "data", folder / "bench")


def bench_from(source: Path, out: Path) -> Benchmark:
    scenario = get_scenario("recorded")
    scenario.generate(out, options_of(scenario.spec, {"source": str(source)}, "recorded"), dialogues=1, seed=0)
    return open_benchmark(out)


Answer = Callable[[ChatRequest], "Reply | str | Exception"]


@dataclass
class Scripted:
    """Answers by a function and remembers what it was asked."""

    answer: Answer
    name: str = "fake/model"
    connections: int = 1
    asked: list[ChatRequest] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        answer = self.answer(request)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, usage=Usage(1, 1)) if isinstance(answer, str) else answer

    async def aclose(self) -> None:
        pass


def shown(request: ChatRequest) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in request.messages]


def report(run: Run) -> dict[str, Any]:
    """What `evolif report --json` says of the only model of a run."""
    [model] = analysis_object(group_comparable(analyse([run], resamples=20)))["models"]
    return model
