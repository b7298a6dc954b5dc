"""Reads commands as lines of JSON, each with a number `n`, and answers each by a line with the same `n`."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from .client import Client, Match, Message
from .families import moves


class Judge:
    """The commands of a test; the same few in every language."""

    def __init__(self) -> None:
        self._client: Client | None = None
        self._running: asyncio.Task[None] | None = None

    @property
    def client(self) -> Client:
        assert self._client is not None, "connect comes first"
        return self._client

    async def perform(self, command: Message) -> Any:
        client = self._client
        match command["do"]:
            case "connect":
                self._client = client = Client(command["url"], command["name"])
                self._running = asyncio.create_task(client.run())
                await client.until(lambda: self.client.welcome)
                return client.welcome
            case "request":
                return await self.client.request(command["request"])
            case "repeat":
                return await self.client.repeat(command["id"])
            case "say":
                return await self.client.say(command["text"])
            case "play":
                return report(await self.client.play_on(command["match"], command.get("until"), command.get("long", False)))
            case "see":
                return report(await self._see(command["match"], command.get("version", 1), command.get("over", False)))
            case "moves":
                return moves((self.client.matches[command["match"]].state or {})["legal"])
            case "lines":
                await self.client.until(lambda: self.client.lines >= command["count"])
                return self.client.closes
            case "lobby":
                await self.client.until(lambda: self._shows(command["guest"]))
                return self.client.lobby
            case "heard":
                return self.client.heard
            case "faults":
                return self.client.faults
            case "close":
                await self.client.close()
                return None
            case unknown:
                raise ValueError(f"{unknown} is no command")

    def _shows(self, guest: str) -> bool:
        lobby = self.client.lobby or {"open": []}
        return any(listed["creator"].get("guest") == guest for listed in lobby["open"])

    async def _see(self, match: str, version: int, over: bool) -> Match:
        seen = self.client.matches
        await self.client.until(lambda: match in seen and seen[match].version >= version and (seen[match].ended or not over))
        return seen[match]


def report(match: Match) -> Message:
    return {"version": match.version, "events": match.events, "state": match.state, "seat": match.seat, "presence": match.presence}


async def main() -> None:
    judge = Judge()
    tasks: set[asyncio.Task[None]] = set()

    async def answer(command: Message) -> None:
        said: Message
        try:
            said = {"n": command["n"], "result": await judge.perform(command)}
        except Exception as fault:  # Whatever it is, the test is told.
            said = {"n": command["n"], "fault": repr(fault)}
        print(json.dumps(said), flush=True)

    lines = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while text := await lines.readline():
        task = asyncio.create_task(answer(json.loads(text)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


asyncio.run(main())
