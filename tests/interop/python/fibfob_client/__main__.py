"""Reads commands as lines of JSON, each with a number `n`, and answers each with a line that carries the same `n`."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from .client import Client, Match, Message
from .families import moves


ASK_LEGAL = {"type": "legal"}


class Driver:
    """Performs the commands of a test. The JavaScript driver takes the same ones."""

    def __init__(self) -> None:
        self._client: Client | None = None
        self._running: asyncio.Task[None] | None = None

    @property
    def client(self) -> Client:
        assert self._client is not None, "the first command must be connect"
        return self._client

    async def perform(self, command: Message) -> Any:
        match command["do"]:
            case "connect":
                self._client = client = Client(command["url"], command["name"])
                self._running = asyncio.create_task(client.run())
                await client.until(lambda: client.welcome)
                return client.welcome
            case "request":
                return await self.client.request(command["request"])
            case "repeat":
                return await self.client.repeat(command["id"])
            case "send-text":
                return await self.client.send_text(command["text"])
            case "play":
                until, first_moves = command.get("until"), command.get("firstMoves", False)
                return report(await self.client.play_on(command["match"], until, first_moves))
            case "wait-for":
                version, over = command.get("version", 1), command.get("over", False)
                return report(await self._wait_for(command["match"], version, over))
            case "moves":
                state = self.client.matches[command["match"]].state or {}
                # Whoever is not to move asks for them.
                shown = state if "legal" in state else await self.client.request({**ASK_LEGAL, "match": command["match"]})
                return moves(shown["legal"])
            case "wait-for-connections":
                await self.client.until(lambda: self.client.connections >= command["count"])
                return self.client.close_codes
            case "wait-for-lobby":
                await self.client.until(lambda: self._lists(command["guest"]))
                return self.client.lobby
            case "received":
                return self.client.received
            case "violations":
                return self.client.violations
            case "close":
                await self.client.close()
                return None
            case unknown:
                raise ValueError(f"unknown command {unknown}")

    def _lists(self, guest: str) -> bool:
        lobby = self.client.lobby or {"open": []}
        return any(row["creator"].get("guest") == guest for row in lobby["open"])

    async def _wait_for(self, match: str, version: int, over: bool) -> Match:
        matches = self.client.matches

        def reached() -> bool:
            return match in matches and matches[match].version >= version and (matches[match].ended or not over)

        await self.client.until(reached)
        return matches[match]


def report(match: Match) -> Message:
    return {
        "version": match.version,
        "events": match.events,
        "state": match.state,
        "seat": match.seat,
        "presence": match.presence,
    }


async def main() -> None:
    driver = Driver()
    tasks: set[asyncio.Task[None]] = set()

    async def answer(command: Message) -> None:
        reply: Message
        try:
            reply = {"n": command["n"], "result": await driver.perform(command)}
        except Exception as error:  # The test reports any error as its own failure.
            reply = {"n": command["n"], "error": repr(error)}
        print(json.dumps(reply), flush=True)

    commands = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while text := await commands.readline():
        task = asyncio.create_task(answer(json.loads(text)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


asyncio.run(main())
