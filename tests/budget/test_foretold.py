"""A kept forecast is read as what it is: somebody else may have written it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from evolif.budget.forecast import Forecast
from evolif.budget.foretold import foretold, is_over, keep_forecast
from evolif.runner import Run, RunStore, evaluate
from evolif.scenarios.instructions import generate

TOLD = Forecast((), "", (1.5, 2.5), (100, 200))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("foretold")
    bench = generate(folder / "bench", dialogues=2, turns=2, seed=1, profile="objective")
    evaluate(bench, "sim/perfect", folder / "run", max_turns=2).close()
    return folder / "run"


def test_it_is_kept_for_the_extent_that_it_was_made_for(root: Path) -> None:
    with closing(RunStore.open(root)) as store:
        run, settings = Run(store), store.settings
        sealed = run.integrity()
        keep_forecast(store, TOLD, settings, 2)
        told = foretold(run)
        assert told is not None and (told.usd, told.tokens, told.pilot, told.is_priced) == (
            (1.5, 2.5),
            (100, 200),
            2,
            True,
        )
        assert run.integrity() == sealed and not sealed.edited and is_over(run)
        keep_forecast(store, TOLD, settings.model_copy(update={"epochs": 2}), 2)
        assert foretold(run) is None


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[1]",
        "9" * 5000,
        '{"usd": [1, 2]}',
        '{"usd":[1e999,2],"is_priced":true,"tokens":[1,2],"pilot":1,"models":["sim/perfect"],"dialogues":2,"epochs":1}',
        '{"usd":[-1,2],"is_priced":true,"tokens":[1,2],"pilot":1,"models":["sim/perfect"],"dialogues":2,"epochs":1}',
        "[" * 100_000,
    ],
)
def test_one_that_is_none_is_not_shown(root: Path, text: str) -> None:
    with closing(RunStore.open(root)) as store:
        store.note("forecast", text)
        assert foretold(Run(store)) is None
