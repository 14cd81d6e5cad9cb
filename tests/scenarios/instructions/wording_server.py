"""A small OpenAI-compatible server that words turns: it gives back the plain message at the end of the prompt."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PLAIN = re.compile(r"(?:in other words|as the person would say it):\n(.*)\Z", re.DOTALL)

Reply = Callable[[dict[str, Any]], "str | int"]
"""The content of an answer to a request's body, or an HTTP status."""


def plain_words(body: dict[str, Any]) -> str:
    """The message that the prompt ends with; of a checker's prompt that nothing is wrong."""
    user = body["messages"][-1]["content"]
    found = PLAIN.search(user)
    if found is None:
        return json.dumps({"what": "nothing", "asks_for_more": False, "reason": "named", "names_task": True})
    return json.dumps({"query": found[1]}) if "response_format" in body else found[1]


@dataclass
class Served:
    """The server's address and what it was asked."""

    url: str
    reply: Reply
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    flight: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, body: dict[str, Any], key: str) -> tuple[int, dict[str, Any]]:
        with self.lock:
            self.asked.append(body)
            self.keys.add(key)
            self.flight += 1
            self.most = max(self.most, self.flight)
        try:
            content = self.reply(body)
        finally:
            with self.lock:
                self.flight -= 1
        if isinstance(content, int):
            return content, {"error": {"message": "not now", "type": "t", "code": None}}
        message = {"role": "assistant", "content": content}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return 200, {
            "id": "c", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice],
            "usage": usage,
        }  # fmt: skip


@contextmanager
def wording_server(reply: Reply = plain_words) -> Iterator[Served]:
    """Serve on loopback."""
    served = Served("", reply)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, data = served.answer(body, self.headers.get("Authorization", ""))
            text = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        served.url = f"http://127.0.0.1:{http.server_port}/v1"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield served
        finally:
            http.shutdown()
            thread.join()
