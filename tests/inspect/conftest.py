"""What the libraries of Inspect leave open is closed here, not in whichever test comes next."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _closed_at_once() -> Iterator[None]:
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its streams warn as they go, and here a warning is an error
        gc.collect()
