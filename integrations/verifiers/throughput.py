"""How many rollouts a second the environment plays against a server that answers at once, with verifiers around it.

    python integrations/verifiers/throughput.py [ROLLOUTS] [TURNS]

The server is a process of its own, so that two cores are used. What is measured is everything but the model.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time

import verifiers.v1 as vf
from aiohttp import web

AT_A_TIME = 64
ANSWER = "A short answer. It has two sentences."


def serve() -> None:
    """Answer every request at once, and print the port."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    text = json.dumps(body)

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(text=text, content_type="application/json")

    async def run() -> None:
        app = web.Application(client_max_size=2**24)
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.to_thread(sys.stdin.read)

    asyncio.run(run())


async def measure(url: str, rollouts: int, turns: int) -> tuple[float, float]:
    """Seconds by the clock and of this process's time for all rollouts; four of each dialogue, as in a group."""
    taskset = {"dialogues": -(-rollouts // 4), "max_turns": turns, "options": {"turns": turns, "profile": "objective"}}
    env = vf.load_environment(vf.resolve_env_config({"taskset": {"id": "evolif-verifiers", **taskset}}))
    client = vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY")
    context, gate = vf.ModelContext(model="m", client=client), asyncio.Semaphore(AT_A_TIME)
    slots = [slot for task in env.taskset for slot in env.slots(task, 4)][:rollouts]
    async with env.serving():
        began, used = time.perf_counter(), time.process_time()
        episodes = await asyncio.gather(*(env.run_slot(slot, context, gate) for slot in slots))
        took = time.perf_counter() - began, time.process_time() - used
    assert all(episode.ok for episode in episodes)
    return took


def main() -> None:
    given = [int(word) for word in sys.argv[1:3]]
    rollouts, turns = given + [400, 10][len(given) :]
    pipe = subprocess.PIPE
    server = subprocess.Popen([sys.executable, __file__, "serve"], stdin=pipe, stdout=pipe, text=True)
    assert server.stdout is not None and server.stdin is not None
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        clock, used = asyncio.run(measure(url, rollouts, turns))
    finally:
        server.stdin.close()
        server.wait()
    print(
        f"{rollouts} rollouts of {turns} turns: {rollouts / clock:.1f} a second by the clock, "
        f"{rollouts / used:.1f} a second of this process's time"
    )


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main()
