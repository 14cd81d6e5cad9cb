"""The judge audit of a run in figures, for the report and for `evolif review --judge RUN --stats`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from evolif._errors import UsageError
from evolif.judge_audit._agreement import Compared, JudgeAuditRow, agreement_rows, together
from evolif.judge_audit._files import load_sample
from evolif.judge_audit._log import AuditDecision, last_scores, load_judge_audit
from evolif.judge_audit._population import subjective_of, verdict_at
from evolif.judge_audit._sample import Sample
from evolif.judging import THRESHOLD
from evolif.protocol import Run


class _Verdict(NamedTuple):
    model: str
    group: str
    accepted: bool


def judge_audit_summary(run: Run) -> list[JudgeAuditRow]:
    """How far persons agree with the run's judge; empty where nobody has scored an answer.

    First the rows of all persons together (`reviewer` empty), then, where there are several, those of each. In each the
    first row is of all groups (`group` empty), the others of one group each.

    Raises:
        UsageError: the sample, the decisions and the run do not belong together.
    """
    decisions = last_scores(load_judge_audit(run.path)).values()
    if not any(one.score is not None for one in decisions):
        return []
    sample = load_sample(run.path)
    if sample is None:
        raise UsageError(f"the judge audit of {run.path} has decisions but no sample; restore its sample.json")
    verdicts = _verdicts(run, sample)
    rows = _rows(run, sample, verdicts, decisions, "")
    names = sorted({one.reviewer for one in decisions if one.score is not None})
    for name in names if len(names) > 1 else ():
        rows += _rows(run, sample, verdicts, [one for one in decisions if one.reviewer == name], name)
    return rows


def _rows(
    run: Run, sample: Sample, verdicts: Mapping[int, _Verdict], decisions: Iterable[AuditDecision], reviewer: str
) -> list[JudgeAuditRow]:
    scores: defaultdict[int, list[int]] = defaultdict(list)
    seen: set[int] = set()
    for one in decisions:
        if one.number not in verdicts:
            raise UsageError(f"the judge audit of {run.path} decides on answer {one.item}, which its sample lacks")
        seen.add(one.number)
        if one.score is not None:
            scores[one.number].append(one.score)
    held = {cell[:3] for cell in sample.population}
    if not all((one.group, one.accepted, one.model) in held for one in verdicts.values()):
        raise UsageError(f"the judge audit of {run.path} was drawn from other answers; restore its sample.json")
    said = together(scores, THRESHOLD)
    compared = [
        Compared(verdicts[number].group, verdicts[number].accepted, verdicts[number].model, person)
        for number, person in sorted(said.items())
    ]
    skipped = [verdicts[number].group for number in sorted(seen - said.keys())]
    return agreement_rows(compared, sample.population, skipped, reviewer)


def _verdicts(run: Run, sample: Sample) -> dict[int, _Verdict]:
    """The judge's verdict on each item of the sample, by number."""
    asked = subjective_of(run)
    sessions = dict(run.store.sessions())
    turns = {
        (number, turn.turn): turn for number in {p.session for p in sample.places} for turn in run.store.turns(number)
    }
    found = {}
    for number, place in enumerate(sample.places, 1):
        session, record = sessions.get(place.session), turns.get((place.session, place.turn))
        subjective: tuple[tuple[int, str], ...] = ()
        if session is not None:
            subjective = asked.get((session.dialogue, place.turn), ())
        accepted = verdict_at(record, subjective, place.constraint) if record is not None else None
        if session is None or accepted is None:
            raise UsageError(f"{run.path} has no verdict on answer {number} of its judge audit; restore the run")
        found[number] = _Verdict(session.model, dict(subjective)[place.constraint], accepted)
    return found
