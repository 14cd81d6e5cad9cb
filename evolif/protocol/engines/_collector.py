"""Python's cycle collector, called less often while a run is played.

What is loaded before the first call stays to the end, and a turn leaves hardly a cycle behind; but the collector's
default of a look after every 700 new objects means dozens of looks a turn with an SDK at work, and each time the long
conversations are walked through again. Measured by `benchmarks/side_by_side.py`: it takes a tenth of the processor
time of a run (docs/performance.md).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (20_000, 20, 20)


@contextmanager
def calm_collector() -> Iterator[None]:
    """Collect seldom; the settings of the process are put back."""
    before = gc.get_threshold()
    if not gc.isenabled() or before[0] > _THRESHOLDS[0]:
        yield
        return
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
