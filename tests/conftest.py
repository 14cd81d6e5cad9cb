"""What all tests share.

Properties are tried on 25 examples; `--hypothesis-profile thorough`, which the CI uses, takes 50.
"""

import gc
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from evolif.models import ChatModel
from evolif.models.dialect import forget

# The prices of whoever runs the tests are none of theirs.
os.environ["EVOLIF_CONFIG_DIR"] = os.devnull

# How long an example takes says nothing about whether it is right.
settings.register_profile("quick", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=50)
settings.load_profile("quick")


@pytest.fixture(autouse=True)
def nothing_learnt() -> None:
    """No test begins with what an earlier one learnt of an endpoint whose port came up again."""
    forget()


@pytest.fixture
def fake_models(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], ChatModel]], None]:
    """Have a run open the models that a function makes of names, for commands and for what depends on addresses.

    The one place that knows where models are opened; all other tests pass model objects.
    """

    def use(make: Callable[[str], ChatModel]) -> None:
        monkeypatch.setattr("evolif.runner.clients.open_model", lambda spec, **_: make(spec))

    return use


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Callable[[Path], object], Path], Path]:
    """A copy of a folder that many tests begin with: `copied(make, to)` calls `make` once in a session."""
    made: dict[Callable[[Path], object], Path] = {}

    def copy(make: Callable[[Path], object], to: Path) -> Path:
        if make not in made:
            made[make] = tmp_path_factory.mktemp("made") / to.name
            make(made[make])
        return Path(shutil.copytree(made[make], to, symlinks=True))

    return copy


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test that is marked as sampled, leave all cases but the first to `make test-slow`.

    Those that ask the small real model come first: some take a minute, which at the end one process would spend alone.
    """
    seen: set[str] = set()
    for item in items:
        if item.get_closest_marker("sampled") is not None:
            test = item.nodeid.partition("[")[0]
            if test in seen:
                item.add_marker("slow")
            seen.add(test)
    items.sort(key=lambda item: item.get_closest_marker("local") is None)


def pytest_collection_finish() -> None:
    """Keep the collected tests out of the garbage collector: a full pass over them takes about a second.

    `calm_collector` would give them back to it after every run that is played here; the high threshold keeps it from
    that. Where it is at work is in the tests that start a process.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
