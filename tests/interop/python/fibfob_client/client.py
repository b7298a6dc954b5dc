"""A client that reconnects by itself, resends unanswered requests, and records in `violations` every message that
PROTOCOL.md does not allow. It knows no game."""

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

from .families import MOVES_MAX, first_moves, moves

Message = dict[str, Any]

PROTOCOL = Subprotocol("fibfob.v1")
# The fields of each event besides `version`, `at` and `event`. Of other events only these three are kept.
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
ANSWERS = {"accepted", "refused", "preview", "analysis", "review", "legal", "matches", "device-code", "identity"}
# The pause before reconnecting after a connection that ended without `goodbye`, and before repeating a request that
# was refused with `retry`.
PAUSE_S = 0.05


@dataclass
class Match:
    """A followed match, built from the received events."""

    version: int = 0
    events: list[Message] = field(default_factory=list)
    state: Message | None = None
    seat: str | None = None
    presence: Message | None = None

    @property
    def ended(self) -> bool:
        return self.state is not None and self.state["phase"] in ("over", "closed")


@dataclass
class Pending:
    """A request without an answer so far. `own` marks a `resume` sent by the client itself."""

    request: Message
    answer: asyncio.Future[Message]
    own: bool = False


class Client:
    """One guest of a server, over any number of connections."""

    def __init__(self, url: str, name: str) -> None:
        self.url = url
        self.name = name
        self.welcome: Message | None = None
        self.lobby: Message | None = None
        self.connections = 0
        self.close_codes: list[int] = []
        self.violations: list[str] = []
        self.matches: dict[str, Match] = {}
        self.received: Counter[str] = Counter()  # Messages received, by type.
        self._prefix = secrets.token_hex(4)
        self._count = 0
        self._pending: dict[str, Pending] = {}
        self._requests: dict[str, Message] = {}
        self._unmatched: list[Message] = []
        self._connection: ClientConnection | None = None
        self._pause = PAUSE_S
        self._changed = asyncio.Condition()
        self._closed = False
        self._error: Exception | None = None

    async def run(self) -> None:
        """Stays connected until `close`. An unexpected error ends it and is raised in all waiting calls."""
        try:
            await self._stay_connected()
        except Exception as error:
            self._error = error
            await self._notify()

    async def _stay_connected(self) -> None:
        while not self._closed:
            try:
                async with connect(self.url, subprotocols=[PROTOCOL], proxy=None) as connection:
                    await self._receive_all(connection)
            except ConnectionClosed as closed:
                self.close_codes.append(closed.rcvd.code if closed.rcvd else 1006)
            except (OSError, InvalidHandshake, EOFError):
                pass  # The server is not reachable at the moment.
            await self._notify()
            pause, self._pause = self._pause, PAUSE_S
            await asyncio.sleep(pause)

    async def until(self, test: Callable[[], object]) -> None:
        """Returns when `test` holds. It is evaluated again after every message."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._error is not None or bool(test()))
        if self._error is not None:
            raise self._error

    async def request(self, fields: Message) -> Message:
        """Sends a request and returns its answer, across any number of reconnects."""
        return await self._send_request({**fields, "id": fields.get("id") or self._next_id()})

    async def repeat(self, id: str) -> Message:
        """Sends an earlier request again, unchanged."""
        return await self._send_request(self._requests[id])

    async def send_text(self, text: str) -> Message:
        """Sends any text and returns the next answer that belongs to no pending request."""
        before = len(self._unmatched)
        assert self._connection is not None, "send_text needs an open connection"
        await self._connection.send(text)
        await self.until(lambda: len(self._unmatched) > before)
        return self._unmatched[before]

    async def play_on(self, match: str, until: int | None, only_first: bool) -> Match:
        """Plays every turn of this seat until the match ends or reaches version `until`. With `only_first` it chooses
        the first move alone, which makes long matches."""
        await self.until(lambda: match in self.matches and self.matches[match].state)
        followed = self.matches[match]
        while not followed.ended and (until is None or followed.version < until):
            version, state = followed.version, followed.state or {}
            if state.get("phase") == "playing" and state["turn"] == followed.seat:
                choices = first_moves(state["legal"]) if only_first else moves(state["legal"])
                move = choices[(version * 7919 + 13) % len(choices)]
                answer = await self.request({"type": "play", "match": match, "expecting": version, "move": move})
                if answer["type"] != "accepted":
                    self.violations.append(f"the legal move {move} was answered with {answer}")
                    return followed
                await self.until(lambda: followed.version >= answer["version"])
                event = followed.events[answer["version"] - 1]
                if (event["event"], event.get("seat"), event.get("move")) != ("moved", followed.seat, move):
                    self.violations.append(f"version {answer['version']} is not the accepted move {move} but {event}")
            else:
                await self.until(lambda: followed.version > version)
        return followed

    async def close(self) -> None:
        """Closes the connection without reconnecting."""
        self._closed = True
        if self._connection is not None:
            await self._connection.close()

    def _next_id(self) -> str:
        self._count += 1
        return f"{self._prefix}-{self._count}"

    async def _send_request(self, request: Message) -> Message:
        pending = Pending(request, asyncio.get_running_loop().create_future())
        self._requests[request["id"]] = request
        self._pending[request["id"]] = pending
        if self._connection is not None:
            await self._send(self._connection, request)
        return await pending.answer

    async def _send(self, connection: ClientConnection, message: Message) -> None:
        try:
            await connection.send(json.dumps(message))
        except ConnectionClosed:
            pass  # It stays in `_pending` for the next connection.

    async def _receive_all(self, connection: ClientConnection) -> None:
        hello: Message = {"type": "hello", "protocol": PROTOCOL, "name": self.name}
        if self.welcome is not None:
            hello["token"] = self.welcome["token"]
        await connection.send(json.dumps(hello))
        try:
            while True:
                text = await connection.recv()
                if not isinstance(text, str):
                    self.violations.append("a binary frame")
                message: Message = json.loads(text)
                if message["type"] == "welcome":
                    await self._on_welcome(connection, message)
                else:
                    await self._on_message(connection, message)
                await self._notify()
        finally:
            self._connection = None

    async def _on_welcome(self, connection: ClientConnection, welcome: Message) -> None:
        if self._connection is not None:
            self.violations.append("a second welcome")
        if self.welcome is not None and self.welcome["guest"] != welcome["guest"]:
            self.violations.append("another guest for the same token")
        self.connections += 1
        self.welcome = welcome
        # The `resume` requests of the last connection are replaced by those below, which carry newer versions.
        unanswered = [pending for pending in self._pending.values() if not pending.own]
        self._pending = {pending.request["id"]: pending for pending in unanswered}
        self._connection = connection
        for match, followed in self.matches.items():
            request: Message = {"type": "resume", "id": self._next_id(), "match": match, "since": followed.version}
            resume = Pending(request, asyncio.get_running_loop().create_future(), own=True)
            resume.answer.add_done_callback(self._on_resume_answer)
            self._pending[request["id"]] = resume
            await self._send(connection, request)
        for pending in unanswered:
            await self._send(connection, pending.request)

    def _on_resume_answer(self, answer: asyncio.Future[Message]) -> None:
        if not answer.cancelled() and answer.result()["type"] != "accepted":
            self.violations.append(f"resume was refused: {answer.result()['reason']}")

    async def _on_message(self, connection: ClientConnection, message: Message) -> None:
        self.received[message["type"]] += 1
        match message["type"]:
            case kind if kind in ANSWERS:
                self._on_answer(connection, message)
            case "frame":
                match = message["match"]
                followed = self._follow(match)
                state = followed.state
                if state is not None and message["version"] == followed.version + 1:
                    state = _changed_state(state, message)
                self._on_event(match, message, state)
            case "snapshot":
                for event in message["events"]:
                    self._on_event(message["match"], event, None)
                followed = self._follow(message["match"])
                if followed.version == message["version"]:
                    followed.state = message["state"]
            case "presence":
                self._follow(message["match"]).presence = message
            case "lobby":
                self.lobby = message
            case "lobby-change":
                self.lobby = _changed_lobby(self.lobby or {}, message)
            case "goodbye":
                self._pause = message["retry_after_ms"] / 1000
            case _:
                pass  # Messages of types that are unknown here are ignored.

    def _on_answer(self, connection: ClientConnection, answer: Message) -> None:
        pending = self._pending.get(answer["id"]) if "id" in answer else None
        if pending is None:
            self._unmatched.append(answer)
        elif answer["type"] == "refused" and answer["retry"]:
            loop = asyncio.get_running_loop()
            pause = answer.get("retry_after_ms", PAUSE_S * 1000) / 1000
            loop.call_later(pause, lambda: loop.create_task(self._send(connection, pending.request)))
        else:
            del self._pending[pending.request["id"]]
            if answer["type"] == "accepted":
                if pending.request["type"] == "leave":
                    self.matches.pop(pending.request["match"], None)
                elif "seat" in answer:
                    self._follow(answer["match"]).seat = answer["seat"]
            pending.answer.set_result(answer)

    def _follow(self, match: str) -> Match:
        return self.matches.setdefault(match, Match())

    def _on_event(self, match: str, message: Message, state: Message | None) -> None:
        followed = self._follow(match)
        event = {name: message[name] for name in ("version", "at", "event", *FIELDS.get(message["event"], ()))}
        if event["version"] <= followed.version:
            # A repeated request brings its event again, and it must be the same one.
            self.received["repeated"] += 1
            if event != followed.events[event["version"] - 1]:
                self.violations.append(f"version {event['version']} has changed")
            return
        if event["version"] != followed.version + 1:
            self.violations.append(f"version {event['version']} came after {followed.version}")
        if event["event"] == "moved" and followed.state is not None and "legal" in followed.state:
            legal = moves(followed.state["legal"])
            if len(legal) < MOVES_MAX and event["move"] not in legal:
                self.violations.append(f"{event['move']} was played but is in none of the legal families")
        followed.events.append(event)
        followed.version = event["version"]
        followed.state = state

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()


def _changed_state(before: Message, frame: Message) -> Message:
    """The state after a frame, as PROTOCOL.md says."""
    state, change = dict(before), frame.get("change", {})
    if "position" in change or "phase" in change:
        state.pop("legal", None)
    if frame["event"] == "moved":
        state["plies"] += 1
        state["last"] = {"seat": frame["seat"], "move": frame["move"]}
    return _merged(state, change)


def _merged(target: Any, patch: Any) -> Any:
    """A merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = _merged(result.get(name), value)
    return result


def _changed_lobby(lobby: Message, change: Message) -> Message:
    """The lobby after a change: entries leave, others come or are replaced, both lists in order."""

    def has_bot(row: Message) -> bool:
        players = [row["creator"], row.get("joiner")]
        return any(player and player["kind"] == "bot" for player in players)

    def changed(name: str) -> list[Message]:
        added = change.get(name, [])
        leaving = {*change.get("gone", []), *(row["code"] for row in added)}
        stay = [row for row in lobby.get(name, []) if row["code"] not in leaving]
        return sorted([*stay, *added], key=lambda row: (has_bot(row), -row["created_at"]))

    return {"open": changed("open"), "playing": changed("playing")}
