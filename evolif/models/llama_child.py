"""The child process that runs llama.cpp: a crash of native code ends this process, never the run.

It is a program, not a library. It reads one JSON line of settings from standard input (other users may be able to read
the arguments and the environment of a process, so the key must not be there), writes one JSON line to standard output
(`{"port": N}` or `{"error": "..."}`), and serves until standard input ends, which it does with every end of the parent,
SIGKILL included. It is started by file name and imports nothing of this package.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from typing import Any
from urllib.parse import urlsplit

_PR_SET_PDEATHSIG = 1
_ERRORS_ONLY = 1
_LOG_DELAY = 0.2
"""Seconds in which a thread of llama.cpp writes why it failed."""
_PROMPT_CACHE_MIB = 512
"""Room for the states of conversations that take turns in one slot; llama.cpp's own default is 8 GiB."""


def _die_with(parent: int) -> None:
    """Have Linux kill this process when the parent ends, since loading blocks the interpreter for seconds.

    To Linux the parent is the thread that started the process: that of the event loop, which alone uses it.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # the parent ended before the call above
        os._exit(0)


def _private_stdout() -> int:
    """A descriptor for the report; what native code prints to standard output goes to standard error."""
    report = os.dup(1)
    os.dup2(2, 1)
    return report


def _parameters(settings: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.model_alias = {settings["alias"]}
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["context"] * settings["slots"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # the system chooses a free port when binding, so that no other program can take it
    params.api_keys = [settings["key"]]
    params.cors_origins = ""
    params.ui = params.endpoint_slots = False
    params.cache_prompt = True
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.offline = True
    params.verbosity = _ERRORS_ONLY
    return params


def _serve(settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Start the server; it stops when the first value is collected."""
    try:
        import xllamacpp

        server = xllamacpp.Server(_parameters(settings))
        return server, {"port": urlsplit(server.listening_address).port}
    except Exception as error:
        time.sleep(_LOG_DELAY)
        return None, {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Serve one GGUF file on a free loopback port until standard input ends."""
    report = _private_stdout()
    settings = json.loads(sys.stdin.buffer.readline())
    _die_with(settings["parent"])
    server, answer = _serve(settings)
    os.write(report, json.dumps(answer).encode() + b"\n")
    os.close(report)
    if server is not None:
        sys.stdin.buffer.read()
    os._exit(0)  # at once: native threads can block an orderly end


if __name__ == "__main__":
    main()
