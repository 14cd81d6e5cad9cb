"""What another judge makes of the same answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evolif._errors import UsageError
from evolif.domain import Session, Verdict
from evolif.metrics._agreement import Agreement, judge_agreement
from evolif.metrics._bootstrap import DEFAULT_RESAMPLES
from evolif.metrics._compare import Comparison, compare

_ALL = "all"


@dataclass(frozen=True, slots=True)
class JudgeSensitivity:
    """Two judgings of the same answers.

    Attributes:
        groups: Group, in alphabetical order, to the agreement of the verdicts that both came to; groups that rules
            judge agree throughout.
        overall: Over all groups.
        one_sided: Group to constraints of which only one judging has a verdict; only groups with some.
        shift: The metrics under the second judge minus those under the first, paired by dialogue.
    """

    groups: Mapping[str, Agreement]
    overall: Agreement
    one_sided: Mapping[str, int]
    shift: Comparison


def judge_sensitivity(
    first: Iterable[Session], second: Iterable[Session], *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> JudgeSensitivity:
    """How far two judges agree on the same answers of one model, and how far that moves the metrics.

    Verdicts are paired over the turns that both judgings hold; that the answers are the same ones (a run and what
    `evolif rejudge` made of it) is for the caller to see to.

    Args:
        first: Sessions under the first judge.
        second: The same model's under the second.
        seed: Of resampling and permutations.
        resamples: How many.

    Raises:
        UsageError: as `compare`; sessions of different models; or a turn with other constraints in the two.
    """
    one, other = tuple(first), tuple(second)
    models = sorted({session.model for session in (*one, *other)})
    if len(models) > 1:
        raise UsageError(f"two judgings are of one model's answers, not of {' and '.join(models)}")
    pairs: list[tuple[str, int, bool, bool]] = []
    one_sided: Counter[str] = Counter()
    for dialogue, before, after in _verdicts(one, other):
        if before.satisfied is None or after.satisfied is None:
            one_sided[after.group] += before.satisfied is not after.satisfied
        else:
            pairs.append((after.group, dialogue, before.satisfied, after.satisfied))
    overall = judge_agreement(((_ALL, *pair[1:]) for pair in pairs), seed=seed, resamples=resamples)
    return JudgeSensitivity(
        groups=judge_agreement(pairs, seed=seed, resamples=resamples),
        overall=overall.get(_ALL, Agreement(0, 0, 0, 0, 0, None, None, None, None)),
        one_sided={group: one_sided[group] for group in sorted(+one_sided)},
        shift=compare(other, one, seed=seed, resamples=resamples),
    )


def _verdicts(first: Sequence[Session], second: Sequence[Session]) -> Iterator[tuple[int, Verdict, Verdict]]:
    before = {(s.dialogue, s.epoch, turn.turn): turn for s in first for turn in s.turns}
    for session in second:
        for turn in session.turns:
            old = before.get((session.dialogue, session.epoch, turn.turn))
            if old is None:
                continue
            if [v.group for v in old.verdicts] != [v.group for v in turn.verdicts]:
                raise UsageError(
                    f"turn {turn.turn} of dialogue {session.dialogue} has other constraints in the two judgings; "
                    "compare a run with what rejudge made of it"
                )
            for pair in zip(old.verdicts, turn.verdicts, strict=True):
                yield session.dialogue, *pair
