"""One row per turn: of a benchmark as its lines have it, of a run as figures want it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from evolif.benchmark import Benchmark, to_object
from evolif.domain import Session, TurnFacts, Verdict
from evolif.exchange._canary import canary_of
from evolif.exchange._extension import FIELD, VERSION, whole_of
from evolif.protocol import Run, TurnRecord

Row = dict[str, Any]

_TELLING = 24
"""Characters of a witness that no answer holds by chance."""
_BREAKS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}


def dump(row: object) -> str:
    """A row as a line of JSON without its line break; characters that some readers take for line ends are escaped."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_BREAKS)


def benchmark_rows(benchmark: Benchmark, *, with_witness: bool) -> Iterator[Row]:
    """The turns of a benchmark, by dialogue and turn.

    Args:
        benchmark: The benchmark.
        with_witness: Whether the answer key goes along.
    """
    canary = canary_of(benchmark.identity)
    shared: Row | None = whole_of(benchmark)
    for dialogue in benchmark.dialogues():
        for turn in benchmark.turns(dialogue):
            line = to_object(turn)
            witness = line.pop("witness")
            row = {"canary": canary, **line, "groups": [c.group for c in turn.constraints]}
            if with_witness:
                row["witness"] = witness
            row[FIELD] = extension(benchmark=shared)
            shared = None
            yield row


def extension(**parts: Any) -> Row:
    """The field `evolif` of a row; parts that are None or empty are left out."""
    return {"version": VERSION, **{key: part for key, part in parts.items() if part}}


def run_rows(run: Run, *, with_witness: bool) -> Iterator[Row]:
    """The answered turns of a run: model by model, session by session.

    Args:
        run: The run.
        with_witness: Whether the answer key goes along. Without it an answer that is, or holds, a witness of its
            dialogue, as simulated models give it, is left out too (`answer` is null, `withheld` true).
    """
    canary = canary_of(run.settings.benchmark)
    facts = {(f.dialogue, f.turn): f for f in run.facts()}
    keys: dict[int, set[str]] = {}
    for fact in facts.values():
        keys.setdefault(fact.dialogue, set()).update([fact.witness] if fact.witness else [])
    # Where models were asked is this machine's business.
    shared: Row | None = run.settings.model_dump(mode="json", exclude={"endpoints", "judge_endpoints"})
    for model in run.models:
        for session, records in run.transcripts(model):
            for record in records:
                fact = facts[session.dialogue, record.turn]
                row = {"canary": canary, **_session(session), **_turn(fact, record)}
                row["withheld"] = not with_witness and _holds_key(record.answer, keys[session.dialogue])
                if row["withheld"]:
                    row["answer"] = None
                if with_witness:
                    row["witness"] = fact.witness
                row[FIELD] = extension(run=shared)
                shared = None
                yield row


def _holds_key(answer: str, keys: set[str]) -> bool:
    return answer in keys or any(len(key) >= _TELLING and key in answer for key in keys)


def _session(session: Session) -> Row:
    return {
        "model": session.model,
        "dialogue": session.dialogue,
        "epoch": session.epoch,
        "ending": session.ending,
        "reason": session.reason,
        "patience": session.patience,
    }


def _turn(facts: TurnFacts, record: TurnRecord) -> Row:
    judged = [v.satisfied for v in record.verdicts if v.satisfied is not None]
    return {
        "turn": record.turn,
        "topic": facts.topic,
        "move": facts.move,
        "depth": facts.depth,
        "operation": facts.operation,
        "source": facts.source,
        "register": facts.register,
        "query": facts.query,
        "groups": [c.group for c in facts.constraints],
        "constraints": [{"group": c.group, "params": dict(c.params)} for c in facts.constraints],
        "answer": record.answer,
        "reasoning": record.reasoning,
        "truncated": record.truncated,
        "served_by": record.served_by,
        "seconds": record.seconds,
        "is_judged": record.is_judged,
        "judged": len(judged),
        "satisfied": sum(judged),
        "ok": all(judged) if judged else None,
        "verdicts": [_verdict(v) for v in record.verdicts],
        "judge_scores": [
            {"group": r.group, "judge": s.judge, "score": s.score, "rationale": s.rationale, "problem": s.problem}
            for r in record.records
            for s in r.scores
        ],
        "prompt_tokens": record.usage.prompt_tokens,
        "completion_tokens": record.usage.completion_tokens,
    }


def _verdict(verdict: Verdict) -> Row:
    return {
        "group": verdict.group,
        "satisfied": verdict.satisfied,
        "expected": verdict.expected,
        "found": verdict.found,
        "spans": [{"start": s.start, "end": s.end, "view": s.view} for s in verdict.spans],
    }
