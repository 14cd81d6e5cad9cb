"""Which engine plays a run, by its name."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from evolif._errors import UsageError
from evolif.protocol._play import Engine
from evolif.protocol._turnstile import Gate
from evolif.protocol.engines import play_here
from evolif.protocol.engines._letters import Errand


def engine_of(
    name: str,
    address: str | None,
    errand: Errand,
    notify: Callable[[str], None],
    gate: Gate | None,
    *,
    cached: bool = False,
) -> Engine:
    """The engine.

    Args:
        name: `asyncio` or `ray`.
        address: Of a Ray cluster; None for one of this machine's own.
        errand: What the cluster's processes have to know.
        notify: Told in sentences of processes that die.
        gate: Asked before every call.
        cached: Whether requests are cached.

    Raises:
        UsageError: an unknown name, a flag of another engine, the extra is not installed.
    """
    if name not in ("asyncio", "ray"):
        raise UsageError(f"unknown --engine “{name}”; there are asyncio and ray")
    if name == "asyncio":
        if address is not None:
            raise UsageError("--ray-address needs --engine ray")
        return play_here
    if cached:
        raise UsageError("--cache is a folder of this machine, which the processes of --engine ray do not share")
    if find_spec("ray") is None:
        raise UsageError("--engine ray needs the extra ray: pip install 'evolif[ray]'")
    from evolif.protocol.engines._ray import RayEngine

    return RayEngine(address, errand, notify, gate)
