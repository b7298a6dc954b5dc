"""Plays the cases of the Autobahn test suite against a server that is no echo.

Their messages are no JSON, so this server answers each whole message, text or binary, by one `refused` as `malformed`. The
n-th such answer is handed to the case as the echo of its n-th message: that the message arrived whole is what it stands for.
The expectations are the suite's own. Its waits for an outcome are only bounds here, so that a busy machine changes no result;
where a case waits to see that nothing happens, it waits as long as it says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from websockets.exceptions import ProtocolError

from .line import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, WITHIN_S, Line, closing, frame, masked
from .suite import STATE_CLOSED, STATE_CLOSING, STATE_OPEN

# By the protocol's text a message of this size is too long and is answered by 1009; the suite wants it echoed.
MESSAGE_MAX = 8192
TOO_BIG = 1009
# What the suite calls passed. Non-strict: right, if not as early as could be. Informational: the case asks nothing.
PASSED = {"OK", "NON-STRICT", "INFORMATIONAL"}
MASK = b"\x37\xfa\x21\x3d"


@dataclass
class Outcome:
    """What came of one case."""

    id: str
    behavior: str
    behavior_close: str
    why: str
    too_big: bool

    @property
    def passed(self) -> bool:
        return self.behavior in PASSED and self.behavior_close in PASSED


class Peer:
    """What a case calls its protocol: the names are the suite's."""

    CLOSE_STATUS_CODE_NORMAL = 1000
    CLOSE_STATUS_CODE_GOING_AWAY = 1001
    CLOSE_STATUS_CODE_PROTOCOL_ERROR = 1002
    CLOSE_STATUS_CODE_INVALID_PAYLOAD = 1007

    factory = SimpleNamespace(isServer=False)
    localCloseReason: str | None = None

    def __init__(self, line: Line) -> None:
        self.line = line
        self.case: Any = None
        self.state = STATE_OPEN
        self.connectionWasOpen = True
        self.closedByMe = False
        self.droppedByMe = False
        self.wasClean = False
        self.remoteCloseCode: int | None = None
        self.broken: str | None = None
        self.longest = 0
        self._sent: list[tuple[str, bool]] = []
        self._partial: tuple[str, bool] | None = None
        self._framing: tuple[int, int] = (0, 0)
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        self._timers: list[asyncio.TimerHandle] = []

    # What a case sends.

    def sendFrame(
        self,
        opcode: int,
        payload: str = "",
        fin: bool = True,
        rsv: int = 0,
        mask: str | None = None,
        payload_len: int | None = None,
        chopsize: int | None = None,
        sync: bool = False,
    ) -> None:
        if payload_len is not None:
            payload = (payload * (payload_len // max(1, len(payload)) + 1))[:payload_len]
        self._note(opcode, payload, fin)
        octets = frame(opcode, payload.encode("latin-1"), fin=fin, rsv=rsv, mask=MASK)
        step = chopsize or len(octets)
        for start in range(0, len(octets), step):
            self._outgoing.put_nowait(octets[start : start + step])

    def sendMessage(self, payload: str, isBinary: bool = False, fragmentSize: int | None = None, sync: bool = False) -> None:
        size = fragmentSize or max(1, len(payload))
        opcode: int = BINARY if isBinary else TEXT
        for start in range(0, max(1, len(payload)), size):
            self.sendFrame(opcode, payload[start : start + size], fin=start + size >= len(payload))
            opcode = CONTINUATION

    def beginMessage(self, isBinary: bool = False) -> None:
        self._partial = ("", isBinary)

    def beginMessageFrame(self, length: int) -> None:
        assert self._partial is not None
        self._framing = (0, length)
        self._outgoing.put_nowait(frame(BINARY if self._partial[1] else TEXT, mask=MASK, length=length))

    def sendMessageFrameData(self, payload: str, sync: bool = False) -> None:
        at, length = self._framing
        turn = at % 4
        self._outgoing.put_nowait(masked(payload.encode("latin-1"), MASK[turn:] + MASK[:turn]))
        self._framing = (at + len(payload), length)

    def endMessage(self) -> None:
        self._partial = None

    def sendClose(self, code: int | None = None, reason: str | None = None) -> None:
        self.sendCloseFrame(code, reason or "")

    def sendCloseFrame(self, code: int | None = None, reasonUtf8: str = "", isReply: bool = False) -> None:
        if self.state == STATE_OPEN:
            self.state = STATE_CLOSING
            self.closedByMe = not isReply
            self._outgoing.put_nowait(closing(code, reasonUtf8.encode("latin-1")))
            self._later(WITHIN_S, self._give_up)

    def enableWirelog(self, enable: bool) -> None:
        pass

    # When a case goes on.

    def continueLater(self, delay: float, fun: Callable[[], None], tag: str | None = None) -> None:
        def go_on() -> None:
            if self.state != STATE_CLOSED:
                fun()

        self._later(delay, go_on)

    def killAfter(self, delay: float) -> None:
        self._later(WITHIN_S, self._give_up)

    def closeAfter(self, delay: float) -> None:
        # A case that expects something is closed by what it expects; one that expects nothing has to wait for it.
        waits = all(events == [] for events in self.case.expected.values())
        self._later(delay if waits else WITHIN_S, lambda: self.sendClose(self.CLOSE_STATUS_CODE_NORMAL))

    # The line.

    async def run(self, case: Any) -> None:
        self.case = case
        sending = asyncio.create_task(self._send())
        try:
            case.onOpen()
            await self._listen()
        finally:
            sending.cancel()
            for timer in self._timers:
                timer.cancel()
            self.state = STATE_CLOSED
            self.line.drop()
        case.onConnectionLost(False)

    async def _send(self) -> None:
        try:
            while True:
                self.line.send(await self._outgoing.get())
                await self.line.writer.drain()
                await asyncio.sleep(0)  # One piece at a time, as the case wants it.
        except OSError:
            pass  # The reading side says what happened.

    async def _listen(self) -> None:
        try:
            while True:
                heard = await self.line.hear()
                if heard.opcode is PING:
                    self._outgoing.put_nowait(frame(PONG, heard.data))
                elif heard.opcode is PONG:
                    self.case.onPong(heard.data.decode("latin-1"))
                elif heard.opcode is CLOSE:
                    await self._closed(heard.data)
                    return
                else:
                    self._echoed(json.loads(heard.data))
        except ProtocolError as wrong:
            self.broken = f"the server's own frame is wrong: {wrong}"
        except (asyncio.IncompleteReadError, OSError):
            pass
        except TimeoutError:
            self._give_up()

    def _echoed(self, answer: dict[str, Any]) -> None:
        if (answer["type"], answer.get("reason")) != ("refused", "malformed") or not self._sent:
            self.broken = f"an answer to no message: {answer}"
            return
        payload, binary = self._sent.pop(0)
        self.case.onMessage(payload, binary)

    async def _closed(self, payload: bytes) -> None:
        self.remoteCloseCode = int.from_bytes(payload[:2], "big") if payload else None
        if self.state == STATE_OPEN:
            self.sendCloseFrame(self.remoteCloseCode, isReply=True)
        self.wasClean = True
        if not await self.line.end():
            self.droppedByMe = True

    def _note(self, opcode: int, payload: str, fin: bool) -> None:
        """Which whole messages the server ought to answer."""
        if opcode in (TEXT, BINARY):
            self._partial = (payload, opcode == BINARY)
        elif opcode == CONTINUATION and self._partial:
            self._partial = (self._partial[0] + payload, self._partial[1])
        if opcode in (TEXT, BINARY, CONTINUATION) and self._partial:
            self.longest = max(self.longest, len(self._partial[0]))
            if fin:
                self._sent.append(self._partial)
                self._partial = None

    def _later(self, delay: float, then: Callable[[], object]) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(delay, then))

    def _give_up(self) -> None:
        self.broken = self.broken or "the server did not do it in time"
        self.droppedByMe = True
        self.line.drop()


async def ask(url: str, id: str, kind: type[Any]) -> Outcome:
    """One case on a line of its own."""
    peer = Peer(await Line.open(url))
    case = kind(peer)
    await peer.run(case)
    if peer.longest > MESSAGE_MAX and not peer.broken:
        right = peer.remoteCloseCode in (TOO_BIG, None) and case.received == []
        return Outcome(id, "OK" if right else "FAILED", "OK", f"a message of {peer.longest}: {peer.remoteCloseCode} {case.received}", True)
    why = peer.broken or f"{case.result} {case.resultClose} heard {case.received}, closed by {peer.remoteCloseCode}"
    return Outcome(id, "FAILED" if peer.broken else case.behavior, case.behaviorClose, why, False)
