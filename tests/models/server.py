"""A small OpenAI-compatible server whose every answer a test scripts, fault or not."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
    """`stall`: no answer; `drip`: a body without end; `reset`: the connection breaks in mid-body."""


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
def serving(*answers: Answer) -> Iterator[Server]:
    """Serve the answers in turn, the last one for ever."""
    server = Server(list(answers))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.seen.append(Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, sent))
            _send(self, server.next_answer(), server)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server.url = f"http://127.0.0.1:{http.server_port}/v1"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            http.shutdown()
            thread.join()


def _send(handler: BaseHTTPRequestHandler, answer: Answer, server: Server) -> None:
    if answer.fault == "stall":
        server.over.wait(10)
        handler.close_connection = True
        return
    body = _bytes(answer, handler.headers.get("Authorization", ""))
    handler.send_response(answer.status)
    for name, value in {"Content-Type": "application/json", **answer.headers}.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(10_000_000 if answer.fault else len(body)))
    handler.end_headers()
    handler.wfile.write(body)
    handler.wfile.flush()
    if answer.fault:
        handler.close_connection = True
    while answer.fault == "drip" and not server.over.wait(0.05):
        try:
            handler.wfile.write(b" ")
        except OSError:  # the client has had enough
            return


def _bytes(answer: Answer, authorization: str) -> bytes:
    if isinstance(answer.body, bytes):
        return answer.body
    text = json.dumps(answer.body)
    return (text.replace("KEY", authorization.removeprefix("Bearer ")) if answer.echo_key else text).encode()
