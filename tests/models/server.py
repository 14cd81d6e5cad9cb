"""A small OpenAI-compatible server whose every answer a test scripts, fault or not."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One HTTP answer; `echo_key` puts what the client sent as its key into the body, as careless servers do."""

    body: object = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    echo_key: bool = False
    fault: str = ""
    """`stall`: no answer; `drip`: a body without end; `reset`: the connection breaks in mid-body; `hang up`: at once;
    `noise`: what is no HTTP; `flood`: a body without end and without a pause."""


@dataclass(frozen=True)
class Seen:
    """One request as it arrived; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Server:
    """Address, script and record."""

    answers: list[Answer]
    port: int = 0
    url: str = ""
    seen: list[Seen] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def next_answer(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def completion(content: object = "Hello.", *, finish: str = "stop", **message: object) -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny-2026-01-01",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def ok(content: object = "Hello.", *, finish: str = "stop", **message: object) -> Answer:
    return Answer(completion(content, finish=finish, **message))


def error(
    status: int, message: str, *, code: object = None, echo_key: bool = False, headers: dict[str, str] | None = None
) -> Answer:
    body = {"error": {"message": message, "type": "some_error", "code": code}}
    return Answer(body, status, headers or {}, echo_key)


@contextmanager
def serving(
    *answers: Answer, port: int = 0, answering: Callable[[Seen], Answer | None] = lambda seen: None
) -> Iterator[Server]:
    """Serve the answers in turn, the last one for ever; where `answering` has one for a request, that one."""
    server = Server(list(answers))
    connections: list[socket.socket] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            connections.append(self.connection)

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen = Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, sent)
            server.seen.append(seen)
            _send(self, answering(seen) or server.next_answer(), server)

        def do_GET(self) -> None:
            seen = Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, {})
            server.seen.append(seen)
            _send(self, answering(seen) or server.next_answer(), server)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as http:
        http.daemon_threads = True
        server.port = http.server_port
        server.url = f"http://127.0.0.1:{http.server_port}/v1"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            http.shutdown()
            thread.join()
            for connection in connections:  # kept alive, a thread would go on answering
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def _send(handler: BaseHTTPRequestHandler, answer: Answer, server: Server) -> None:
    handler.close_connection = bool(answer.fault)
    if answer.fault == "stall":
        server.over.wait(10)
        return
    if answer.fault == "hang up":
        return
    if answer.fault == "noise":
        handler.wfile.write(b"\x00\xff this is no HTTP\r\n\r\n")
        return
    key = handler.headers.get("Authorization", "") or handler.headers.get("x-goog-api-key", "")
    body = _bytes(answer, key.removeprefix("Bearer "))
    handler.send_response(answer.status)
    for name, value in {"Content-Type": "application/json", **answer.headers}.items():
        handler.send_header(name, value)
    if answer.fault != "flood":
        handler.send_header("Content-Length", str(10_000_000 if answer.fault else len(body)))
    handler.end_headers()
    try:
        _write(handler, body, answer.fault, server)
    except OSError:  # the client has had enough
        return


def _write(handler: BaseHTTPRequestHandler, body: bytes, fault: str, server: Server) -> None:
    handler.wfile.write(body)
    handler.wfile.flush()
    while fault == "drip" and not server.over.wait(0.05):
        handler.wfile.write(b" ")
    while fault == "flood" and not server.over.is_set():
        handler.wfile.write(b" " * 2**16)


def _bytes(answer: Answer, key: str) -> bytes:
    if isinstance(answer.body, bytes):
        return answer.body
    text = json.dumps(answer.body)
    return (text.replace("KEY", key) if answer.echo_key else text).encode()
