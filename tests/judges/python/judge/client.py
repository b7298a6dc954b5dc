"""The client: it comes back by itself after a broken line, asks again what was not answered, and keeps a list of `faults`:
everything the server said that the text does not allow. Knows no game."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from .families import MOVES_MAX, firsts, moves

Message = dict[str, Any]

PROTOCOL = Subprotocol("fibfob.v1")
# What each event says, beside `version`, `at` and its name. Kinds that are not listed are kept by name only.
FIELDS: dict[str, tuple[str, ...]] = {
    "created": ("terms",),
    "joined": ("player",),
    "moved": ("seat", "move"),
    "resigned": ("seat",),
    "withdrawn": (),
    "expired": (),
    "rematch-offered": ("seat",),
    "rematch-accepted": ("seat", "next"),
}
ANSWERS = {"accepted", "refused", "preview", "analysis", "review"}
# Before another try after a line that broke without a word, and before a request with `retry` is sent again.
PAUSE_S = 0.05


@dataclass
class Match:
    """A match as it was told to us."""

    version: int = 0
    events: list[Message] = field(default_factory=list)
    state: Message | None = None
    seat: str | None = None
    presence: Message | None = None

    @property
    def ended(self) -> bool:
        return self.state is not None and self.state["phase"] in ("over", "closed")


@dataclass
class Asked:
    """A request that waits for its answer."""

    request: Message
    answer: asyncio.Future[Message]
    own: bool = False


class Client:
    """One guest of a server, over as many connections as it takes."""

    def __init__(self, url: str, name: str) -> None:
        self.url = url
        self.name = name
        self.welcome: Message | None = None
        self.lobby: Message | None = None
        self.lines = 0
        self.closes: list[int] = []
        self.faults: list[str] = []
        self.matches: dict[str, Match] = {}
        self.heard: Counter[str] = Counter()  # How often each type of message was heard.
        self._mark = secrets.token_hex(4)
        self._count = 0
        self._pending: dict[str, Asked] = {}
        self._asked: dict[str, Message] = {}
        self._strayed: list[Message] = []
        self._line: ClientConnection | None = None
        self._pause = PAUSE_S
        self._news = asyncio.Condition()
        self._ended = False
        self._broken: Exception | None = None

    async def run(self) -> None:
        """Keeps a line to the server until `close`. What it cannot understand ends it, and everybody who waits is told."""
        try:
            await self._keep()
        except Exception as fault:
            self._broken = fault
            await self._wake()

    async def _keep(self) -> None:
        while not self._ended:
            try:
                async with connect(self.url, subprotocols=[PROTOCOL], proxy=None) as line:
                    await self._listen(line)
            except ConnectionClosed as closed:
                self.closes.append(closed.rcvd.code if closed.rcvd else 1006)
            except (OSError, InvalidHandshake, EOFError):
                pass  # The server is not there yet.
            await self._wake()
            pause, self._pause = self._pause, PAUSE_S
            await asyncio.sleep(pause)

    async def until(self, test: Callable[[], object]) -> None:
        """Returns when `test` holds; looks again after everything that is heard."""
        async with self._news:
            await self._news.wait_for(lambda: self._broken is not None or bool(test()))
        if self._broken is not None:
            raise self._broken

    async def request(self, fields: Message) -> Message:
        """Sends a request and gives its answer, however often the line breaks between."""
        return await self._ask({**fields, "id": fields.get("id") or self._fresh()})

    async def repeat(self, id: str) -> Message:
        """Sends an earlier request again, word for word."""
        return await self._ask(self._asked[id])

    async def say(self, text: str) -> Message:
        """Sends any text and gives the next answer that no request of ours has."""
        before = len(self._strayed)
        assert self._line is not None, "say needs a line"
        await self._line.send(text)
        await self.until(lambda: len(self._strayed) > before)
        return self._strayed[before]

    async def play_on(self, match: str, until: int | None, long: bool) -> Match:
        """Plays whenever it is our turn, until the match is over or at version `until`."""
        await self.until(lambda: match in self.matches and self.matches[match].state)
        seen = self.matches[match]
        while not seen.ended and (until is None or seen.version < until):
            version, state = seen.version, seen.state or {}
            if state.get("phase") == "playing" and state["turn"] == seen.seat:
                choice = firsts(state["legal"]) if long else moves(state["legal"])
                move = choice[(version * 7919 + 13) % len(choice)]
                answer = await self.request({"type": "play", "match": match, "expecting": version, "move": move})
                if answer["type"] != "accepted":
                    self.faults.append(f"our own legal move {move} was answered by {answer}")
                    return seen
                await self.until(lambda: seen.version >= answer["version"])
                event = seen.events[answer["version"] - 1]
                if (event["event"], event.get("seat"), event.get("move")) != ("moved", seen.seat, move):
                    self.faults.append(f"version {answer['version']} should be our move {move}, and is {event}")
            else:
                await self.until(lambda: seen.version > version)
        return seen

    async def close(self) -> None:
        """Ends the line for good."""
        self._ended = True
        if self._line is not None:
            await self._line.close()

    def _fresh(self) -> str:
        self._count += 1
        return f"{self._mark}-{self._count}"

    async def _ask(self, request: Message) -> Message:
        asked = Asked(request, asyncio.get_running_loop().create_future())
        self._asked[request["id"]] = request
        self._pending[request["id"]] = asked
        if self._line is not None:
            await self._send(self._line, request)
        return await asked.answer

    async def _send(self, line: ClientConnection, message: Message) -> None:
        try:
            await line.send(json.dumps(message))
        except ConnectionClosed:
            pass  # It waits in `_pending` for the next line.

    async def _listen(self, line: ClientConnection) -> None:
        hello: Message = {"type": "hello", "protocol": PROTOCOL, "name": self.name}
        if self.welcome is not None:
            hello["token"] = self.welcome["token"]
        await line.send(json.dumps(hello))
        try:
            while True:
                text = await line.recv()
                if not isinstance(text, str):
                    self.faults.append("a frame that is no text")
                message: Message = json.loads(text)
                if message["type"] == "welcome":
                    await self._greeted(line, message)
                else:
                    await self._hear(line, message)
                await self._wake()
        finally:
            self._line = None

    async def _greeted(self, line: ClientConnection, welcome: Message) -> None:
        if self._line is not None:
            self.faults.append("a second welcome")
        if self.welcome is not None and self.welcome["guest"] != welcome["guest"]:
            self.faults.append("another guest for the same token")
        self.lines += 1
        self.welcome = welcome
        # Our own resumes of the line before are void: those that follow now say more.
        unanswered = [asked for asked in self._pending.values() if not asked.own]
        self._pending = {asked.request["id"]: asked for asked in unanswered}
        self._line = line
        for match, seen in self.matches.items():
            request: Message = {"type": "resume", "id": self._fresh(), "match": match, "since": seen.version}
            resume = Asked(request, asyncio.get_running_loop().create_future(), own=True)
            resume.answer.add_done_callback(self._resumed)
            self._pending[request["id"]] = resume
            await self._send(line, request)
        for asked in unanswered:
            await self._send(line, asked.request)

    def _resumed(self, answer: asyncio.Future[Message]) -> None:
        if not answer.cancelled() and answer.result()["type"] != "accepted":
            self.faults.append(f"resume: {answer.result()['reason']}")

    async def _hear(self, line: ClientConnection, message: Message) -> None:
        self.heard[message["type"]] += 1
        match message["type"]:
            case kind if kind in ANSWERS:
                self._answer(line, message)
            case "frame":
                self._event(message["match"], message, message["state"])
            case "snapshot":
                for event in message["events"]:
                    newest = event["version"] == message["version"]
                    self._event(message["match"], event, message["state"] if newest else None)
            case "presence":
                self._followed(message["match"]).presence = message
            case "lobby":
                self.lobby = message
            case "goodbye":
                self._pause = message["retry_after_ms"] / 1000
            case _:
                pass  # From a later version of the protocol.

    def _answer(self, line: ClientConnection, answer: Message) -> None:
        asked = self._pending.get(answer["id"]) if answer["id"] is not None else None
        if asked is None:
            self._strayed.append(answer)
        elif answer["type"] == "refused" and answer["retry"]:
            loop = asyncio.get_running_loop()
            loop.call_later(PAUSE_S, lambda: loop.create_task(self._send(line, asked.request)))
        else:
            del self._pending[asked.request["id"]]
            if answer["type"] == "accepted" and "match" in answer:
                if asked.request["type"] == "leave":
                    self.matches.pop(answer["match"], None)
                elif "seat" in answer:
                    self._followed(answer["match"]).seat = answer["seat"]
            asked.answer.set_result(answer)

    def _followed(self, match: str) -> Match:
        return self.matches.setdefault(match, Match())

    def _event(self, match: str, told: Message, state: Message | None) -> None:
        seen = self._followed(match)
        event = {name: told[name] for name in ("version", "at", "event", *FIELDS.get(told["event"], ()))}
        if event["version"] <= seen.version:
            # It comes again for who asks again; then it is what it was.
            self.heard["again"] += 1
            if event != seen.events[event["version"] - 1]:
                self.faults.append(f"version {event['version']} is another now")
            return
        if event["version"] != seen.version + 1:
            self.faults.append(f"version {event['version']} came after {seen.version}")
        if event["event"] == "moved" and seen.state is not None and "legal" in seen.state:
            legal = moves(seen.state["legal"])
            if len(legal) < MOVES_MAX and event["move"] not in legal:
                self.faults.append(f"{event['move']} was played and not in the legal families")
        seen.events.append(event)
        seen.version = event["version"]
        seen.state = state

    async def _wake(self) -> None:
        async with self._news:
            self._news.notify_all()
