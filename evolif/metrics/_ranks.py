"""How stable a ranking of models is: over fewer dialogues, and over kinds of dialogues (paper Table 4, App. F)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evolif.domain import Session, TurnFacts

DEFAULT_DRAWS = 100


@dataclass(frozen=True, slots=True)
class RankStability:
    """How the models' figures on random subsamples of dialogues go with those on all dialogues.

    Attributes:
        size: Dialogues in a subsample.
        draws: Subsamples in which a correlation is defined.
        pearson: Mean correlation of the figures over models; None with fewer than three models, or where it is
            undefined in every subsample.
        pearson_sd: Standard deviation over subsamples; None with fewer than two.
        spearman: Mean correlation of the ranks.
        spearman_sd: Its standard deviation.
    """

    size: int
    draws: int
    pearson: float | None
    pearson_sd: float | None
    spearman: float | None
    spearman_sd: float | None


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """How the models' figures on one kind of dialogues go with those on all.

    Attributes:
        dialogues: Dialogues of this kind that some model has.
        models: Models with a figure on both.
        values: Model to its figure on this kind; None where undefined.
        pearson: Correlation over models; None with fewer than three models, or where all are alike.
        spearman: Of the ranks.
    """

    dialogues: int
    models: int
    values: Mapping[str, float | None]
    pearson: float | None
    spearman: float | None


def rank_stability(
    models: Mapping[str, Sequence[Session]],
    sizes: Iterable[int],
    *,
    metric: str = "rob",
    draws: int = DEFAULT_DRAWS,
    seed: int = 0,
) -> tuple[RankStability, ...]:
    """Correlation over models between random subsamples of dialogues and all of them (paper section 5.5, Table 4).

    Args:
        models: Name to sessions; finished and censored ones count.
        sizes: Dialogues per subsample, drawn without replacement; those above the number there are become it.
        metric: One of `METRIC_NAMES`.
        draws: Subsamples per size.
        seed: Of the subsamples, which are the same for every model and nested over sizes.

    Returns:
        One per different size, in ascending order.

    Raises:
        UsageError: an unknown metric, sizes or draws below 1, or a model's sessions that are not of one model.
    """
    raise NotImplementedError


def rank_agreement(
    models: Mapping[str, Sequence[Session]],
    facts: Iterable[TurnFacts],
    by: str,
    *,
    metric: str = "rob",
    formality: Callable[[str], str] | None = None,
) -> dict[str, RankAgreement]:
    """Correlation over models between each kind of dialogues and all of them (paper App. F, Fig. 6).

    Args:
        models: Name to sessions.
        facts: What the run knows of its turns.
        by: `synthesizer`, `register` or `formality`.
        metric: One of `METRIC_NAMES`.
        formality: From a query to `formal` or `informal`.

    Returns:
        Kind of dialogues, in alphabetical order, to its agreement.
    """
    raise NotImplementedError
