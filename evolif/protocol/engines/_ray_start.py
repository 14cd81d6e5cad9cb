"""Ray, started on this machine or reached elsewhere: on loopback where it can be, and without its surprises."""

from __future__ import annotations

import os
import signal
import socket
import threading
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from evolif._errors import OutsideError, UsageError

_REACHED_IN = 10.0
"""Seconds until somebody must have answered at an address. Ray itself tries for minutes, deaf to Ctrl-C."""


def start_ray(address: str | None) -> Any:
    """Ray, connected.

    Args:
        address: Of a cluster, `HOST:PORT`; one of this machine's own, on loopback, where None.

    Raises:
        UsageError: no address.
        OutsideError: it cannot be reached or started.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address is None or _see(address):
        # Ray takes 127.0.0.1 for a wish to be reached from elsewhere and listens on every interface, or looks for a
        # cluster there; with its clusters switched off, as it has them on macOS and Windows, it stays on loopback.
        # Read when ray is imported.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    import ray

    main = threading.current_thread() is threading.main_thread()
    on_term = signal.getsignal(signal.SIGTERM)
    told: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address is None:
            ray.init("local", include_dashboard=False, _node_ip_address="127.0.0.1", **told)
        else:
            ray.init(address, **told)
    except (ConnectionError, RuntimeError, ValueError, OSError) as fault:
        where = f"the Ray cluster {address}" if address else "a Ray cluster of this machine"
        token = "; if it asks for a token, RAY_AUTH_MODE=token and the token must be set here too" if address else ""
        why = str(fault).splitlines()[0] if str(fault) else repr(fault)
        raise OutsideError(f"{where} cannot be used: {why}{token}") from None
    finally:
        if main and on_term is not None:
            signal.signal(signal.SIGTERM, on_term)  # Ray's own would end this process with turns in flight
    return ray


def _see(address: str) -> bool:
    """See that somebody answers at an address; says whether that is loopback.

    Raises:
        UsageError: it is none.
        OutsideError: nobody does.
    """
    try:
        parts = urlsplit(address if "://" in address else f"ray://{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or port is None:
        raise UsageError(f"--ray-address {address} is no address; it is HOST:PORT, as `ray start --head` tells it")
    try:
        socket.create_connection((host, port), _REACHED_IN).close()
    except OSError as fault:
        raise OutsideError(f"nobody answers at --ray-address {address} ({fault.strerror or fault})") from None
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
